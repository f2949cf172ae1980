//! Tasks: what is to be done, as a person wrote it down in a file.

mod check;
mod command;
mod edit;
mod id;
mod lists;
mod read;
mod template;

use serde::{Deserialize, Serialize};

pub use crate::mistake::{Mistake, Place, Placed, Warning};
pub use crate::yaml::MAX_BYTES;
pub use command::{Criticality, QaCommand, Retry};
pub use edit::with_status;
pub use id::TaskId;
pub use template::{is_unfilled, template};

/// The usual roles, in their order, for a task that names none.
pub const ROLES: [&str; 3] = ["implementer", "reviewer", "validator"];

/// A task. Texts are as they were written; `normal` makes them alike on all machines.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Task {
    /// The file it was read from, as the caller named it.
    pub file: String,
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
    /// Who takes part, one after the other; none if the task leaves that to others.
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

impl Priority {
    pub const ALL: [Self; 4] = [Self::P0, Self::P1, Self::P2, Self::P3];

    pub const fn name(self) -> &'static str {
        match self {
            Self::P0 => "P0",
            Self::P1 => "P1",
            Self::P2 => "P2",
            Self::P3 => "P3",
        }
    }

    /// Reads `P1` and `p1`.
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|priority| priority.name().eq_ignore_ascii_case(text))
    }
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

impl Status {
    pub const ALL: [Self; 5] =
        [Self::Todo, Self::InProgress, Self::Blocked, Self::Done, Self::Cancelled];

    /// As it is written in a task.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Todo => "todo",
            Self::InProgress => "in_progress",
            Self::Blocked => "blocked",
            Self::Done => "done",
            Self::Cancelled => "cancelled",
        }
    }

    /// Reads the names and what others call them; `-`, `_` and spaces are the same.
    pub fn parse(text: &str) -> Option<Self> {
        let text = text.to_ascii_lowercase().replace(['-', ' '], "_");
        match text.as_str() {
            "open" | "pending" | "ready" => Some(Self::Todo),
            "started" | "doing" => Some(Self::InProgress),
            "complete" | "completed" | "closed" => Some(Self::Done),
            "canceled" | "wont_do" => Some(Self::Cancelled),
            _ => Self::ALL.into_iter().find(|status| status.name() == text),
        }
    }
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
