//! One check on all its grounds.

mod unbuilt;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use countersign_domain::qa::{Outcome, Report};
use countersign_domain::receipt::{Execution, Output, Receipt};
use countersign_domain::verify::{
    Checked, Due, Ground, Level, Planted, PlantedOn, Ran, said_the_same,
};
use countersign_domain::{Digest, ObjectId};
use countersign_exec::reports::{Known, read_from};
use countersign_exec::runners::{Start, canary, start};
use countersign_exec::{Cancel, Environment, Spec};
use countersign_gaming::{Role, role};
use countersign_git::{Checkout, Edit, Side, Tip};

use super::borrow::{Borrowed, lend};
use super::grounds::Grounds;
use super::reuse::Found;
use super::{Moment, Work, caches, reuse, scripts, surroundings};
use crate::error::{Error, Result};
use crate::regular;
use crate::run::supervisor;

/// What a check may print: whoever prints more is stopped, since all of it is kept and read.
const MOST_OUTPUT: u64 = 64 << 20;

/// A failing suite is run so often again to find tests that are not always the same.
const AGAIN: usize = 1;

/// What a run may take longer than ten times the others.
const SPARE: Duration = Duration::from_secs(20);

/// The largest report of a runner that is read.
const MOST_REPORTED: u64 = 256 << 20;

