//! How questions of the same sort were answered before.

use std::collections::BTreeMap;

use countersign_domain::checkpoint::{Checkpoint, CheckpointId};
use serde::Serialize;

use crate::Engine;
use crate::error::Result;

/// As many earlier answers as are told.
const MOST_TOLD: usize = 3;

/// One earlier answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Precedent {
    pub id: CheckpointId,
    pub choice: String,
    /// The beginning of what was said.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub words: String,
    pub at: String,
}

/// Earlier answers to questions with the same trigger.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Precedents {
    /// How often each was chosen, the most frequent first.
    pub chosen: Vec<(String, u32)>,
    /// The newest of them.
    pub newest: Vec<Precedent>,
}

impl Engine {
    /// How questions with the trigger of `checkpoint` were answered before it was.
    pub fn precedents(&self, checkpoint: &Checkpoint) -> Result<Precedents> {
        let rows = self.checkpoints(true)?.into_iter();
        let others = rows
            .filter(|row| row.trigger == checkpoint.question.trigger && row.id != checkpoint.id)
            .filter(|row| row.asked_at <= checkpoint.asked_at);
        let mut counts: BTreeMap<String, u32> = BTreeMap::new();
        let mut newest = Vec::new();
        for row in others {
            let Some(answer) = row.answer else { continue };
            *counts.entry(answer.choice.clone()).or_default() += 1;
            if newest.len() < MOST_TOLD {
                let (choice, words, at) = (answer.choice, answer.words, answer.at);
                newest.push(Precedent { id: row.id, choice, words, at });
            }
        }
        let mut chosen: Vec<(String, u32)> = counts.into_iter().collect();
        chosen.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
        Ok(Precedents { chosen, newest })
    }
}
