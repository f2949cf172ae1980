//! The lines of vitest, one at a time.

use countersign_domain::qa::{Outcome, Totals};

use crate::reports::words::{INSIDE, counts, duration, number, whole_number};

#[derive(Debug, PartialEq)]
pub(super) enum Said<'a> {
    Nothing,
    /// ` RUN  v4.1.12 /repo`
    Begin,
    /// ` ✓ a.test.js (5 tests | 1 skipped) 3ms`
    File {
        outcome: Outcome,
        id: &'a str,
        counted: Totals,
    },
    /// ` ✓ a.test.js > group > test 3ms (retry x1)`
    Test {
        outcome: Outcome,
        id: &'a str,
        retries: usize,
    },
    /// `   ✓ test 3ms`, below its file
    Inner {
        outcome: Outcome,
        name: &'a str,
        retries: usize,
    },
    Dots(Totals),
    /// `⎯⎯ Failed Suites 2 ⎯⎯`
    Suites,
    FailedTests,
    /// ` FAIL  a.test.js > test`
    Failed(&'a str),
    /// ` Test Files  1 failed | 1 passed (2)`
    Files(Sum),
    /// `      Tests  2 failed | 9 passed (11)`
    Tests(Sum),
    /// `     Errors  1 error`
    Errors(u64),
    NoTests,
    /// `   Duration  312ms`
    End,
}

#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(super) struct Sum {
    pub(super) totals: Totals,
    pub(super) total: u64,
}

pub(super) fn read(line: &str) -> Said<'_> {
    if line.starts_with(" RUN  v") {
        return Said::Begin;
    }
    if let Some(id) = line.strip_prefix(" FAIL  ") {
        return Said::Failed(id);
    }
    if line.starts_with('⎯') {
        return match line.trim_matches(['⎯', ' ']) {
            title if title.starts_with("Failed Suites ") => Said::Suites,
            title if title.starts_with("Failed Tests ") => Said::FailedTests,
            _ => Said::Nothing,
        };
    }
    if line.starts_with("No test files found, exiting with code ") {
        return Said::NoTests;
    }
    let trimmed = line.trim_start();
    if let Some(rest) = trimmed.strip_prefix("Test Files  ") {
        return sum(rest).map_or(Said::Nothing, Said::Files);
    }
    if let Some(rest) = trimmed.strip_prefix("Tests  ") {
        return sum(rest).map_or(Said::Nothing, Said::Tests);
    }
    if let Some(rest) = trimmed.strip_prefix("Errors  ") {
        let count = number(rest).filter(|(_, rest)| matches!(*rest, " error" | " errors"));
        return count.map_or(Said::Nothing, |(count, _)| Said::Errors(count));
    }
    if let Some(rest) = trimmed.strip_prefix("Duration  ") {
        let time = rest.split(' ').next().unwrap_or_default();
        return duration(time).map_or(Said::Nothing, |_| Said::End);
    }
    marked(line).or_else(|| dots(line).map(Said::Dots)).unwrap_or(Said::Nothing)
}

/// `1 failed | 1 passed (2)`
fn sum(text: &str) -> Option<Sum> {
    if text == "no tests" {
        return Some(Sum::default());
    }
    let (list, total) = text.strip_suffix(')')?.rsplit_once(" (")?;
    let totals = counted(list)?;
    Some(Sum { totals, total: whole_number(total)? })
}

fn counted(list: &str) -> Option<Totals> {
    let mut totals = Totals::default();
    for (count, what) in counts(list, " | ")? {
        let outcome = match what {
            // A test that is to fail and does is one that passed.
            "passed" | "expected fail" => Outcome::Passed,
            "failed" => Outcome::Failed,
            "skipped" | "todo" => Outcome::Skipped,
            _ => return None,
        };
        let total = totals.of_mut(outcome);
        *total = total.saturating_add(count);
    }
    Some(totals)
}

/// A line with a mark: a file, or a test.
fn marked(line: &str) -> Option<Said<'_>> {
    let text = line.strip_prefix(' ')?;
    let inner = text.trim_start();
    let (mark, rest) = inner.split_once(' ')?;
    let outcome = match mark {
        "✓" | "√" => Outcome::Passed,
        "×" | "✗" | "❯" => Outcome::Failed,
        "↓" | "□" => Outcome::Skipped,
        "·" => Outcome::Unknown,
        _ => return None,
    };
    if inner.len() < text.len() {
        // Groups have no time, and the number of their tests.
        let is_group = rest.strip_suffix(')').and_then(|rest| rest.rsplit_once(" ("));
        let is_group = is_group.is_some_and(|(_, count)| whole_number(count).is_some());
        let is_test = mark != "❯" && !(is_group && mark == "✓");
        let (name, retries) = test(rest);
        return is_test.then_some(Said::Inner { outcome, name, retries });
    }
    if let Some((id, counted)) = file(rest.trim_start()) {
        return Some(Said::File { outcome, id, counted });
    }
    let (id, retries) = test(rest);
    let is_test = id.contains(INSIDE) && mark != "❯" && mark != "·";
    is_test.then_some(Said::Test { outcome, id, retries })
}

