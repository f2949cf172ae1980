//! One run in a place of its own: a checkout with what belongs to it, the command that is run there,
//! and what its runner said.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use countersign_domain::qa::Report;
use countersign_domain::receipt::{Ended, Execution, Output, Receipt};
use countersign_domain::verify::Level;
use countersign_domain::{Digest, ObjectId};
use countersign_exec::reports::{Known, compare_with_printed, read_from};
use countersign_exec::runners::{Start, is_added_to};
use countersign_exec::{Cancel, Environment, Spec};
use countersign_git::{Checkout, Tip};

use super::borrow::{Borrowed, lend};
use super::{Work, caches, submodules, surroundings};
use crate::error::{Error, Result};
use crate::regular;
use crate::run::supervisor;

/// What a check may print: whoever prints more is stopped, since all of it is kept and read.
const MOST_OUTPUT: u64 = 64 << 20;

/// The largest report of a runner that is read.
const MOST_REPORTED: u64 = 256 << 20;

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
        let place = Place::of(work);
        // Both are others in every verification.
        let (reports, seen) = (place.reports.to_string_lossy(), place.seen.to_string_lossy());
        let plain = |said: &OsString| {
            let said = said.to_string_lossy().replace(&*reports, "{place}/reports");
            said.replace(&*seen, "{place}")
        };
        surroundings::argv(&self.begun.command).iter().map(plain).collect()
    }

    /// What it finds around it, and the digest of all that could make a difference.
    pub(super) fn environment(&self, work: &Work<'_>) -> Result<(Environment, Digest)> {
        let place = Place::of(work);
        let mut environment = surroundings::environment(work, &place.folder, &place.seen)?;
        for (name, value) in &self.begun.environment {
            let known = environment.value(name).filter(|_| is_added_to(name));
            let before = known.map(|known| format!("{} ", known.to_string_lossy()));
            environment.set(*name, before.unwrap_or_default() + value);
        }
        if !self.folder.is_empty() {
            // A part of the project has programs of its own.
            let own = surroundings::installed(&place.seen.join(TREE).join(self.folder));
            let path = environment.value("PATH").unwrap_or_default().to_owned();
            if let Ok(path) =
                std::env::join_paths(own.into_iter().chain(std::env::split_paths(&path)))
            {
                environment.set("PATH", path);
            }
        }
        let digest = environment.digest_without(&place.seen);
        let digest = match &work.lent {
            Some(lent) => Digest::of(format!("{digest} {lent}").as_bytes()),
            None => digest,
        };
        Ok((environment, digest))
    }
}

/// What the checkout is called in its place.
pub(super) const TREE: &str = "project";

/// A checkout with what belongs to it.
pub(super) struct Place {
    pub folder: PathBuf,
    /// Where what runs there sees the folder.
    seen: PathBuf,
    pub checkout: PathBuf,
    /// Where reports go, as what runs there sees it. Nobody can guess its name.
    pub reports: PathBuf,
    /// What of the working tree lies over it, from the root.
    lent: Vec<PathBuf>,
}

impl Place {
    /// Where it is for `work`.
    pub(super) fn of(work: &Work<'_>) -> Self {
        let folder = work.folders.place.clone();
        let seen = work.walls.seen(&folder);
        let (checkout, reports) = (folder.join(TREE), seen.join(&work.word));
        Self { folder, seen, checkout, reports, lent: Vec::new() }
    }

