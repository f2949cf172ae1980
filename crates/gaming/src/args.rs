//! Takes source text apart without a tree: arguments, words, spaces.

/// The parts between commas that are in no brackets and no quotes.
pub(crate) fn split(text: &str) -> Vec<&str> {
    cut(text, b',')
}

/// The parts between one sign that is in no brackets and no quotes.
pub(crate) fn cut(text: &str, sign: u8) -> Vec<&str> {
    let bytes = text.as_bytes();
    let (mut depth, mut quote, mut start) = (0_i32, 0_u8, 0);
    let mut parts = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        let byte = bytes[at];
        if quote != 0 {
            if byte == b'\\' {
                at += 1;
            } else if byte == quote {
                quote = 0;
            }
        } else {
            match byte {
                b'"' | b'`' => quote = byte,
                b'\'' if is_quote(bytes, at) => quote = byte,
                b'(' | b'[' | b'{' => depth += 1,
                b')' | b']' | b'}' => depth -= 1,
                _ if byte == sign && depth == 0 => {
                    parts.push(text.get(start..at).unwrap_or("").trim());
                    start = at + 1;
                }
                _ => {}
            }
        }
        at += 1;
    }
    parts.push(text.get(start..).unwrap_or("").trim());
    if parts.last() == Some(&"") {
        parts.pop();
    }
    parts
}

/// A lifetime of Rust (`'a`) opens no text.
fn is_quote(bytes: &[u8], at: usize) -> bool {
    let rest = bytes.get(at + 1..).unwrap_or(&[]);
    rest.iter().take(200).any(|byte| *byte == b'\'')
}

/// Without the space around signs: two spellings of one expression become one.
pub(crate) fn squeeze(text: &str) -> String {
    let mut squeezed = String::with_capacity(text.len().min(400));
    let mut gap = false;
    for letter in text.chars().take(4_000) {
        if letter.is_whitespace() {
            gap = true;
            continue;
        }
        let word = |letter: char| letter.is_alphanumeric() || letter == '_';
        if gap && squeezed.chars().last().is_some_and(word) && word(letter) {
            squeezed.push(' ');
        }
        gap = false;
        squeezed.push(letter);
    }
    squeezed
}

/// At most this many letters, for people.
pub(crate) fn short(text: &str) -> String {
    const LONGEST: usize = 160;
    let line = text.trim().lines().next().unwrap_or("").trim();
    if line.chars().count() <= LONGEST {
        return line.to_owned();
    }
    line.chars().take(LONGEST).chain(['…']).collect()
}

/// Whether a word stands in a text on its own.
pub(crate) fn has_word(text: &str, word: &str) -> bool {
    find_word(text, word).is_some()
}

/// Where a word stands in a text on its own.
pub(crate) fn find_word(text: &str, word: &str) -> Option<usize> {
    let part = |byte: Option<&u8>| byte.is_some_and(|b| b.is_ascii_alphanumeric() || *b == b'_');
    let bytes = text.as_bytes();
    let begins = word.bytes().next().is_some_and(|b| b.is_ascii_alphanumeric() || b == b'_');
    let ends = word.bytes().last().is_some_and(|b| b.is_ascii_alphanumeric() || b == b'_');
    text.match_indices(word).map(|(at, _)| at).find(|at| {
        let before = at.checked_sub(1).and_then(|before| bytes.get(before));
        !(begins && part(before) || ends && part(bytes.get(at + word.len())))
    })
}

/// Whether a task speaks of a name as one, and not only of the same word: `escape`, escape(), isName.
pub(crate) fn names(task: &str, name: &str) -> bool {
    let is_word = name.chars().all(|letter| letter.is_ascii_lowercase());
    let marked = [format!("`{name}`"), format!("{name}("), format!("{name} =")];
    has_word(task, name) && !is_word || marked.iter().any(|one| find_word(task, one).is_some())
}

/// The first number in a text.
pub(crate) fn number(text: &str) -> Option<f64> {
    let text = text.replace('_', "");
    let start = text.find(|letter: char| letter.is_ascii_digit())?;
    let minus = text[..start].ends_with('-');
    let rest = &text[start..];
    let bytes = rest.as_bytes();
    let mut end = 0;
    while end < bytes.len() {
        let sign = matches!(bytes[end], b'-' | b'+') && matches!(bytes[end - 1], b'e' | b'E');
        let exponent = matches!(bytes[end], b'e' | b'E')
            && bytes.get(end + 1).is_some_and(|b| b.is_ascii_digit() || matches!(b, b'-' | b'+'));
        if !(bytes[end].is_ascii_digit() || bytes[end] == b'.' || sign || exponent) {
            break;
        }
        end += 1;
    }
    let value: f64 = rest[..end].trim_end_matches('.').parse().ok()?;
    Some(if minus { -value } else { value })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_are_split() {
        assert_eq!(split("add(2, 3), 5"), ["add(2, 3)", "5"]);
        assert_eq!(split("\"a, b\", [1, 2], 'c,'"), ["\"a, b\"", "[1, 2]", "'c,'"]);
        assert_eq!(split("a,"), ["a"]);
        assert!(split("").is_empty());
        assert_eq!(cut("a == b && c", b'&'), ["a == b", "", "c"]);
    }

    #[test]
    fn spellings_become_one() {
        assert_eq!(squeeze("add( 2,  3 )\n"), "add(2,3)");
        assert_eq!(squeeze("not  x in y"), "not x in y");
    }

    #[test]
    fn numbers_are_read() {
        for (text, expected) in
            [("abs=100", Some(100.0)), ("1e-6", Some(1e-6)), ("-3", Some(-3.0)), ("x", None)]
        {
            assert_eq!(number(text), expected, "{text}");
        }
        assert!(has_word("if x.only(", "only") && !has_word("commonly", "only"));
    }
}
