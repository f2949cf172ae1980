//! How much a condition says, from its text: the same for all languages.

use super::Fault;
use crate::args::{self, number, squeeze};

/// What is known about a condition.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Judged {
    pub(crate) strength: u8,
    pub(crate) subject: String,
    pub(crate) expected: Option<String>,
    pub(crate) tolerance: Option<f64>,
    pub(crate) fault: Option<Fault>,
}

const OPERATORS: &[&str] =
    &["===", "!==", "==", "!=", "<=", ">=", " is not ", " is ", " not in ", " in ", " < ", " > "];

/// How deep conditions in conditions are read.
const DEEPEST: u8 = 6;

/// What a condition that must hold checks.
pub(crate) fn condition(text: &str) -> Judged {
    judge(text, 0)
}

fn judge(text: &str, depth: u8) -> Judged {
    let text = unwrap(text.trim());
    if depth > DEEPEST || text.len() > 4_000 {
        return plain(text, 1);
    }
    if args::split(text).len() > 1 {
        // A tuple with something in it is true, whatever is in it.
        return always(text);
    }
    let parts = separated(text, &[" or ", "||"]);
    if parts.len() > 1 {
        let judged: Vec<Judged> = parts.iter().map(|part| judge(part, depth + 1)).collect();
        if judged.iter().any(|part| part.fault == Some(Fault::Tautology)) {
            return always(text);
        }
        let least = judged.into_iter().min_by_key(|part| part.strength);
        return least.unwrap_or_default();
    }
    let parts = separated(text, &[" and ", "&&"]);
    if parts.len() > 1 {
        let judged = parts.iter().map(|part| judge(part, depth + 1));
        return judged.max_by_key(|part| part.strength).unwrap_or_default();
    }
    if is_true(text) {
        return always(text);
    }
    match operator(text) {
        Some((left, sign, right)) => compared(text, left, sign, right),
        None => called(text),
    }
}

fn plain(text: &str, strength: u8) -> Judged {
    Judged { strength, subject: squeeze(text), ..Judged::default() }
}

fn always(text: &str) -> Judged {
    Judged { fault: Some(Fault::Tautology), ..plain(text, 0) }
}

/// Without brackets around the whole.
fn unwrap(text: &str) -> &str {
    let mut text = text;
    while let Some(inner) = text.strip_prefix('(').and_then(|rest| rest.strip_suffix(')')) {
        let mut depth = 0_i32;
        let closes_early = inner.bytes().any(|byte| {
            depth += i32::from(byte == b'(') - i32::from(byte == b')');
            depth < 0
        });
        if closes_early || inner.trim().is_empty() {
            break;
        }
        text = inner.trim();
    }
    text
}

fn is_true(text: &str) -> bool {
    let text = text.trim();
    matches!(text, "True" | "true" | "!false" | "!0" | "not False" | "!!1")
        || number(text).is_some_and(|value| value != 0.0) && text.parse::<f64>().is_ok()
        || (is_text(text) && text.len() > 2)
}

fn is_text(text: &str) -> bool {
    let quote = text.chars().next();
    matches!(quote, Some('"' | '\'' | '`'))
        && text.len() > 1
        && quote == text.chars().last()
        && !text[1..text.len() - 1].contains(quote.unwrap_or('"'))
}

/// Whether something is written down, and not worked out.
pub(crate) fn is_literal(text: &str) -> bool {
    let text = text.trim();
    let unsigned = text.trim_start_matches(['-', '+', '&']).trim();
    // Letters before a text say how it is written; with `f` or `$`, it is worked out.
    let quoted = unsigned.trim_start_matches(['b', 'r', 'f', 'u']);
    let is_filled = (unsigned.starts_with('f') && quoted.contains('{')) || quoted.contains("${");
    let bare = if quoted.starts_with(['"', '\'', '`']) { quoted } else { unsigned };
    if is_filled && is_text(bare) {
        return false;
    }
    matches!(text, "True" | "False" | "None" | "true" | "false" | "null" | "nil" | "undefined")
        || bare.starts_with(|letter: char| letter.is_ascii_digit())
            && !bare.contains(['(', '*', '/'])
        || is_text(bare)
        || (text.starts_with(['[', '{', '(']) && text.ends_with([']', '}', ')']))
            && !text[1..text.len() - 1].contains('(')
            && args::split(&text[1..text.len() - 1]).iter().all(|part| {
                part.split_once(':').map_or_else(
                    || is_literal(part),
                    |(_, value)| is_literal(value) || is_literal(part),
                )
            })
        || ["Some(", "Ok(", "Err("].iter().any(|wrap| {
            text.strip_prefix(wrap).and_then(|rest| rest.strip_suffix(')')).is_some_and(is_literal)
        })
}

