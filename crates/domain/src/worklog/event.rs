//! What can happen in a session.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::budget::Work;
use super::flags::Flags;
use super::operation::{End, Operation};
use super::report::{Agent, Source};
use super::summary::Summary;
use super::todo::Todo;
use super::verification::{Mismatch, Outcome as Checked, Resolution};
use crate::classify::{ContractType, Reversibility, Risk, Tier};
use crate::id::{Digest, ObjectId};
use crate::ledger::Stored;
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

/// An operation on the record.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Logged {
    pub operation: Operation,
    /// Whether it is an entry of the worklog, by the policy and the tier of its time.
    pub significant: bool,
    /// Whether the exit code of a command is that of the tests it runs.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub exit_counts: bool,
    /// The whole report, where a person asked for it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub full: Option<Digest>,
    /// When it happened, where that is not when it was recorded.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at: Option<Timestamp>,
}

/// How a session ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    Success,
    Failure,
    Aborted,
    Abandoned,
}

/// Who was told something.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Listener {
    /// The model: it costs tokens.
    Agent,
    /// The person in front of the agent.
    User,
}

/// Why something was said.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Subject {
    /// The agent wanted to stop too early.
    Gate,
    /// Earlier work was left.
    EarlierWork,
    /// The todo list doesn't match.
    Verification,
    /// The memory backend is away.
    Memory,
    /// The record itself is in trouble.
    Trouble,
    /// The hooks were about to be switched off.
    Settings,
    /// A summary asks for a change of course.
    Adjustment,
    /// Storage runs full.
    Retention,
}

/// One fact about a session. The serialised names are stored for ever: add, never change.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", content = "body", rename_all = "snake_case")]
pub enum SessionEvent {
    Opened(Box<Opened>),
    /// A further prompt. The tier is that of its words alone.
    Prompted {
        text: String,
        judged: Judgement,
        #[serde(default, skip_serializing_if = "Flags::is_empty")]
        flags: Flags,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        process: Option<AgentProcess>,
    },
    /// The agent's session went on after a break.
    Resumed {
        source: Source,
    },
    /// The agent forgot what it knew but for a summary.
    Compacted,
    Operated(Box<Logged>),
    /// How a call really ended, learned from the transcript.
    Corrected {
        call: String,
        end: End,
    },
    /// A background command ended, or something else that is told to the agent by its program.
    Notified {
        text: String,
    },
    Delegated {
        lane: String,
        agent: String,
    },
    Returned {
        lane: String,
    },
    Verified {
        attempt: u32,
        result: Checked,
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        mismatches: Vec<Mismatch>,
        /// Where the agent's own list was read.
        source: String,
    },
    Resolved {
        resolution: Resolution,
        by: String,
    },
    Summarised(Box<Summary>),
    /// Earlier sessions were looked for.
    Detected {
        timed_out: bool,
        found: Vec<Stamp>,
    },
    Told {
        to: Listener,
        about: Subject,
        text: String,
    },
    /// Someone changed settings so that the agent would call us no more. `refused`: the agent
    /// did not take the change over.
    Silenced {
        file: String,
        refused: bool,
    },
    /// The transcript has calls that should have been reported, and were not.
    Incomplete {
        missing: u32,
        why: String,
    },
    /// The tree at the end of a turn.
    Snapshotted {
        tree: ObjectId,
    },
    /// A failure of ours, or a report that could not be read.
    Troubled {
        event: String,
        why: String,
    },
    /// Time that we took for ourselves.
    Spent {
        work: Work,
        ms: u64,
    },
    /// Optional work was left out to keep within the time.
    Skipped {
        what: String,
        why: String,
    },
    /// The transcript was compared up to this byte.
    Reconciled {
        file: String,
        bytes: u64,
    },
    /// The memory backend was sent the worklog with so many entries.
    Published {
        entries: u32,
    },
    /// A turn, and perhaps the session, is over.
    Ended(Box<Ended>),
}

/// How a session stood when it ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ended {
    pub outcome: Outcome,
    pub because: String,
    /// Whether the agent's own session is over; if not, it may go on with a further prompt.
    pub is_final: bool,
    pub totals: Totals,
}

/// What a session amounts to.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Totals {
    pub seconds: u64,
    /// All operations.
    pub operations: u32,
    /// Those that the policy counts.
    pub entries: u32,
    pub files: Vec<String>,
    pub todos_completed: u32,
    pub todos_open: u32,
    pub verified: VerificationCounts,
    pub summaries: u32,
    /// Summaries with a deviation that asked for a change of course.
    pub adjustments: u32,
    /// Of those, the ones after which the deviation was gone.
    pub corrected: u32,
}

/// How often the todo list was checked, and how it came out.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct VerificationCounts {
    pub passed: u32,
    pub failed: u32,
    pub skipped: u32,
    pub user_accepted: u32,
}

impl Stored for SessionEvent {
    const PREFIX: &'static str = "session.";
}

impl SessionEvent {
    /// The stream of a session.
    pub fn stream(session: Stamp) -> String {
        format!("session/{session}")
    }
}
