//! What a failed test says, without what is another in every run.

use crate::verify::evidence::Ran;

/// What a test that failed said, with one sign for every run of letters and digits.
pub(super) fn outline(ran: &Ran, id: &str) -> Option<String> {
    let case = ran.report.case(id).filter(|case| case.outcome.is_bad())?;
    let message = case.message.as_deref().map(without_counts)?;
    let mut outline = String::new();
    for letter in message.lines().next().unwrap_or_default().chars() {
        let sign = if letter.is_alphanumeric() { 'a' } else { letter };
        if !(sign == 'a' && outline.ends_with('a')) {
            outline.push(sign);
        }
    }
    Some(outline)
}

/// Whether a test fails in two runs, and says the same in both.
pub fn said_the_same(new: &Ran, old: &Ran, id: &str) -> bool {
    let said = |ran: &Ran| {
        let case = ran.report.case(id).filter(|case| case.outcome.is_bad())?;
        let message = case.message.as_deref().filter(|message| !is_cut(message));
        message.map(without_counts).filter(|message| !message.is_empty())
    };
    said(new).is_some_and(|now| said(old) == Some(now))
}

/// Whether a message leaves out what was compared: `{ zone: 'eu', …(2) }`, or only that a recording is
/// another. Two such messages are the same whatever the code says.
fn is_cut(message: &str) -> bool {
    let lower = message.to_lowercase();
    message.contains("…(")
        || message.contains("… ")
        || lower.contains("snapshot") && lower.contains("mismatch") && !lower.contains("received")
        // A recording is of the values that it was recorded with, and no others.
        || lower.contains("tomatchsnapshot()")
}

/// A message without what is another number in every run, or wherever a test lies in a file with its
/// code: threads, times, places in memory, and lines of Rust. Whichever test panics first has a note more.
pub(super) fn without_counts(message: &str) -> String {
    let message = &without_addresses(message);
    let lines = message.lines().filter(|line| !line.contains("note: run with `RUST_BACKTRACE"));
    let message = lines.collect::<Vec<_>>().join("\n");
    let mut plain = String::new();
    let mut stands_alone = false;
    for part in message.split('(') {
        // `Ok(12)` is a value; ` (12)` is how long it took.
        let rest = part.split_once(')').filter(|(inner, _)| {
            stands_alone
                && inner.chars().all(|letter| letter.is_ascii_digit() || ".ms".contains(letter))
        });
        plain.push_str(rest.map_or(part, |(_, rest)| rest));
        stands_alone = part.ends_with(' ');
    }
    let is_place = |letter: char| letter.is_ascii_digit() || letter == ':';
    let mut pieces = plain.split(".rs:");
    let first = pieces.next().unwrap_or_default().to_owned();
    let rest = pieces.map(|piece| format!(".rs {}", piece.trim_start_matches(is_place)));
    rest.fold(first, |all, piece| all + &piece).trim().to_owned()
}

/// So many digits are a place in memory (`<Tariff object at 0x7f31c4b0a1d0>`), and not a value of a test.
const ADDRESS: usize = 7;

fn without_addresses(message: &str) -> String {
    let mut parts = message.split("0x");
    let mut plain = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let digits = part.len() - part.trim_start_matches(|c: char| c.is_ascii_hexdigit()).len();
        let rest = if digits >= ADDRESS { &part[digits..] } else { part };
        plain.push_str("0x");
        plain.push_str(rest);
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::{is_cut, without_counts};

    /// G20: a message that leaves out what was compared says nothing about the code.
    #[test]
    fn messages_that_leave_something_out() {
        assert!(is_cut("expected { zone: 'eu', …(2) } to deeply equal { zone: 'eu', …(2) }"));
        assert!(is_cut("Snapshot `label > domestic 1` mismatched"));
        assert!(is_cut("Error: expect(received).toMatchSnapshot()"));
        assert!(!is_cut("expected 390 to be 421 // Object.is equality"));
    }

    /// G20: what differs between two runs of one test says nothing about the code.
    #[test]
    fn messages_of_the_same_failure_are_the_same() {
        let one = "thread 'adds' (128) panicked at tests/a.rs:13:5:\nleft: 2\nright: 3\nnote: run with `RUST_BACKTRACE=1` environment variable to display a backtrace\n";
        let other = "thread 'adds' (7) panicked at tests/a.rs:14:9:\nleft: 2\nright: 3";
        assert_eq!(without_counts(one), without_counts(other));
        let one = "assert 90 == 150\n where 90 = <Tariff object at 0x7f31c4b0a1d0>.dues('10')";
        let other = "assert 90 == 150\n where 90 = <Tariff object at 0x7f9a02b0e990>.dues('10')";
        assert_eq!(without_counts(one), without_counts(other));
        assert_ne!(without_counts("got 0xff"), without_counts("got 0xfe"), "values stay");
        assert_ne!(without_counts(one), without_counts("left: 2\nright: 4"));
        assert_ne!(without_counts("left: Ok(12)"), without_counts("left: Ok(13)"));
    }
}