/// `a.test.js (5 tests | 1 failed | 1 skipped) 3ms`
fn file(text: &str) -> Option<(&str, Totals)> {
    let (id, rest) = text.rsplit_once(" (")?;
    let (list, time) = rest.split_once(')')?;
    if !time.is_empty() {
        duration(time.trim_start())?;
    }
    let (first, others) =
        list.split_once(" | ").map_or((list, None), |(one, two)| (one, Some(two)));
    let (all, what) = number(first)?;
    if !matches!(what, " test" | " tests") {
        return None;
    }
    let mut totals = others.map_or(Some(Totals::default()), counted)?;
    totals.passed = all.saturating_sub(totals.bad()).saturating_sub(totals.skipped);
    Some((id.trim_end(), totals))
}

/// The name without its time and how often it was tried again.
fn test(text: &str) -> (&str, usize) {
    let tried = text.strip_suffix(')').and_then(|rest| rest.rsplit_once(" (retry x"));
    let retries = tried.and_then(|(_, count)| count.parse().ok());
    let text = if retries.is_some() { tried.map_or(text, |(name, _)| name) } else { text };
    let timed = text.rsplit_once(' ').filter(|(_, time)| duration(time).is_some());
    (timed.map_or(text, |(name, _)| name), retries.unwrap_or(0))
}

/// `··x--x···`
fn dots(line: &str) -> Option<Totals> {
    let outcome = |letter| match letter {
        '·' => Some(Outcome::Passed),
        'x' => Some(Outcome::Failed),
        '-' => Some(Outcome::Skipped),
        _ => None,
    };
    let outcomes: Option<Vec<Outcome>> = line.chars().map(outcome).collect();
    outcomes.filter(|all| !all.is_empty() && line.contains(['·', 'x'])).map(Totals::of)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(line: &str, expected: &Said<'_>) {
        assert_eq!(&read(line), expected, "{line}");
    }

    /// CX-12: the lines of vitest, and lines that only look like them.
    #[test]
    fn files_and_tests() {
        use Outcome::{Failed, Passed, Skipped};
        let counted = Totals { passed: 4, skipped: 1, ..Totals::default() };
        check(
            " ✓ a.test.js (5 tests | 1 skipped) 3ms",
            &Said::File { outcome: Passed, id: "a.test.js", counted },
        );
        check(
            " ✓ a.test.js  (5 tests | 1 skipped) 3ms",
            &Said::File { outcome: Passed, id: "a.test.js", counted },
        );
        let counted = Totals { passed: 0, failed: 1, ..Totals::default() };
        check(
            " ❯ a.test.js (1 test | 1 failed) 3ms",
            &Said::File { outcome: Failed, id: "a.test.js", counted },
        );
        check(
            " ❯ a.test.js (0 test)",
            &Said::File { outcome: Failed, id: "a.test.js", counted: Totals::default() },
        );
        check(
            " ✓ a.js > b > c 3ms",
            &Said::Test { outcome: Passed, id: "a.js > b > c", retries: 0 },
        );
        check(
            " ✓ a.js > b 3ms (retry x2)",
            &Said::Test { outcome: Passed, id: "a.js > b", retries: 2 },
        );
        check(" × a.js > b", &Said::Test { outcome: Failed, id: "a.js > b", retries: 0 });
        check(" ↓ a.js > b", &Said::Test { outcome: Skipped, id: "a.js > b", retries: 0 });
        check("   ✓ adds 3ms", &Said::Inner { outcome: Passed, name: "adds", retries: 0 });
        check("     · adds", &Said::Inner { outcome: Outcome::Unknown, name: "adds", retries: 0 });
        check("   ✓ group (2)", &Said::Nothing);
        check("   ❯ group (2)", &Said::Nothing);
        check("✓ a.js > b", &Said::Nothing);
        check(" ✓ adds 3ms", &Said::Nothing);
        check(" ❯ a.test.js:13:23", &Said::Nothing);
        check(
            "··x-",
            &Said::Dots(Totals { passed: 2, failed: 1, skipped: 1, ..Totals::default() }),
        );
        check("----", &Said::Nothing);
    }

    #[test]
    fn sums() {
        let totals = Totals { passed: 9, failed: 2, skipped: 2, ..Totals::default() };
        check(
            "      Tests  2 failed | 8 passed | 1 expected fail | 1 skipped | 1 todo (13)",
            &Said::Tests(Sum { totals, total: 13 }),
        );
        let totals = Totals { passed: 2, ..Totals::default() };
        check(" Test Files  2 passed (2)", &Said::Files(Sum { totals, total: 2 }));
        check("      Tests  no tests", &Said::Tests(Sum::default()));
        check("     Errors  1 error", &Said::Errors(1));
        check("   Duration  312ms (transform 3ms)", &Said::End);
        check("   Duration  long", &Said::Nothing);
        check("      Tests  2 failed | 8 pas", &Said::Nothing);
        check("      Tests  2 failed | 8 passed", &Said::Nothing);
    }
}
