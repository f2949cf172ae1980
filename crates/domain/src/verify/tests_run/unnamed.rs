//! Runs that name what failed and only count what passed. What a test did there is known by a run of the same
//! tests that names it.

use super::TestsRun;
use crate::qa::{Outcome, Report, Suite, Totals};
use crate::receipt::Ended;
use crate::verify::evidence::{Checked, Ground, Ran};

/// Grounds, each with one whose tests it has as well, as far as they are as many.
const KIN: [(Ground, Ground); 6] = [
    (Ground::Base, Ground::Room),
    (Ground::Room, Ground::Base),
    (Ground::Handed, Ground::Red),
    (Ground::Red, Ground::Handed),
    (Ground::Handed, Ground::Base),
    (Ground::Handed, Ground::Room),
];

/// Those where the base's own test is in question, so that one that passes with its whole package is enough.
const WHOLE: [(Ground, Ground); 3] =
    [(Ground::Base, Ground::Room), (Ground::Room, Ground::Base), (Ground::Handed, Ground::Room)];

/// Whether a run names every test that failed, and some that passed only as a number.
pub(in crate::verify) fn counts_passes(ran: &Ran) -> bool {
    let (all, named) = (ran.report.count(), of_cases(ran));
    matches!(ran.ended, Ended::Exited { .. })
        && all.passed > named.passed
        && all.bad() == named.bad()
        && all.unknown == 0
}

/// Whether the test `id`, which `other` names, passed in `ran`, which only counts what passes. It has to have
/// come as far as the other, with every file that the other could load.
pub fn passes_unnamed(ran: &Ran, id: &str, other: &Ran) -> bool {
    let skipped = |ran: &Ran| ran.report.count().skipped.saturating_sub(of_cases(ran).skipped);
    let mut errors = ran.report.cases.iter().filter(|case| case.outcome == Outcome::Errored);
    counts_passes(ran)
        && ran.report.doubts.is_empty()
        && ran.report.case(id).is_none()
        && is_whole_file(&ran.report, id, &other.report)
        && ran.report.count().all() >= other.report.count().all()
        && skipped(ran) <= skipped(other)
        && errors.all(|case| other.report.case(&case.id).is_some())
}

/// Where a runner counts file by file, the file of a test has to have as many tests as in the other run, none of
/// which is bad and none skipped that was not: one more elsewhere makes up for nothing.
fn is_whole_file(report: &Report, id: &str, other: &Report) -> bool {
    let Some(file) = file_of(other, id).filter(|file| !file.unnamed.is_zero()) else { return true };
    let Some(now) = report.suites.iter().find(|one| one.id == file.id) else { return false };
    let (was, is) = (held(other, file), held(report, now));
    is.all() >= was.all() && is.skipped <= was.skipped && is.unknown == 0
}

/// The file, package or program that a test lies in, where its tests are counted.
fn file_of<'r>(report: &'r Report, id: &str) -> Option<&'r Suite> {
    let is_in = |file: &str| {
        let rest = id.strip_prefix(file);
        file.is_empty() || rest.is_some_and(|rest| rest.starts_with([' ', ':']))
    };
    let around = report.suites.iter().filter(|suite| is_in(&suite.id));
    around.max_by_key(|suite| suite.id.len())
}

/// All tests of a file: those that are counted, and those that are named.
fn held(report: &Report, file: &Suite) -> Totals {
    let own = |id: &str| file_of(report, id).is_some_and(|one| one.id == file.id);
    let named = report.cases.iter().filter(|case| own(&case.id));
    let mut all = Totals::of(named.map(|case| case.outcome));
    all += file.unnamed;
    all
}

/// Whether the package of a test passed, as Go says it: of its tests not even their number is known.
fn passes_whole(ran: &Ran, id: &str) -> bool {
    let is_of = |place: &str| id.strip_prefix(place).is_some_and(|rest| rest.starts_with(' '));
    let mut suites = ran.report.suites.iter();
    suites.any(|one| one.outcome == Outcome::Passed && one.unnamed.is_zero() && is_of(&one.id))
}

fn of_cases(ran: &Ran) -> Totals {
    Totals::of(ran.report.cases.iter().map(|case| case.outcome))
}

impl<'a> TestsRun<'a> {
    /// Takes in what passed without being named.
    pub(super) fn infer(&mut self, check: &'a Checked) {
        for (ground, kin) in KIN {
            let (Some(ran), Some(other)) = (check.on(ground), check.on(kin)) else { continue };
            // A file that the old code can't load says nothing of the single tests in it.
            let is_file = |outcome: Outcome| kin == Ground::Red && outcome == Outcome::Errored;
            for case in other.report.cases.iter().filter(|case| !is_file(case.outcome)) {
                let Some(traces) = self.tests.get_mut(case.id.as_str()) else { continue };
                let place = match ground {
                    Ground::Base => &mut traces.base,
                    Ground::Room => &mut traces.room,
                    Ground::Red => &mut traces.red,
                    _ => &mut traces.handed,
                };
                let is_whole = WHOLE.contains(&(ground, kin)) && case.outcome == Outcome::Failed;
                let passes = passes_unnamed(ran, &case.id, other);
                if place.is_none() && (passes || is_whole && passes_whole(ran, &case.id)) {
                    *place = Some(Outcome::Passed);
                }
            }
        }
        self.infer_flaky(check);
    }

    /// The same for runs of one code, of which one names a failure and another doesn't.
    fn infer_flaky(&mut self, check: &'a Checked) {
        let of = |ground| check.runs.iter().filter(move |ran| ran.ground == ground);
        let differs = |ground: Ground, id: &str| {
            let mut named = of(ground).filter(|ran| ran.report.case(id).is_some());
            named.any(|one| of(ground).any(|ran| passes_unnamed(ran, id, one)))
        };
        for (id, traces) in &mut self.tests {
            if traces.handed.is_some_and(Outcome::is_bad) && differs(Ground::Handed, id) {
                (traces.is_flaky, traces.handed) = (true, Some(Outcome::Passed));
            }
            traces.was_flaky |=
                traces.base.is_some_and(Outcome::is_bad) && differs(Ground::Base, id);
        }
    }
}
