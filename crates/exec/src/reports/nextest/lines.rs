//! The lines of nextest, one at a time.

use countersign_domain::qa::{Outcome, Totals};

use crate::reports::words::{counts, duration, number};

#[derive(Debug, PartialEq)]
pub(super) enum Said<'a> {
    Nothing,
    /// `Nextest run ID …`
    Header,
    /// `Starting 7 tests across 2 binaries`
    Begin(u64),
    Test {
        status: Status,
        id: &'a str,
        duration_ms: Option<u64>,
    },
    /// The last test passed on a later attempt, which is to count as a failure.
    FailedIfFlaky,
    /// One round of a stress test.
    Iteration(Totals),
    /// How many of how many were run; a stress test claims nothing here.
    Summary {
        run: u64,
        of: u64,
        claimed: Option<Totals>,
    },
    Stopped(String),
    /// Nextest or cargo gave up.
    Broken(String),
}

/// What stands before the time of a test.
#[derive(Debug, PartialEq)]
pub(super) struct Status {
    pub(super) outcome: Outcome,
    pub(super) is_flaky_failure: bool,
    /// What it is besides a failure.
    pub(super) words: Option<String>,
}

/// Where the time of a test begins: what stands before it is flush right.
const COLUMN: usize = 12;

pub(super) fn read(line: &str) -> Said<'_> {
    if let Some(what) = line.strip_prefix("error: ") {
        return Said::Broken(what.to_owned());
    }
    let Some(rest) = line.strip_prefix(' ') else { return Said::Nothing };
    let trimmed = rest.trim_start();
    if trimmed.starts_with("Nextest run ID ") {
        return Said::Header;
    }
    if let Some(rest) = line.strip_prefix("    Starting ") {
        return begin(rest).map_or(Said::Nothing, Said::Begin);
    }
    if line.starts_with("  Cancelling due to ") || line.starts_with("   Canceling due to ") {
        return Said::Stopped(trimmed.to_owned());
    }
    if trimmed == "- test configured to fail if flaky" {
        return Said::FailedIfFlaky;
    }
    if let Some(rest) = line.strip_prefix(" Stress test [") {
        return iteration(rest).map_or(Said::Nothing, Said::Iteration);
    }
    test(line).unwrap_or(Said::Nothing)
}

fn begin(text: &str) -> Option<u64> {
    let (count, rest) = number(text)?;
    (rest.starts_with(" test across ") || rest.starts_with(" tests across ")).then_some(count)
}

/// `   0.12s] iteration 1/2: 3 tests run: 3 passed, 0 skipped`
fn iteration(text: &str) -> Option<Totals> {
    let (_, counts) = text.split_once("] iteration ")?.1.split_once(": ")?;
    summed(counts).map(|(_, _, totals)| totals)
}

/// `        PASS [   0.005s] (3/7) package::binary name`, and the summary, which looks alike.
fn test(line: &str) -> Option<Said<'_>> {
    let (status, rest) = line.split_once(" [")?;
    // Statuses that don't fit stick out to the left.
    if status.chars().count() < COLUMN {
        return None;
    }
    let (time, rest) = rest.split_once("] ")?;
    let status = status.trim_start();
    if status == "Summary" {
        return summary(rest);
    }
    let status = status_of(status)?;
    let duration_ms = duration(time.trim_start_matches(['>', ' ']));
    if duration_ms.is_none() && !time.trim().is_empty() {
        return None;
    }
    let id = counted(rest);
    // A test has a binary and a name.
    id.contains(' ').then_some(Said::Test { status, id, duration_ms })
}

/// Without `(3/7)`, and without `[1/2]` of a stress test.
fn counted(text: &str) -> &str {
    let mut text = text;
    for (open, close) in [('(', ") "), ('[', "] ")] {
        let inside = text.strip_prefix(open).and_then(|rest| rest.split_once(close));
        let is_count = |count: &str| {
            count.chars().all(|letter| letter.is_ascii_digit() || "/ ─".contains(letter))
        };
        text = inside.filter(|(count, _)| is_count(count)).map_or(text, |(_, rest)| rest);
    }
    text
}

fn status_of(text: &str) -> Option<Status> {
    let word = match text.strip_prefix("TRY ") {
        Some(rest) => number(rest)?.1.trim_start(),
        None => text,
    };
    let (outcome, words) = match word.split(' ').next().unwrap_or_default() {
        "PASS" | "LEAK" | "FLAKY" | "FLKY-FL" => (Outcome::Passed, None),
        "FAIL" => (Outcome::Failed, None),
        "SKIP" => (Outcome::Skipped, None),
        "TIMEOUT" | "TMT" => (Outcome::Failed, Some("it took too long".to_owned())),
        "LEAK-FAIL" | "LKFAIL" | "LK-FAIL" => {
            (Outcome::Failed, Some("it left processes behind".to_owned()))
        }
        "XFAIL" => (Outcome::Errored, Some("it could not be started".to_owned())),
        "ABORT" => (Outcome::Failed, Some("aborted".to_owned())),
        word if word.len() > 3 && word.starts_with("SIG") => {
            (Outcome::Failed, Some(format!("ended by {word}")))
        }
        _ => return None,
    };
    Some(Status { outcome, is_flaky_failure: word.starts_with("FLKY-FL"), words })
}

