//! Tests that are not always the same: what decides about the work is run again before it does.

use std::time::Duration;

use countersign_domain::qa::Outcome;
use countersign_domain::verify::{Ground, Ran, bare, is_about_races};

use super::super::grounds::Grounds;
use super::{AGAIN, Suite, passes};
use crate::error::Result;

/// What takes longer is not run once more for nothing but chance.
const QUICK: Duration = Duration::from_secs(20);

impl Suite<'_, '_> {
    /// Runs once more what was handed over, and the new tests on the old code, where something shows the
    /// work: what passes or fails by chance says nothing of it. Only what would show the work is judged by
    /// these runs, so that no other test is asked about because it was looked at more often.
    pub(super) fn look_again(&mut self) -> Result<()> {
        let shown = self.telling();
        // What fails beside the canaries may be in their way, and is worth another look.
        let is_shaken = |id: &String| {
            let mut planted = self.of(Ground::Planted);
            planted.any(|ran| is(ran, id, Outcome::is_bad))
        };
        let is_quick = self.longest <= QUICK;
        if self.has_failures() || !(is_quick || shown.iter().any(is_shaken)) {
            return Ok(());
        }
        if !shown.is_empty() {
            let tree = self.work.tree.clone();
            self.run(Ground::Again, &tree)?;
        }
        // A race is lost only by chance, and that it is never lost any more is the work.
        let is_meant = is_quick && !is_about_races(self.work.terms.heeded());
        let red = self.of(Ground::Red).last().filter(|red| {
            let is_new = red.tree != self.work.terms.base_tree;
            is_new && is_meant && shown.iter().any(|id| is(red, id, Outcome::is_bad))
        });
        let Some(tree) = red.map(|red| red.tree.clone()) else { return Ok(()) };
        self.run(Ground::RedAgain, &tree)
    }

    /// The tests that pass now each time, and fail with the base's code.
    fn telling(&self) -> Vec<String> {
        let Some(handed) = self.of(Ground::Handed).next() else { return Vec::new() };
        let cases = handed.report.cases.iter().map(|case| &case.id);
        let passes = |id: &str| {
            self.of(Ground::Handed).all(|ran| is(ran, id, |outcome| outcome == Outcome::Passed))
        };
        let was_bad = |id: &str| {
            let mut olds = self.of(Ground::Red).chain(self.of(Ground::Base));
            olds.any(|ran| is(ran, id, Outcome::is_bad))
        };
        cases.filter(|id| passes(id) && was_bad(id)).cloned().collect()
    }

    /// Runs what was handed over again while it has failures that nobody knows of the base, and the
    /// base while a test hangs on it that may be flaky there.
    pub(super) fn try_again(&mut self, grounds: &Grounds) -> Result<()> {
        for _ in 0..AGAIN {
            if self.has_new_failures() {
                let tree = self.work.tree.clone();
                self.run(Ground::Handed, &tree)?;
            }
        }
        let Some(base) = grounds.tree(Ground::Base).cloned() else { return Ok(()) };
        let many = if self.may_accuse() || self.has_unsteady() { AGAIN } else { 1 };
        for _ in 0..many {
            if self.is_once_red() || self.has_unsteady() {
                self.run(Ground::Base, &base)?;
            }
        }
        Ok(())
    }

    fn of(&self, ground: Ground) -> impl Iterator<Item = &Ran> {
        self.runs.iter().filter(move |ran| ran.ground == ground)
    }

    /// Whether a test fails, each time that it was run, that is not known to fail on the base.
    fn has_new_failures(&self) -> bool {
        let base = self.of(Ground::Base).next();
        let was_bad = |id: &str| {
            base.and_then(|base| base.report.case(id)).is_some_and(|case| case.outcome.is_bad())
        };
        let is_always_bad =
            |id: &str| self.of(Ground::Handed).all(|ran| is(ran, id, Outcome::is_bad));
        let Some(handed) = self.of(Ground::Handed).next() else { return false };
        let bad = handed.report.cases.iter().filter(|case| case.outcome.is_bad());
        bad.into_iter().any(|case| !was_bad(&case.id) && is_always_bad(&case.id))
    }

    /// Whether a test failed on the base, was seen there only once, and passes now: a second look
    /// tells a mended test from a flaky one.
    fn is_once_red(&self) -> bool {
        let Some(handed) = self.of(Ground::Handed).next() else { return false };
        let seen = |id: &str| {
            let olds = self.of(Ground::Base).chain(self.of(Ground::Red));
            let mut receipts: Vec<_> =
                olds.filter(|ran| is(ran, id, Outcome::is_bad)).map(|ran| ran.receipt).collect();
            receipts.sort_unstable();
            receipts.dedup();
            receipts.len()
        };
        let Some(base) = self.of(Ground::Base).next() else { return false };
        let bad = base.report.cases.iter().filter(|case| case.outcome.is_bad());
        let most = if self.may_accuse() { AGAIN } else { 1 };
        bad.into_iter().any(|case| {
            let is_mended = passes(handed, &case.id, base);
            let is_always = self.of(Ground::Base).all(|ran| is(ran, &case.id, Outcome::is_bad));
            is_mended && is_always && seen(&case.id) <= most
        })
    }

    /// Whether a test passes whatever it expects: that is an accusation.
    fn may_accuse(&self) -> bool {
        self.of(Ground::Wrong)
            .flat_map(|ran| &ran.report.cases)
            .any(|case| case.outcome == Outcome::Passed && self.exchanged.contains(bare(&case.id)))
    }

    /// Whether a test passed and failed on what was handed over, and always passed on the base.
    fn has_unsteady(&self) -> bool {
        let Some(first) = self.of(Ground::Handed).next() else { return false };
        first.report.cases.iter().any(|case| {
            let differs =
                |ran: &Ran| is(ran, &case.id, |outcome| outcome.is_bad() != case.outcome.is_bad());
            let passed = |ran: &Ran| is(ran, &case.id, |outcome| outcome == Outcome::Passed);
            self.of(Ground::Handed).any(differs) && self.of(Ground::Base).all(passed)
        })
    }
}

/// Whether a run has a test with such an outcome.
fn is(ran: &Ran, id: &str, wanted: impl Fn(Outcome) -> bool) -> bool {
    ran.report.case(id).is_some_and(|case| wanted(case.outcome))
}
