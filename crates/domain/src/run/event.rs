//! What can happen in a run.

use serde::{Deserialize, Serialize};

use super::Ruling;
use crate::contract::Contract;
use crate::id::{Digest, ObjectId};
use crate::ledger::Stored;
use crate::receipt::{Execution, Receipt};
use crate::stamp::Stamp;

/// Where the work starts from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Base {
    pub commit: ObjectId,
    pub tree: ObjectId,
    /// The branch that was checked out, if any.
    pub branch: Option<String>,
}

/// The bounds of a run, fixed when it is opened.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Limits {
    pub attempts: u32,
    pub worker_seconds: u64,
    pub check_seconds: u64,
    pub output_bytes: u64,
}

/// The first event of every run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Opened {
    pub base: Base,
    pub contract: Contract,
    pub contract_hash: Digest,
    /// The worker as the user named it, such as `command:make fix`.
    pub worker: String,
    pub limits: Limits,
}

/// Why a run ended without acceptance.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RefusedBecause {
    /// Every attempt was refused.
    AttemptsExhausted,
    /// The contract has nothing that could prove the work.
    NothingToCheck,
    /// A person ended the run.
    Cancelled,
}

/// How a run ended. There is exactly one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "outcome", rename_all = "snake_case")]
pub enum Outcome {
    Accepted { tree: ObjectId, commit: ObjectId, branch: String },
    Refused { because: RefusedBecause },
}

/// One fact about a run. The serialised names are stored for ever: add, never change.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", content = "body", rename_all = "snake_case")]
pub enum RunEvent {
    Opened(Box<Opened>),
    /// The attempt has a checkout of its own.
    Prepared {
        attempt: u32,
        tree: ObjectId,
    },
    /// The attempt's prompt is fixed and its worker is about to start.
    Launched {
        attempt: u32,
        prompt: Digest,
    },
    /// The attempt was cut off before its end was recorded; what it left was kept.
    Interrupted {
        attempt: u32,
        tree: Option<ObjectId>,
    },
    /// The worker ended. Its word is a claim, nothing more.
    Worked {
        attempt: u32,
        execution: Box<Execution>,
    },
    Snapshotted {
        attempt: u32,
        tree: ObjectId,
        /// Repositories that lie inside: their files are not part of the tree.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        nested: Vec<String>,
    },
    Checked(Box<Receipt>),
    Ruled(Ruling),
    /// The accepted tree is a commit on a branch of its own.
    Committed {
        commit: ObjectId,
        branch: String,
    },
    /// A person asked for the end of the run.
    CancelRequested {
        by: String,
    },
    Closed(Outcome),
}

impl Stored for RunEvent {
    const PREFIX: &'static str = "run.";
}

impl RunEvent {
    /// The blobs that this event refers to.
    pub fn blobs(&self) -> Vec<Digest> {
        match self {
            Self::Launched { prompt, .. } => vec![*prompt],
            Self::Worked { execution, .. } => execution.blobs(),
            Self::Checked(receipt) => receipt.execution.blobs(),
            _ => Vec::new(),
        }
    }

    /// The stream of a run.
    pub fn stream(run: Stamp) -> String {
        format!("run/{run}")
    }
}
