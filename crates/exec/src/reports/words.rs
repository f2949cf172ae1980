//! Small things that all readers do with words and numbers.

use super::text::undisguised;

/// The number at the beginning, and what follows it.
pub(super) fn number(text: &str) -> Option<(u64, &str)> {
    let end = text.find(|letter: char| !letter.is_ascii_digit()).unwrap_or(text.len());
    Some((text[..end].parse().ok()?, &text[end..]))
}

/// A whole text that is a number.
pub(super) fn whole_number(text: &str) -> Option<u64> {
    number(text).filter(|(_, rest)| rest.is_empty()).map(|(number, _)| number)
}

/// `3 passed, 1 failed` or `3 passed | 1 failed`: every part a number and what it counts.
pub(super) fn counts<'a>(text: &'a str, separator: &str) -> Option<Vec<(u64, &'a str)>> {
    text.split(separator)
        .map(|part| {
            let (count, what) = number(part.trim())?;
            Some((count, what.strip_prefix(' ')?)).filter(|(_, what)| !what.is_empty())
        })
        .collect()
}

/// `0.12s`, `3ms`, `3 ms`, `1.2 s` or `244.7us` in milliseconds.
pub(super) fn duration(text: &str) -> Option<u64> {
    let end = text.find(|letter: char| !(letter.is_ascii_digit() || letter == '.'))?;
    let amount: f64 = text[..end].parse().ok()?;
    let factor = match text[end..].trim_start() {
        "s" => 1000.0,
        "ms" => 1.0,
        "us" | "µs" => 0.001,
        "m" => 60_000.0,
        _ => return None,
    };
    milliseconds(amount * factor)
}

/// Seconds as a runner writes them, in milliseconds.
pub(super) fn seconds(amount: f64) -> Option<u64> {
    milliseconds(amount * 1000.0)
}

pub(super) fn milliseconds(amount: f64) -> Option<u64> {
    let is_sensible = amount.is_finite() && (0.0..1e15).contains(&amount);
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "checked above")]
    is_sensible.then_some(amount.round() as u64)
}

/// `name (12 ms)`: the name and the time, if there is one.
pub(super) fn timed(text: &str) -> (&str, Option<u64>) {
    let found = text.strip_suffix(')').and_then(|text| {
        let (name, time) = text.rsplit_once(" (")?;
        Some((name, duration(time)?))
    });
    found.map_or((text, None), |(name, time)| (name, Some(time)))
}

/// What stands between runs of one letter: `==== 3 passed ====`.
pub(super) fn framed(text: &str, letter: char) -> Option<&str> {
    let inside = text.trim_start_matches(letter);
    let (before, inside) = (text.len() - inside.len(), inside.strip_prefix(' ')?);
    let bare = inside.trim_end_matches(letter);
    let after = inside.len() - bare.len();
    (before >= 1 && after >= 1).then(|| bare.trim_end())
}

/// Whether a text could be the name of a file of JavaScript or TypeScript.
pub(super) fn is_script(name: &str) -> bool {
    let seen = undisguised(name);
    let name = seen.as_deref().unwrap_or(name);
    let ends = [".js", ".mjs", ".cjs", ".ts", ".mts", ".cts", ".jsx", ".tsx"];
    ends.iter().any(|end| name.ends_with(end))
}

/// Names one inside the other, as the readers write them.
pub(super) const INSIDE: &str = " > ";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_times() {
        assert_eq!(number("12 passed"), Some((12, " passed")));
        assert_eq!(number("passed"), None);
        assert_eq!(number("99999999999999999999 passed"), None);
        assert_eq!(whole_number("12"), Some(12));
        assert_eq!(whole_number("12 "), None);
        let check = |text: &str, expected: Option<u64>| assert_eq!(duration(text), expected);
        check("0.12s", Some(120));
        check("3 ms", Some(3));
        check("3ms", Some(3));
        check("244.7us", Some(0));
        check("3", None);
        check("1.2.3s", None);
        check("99999999999999999999999s", None);
        assert_eq!(timed("adds (3 ms)"), ("adds", Some(3)));
        assert_eq!(timed("adds (3)"), ("adds (3)", None));
        assert_eq!(milliseconds(f64::NAN), None);
    }

    #[test]
    fn counts_are_all_or_nothing() {
        assert_eq!(counts("1 failed, 2 passed", ", "), Some(vec![(1, "failed"), (2, "passed")]));
        assert_eq!(counts("1 failed | 2 passed", " | "), Some(vec![(1, "failed"), (2, "passed")]));
        assert_eq!(counts("1 failed, passed", ", "), None);
        assert_eq!(counts("1", ", "), None);
        assert_eq!(counts("", ", "), None);
    }

    #[test]
    fn frames() {
        assert_eq!(framed("==== 3 passed ====", '='), Some("3 passed"));
        assert_eq!(framed("==== 3 passed =", '='), Some("3 passed"));
        assert_eq!(framed("==== 3 passed", '='), None);
        assert_eq!(framed("= 3 passed =", '='), Some("3 passed"));
        assert_eq!(framed(" 3 passed =", '='), None);
        assert_eq!(framed("=====", '='), None);
    }
}
