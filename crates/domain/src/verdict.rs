//! What a verifier concludes. It must rest on receipts of ours: evidence that only a verifier has
//! seen is a story.
//!
//! A verdict can stop work and can't save it: whether the checks passed is not its to say.

mod once;
mod read;

use serde::{Deserialize, Serialize};

pub use read::read;

/// The five looks that every verdict must account for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Look {
    EvidenceGate,
    LayerEnforcement,
    TestSufficiency,
    AntiGaming,
    WorkerProcessAudit,
}

impl Look {
    pub const ALL: [Self; 5] = [
        Self::EvidenceGate,
        Self::LayerEnforcement,
        Self::TestSufficiency,
        Self::AntiGaming,
        Self::WorkerProcessAudit,
    ];

    pub fn name(self) -> &'static str {
        match self {
            Self::EvidenceGate => "evidence gate",
            Self::LayerEnforcement => "layer enforcement",
            Self::TestSufficiency => "test sufficiency",
            Self::AntiGaming => "anti-gaming",
            Self::WorkerProcessAudit => "worker process audit",
        }
    }

    /// As verifiers spell it: `IL-1 Evidence Gate`, `anti_gaming`.
    fn of(name: &str) -> Option<Self> {
        let name = name.to_lowercase().replace(['-', '_'], " ");
        Self::ALL.into_iter().find(|look| name.contains(&look.name().replace('-', " ")))
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Conclusion {
    Pass,
    Fail,
    /// It can't tell without an answer.
    RequestInfo,
    /// It says that this can't be judged or done.
    Blocked,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Severity {
    Critical,
    Major,
    Minor,
}

/// What kind of failure it is: a wrong specification is not mended by a stronger model.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FailureCategory {
    Spec,
    Implementation,
    Integration,
    Flaky,
}

/// What a verifier would do next. It is kept and passed on; what happens is ruled by us.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Transition {
    Complete,
    Continue,
    Blocked,
}

impl Transition {
    pub const ALL: [Self; 3] = [Self::Complete, Self::Continue, Self::Blocked];

    pub fn name(self) -> &'static str {
        match self {
            Self::Complete => "complete",
            Self::Continue => "continue",
            Self::Blocked => "blocked",
        }
    }
}

/// One thing that a verifier holds against the work.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Issue {
    pub id: String,
    pub severity: Severity,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub criterion: Option<String>,
    pub description: String,
    /// A suggestion, and no more.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fix_hint: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failure_category: Option<FailureCategory>,
}

/// One look, with what it found and what that rests on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reasoned {
    pub check: Look,
    pub decision: String,
    pub basis: String,
}

/// A criterion, as the verifier sees it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CriterionSeen {
    pub criterion: String,
    pub met: bool,
    pub evidence: String,
}

/// What a verifier handed in.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AgentVerdict {
    pub verdict: Conclusion,
    pub summary: String,
    pub criteria: Vec<CriterionSeen>,
    pub reasoning: Vec<Reasoned>,
    pub missing_evidence: Vec<String>,
    pub issues: Vec<Issue>,
    /// Receipts that it names, as it wrote them.
    pub receipts: Vec<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub recommended_transition: Option<Transition>,
    /// What the next attempt should do, as it proposes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next_contract: Option<String>,
}

/// What a verdict is held against.
#[derive(Debug, Clone, Copy)]
pub struct Expectation<'a> {
    pub story: Option<&'a str>,
    /// The acceptance criteria that it must speak about.
    pub criteria: &'a [String],
    /// The receipts that there are, by the names that the verifier was given.
    pub receipts: &'a [String],
}
