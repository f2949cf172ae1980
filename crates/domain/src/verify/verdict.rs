//! What a verification comes to.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::level::Level;
use crate::gaming::Judged;
use crate::id::Digest;

/// The end of a verification.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    Accepted,
    /// Advice: nothing was verified, and a person reads it.
    Advisory,
    /// A person must look before anybody relies on it.
    Human,
    Refused,
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Accepted => "accepted",
            Self::Advisory => "advisory",
            Self::Human => "a human must look",
            Self::Refused => "refused",
        })
    }
}

/// What one reason does to the verdict.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum Weight {
    /// Worth knowing.
    Note,
    /// A person must look.
    Ask,
    Refuse,
}

/// Why the verdict is what it is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Reason {
    pub weight: Weight,
    pub text: String,
}

/// How a criterion ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Mark {
    Pass,
    Fail,
    Skipped,
}

/// VC-08: one criterion with what became of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Result {
    pub activity: String,
    pub command: String,
    pub mark: Mark,
    pub level: Option<Level>,
    /// How often it was run on what was handed over.
    pub attempts: u32,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    pub receipts: Vec<Digest>,
}

/// The verdict with everything that led to it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Judgement {
    pub verdict: Verdict,
    /// The weakest level among the criteria that run tests; `None` if nothing ran.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub level: Option<Level>,
    pub reasons: Vec<Reason>,
    pub results: Vec<Result>,
    /// What running things showed about gaming; what reading showed is beside it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub findings: Vec<Judged>,
    /// Tests that failed on the base and pass now: what shows that the work does something.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub shown_by: Vec<String>,
    /// Tests that fail, and failed on the base as well.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub failed_before: Vec<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub flaky: Vec<String>,
    /// Criteria that nothing here can run, on the base neither: what they would say is unknown.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub not_run: Vec<NotRun>,
}

/// A criterion that was not run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct NotRun {
    pub activity: String,
    pub command: String,
    /// What is missing, and what would bring it.
    pub why: String,
}

impl Judgement {
    /// The verdict in one line. Who reads nothing else still reads what was not run.
    pub fn line(&self) -> String {
        if self.not_run.is_empty() {
            return self.verdict.to_string();
        }
        let mut names: Vec<&str> = self.not_run.iter().map(|one| one.activity.as_str()).collect();
        names.dedup();
        format!("{}; NOT RUN: {}", self.verdict, names.join(", "))
    }

    /// Takes in what was found besides the evidence itself. It can only make the verdict graver.
    pub fn add(&mut self, reasons: impl IntoIterator<Item = Reason>) {
        self.reasons.extend(reasons);
        let worst = self.reasons.iter().map(|reason| reason.weight).max();
        self.verdict = match (worst, self.verdict) {
            (Some(Weight::Refuse), _) => Verdict::Refused,
            (Some(Weight::Ask), Verdict::Accepted) => Verdict::Human,
            (_, verdict) => verdict,
        };
        self.reasons.sort_by_key(|reason| std::cmp::Reverse(reason.weight));
    }
}
