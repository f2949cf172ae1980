//! What can happen in a run.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::{AskFor, Consequence, Crew, Examined, Outside, Reviewed, Ruling, Verified};
use crate::agent::{AgentSpec, Heard};
use crate::claim::Claimed;
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
    /// Who works and who judges, where more is wanted than a command and its checks.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub crew: Option<Box<Crew>>,
}

/// When the commit of an accepted run comes on its branch.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Lands {
    /// As soon as there is one.
    #[default]
    AtOnce,
    /// It is that of a story: its relay puts it on top of what others came to, and makes the branch
    /// when all are through.
    InTurn,
}

impl Opened {
    pub fn lands(&self) -> Lands {
        match self.crew.as_deref() {
            // All stories together are judged where they are.
            Some(crew) if crew.story.is_some() && crew.handed.is_none() => Lands::InTurn,
            _ => Lands::AtOnce,
        }
    }
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
    /// Several attempts in a row changed nothing.
    Unchanged,
    /// Fixes did not hold, and a person decided to stop.
    Escalated,
    /// A person did not take what we found.
    FindingsRejected,
    /// The worker said that it can't be done, and a person agreed.
    Impossible,
    /// A person did not raise the budget.
    BudgetReached,
    /// The verifiers did not agree, and a person decided to stop.
    NoConsensus,
    /// Nobody came to a verdict.
    NotJudged,
    /// An agent could not run.
    AgentUnavailable,
}

/// How a run ended. There is exactly one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "outcome", rename_all = "snake_case")]
pub enum Outcome {
    /// `branch` is where the commit is, or comes when its relay has ended ([`Opened::lands`]).
    Accepted {
        tree: ObjectId,
        commit: ObjectId,
        branch: String,
    },
    Refused {
        because: RefusedBecause,
    },
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
        /// What the user's repository was like before a reviewer looks.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        fingerprint: Option<Digest>,
    },
    /// Somebody looked at the assignment before the work, or it is said why nobody did.
    Reviewed(Box<Reviewed>),
    /// The attempt's prompt is fixed and its worker is about to start.
    Launched {
        attempt: u32,
        prompt: Digest,
        /// Who works, where there is a crew.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        agent: Option<AgentSpec>,
        /// What the user's repository was like before it starts.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        fingerprint: Option<Digest>,
    },
    /// The attempt was cut off before its end was recorded; what it left was kept.
    Interrupted {
        attempt: u32,
        tree: Option<ObjectId>,
        /// What changed in the user's own repository meanwhile.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        outside: Vec<Outside>,
    },
    /// The worker ended. Its word is a claim, nothing more.
    Worked {
        attempt: u32,
        execution: Box<Execution>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        heard: Option<Box<Heard>>,
        /// What changed in the user's own repository meanwhile.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        outside: Vec<Outside>,
    },
    /// What the worker says it did.
    Claimed {
        attempt: u32,
        claimed: Claimed,
    },
    Snapshotted {
        attempt: u32,
        tree: ObjectId,
        /// Repositories that lie inside: their files are not part of the tree.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        nested: Vec<String>,
        /// Paths that git can't hold: they are not part of the tree either.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        unheld: Vec<String>,
        /// The worker's folder was gone; the tree is what the attempt started from.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        is_gone: bool,
    },
    Checked(Box<Receipt>),
    /// The whole verification of what was handed over: checks on several grounds, and gaming.
    Examined(Box<Examined>),
    /// A verifier's prompt is fixed and it is about to start.
    VerifierLaunched {
        attempt: u32,
        verifier: u32,
        prompt: Digest,
        /// What the user's repository was like before it starts.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        fingerprint: Option<Digest>,
    },
    Verified(Box<Verified>),
    /// A verifier was cut off before its end was recorded.
    VerifierInterrupted {
        attempt: u32,
        verifier: u32,
        /// What changed in the user's own repository meanwhile.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        outside: Vec<Outside>,
    },
    /// The user's own repository was looked at besides: before checks that nothing confines, and once it can be
    /// looked at again after it could not, or after whoever ran them was cut off.
    Looked {
        attempt: u32,
        /// What it was like before checks.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        fingerprint: Option<Digest>,
        /// What changed there since it was looked at before.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        outside: Vec<Outside>,
    },
    Ruled(Ruling),
    /// The time that a ruling told to wait is over.
    Waited {
        attempt: u32,
    },
    /// A person is asked.
    Asked {
        /// Which question of this run, counted from 1.
        number: u32,
        ask_for: AskFor,
        checkpoint: String,
    },
    /// The answer was taken, once.
    Resolved {
        number: u32,
        choice: String,
        consequence: Consequence,
        #[serde(default, skip_serializing_if = "String::is_empty")]
        words: String,
        by: String,
        at: Timestamp,
    },
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
            Self::Launched { prompt, fingerprint, .. }
            | Self::VerifierLaunched { prompt, fingerprint, .. } => {
                std::iter::once(*prompt).chain(*fingerprint).collect()
            }
            Self::Prepared { fingerprint, .. } | Self::Looked { fingerprint, .. } => {
                fingerprint.iter().copied().collect()
            }
            Self::Worked { execution, .. } => execution.blobs(),
            Self::Checked(receipt) => receipt.execution.blobs(),
            Self::Reviewed(reviewed) => reviewed.blobs(),
            Self::Verified(verified) => verified.execution.blobs(),
            Self::Ruled(ruling) => ruling.report.into_iter().collect(),
            _ => Vec::new(),
        }
    }

    /// What changed in the user's own repository while an agent was at work.
    pub fn outside(&self) -> &[Outside] {
        match self {
            Self::Reviewed(reviewed) => &reviewed.outside,
            Self::Interrupted { outside, .. }
            | Self::Worked { outside, .. }
            | Self::VerifierInterrupted { outside, .. }
            | Self::Looked { outside, .. } => outside,
            Self::Verified(verified) => &verified.outside,
            Self::Checked(receipt) => &receipt.outside,
            Self::Examined(examined) => &examined.outside,
            _ => &[],
        }
    }

    /// The stream of a run.
    pub fn stream(run: Stamp) -> String {
        format!("run/{run}")
    }
}
