//! How a session begins: what was asked for, by whom, where, and how closely it is looked at.

use serde::{Deserialize, Serialize};

use super::flags::Flags;
use super::report::Agent;
use super::todo::Todo;
use crate::classify::{ContractType, Reversibility, Risk, Tier};
use crate::id::{Digest, ObjectId};
use crate::stamp::Stamp;

/// The first event of every session.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Opened {
    pub agent: Agent,
    /// The agent's own name of its session.
    pub agent_session: String,
    /// What the agent was asked to do, shortened; empty if the session was met in its middle.
    pub task: String,
    /// The hash of the whole text, without flags: two sessions with the same one have the same
    /// task.
    pub task_hash: Digest,
    pub judged: Judgement,
    #[serde(default)]
    pub flags: Flags,
    pub place: Place,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub transcript: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub process: Option<AgentProcess>,
    /// Todos that were left by an earlier session and taken over.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub taken_over: Vec<Todo>,
    /// The session that they are from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<Stamp>,
    /// What the policy is known by that was fixed for the session.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub policy: Option<Digest>,
}

/// The process of an agent: numbers are used again, so its start is part of its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct AgentProcess {
    pub pid: i32,
    /// In ticks since the machine was started.
    pub born: u64,
}

/// What the classifier said of a prompt.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Judgement {
    pub tier: Tier,
    /// 0 to 1.
    pub confidence: f64,
    pub contract: ContractType,
    pub risk: Risk,
    pub reversibility: Reversibility,
    /// Whether a person chose the tier.
    pub overridden: bool,
    pub reasons: Vec<String>,
}

/// Where a session works.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Place {
    /// The root of the working tree; paths that are not text are made readable.
    pub worktree: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub commit: Option<ObjectId>,
    /// The tree as it was found, uncommitted changes included.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tree: Option<ObjectId>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub branch: Option<String>,
}
