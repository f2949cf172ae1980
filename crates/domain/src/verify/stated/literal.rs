//! Plain values as they are written in Python, JavaScript, Rust, Go and in prose.

use serde_json::{Map, Number, Value};

/// How deep lists may lie in lists.
const DEEP: usize = 16;

/// The value at the beginning of `text`, and what stands behind it. A number that counts something, as in
/// "3 items", is none.
pub fn value(text: &str) -> Option<(Value, &str)> {
    let text = text.trim_start();
    if let Some(inner) = text.strip_prefix('`') {
        let (inside, after) = inner.split_once('`')?;
        let (found, left) = read(inside, 0)?;
        return left.trim().is_empty().then_some((found, after));
    }
    let (found, rest) = read(text, 0)?;
    (!found.is_number() || ends_there(rest)).then_some((found, rest))
}

/// Whether two values are the same; numbers by what they are worth.
pub fn is_same(one: &Value, other: &Value) -> bool {
    match (one, other) {
        (Value::Number(one), Value::Number(other)) => {
            let (one, other) = (one.as_f64().unwrap_or(f64::NAN), other.as_f64().unwrap_or(0.0));
            (one - other).abs() <= 1e-9 * one.abs().max(other.abs()).max(1.0)
        }
        (Value::Array(one), Value::Array(other)) => {
            one.len() == other.len()
                && one.iter().zip(other).all(|(one, other)| is_same(one, other))
        }
        (Value::Object(one), Value::Object(other)) => {
            one.len() == other.len()
                && one
                    .iter()
                    .all(|(key, one)| other.get(key).is_some_and(|other| is_same(one, other)))
        }
        _ => one == other,
    }
}

/// Where the bracket that opens at `open` is closed: behind its other half.
pub(super) fn closing(text: &str, open: usize) -> Option<usize> {
    let mut depth = 0_usize;
    let mut quote = None;
    let mut is_escaped = false;
    // Nothing that is meant is so long, and whoever writes a thousand brackets waits for none of them.
    for (at, letter) in text[open..].char_indices().take(super::MAX_CALL) {
        match (quote, letter) {
            _ if is_escaped => is_escaped = false,
            (Some(_), '\\') => is_escaped = true,
            (Some(open), letter) if letter == open => quote = None,
            (None, '"' | '\'') => quote = Some(letter),
            (None, '(' | '[' | '{') => depth += 1,
            (None, ')' | ']' | '}') => {
                depth = depth.checked_sub(1)?;
                if depth == 0 {
                    return Some(open + at + letter.len_utf8());
                }
            }
            (None, '\n') => return None,
            _ => {}
        }
    }
    None
}

/// The text with nothing in its quotes.
pub(super) fn without_texts(text: &str) -> String {
    let mut kept = String::with_capacity(text.len());
    let mut quote = None;
    let mut is_escaped = false;
    for letter in text.chars() {
        match (quote, letter) {
            _ if is_escaped => is_escaped = false,
            (Some(_), '\\') => is_escaped = true,
            (Some(open), letter) if letter == open => quote = None,
            (Some(_), _) => continue,
            (None, '"' | '\'') => quote = Some(letter),
            _ => {}
        }
        if quote.is_none() {
            kept.push(letter);
        }
    }
    kept
}

/// Whether a number ends a thought here.
fn ends_there(rest: &str) -> bool {
    const ON: [&str; 13] = [
        "and", "instead", "not", "but", "rather", "because", "since", "while", "too", "also", "as",
        "now", "which",
    ];
    let next = rest.trim_start_matches(' ');
    let word: String = next.chars().take_while(|letter| letter.is_alphabetic()).collect();
    if rest.starts_with(|letter: char| letter.is_alphanumeric() || "%€$°_".contains(letter)) {
        return false;
    }
    word.is_empty() && !next.starts_with(['%', '€', '$', '+', '*', '/'])
        || ON.contains(&word.to_lowercase().as_str())
}

fn read(text: &str, depth: usize) -> Option<(Value, &str)> {
    let text = text.trim_start();
    let first = text.chars().next().filter(|_| depth < DEEP)?;
    match first {
        '"' | '\'' | '“' => quoted(text, first),
        '[' => list(&text[1..], ']', depth),
        '(' if depth > 0 => list(&text[1..], ')', depth),
        '{' => pairs(&text[1..], depth),
        '-' | '0'..='9' => number(text),
        _ => {
            let len = text.find(|letter: char| !letter.is_alphanumeric()).unwrap_or(text.len());
            let (word, rest) = text.split_at(len);
            let found = match word {
                "True" | "true" => Value::Bool(true),
                "False" | "false" => Value::Bool(false),
                "None" | "null" | "nil" => Value::Null,
                // What Rust prints around a value that is there.
                "Ok" | "Some" => {
                    let (found, rest) = read(rest.strip_prefix('(')?, depth + 1)?;
                    return Some((found, rest.trim_start().strip_prefix(')')?));
                }
                _ => return None,
            };
            Some((found, rest))
        }
    }
}

