//! Contracts: what will be checked, fixed before the work and named by their hash.

mod amend;
mod critics;
mod draft;
mod event;
mod predict;
mod reassign;
mod render;
mod results;
pub mod rules;
mod task;

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::id::{Digest, ObjectId};
use crate::stamp::Stamp;

pub use amend::{Amendment, amend};
pub use critics::questions;
pub use draft::{Drafting, draft};
pub use event::{Agreement, ContractEvent, Refusal, Version};
pub use predict::{Expected, History, Source, predict};
pub use reassign::{Beside, Comparison, Failed, Reassignment};
pub use render::render;
pub use results::{CriterionResult, Overall, Results, Reviewed, Status};
pub use rules::{Rules, Timing};
pub use task::{Criterion, GeneratedFrom, Scope, TaskContract, Unfit, Why};

/// One command that must succeed on the tree that was handed over.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Check {
    /// A shell command, as the user wrote it.
    pub command: String,
    /// How long it may take, where whoever named it gives it less time than the run gives to all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seconds: Option<u64>,
}

impl Check {
    /// A command that may take as long as any.
    pub fn new(command: impl Into<String>) -> Self {
        Self { command: command.into(), seconds: None }
    }
}

/// What one run must prove. It names its run and its base, so that no result of another
/// task can be counted for this one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Contract {
    pub run: Stamp,
    pub goal: String,
    pub base_commit: ObjectId,
    pub base_tree: ObjectId,
    pub checks: Vec<Check>,
    /// The contract of the task that it was made from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub made_from: Option<MadeFrom>,
}

/// The version of a task's contract that the contract of a run was made from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct MadeFrom {
    pub id: Stamp,
    pub hash: Digest,
    /// For each check, the number of its criterion, counted from one.
    pub criteria: Vec<u32>,
}

impl Contract {
    /// The commands that have less time than others, and how much.
    pub fn own_seconds(&self) -> BTreeMap<String, u64> {
        let own = |check: &Check| Some((check.command.clone(), check.seconds?));
        self.checks.iter().filter_map(own).collect()
    }

    /// The contract's name: any change to it gives another.
    pub fn hash(&self) -> Digest {
        crate::canonical::digest(self)
    }
}
