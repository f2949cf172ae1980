//! An agent's own list of what there is to do: one model for every tool that keeps one.

use serde::{Deserialize, Serialize};

/// One thing to do.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Todo {
    /// The agent's id; lists that are always written whole have none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    pub content: String,
    pub status: TodoStatus,
}

/// Where a todo stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TodoStatus {
    Pending,
    InProgress,
    Completed,
    /// Given up, and said so.
    Cancelled,
}

impl TodoStatus {
    /// Whether something is left to do.
    pub fn is_open(self) -> bool {
        matches!(self, Self::Pending | Self::InProgress)
    }

    /// The status behind an agent's word for it.
    pub fn parse(word: &str) -> Option<Self> {
        match word {
            "pending" | "todo" | "open" => Some(Self::Pending),
            "in_progress" | "in-progress" | "inProgress" | "active" => Some(Self::InProgress),
            "completed" | "complete" | "done" => Some(Self::Completed),
            "cancelled" | "canceled" | "deleted" => Some(Self::Cancelled),
            _ => None,
        }
    }
}

/// A call that changes or reads the list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "how", rename_all = "snake_case")]
pub enum TodoUpdate {
    /// The whole list anew (TodoWrite, plan updates). `read_back` is the list that the agent's
    /// program said it has now.
    Listed {
        claimed: Vec<Todo>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        read_back: Option<Vec<Todo>>,
    },
    /// One more todo; `id` is `None` while the agent has not given it one.
    Created {
        #[serde(default, skip_serializing_if = "Option::is_none")]
        id: Option<String>,
        content: String,
    },
    /// A change of one todo. `read_back` is the status that the agent's program said it has now.
    Changed {
        id: String,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        content: Option<String>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        status: Option<TodoStatus>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        read_back: Option<TodoStatus>,
    },
    /// The agent looked at its list (TaskList): nothing is claimed, everything is read back.
    Read { todos: Vec<Todo> },
}

impl TodoUpdate {
    /// Whether both claim the same. An id may be known to one of them only.
    pub fn claims_as(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Listed { claimed: one, .. }, Self::Listed { claimed: other, .. }) => {
                one == other
            }
            (Self::Created { content: one, .. }, Self::Created { content: other, .. }) => {
                one == other
            }
            (
                Self::Changed { id: one, status, .. },
                Self::Changed { id: other, status: other_status, .. },
            ) => one == other && status == other_status,
            (Self::Read { .. }, Self::Read { .. }) => true,
            _ => false,
        }
    }
}
