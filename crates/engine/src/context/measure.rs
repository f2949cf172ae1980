//! The results of checks, read from what a runner wrote and compared with the baseline.

use std::collections::BTreeSet;
use std::io::Read as _;
use std::path::{Path, PathBuf};

use countersign_domain::Digest;
use countersign_domain::context::{
    Context, ContextEvent, Expectation, Measured, Text, rules, step_words,
};
use countersign_domain::qa::{Comparison, Conclusion, Format, Report, compare, conclude};
use countersign_domain::snapshot::{FileDrift, PathText};
use countersign_exec::reports;
use serde::Serialize;

use super::evidence::read_file;
use super::update::{Held, bounded};
use crate::Engine;
use crate::error::{Error, Kind, Result};

/// The largest log that is kept.
const MAX_LOG: u64 = 64 * 1024 * 1024;

/// Results to record.
#[derive(Debug, Clone)]
pub struct Measuring {
    pub task: String,
    pub role: String,
    /// The logs, one for each run of the same checks on the same tree; `-` for standard input.
    pub from: Vec<PathBuf>,
    /// How to read them; without it, that is found out.
    pub reader: Option<String>,
    /// One for all, or one for each log.
    pub exit_codes: Vec<i32>,
    pub baseline: bool,
    /// Why a new baseline may leave out what an earlier one had.
    pub note: Option<String>,
    /// Only what lies in the working tree: for agents, who may not read everything that we may.
    pub only_here: bool,
    pub force_secrets: bool,
    pub actor: String,
}

/// Recorded results.
#[derive(Debug, Clone, Serialize)]
pub struct Results {
    pub task: String,
    pub role: String,
    pub is_baseline: bool,
    /// How many runs on this tree are on record; they are taken together.
    pub runs: usize,
    pub conclusion: Conclusion,
    /// The results in one line.
    pub words: String,
    /// The last report.
    pub report: Report,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub comparison: Option<Comparison>,
    /// What the comparison found that a person should look at.
    pub findings: Vec<String>,
    /// What is better than it was.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub improvements: Vec<String>,
    /// The blob with the whole of the last log.
    pub log: String,
}

/// One log, read.
struct Run {
    bytes: Vec<u8>,
    report: Report,
    /// From the top of the working tree, if it lies there.
    path: Option<PathText>,
}

