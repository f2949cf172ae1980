//! What new tests said of code that was broken on purpose, where tests are all that was done.

use std::collections::BTreeSet;

use super::{Weighed, names};
use crate::gaming::Rule;
use crate::qa::Outcome;
use crate::verify::evidence::{Checked, Ground, Mutants, Ran};
use crate::verify::verdict::Weight;

/// So many tests may be asked for more than that one of them notices something.
const SEVERAL: usize = 3;

/// Which broken versions count, and which tests noticed one.
#[derive(Debug, PartialEq, Eq)]
pub struct Noticed<'a> {
    /// What was broken, where some test that passes otherwise failed.
    pub counted: Vec<&'a str>,
    /// The new tests that failed on a broken version.
    pub noticed: BTreeSet<&'a str>,
    /// Those that passed wherever one counts, and failed nowhere.
    pub deaf: Vec<&'a str>,
}

impl<'a> Noticed<'a> {
    /// What the runs on broken code say. One that ended early, or could not be built, says nothing, but for
    /// the tests that failed in it.
    pub fn of(runs: &'a [Ran], mutants: &'a Mutants) -> Self {
        let handed: Vec<&Ran> = runs.iter().filter(|ran| ran.ground == Ground::Handed).collect();
        let passes = |id: &str| {
            let is_good = |ran: &&Ran| {
                ran.report.case(id).is_some_and(|case| case.outcome == Outcome::Passed)
            };
            !handed.is_empty() && handed.iter().all(is_good)
        };
        let broken = runs.iter().filter(|ran| ran.ground == Ground::Mutated);
        let (mut counted, mut noticed) = (Vec::new(), BTreeSet::new());
        let mut passed: BTreeSet<&str> = BTreeSet::new();
        for (ran, way) in broken.zip(&mutants.ways) {
            let failed: Vec<&str> = ran
                .report
                .cases
                .iter()
                .filter(|case| case.outcome.is_bad() && passes(&case.id))
                .map(|case| case.id.as_str())
                .collect();
            if !failed.is_empty() {
                counted.push(way.as_str());
                let cases = ran.report.cases.iter();
                let good = cases.filter(|case| case.outcome == Outcome::Passed);
                passed.extend(good.map(|case| case.id.as_str()));
            }
            noticed.extend(failed.into_iter().filter(|id| mutants.tests.contains(*id)));
        }
        let is_deaf = |id: &&str| !noticed.contains(id) && passed.contains(id) && passes(id);
        let deaf = mutants.tests.iter().map(String::as_str).filter(is_deaf).collect();
        Self { counted, noticed, deaf }
    }

    /// Whether the tests noticed as much as is asked of them, so that nothing more has to be broken.
    pub fn is_enough(&self) -> bool {
        let all = self.noticed.len() + self.deaf.len();
        let is_some = !self.noticed.is_empty();
        is_some && (all < SEVERAL || self.noticed.len() * 3 >= all)
    }

    /// Whether the tests say too little of broken code to be believed.
    fn is_too_little(&self) -> bool {
        let has_several = self.counted.len() > 1;
        let is_none = self.noticed.is_empty() && !self.counted.is_empty();
        !self.deaf.is_empty() && (is_none || has_several && !self.is_enough())
    }
}

/// Says which new tests pass on broken code as well.
pub(super) fn weigh(check: &Checked, weighed: &mut Weighed) {
    let Some(mutants) = &check.mutants else { return };
    let noticed = Noticed::of(&check.runs, mutants);
    if !noticed.is_too_little() {
        return;
    }
    let ways = noticed.counted.join("; ");
    let some = if noticed.noticed.is_empty() { "" } else { "most " };
    let text = format!(
        "{some}new tests pass as well on code that was broken on purpose, which others notice ({ways}): {}",
        names(&noticed.deaf)
    );
    weighed.blame(Rule::G13, Weight::Ask, (&text, &noticed.deaf));
}
