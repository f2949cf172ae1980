//! Code that was broken on purpose, where tests are all that was done: whether the new ones notice.

use countersign_domain::qa::Outcome;
use countersign_domain::verify::{Ground, Mutants, Noticed, bare};

use super::super::grounds::Grounds;
use super::Suite;
use crate::error::Result;

impl Suite<'_, '_> {
    /// Runs the tests on code that was broken in one way after the other, until enough of the new ones
    /// notice.
    pub(super) fn mutate(&mut self, grounds: &Grounds) -> Result<()> {
        let Some(breakable) = &grounds.breakable else { return Ok(()) };
        let of = |ground| self.runs.iter().find(|ran| ran.ground == ground);
        let (Some(handed), Some(base)) = (of(Ground::Handed), of(Ground::Base)) else {
            return Ok(());
        };
        let cases = handed.report.cases.iter();
        let new = cases.filter(|case| {
            case.outcome == Outcome::Passed
                && base.report.case(&case.id).is_none()
                && breakable.has(bare(&case.id))
        });
        let tests = new.map(|case| case.id.clone()).collect();
        let mut mutants = Mutants { tests, ..Mutants::default() };
        if mutants.tests.is_empty() {
            return Ok(());
        }
        for (way, tree, hit) in &breakable.trees {
            if !mutants.ways.is_empty() && !self.has_time(Ground::Mutated, 1) {
                break;
            }
            self.run(Ground::Mutated, tree)?;
            mutants.ways.push(way.words().to_owned());
            let reaching = mutants.tests.iter().filter(|id| breakable.reaches(bare(id), hit));
            mutants.reaching.push(reaching.cloned().collect());
            if Noticed::of(&self.runs, &mutants).is_enough() {
                break;
            }
        }
        self.mutants = Some(mutants);
        Ok(())
    }
}
