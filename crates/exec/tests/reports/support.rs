//! The recordings, and how what was read of them is written down.

use std::path::Path;

use countersign_domain::qa::{Case, Format, Report};
use countersign_exec::reports::{Known, Mistake, read_from};

/// One output of a real runner.
#[derive(Debug, Clone)]
pub struct Recording {
    /// Its folder and file.
    pub name: String,
    pub format: Format,
    pub exit_code: i32,
    pub bytes: Vec<u8>,
}

pub fn recordings() -> Vec<Recording> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/reports/recorded");
    let index = std::fs::read_to_string(folder.join("index.tsv")).unwrap();
    let recordings: Vec<Recording> = index
        .lines()
        .map(|line| {
            let fields: Vec<&str> = line.split('\t').collect();
            let [name, format, code, _] = fields[..] else { panic!("{line}") };
            Recording {
                name: name.to_owned(),
                format: format.parse().unwrap(),
                exit_code: code.parse().unwrap(),
                bytes: std::fs::read(folder.join(name)).unwrap(),
            }
        })
        .collect();
    assert!(recordings.len() > 200, "the recordings are not there");
    recordings
}

pub fn recording(name: &str) -> Recording {
    recordings().into_iter().find(|recording| recording.name == name).unwrap()
}

impl Recording {
    /// What is read of it, with all that is known.
    pub fn read(&self) -> Result<Report, Mistake> {
        self.read_bytes(&self.bytes)
    }

    /// What is read of other bytes in its place.
    pub fn read_bytes(&self, bytes: &[u8]) -> Result<Report, Mistake> {
        let (format, exit_code) = (Some(self.format), Some(self.exit_code));
        read_from(bytes, &Known { format, exit_code, root: Some("/repo") })
    }

    /// The runner and the rest of the name.
    pub fn folder(&self) -> &str {
        self.name.split('/').next().unwrap()
    }
}

/// A report, one line for each thing that it says.
pub fn lines(result: &Result<Report, Mistake>) -> String {
    let report = match result {
        Ok(report) => report,
        Err(mistake) => return format!("  mistake: {mistake}\n"),
    };
    let conclusion = report.conclusion();
    let claimed = report.claimed.map_or("nothing".to_owned(), |claimed| claimed.to_string());
    let complete = if report.is_complete { "complete" } else { "incomplete" };
    let mut text = format!(
        "  {:?} ({:?}): counted {}; claimed {claimed}; {complete}; exit {}\n",
        conclusion.tested,
        conclusion.basis,
        report.totals,
        report.exit_code.map_or("unknown".to_owned(), |code| code.to_string()),
    );
    for reason in &conclusion.reasons {
        text.push_str(&format!("    because {reason}\n"));
    }
    for doubt in &report.doubts {
        text.push_str(&format!("    doubt {:?}: {doubt}\n", doubt.kind));
    }
    for suite in &report.suites {
        text.push_str(&format!("    suite {:?} {}: {}\n", suite.id, suite.outcome, suite.unnamed));
    }
    report.cases.iter().for_each(|case| text.push_str(&case_line(case)));
    text
}

fn case_line(case: &Case) -> String {
    let attempts: Vec<String> = case.attempts.iter().map(ToString::to_string).collect();
    let attempts =
        if attempts.is_empty() { String::new() } else { format!(" ({})", attempts.join(", ")) };
    let message = case.message.as_ref().map(|message| format!(": {message:?}")).unwrap_or_default();
    format!("    {} {}{attempts}{message}\n", case.outcome, case.id)
}

/// A report in one line.
pub fn brief(report: &Report) -> String {
    let case = |case: &Case| case_line(&Case { message: None, ..case.clone() }).trim().to_owned();
    let suite = |suite: &countersign_domain::qa::Suite| {
        format!("{} {}: {}", suite.id, suite.outcome, suite.unnamed)
    };
    let cases = report.cases.iter().map(case).chain(report.suites.iter().map(suite));
    let doubts: Vec<String> =
        report.doubts.iter().map(|doubt| format!("{:?}", doubt.kind)).collect();
    let doubts =
        if doubts.is_empty() { String::new() } else { format!(" {{{}}}", doubts.join(", ")) };
    let cases: Vec<String> = cases.collect();
    format!("{:?}: {} [{}]{doubts}", report.conclusion().tested, report.totals, cases.join(", "))
}
