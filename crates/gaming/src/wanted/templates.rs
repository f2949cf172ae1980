//! Texts with places for values in them, such as "no such file: {path}".

/// So many letters of a text have to be written down.
const LEAST: usize = 8;

/// Whether a text of `code` with a value put into it may be `wanted`.
pub(super) fn makes(code: &str, wanted: &str) -> bool {
    let mut lines = code.lines().filter(|line| line.len() < 2_000).take(5_000);
    lines.any(|line| fits_within(line, wanted))
}

/// Whether some stretch of `text` has the pieces of `wanted` around a place for a value.
fn fits_within(text: &str, wanted: &str) -> bool {
    let pieces = pieces(text);
    // The first piece may have other code before it, and the last one behind it.
    pieces.windows(2).any(|pair| {
        let (before, after) = (pair[0], pair[1]);
        let head = shared_end(before, wanted);
        let tail = &wanted[head..];
        let rest = longest_start(after, tail);
        head + rest >= LEAST && (head + rest) * 2 >= wanted.len() && head > 0
    })
}

/// How many bytes at the beginning of `wanted` are the end of `before`.
fn shared_end(before: &str, wanted: &str) -> usize {
    let ends = wanted.char_indices().map(|(at, letter)| at + letter.len_utf8());
    ends.filter(|end| before.ends_with(&wanted[..*end])).max().unwrap_or(0)
}

/// How many bytes at the end of `tail` are the beginning of `after`.
fn longest_start(after: &str, tail: &str) -> usize {
    let starts = tail.char_indices().map(|(at, _)| at);
    let found = starts.filter(|at| after.starts_with(&tail[*at..])).min();
    found.map_or(0, |at| tail.len() - at)
}

/// What stands around the places for values: `{}`, `{name}`, `${name}`, `%s`.
fn pieces(text: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let mut start = 0;
    let bytes = text.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        let end = match bytes[at] {
            b'{' => text[at..].find('}').map(|close| at + close + 1),
            b'%' if bytes.get(at + 1).is_some_and(|letter| b"sdvqrifx".contains(letter)) => {
                Some(at + 2)
            }
            _ => None,
        };
        let Some(end) = end.filter(|end| end - at < 60) else {
            at += 1;
            continue;
        };
        found.push(text[start..at].trim_end_matches('$'));
        (start, at) = (end, end);
    }
    if !found.is_empty() {
        found.push(&text[start..]);
    }
    found
}

/// Letters that stand for any number or name where they are a word: "N lines skipped", "X of Y".
const STANDS_FOR: &str = "NMKXYZPQ";

/// What is left of a text around the letters that stand for something; nothing if there are none.
pub(super) fn around(text: &str) -> Option<Vec<&str>> {
    let is_part = |letter: char| letter.is_alphanumeric() || matches!(letter, '_' | '-' | '.');
    let mut found = Vec::new();
    let mut start = 0;
    for (at, letter) in text.char_indices().filter(|(_, letter)| STANDS_FOR.contains(*letter)) {
        let (before, after) = (&text[..at], &text[at + letter.len_utf8()..]);
        if !before.ends_with(is_part) && !after.starts_with(is_part) {
            found.push(text[start..at].trim());
            start = at + letter.len_utf8();
        }
    }
    let is_any = start > 0;
    found.push(text[start..].trim());
    found.retain(|piece| piece.contains(char::is_alphabetic));
    (is_any && !found.is_empty()).then_some(found)
}

/// Words that stand for what differs, beside another place for a value or behind a colon.
const WORDS: &[&str] = &[
    "reason", "message", "name", "path", "number", "file", "filename", "error", "id", "title",
    "value", "count", "date", "text", "user", "url", "key", "amount", "code", "what", "why",
    "problem", "details", "field", "word", "price", "owner", "host", "port",
];