impl Engine {
    /// Reads results and puts them on the record. The first ones are what later ones are compared
    /// with, as long as the task file is what it was. Runs on the same tree are taken together, so
    /// that a test that failed once is no clean pass.
    pub fn record_qa(&mut self, measuring: &Measuring) -> Result<Results> {
        let runs = self.read_runs(measuring)?;
        let logs = runs.iter().map(|run| ("the log", &run.bytes[..]));
        let mut forced = self.screen_bytes(logs, measuring.force_secrets)?;
        let note = measuring.note.as_deref();
        forced.rules.extend(self.screen(&[("the note", note)], measuring.force_secrets)?.rules);
        let note = expect_note(measuring)?;
        let mut held = self.hold_context(&measuring.task)?;
        let Held { context, .. } = &mut held;
        let is_unchanged = self.task_file_is_unchanged(context)?;
        rules::unhindered(context)?;
        rules::may_measure(context, &measuring.role, is_unchanged)?;
        self.expect_reports_aside(context, &runs)?;
        self.expect_no_drift(context, &measuring.actor)?;
        let tree = self.measured_tree(context, &runs)?;
        let mut together = Vec::new();
        for earlier in context.measured_on(&tree) {
            together.push(self.stored_report(&earlier.report)?);
        }
        let mut baseline = self.known_results(context)?;
        let (mut events, mut results) = (Vec::new(), None);
        for Run { bytes, report, path } in runs {
            together.push(report.clone());
            let comparison = baseline.as_ref().map(|baseline| compare(baseline, &together));
            let is_baseline = baseline.is_none() || measuring.baseline && events.is_empty();
            let measured = Measured {
                role: measuring.role.clone(),
                report: self.keep_text(&serde_json::to_vec(&report)?)?,
                totals: report.totals,
                conclusion: conclude(&together).unwrap_or_else(|| report.conclusion()),
                log: self.keep_text(&bytes)?,
                is_baseline,
                comparison: match &comparison {
                    Some(comparison) => Some(self.keep_text(&serde_json::to_vec(comparison)?)?),
                    None => None,
                },
                forced_secrets: forced.rules.clone(),
                tree: Some(tree),
                from: path,
                findings: comparison.as_ref().map_or_else(Vec::new, Comparison::findings),
                improvements: comparison.as_ref().map_or_else(Vec::new, Comparison::improvements),
                note: note.clone().filter(|_| is_baseline),
            };
            results = Some(Results {
                task: context.task.clone(),
                role: measuring.role.clone(),
                is_baseline,
                runs: together.len(),
                conclusion: measured.conclusion.clone(),
                words: measured.words(),
                findings: measured.findings.clone(),
                improvements: measured.improvements.clone(),
                comparison,
                log: measured.log.blob.to_string(),
                report: report.clone(),
            });
            if baseline.is_none() {
                baseline = Some(report);
            }
            events.push(ContextEvent::Measured(Box::new(measured)));
        }
        self.append_context(context, &measuring.actor, events)?;
        if measuring.baseline && note.is_none() {
            self.tell_gone(results.as_ref());
        }
        results.ok_or_else(|| {
            Error::new(Kind::Usage, "there are no results").hint("--from FILE, or --exit-code N")
        })
    }

    fn tell_gone(&mut self, results: Option<&Results>) {
        let comparison = results.and_then(|results| results.comparison.as_ref());
        if comparison.is_some_and(|found| !found.gone.is_empty()) {
            self.notices.push(
                "tests that are gone stay known; to let them go, say why: --baseline --note \"WHY\""
                    .to_owned(),
            );
        }
    }

    /// What later results are compared with: the newest baseline, and the tests that those before
    /// it knew.
    fn known_results(&self, context: &Context) -> Result<Option<Report>> {
        let mut known: Option<Report> = None;
        for measured in context.baselines() {
            let report = self.stored_report(&measured.report)?;
            known = Some(match known {
                Some(newer) => newer.knowing(report),
                None => report,
            });
        }
        Ok(known)
    }

    /// While nobody is at work the tree has to be what was left: a report that was put into it is
    /// no tampering, but can't stay there.
    fn expect_reports_aside(&self, context: &Context, runs: &[Run]) -> Result<()> {
        let Expectation::AsLeft(step) = context.expectation() else { return Ok(()) };
        if runs.iter().all(|run| run.path.is_none()) {
            return Ok(());
        }
        let drift = self.drift_since(context, step)?;
        let is_report = |file: &FileDrift| {
            file.before.is_none() && runs.iter().any(|run| run.path.as_ref() == Some(&file.path))
        };
        let is_other = drift.moved.is_some() || !drift.settings.is_empty();
        match drift.files.first() {
            Some(file) if !is_other && drift.files.iter().all(is_report) => {
                let left = step_words(&step.name);
                let message = format!(
                    "{} lies in the working tree, which has to be what {left} left",
                    file.path
                );
                Err(Error::new(Kind::Refused, message)
                    .hint("put reports outside of it, or where git ignores them"))
            }
            _ => Ok(()),
        }
    }

