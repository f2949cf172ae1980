//! Values that nobody has seen, in the checks that turned green: whether the new code does more than
//! answer its tests.

use std::collections::BTreeSet;

use countersign_domain::qa::Outcome;
use countersign_domain::verify::{
    Ground, answers_as_before, bare, hangs_on_names, is_red, still_short,
};
use countersign_gaming::probe::{Other, named};

use super::super::grounds::{self, Grounds};
use super::Suite;
use crate::error::Result;

/// Other values, in the order in which they are tried. What the first say is enough for most work.
const VALUES: [Other; 5] =
    [Other::Next, Other::Further, Other::Farthest, Other::Before, Other::Kept];

impl Suite<'_, '_> {
    /// Runs the checks that turned green with other values on the new and on the old code, until they
    /// differ.
    pub(super) fn probe(&mut self, grounds: &Grounds) -> Result<()> {
        if !self.shows_something() || self.has_failures() {
            return Ok(());
        }
        if !self.has_time(Ground::Single, 3) {
            return Ok(());
        }
        let names = self.turned_green();
        let Some(single) = grounds::single(self.work, &grounds.red, (&names, None))? else {
            return Ok(());
        };
        self.on(Ground::Single, Some(&single))?;
        let has_red = self.runs.last().is_some_and(|ran| {
            let mut cases = ran.report.cases.iter();
            cases.any(|case| names.contains(named(bare(&case.id))) && is_red(ran, &case.id))
        });
        if !has_red {
            return Ok(());
        }
        self.adding = grounds::adding(self.work, &names)?;
        for other in VALUES {
            let pair = (Ground::Probed, Ground::ProbedBase);
            let has_run = self.with_others(grounds, (&names, other), pair)?;
            if !has_run || !self.is_suspect() {
                break;
            }
        }
        let known = grounds.known(self.work)?;
        if known.has_words() && self.has_time(Ground::Worded, 2) {
            let pair = (Ground::Worded, Ground::WordedBase);
            self.with_others(grounds, (&names, Other::Words), pair)?;
        }
        if known.orders && self.has_time(Ground::Renamed, 2) {
            let pair = (Ground::Renamed, Ground::RenamedBase);
            self.with_others(grounds, (&names, Other::Renamed), pair)?;
        }
        if !self.is_suspect() && hangs_on_names(&self.runs).is_empty() {
            return Ok(());
        }
        let alone = grounds::single(self.work, &self.work.tree.clone(), (&names, None))?;
        self.on(Ground::SingleHanded, alone.as_ref())
    }

    /// Whether the new code says of unseen values what the old one did.
    fn is_suspect(&self) -> bool {
        !answers_as_before(&self.runs).is_empty()
            || !still_short((&self.runs, &self.adding), 1).is_empty()
    }

    /// Runs the new and the old code with other values in the tests of these names, if there are any.
    fn with_others(
        &mut self,
        grounds: &Grounds,
        (names, other): (&BTreeSet<String>, Other),
        (new_ground, old_ground): (Ground, Ground),
    ) -> Result<bool> {
        let with = Some((grounds.known(self.work)?, other));
        let new = grounds::single(self.work, &self.work.tree.clone(), (names, with))?;
        let old = grounds::single(self.work, &grounds.red, (names, with))?;
        let (Some(new), Some(old)) = (new, old) else { return Ok(false) };
        self.on(new_ground, Some(&new))?;
        self.on(old_ground, Some(&old))?;
        Ok(true)
    }

    /// Whether a test fails on what was handed over that passed on the base: nothing more is needed then.
    pub(super) fn has_failures(&self) -> bool {
        let of = |ground| self.runs.iter().find(|ran| ran.ground == ground);
        let (Some(handed), base) = (of(Ground::Handed), of(Ground::Base)) else { return true };
        let passed = |id: &str| {
            let case = base.and_then(|base| base.report.case(id));
            case.is_none_or(|case| case.outcome == Outcome::Passed)
        };
        handed.report.cases.iter().any(|case| case.outcome.is_bad() && passed(&case.id))
    }
}
