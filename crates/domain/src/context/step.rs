//! One step of a context: a tree on the record, and what was said about it.

use jiff::Timestamp;
use serde::Serialize;

use super::event::{Handed, Incremental};
use crate::snapshot::Recorded;

/// How many files with conflicts are named.
const MOST_CONFLICTS: usize = 12;

/// A tree on the record.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Step {
    /// `start`, a role, or `resolution`.
    pub name: String,
    pub at: Timestamp,
    pub by: String,
    pub recorded: Recorded,
    pub incremental: Option<Incremental>,
    pub handed: Option<Handed>,
    pub note: Option<String>,
}

impl Step {
    /// What was begun in the working tree and not brought to an end when the step was made.
    pub fn unfinished(&self) -> Vec<String> {
        let operation = self.recorded.position.operation.iter();
        let mut found: Vec<String> =
            operation.map(|operation| format!("{} was not finished", operation.words())).collect();
        let conflicts = self.handed.iter().flat_map(|handed| &handed.conflicts);
        let all: Vec<String> = conflicts.map(ToString::to_string).collect();
        if !all.is_empty() {
            let more = all.len().saturating_sub(MOST_CONFLICTS);
            let named = all.iter().take(MOST_CONFLICTS).cloned().collect::<Vec<_>>().join(", ");
            let more = if more > 0 { format!(" and {more} more") } else { String::new() };
            found.push(format!("markers of a conflict are in {named}{more}"));
        }
        found
    }
}
