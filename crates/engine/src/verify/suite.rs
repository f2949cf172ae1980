//! One check on all its grounds.

use std::fs;
use std::io::BufReader;
use std::path::{Path, PathBuf};
use std::time::Duration;

use countersign_domain::ObjectId;
use countersign_domain::qa::{Outcome, Report};
use countersign_domain::receipt::{Execution, Output, Receipt};
use countersign_domain::verify::{Checked, Due, Ground, Planted, Ran};
use countersign_exec::reports::{Known, read_from};
use countersign_exec::runners::{Start, canary, start};
use countersign_exec::{Cancel, Spec};
use countersign_gaming::{Role, role};
use countersign_git::{Checkout, Edit, Side, Tip};

use super::borrow::{Borrowed, lend};
use super::grounds::Grounds;
use super::{Moment, Work, caches, scripts, surroundings};
use crate::error::{Error, Result};
use crate::run::supervisor;

/// A failing suite is run so often again to find tests that are not always the same.
const AGAIN: usize = 1;

/// What a run may take longer than ten times the others.
const SPARE: Duration = Duration::from_secs(20);

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
}

impl Suite<'_, '_> {
    /// The grounds that show whether tests can be believed.
    fn compare(&mut self, grounds: &Grounds) -> Result<()> {
        for ground in [Ground::Room, Ground::Red] {
            self.on(ground, grounds.tree(ground))?;
        }
        if self.shows_something() && grounds.tree(Ground::VariedBase).is_some() {
            for ground in [Ground::Varied, Ground::VariedBase] {
                self.on(ground, grounds.tree(ground))?;
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
        (self.watch)(&Moment::Running { command: &self.due.command, ground });
        let (receipt, report) = self.execute(ground, tree)?;
        self.runs.push(Ran {
            ground,
            tree: tree.clone(),
            receipt: receipt.id(),
            ended: receipt.execution.ended.clone(),
            report,
            reused: false,
        });
        self.work.record_run(ground, receipt)
    }

    fn execute(&mut self, ground: Ground, tree: &ObjectId) -> Result<(Receipt, Report)> {
        let place = Place::make(self.work, tree, self.borrowed)?;
        let begun = start(self.due.runner, &self.command, &place.reports);
        let cwd = place.checkout.join(&self.due.folder);
        let whole = Duration::from_secs(self.work.seconds);
        let has_all = matches!(ground, Ground::Base | Ground::Handed);
        // With the other side's tests, code may never come to an end. What took seconds before
        // needs no ten minutes now.
        let limit = if has_all { whole } else { whole.min(SPARE + self.longest * 10) };
        let receipt = place.run(self.work, (&begun, &cwd), (self.number, limit), tree)?;
        if has_all {
            self.longest = self.longest.max(Duration::from_millis(receipt.execution.duration_ms));
        }
        let report = read_report(self.work, (&begun, &place), &receipt)?;
        if ground == Ground::Base {
            caches::keep(self.work, &place.folder);
        }
        place.clear();
        Ok((receipt, report))
    }

    /// Plants two tests beside the others, where that is known to work.
    fn plant(&mut self) -> Result<()> {
        let Some(runner) = self.due.runner else { return Ok(()) };
        if !self.runs.iter().any(|ran| ran.report.totals.passed > 0) {
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
        self.planted = Some(Planted { fails: canary.fails.clone(), passes: canary.passes });
        self.run_planted(Ground::Planted, &edits)?;
        let seen = self.runs.last().is_some_and(|ran| {
            let is_it = |id: &str| id.contains(&canary.fails);
            ran.report.cases.iter().any(|case| is_it(&case.id) && case.outcome != Outcome::Skipped)
        });
        if !seen {
            self.run_planted(Ground::PlantedBase, &edits)?;
        }
        Ok(())
    }

    fn run_planted(&mut self, ground: Ground, edits: &[Edit]) -> Result<()> {
        let onto =
            if ground == Ground::Planted { &self.work.tree } else { &self.work.terms.base_tree };
        let scratch = self.work.scratch();
        let tree = self.work.engine.repository.compose(onto, edits, &scratch)?;
        self.run(ground, &tree)
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
    reports: PathBuf,
}

impl Place {
    pub(super) fn make(work: &Work<'_>, tree: &ObjectId, borrowed: &[Borrowed]) -> Result<Self> {
        let folder = work.folder.join("place");
        let made = Self { checkout: folder.join("tree"), reports: folder.join("reports"), folder };
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
        work: &Work<'_>,
        (begun, cwd): (&Start, &Path),
        (number, limit): (usize, Duration),
        tree: &ObjectId,
    ) -> Result<Receipt> {
        if let Some((path, text)) = &begun.needs {
            fs::write(path, text).map_err(|error| Error::io("write", path, &error))?;
        }
        let execution = self.execute(work, (begun, cwd), limit)?;
        let receipt = Receipt {
            run: work.id,
            attempt: 1,
            contract: work.contract,
            tree: tree.clone(),
            check: u32::try_from(number).unwrap_or(u32::MAX),
            execution,
            signature: None,
        };
        let signature = work.engine.key()?.sign(Receipt::PURPOSE, &receipt);
        Ok(Receipt { signature: Some(signature), ..receipt })
    }

    fn execute(
        &self,
        work: &Work<'_>,
        (begun, cwd): (&Start, &Path),
        limit: Duration,
    ) -> Result<Execution> {
        let engine = &*work.engine;
        let mut environment = surroundings::environment(work, &self.folder)?;
        for (name, value) in &begun.environment {
            environment.set(*name, *value);
        }
        let digest = environment.digest();
        let argv = surroundings::argv(&begun.command);
        let confinement = work.walls.around(&self.folder);
        let sandbox = confinement
            .as_ref()
            .map_or_else(|| "none".to_owned(), countersign_exec::Confinement::words);
        let spec = Spec {
            argv: confinement.map_or_else(|| argv.clone(), |walls| walls.around(&argv, cwd)),
            cwd: cwd.to_owned(),
            env: environment,
            stdin: None,
            deadline: limit,
            grace: Duration::from_secs(engine.settings.config.exec.grace_seconds),
            max_output: engine.settings.config.exec.output_bytes,
        };
        let started_at = engine.host.now();
        let mut output = engine.store.blobs().writer()?;
        let finished =
            countersign_exec::run(&supervisor(engine)?, &spec, &Cancel::new(), &mut output)?;
        let (blob, bytes) = output.finish()?;
        let inside = cwd.strip_prefix(&self.checkout).unwrap_or(Path::new(""));
        Ok(Execution {
            argv: argv.iter().map(|word| word.to_string_lossy().into_owned()).collect(),
            cwd: if inside.as_os_str().is_empty() {
                ".".into()
            } else {
                inside.to_string_lossy().into_owned()
            },
            environment: digest,
            started_at,
            duration_ms: u64::try_from(finished.duration.as_millis()).unwrap_or(u64::MAX),
            ended: finished.ended,
            output: Output { blob, bytes, excerpt: finished.excerpt.text() },
            stragglers: finished.stragglers,
            sandbox,
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
fn read_report(
    work: &Work<'_>,
    (begun, place): (&Start, &Place),
    receipt: &Receipt,
) -> Result<Report> {
    let exit_code = match receipt.execution.ended {
        countersign_exec::Ended::Exited { code } => Some(code),
        _ => None,
    };
    let root = place.checkout.to_string_lossy();
    let known = Known { format: begun.format, exit_code, root: Some(&root) };
    let file = begun.report.as_ref().and_then(|path| fs::File::open(path).ok());
    let read = match (&begun.report, file) {
        (Some(_), Some(file)) => read_from(BufReader::new(file), &known).ok(),
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
