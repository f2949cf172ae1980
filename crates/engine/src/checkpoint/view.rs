//! The view rows of checkpoints, for lists.

use countersign_domain::canonical;
use countersign_domain::checkpoint::{Checkpoint, CheckpointId, State, Trigger, Urgency};
use countersign_domain::ledger::Event;
use countersign_store::{ViewChange, ViewRow};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::fold;
use crate::Engine;
use crate::error::Result;

/// The kind of the view rows.
pub(crate) const VIEW: &str = "checkpoint";
/// As much of a text as a list shows.
const SHOWN: usize = 200;

/// What was answered, in a list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RowAnswer {
    pub choice: String,
    /// The beginning of what was said.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub words: String,
    pub by: String,
    pub at: String,
}

/// A checkpoint in a list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CheckpointRow {
    pub id: CheckpointId,
    pub state: State,
    pub trigger: Trigger,
    pub attempt: u32,
    /// The beginning of the question.
    pub question: String,
    /// The keys of the answers to choose from.
    pub options: Vec<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub recommended: Option<String>,
    pub urgency: Urgency,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expires_at: Option<Timestamp>,
    pub asked_at: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub answer: Option<RowAnswer>,
}

fn shortened(text: &str) -> String {
    text.trim().lines().next().unwrap_or_default().chars().take(SHOWN).collect()
}

/// The key of a row: ids sort by run, and by number within it.
fn key_of(id: CheckpointId) -> String {
    format!("{}.{:010}", id.run, id.number)
}

pub(super) fn row(checkpoint: &Checkpoint) -> Result<ViewChange> {
    let question = &checkpoint.question;
    let row = CheckpointRow {
        id: checkpoint.id,
        state: checkpoint.state(),
        trigger: question.trigger,
        attempt: question.subject.attempt,
        question: shortened(&question.question),
        options: question.options.iter().map(|choice| choice.key.clone()).collect(),
        recommended: question.recommended().map(|choice| choice.key.clone()),
        urgency: question.urgency,
        expires_at: question.expires_at,
        asked_at: checkpoint.asked_at.clone(),
        answer: checkpoint.answer.as_ref().map(|answer| RowAnswer {
            choice: answer.choice.clone(),
            words: shortened(&answer.words),
            by: answer.by.clone(),
            at: answer.at.clone(),
        }),
    };
    let body = canonical::to_string(&row)?;
    Ok(ViewRow { kind: VIEW.into(), key: key_of(checkpoint.id), body }.into())
}

/// The rows that follow from the events of one stream.
pub(crate) fn rows_of(stream: &str, events: &[Event]) -> Result<Vec<ViewChange>> {
    let Some(Ok(id)) = stream.strip_prefix("checkpoint/").map(str::parse) else {
        return Ok(Vec::new());
    };
    fold(id, events)?.iter().map(row).collect()
}

impl Engine {
    /// The checkpoints, those asked last first, with the urgency that they have by now: those that
    /// wait, or all.
    pub fn checkpoints(&self, is_all: bool) -> Result<Vec<CheckpointRow>> {
        let mut rows = self.rows_below("")?;
        rows.retain(|row| is_all || row.state == State::Open);
        rows.sort_by(|one, other| other.asked_at.cmp(&one.asked_at).then(other.id.cmp(&one.id)));
        Ok(rows)
    }

    /// The questions of `run`, in the order in which they are counted.
    pub fn checkpoints_of(&self, run: countersign_domain::Stamp) -> Result<Vec<CheckpointRow>> {
        let mut rows = self.rows_below(&format!("{run}."))?;
        rows.sort_by_key(|row| row.id);
        Ok(rows)
    }

    /// The rows whose id begins with `prefix`, as far as its key does too.
    pub(super) fn rows_below(&self, prefix: &str) -> Result<Vec<CheckpointRow>> {
        let now = self.host.now();
        let rows = self.store.views(VIEW, prefix, u32::MAX)?;
        let read = |row: &ViewRow| -> Result<CheckpointRow> {
            let row: CheckpointRow = serde_json::from_str(&row.body)?;
            let urgency = row.urgency.at(row.expires_at, now);
            Ok(CheckpointRow { urgency, ..row })
        };
        rows.iter().map(read).collect()
    }
}