fn number(text: &str) -> Option<(Value, &str)> {
    let is_part =
        |letter: char| letter.is_ascii_digit() || matches!(letter, '_' | '-' | '+' | '.' | 'e');
    let len = text.find(|letter| !is_part(letter)).unwrap_or(text.len());
    // A full stop behind it ends the sentence.
    let len = text[..len].trim_end_matches(['.', '-', '+', 'e', '_']).len();
    let plain = text[..len].replace('_', "");
    let found = match plain.parse::<i64>() {
        Ok(whole) => Number::from(whole),
        Err(_) => Number::from_f64(plain.parse().ok()?)?,
    };
    Some((Value::Number(found), &text[len..]))
}

fn quoted(text: &str, open: char) -> Option<(Value, &str)> {
    let close = if open == '“' { '”' } else { open };
    let mut found = String::new();
    let mut letters = text.char_indices().skip(1);
    while let Some((at, letter)) = letters.next() {
        match letter {
            '\n' => return None,
            '\\' => found.push(match letters.next()?.1 {
                'n' => '\n',
                't' => '\t',
                'r' => '\r',
                '0' => '\0',
                other @ ('\\' | '"' | '\'' | '/') => other,
                // A number of a character: who needs one may write a test.
                _ => return None,
            }),
            letter if letter == close => {
                return Some((Value::String(found), &text[at + letter.len_utf8()..]));
            }
            other => found.push(other),
        }
    }
    None
}

fn list(mut rest: &str, close: char, depth: usize) -> Option<(Value, &str)> {
    let mut found = Vec::new();
    loop {
        rest = rest.trim_start();
        if let Some(after) = rest.strip_prefix(close) {
            return Some((Value::Array(found), after));
        }
        let (one, after) = read(rest, depth + 1)?;
        found.push(one);
        rest = after.trim_start();
        rest = match rest.strip_prefix(',') {
            Some(after) => after,
            None if rest.starts_with(close) => rest,
            None => return None,
        };
    }
}

fn pairs(mut rest: &str, depth: usize) -> Option<(Value, &str)> {
    let mut found = Map::new();
    loop {
        rest = rest.trim_start();
        if let Some(after) = rest.strip_prefix('}') {
            return Some((Value::Object(found), after));
        }
        let colon = rest.find(':')?;
        let (key, after) = if rest.starts_with(['"', '\'']) {
            let (key, after) = quoted(rest, rest.chars().next()?)?;
            (key.as_str()?.to_owned(), after.trim_start().strip_prefix(':')?)
        } else {
            (rest[..colon].trim().to_owned(), &rest[colon + 1..])
        };
        let (one, after) = read(after, depth + 1)?;
        found.insert(key, one);
        rest = after.trim_start();
        rest = match rest.strip_prefix(',') {
            Some(after) => after,
            None if rest.starts_with('}') => rest,
            None => return None,
        };
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn values_are_read_in_every_language() {
        for (text, found, rest) in [
            ("5400.", json!(5400), "."),
            ("-1.50, or", json!(-1.5), ", or"),
            ("1_000 and", json!(1000), " and"),
            ("'it\\'s'!", json!("it's"), "!"),
            ("“a b” now", json!("a b"), " now"),
            ("`[1, 2]` now", json!([1, 2]), " now"),
            ("[('a', 1), (\"b\", None)].", json!([["a", 1], ["b", null]]), "."),
            ("{'a': 1, b: [true]} x", json!({"a": 1, "b": [true]}), " x"),
            ("Ok(Some(3))", json!(3), ""),
        ] {
            assert_eq!(value(text), Some((found, rest)), "{text}");
        }
        for text in ["3 items", "3%", "3px", "abc", "", "[1", "{a", "'x", "Err(3)", "`a b`", "(1)"]
        {
            assert_eq!(value(text), None, "{text}");
        }
        assert_eq!(value(&"[".repeat(100_000)), None);
    }

    #[test]
    fn numbers_are_what_they_are_worth() {
        assert!(is_same(&json!(3), &json!(3.0)) && is_same(&json!([0.1 + 0.2]), &json!([0.3])));
        assert!(!is_same(&json!(3), &json!("3")) && !is_same(&json!([1]), &json!([1, 2])));
    }
}