    pub(super) fn make(
        work: &mut Work<'_>,
        tree: &ObjectId,
        borrowed: &[Borrowed],
    ) -> Result<Self> {
        let mut made = Self::of(work);
        made.clear();
        let reports = made.ours(&made.reports);
        fs::create_dir_all(&reports).map_err(|error| Error::io("create", &reports, &error))?;
        let tip = Tip::Tree {
            tree,
            parent: Some(&work.terms.base_commit),
            message: "Update\n",
            time_seconds: work.id.unix_seconds(),
        };
        let spares = work.engine.spares_folder();
        let checkout = Checkout { into: &made.checkout, tip, spares: Some(&spares) };
        work.engine.repository.checkout_standing(&checkout, &mut work.standing)?;
        // Before anything runs there: who is cut off has it on the record of this process.
        if !work.walls.are_filtered() {
            drop(work.engine.repository.let_loose());
        }
        submodules::fill(work, tree, &made.checkout)?;
        made.lent = lend(work, borrowed, &made.checkout)?;
        super::made::lend(&work.made, &made.checkout)?;
        caches::lend(work, &made.folder)?;
        Ok(made)
    }

    /// Where a file is that what runs there sees at `path`.
    fn ours(&self, path: &Path) -> PathBuf {
        path.strip_prefix(&self.seen)
            .map_or_else(|_| path.to_owned(), |path| self.folder.join(path))
    }

    /// Runs one command here; the receipt is signed.
    pub(super) fn run(
        &self,
        work: &mut Work<'_>,
        job: &Job<'_>,
        tree: &ObjectId,
    ) -> Result<Receipt> {
        if let Some((path, text)) = &job.begun.needs {
            let path = self.ours(path);
            fs::write(&path, text).map_err(|error| Error::io("write", &path, &error))?;
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
            outside: Vec::new(),
            signature: None,
        };
        let signature = work.engine.key()?.sign(Receipt::PURPOSE, &receipt);
        Ok(Receipt { signature: Some(signature), ..receipt })
    }

    fn execute(&self, work: &Work<'_>, job: &Job<'_>) -> Result<Execution> {
        let engine = &*work.engine;
        let (env, digest) = job.environment(work)?;
        let argv = surroundings::argv(&job.begun.command);
        let seen = self.seen.join(TREE).join(job.folder);
        let confinement = work.walls.over(engine, (&self.folder, &self.seen), &self.lent);
        let spec = Spec {
            argv: confinement.map_or_else(|| argv.clone(), |walls| walls.around(&argv, &seen)),
            cwd: self.checkout.join(job.folder),
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
        let report = job.begun.report.as_ref();
        let report = report.and_then(|path| regular::read(&self.ours(path), MOST_REPORTED));
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
            sandbox: work.sandbox(),
            report,
            used: finished.used,
            tools: Vec::new(),
        })
    }

    /// Ends a run here. The checkout stands for the next one, unless something of this run may still
    /// be at work in it.
    pub(super) fn end(&self, work: &mut Work<'_>, ended: &Ended) {
        if matches!(ended, Ended::Lost { .. }) {
            work.standing.forget();
            let _ = countersign_git::discard_plain(&self.checkout);
        }
        self.clear();
    }

    /// Removes all but the checkout; what could not be removed is in nobody's way.
    fn clear(&self) {
        for entry in fs::read_dir(&self.folder).into_iter().flatten().flatten() {
            let path = entry.path();
            if path == self.checkout {
                continue;
            }
            let is_folder = entry.file_type().is_ok_and(|kind| kind.is_dir());
            let _ = if is_folder { fs::remove_dir_all(&path) } else { fs::remove_file(&path) };
        }
    }
}

/// What the runner said, in its report and in its output. A report that is not there is no report:
/// then its output is all there is.
pub(super) fn read_report(work: &Work<'_>, begun: &Start, receipt: &Receipt) -> Result<Report> {
    let exit_code = match receipt.execution.ended {
        countersign_exec::Ended::Exited { code } => Some(code),
        _ => None,
    };
    let root = work.walls.seen(&work.engine.place_of_checks(receipt.run)).join(TREE);
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
    let mut report = read.unwrap_or_else(|| nothing(begun, exit_code));
    if let (Some(runner), Some(_)) = (begun.runner, &begun.report) {
        let bytes = work.engine.store.blobs().read(&receipt.execution.output.blob)?;
        // What can't be read was not printed.
        let _ = compare_with_printed(&mut report, runner, &bytes[..]);
    }
    Ok(report)
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
