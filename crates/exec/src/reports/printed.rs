//! What a runner prints at its end for people, where its report is a file.
//!
//! Code under test can write the file anew, in the very process that wrote it. What was printed has
//! left that process by then.

use std::collections::BTreeSet;
use std::io::{self, BufRead};

use countersign_domain::project::Runner;
use countersign_domain::qa::{Doubt, DoubtKind, Report, Totals};

use super::text::each_line;

/// Puts into `report` what `runner` printed, and whether that is another account of the same run.
pub fn compare(report: &mut Report, runner: Runner, output: impl BufRead) -> io::Result<()> {
    let (printed, parts) = printed(runner, output)?;
    report.printed = printed;
    if is_explained(report, &parts) {
        report.doubts.retain(|doubt| doubt.kind != DoubtKind::Surplus);
    }
    let told = contradictions(report, runner);
    // A command may call its runner more than once; the report is of one of these runs.
    if told.len() == report.printed.len()
        && let Some(words) = told.into_iter().next_back()
    {
        report.doubts.push(Doubt { kind: DoubtKind::Rewritten, line: None, words });
    }
    Ok(())
}

/// Whether the parts of tests that the runner printed are all that it counts and does not list: pytest counts
/// each subtest as a test, and lists only those that failed. Of several summaries nobody knows which is its own.
fn is_explained(report: &Report, parts: &[u64]) -> bool {
    let ([said], [parts]) = (&report.printed[..], parts) else { return false };
    let claimed = report.claimed.unwrap_or_default();
    let all = said.all();
    all == report.count().all() && all.checked_add(*parts) == Some(claimed.all())
}

/// For each summary that is not the report's, how it differs.
fn contradictions(report: &Report, runner: Runner) -> Vec<String> {
    let counted = report.count();
    let claimed = report.claimed.unwrap_or_default();
    let (bad, all) = (counted.bad().max(claimed.bad()), counted.all().max(claimed.all()));
    // Node counts a test that others stand in, and its report doesn't.
    let is_exact = runner != Runner::NodeTest;
    let differs = |said: &&Totals| {
        let hides = said.bad() > 0 && bad == 0 || is_exact && said.bad() > bad;
        let adds = counted.passed > said.passed;
        // What breaks while a test is cleaned up is counted beside the test.
        let drops = is_exact && said.bad() == 0 && all < said.all();
        hides || adds || drops
    };
    let words = |said: &Totals| format!("the runner printed {said}, and its report has {counted}");
    report.printed.iter().filter(differs).map(words).collect()
}

/// Every summary that `runner` printed, in order, and how many parts of tests passed by each of pytest's.
fn printed(runner: Runner, output: impl BufRead) -> io::Result<(Vec<Totals>, Vec<u64>)> {
    let (found, parts) = (Vec::new(), Vec::new());
    let mut reader = Reader { runner, found, parts, heads: BTreeSet::new(), open: None };
    each_line(output, |line| reader.take(line.text))?;
    Ok((reader.found, reader.parts))
}

struct Reader {
    runner: Runner,
    found: Vec<Totals>,
    /// Pytest's subtests that passed, for each summary.
    parts: Vec<u64>,
    /// Python's own: what failed, told before it is counted.
    heads: BTreeSet<String>,
    /// Node's own: one line for each number.
    open: Option<Totals>,
}

impl Reader {
    fn take(&mut self, line: &str) {
        match self.runner {
            Runner::Pytest => {
                if let Some((totals, parts)) = pytest(line) {
                    self.found.push(totals);
                    self.parts.push(parts);
                }
            }
            Runner::Jest => self.found.extend(jest(line)),
            Runner::Vitest => self.found.extend(vitest(line)),
            Runner::Unittest => self.unittest(line),
            Runner::NodeTest => self.node(line),
            _ => {}
        }
    }

    /// `FAIL: test_a (tests.A.test_a)`, then `Ran 3 tests in 0.001s`. Parts of one test that fail are
    /// told one by one; what is set up for a class is no test.
    fn unittest(&mut self, line: &str) {
        let around = ["setUpClass", "tearDownClass", "setUpModule", "tearDownModule"];
        if let Some(rest) = line.strip_prefix("FAIL: ").or_else(|| line.strip_prefix("ERROR: ")) {
            if !around.iter().any(|name| rest.starts_with(name)) {
                let words: Vec<&str> = rest.split_whitespace().take(2).collect();
                self.heads.insert(words.join(" "));
            }
            return;
        }
        let ran = line.strip_prefix("Ran ").and_then(|rest| rest.split_once(" test"));
        let Some((count, _)) = ran.filter(|(_, rest)| rest.contains(" in ")) else { return };
        let Ok(all) = count.parse::<u64>() else { return };
        let failed = std::mem::take(&mut self.heads).len() as u64;
        let passed = all.saturating_sub(failed);
        self.found.push(Totals { passed, failed, ..Totals::default() });
    }

