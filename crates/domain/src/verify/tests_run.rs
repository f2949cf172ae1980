//! The tests of one check on all its grounds, test by test.

mod unnamed;

use std::collections::{BTreeMap, BTreeSet};

pub(super) use unnamed::counts_passes;
pub use unnamed::passes_unnamed;

use super::evidence::{Checked, Ground, TestEdits};
use crate::qa::{Case, Outcome, Report};

/// What a failure of cargo itself is called where a test would be.
const CARGO: &str = "cargo";

/// What one test did on each ground; `None` where it was not seen.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Traces {
    pub handed: Option<Outcome>,
    pub base: Option<Outcome>,
    pub room: Option<Outcome>,
    pub red: Option<Outcome>,
    /// Passed and failed with what was handed over.
    pub is_flaky: bool,
    /// Passed and failed on the base.
    pub was_flaky: bool,
}

/// All tests of a check.
#[derive(Debug, Default)]
pub(super) struct TestsRun<'a> {
    pub tests: BTreeMap<&'a str, Traces>,
    pub has_base: bool,
    pub has_room: bool,
    pub has_red: bool,
}

/// What a test that was there before came to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Fate {
    /// Passed and passes.
    Kept,
    /// Failed, and passes by the base's own test too.
    Fixed,
    /// Fails, and failed on the base as well.
    FailedBefore,
    /// Passed, and fails.
    Broken,
    /// Passes only because the test, or what it reads, is another now.
    Bent,
    /// The base's version can't be built or loaded with the new code; the new one passes.
    Replaced,
    /// Not run any more, and it would fail.
    HiddenFailure,
    /// Not run any more. It would pass.
    Dropped,
    /// Not run any more, and nobody knows what it would do.
    Lost,
    /// Passed and failed with one code.
    Flaky,
    /// Passed and failed on the base, and passes now.
    FlakyBefore,
}

impl<'a> TestsRun<'a> {
    pub(super) fn of(check: &'a Checked) -> Self {
        let mut all = Self::default();
        let mut first = true;
        for ran in check.handed() {
            for case in &ran.report.cases {
                let traces = all.tests.entry(&case.id).or_default();
                // A flaky test both passed and failed: of two runs, the better one is kept beside
                // the mark, so that it is neither a failure of the work nor a clean pass.
                let bad = case.outcome.is_bad();
                let before = traces.handed;
                traces.is_flaky |=
                    case.is_flaky() || !first && before.is_some_and(|one| one.is_bad() != bad);
                traces.handed = Some(before.map_or(case.outcome, |one| one.min(case.outcome)));
            }
            first = false;
        }
        let mut take = |ground, place: fn(&mut Traces) -> &mut Option<Outcome>| {
            let ran = check.on(ground);
            // That cargo knows no such target is no test, and none is gone when it knows it.
            let was_seen = all.tests.contains_key(CARGO);
            let cases = ran.iter().flat_map(|ran| &ran.report.cases);
            for case in cases.filter(|case| case.id != CARGO || was_seen) {
                *place(all.tests.entry(&case.id).or_default()) = Some(ended(case));
            }
            ran.is_some()
        };
        let has_base = take(Ground::Base, |traces| &mut traces.base);
        let has_room = take(Ground::Room, |traces| &mut traces.room);
        let has_red = take(Ground::Red, |traces| &mut traces.red);
        // What only the detector sees is seen by it alone.
        for id in super::checks::raced::ended(check) {
            if let Some(traces) = all.tests.get_mut(id) {
                traces.red = Some(Outcome::Failed);
            }
        }
        all.infer(check);
        all.take_again(check);
        Self { has_base, has_room, has_red, ..all }
    }

    /// Takes what the same code said in other runs. Beside tests of ours only what passes counts: one
    /// that fails may be in their way.
    fn take_again(&mut self, check: &'a Checked) {
        let runs = |ground| check.runs.iter().filter(move |ran| ran.ground == ground);
        for case in runs(Ground::Planted).flat_map(|ran| &ran.report.cases) {
            if let Some(traces) = self.tests.get_mut(case.id.as_str())
                && case.outcome == Outcome::Passed
                && traces.handed.is_some_and(Outcome::is_bad)
            {
                (traces.is_flaky, traces.handed) = (true, Some(Outcome::Passed));
            }
        }
        let again = runs(Ground::Base).skip(1).map(|ran| (ran, false));
        for (ran, only_passes) in again.chain(runs(Ground::PlantedBase).map(|ran| (ran, true))) {
            for case in &ran.report.cases {
                let Some(traces) = self.tests.get_mut(case.id.as_str()) else { continue };
                let differs =
                    traces.base.is_some_and(|base| base.is_bad() != case.outcome.is_bad());
                traces.was_flaky |= differs && !(only_passes && case.outcome.is_bad());
            }
        }
    }

