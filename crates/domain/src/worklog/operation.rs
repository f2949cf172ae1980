//! One thing that an agent did, in the same shape for all agents.

use serde::{Deserialize, Serialize};

use super::todo::TodoUpdate;

/// One call of a tool.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Operation {
    /// The agent's id of the call, by which parallel calls are paired.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub call: Option<String>,
    /// The agent's own name of the tool.
    pub tool: String,
    /// What it did, or was about to do.
    pub deed: Deed,
    pub end: End,
    /// The id of the sub-agent that did it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lane: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub duration_ms: Option<u64>,
    pub seen: Seen,
}

/// How we know of an operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Seen {
    /// From the event of the call itself.
    Hook,
    /// From the list of a turn's calls: no event of its own told of it.
    Batch,
    /// Only from the agent's transcript, afterwards.
    Transcript,
}

/// What a call does.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Deed {
    /// Changes or reads the agent's list of todos.
    Todo { update: TodoUpdate },
    /// Changes files that are there.
    Edit { files: Vec<FileChange> },
    /// Writes whole files.
    Write { files: Vec<FileChange> },
    /// Runs a command.
    Command {
        command: String,
        /// The agent's id of the background task, if it went there.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        background: Option<String>,
        /// The program that runs tests, if it does; known once the policy has looked at it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        runner: Option<String>,
    },
    /// Starts a sub-agent.
    Delegate { agent: String, purpose: String },
    /// Reads or searches, and changes nothing.
    Look { what: String },
    /// Anything else: a tool that we don't know.
    Other { what: String },
}

impl Deed {
    /// Whether both are the same deed, told at different times: what it is about is the same,
    /// what came of it may differ.
    pub fn is_like(&self, other: &Self) -> bool {
        let paths = |files: &[FileChange]| -> Vec<String> {
            files.iter().map(|file| file.path.clone()).collect()
        };
        match (self, other) {
            (Self::Command { command: one, .. }, Self::Command { command: other, .. }) => {
                one == other || is_short_for(one, other) || is_short_for(other, one)
            }
            (
                Self::Edit { files: one } | Self::Write { files: one },
                Self::Edit { files: other } | Self::Write { files: other },
            ) => paths(one) == paths(other),
            (Self::Todo { .. }, Self::Todo { .. }) => true,
            (one, other) => one == other,
        }
    }
}

/// Whether one text is the other, shortened.
fn is_short_for(short: &str, long: &str) -> bool {
    short.strip_suffix('…').is_some_and(|start| !start.is_empty() && long.starts_with(start))
}

/// A file that a call changed, as the agent says.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileChange {
    /// As the agent wrote it: absolute, or from the folder it works in.
    pub path: String,
    pub fate: FileFate,
    /// Lines; 0 where the agent doesn't say.
    #[serde(default)]
    pub added: u32,
    #[serde(default)]
    pub removed: u32,
}

/// What becomes of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FileFate {
    Created,
    Changed,
    Deleted,
}

/// How a call ended, as far as anybody said.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "end", rename_all = "snake_case")]
pub enum End {
    /// It began, and nothing is known of its end: it goes on in the background, or was cut off.
    Initiated,
    /// It ended without an error. `exit` is `None` where the agent doesn't say with which code
    /// a command ended: that is unknown, and never a pass.
    Completed {
        #[serde(default, skip_serializing_if = "Option::is_none")]
        exit: Option<i32>,
    },
    Failed {
        #[serde(default, skip_serializing_if = "Option::is_none")]
        exit: Option<i32>,
        why: String,
    },
    TimedOut,
    /// A person stopped it.
    Interrupted,
    /// It was not allowed, and never ran.
    Denied {
        why: String,
    },
    /// It made no sense to the agent's own program (an unknown tool, a text that is not there),
    /// and never ran.
    Rejected {
        why: String,
    },
}

impl End {
    /// Whether the call did something, or may have.
    pub fn ran(&self) -> bool {
        !matches!(self, Self::Denied { .. } | Self::Rejected { .. })
    }

    /// Whether this end gives the lie to `other`: both can't be true of one call, and this one is
    /// the worse.
    pub fn belies(&self, other: &Self) -> bool {
        match other {
            Self::Completed { exit: None | Some(0) } => match self {
                Self::Initiated | Self::Completed { exit: None | Some(0) } => false,
                Self::Completed { .. }
                | Self::Failed { .. }
                | Self::TimedOut
                | Self::Interrupted
                | Self::Denied { .. }
                | Self::Rejected { .. } => true,
            },
            Self::Denied { .. } | Self::Rejected { .. } => {
                matches!(self, Self::TimedOut | Self::Failed { exit: Some(_), .. })
            }
            _ => false,
        }
    }

    pub fn exit(&self) -> Option<i32> {
        match self {
            Self::Completed { exit } | Self::Failed { exit, .. } => *exit,
            _ => None,
        }
    }
}
