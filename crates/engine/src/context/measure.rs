//! The results of checks, read from what a runner wrote and compared with the baseline.

use std::io::Read as _;
use std::path::PathBuf;

use countersign_domain::context::{ContextEvent, Measured, rules};
use countersign_domain::qa::{Comparison, Report, Verdict, compare};
use countersign_exec::reports::{self, Format};
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
    pub verdict: Verdict,
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
        let format = measuring.reader.as_deref().map(format_named).transpose()?;
        let report = reports::read(&bytes, format, measuring.exit_code).map_err(|mistake| {
            Error::new(Kind::Usage, format!("{}: {mistake}", measuring.from.display()))
                .hint("name the format with --reader, or give --exit-code alone")
        })?;
        let mut held = self.hold_context(&measuring.task)?;
        let Held { context, .. } = &mut held;
        let is_unchanged = self.task_file_is_unchanged(context)?;
        rules::may_measure(context, &measuring.role, is_unchanged)?;
        rules::unhindered(context)?;
        self.expect_no_drift(context, &measuring.actor)?;
        let baseline = context.baseline().map(|measured| measured.report.clone());
        let is_baseline = measuring.baseline || baseline.is_none();
        let comparison = baseline.as_ref().map(|baseline| compare(baseline, std::slice::from_ref(&report)));
        let log = self.keep_text(&bytes)?;
        let results = Results {
            task: context.task.clone(),
            role: measuring.role.clone(),
            is_baseline,
            verdict: report.verdict(),
            words: report.words(),
            findings: comparison.as_ref().map_or_else(Vec::new, Comparison::findings),
            comparison: comparison.clone(),
            log: log.blob.to_string(),
            report: report.clone(),
        };
        let measured = Measured {
            role: measuring.role.clone(),
            report,
            log,
            is_baseline,
            comparison,
            forced_secrets: forced.rules,
        };
        let event = ContextEvent::Measured(Box::new(measured));
        self.append_context(context, &measuring.actor, vec![event])?;
        Ok(results)
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

fn format_named(name: &str) -> Result<Format> {
    name.parse().map_err(|_| {
        let names: Vec<String> = Format::ALL.iter().map(ToString::to_string).collect();
        Error::new(Kind::Usage, format!("there is no reader '{name}'"))
            .hint(format!("it is one of {}", names.join(", ")))
    })
}