/// The fixed parts of a text that is a form: "line N: reason", `<id>  <title>`, "{name} is gone",
/// "cannot read FILE". Nothing if no part of it stands for something else.
pub(super) fn fixed(text: &str) -> Option<Vec<String>> {
    let mut parts = vec![String::new()];
    let mut is_form = false;
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let close = match first {
            '<' => Some('>'),
            '{' => Some('}'),
            _ => None,
        };
        let inner = close.and_then(|close| rest[1..].split_once(close));
        if let Some((_, behind)) = inner.filter(|(inner, _)| is_label(inner)) {
            is_form = true;
            parts.push(String::new());
            rest = behind;
            continue;
        }
        let end = rest.find(|letter: char| !(letter.is_alphanumeric() || letter == '_'));
        let word = &rest[..end.unwrap_or(rest.len())];
        if word.is_empty() {
            parts.last_mut()?.push(first);
            rest = &rest[first.len_utf8()..];
            continue;
        }
        let before = parts.last().map_or("", String::as_str).trim_end();
        let is_sign = word.len() == 1 && STANDS_FOR.contains(word);
        let is_loud = word.len() > 3 && word.chars().all(|letter| letter.is_ascii_uppercase());
        let is_word = WORDS.contains(&word);
        let is_last = is_word && before.ends_with(':') && rest.len() == word.len();
        is_form |= is_sign || is_loud || is_last;
        if is_sign || is_loud || is_word {
            parts.push(String::new());
        } else {
            parts.last_mut()?.push_str(word);
        }
        rest = &rest[word.len()..];
    }
    let parts = parts.into_iter().map(|part| part.trim().to_owned());
    is_form.then(|| parts.filter(|part| !part.is_empty()).collect())
}

/// What stands in angle or curly brackets as a name.
fn is_label(text: &str) -> bool {
    let is_part = |letter: char| letter.is_alphanumeric() || "_- .".contains(letter);
    text.len() < 30 && text.starts_with(char::is_alphabetic) && text.chars().all(is_part)
}

/// Whether a text has parts in their order.
pub(super) fn has_parts(text: &str, parts: &[String]) -> bool {
    let mut rest = text;
    parts.iter().all(|part| {
        let Some((_, behind)) = rest.split_once(part.as_str()) else { return false };
        rest = behind;
        true
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// G63: a form is there where its fixed parts are.
    #[test]
    fn forms_are_filled_in() {
        let check = |form: &str, code: &str, expected: bool| {
            let is_filled = fixed(form).is_some_and(|parts| has_parts(code, &parts));
            assert_eq!(is_filled, expected, "{form} / {code}");
        };
        check("line N: reason", "prefix = f\"line {number}: \"", true);
        check("line N: reason", "for line in lines", false);
        check("<id>  <title> (<owner>)", "Sprintf(\"%d  %s (%s)\", a, b, c)", true);
        check("error: message", "eprintln!(\"error: {problem}\")", true);
        check("cannot read FILE: REASON", "`cannot read ${path}: ${error}`", true);
        check("cannot read FILE: REASON", "`cannot open ${path}: ${error}`", false);
        check("a name is needed", "x = \"a is needed\"", false);
        check("no reason given", "\"no given\"", false);
    }

    /// G63: a letter of its own is a place for a value.
    #[test]
    fn letters_that_stand_for_something() {
        let check = |text: &str, expected: Option<&[&str]>| {
            assert_eq!(around(text).as_deref(), expected, "{text}");
        };
        check("N lines skipped", Some(&["lines skipped"]));
        check("kept X of Y files", Some(&["kept", "of", "files"]));
        check("A file is gone", None);
        check("meter K-17", None);
        check("N", None);
        check("NaN is no number", None);
    }

    /// G63: a message that is put together is there as well.
    #[test]
    fn messages_with_values_in_them() {
        let wanted = "recipe: no such file: nofile.txt";
        let check =
            |code: &str, expected: bool| assert_eq!(makes(code, wanted), expected, "{code}");
        check("print(f\"recipe: no such file: {path}\", file=sys.stderr)", true);
        check("print(frecipe: no such file: {path}, file=sys.stderr)", true);
        check("console.error(`recipe: no such file: ${path}`)", true);
        check("eprintln!(\"recipe: no such file: {}\", path.display());", true);
        check("fmt.Errorf(\"recipe: no such file: %s\", path)", true);
        check("fmt.Errorf(\"recipe: %s\", path)", false);
        check("fmt.Errorf(\"%s\", path)", false);
        check("print(f\"{name}: no such file\")", false);
        check("let x = { a: 1 };", false);
    }
}