    /// The tests of the base, with what became of each.
    pub(super) fn fates<'s>(
        &'s self,
        edits: &'s TestEdits,
    ) -> impl Iterator<Item = (&'a str, Fate)> + 's {
        let before = self.tests.iter().filter(|(_, traces)| traces.base.is_some());
        before.map(|(id, traces)| (*id, self.fate(id, *traces, edits)))
    }

    fn fate(&self, id: &str, traces: Traces, edits: &TestEdits) -> Fate {
        let passed = |outcome: Option<Outcome>| outcome == Some(Outcome::Passed);
        let bad = |outcome: Option<Outcome>| outcome.is_some_and(Outcome::is_bad);
        let is_edited = edits.is_partial || edits.changed.contains(bare(id));
        // What asserts the same values less closely is no equal.
        let is_equal = edits.equivalent.contains(bare(id)) && !edits.weak.contains(bare(id));
        if traces.was_flaky && passed(traces.handed) {
            return Fate::FlakyBefore;
        }
        // A test that nobody touched, and that the same code passed when the new ones were not there.
        let is_unsteady = bad(traces.handed) && passed(traces.room) && passed(traces.base);
        if traces.is_flaky || traces.was_flaky || is_unsteady && !is_edited && !edits.fixtures {
            return Fate::Flaky;
        }
        if bad(traces.handed) {
            return if bad(traces.base) { Fate::FailedBefore } else { Fate::Broken };
        }
        if !passed(traces.handed) && traces.handed != traces.base {
            return match traces.room {
                Some(Outcome::Passed) => Fate::Dropped,
                None | Some(Outcome::Skipped) => Fate::Lost,
                Some(_) => Fate::HiddenFailure,
            };
        }
        if !passed(traces.handed) || !self.has_room || passed(traces.room) {
            return if bad(traces.base) { Fate::Fixed } else { Fate::Kept };
        }
        // The base's own test, in the words that were asked for.
        if edits.renamed.contains(bare(id)) && !edits.fixtures {
            return if bad(traces.base) { Fate::Fixed } else { Fate::Kept };
        }
        // It passes, and the base's version of it does not. What was red, and stays red, is not mended by
        // a test that reads alike.
        let was_good = !bad(traces.base);
        match traces.room {
            Some(Outcome::Failed) if is_equal && was_good && !edits.fixtures => Fate::Replaced,
            Some(Outcome::Failed) => Fate::Bent,
            _ if is_edited => Fate::Replaced,
            // It was not touched: what could not be built with it was something else.
            _ if bad(traces.base) => Fate::Fixed,
            _ => Fate::Kept,
        }
    }

    /// The tests that were not there before.
    pub(super) fn added(&self) -> impl Iterator<Item = (&'a str, &Traces)> {
        let has_base = self.has_base;
        self.tests
            .iter()
            .filter(move |(_, traces)| has_base && traces.base.is_none() && traces.handed.is_some())
            .map(|(id, traces)| (*id, traces))
    }

    /// What shows that the work does something: passes now, and did not with the base's code.
    pub(super) fn shown_by(&self, edits: &TestEdits) -> Vec<&'a str> {
        let fixed: BTreeSet<&str> =
            self.fates(edits).filter(|(_, fate)| *fate == Fate::Fixed).map(|(id, _)| id).collect();
        // A test that fails with the base's code is another one now, or what it reads is; one that
        // can't be run with it may only lie beside such a one.
        let is_red = |id: &str, traces: &Traces| match traces.red {
            Some(outcome) => outcome.is_bad(),
            None => traces.base.is_none() || edits.changed.contains(bare(id)),
        };
        let was_good = |traces: &Traces| traces.base.is_none_or(|base| base == Outcome::Passed);
        let red = self.tests.iter().filter(|(id, traces)| {
            let is_flaky = traces.is_flaky || traces.was_flaky;
            let passes = traces.handed == Some(Outcome::Passed) && !is_flaky;
            let is_faint = traces.red.is_none() && edits.faint.contains(bare(id));
            let is_weak = is_faint || edits.weak.contains(bare(id));
            let is_seen = self.has_red && is_red(id, traces) || documents(id, **traces, edits);
            passes && was_good(traces) && is_seen && !is_weak
        });
        let red = red.map(|(id, _)| *id);
        fixed.into_iter().chain(red).collect::<BTreeSet<_>>().into_iter().collect()
    }
}