    /// `ℹ pass 3`, `ℹ fail 1` and so on, one below the other.
    fn node(&mut self, line: &str) {
        let Some(rest) = line.strip_prefix("ℹ ").or_else(|| line.strip_prefix("# ")) else {
            return;
        };
        let Some((word, count)) = rest.split_once(' ') else { return };
        let Ok(count) = count.trim().parse::<u64>() else { return };
        if word == "tests" {
            self.open = Some(Totals::default());
        }
        let Some(open) = self.open.as_mut() else { return };
        match word {
            "pass" => open.passed = count,
            "fail" | "cancelled" => open.failed = open.failed.saturating_add(count),
            "skipped" => open.skipped = count,
            "todo" => {
                open.skipped = open.skipped.saturating_add(count);
                self.found.extend(self.open.take());
            }
            _ => {}
        }
    }
}

/// Adds `3 failed` or `1 skipped`; false if it is neither a count nor a known word.
fn add(totals: &mut Totals, part: &str) -> bool {
    let mut words = part.split_whitespace();
    let count = words.next().and_then(|word| word.parse::<u64>().ok());
    let (Some(count), Some(word)) = (count, words.next()) else { return false };
    let place = match word {
        "passed" | "xpassed" => &mut totals.passed,
        "failed" => &mut totals.failed,
        "error" | "errors" => &mut totals.errored,
        "skipped" | "xfailed" | "todo" => &mut totals.skipped,
        // Warnings, tests that were not chosen, repetitions.
        _ => return true,
    };
    *place = place.saturating_add(count);
    true
}

/// `=== 1 failed, 2 passed, 3 subtests passed in 0.03s ===`, also without the signs around it: the tests, and
/// how many of their parts passed.
fn pytest(line: &str) -> Option<(Totals, u64)> {
    let text = line.trim().trim_matches('=').trim();
    let (counts, time) = text.rsplit_once(" in ")?;
    let seconds = time.split(' ').next().and_then(|time| time.strip_suffix('s'))?;
    seconds.parse::<f64>().ok()?;
    let mut totals = Totals::default();
    let is_summary = counts == "no tests ran"
        || counts.split(", ").all(|part| add(&mut totals, part)) && !counts.is_empty();
    let parts = counts.split(", ").find_map(|part| {
        let count = part.strip_suffix(" subtests passed");
        count.or_else(|| part.strip_suffix(" subtest passed"))?.parse::<u64>().ok()
    });
    is_summary.then_some((totals, parts.unwrap_or(0)))
}

/// `Tests:       1 failed, 2 passed, 3 total`.
fn jest(line: &str) -> Option<Totals> {
    let counts = line.trim_end().strip_prefix("Tests:")?.trim();
    let counts = counts.strip_suffix(" total")?;
    let mut totals = Totals::default();
    // The last part is all of them.
    let parts = counts.rsplit_once(", ").map_or("", |(parts, _)| parts);
    let is_summary = parts.is_empty() || parts.split(", ").all(|part| add(&mut totals, part));
    is_summary.then_some(totals)
}

/// `      Tests  1 failed | 2 passed (3)`.
fn vitest(line: &str) -> Option<Totals> {
    let counts = line.trim().strip_prefix("Tests  ")?;
    let (counts, _) = counts.trim().rsplit_once(" (")?;
    let mut totals = Totals::default();
    counts.split(" | ").all(|part| add(&mut totals, part)).then_some(totals)
}

#[cfg(test)]
mod tests {
    use countersign_domain::qa::Outcome;

    use super::*;

    #[track_caller]
    fn check(runner: Runner, text: &str, expected: &[&str]) {
        let (found, _) = printed(runner, text.as_bytes()).unwrap();
        let found: Vec<String> = found.iter().map(ToString::to_string).collect();
        assert_eq!(found, expected, "{text}");
    }

