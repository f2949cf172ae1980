//! The lines of jest, one at a time.

use countersign_domain::qa::{Outcome, Totals};

use crate::reports::words::{counts, is_script, number, timed, whole_number};

#[derive(Debug, PartialEq)]
pub(super) enum Said<'a> {
    Nothing,
    /// `PASS src/a.test.js (5.1 s)`
    File {
        has_passed: bool,
        id: &'a str,
    },
    /// `  ● group › test`
    Block(&'a str),
    /// `Test Suites: 1 failed, 1 passed, 2 total`
    Suites(Sum),
    /// `Tests:       2 failed, 9 passed, 11 total`
    Tests(Sum),
    /// `Time:        0.5 s`, which ends the summary.
    Time,
    /// `Ran all test suites.`, which is left out with `--silent`.
    End,
    NoTests,
    /// `process.exit called with "0"`
    Exited,
}

#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(super) struct Sum {
    pub(super) totals: Totals,
    /// How many of them were run, if it says so, and how many there are.
    pub(super) run: u64,
    pub(super) total: u64,
}

pub(super) fn read(line: &str) -> Said<'_> {
    // In colours the word has room around it.
    let bare = line.strip_prefix(' ').unwrap_or(line);
    if let Some(rest) = bare.strip_prefix("PASS ") {
        return file(rest, true);
    }
    if let Some(rest) = bare.strip_prefix("FAIL ") {
        return file(rest, false);
    }
    if let Some(title) = line.strip_prefix("  ● ") {
        if title.starts_with(" process.exit called with") {
            return Said::Exited;
        }
        return if title == "Console" { Said::Nothing } else { Said::Block(title) };
    }
    if let Some(rest) = line.strip_prefix("Test Suites: ") {
        return sum(rest).map_or(Said::Nothing, Said::Suites);
    }
    if let Some(rest) = line.strip_prefix("Tests: ") {
        return sum(rest).map_or(Said::Nothing, Said::Tests);
    }
    if line
        .strip_prefix("Time: ")
        .is_some_and(|time| time.trim_start().starts_with(|c: char| c.is_ascii_digit()))
    {
        return Said::Time;
    }
    if line.starts_with("Ran all test suites") {
        return Said::End;
    }
    if line.starts_with("No tests found, exiting with code ") {
        return Said::NoTests;
    }
    Said::Nothing
}

/// `src/a.test.js (5.1 s)`. A project's name may stand before the file.
fn file(text: &str, has_passed: bool) -> Said<'_> {
    let (id, _) = timed(text.trim());
    let id = id.trim().trim_start_matches("./");
    let last = id.rsplit(' ').next().unwrap_or(id);
    let is_file = is_script(last) || last.contains('/') || last.contains('.');
    if is_file { Said::File { has_passed, id } } else { Said::Nothing }
}

/// `1 failed, 1 skipped, 1 of 3 total`
fn sum(text: &str) -> Option<Sum> {
    let mut sum = Sum::default();
    let (rest, last) = match text.trim_start().rsplit_once(", ") {
        Some((rest, last)) => (Some(rest), last),
        None => (None, text.trim_start()),
    };
    let (first, tail) = number(last)?;
    (sum.run, sum.total) = match tail {
        " total" => (first, first),
        _ => (first, whole_number(tail.strip_prefix(" of ")?.strip_suffix(" total")?)?),
    };
    for (count, what) in rest.map_or(Some(Vec::new()), |rest| counts(rest, ", "))? {
        let outcome = match what {
            "passed" => Outcome::Passed,
            "failed" => Outcome::Failed,
            "skipped" | "todo" | "pending" => Outcome::Skipped,
            _ => return None,
        };
        let total = sum.totals.of_mut(outcome);
        *total = total.saturating_add(count);
    }
    Some(sum)
}

/// `✓ adds (2 ms)`
pub(super) fn test(text: &str) -> Option<(Outcome, &str, Option<u64>)> {
    let (mark, rest) = text.split_once(' ')?;
    let (name, time) = timed(rest);
    match mark {
        "✓" | "√" => Some((Outcome::Passed, name, time)),
        "✕" | "×" => Some((Outcome::Failed, name, time)),
        "○" => Some((Outcome::Skipped, rest.strip_prefix("skipped ").unwrap_or(rest), None)),
        "✎" => Some((Outcome::Skipped, rest.strip_prefix("todo ").unwrap_or(rest), None)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// CX-12: the lines of jest, and lines that only look like them.
    #[test]
    fn lines_of_jest() {
        let check = |line: &str, expected: Said<'_>| assert_eq!(read(line), expected, "{line}");
        check("PASS ./a.test.js", Said::File { has_passed: true, id: "a.test.js" });
        check(
            "FAIL src/a.test.ts (5.123 s)",
            Said::File { has_passed: false, id: "src/a.test.ts" },
        );
        check("PASS web src/a.test.ts", Said::File { has_passed: true, id: "web src/a.test.ts" });
        check("PASS everything", Said::Nothing);
        check(" PASS  ./a.test.js", Said::File { has_passed: true, id: "a.test.js" });
        check("  PASS a.test.js", Said::Nothing);
        check("Time:        0.5 s, estimated 1 s", Said::Time);
        check("  ● math › fails", Said::Block("math › fails"));
        check("  ● Console", Said::Nothing);
        check("Ran all test suites matching /a/i.", Said::End);
        check("No tests found, exiting with code 1", Said::NoTests);
        let totals = Totals { passed: 9, failed: 2, skipped: 2, ..Totals::default() };
        check(
            "Tests:       2 failed, 1 skipped, 1 todo, 9 passed, 13 total",
            Said::Tests(Sum { totals, run: 13, total: 13 }),
        );
        let totals = Totals { failed: 1, ..Totals::default() };
        check(
            "Test Suites: 1 failed, 1 of 2 total",
            Said::Suites(Sum { totals, run: 1, total: 2 }),
        );
        check("Tests:       0 total", Said::Tests(Sum::default()));
        check("Tests:       2 failed, 9 pas", Said::Nothing);
        check("Tests:       2 failed, 9 passed", Said::Nothing);
        check("Tests:       nearly all of 13 total", Said::Nothing);
    }

    #[test]
    fn marks() {
        assert_eq!(test("✓ adds (2 ms)"), Some((Outcome::Passed, "adds", Some(2))));
        assert_eq!(test("✕ adds"), Some((Outcome::Failed, "adds", None)));
        assert_eq!(test("○ skipped adds"), Some((Outcome::Skipped, "adds", None)));
        assert_eq!(test("✎ todo adds"), Some((Outcome::Skipped, "adds", None)));
        assert_eq!(test("adds (2 ms)"), None);
    }
}
