//! The events of a verification, and the terms that they stand under.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::aim::Aim;
use super::evidence::{Example, Ground, Planted, is_test};
use super::heeded::heeded;
use super::verdict::Judgement;
use crate::classify::{ContractType, Risk, Tier};
use crate::gaming::Judged;
use crate::id::{Digest, ObjectId};
use crate::ledger::Stored;
use crate::project::Runner;
use crate::receipt::{Identity, Receipt};
use crate::stamp::Stamp;

/// One command that is due.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Due {
    /// What it is for: `typecheck`, `lint`, `unit`; `check` for a user's own.
    pub activity: String,
    /// A shell command.
    pub command: String,
    /// Where it runs, from the root of the repository; empty for the root itself.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub folder: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub runner: Option<Runner>,
    /// Where it was found, in words.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub why: String,
}

impl Due {
    /// Whether it runs tests, as far as its name says.
    pub fn is_test(&self) -> bool {
        is_test(&self.activity)
    }
}

/// What is verified, fixed before anything runs: the contract, as far as the judge needs it, what
/// the work began with, and the commands.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Terms {
    pub task: String,
    pub contract: ContractType,
    pub tier: Tier,
    pub risk: Risk,
    pub aim: Aim,
    pub base_commit: ObjectId,
    pub base_tree: ObjectId,
    pub checks: Vec<Due>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub examples: Vec<Example>,
}

impl Terms {
    /// The words of the task as far as they are read for what it asks, explains and states.
    pub fn heeded(&self) -> &str {
        heeded(&self.task)
    }
}

/// What a person says to what they were to look at.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Answer {
    Accepted,
    Rejected,
}

/// The tests that were planted for a run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlantedOn {
    pub names: Planted,
    /// The tree that they were planted into.
    pub tree: ObjectId,
}

/// One thing that happened in a verification.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", content = "body", rename_all = "snake_case")]
pub enum VerifyEvent {
    Opened {
        terms: Box<Terms>,
        contract: Digest,
        /// What was handed over.
        tree: ObjectId,
        /// The id of the contract that `contract` is a version of.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        agreement: Option<Stamp>,
    },
    Ran {
        ground: Ground,
        receipt: Box<Receipt>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        planted: Option<Box<PlantedOn>>,
    },
    /// A receipt of an earlier verification stands for a run: everything was the same.
    Reused {
        ground: Ground,
        receipt: Box<Receipt>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        planted: Option<Box<PlantedOn>>,
    },
    Judged {
        judgement: Box<Judgement>,
        /// What reading the change found.
        findings: Vec<Judged>,
    },
    /// A person looked at what only a person can judge. It happens once.
    Reviewed {
        by: String,
        answer: Answer,
        #[serde(default, skip_serializing_if = "String::is_empty")]
        note: String,
    },
}

impl Stored for VerifyEvent {
    const PREFIX: &'static str = "verify.";
}

impl VerifyEvent {
    /// The stream of a verification.
    pub fn stream(id: Stamp) -> String {
        format!("verify/{id}")
    }

    /// The receipt, if it holds one, and the name under which it is found again.
    pub fn receipt(&self) -> Option<(&Receipt, Digest)> {
        let (Self::Ran { receipt, planted, .. } | Self::Reused { receipt, planted, .. }) = self
        else {
            return None;
        };
        let identity = receipt.identity();
        let identity = match planted {
            Some(planted) => Identity { tree: &planted.tree, is_planted: true, ..identity },
            None => identity,
        };
        Some((receipt, identity.digest()))
    }

    /// The blobs that this event refers to.
    pub fn blobs(&self) -> Vec<Digest> {
        match self {
            Self::Ran { receipt, .. } | Self::Reused { receipt, .. } => receipt.execution.blobs(),
            Self::Opened { .. } | Self::Judged { .. } | Self::Reviewed { .. } => Vec::new(),
        }
    }
}
