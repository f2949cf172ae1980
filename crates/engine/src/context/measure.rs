//! The results of checks, read from what a runner wrote and compared with the baseline.

use std::io::Read as _;
use std::path::PathBuf;

use countersign_domain::context::{ContextEvent, Measured, Text, rules};
use countersign_domain::qa::{Comparison, Conclusion, Format, Report, compare};
use countersign_exec::reports;
use serde::Serialize;

use super::evidence::read_file;
use super::update::Held;
use crate::Engine;
use crate::error::{Error, Kind, Result};

/// The largest log that is kept.
const MAX_LOG: u64 = 64 * 1024 * 1024;

/// Results to record.
#[derive(Debug, Clone)]
pub struct Measuring {
    pub task: String,
    pub role: String,
    /// The log; `-` for standard input.
    pub from: PathBuf,
    /// How to read it; without it, that is found out.
    pub reader: Option<String>,
    pub exit_code: Option<i32>,
    pub baseline: bool,
    pub force_secrets: bool,
    pub actor: String,
}

/// Recorded results.
#[derive(Debug, Clone, Serialize)]
pub struct Results {
    pub task: String,
    pub role: String,
    pub is_baseline: bool,
    pub conclusion: Conclusion,
    /// The results in one line.
    pub words: String,
    pub report: Report,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub comparison: Option<Comparison>,
    /// What the comparison found that a person should look at.
    pub findings: Vec<String>,
    /// The blob with the whole log.
    pub log: String,
}

impl Engine {
    /// Reads results and puts them on the record. The first ones are what later ones are compared
    /// with, as long as the task file is what it was.
    pub fn record_qa(&mut self, measuring: &Measuring) -> Result<Results> {
        let bytes = self.log_bytes(&measuring.from)?;
        let forced = self.screen_bytes([("the log", &bytes[..])], measuring.force_secrets)?;
        let report = read_report(&bytes, measuring)?;
        let mut held = self.hold_context(&measuring.task)?;
        let Held { context, .. } = &mut held;
        let is_unchanged = self.task_file_is_unchanged(context)?;
        rules::may_measure(context, &measuring.role, is_unchanged)?;
        rules::unhindered(context)?;
        self.expect_no_drift(context, &measuring.actor)?;
        let baseline = match context.baseline() {
            Some(measured) => Some(self.stored_report(&measured.report)?),
            None => None,
        };
        let comparison =
            baseline.as_ref().map(|baseline| compare(baseline, std::slice::from_ref(&report)));
        let measured = Measured {
            role: measuring.role.clone(),
            report: self.keep_text(&serde_json::to_vec(&report)?)?,
            totals: report.totals,
            conclusion: report.conclusion(),
            log: self.keep_text(&bytes)?,
            is_baseline: measuring.baseline || baseline.is_none(),
            comparison: match &comparison {
                Some(comparison) => Some(self.keep_text(&serde_json::to_vec(comparison)?)?),
                None => None,
            },
            forced_secrets: forced.rules,
        };
        let results = Results {
            task: context.task.clone(),
            role: measuring.role.clone(),
            is_baseline: measured.is_baseline,
            conclusion: measured.conclusion.clone(),
            words: measured.words(),
            findings: comparison.as_ref().map_or_else(Vec::new, Comparison::findings),
            comparison,
            log: measured.log.blob.to_string(),
            report,
        };
        let event = ContextEvent::Measured(Box::new(measured));
        self.append_context(context, &measuring.actor, vec![event])?;
        Ok(results)
    }

    fn stored_report(&self, text: &Text) -> Result<Report> {
        Ok(serde_json::from_slice(&self.store.blobs().read(&text.blob)?)?)
    }

    fn log_bytes(&self, from: &std::path::Path) -> Result<Vec<u8>> {
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

fn read_report(bytes: &[u8], measuring: &Measuring) -> Result<Report> {
    let format = measuring.reader.as_deref().map(str::parse::<Format>).transpose();
    let format = format.map_err(|error| Error::new(Kind::Usage, error.to_string()))?;
    reports::read(bytes, format, measuring.exit_code).map_err(|mistake| {
        Error::new(Kind::Usage, format!("{}: {mistake}", measuring.from.display()))
            .hint("name the format with --reader, or give --exit-code alone")
    })
}