/// How a test ended. One in which the whole process was stopped for good has no end of its own, and yet
/// it is what failed: Go says so of maps that several goroutines write.
fn ended(case: &Case) -> Outcome {
    let message = case.message.as_deref().unwrap_or_default();
    let is_stopped = message.lines().any(|line| line.starts_with("fatal error: "));
    // A test in the documentation of Rust that can't be built was not run.
    let is_unbuilt =
        case.id.contains(".rs - ") && message.lines().any(|line| line.starts_with("error[E"));
    match case.outcome {
        Outcome::Unknown if is_stopped => Outcome::Errored,
        Outcome::Failed if is_unbuilt => Outcome::Errored,
        outcome => outcome,
    }
}

/// Whether a test is the documentation of a function that is new: it lies in the code, so there is no
/// old code that it could be run with.
fn documents(id: &str, traces: Traces, edits: &TestEdits) -> bool {
    let item = id.rsplit_once(".rs - ").map(|(_, item)| item.split(" #").next().unwrap_or(item));
    let name = item.and_then(|item| item.rsplit("::").next());
    traces.base.is_none() && name.is_some_and(|name| edits.gained.contains(name))
}

/// The name of a test without where it lies and without its parameters: what its author calls it.
pub fn bare(id: &str) -> &str {
    let id = id.split('[').next().unwrap_or(id);
    if let Some((place, name)) = id.split_once(' ')
        && (place.contains('.') || place.contains('/'))
        && name.starts_with("Test")
        && !name.contains(' ')
    {
        // Go: a package, and a test with what runs inside of it.
        return name.split('/').next().unwrap_or(name);
    }
    // Cargo: a package, where its tests are built from, and the test.
    let id =
        id.split_once(") ").filter(|(place, _)| place.contains(" (")).map_or(id, |(_, name)| name);
    let name = id.rsplit(" > ").next().unwrap_or(id);
    let name = name.rsplit("::").next().unwrap_or(name).trim();
    // A dot or slash among words is part of a title.
    let is_title = name.contains(' ');
    let name = if is_title { name } else { name.rsplit(['/', '.']).next().unwrap_or(name) };
    if name.is_empty() { id } else { name }
}

/// How many tests of a report passed.
pub(super) fn passed(report: &Report) -> u64 {
    report.count().passed
}

#[cfg(test)]
mod tests {
    use super::*;

    /// LP-12: a test that took its process with it has failed; one that nobody heard of again has not.
    #[test]
    fn a_test_that_stops_everything() {
        let check = |outcome, message: &str, expected| {
            let case = Case::new("pkg TestMany", outcome).with_message(message);
            assert_eq!(ended(&case), expected, "{message}");
        };
        let maps = "=== RUN   TestMany\nfatal error: concurrent map writes\n\ngoroutine 29:";
        check(Outcome::Unknown, maps, Outcome::Errored);
        let dead = "fatal error: all goroutines are asleep - deadlock!";
        check(Outcome::Unknown, dead, Outcome::Errored);
        check(Outcome::Unknown, "=== RUN   TestMany", Outcome::Unknown);
        check(Outcome::Passed, maps, Outcome::Passed);
        let doc = |message: &str| {
            let id = "doc-tests tempo src/lib.rs - seconds";
            ended(&Case::new(id, Outcome::Failed).with_message(message))
        };
        assert_eq!(doc("error[E0425]: cannot find function `secs`"), Outcome::Errored);
        assert_eq!(doc("assertion `left == right` failed"), Outcome::Failed);
    }

    #[test]
    fn the_bare_name_is_what_its_author_calls_it() {
        let check = |id: &str, name: &str| assert_eq!(bare(id), name, "{id}");
        check("tests/test_a.py::TestX::test_one[3-4]", "test_one");
        check("tests.test_a::test_one", "test_one");
        check("tests.test_a.TestX.test_one", "test_one");
        check("example.com/mod/pkg TestOne", "TestOne");
        check("example.com/mod TestOne/with_two/cases", "TestOne");
        check("calc (src/lib.rs) tests::adds", "adds");
        check("calc (tests/a.rs) adds", "adds");
        check("test/a.test.js > adds > two numbers, e.g. 1/2", "two numbers, e.g. 1/2");
        check("tests::adds", "adds");
        check("adds two numbers", "adds two numbers");
        check("", "");
    }
}
