//! Whether an answer is written down, also where it is wrapped in a type of the product.

use crate::literals::values;
use crate::outline::judge::is_literal;

/// A value that no argument or variable has a part in: `&Error{At: 1}`, `Err(Bad::At(2))`.
pub(super) fn is_fixed(text: &str) -> bool {
    let text = text.trim();
    if text.is_empty() || text.len() > 2_000 {
        return false;
    }
    is_literal(text) || !values(text).is_empty() && !has_variable(text)
}

/// The value that a branch hands out, if handing out is all it does.
pub(super) fn handed_out(text: &str) -> Option<&str> {
    let mut inner = text.trim().trim_start_matches([':', '{', ';']).trim();
    if text.trim().starts_with('{') || inner.ends_with(';') {
        inner = inner.trim_end_matches(';').trim_end();
    }
    if text.trim().starts_with('{') {
        inner = inner.strip_suffix('}').unwrap_or(inner).trim_end();
    }
    let inner = inner.trim_end_matches([';', ',']).trim_end();
    let inner = inner.strip_suffix("break").unwrap_or(inner).trim_end().trim_end_matches(';');
    let returned = inner.strip_prefix("return").filter(|rest| !rest.starts_with(is_word));
    let value = assigned(returned.unwrap_or(inner).trim());
    let one = value.lines().count() == 1 || value.ends_with([')', '}', ']']);
    (one && !value.contains(';') && !value.contains(" = ")).then_some(value)
}

/// What a name is set to, where that is all: `answer = 5`.
fn assigned(statement: &str) -> &str {
    let Some((left, right)) = statement.split_once('=') else { return statement };
    let name = left.trim_end_matches(':').trim();
    let name = ["let mut ", "let ", "const ", "var "]
        .iter()
        .find_map(|word| name.strip_prefix(word))
        .unwrap_or(name);
    let is_name = !name.is_empty() && name.chars().all(is_word);
    let sets = is_name && !right.starts_with(['=', '>']);
    if sets { right.trim() } else { statement }
}

fn is_word(letter: char) -> bool {
    letter.is_alphanumeric() || letter == '_'
}

/// Whether a name stands in it that is no type, no field and nothing that is called.
fn has_variable(text: &str) -> bool {
    const PLAIN: &[&str] = &[
        "new",
        "true",
        "false",
        "True",
        "False",
        "None",
        "null",
        "nil",
        "undefined",
        "rune",
        "byte",
    ];
    let letters: Vec<char> = text.chars().collect();
    let mut at = 0;
    while at < letters.len() {
        let letter = letters[at];
        if matches!(letter, '"' | '\'' | '`') {
            let rest = letters.get(at + 1..).unwrap_or(&[]);
            let mut end = 0;
            while end < rest.len() && rest[end] != letter {
                end += if rest[end] == '\\' { 2 } else { 1 };
            }
            at += end + 2;
            continue;
        }
        if !is_word(letter) {
            at += 1;
            continue;
        }
        let length = letters[at..].iter().position(|l| !is_word(*l)).unwrap_or(letters.len() - at);
        let word: String = letters[at..at + length].iter().collect();
        let mut after = letters[at + length..].iter().filter(|l| !l.is_whitespace());
        let (next, second) = (after.next().copied(), after.next().copied());
        let of_module = next == Some('.') && second.is_some_and(char::is_uppercase);
        let names = matches!(next, Some('(' | '{' | ':' | '!' | '"' | '\''))
            || of_module
            || next == Some('=') && second != Some('=');
        let is_type = letter.is_uppercase() || letter.is_ascii_digit();
        if !names && !is_type && !PLAIN.contains(&word.as_str()) {
            return true;
        }
        at += length;
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_are_told_from_work() {
        for fixed in [
            "5",
            "\"a b\"",
            "['say \"hi\"', \"x\"]",
            "&Error{At: 1, What: ']'}",
            "nil, errors.New(\"bad\")",
            "Err(ParseError::At(2))",
            "Duration::from_secs(90)",
            "Decimal(\"3.20\")",
        ] {
            assert!(is_fixed(fixed), "{fixed}");
        }
        for worked_out in ["n + 1", "&Error{At: at}", "text", "Err(Bad::At(index))", "round(x, 2)"]
        {
            assert!(!is_fixed(worked_out), "{worked_out}");
        }
    }

    #[test]
    fn what_a_branch_hands_out() {
        for (text, value) in [
            ("{ return 5; }", Some("5")),
            ("{\n\t\treturn &E{At: 1}\n\t}", Some("&E{At: 1}")),
            (":\n        return [1, 2]", Some("[1, 2]")),
            ("return ['\"'];", Some("['\"']")),
            ("{ x = 2; return x }", None),
        ] {
            assert_eq!(handed_out(text), value, "{text}");
        }
    }
}