/// The parts between words or signs that are in no brackets and no quotes.
fn separated<'t>(text: &'t str, signs: &[&str]) -> Vec<&'t str> {
    let mut parts = Vec::new();
    let mut start = 0;
    for at in outside(text) {
        let found = signs.iter().find(|sign| text[at..].starts_with(**sign));
        if let Some(sign) = found.filter(|_| at >= start) {
            parts.push(&text[start..at]);
            start = at + sign.len();
        }
    }
    parts.push(&text[start..]);
    parts
}

fn operator(text: &str) -> Option<(&str, &'static str, &str)> {
    for at in outside(text) {
        let rest = &text[at..];
        if rest.starts_with("=>") || rest.starts_with("->") {
            continue;
        }
        if let Some(sign) = OPERATORS.iter().find(|sign| rest.starts_with(**sign)) {
            return Some((text[..at].trim(), sign.trim(), rest[sign.len()..].trim()));
        }
    }
    None
}

/// Where letters stand that are in no brackets and no quotes.
fn outside(text: &str) -> Vec<usize> {
    let (mut depth, mut quote, mut escaped) = (0_i32, None, false);
    let mut places = Vec::new();
    for (at, letter) in text.char_indices() {
        if let Some(open) = quote {
            if !escaped && letter == open {
                quote = None;
            }
            escaped = !escaped && letter == '\\';
            continue;
        }
        match letter {
            '"' | '`' => quote = Some(letter),
            '\'' if text[at + 1..].contains('\'') => quote = Some(letter),
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => depth -= 1,
            _ if depth == 0 => places.push(at),
            _ => {}
        }
    }
    places
}

fn compared(text: &str, left: &str, sign: &str, right: &str) -> Judged {
    let (one, other) = (squeeze(left), squeeze(right));
    // Two things that are made alike are equal only if somebody wrote that they are.
    let makes = one.starts_with(|letter: char| letter.is_ascii_uppercase()) && one.ends_with(')');
    if one == other && makes && sign == "==" {
        return Judged { expected: Some(other), ..plain(left, 4) };
    }
    if one == other || is_literal(left) && is_literal(right) {
        let holds = matches!(sign, "===" | "==" | "is" | "<=" | ">=" | "in") == (one == other);
        return if holds { always(text) } else { plain(text, 1) };
    }
    let (subject, expected) =
        if is_literal(left) && !is_literal(right) { (other, left) } else { (one, right) };
    let nothing = matches!(expected.trim(), "None" | "null" | "nil" | "undefined");
    let length = ["len(", "len!("].iter().any(|start| subject.starts_with(start))
        || [".len()", ".length", ".size()", ".Count", ".count()", ".size"]
            .iter()
            .any(|end| subject.ends_with(end));
    let mut judged =
        Judged { expected: Some(squeeze(expected)), subject: subject.clone(), ..Judged::default() };
    // `(got < 0) == (want < 0)` says of both on which side of something they are, and not what they are.
    let is_ordered = |text: &str| text.starts_with('(') && text.contains(['<', '>']);
    judged.strength = match sign {
        "===" | "==" | "is" if is_ordered(left.trim()) && is_ordered(right.trim()) => 2,
        "===" | "==" | "is" if expected.contains("approx(") || subject.contains("approx(") => {
            judged.tolerance = Some(tolerance(&format!("{expected}{subject}")));
            3
        }
        "===" | "==" | "is" if length => 2,
        "===" | "==" | "is" => 4,
        "!==" | "!=" | "is not" if nothing => 1,
        "<" | "<=" if subject.to_lowercase().contains("abs(") => {
            judged.tolerance = number(expected);
            3
        }
        _ => 2,
    };
    let zero = number(expected) == Some(0.0) && is_literal(expected);
    let one_of = expected
        .strip_prefix(['[', '(', '{'])
        .map(|rest| rest.trim_end_matches([']', ')', '}', ',']));
    if (sign == ">=" && zero && length) || (sign == "in" && one_of.map(squeeze) == Some(subject)) {
        judged.fault = Some(Fault::Tautology);
    }
    judged
}

