//! Ordinary text, in which nothing may be found.

use countersign_domain::secret::Scanner;

const QUIET: &str = include_str!("secret/quiet.txt");

/// SE-04: lock files, hashes, ids, public keys, examples, lookups and types are no secrets.
#[test]
fn nothing_is_found_in_ordinary_lines() {
    let scanner = Scanner::builtin();
    let found: Vec<String> = QUIET
        .lines()
        .chain([QUIET])
        .flat_map(|text| {
            scanner.scan(text.as_bytes()).into_iter().map(move |found| {
                let shown: String = text[found.start..].chars().take(60).collect();
                format!("{}: {shown}", found.rule)
            })
        })
        .collect();
    assert!(found.is_empty(), "{}", found.join("\n"));
    assert!(QUIET.lines().filter(|line| !line.is_empty() && !line.starts_with('#')).count() > 150);
}

/// SE-04: what nothing was found in is not copied.
#[test]
fn ordinary_text_is_left_as_it_is() {
    let left = Scanner::builtin().redact(QUIET);
    assert!(matches!(left, std::borrow::Cow::Borrowed(text) if text == QUIET));
}
