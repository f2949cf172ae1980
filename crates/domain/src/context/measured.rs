//! The results of a role's checks, as they are stored.

use serde::{Deserialize, Serialize};

use super::event::Text;
use crate::id::Digest;
use crate::qa::{Conclusion, Totals};
use crate::snapshot::PathText;
use crate::worklog::deviation::Tested;

/// The results of a role's checks.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Measured {
    pub role: String,
    /// What was read, as JSON.
    pub report: Text,
    pub totals: Totals,
    pub conclusion: Conclusion,
    /// The log that it was read from.
    pub log: Text,
    /// Whether later results are compared with this one.
    pub is_baseline: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub comparison: Option<Text>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub forced_secrets: Vec<String>,
    /// A digest over the files that the checks ran on, without the reports themselves.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tree: Option<Digest>,
    /// Where the report lay, if in the working tree.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<PathText>,
    /// What the comparison found that a person should look at, in words: tests that are gone.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub findings: Vec<String>,
    /// What is better than it was, in words.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub improvements: Vec<String>,
    /// Why a baseline may leave out what an earlier one had. Without a reason, it stays known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
}

impl Measured {
    /// The results in one line.
    pub fn words(&self) -> String {
        let Totals { passed, failed, errored, skipped, .. } = self.totals;
        let bad = failed + errored;
        let tested = match self.conclusion.tested {
            Tested::Passed => "passed",
            Tested::Failed => "failed",
            Tested::Unknown => "unknown",
        };
        let why = self.conclusion.reasons.join("; ");
        format!("{tested}: {passed} passed, {bad} failed, {skipped} skipped ({why})")
    }
}