type Watch<'w> = &'w mut dyn FnMut(&Moment<'_>);

/// Runs check `number` of the terms on every ground that it has to be run on.
pub(super) fn check(
    work: &mut Work<'_>,
    number: usize,
    (grounds, borrowed): (&Grounds, &[Borrowed]),
    watch: Watch<'_>,
) -> Result<Checked> {
    let due = work.terms.checks[number].clone();
    let command = scripts::resolve(work, &due)?;
    let mut suite = Suite {
        work,
        due,
        command,
        number,
        borrowed,
        watch,
        longest: Duration::ZERO,
        runs: Vec::new(),
        planted: None,
        outputs: BTreeMap::new(),
    };
    if suite.due.is_test() {
        // First, as the others build on what it built.
        suite.on(Ground::Base, grounds.tree(Ground::Base))?;
    }
    suite.on(Ground::Handed, grounds.tree(Ground::Handed))?;
    if suite.due.is_test() {
        suite.compare(grounds)?;
    } else if !suite.passed(Ground::Handed) {
        suite.on(Ground::Base, grounds.tree(Ground::Base))?;
    }
    let Suite { due, runs, planted, .. } = suite;
    Ok(Checked { activity: due.activity, command: due.command, runs, planted })
}

struct Suite<'s, 'e> {
    work: &'s mut Work<'e>,
    due: Due,
    /// What is really run for it.
    command: String,
    number: usize,
    borrowed: &'s [Borrowed],
    watch: Watch<'s>,
    /// How long the longest run took that had all the time there is.
    longest: Duration,
    runs: Vec<Ran>,
    planted: Option<Planted>,
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
        if self.shows_something() && grounds.tree(Ground::VariedBase).is_some() {
            for ground in [Ground::Varied, Ground::VariedBase] {
                self.on(ground, grounds.tree(ground))?;
            }
            if let Some((new, old)) = grounds.further.as_ref().filter(|_| self.answers_as_before())
            {
                self.on(Ground::Varied, Some(new))?;
                self.on(Ground::VariedBase, Some(old))?;
            }
        }
        for _ in 0..AGAIN {
            if self.has_new_failures() {
                let tree = self.work.tree.clone();
                self.run(Ground::Handed, &tree)?;
            }
        }
        self.plant()
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

    /// Whether a test passes that fails with the base's code.
    fn shows_something(&self) -> bool {
        let of = |ground| self.runs.iter().find(move |ran| ran.ground == ground);
        let Some(handed) = of(Ground::Handed) else { return false };
        let olds = [of(Ground::Base), of(Ground::Red)].into_iter().flatten();
        let failed = olds.flat_map(|ran| &ran.report.cases).filter(|case| case.outcome.is_bad());
        let passes =
            |id: &str| handed.report.case(id).is_some_and(|case| case.outcome == Outcome::Passed);
        failed.into_iter().any(|case| passes(&case.id))
    }

    /// Whether a test fails that is not known to fail on the base.
    fn has_new_failures(&self) -> bool {
        let of = |ground| self.runs.iter().find(|ran| ran.ground == ground);
        let (Some(handed), base) = (of(Ground::Handed), of(Ground::Base)) else { return false };
        let was_bad = |id: &str| {
            base.and_then(|base| base.report.case(id)).is_some_and(|case| case.outcome.is_bad())
        };
        handed.report.cases.iter().any(|case| case.outcome.is_bad() && !was_bad(&case.id))
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

    fn run(&mut self, ground: Ground, tree: &ObjectId) -> Result<()> {
        let begun = start(self.due.runner, &self.command, &Place::of(self.work).reports);
        let folder = self.due.folder.clone();
        let job = self.job(ground, tree, (&begun, &folder));
        match reuse::find(self.work, &job, (tree, false))? {
            Some(found) => self.take(ground, &begun, found),
            None => self.execute(ground, tree, (&job, None)),
        }
    }

    fn job<'j>(
        &self,
        ground: Ground,
        tree: &ObjectId,
        (begun, folder): (&'j Start, &'j str),
    ) -> Job<'j> {
        let whole = Duration::from_secs(self.work.seconds);
        // With the other side's tests, code may never come to an end. What took seconds before
        // needs no ten minutes now.
        let limit = if has_all(ground) { whole } else { whole.min(SPARE + self.longest * 10) };
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
        self.push(ground, (&found.receipt, report), true);
        self.work.record_reuse(ground, found)
    }

    fn push(&mut self, ground: Ground, (receipt, report): (&Receipt, Report), reused: bool) {
        if has_all(ground) {
            self.longest = self.longest.max(Duration::from_millis(receipt.execution.duration_ms));
        }
        self.outputs.insert(receipt.id(), receipt.execution.output.blob);
        self.runs.push(Ran {
            ground,
            tree: receipt.tree.clone(),
            receipt: receipt.id(),
            ended: receipt.execution.ended.clone(),
            report,
            reused,
        });
    }

    fn execute(
        &mut self,
        ground: Ground,
        tree: &ObjectId,
        (job, planted): (&Job<'_>, Option<PlantedOn>),
    ) -> Result<()> {
        (self.watch)(&Moment::Running { command: &self.due.command, ground });
        let place = Place::make(self.work, tree, self.borrowed)?;
        let receipt = place.run(self.work, job, tree)?;
        let report = read_report(self.work, job.begun, &receipt)?;
        if ground == Ground::Base {
            caches::keep(self.work, &place.folder);
        }
        place.clear();
        self.push(ground, (&receipt, report), false);
        self.work.record_run(ground, receipt, planted)
    }

    /// Plants two tests beside the others, where that is known to work.
    fn plant(&mut self) -> Result<()> {
        let Some(runner) = self.due.runner else { return Ok(()) };
        if !self.runs.iter().any(|ran| ran.report.totals.passed > 0) || self.is_planted_before()? {
            return Ok(());
        }
        let listed = self.work.engine.repository.list(&self.work.tree)?;
        let within = |path: &str| {
            self.due.folder.is_empty() || path.starts_with(&format!("{}/", self.due.folder))
        };
        let files: Vec<(&str, &ObjectId)> = listed
            .iter()
            .filter_map(|one| Some((one.path.to_str()?, &one.side.object)))
            .filter(|(path, _)| within(path))
            .collect();
        let mut beside: Vec<&str> = files
            .iter()
            .map(|(path, _)| *path)
            .filter(|path| role(path) == Role::Test && is_code(path))
            .collect();
        if beside.is_empty() {
            // Tests of Rust may lie in the code itself.
            beside = files
                .iter()
                .map(|(path, _)| *path)
                .filter(|path| path.ends_with("src/lib.rs") || path.ends_with("src/main.rs"))
                .collect();
        }
        let work = &*self.work;
        let read = |path: &str| {
            let (_, object) = files.iter().find(|(known, _)| *known == path)?;
            String::from_utf8(work.content(object).ok()?).ok()
        };
        let secret = word();
        let Some(canary) = canary(runner, &beside, &secret, &read) else { return Ok(()) };
        let mut edits = Vec::new();
        for (path, text) in &canary.files {
            let object = self.work.engine.repository.store(text.as_bytes())?;
            edits.push(Edit { path: path.into(), to: Some(Side { mode: 0o100_644, object }) });
        }
        let names = Planted { fails: canary.fails, passes: canary.passes };
        self.planted = Some(names.clone());
        self.run_planted(Ground::Planted, (&names, &edits))?;
        let seen = self.runs.last().is_some_and(|ran| sees(&ran.report, &names));
        if !seen {
            self.run_planted(Ground::PlantedBase, (&names, &edits))?;
        }
        Ok(())
    }

    fn onto(&self, ground: Ground) -> &ObjectId {
        if ground == Ground::Planted { &self.work.tree } else { &self.work.terms.base_tree }
    }

    fn run_planted(&mut self, ground: Ground, (names, edits): (&Planted, &[Edit])) -> Result<()> {
        let onto = self.onto(ground).clone();
        let scratch = self.work.scratch();
        let tree = self.work.engine.repository.compose(&onto, edits, &scratch)?;
        let begun = start(self.due.runner, &self.command, &Place::of(self.work).reports);
        let folder = self.due.folder.clone();
        let job = self.job(ground, &tree, (&begun, &folder));
        let planted = PlantedOn { names: names.clone(), tree: onto };
        self.execute(ground, &tree, (&job, Some(planted)))
    }

    /// Takes the receipts of tests that were planted into the same trees before. The names of those
    /// tests are known by now, but the tree that was handed over is older than they are.
    fn is_planted_before(&mut self) -> Result<bool> {
        let begun = start(self.due.runner, &self.command, &Place::of(self.work).reports);
        let folder = self.due.folder.clone();
        let mut all = Vec::new();
        for ground in [Ground::Planted, Ground::PlantedBase] {
            let onto = self.onto(ground).clone();
            let job = Job { attempt: 1, ..self.job(ground, &onto, (&begun, &folder)) };
            let found = reuse::find(self.work, &job, (&onto, true))?;
            let Some((found, on)) = found.and_then(|found| {
                let on = found.planted.clone()?;
                Some((found, on))
            }) else {
                return Ok(false);
            };
            let report = read_report(self.work, &begun, &found.receipt)?;
            let is_first = all.is_empty();
            let is_same =
                all.first().is_none_or(|(_, _, first): &(_, _, Planted)| *first == on.names);
            let is_seen = is_first && sees(&report, &on.names);
            all.push((ground, found, on.names));
            if !is_same {
                return Ok(false);
            }
            if is_seen {
                break;
            }
        }
        for (ground, found, names) in all {
            self.planted = Some(names);
            self.take(ground, &begun, found)?;
        }
        Ok(true)
    }
}

/// Whether a planted test was run.
fn sees(report: &Report, names: &Planted) -> bool {
    let is_it = |id: &str| id.contains(&names.fails);
    report.cases.iter().any(|case| is_it(&case.id) && case.outcome != Outcome::Skipped)
}

/// Whether a run on `ground` may take all the time there is.
fn has_all(ground: Ground) -> bool {
    matches!(ground, Ground::Base | Ground::Handed)
}

/// One command that is to be run in a place of its own.
pub(super) struct Job<'j> {
    pub begun: &'j Start,
    /// From the root of the checkout; empty for the root itself.
    pub folder: &'j str,
    pub number: usize,
    /// Which of several runs of it on the same tree.
    pub attempt: u32,
    pub level: Level,
    pub limit: Duration,
}

