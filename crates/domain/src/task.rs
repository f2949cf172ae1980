//! Tasks: what is to be done, as a person wrote it down in a file.

mod command;
mod id;

use serde::{Deserialize, Serialize};

pub use crate::mistake::{Mistake, Place, Placed, Warning};
pub use command::{Criticality, QaCommand, Retry};
pub use id::TaskId;

/// The roles of a task that names none, in their order.
pub const ROLES: [&str; 3] = ["implementer", "reviewer", "validator"];

/// A task. Texts are as they were written; `normal` makes them alike on all machines.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Task {
    pub id: TaskId,
    pub title: Placed,
    pub priority: Priority,
    /// The part of the project; standards are chosen by it.
    pub area: Placed,
    pub status: Status,
    pub description: Placed,
    pub scope_in: Vec<Placed>,
    pub scope_out: Vec<Placed>,
    pub acceptance_criteria: Vec<Placed>,
    pub qa_commands: Vec<Placed<QaCommand>>,
    /// Sections to cite besides those of the mapping, or with words of their own.
    pub standards: Vec<Placed<Override>>,
    /// Who takes part, one after the other.
    pub roles: Vec<String>,
    pub depends_on: Vec<TaskId>,
    pub tags: Vec<String>,
    pub links: Vec<Link>,
}

/// How urgent a task is; P0 is the most.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Priority {
    P0,
    P1,
    P2,
    P3,
}

/// How far a task has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    Todo,
    InProgress,
    Blocked,
    Done,
    Cancelled,
}

/// A section of a standard that a task itself names.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Override {
    pub file: String,
    /// The heading, or its name in addresses.
    pub section: String,
    /// What it asks for, in the task's words; otherwise the section's first sentence is taken.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub requirement: Option<String>,
}

/// Something to read elsewhere.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Link {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    pub url: String,
}