    fn read_runs(&self, measuring: &Measuring) -> Result<Vec<Run>> {
        let codes = &measuring.exit_codes;
        if measuring.from.is_empty() {
            let by_code = |code: &i32| {
                let report = Report::plain(Some(*code));
                Run { bytes: Vec::new(), report, path: None }
            };
            return Ok(codes.iter().map(by_code).collect());
        }
        if codes.len() > 1 && codes.len() != measuring.from.len() {
            let message = format!("{} exit codes for {} logs", codes.len(), measuring.from.len());
            return Err(Error::new(Kind::Usage, message)
                .hint("give --exit-code once for all logs, or once for each, in their order"));
        }
        let top = &self.repository.layout().worktree;
        let read = |(number, from): (usize, &PathBuf)| {
            let whole = self.host.cwd.join(from);
            if measuring.only_here {
                self.expect_here(&whole)?;
            }
            let bytes = self.log_bytes(from)?;
            let code = codes.get(number).or(codes.first()).copied();
            let report = read_report(&bytes, (from, measuring.reader.as_deref(), code))?;
            let path = whole.canonicalize().ok();
            let path = path.and_then(|path| path.strip_prefix(top).ok().map(PathText::from));
            Ok(Run { bytes, report, path })
        };
        measuring.from.iter().enumerate().map(read).collect()
    }

    /// A digest over the files that checks run on. The reports themselves are none of them.
    fn measured_tree(&self, context: &Context, runs: &[Run]) -> Result<Digest> {
        let now = self.recorded_now(context)?;
        let earlier = context.measured.iter().filter_map(|measured| measured.from.as_ref());
        let reports: BTreeSet<&[u8]> = runs
            .iter()
            .filter_map(|run| run.path.as_ref())
            .chain(earlier)
            .map(PathText::as_bytes)
            .collect();
        let mut bytes = Vec::new();
        for ground in &now.grounds {
            for file in self.repository.list(&ground.tree)?.iter() {
                let path = ground.path.as_path().join(&file.path);
                let path = path.as_os_str().as_encoded_bytes();
                if !reports.contains(path) {
                    let what = format!("\0{:o} {}\0", file.side.mode, file.side.object);
                    bytes.extend([path, what.as_bytes()].concat());
                }
            }
        }
        for watched in &now.watched {
            if !reports.contains(watched.path.as_bytes()) {
                let what = format!("\0{}\0", watched.digest);
                bytes.extend([watched.path.as_bytes(), what.as_bytes()].concat());
            }
        }
        Ok(Digest::of(&bytes))
    }

    fn stored_report(&self, text: &Text) -> Result<Report> {
        Ok(serde_json::from_slice(&self.store.blobs().read(&text.blob)?)?)
    }

    fn log_bytes(&self, from: &Path) -> Result<Vec<u8>> {
        if from.as_os_str() != "-" {
            return read_file(&self.host.cwd.join(from), MAX_LOG, "log");
        }
        let mut bytes = Vec::new();
        let mut input = std::io::stdin().lock().take(MAX_LOG + 1);
        input
            .read_to_end(&mut bytes)
            .map_err(|error| Error::new(Kind::Unavailable, format!("standard input: {error}")))?;
        if bytes.len() as u64 > MAX_LOG {
            let message = format!("standard input has more than {MAX_LOG} bytes");
            return Err(Error::new(Kind::Usage, message).hint("record the part that matters"));
        }
        Ok(bytes)
    }
}

/// The reason for a baseline that leaves something out.
fn expect_note(measuring: &Measuring) -> Result<Option<String>> {
    let Some(note) = &measuring.note else { return Ok(None) };
    if !measuring.baseline {
        return Err(Error::new(Kind::Usage, "a note is for a new baseline")
            .hint("give --baseline with it, or leave it out"));
    }
    Ok(Some(bounded("note", note)?.to_owned()))
}

fn read_report(
    bytes: &[u8],
    (from, reader, exit_code): (&Path, Option<&str>, Option<i32>),
) -> Result<Report> {
    let format = reader.map(str::parse::<Format>).transpose();
    let format = format.map_err(|error| Error::new(Kind::Usage, error.to_string()))?;
    reports::read(bytes, format, exit_code).map_err(|mistake| {
        Error::new(Kind::Usage, format!("{}: {mistake}", from.display()))
            .hint("name the format with --reader, or give --exit-code without --from")
    })
}
