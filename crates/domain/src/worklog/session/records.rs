//! What a session keeps of single events.

use jiff::Timestamp;
use serde::Serialize;

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
