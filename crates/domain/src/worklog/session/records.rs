//! What a session keeps of single events.

use jiff::Timestamp;
use serde::Serialize;

use super::super::ended::Outcome;
use super::super::event::{Listener, Subject};
use super::super::verification::{Mismatch, Outcome as Checked, Resolution};
use crate::stamp::Stamp;

/// Something that happened at a time.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct At<T> {
    pub time: Timestamp,
    #[serde(flatten)]
    pub what: T,
}

/// One check of the todo list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Verification {
    pub attempt: u32,
    pub result: Checked,
    pub mismatches: Vec<Mismatch>,
    pub source: String,
}

/// Something that was said.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Said {
    pub to: Listener,
    pub about: Subject,
    pub text: String,
}

/// An end of a turn that nothing was decided about yet.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Stopped {
    /// How it ended, where that is known without a decision.
    pub known: Option<(Outcome, String)>,
    /// Whether the agent stopped of its own will.
    pub in_peace: bool,
    /// Whether the agent's own session is over.
    pub is_final: bool,
}

/// What a person decided.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Decided {
    pub resolution: Resolution,
}

/// A look for earlier work.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Detection {
    pub timed_out: bool,
    pub found: Vec<Stamp>,
}
