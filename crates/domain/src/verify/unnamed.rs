//! Tests that a runner names only where they fail: in files of which it counts the passes, what failed on
//! one ground and is nowhere bad on another has passed there.

use super::evidence::Ran;
use crate::qa::{Outcome, Report, Suite, Totals};
use crate::worklog::deviation::Tested;

/// The tests that failed by name in `old` and passed unnamed in `new`, where both ran the same tests: `new` is
/// a pass beyond doubt, and in the file of each it has as many tests as `old`, all of which passed but for
/// those that were skipped in both.
pub fn passed_unnamed<'a>(old: &'a Ran, new: &Ran) -> Vec<&'a str> {
    if new.report.suites.is_empty() || new.report.conclusion().tested != Tested::Passed {
        return Vec::new();
    }
    let cases = old.report.cases.iter().filter(|case| case.outcome == Outcome::Failed);
    let has_passed = |id: &str| {
        let Some(file) = file_of(&old.report, id) else { return false };
        let known = new.report.suites.iter().find(|one| one.id == file.id);
        let Some(now) = known.filter(|one| one.outcome == Outcome::Passed) else { return false };
        let (was, is) = (held(&old.report, file), held(&new.report, now));
        let passed = was.passed.saturating_add(was.bad());
        was.unknown == 0 && is == Totals { passed, skipped: was.skipped, ..Totals::default() }
    };
    let unnamed = cases.filter(|case| new.report.case(&case.id).is_none() && has_passed(&case.id));
    unnamed.map(|case| case.id.as_str()).collect()
}

/// The file, package or program that a test lies in, where its tests are counted.
fn file_of<'r>(report: &'r Report, id: &str) -> Option<&'r Suite> {
    let around = report.suites.iter().filter(|suite| is_in(id, &suite.id));
    around.max_by_key(|suite| suite.id.len())
}

fn is_in(id: &str, file: &str) -> bool {
    let rest = id.strip_prefix(file);
    file.is_empty() || rest.is_some_and(|rest| rest.starts_with([' ', ':']))
}

/// All tests of a file: those that are counted, and those that are named.
fn held(report: &Report, file: &Suite) -> Totals {
    let own = |id: &str| file_of(report, id).is_some_and(|one| one.id == file.id);
    let named = report.cases.iter().filter(|case| own(&case.id));
    let mut all = Totals::of(named.map(|case| case.outcome));
    all += file.unnamed;
    all
}
