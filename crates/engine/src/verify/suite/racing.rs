//! Tests of Go with the race detector, where a task speaks of races: without it, what several goroutines
//! do at once fails only by chance.

use countersign_domain::project::Runner;
use countersign_domain::verify::{Ground, is_about_races, race_found};
use countersign_exec::runners::raced;

use super::super::grounds::Grounds;
use super::Suite;
use crate::error::Result;

impl Suite<'_, '_> {
    /// Runs the tests on the old code with the race detector, if nothing shows the work yet, and on the
    /// new code as well if it found something there.
    pub(super) fn race(&mut self, grounds: &Grounds) -> Result<()> {
        let is_meant = self.due.runner == Some(Runner::GoTest)
            && grounds.has_product
            && is_about_races(self.work.terms.heeded())
            && self.passed(Ground::Handed)
            && self.passed(Ground::Red)
            && !self.shows_something();
        let Some(command) = raced(&self.command).filter(|_| is_meant) else { return Ok(()) };
        let plain = std::mem::replace(&mut self.command, command);
        let ran = self.race_both(grounds);
        self.command = plain;
        ran
    }

    fn race_both(&mut self, grounds: &Grounds) -> Result<()> {
        self.run(Ground::RacedBase, &grounds.red)?;
        let has_found = self.runs.last().is_some_and(|ran| {
            let mut cases = ran.report.cases.iter();
            cases.any(race_found)
        });
        if has_found {
            let tree = self.work.tree.clone();
            self.run(Ground::Raced, &tree)?;
        }
        Ok(())
    }
}
