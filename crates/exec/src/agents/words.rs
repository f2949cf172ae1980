//! Small things that all dialects do with words.

use super::json::Json;

/// How much is kept of a command. Longer ones carry whole files in them.
pub(crate) const MAX_COMMAND: usize = 8 * 1024;
/// How much is kept of what a person or a model wrote.
pub(crate) const MAX_MESSAGE: usize = 64 * 1024;
/// How much of a text is looked at to see how a call ended.
pub(crate) const MAX_RESULT: usize = 4 * 1024;
/// How many characters are kept of a reason, a purpose or a name.
const MAX_BRIEF: usize = 240;

/// The text in few characters, on one line: its beginning and, because outputs end with what
/// matters, its end.
pub(crate) fn brief(text: &str) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let length = line.chars().count();
    if length <= MAX_BRIEF {
        return line;
    }
    let half = MAX_BRIEF / 2;
    let head: String = line.chars().take(half).collect();
    let tail: String = line.chars().skip(length - half).collect();
    format!("{head} … {tail}")
}

/// A string, in few characters.
pub(crate) fn briefly(value: Json<'_>) -> String {
    brief(&ends(value))
}

/// The beginning of a long string and its end, which is where outputs say what matters.
pub(crate) fn ends(value: Json<'_>) -> String {
    if value.raw().len() <= 2 * MAX_RESULT {
        return value.text_up_to(2 * MAX_RESULT).unwrap_or_default();
    }
    let tail = value.text_from_end(MAX_RESULT).unwrap_or_default();
    format!("{}{tail}", value.text_up_to(MAX_RESULT).unwrap_or_default())
}

/// The first of these fields that holds a text, in few characters.
pub(crate) fn first_of<const N: usize>(input: Json<'_>, names: [&str; N]) -> String {
    let found = input.pick(names).into_iter().find(|value| value.is_text());
    found.map(briefly).unwrap_or_default()
}

/// What a call of an unknown tool was given, in few characters.
pub(crate) fn anything(input: Json<'_>) -> String {
    let raw = input.raw();
    let raw = String::from_utf8_lossy(&raw[..raw.len().min(MAX_RESULT)]);
    if raw == "{}" { String::new() } else { brief(&raw) }
}

/// A text, or the texts of content blocks one after the other, as far as wanted.
pub(crate) fn content(value: Json<'_>, max: usize) -> Option<String> {
    blocks(value, |text| text.text_up_to(max))
}

/// The same for long ones: their beginnings and ends.
pub(crate) fn content_ends(value: Json<'_>) -> String {
    blocks(value, |text| text.is_text().then(|| ends(text))).unwrap_or_default()
}

fn blocks(value: Json<'_>, read: impl Fn(Json<'_>) -> Option<String>) -> Option<String> {
    if value.is_text() {
        return read(value);
    }
    let texts: Vec<_> = value.items().filter_map(|item| read(item.field("text"))).collect();
    (!texts.is_empty()).then(|| texts.join("\n"))
}

/// The number at the beginning of a text.
pub(crate) fn leading_number(text: &str) -> Option<i32> {
    let digits = text.trim_start();
    let end =
        digits.char_indices().find(|(at, c)| !(c.is_ascii_digit() || (*at == 0 && *c == '-')));
    digits[..end.map_or(digits.len(), |(at, _)| at)].parse().ok()
}

/// What stands between two marks.
pub(crate) fn between<'a>(text: &'a str, open: &str, close: &str) -> Option<&'a str> {
    let (_, rest) = text.split_once(open)?;
    rest.split_once(close).map(|(inside, _)| inside)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn brief_keeps_both_ends() {
        assert_eq!(brief(" a\n b\t c "), "a b c");
        let long = brief(&format!("first {} last", "x".repeat(9000)));
        assert!(long.starts_with("first x") && long.ends_with("x last"));
        assert_eq!(long.chars().count(), MAX_BRIEF + 3);
    }

    #[test]
    fn numbers_at_the_beginning() {
        let check = |text: &str, expected: Option<i32>| assert_eq!(leading_number(text), expected);
        check("3", Some(3));
        check(" 143\nmore", Some(143));
        check("-1)", Some(-1));
        check("x", None);
        check("", None);
        check("99999999999", None);
    }
}
