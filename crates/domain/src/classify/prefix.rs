//! What stands in front of a line: bullets, `[tags]`, ticket numbers, `fix(scope)!:` and `area:`.

use super::token::{self, Token};

/// The tags in front of a line, whether it says "breaking", and the rest.
pub(crate) fn split(line: &str) -> (Vec<Token>, bool, &str) {
    let mut tags = Vec::new();
    let mut breaking = false;
    let mut rest = bullet(line.trim());
    for _ in 0..4 {
        if let Some((inside, after)) = bracket(rest) {
            read(inside, &mut tags);
            rest = after;
        } else if let Some(after) = ticket(rest) {
            rest = after;
        } else if let Some((before, bang, after)) = colon(rest) {
            read(before, &mut tags);
            breaking |= bang;
            rest = after;
        } else {
            break;
        }
    }
    (tags, breaking, rest)
}

fn read(words: &str, tags: &mut Vec<Token>) {
    for raw in words.split_whitespace() {
        token::words(raw, false, &mut Vec::new(), tags);
    }
}

fn bullet(line: &str) -> &str {
    let rest = line.trim_start_matches(['#', '*', '-', '+', '>', '•', '·', '☐', '☑', ' ', '\t']);
    let rest = rest
        .strip_prefix("[ ]")
        .or(rest.strip_prefix("[x]"))
        .unwrap_or(rest);
    let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
    let numbered = rest[digits..].starts_with([')', '.']) && rest[digits + 1..].starts_with(' ');
    if (1..=3).contains(&digits) && numbered {
        rest[digits + 1..].trim_start()
    } else {
        rest.trim_start()
    }
}

fn bracket(rest: &str) -> Option<(&str, &str)> {
    let (inside, after) = rest.strip_prefix('[')?.split_once(']')?;
    let after = after.trim_start_matches([':', '-', ' ']).trim_start();
    (inside.len() <= 40 && !after.starts_with('(')).then_some((inside, after))
}

/// `ABC-123`, `#12`, `PR-04.3:`, `Issue #340 -`
fn ticket(rest: &str) -> Option<&str> {
    let (word, after) = rest.split_once(char::is_whitespace)?;
    let bare = word.trim_end_matches([':', ',']);
    let id = bare.strip_prefix('#').unwrap_or_else(|| {
        bare.split_once('-').map_or("", |(key, number)| {
            let key_ok = (1..=10).contains(&key.len())
                && key.bytes().all(|b| b.is_ascii_alphanumeric())
                && key.bytes().any(|b| b.is_ascii_alphabetic());
            if key_ok { number } else { "" }
        })
    });
    let ok = !id.is_empty()
        && id
            .bytes()
            .all(|b| b.is_ascii_digit() || matches!(b, b'.' | b'/'));
    ok.then(|| after.trim_start_matches(['-', ':', ' ']).trim_start())
}

/// `fix(auth)!: …`, `area: …`, `Area / part: …`; at most three words before the colon.
fn colon(rest: &str) -> Option<(&str, bool, &str)> {
    let (before, after) = rest
        .split_once(": ")
        .or_else(|| rest.strip_suffix(':').map(|b| (b, "")))?;
    let words = before.split_whitespace().count();
    let plain = !before.contains(['.', ',', '?', ';', '"', '`']) && before.len() <= 40;
    if words == 0 || words > 3 || !plain || after.trim().is_empty() {
        return None;
    }
    let bang = before.ends_with('!');
    Some((before.trim_end_matches('!'), bang, after.trim_start()))
}
