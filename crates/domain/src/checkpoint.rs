//! Checkpoints: questions to a person that outlive the process that asked them, with the answers to
//! choose from. Each is answered once, and its answer is used once.
//!
//! Nothing here answers by itself. A moment that has passed makes a question more urgent, and never
//! decides it: silence is neither a yes nor a no.

mod event;
mod options;
mod question;
mod state;
mod trigger;

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

pub use event::{Answering, CheckpointEvent};
pub use options::{Offer, Standard, key};
pub use question::{Choice, NoChoice, Question, Subject, Unfit};
pub use state::{Answer, Checkpoint, Consumed, Refusal, Said, State, Withdrawn};
pub use trigger::{Trigger, Urgency};

use crate::id::IdError;
use crate::stamp::Stamp;

/// A question's name: the run that asks, and which of its questions it is, from one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct CheckpointId {
    pub run: Stamp,
    pub number: u32,
}

impl CheckpointId {
    /// The name of its stream.
    pub fn stream(self) -> String {
        format!("checkpoint/{self}")
    }
}

impl fmt::Display for CheckpointId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.run, self.number)
    }
}

impl FromStr for CheckpointId {
    type Err = IdError;

    fn from_str(text: &str) -> Result<Self, IdError> {
        let parsed = text.split_once('.').and_then(|(run, number)| {
            let id = Self { run: run.parse().ok()?, number: number.parse().ok()? };
            (id.number > 0 && id.to_string() == text).then_some(id)
        });
        parsed.ok_or_else(|| IdError::new("a checkpoint (RUN.NUMBER)", text))
    }
}

impl TryFrom<String> for CheckpointId {
    type Error = IdError;

    fn try_from(text: String) -> Result<Self, IdError> {
        text.parse()
    }
}

impl From<CheckpointId> for String {
    fn from(id: CheckpointId) -> Self {
        id.to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// CO-12: a question has one name, and one spelling of it.
    #[test]
    fn ids_have_one_spelling() {
        let id: CheckpointId = "20261116_101500_001.12".parse().unwrap();
        assert_eq!((id.number, id.to_string().as_str()), (12, "20261116_101500_001.12"));
        assert_eq!(id.stream(), "checkpoint/20261116_101500_001.12");
        for bad in ["", "20261116_101500_001", "20261116_101500_001.", "20261116_101500_001.0"] {
            assert!(bad.parse::<CheckpointId>().is_err(), "{bad}");
        }
        for bad in
            ["20261116_101500_001.01", "20261116_101500_001.+1", "x.1", "20261116_101500_001.1.1"]
        {
            assert!(bad.parse::<CheckpointId>().is_err(), "{bad}");
        }
    }
}