/// `7 tests run: 4 passed (1 flaky), 3 failed, 2 skipped`, or `2/2 stress run iterations: …`
fn summary(text: &str) -> Option<Said<'static>> {
    let (run, rest) = number(text)?;
    let (of, rest) = match rest.strip_prefix('/') {
        Some(rest) => number(rest)?,
        None => (run, rest),
    };
    if let Some(rest) = rest.strip_prefix(" stress run iteration") {
        counts(rest.split_once(": ")?.1, ", ")?;
        return Some(Said::Summary { run, of, claimed: None });
    }
    let (_, _, totals) = summed(text)?;
    Some(Said::Summary { run, of, claimed: Some(totals) })
}

/// `7 tests run: 4 passed (1 flaky, 1 slow), 3 failed, 2 skipped`
fn summed(text: &str) -> Option<(u64, u64, Totals)> {
    let (run, rest) = number(text)?;
    let (of, rest) = match rest.strip_prefix('/') {
        Some(rest) => number(rest)?,
        None => (run, rest),
    };
    let list = rest.strip_prefix(" tests run: ").or_else(|| rest.strip_prefix(" test run: "))?;
    let mut totals = Totals::default();
    let mut has_skipped = false;
    for (count, what) in counts(&without_brackets(list), ", ")? {
        match what {
            "passed" => totals.passed = count,
            "failed" | "timed out" => totals.failed = totals.failed.saturating_add(count),
            "exec failed" => totals.errored = count,
            "skipped" => (totals.skipped, has_skipped) = (count, true),
            _ => return None,
        }
    }
    // It always stands last: without it, the line was cut.
    (has_skipped && list.ends_with("skipped")).then_some((run, of, totals))
}

fn without_brackets(text: &str) -> String {
    let mut kept = String::new();
    let mut rest = text;
    while let Some((before, inside)) = rest.split_once(" (") {
        kept.push_str(before);
        rest = inside.split_once(')').map_or("", |(_, after)| after);
    }
    kept + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check_test(line: &str, expected: Option<(Outcome, &str)>) {
        let found = match read(line) {
            Said::Test { status, id, .. } => Some((status.outcome, id)),
            Said::Nothing => None,
            other => panic!("{other:?}"),
        };
        assert_eq!(found, expected, "{line}");
    }

    /// CX-12: the lines of nextest, and lines that only look like them.
    #[test]
    fn tests() {
        use Outcome::{Errored, Failed, Passed, Skipped};
        check_test("        PASS [   0.005s] a::b c::d", Some((Passed, "a::b c::d")));
        check_test("        PASS [   0.005s] (  1/12) a::b c::d", Some((Passed, "a::b c::d")));
        check_test("        PASS [   0.005s] [1/2] a::b c::d", Some((Passed, "a::b c::d")));
        check_test("  TRY 1 FAIL [   0.005s] (───) a b", Some((Failed, "a b")));
        check_test("  TRY 2 PASS [   0.005s] a b", Some((Passed, "a b")));
        check_test("  TRY 12 FAIL [   0.005s] a b", Some((Failed, "a b")));
        check_test("   FLAKY 2/3 [   0.005s] a b", Some((Passed, "a b")));
        check_test("        SKIP [         ] a b", Some((Skipped, "a b")));
        check_test("     SIGABRT [   0.005s] a b", Some((Failed, "a b")));
        check_test("     TIMEOUT [   0.005s] a b", Some((Failed, "a b")));
        check_test("       XFAIL [   0.005s] a b", Some((Errored, "a b")));
        check_test("        SLOW [>  1.000s] a b", None);
        check_test("       START [         ] a b", None);
        check_test("PASS [   0.005s] a b", None);
        check_test("    PASS [0.005s] a b", None);
        check_test("        PASS [ today ] a b", None);
        check_test("        PASS [   0.005s] a", None);
    }

    #[test]
    fn summaries() {
        let check = |line: &str, expected: Option<(u64, u64, &str)>| {
            let found = match read(line) {
                Said::Summary { run, of, claimed: Some(totals) } => {
                    Some((run, of, totals.to_string()))
                }
                _ => None,
            };
            let expected = expected.map(|(run, of, said)| (run, of, said.to_owned()));
            assert_eq!(found, expected, "{line}");
        };
        let start = "     Summary [   0.120s] ";
        check(
            &format!("{start}7 tests run: 4 passed, 3 failed, 2 skipped"),
            Some((7, 7, "4 passed, 3 failed, 2 skipped")),
        );
        check(
            &format!("{start}1 test run: 1 passed (1 slow, 1 flaky), 0 skipped"),
            Some((1, 1, "1 passed")),
        );
        check(
            &format!("{start}2/7 tests run: 1 passed, 1 timed out, 0 skipped"),
            Some((2, 7, "1 passed, 1 failed")),
        );
        check(&format!("{start}7 tests run: 4 passed, 3 fa"), None);
        check(&format!("{start}7 tests run: 4 passed"), None);
        check("Summary [   0.120s] 7 tests run: 7 passed, 0 skipped", None);
    }
}
