//! Values that are written down in a type of their own: `Decimal("2.1")`, `Duration::from_secs(3)`,
//! `3 * time.Second`. They say no more than the value in them does.

use crate::args::split;
use crate::outline::judge::is_literal;

/// So many wrappers are taken off.
const DEEPEST: usize = 4;

/// The one value that is written down in wrappers; what is no such value stays as it is.
pub(super) fn bare(text: &str) -> &str {
    let mut inner = text.trim();
    for _ in 0..DEEPEST {
        let Some(next) = once(inner) else { break };
        inner = next;
    }
    if is_value(inner) { inner } else { text }
}

/// Whether a number stands in quotes because of the type around it.
pub(super) fn has_number(text: &str) -> bool {
    let mut quoted = text.match_indices(['"', '\'']).filter(|(at, _)| text[..*at].ends_with('('));
    quoted.any(|(at, quote)| {
        let inner = text[at + 1..].split_once(quote).filter(|(_, rest)| rest.starts_with(')'));
        let head = text[..at].trim_end_matches('(');
        let name = head.rsplit(|letter: char| !is_part(letter)).next().unwrap_or("");
        is_maker(name) && inner.is_some_and(|(inner, _)| is_number(inner))
    })
}

/// Whether something of this name makes a value of what it is given, and asks nothing.
fn is_maker(name: &str) -> bool {
    let last = name.rsplit(['.', ':']).next().unwrap_or(name).trim_end_matches('!');
    let starts = ["from", "From", "new", "New", "Must", "RequireFrom", "of", "parse", "Parse"];
    last.starts_with(char::is_uppercase) && !name.contains('.')
        || starts.iter().any(|start| last.starts_with(start))
        || matches!(last, "dec" | "int" | "float" | "decimal" | "money" | "Decimal" | "Fraction")
}

fn is_part(letter: char) -> bool {
    letter.is_alphanumeric() || "_.:!".contains(letter)
}

fn is_number(text: &str) -> bool {
    let text = text.trim_start_matches('-');
    text.starts_with(|letter: char| letter.is_ascii_digit())
        && text.chars().all(|letter| letter.is_ascii_digit() || "._/".contains(letter))
}

fn is_value(text: &str) -> bool {
    is_literal(text) && !text.starts_with(['[', '{', '('])
}

/// What is in the outermost wrapper.
fn once(text: &str) -> Option<&str> {
    let text = text.strip_prefix("new ").unwrap_or(text).trim_start_matches('&').trim();
    if let Some((left, right)) = text.split_once('*') {
        let (left, right) = (left.trim(), right.trim());
        let is_unit = |name: &str| name.contains(char::is_alphabetic) && name.chars().all(is_part);
        return match (is_value(left), is_value(right)) {
            (true, false) if is_unit(right) => Some(left),
            (false, true) if is_unit(left) => Some(right),
            _ => None,
        };
    }
    let before = text.strip_suffix(')')?;
    // `"2.1".to_string()`, `5.into()`
    if let Some((value, name)) = before.strip_suffix('(').and_then(|rest| rest.rsplit_once('.')) {
        return (is_value(value) && name.chars().all(is_part)).then_some(value);
    }
    let (head, inner) = before.split_once('(')?;
    let is_call = !head.is_empty()
        && head.starts_with(char::is_alphabetic)
        && head.chars().all(|letter| is_part(letter) || "<>".contains(letter));
    (is_call && split(inner).len() == 1).then(|| inner.trim().trim_end_matches(','))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// G21: a type around a value changes nothing of what it says.
    #[test]
    fn values_are_taken_out_of_their_types() {
        for (text, value) in [
            ("Decimal(\"2.1\")", "\"2.1\""),
            ("new Money('3.20')", "'3.20'"),
            ("Duration::from_secs(37)", "37"),
            ("37 * time.Second", "37"),
            ("time.Duration(90) * time.Minute", "time.Duration(90) * time.Minute"),
            ("Some(Weight::new(412))", "412"),
            ("\"ab\".to_string()", "\"ab\""),
            ("dec!(2.51)", "2.51"),
            ("round(x)", "round(x)"),
            ("Point(3, 4)", "Point(3, 4)"),
            ("rate * 3", "3"),
            ("\"plain\"", "\"plain\""),
        ] {
            assert_eq!(bare(text), value, "{text}");
        }
    }

    #[test]
    fn numbers_in_quotes_have_a_type_around_them() {
        assert!(has_number("weight == Decimal(\"2.1\")"));
        assert!(has_number("weight.equals(new Money('3'))"));
        assert!(has_number("d.Equal(decimal.RequireFromString(\"2.1\"))"));
        assert!(!has_number("code == \"404\""));
        assert!(!has_number("text.startswith(\"2\")"));
    }
}
