//! Numbers that went, and others that came in their place.

use std::collections::BTreeSet;

use super::Value;
use crate::literals::{Literals, inside};

/// Smaller numbers come and go with the shape of code.
const LEAST: f64 = 10.0;
/// So many numbers are compared.
const MOST: usize = 500;
/// Between two units of the same.
const UNITS: &[f64] = &[10.0, 60.0, 100.0, 1000.0, 1024.0, 3600.0, 86400.0, 1e6, 1e9];

/// Numbers of the old code with those that took their place.
pub(super) fn altered<'c>(
    old: &[Value<'c>],
    new: &[Value<'c>],
    literals: &Literals,
) -> Vec<(Value<'c>, Value<'c>)> {
    let (was, is) = (known(old), known(new));
    let went: Vec<&Value<'_>> = numbers(old)
        .filter(|(key, _)| !is.contains(key))
        .map(|(_, value)| value)
        .take(MOST)
        .collect();
    let came: Vec<&Value<'_>> = numbers(new)
        .filter(|(key, value)| {
            // 86400 may be written as 24 * 60 * 60.
            let is_part =
                || results(&value.around).iter().any(|made| was.contains(&made.to_bits()));
            !was.contains(key)
                && !literals.knows(&value.text)
                && !literals.knows(inside(&value.text))
                && !literals.is_asked(inside(&value.text))
                && !literals
                    .is_asked(inside(&value.text).trim_end_matches('0').trim_end_matches('.'))
                && !is_part()
        })
        .map(|(_, value)| value)
        .take(MOST)
        .collect();
    if went.is_empty() || came.is_empty() {
        return Vec::new();
    }
    let strange: Vec<&&Value<'_>> =
        came.iter().filter(|is| !went.iter().any(|was| is_other_unit(was, is))).collect();
    let lost: Vec<&&Value<'_>> =
        went.iter().filter(|was| !came.iter().any(|is| is_other_unit(was, is))).collect();
    lost.into_iter().zip(strange).map(|(was, is)| ((*was).clone(), (*is).clone())).take(3).collect()
}

type Key = u64;

/// Numbers that say something, each with one spelling.
fn numbers<'v, 'c>(values: &'v [Value<'c>]) -> impl Iterator<Item = (Key, &'v Value<'c>)> {
    values.iter().filter_map(|value| {
        let number = number(&value.text)?;
        let is_exact = value.text.contains('.') && number.fract() != 0.0;
        (number >= LEAST || is_exact).then_some((number.to_bits(), value))
    })
}

/// All numbers, and what they come to where signs stand between them.
fn known(values: &[Value<'_>]) -> BTreeSet<Key> {
    let written = values.iter().filter_map(|value| number(&value.text));
    let made = values.iter().flat_map(|value| results(&value.around));
    written.chain(made).map(f64::to_bits).collect()
}

/// A number without its sign, its type and what parts its digits. Some types want it in quotes.
fn number(text: &str) -> Option<f64> {
    if text.starts_with('"') {
        let inner = inside(text);
        let is_plain = inner.chars().all(|letter| letter.is_ascii_digit() || letter == '.');
        return inner.parse().ok().filter(|_| is_plain);
    }
    let text = text.trim_start_matches('-').replace('_', "");
    if let Some(digits) = text.strip_prefix("0x") {
        let digits: String = digits.chars().take_while(char::is_ascii_hexdigit).collect();
        return u32::from_str_radix(&digits, 16).ok().map(f64::from);
    }
    if !text.starts_with(|letter: char| letter.is_ascii_digit()) {
        return None;
    }
    let end = text.find(|l: char| !(l.is_ascii_digit() || l == '.')).unwrap_or(text.len());
    let (digits, rest) = text.split_at(end);
    let is_typed = ["u", "i", "f", "n", "L", "m"].iter().any(|start| rest.starts_with(start));
    let whole = if rest.is_empty() || is_typed { digits } else { text.as_str() };
    whole.trim_end_matches('.').parse().ok()
}

/// `24 * 60 * 60` is 86400, `1 << 20` is 1048576, `500 + 49` is 549.
fn results(line: &str) -> Vec<f64> {
    let plain = line.replace("<<", "@").replace("**", "^");
    let is_part = |letter: char| letter.is_ascii_alphanumeric() || "_. *+-/@^()".contains(letter);
    let mut found = Vec::new();
    for piece in plain.split(|letter| !is_part(letter)).filter(|piece| piece.len() < 100) {
        let tokens = tokens(piece);
        let mut at = 0;
        while at < tokens.len() {
            let Some(mut value) = number(&tokens[at]) else {
                at += 1;
                continue;
            };
            let start = at;
            while let (Some(sign), Some(next)) = (tokens.get(at + 1), tokens.get(at + 2)) {
                let Some(next) = number(next) else { break };
                value = match sign.as_str() {
                    "*" => value * next,
                    "+" => value + next,
                    "-" => value - next,
                    "/" if next != 0.0 => value / next,
                    "@" => value * next.exp2(),
                    "^" => value.powf(next),
                    _ => break,
                };
                at += 2;
            }
            if at > start {
                found.push(value);
            }
            at += 1;
        }
    }
    found
}

fn tokens(text: &str) -> Vec<String> {
    let mut all: Vec<String> = Vec::new();
    let is_word = |letter: char| letter.is_ascii_alphanumeric() || letter == '_' || letter == '.';
    let mut was_word = false;
    for letter in text.chars().filter(|letter| !matches!(letter, '(' | ')')) {
        let is_part = is_word(letter);
        match all.last_mut() {
            Some(last) if is_part && was_word => last.push(letter),
            _ if letter == ' ' => {}
            _ => all.push(letter.to_string()),
        }
        was_word = is_part;
    }
    all
}

/// Whether one may be the other in another unit, or the other end of the same range.
fn is_other_unit(was: &Value<'_>, is: &Value<'_>) -> bool {
    let (Some(one), Some(other)) = (number(&was.text), number(&is.text)) else { return false };
    let (least, most) = if one < other { (one, other) } else { (other, one) };
    let ratio = most / least.max(f64::MIN_POSITIVE);
    let is_end = ["<", ">", "..", "range("].iter().any(|sign| is.around.contains(sign));
    UNITS.iter().any(|unit| (ratio - unit).abs() < 1e-9)
        || is_end && (most - least - 1.0).abs() < 1e-9
}

#[cfg(test)]
mod tests {
    use super::*;

    /// G64: other spellings of the same number.
    #[test]
    fn numbers_have_many_spellings() {
        for (text, expected) in [
            ("1_000", Some(1000.0)),
            ("0xff", Some(255.0)),
            ("86400u64", Some(86400.0)),
            ("1e3", Some(1000.0)),
            ("12.50", Some(12.5)),
            ("\"12.5\"", Some(12.5)),
            ("\"12 m\"", None),
        ] {
            assert_eq!(number(text), expected, "{text}");
        }
        assert_eq!(results("const DAY: u64 = 24 * 60 * 60;"), [86400.0]);
        assert_eq!(results("size = 1 << 20"), [1_048_576.0]);
        assert!(results("f(12, 34)").is_empty());
    }
}