impl Job<'_> {
    pub(super) fn check(&self) -> u32 {
        u32::try_from(self.number).unwrap_or(u32::MAX)
    }

    /// Its folder, as receipts have it.
    pub(super) fn cwd(&self) -> &str {
        if self.folder.is_empty() { "." } else { self.folder }
    }

    /// Its words, as receipts have them.
    pub(super) fn told(&self, work: &Work<'_>) -> Vec<String> {
        let place = Place::of(work).folder.to_string_lossy().into_owned();
        let words = surroundings::argv(&self.begun.command);
        words.iter().map(|word| word.to_string_lossy().replace(&place, "{place}")).collect()
    }

    /// What it finds around it, and the digest of all that could make a difference.
    pub(super) fn environment(&self, work: &Work<'_>) -> Result<(Environment, Digest)> {
        let folder = Place::of(work).folder;
        let mut environment = surroundings::environment(work, &folder)?;
        for (name, value) in &self.begun.environment {
            environment.set(*name, *value);
        }
        let digest = environment.digest_without(&folder);
        let digest = match &work.lent {
            Some(lent) => Digest::of(format!("{digest} {lent}").as_bytes()),
            None => digest,
        };
        Ok((environment, digest))
    }
}

fn is_code(path: &str) -> bool {
    [".py", ".rs", ".go", ".js", ".mjs", ".cjs", ".ts", ".mts", ".cts", ".jsx", ".tsx"]
        .iter()
        .any(|end| path.ends_with(end))
}

/// A word that nobody can know before.
fn word() -> String {
    let random = uuid::Uuid::new_v4().simple().to_string();
    format!("kiwi{}", &random[..12])
}

/// A checkout with what belongs to it.
pub(super) struct Place {
    folder: PathBuf,
    pub checkout: PathBuf,
    pub reports: PathBuf,
}

impl Place {
    /// Where it is for `work`.
    pub(super) fn of(work: &Work<'_>) -> Self {
        Self::below(&work.folder)
    }

    fn below(folder: &Path) -> Self {
        let folder = folder.join("place");
        Self { checkout: folder.join("tree"), reports: folder.join("reports"), folder }
    }

