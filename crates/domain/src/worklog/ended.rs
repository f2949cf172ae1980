//! How a session ends: its outcome, and what it amounts to.

use serde::{Deserialize, Serialize};

/// How a session ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    Success,
    Failure,
    Aborted,
    Abandoned,
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
