//! Who works and who judges: agents as users name them, what they used, and how they ended.
//!
//! What an agent prints is read elsewhere, each in its own dialect; here are the words that all
//! of them are told in.

mod spec;
mod usage;

use std::fmt;

use serde::{Deserialize, Serialize};

pub use spec::{AgentSpec, Kind, Unnamed};
pub use usage::{Money, Usage};

/// What an agent is started for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// Changes files in a checkout of its own.
    Worker,
    /// Judges what was handed over, and may change nothing.
    Verifier,
    /// Looks at an assignment before anybody works on it.
    Reviewer,
}

impl fmt::Display for Role {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Worker => "worker",
            Self::Verifier => "verifier",
            Self::Reviewer => "reviewer",
        })
    }
}

/// How an agent came to its end, by what it said and not only by its exit code: some agents
/// leave with 0 after an error, and call an error a success.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "end", rename_all = "snake_case")]
pub enum AgentEnd {
    /// It said all that it had to say.
    Finished,
    /// Its model is asked too often; the same again is worth a try, later.
    RateLimited {
        /// If it was told how long to wait.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        retry_seconds: Option<u64>,
    },
    /// Its model's server is overloaded, failing, or not to be reached.
    Overloaded { detail: String },
    /// Its conversation outgrew the model: a fresh one is worth a try.
    ContextOverflow,
    /// It has no key, a wrong one, or one that has expired.
    NotLoggedIn { detail: String },
    /// It was ended at what it may spend.
    BudgetReached,
    /// It was ended at how many turns it may take.
    TurnsExhausted,
    /// It ended without saying anything that could be read.
    Silent,
    /// We ended it: its deadline, its output, or because somebody asked for it.
    Stopped { why: String },
    /// Anything else that is no end of work.
    Failed { detail: String },
}

impl AgentEnd {
    /// Whether it came to the end of its work. That is no praise of the work.
    pub fn is_finished(&self) -> bool {
        matches!(self, Self::Finished)
    }

    /// Whether the same again, later, may end otherwise.
    pub fn is_passing(&self) -> bool {
        matches!(self, Self::RateLimited { .. } | Self::Overloaded { .. })
    }
}

impl fmt::Display for AgentEnd {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Finished => f.write_str("finished"),
            Self::RateLimited { retry_seconds: Some(seconds) } => {
                write!(f, "rate limited for {seconds} s")
            }
            Self::RateLimited { retry_seconds: None } => f.write_str("rate limited"),
            Self::Overloaded { detail } => write!(f, "its model failed: {detail}"),
            Self::ContextOverflow => f.write_str("its conversation outgrew the model"),
            Self::NotLoggedIn { detail } => write!(f, "not logged in: {detail}"),
            Self::BudgetReached => f.write_str("stopped at its budget"),
            Self::TurnsExhausted => f.write_str("stopped at its number of turns"),
            Self::Silent => f.write_str("ended without saying anything"),
            Self::Stopped { why } => write!(f, "stopped: {why}"),
            Self::Failed { detail } => write!(f, "failed: {detail}"),
        }
    }
}

/// What was heard from an agent by its end.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Heard {
    #[serde(flatten)]
    pub end: AgentEnd,
    /// Its last words, cut to a bounded length. They are a claim.
    pub said: String,
    /// Its own name of the conversation.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
    /// The model that it says it used.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    pub usage: Usage,
    /// What it wanted to do and was not allowed to, in its words.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub denied: Vec<String>,
}