    pub(super) fn make(work: &Work<'_>, tree: &ObjectId, borrowed: &[Borrowed]) -> Result<Self> {
        let made = Self::of(work);
        made.clear();
        fs::create_dir_all(&made.reports)
            .map_err(|error| Error::io("create", &made.reports, &error))?;
        let tip = Tip::Tree {
            tree,
            parent: Some(&work.terms.base_commit),
            message: "Handed over\n",
            time_seconds: work.id.unix_seconds(),
        };
        work.engine.repository.checkout(&Checkout { into: &made.checkout, tip })?;
        lend(borrowed, &made.checkout)?;
        caches::lend(work, &made.folder)?;
        Ok(made)
    }

    /// Runs one command here; the receipt is signed.
    pub(super) fn run(
        &self,
        work: &mut Work<'_>,
        job: &Job<'_>,
        tree: &ObjectId,
    ) -> Result<Receipt> {
        if let Some((path, text)) = &job.begun.needs {
            fs::write(path, text).map_err(|error| Error::io("write", path, &error))?;
        }
        let tools = work.tools(&job.begun.command)?;
        let execution = Execution { tools, ..self.execute(work, job)? };
        let receipt = Receipt {
            run: work.id,
            attempt: job.attempt,
            contract: work.contract,
            tree: tree.clone(),
            check: job.check(),
            execution,
            level: Some(job.level),
            signature: None,
        };
        let signature = work.engine.key()?.sign(Receipt::PURPOSE, &receipt);
        Ok(Receipt { signature: Some(signature), ..receipt })
    }

    fn execute(&self, work: &Work<'_>, job: &Job<'_>) -> Result<Execution> {
        let engine = &*work.engine;
        let (env, digest) = job.environment(work)?;
        let argv = surroundings::argv(&job.begun.command);
        let cwd = self.checkout.join(job.folder);
        let confinement = work.walls.around(&self.folder);
        let spec = Spec {
            argv: confinement.map_or_else(|| argv.clone(), |walls| walls.around(&argv, &cwd)),
            cwd,
            env,
            stdin: None,
            deadline: job.limit,
            grace: Duration::from_secs(engine.settings.config.exec.grace_seconds),
            max_output: engine.settings.config.exec.output_bytes.min(MOST_OUTPUT),
        };
        let started_at = engine.host.now();
        let mut output = engine.store.blobs().writer()?;
        let finished =
            countersign_exec::run(&supervisor(engine)?, &spec, &Cancel::new(), &mut output)?;
        let (blob, bytes) = output.finish()?;
        // What is no plain file is no report.
        let report = job.begun.report.as_ref().and_then(|path| regular::read(path, MOST_REPORTED));
        let report = report.map(|bytes| engine.store.blobs().put(&bytes)).transpose()?;
        Ok(Execution {
            argv: job.told(work),
            cwd: job.cwd().to_owned(),
            environment: digest,
            started_at,
            duration_ms: u64::try_from(finished.duration.as_millis()).unwrap_or(u64::MAX),
            ended: finished.ended,
            output: Output { blob, bytes, excerpt: finished.excerpt.text() },
            stragglers: finished.stragglers,
            sandbox: work.walls.words(),
            report,
            used: finished.used,
            tools: Vec::new(),
        })
    }

    /// Removes it; what could not be removed is in nobody's way, as the next is made afresh.
    pub(super) fn clear(&self) {
        let _ = countersign_git::discard(&self.checkout);
        let _ = fs::remove_dir_all(&self.folder);
    }
}

/// What the runner said, in its report and in its output. A report that is not there is no report:
/// then its output is all there is.
fn read_report(work: &Work<'_>, begun: &Start, receipt: &Receipt) -> Result<Report> {
    let exit_code = match receipt.execution.ended {
        countersign_exec::Ended::Exited { code } => Some(code),
        _ => None,
    };
    let folder = work.engine.verification_folder(receipt.run);
    let root = Place::below(&folder).checkout;
    let root = root.to_string_lossy();
    let known = Known { format: begun.format, exit_code, root: Some(&root) };
    let read = match (&begun.report, &receipt.execution.report) {
        (Some(_), Some(blob)) => {
            let bytes = work.engine.store.blobs().read(blob)?;
            read_from(&bytes[..], &known).ok()
        }
        (Some(_), None) => None,
        (None, _) => {
            let bytes = work.engine.store.blobs().read(&receipt.execution.output.blob)?;
            let read = read_from(&bytes[..], &known).ok();
            read.or_else(|| read_from(&bytes[..], &Known { format: None, ..known }).ok())
        }
    };
    Ok(read.unwrap_or_else(|| nothing(begun, exit_code)))
}

/// The report of a runner that left none: no test was seen.
fn nothing(begun: &Start, exit_code: Option<i32>) -> Report {
    let format = begun.format.unwrap_or(countersign_domain::qa::Format::Plain);
    Report {
        format,
        is_complete: format == countersign_domain::qa::Format::Plain,
        ..Report::plain(exit_code)
    }
}
