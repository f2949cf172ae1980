//! One check on all its grounds.

mod lacks;
mod mutating;
mod planting;
mod probing;
mod racing;
mod steady;
mod thrift;
mod unbuilt;

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use countersign_domain::classify::Tier;
use countersign_domain::qa::{Basis, Format, Outcome, Report};
use countersign_domain::receipt::{Ended, Receipt};
use countersign_domain::verify::{
    Checked, Due, Ground, Level, Mutants, Planted, PlantedOn, Ran, bare, names_check,
    passes_unnamed, said_the_same,
};
use countersign_domain::{Digest, ObjectId};
use countersign_exec::runners::{Start, start};

use super::borrow::Borrowed;
use super::grounds::Grounds;
use super::place::{Job, Place, read_report};
use super::reuse::Found;
use super::scripts::{Moved, Resolved};
use super::{Moment, Work, caches, grounds, reuse, scripts};
use crate::error::Result;

/// What fails, or failed before, is run so often again to find tests that are not always the same.
const AGAIN: usize = 2;

/// What a run may take longer than ten times the others.
const SPARE: Duration = Duration::from_secs(20);

/// One that took even longer is tried once more, with so many times as much.
const LONGER: u32 = 4;

type Watch<'w> = &'w mut dyn FnMut(&Moment<'_>);

/// Runs check `number` of the terms on every ground that it has to be run on.
pub(super) fn check(
    work: &mut Work<'_>,
    number: usize,
    (grounds, borrowed): (&Grounds, &[Borrowed]),
    watch: Watch<'_>,
) -> Result<Checked> {
    let mut due = work.terms.checks[number].clone();
    let Resolved { command, folder, runner } = scripts::resolve(work, &due)?;
    let moved = Moved::find(work, &due, &command)?;
    (due.folder, due.runner) = (folder, runner);
    let mut suite = Suite {
        work,
        due,
        command,
        moved,
        number,
        borrowed,
        watch,
        longest: Duration::ZERO,
        closer: Duration::ZERO,
        left_out: BTreeSet::new(),
        runs: Vec::new(),
        planted: None,
        exchanged: BTreeSet::new(),
        mutants: None,
        adding: BTreeSet::new(),
        outputs: BTreeMap::new(),
    };
    if suite.due.is_test() {
        // First, as the others build on what it built.
        suite.on(Ground::Base, grounds.tree(Ground::Base))?;
    }
    suite.on(Ground::Handed, grounds.tree(Ground::Handed))?;
    if suite.due.is_test() {
        suite.compare(grounds)?;
    } else if !suite.passed(Ground::Handed)
        || names_check(suite.work.terms.heeded(), &suite.command)
    {
        // Where the task is about what this check says, that it was red shows the work.
        suite.on(Ground::Base, grounds.tree(Ground::Base))?;
    }
    let Suite { due, runs, planted, exchanged, mutants, adding, left_out, .. } = suite;
    let Due { activity, command, folder, .. } = due;
    Ok(Checked {
        activity,
        command,
        folder,
        is_beside: false,
        runs,
        left_out,
        planted,
        exchanged,
        mutants,
        adding,
        elsewhere: None,
    })
}

struct Suite<'s, 'e> {
    work: &'s mut Work<'e>,
    due: Due,
    /// What is really run for it.
    command: String,
    /// The same where what it names has moved.
    moved: Option<Moved>,
    number: usize,
    borrowed: &'s [Borrowed],
    watch: Watch<'s>,
    /// How long the longest run took that had all the time there is.
    longest: Duration,
    /// How long the runs took that only look closer.
    closer: Duration,
    /// What of them was left out.
    left_out: BTreeSet<Ground>,
    runs: Vec<Ran>,
    planted: Option<Planted>,
    /// The bare names of tests that were given a wrong expectation.
    exchanged: BTreeSet<String>,
    /// What was broken on purpose.
    mutants: Option<Mutants>,
    /// The bare names of tests with a single check, whose answer has to add up to what was asked.
    adding: BTreeSet<String>,
    /// What was printed, by receipt.
    outputs: BTreeMap<Digest, Digest>,
}

impl Suite<'_, '_> {
    /// The grounds that show whether tests can be believed.
    fn compare(&mut self, grounds: &Grounds) -> Result<()> {
        for ground in [Ground::Room, Ground::Red] {
            self.on(ground, grounds.tree(ground))?;
            self.leave_out(ground)?;
        }
        self.race(grounds)?;
        let is_varied = self.shows_something() && grounds.tree(Ground::VariedBase).is_some();
        if is_varied && self.has_time(Ground::Varied, 2) {
            for ground in [Ground::Varied, Ground::VariedBase] {
                self.on(ground, grounds.tree(ground))?;
            }
            if let Some((new, old)) = grounds.further.as_ref().filter(|_| self.answers_as_before())
            {
                self.on(Ground::Varied, Some(new))?;
                self.on(Ground::VariedBase, Some(old))?;
            }
        }
        if grounds.has_product || self.work.terms.tier >= Tier::Standard {
            self.mistake()?;
        }
        if grounds.has_product {
            self.probe(grounds)?;
        }
        self.mutate(grounds)?;
        self.try_again(grounds)?;
        self.plant()?;
        self.look_again()
    }

    fn passed(&self, ground: Ground) -> bool {
        self.runs.iter().any(|ran| ran.ground == ground && ran.ended.passed())
    }

    /// Whether with other values a test says of the new code what it says of the old one.
    fn answers_as_before(&self) -> bool {
        let of = |ground| self.runs.iter().find(move |ran| ran.ground == ground);
        let (Some(new), Some(old)) = (of(Ground::Varied), of(Ground::VariedBase)) else {
            return false;
        };
        new.report.cases.iter().any(|case| said_the_same(new, old, &case.id))
    }

    /// The bare names of tests that pass, and fail with the base's code or can't be run with it.
    fn turned_green(&self) -> BTreeSet<String> {
        let of = |ground| self.runs.iter().find(move |ran| ran.ground == ground);
        let Some(handed) = of(Ground::Handed) else { return BTreeSet::new() };
        let is_green = |ground: Ground, id: &str| {
            let case = of(ground).and_then(|ran| ran.report.case(id));
            case.is_some_and(|case| case.outcome == Outcome::Passed)
        };
        let old = if of(Ground::Red).is_some() { Ground::Red } else { Ground::Base };
        let cases = handed.report.cases.iter();
        let green = cases.filter(|case| case.outcome == Outcome::Passed);
        let turned =
            green.filter(|case| !(is_green(Ground::Base, &case.id) && is_green(old, &case.id)));
        let unnamed = [of(Ground::Base), of(Ground::Red)].into_iter().flatten().flat_map(|old| {
            let bad = old.report.cases.iter().filter(|case| case.outcome.is_bad());
            bad.filter(move |case| passes_unnamed(handed, &case.id, old))
        });
        turned.chain(unnamed).map(|case| bare(&case.id).to_owned()).collect()
    }

    /// Whether a test passes that fails with the base's code.
    fn shows_something(&self) -> bool {
        let of = |ground| self.runs.iter().find(move |ran| ran.ground == ground);
        let Some(handed) = of(Ground::Handed) else { return false };
        let mut olds = [of(Ground::Base), of(Ground::Red)].into_iter().flatten();
        olds.any(|old| {
            let mut failed = old.report.cases.iter().filter(|case| case.outcome.is_bad());
            failed.any(|case| passes(handed, &case.id, old))
        })
    }

    /// Runs the tests that turned green with wrong expectations, all at once.
    fn mistake(&mut self) -> Result<()> {
        let names = self.turned_green();
        if names.is_empty() {
            return Ok(());
        }
        if let Some((tree, exchanged)) = grounds::wrong(self.work, &names)? {
            self.on(Ground::Wrong, Some(&tree))?;
            self.exchanged = exchanged;
        }
        Ok(())
    }

    /// Runs on `tree`, unless a run on the same files stands for it.
    fn on(&mut self, ground: Ground, tree: Option<&ObjectId>) -> Result<()> {
        let Some(tree) = tree else { return Ok(()) };
        if let Some(same) = self.runs.iter().find(|ran| ran.tree == *tree) {
            let ran = Ran { ground, ..same.clone() };
            self.runs.push(ran);
            return Ok(());
        }
        self.run(ground, &tree.clone())
    }

    /// What is run on a tree.
    fn command_on(&self, tree: &ObjectId) -> Result<&str> {
        let Some(moved) = &self.moved else { return Ok(&self.command) };
        let is_there = moved.is_in(&self.work.engine.repository.list(tree)?);
        Ok(if is_there { &moved.command } else { &self.command })
    }

    fn run(&mut self, ground: Ground, tree: &ObjectId) -> Result<()> {
        let reports = Place::of(self.work).reports;
        let begun = start(self.due.runner, self.command_on(tree)?, &reports);
        let folder = self.due.folder.clone();
        let job = self.job(ground, tree, (&begun, &folder));
        match reuse::find(self.work, &job, (tree, false))? {
            Some(found) if self.tells(&begun, &found.receipt)? => self.take(ground, &begun, found),
            _ => self.execute(ground, tree, (&job, None)),
        }
    }

    /// Whether a receipt says something about the work. Where nothing passed, or something was missing,
    /// it may be there by now.
    fn tells(&self, begun: &Start, receipt: &Receipt) -> Result<bool> {
        if receipt.passed() {
            return Ok(true);
        }
        let report = read_report(self.work, begun, receipt)?;
        let has_passes = report.conclusion().basis != Basis::ExitCode;
        let said = lacks::said(self.work, Ground::Handed, receipt)?;
        let is_whole = said.is_none_or(|said| said.lacks.is_none());
        Ok(has_passes || report.format == Format::Plain && is_whole)
    }

    /// The most time that its command has.
    fn whole(&self) -> Duration {
        let (most, own) = (self.work.seconds, self.work.own_seconds.get(&self.due.command));
        Duration::from_secs(own.map_or(most, |own| most.min(*own)))
    }

    fn job<'j>(
        &self,
        ground: Ground,
        tree: &ObjectId,
        (begun, folder): (&'j Start, &'j str),
    ) -> Job<'j> {
        let whole = self.whole();
        // With the other side's tests, code may never come to an end. What took seconds before
        // needs no ten minutes now. Code for the race detector is built from the ground up.
        let is_long = has_all(ground) || matches!(ground, Ground::Raced | Ground::RacedBase);
        let limit = if is_long { whole } else { whole.min(SPARE + self.longest * 10) };
        let before: BTreeSet<_> =
            self.runs.iter().filter(|ran| ran.tree == *tree).map(|ran| ran.receipt).collect();
        Job {
            begun,
            folder,
            number: self.number,
            attempt: u32::try_from(before.len() + 1).unwrap_or(u32::MAX),
            level: Level::of_run(ground, begun.format.is_some()),
            limit,
        }
    }

    /// Takes the receipt of an earlier verification for a run.
    fn take(&mut self, ground: Ground, begun: &Start, found: Found) -> Result<()> {
        let from = found.receipt.run;
        (self.watch)(&Moment::Reused { command: &self.due.command, ground, from });
        let report = read_report(self.work, begun, &found.receipt)?;
        self.push(ground, (&found.receipt, report), true)?;
        self.work.record_reuse(ground, found)
    }

    fn push(
        &mut self,
        ground: Ground,
        (receipt, report): (&Receipt, Report),
        reused: bool,
    ) -> Result<()> {
        if has_all(ground) {
            self.longest = self.longest.max(Duration::from_millis(receipt.execution.duration_ms));
        }
        if !reused {
            self.spend(ground, Duration::from_millis(receipt.execution.duration_ms));
        }
        self.outputs.insert(receipt.id(), receipt.execution.output.blob);
        self.runs.push(Ran {
            ground,
            tree: receipt.tree.clone(),
            receipt: receipt.id(),
            ended: receipt.execution.ended.clone(),
            report,
            reused,
            said: lacks::said(self.work, ground, receipt)?,
        });
        Ok(())
    }

    fn execute(
        &mut self,
        ground: Ground,
        tree: &ObjectId,
        (job, planted): (&Job<'_>, Option<PlantedOn>),
    ) -> Result<()> {
        (self.watch)(&Moment::Running { command: &self.due.command, ground });
        let (mut receipt, mut report) = self.try_out(ground, tree, job)?;
        let whole = self.whole();
        // Code that was broken may never come to an end, which tells of no test.
        let is_whole = ground == Ground::Mutated || job.limit >= whole;
        if receipt.execution.ended == Ended::TimedOut && !is_whole {
            // Nobody is accused because a machine was busy just then.
            self.work.record_run(ground, receipt, planted.clone())?;
            let limit = whole.min(job.limit * LONGER);
            let again = Job { limit, attempt: job.attempt + 1, ..*job };
            (receipt, report) = self.try_out(ground, tree, &again)?;
        }
        self.push(ground, (&receipt, report), false)?;
        self.work.record_run(ground, receipt, planted)
    }

    /// Runs it once, in a place of its own.
    fn try_out(
        &mut self,
        ground: Ground,
        tree: &ObjectId,
        job: &Job<'_>,
    ) -> Result<(Receipt, Report)> {
        let place = Place::make(self.work, tree, self.borrowed)?;
        let receipt = place.run(self.work, job, tree)?;
        let report = read_report(self.work, job.begun, &receipt)?;
        if ground == Ground::Base {
            caches::keep(self.work, &place.folder);
        }
        place.end(self.work, &receipt.execution.ended);
        Ok((receipt, report))
    }
}

/// Whether a test that `other` names passed in a run, by its name or because what failed is named there.
fn passes(ran: &Ran, id: &str, other: &Ran) -> bool {
    let case = ran.report.case(id);
    case.map_or_else(|| passes_unnamed(ran, id, other), |case| case.outcome == Outcome::Passed)
}

/// Whether a run on `ground` may take all the time there is.
fn has_all(ground: Ground) -> bool {
    matches!(ground, Ground::Base | Ground::Handed)
}
