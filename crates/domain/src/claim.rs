//! What a worker says it did. A claim proves nothing; it is held against what we find.
//!
//! A worker always has an honest way out: to say that the task is impossible, contradicts itself
//! or needs a person. It can only ask for that; the ruling is ours.

mod audit;
mod read;

use serde::{Deserialize, Serialize};

pub use audit::{Audit, audit};
pub use read::{read, read_said};
pub(crate) use read::{shorten, strings, text};

/// What kind of step a worker took.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StepKind {
    Plan,
    WriteTest,
    VerifyRed,
    Implement,
    VerifyGreen,
    Refactor,
    VerifyE2e,
    VerifyExisting,
    Commit,
    Verify,
}

impl StepKind {
    pub const ALL: [Self; 10] = [
        Self::Plan,
        Self::WriteTest,
        Self::VerifyRed,
        Self::Implement,
        Self::VerifyGreen,
        Self::Refactor,
        Self::VerifyE2e,
        Self::VerifyExisting,
        Self::Commit,
        Self::Verify,
    ];

    pub fn name(self) -> &'static str {
        match self {
            Self::Plan => "plan",
            Self::WriteTest => "write_test",
            Self::VerifyRed => "verify_red",
            Self::Implement => "implement",
            Self::VerifyGreen => "verify_green",
            Self::Refactor => "refactor",
            Self::VerifyE2e => "verify_e2e",
            Self::VerifyExisting => "verify_existing",
            Self::Commit => "commit",
            Self::Verify => "verify",
        }
    }

    /// Whether such a step has run a command.
    pub fn runs(self) -> bool {
        matches!(
            self,
            Self::VerifyRed
                | Self::VerifyGreen
                | Self::VerifyE2e
                | Self::VerifyExisting
                | Self::Verify
        )
    }
}

/// One step, as the worker tells it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ClaimedStep {
    pub step: StepKind,
    /// The acceptance criterion that it served.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ac_id: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub command: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exit_code: Option<i64>,
    pub summary: String,
}

/// What a worker says about the state of its work.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "status", rename_all = "snake_case")]
pub enum Stand {
    /// All of it is done.
    Done,
    /// Some criteria are done, and it says why the others are not.
    Partly { verified: Vec<String>, deferred: Vec<String>, because: String },
    /// It can't be done as it is asked for: the honest way out.
    Blocked { because: String, kind: BlockedKind },
}

/// Why a worker says that it can't go on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum BlockedKind {
    /// What is asked for contradicts itself.
    Contradictory,
    /// It can't be done here.
    Impossible,
    /// A person has to decide or provide something.
    NeedsHuman,
}

impl BlockedKind {
    pub fn words(self) -> &'static str {
        match self {
            Self::Contradictory => "the task contradicts itself",
            Self::Impossible => "the task can't be done",
            Self::NeedsHuman => "a person is needed",
        }
    }
}

/// What a worker handed in about one story or goal.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Claim {
    /// The story that it is about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub us_id: Option<String>,
    /// The attempt that it says it is about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub iteration: Option<u64>,
    #[serde(flatten)]
    pub stand: Stand,
    pub claims: Vec<String>,
    pub execution_steps: Vec<ClaimedStep>,
    /// Why the attempt before failed, as the worker sees it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reflection: Option<String>,
}

/// What came of a worker's claim.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "claim", rename_all = "snake_case")]
pub enum Claimed {
    /// It can be held against what we find. `from` says where it was.
    Given { body: Box<Claim>, from: ClaimPlace },
    /// It made none.
    None,
    /// It can't be used: each fault names the field.
    Unfit { faults: Vec<String> },
}

/// Where a claim was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ClaimPlace {
    File,
    /// In the worker's last words, since it left no file.
    LastWords,
}

impl Claimed {
    pub fn given(&self) -> Option<&Claim> {
        match self {
            Self::Given { body, .. } => Some(body),
            _ => None,
        }
    }
}
