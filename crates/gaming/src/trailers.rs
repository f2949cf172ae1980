//! What stands below a commit's message for programs: `Signed-off-by: …`, `Session-Id: …`. Who hands a
//! message in as the task asks for none of it.

/// The text without the lines at its end that all have the form of a trailer.
pub(crate) fn without_trailers(text: &str) -> &str {
    let kept = text.trim_end();
    let Some((above, last)) = kept.rsplit_once("\n\n") else { return text };
    let lines = || last.lines().map(str::trim).filter(|line| !line.is_empty());
    // A sentence may begin with a word and a colon; several words with hyphens don't.
    let is_all = lines().all(|line| is_trailer(line) || is_reference(line));
    if is_all && lines().any(|line| key(line).is_some_and(|key| key.contains('-'))) {
        above
    } else {
        text
    }
}

fn is_trailer(line: &str) -> bool {
    key(line).is_some()
}

/// `Fixes #261` is written among them.
fn is_reference(line: &str) -> bool {
    let mut words = line.split_whitespace();
    words.next().is_some() && words.all(|word| word.starts_with('#'))
}

fn key(line: &str) -> Option<&str> {
    let (key, value) = line.split_once(": ")?;
    let is_key = key.chars().all(|letter| letter.is_ascii_alphanumeric() || letter == '-');
    (is_key && key.starts_with(|first: char| first.is_ascii_uppercase()) && !value.is_empty())
        .then_some(key)
}

#[cfg(test)]
mod tests {
    use super::without_trailers;

    /// G63: what programs write below a message is nothing that was asked for.
    #[test]
    fn trailers_are_no_task() {
        let body = "Add ellipsize\n\nCuts at the last space.";
        let check = |tail: &str, expected: &str| {
            assert_eq!(without_trailers(&format!("{body}{tail}")), expected, "{tail}");
        };
        check("\n\nSession-Id: 01a0106e-73be\n", body);
        check("\n\nFixes #261\nSigned-off-by: A B <a@b.c>\n", body);
        let note = "\n\nNote: it must print \"none\"";
        check(note, &format!("{body}{note}"));
        assert_eq!(without_trailers("Signed-off-by: x"), "Signed-off-by: x");
    }
}
