//! What can happen in a session.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::budget::Work;
use super::ended::{Ended, Outcome};
use super::flags::Flags;
use super::opened::{AgentProcess, Judgement, Opened};
use super::operation::{Deed, End, Operation};
use super::report::Source;
use super::summary::Summary;
use super::verification::{Mismatch, Outcome as Checked, Resolution};
use crate::id::{Digest, ObjectId};
use crate::ledger::Stored;
use crate::stamp::Stamp;

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

impl Logged {
    /// Whether another deed than `other` is told under the same id, where it matters: a run of
    /// tests, a list of todos. Other words of the same deed are no other deed: agents let hooks
    /// rewrite what they do.
    pub fn is_another(&self, other: &Self) -> bool {
        let runs_tests =
            |logged: &Self| matches!(logged.operation.deed, Deed::Command { runner: Some(_), .. });
        match (&self.operation.deed, &other.operation.deed) {
            (Deed::Todo { update: one }, Deed::Todo { update: other }) => !one.claims_as(other),
            (Deed::Todo { .. }, _) | (_, Deed::Todo { .. }) => true,
            _ => runs_tests(self) != runs_tests(other),
        }
    }
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
    /// The record was compared with the transcript. These operations, and no others, hooks told of
    /// and nobody made: by their place on the record, from 0, as ids can be made up too.
    Compared {
        unmade: Vec<u32>,
    },
    /// The record could not be compared: hooks alone tell what is on it.
    Unconfirmed {
        why: String,
    },
    /// The memory backend was sent the worklog with so many entries.
    Published {
        entries: u32,
    },
    /// The agent stopped, or its session ended, when nothing could be decided. How that ended is
    /// found out later, unless it is known.
    Stopped {
        #[serde(default, skip_serializing_if = "Option::is_none")]
        outcome: Option<Outcome>,
        #[serde(default, skip_serializing_if = "String::is_empty")]
        because: String,
        is_final: bool,
    },
    /// A turn, and perhaps the session, is over.
    Ended(Box<Ended>),
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