/// How much two values may differ: what `approx` and its like are told.
pub(crate) fn tolerance(text: &str) -> f64 {
    let named = ["abs=", "rel=", "delta=", "atol=", "rtol=", "abs_tol=", "rel_tol="];
    let text = squeeze(text);
    let found = named.iter().filter_map(|name| text.split_once(name)).filter_map(|(_, rest)| {
        let end = rest.find([',', ')']).unwrap_or(rest.len());
        number(&rest[..end])
    });
    found.fold(0.0, f64::max)
}

/// A condition that is a call, or only a value.
fn called(text: &str) -> Judged {
    let squeezed = squeeze(text);
    let bare = squeezed.trim_start_matches('!').trim_start_matches("not ").to_owned();
    let has = |words: &[&str]| words.iter().any(|word| bare.contains(word));
    let strength = if has(&["DeepEqual(", ".equals(", "array_equal(", "isDeepStrictEqual("]) {
        4
    } else if has(&["isclose(", "allclose(", "matches!(", "is_close(", "errors.Is(", "errors.As("])
    {
        3
    } else if has(&[
        "isinstance(",
        "startswith(",
        "endswith(",
        "startsWith(",
        "endsWith(",
        "starts_with(",
        "ends_with(",
        ".contains(",
        ".includes(",
        "Contains(",
        "HasPrefix(",
        "HasSuffix(",
        ".has(",
        "contains_key(",
        ".test(",
        ".match(",
        "issubclass(",
        "hasattr(",
        "is_match(",
        "instanceof",
    ]) {
        2
    } else if has(&["all("]) && !has(&["in())", "in[])", "in[]"]) {
        3
    } else {
        1
    };
    let empty_loop = has(&["all("]) && (has(&["in())"]) || has(&["in[]"]) || has(&["all([])"]));
    let fault = empty_loop.then_some(Fault::Tautology);
    Judged { fault, ..plain(text, strength) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, strength: u8, fault: Option<Fault>) {
        let judged = condition(text);
        assert_eq!((judged.strength, judged.fault), (strength, fault), "{text}: {judged:?}");
    }

    /// K2: the order of strength.
    #[test]
    fn conditions_have_a_strength() {
        for (text, strength) in [
            ("add(2, 3) == 5", 4),
            ("a === b", 4),
            ("x is None", 4),
            ("x is not None", 1),
            ("x != nil", 1),
            ("5 in xs", 2),
            ("x", 1),
            ("not x", 1),
            ("len(x) == 3", 2),
            ("x.len() == 3", 2),
            ("isinstance(x, int)", 2),
            ("x == pytest.approx(5, abs=0.1)", 3),
            ("abs(a - b) < 1e-6", 3),
            ("x > 0", 2),
            ("a == 1 and b == 2", 4),
            ("a == 1 or b", 1),
            ("r.is_ok()", 1),
            ("s.startsWith('a')", 2),
            ("Vec::<u8>::new().is_empty()", 1),
            ("all(x == 1 for x in xs)", 3),
            ("errors.Is(err, ErrAmount)", 3),
            ("(got < 0) == (want < 0)", 2),
        ] {
            check(text, strength, None);
        }
    }

    /// K3: what can't fail.
    #[test]
    fn tautologies_are_known() {
        for text in [
            "True",
            "true",
            "1",
            "x == x",
            "add(2, 3) == add(2,3)",
            "add(2, 3) == 5 or True",
            "(x == 5, \"message\")",
            "1 == 1",
            "'a' == 'a'",
            "len(r) >= 0",
            "x in [x]",
            "all(a == b for a, b in ())",
            "\"text\"",
            "!false",
        ] {
            assert_eq!(condition(text).fault, Some(Fault::Tautology), "{text}");
        }
        for text in [
            "r1.success == true",
            "name == f\"{x}\"",
            "x == y",
            "x(1) == x(2)",
            "'a, b' == x",
            "f(a, b)",
            "x >= 0",
            "1 == x",
        ] {
            assert_eq!(condition(text).fault, None, "{text}");
        }
    }

    #[test]
    fn subject_and_expected_are_told_apart() {
        let judged = condition("5 == add( 2, 3 )");
        assert_eq!((judged.subject.as_str(), judged.expected.as_deref()), ("add(2,3)", Some("5")));
        assert_eq!(condition("x == approx(5, abs=100)").tolerance, Some(100.0));
    }
}