    /// CX-12: what each runner says of itself, also more than once.
    #[test]
    fn summaries() {
        check(Runner::Pytest, "=== 1 failed, 2 passed in 0.03s ===\n", &["2 passed, 1 failed"]);
        check(
            Runner::Pytest,
            "3 passed, 1 xfailed, 2 warnings in 61.20s (0:01:01)\n",
            &["3 passed, 1 skipped"],
        );
        check(Runner::Pytest, "== 1 passed, 1 error in 1.00s ==\n", &["1 passed, 1 errored"]);
        check(Runner::Pytest, "no tests ran in 0.01s\nwalked 3 miles in 2s\n", &["no tests"]);
        check(Runner::Pytest, "1 failed in 0.1s\n1 passed in 0.1s\n", &["1 failed", "1 passed"]);
        check(
            Runner::Unittest,
            "FAIL: test_a (t.A.test_a) (i=1)\nFAIL: test_a (t.A.test_a) (i=2)\n\nRan 3 tests in 0.001s\n",
            &["2 passed, 1 failed"],
        );
        check(
            Runner::Unittest,
            "ERROR: setUpClass (t.A)\nRan 0 tests in 0.000s\nRan 1 test in 0.0s\n",
            &["no tests", "1 passed"],
        );
        let jest = "Tests:       1 failed, 1 skipped, 2 todo, 2 passed, 6 total\n";
        check(Runner::Jest, jest, &["2 passed, 1 failed, 3 skipped"]);
        check(Runner::Jest, "Tests:       0 total\n", &["no tests"]);
        let vitest = "      Tests  1 failed | 2 passed | 1 todo (4)\n Test Files  1 failed (1)\n";
        check(Runner::Vitest, vitest, &["2 passed, 1 failed, 1 skipped"]);
        let node =
            "ℹ tests 4\nℹ suites 1\nℹ pass 2\nℹ fail 1\nℹ cancelled 0\nℹ skipped 1\nℹ todo 0\n";
        check(Runner::NodeTest, node, &["2 passed, 1 failed, 1 skipped"]);
        check(Runner::CargoTest, "3 passed in 0.1s\n", &[]);
    }

    /// CX-12: pytest 9 counts parts of tests that it does not list. What it prints explains that, and
    /// nothing else does: not another number, not a second summary, and not tests that are not listed.
    #[test]
    fn parts_of_tests() {
        let check = |counts: u64, listed: u64, text: &str, is_explained: bool| {
            let cases: String = (0..listed)
                .map(|at| format!("<testcase classname=\"test_a.A\" name=\"test_{at}\"/>"))
                .collect();
            let xml = format!(
                "<testsuites><testsuite name=\"pytest\" errors=\"0\" failures=\"0\" skipped=\"0\" \
                 tests=\"{counts}\">{cases}</testsuite></testsuites>"
            );
            let format = Some(countersign_domain::qa::Format::Junit);
            let mut report = super::super::read(xml.as_bytes(), format, Some(0)).unwrap();
            compare(&mut report, Runner::Pytest, text.as_bytes()).unwrap();
            assert_eq!(report.doubt(DoubtKind::Surplus).is_none(), is_explained, "{counts} {text}");
            assert!(report.doubt(DoubtKind::Contradiction).is_none());
        };
        check(3, 3, "3 passed in 0.02s\n", true);
        check(8, 3, "=== 3 passed, 5 subtests passed in 0.02s ===\n", true);
        check(8, 3, "\u{1b}[32m3 passed\u{1b}[0m, 5 subtests passed in 0.02s\n", true);
        check(4, 3, "3 passed, 1 subtest passed in 0.02s\n", true);
        check(8, 3, "3 passed in 0.02s\n", false);
        check(8, 3, "3 passed, 4 subtests passed in 0.02s\n", false);
        check(8, 2, "3 passed, 5 subtests passed in 0.02s\n", false);
        check(8, 2, "2 passed, 6 subtests passed in 0.02s\n3 passed in 0.02s\n", false);
        check(
            8,
            2,
            "3 passed, 5 subtests passed in 0s\n2 passed, 6 subtests passed in 0s\n",
            false,
        );
        check(8, 3, "", false);
    }

    /// C2: a report that was written anew says something else than was printed.
    #[test]
    fn accounts_that_differ() {
        let case = |id: &str, outcome| countersign_domain::qa::Case::new(id, outcome);
        let told = |runner, text: &str, tests: &str| {
            let outcome = |mark| if mark == '+' { Outcome::Passed } else { Outcome::Failed };
            let cases = tests.chars().enumerate();
            let cases = cases.map(|(at, mark)| case(&at.to_string(), outcome(mark))).collect();
            let format = countersign_domain::qa::Format::Junit;
            let mut report = Report { format, cases, ..Report::plain(Some(0)) };
            compare(&mut report, runner, text.as_bytes()).unwrap();
            report.doubt(DoubtKind::Rewritten).is_some()
        };
        for (text, tests, is_other) in [
            ("2 passed in 0.1s\n", "++", false),
            ("1 failed, 1 passed in 0.1s\n", "+-", false),
            ("1 failed, 1 passed in 0.1s\n", "++", true),
            ("2 failed, 1 passed in 0.1s\n", "+-", true),
            ("3 passed in 0.1s\n", "++", true),
            ("1 passed in 0.1s\n", "++", true),
            ("1 passed, 1 error in 0.1s\n", "-", false),
            // The command calls its runner twice.
            ("2 passed in 0.1s\n1 failed in 0.1s\n", "++", false),
            ("", "++", false),
        ] {
            assert_eq!(told(Runner::Pytest, text, tests), is_other, "{text} {tests}");
        }
        let nested = "ℹ tests 3\nℹ pass 1\nℹ fail 2\nℹ skipped 0\nℹ todo 0\n";
        assert!(!told(Runner::NodeTest, nested, "+-"));
        assert!(told(Runner::NodeTest, nested, "++"));
    }
}
