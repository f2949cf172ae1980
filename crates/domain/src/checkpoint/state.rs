//! A checkpoint as the fold of its events, and what can follow what.

use std::fmt;

use serde::Serialize;

use super::{Answering, CheckpointEvent, CheckpointId, Question};
use crate::canonical;
use crate::ledger::{PublicKey, Signature};

/// Words about a question that are no answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Said {
    pub words: String,
    pub by: String,
    pub at: String,
}

/// What a person chose.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Answer {
    /// The key of the option.
    pub choice: String,
    pub words: String,
    pub by: String,
    pub at: String,
    #[serde(skip)]
    pub signature: Option<Signature>,
}

/// Who used the answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Consumed {
    pub by: String,
    pub at: String,
}

/// Why nobody needs an answer any more.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Withdrawn {
    pub why: String,
    pub at: String,
}

/// Where a checkpoint is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum State {
    /// It waits for a person.
    Open,
    /// It was answered, and nothing has used the answer yet.
    Answered,
    /// Its answer was used.
    Consumed,
    /// It was taken back.
    Withdrawn,
}

impl fmt::Display for State {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Open => "waits",
            Self::Answered => "answered",
            Self::Consumed => "used",
            Self::Withdrawn => "taken back",
        })
    }
}

/// A question and all that became of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Checkpoint {
    pub id: CheckpointId,
    pub question: Question,
    pub asked_at: String,
    pub discussed: Vec<Said>,
    pub answer: Option<Answer>,
    pub consumed: Option<Consumed>,
    pub withdrawn: Option<Withdrawn>,
    /// How many events it is made of.
    #[serde(skip)]
    pub sequence: u64,
}

/// Why something can't happen to a checkpoint now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Refusal {
    /// Nothing was asked, or something else under this name.
    NotAsked,
    AskedTwice,
    /// The first answer stands.
    Answered {
        choice: String,
        by: String,
        at: String,
    },
    NotAnswered,
    /// Its answer was used, by another.
    Consumed {
        by: String,
        at: String,
    },
    Withdrawn {
        why: String,
        at: String,
    },
    NoSuchChoice {
        choice: String,
    },
    /// The option takes words as well.
    ReasonNeeded {
        choice: String,
    },
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotAsked => f.write_str("it was never asked"),
            Self::AskedTwice => f.write_str("it was asked already"),
            Self::Answered { choice, by, at } => {
                write!(f, "it was answered with '{choice}' by {by} at {at}")
            }
            Self::NotAnswered => f.write_str("nobody has answered it yet"),
            Self::Consumed { by, at } => write!(f, "its answer was used by {by} at {at}"),
            Self::Withdrawn { why, at } => write!(f, "it was taken back at {at}: {why}"),
            Self::NoSuchChoice { choice } => write!(f, "'{choice}' is none of its options"),
            Self::ReasonNeeded { choice } => write!(f, "'{choice}' takes a reason"),
        }
    }
}

impl Checkpoint {
    /// The fold of its events, each with its time; `None` if there are none.
    pub fn replay(
        id: CheckpointId,
        events: impl IntoIterator<Item = (String, CheckpointEvent)>,
    ) -> Result<Option<Self>, Refusal> {
        let mut events = events.into_iter();
        let mut folded = match events.next() {
            None => return Ok(None),
            Some((asked_at, CheckpointEvent::Asked(question))) if question.id() == id => Self {
                id,
                question: *question,
                asked_at,
                discussed: Vec::new(),
                answer: None,
                consumed: None,
                withdrawn: None,
                sequence: 1,
            },
            Some(_) => return Err(Refusal::NotAsked),
        };
        for (at, event) in events {
            folded.apply(at, event)?;
        }
        Ok(Some(folded))
    }

    pub fn state(&self) -> State {
        match (&self.withdrawn, &self.consumed, &self.answer) {
            (Some(_), _, _) => State::Withdrawn,
            (None, Some(_), _) => State::Consumed,
            (None, None, Some(_)) => State::Answered,
            (None, None, None) => State::Open,
        }
    }

    /// Whether `event` can happen now.
    pub fn check(&self, event: &CheckpointEvent) -> Result<(), Refusal> {
        if let Some(Withdrawn { why, at }) = self.withdrawn.clone() {
            return Err(Refusal::Withdrawn { why, at });
        }
        match (event, self.consumed.clone(), self.answer.clone()) {
            (CheckpointEvent::Asked(_), _, _) => Err(Refusal::AskedTwice),
            (CheckpointEvent::Answered { choice, words, .. }, _, None) => {
                let Some(option) = self.question.option(choice) else {
                    return Err(Refusal::NoSuchChoice { choice: choice.clone() });
                };
                if option.is_reason_needed && words.trim().is_empty() {
                    return Err(Refusal::ReasonNeeded { choice: choice.clone() });
                }
                Ok(())
            }
            (
                CheckpointEvent::Answered { .. } | CheckpointEvent::Discussed { .. },
                _,
                Some(Answer { choice, by, at, .. }),
            ) => Err(Refusal::Answered { choice, by, at }),
            (CheckpointEvent::Consumed { .. }, _, None) => Err(Refusal::NotAnswered),
            (
                CheckpointEvent::Consumed { .. } | CheckpointEvent::Withdrawn { .. },
                Some(Consumed { by, at }),
                _,
            ) => Err(Refusal::Consumed { by, at }),
            (
                CheckpointEvent::Discussed { .. }
                | CheckpointEvent::Consumed { .. }
                | CheckpointEvent::Withdrawn { .. },
                _,
                _,
            ) => Ok(()),
        }
    }

    /// Takes in what happened at `at`.
    pub fn apply(&mut self, at: String, event: CheckpointEvent) -> Result<(), Refusal> {
        self.check(&event)?;
        match event {
            CheckpointEvent::Asked(_) => return Err(Refusal::AskedTwice),
            CheckpointEvent::Discussed { words, by } => self.discussed.push(Said { words, by, at }),
            CheckpointEvent::Answered { choice, words, by, signature } => {
                self.answer = Some(Answer { choice, words, by, at, signature });
            }
            CheckpointEvent::Consumed { by } => self.consumed = Some(Consumed { by, at }),
            CheckpointEvent::Withdrawn { why } => self.withdrawn = Some(Withdrawn { why, at }),
        }
        self.sequence += 1;
        Ok(())
    }

    /// What the signature of an answer to it is over.
    pub fn answering<'a>(&self, choice: &'a str, words: &'a str, by: &'a str) -> Answering<'a> {
        let question = canonical::digest(&self.question);
        Answering { checkpoint: self.id, question, choice, words, by }
    }

    /// Whether its answer, if it has one, was signed with `key`.
    pub fn is_answered_by(&self, key: &PublicKey) -> bool {
        self.answer.as_ref().is_none_or(|Answer { choice, words, by, signature, .. }| {
            self.answering(choice, words, by).is_signed_by(key, signature.as_ref())
        })
    }
}

#[cfg(test)]
#[path = "state_tests.rs"]
mod tests;
