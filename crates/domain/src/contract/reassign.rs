//! What another worker must know about work that did not hold, and what came of theirs.

use std::fmt::Write as _;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::event::Agreement;
use super::results::{CriterionResult, Overall, Results, Status};
use crate::id::{Digest, ObjectId};

/// The most characters of an output that are handed on, for each criterion.
const MOST_OUTPUT: usize = 4000;

/// A criterion that did not hold.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Failed {
    /// Its place in the contract, counted from one.
    pub criterion: u32,
    pub words: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub command: Option<String>,
    /// How often it was run under this contract.
    pub attempts: u32,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub output: String,
}

/// What is handed to another worker: exactly what did not hold, and nothing of how it was tried.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Reassignment {
    pub task: String,
    #[schemars(with = "String")]
    pub contract: Digest,
    /// Who did the work that did not hold, as far as that was said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent: Option<String>,
    /// What they handed over.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<String>")]
    pub tree: Option<ObjectId>,
    pub failed: Vec<Failed>,
    /// What else speaks against the work.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub reasons: Vec<String>,
}

impl Reassignment {
    /// What did not hold of the newest work; `None` if nothing failed, if it is not decided yet, if a
    /// person accepted it, or if there is none.
    pub fn of(agreement: &Agreement) -> Option<Self> {
        let results = agreement.results.last()?;
        // What nobody knows yet is no failure.
        if results.overall != Overall::Fail || results.is_accepted() {
            return None;
        }
        let contract = &agreement.version(results.contract)?.contract;
        let failed = |result: &CriterionResult| {
            let at = usize::try_from(result.criterion).ok()?.checked_sub(1)?;
            let criterion = contract.criteria.get(at)?;
            (result.status == Status::Fail).then(|| Failed {
                criterion: result.criterion,
                words: criterion.words(),
                command: criterion.command.clone(),
                attempts: result.attempts,
                error: result.error.clone(),
                output: result.output.chars().take(MOST_OUTPUT).collect(),
            })
        };
        Some(Self {
            task: contract.task.clone(),
            contract: results.contract,
            agent: results.agent.clone(),
            tree: results.tree.clone(),
            failed: results.criteria.iter().filter_map(failed).collect(),
            reasons: results.reasons.clone(),
        })
    }

    /// It as readable text for the worker that takes over.
    pub fn render(&self) -> String {
        let mut text =
            "Earlier work on this task did not hold. What is known about it:\n".to_owned();
        for one in &self.failed {
            let _ = write!(text, "\n{}. {}", one.criterion, one.words);
            if let Some(command) = &one.command {
                let _ = write!(text, "\n   run: {command}");
            }
            let _ = writeln!(text, "\n   failed{}", times(one.attempts));
            if let Some(error) = &one.error {
                let _ = writeln!(text, "   {error}");
            }
            for line in one.output.trim_end().lines() {
                let _ = writeln!(text, "   | {line}");
            }
        }
        for reason in &self.reasons {
            let _ = writeln!(text, "\n- {reason}");
        }
        text
    }
}

/// How often a criterion was run so far, where that is more than once: the same work may have been
/// looked at again.
fn times(runs: u32) -> String {
    if runs > 1 { format!("; it was run {runs} times so far") } else { String::new() }
}

/// What became of one criterion in the hands of two workers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Beside {
    pub words: String,
    /// Nothing where a criterion was added or dropped in between.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub before: Option<Status>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub after: Option<Status>,
}

/// The results of two workers under one contract, side by side.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Comparison {
    pub before: Results,
    pub after: Results,
    pub criteria: Vec<Beside>,
}

impl Agreement {
    /// The newest results beside the newest ones of another worker before them, or beside the ones
    /// before if nobody said who worked.
    pub fn compare(&self) -> Option<Comparison> {
        let (after, earlier) = self.results.split_last()?;
        let is_other = |results: &&Results| results.agent != after.agent;
        let before = earlier.iter().rev().find(is_other).or(earlier.last())?;
        let (old, new) = (self.statuses(before)?, self.statuses(after)?);
        let of = |all: &[(String, Status)], words: &str| {
            all.iter().find(|(known, _)| known == words).map(|(_, status)| *status)
        };
        let mut names: Vec<&String> = old.iter().chain(&new).map(|(words, _)| words).collect();
        let mut seen = std::collections::BTreeSet::new();
        names.retain(|words| seen.insert(*words));
        let criteria = names
            .into_iter()
            .map(|words| Beside {
                before: of(&old, words),
                after: of(&new, words),
                words: words.clone(),
            })
            .collect();
        Some(Comparison { before: before.clone(), after: after.clone(), criteria })
    }

    fn statuses(&self, results: &Results) -> Option<Vec<(String, Status)>> {
        let criteria = &self.version(results.contract)?.contract.criteria;
        let of = |result: &CriterionResult| {
            let at = usize::try_from(result.criterion).ok()?.checked_sub(1)?;
            let criterion = criteria.get(at)?;
            let command = criterion.command.as_deref().unwrap_or_default();
            Some((format!("{} {command}", criterion.words()).trim().to_owned(), result.status))
        };
        Some(results.criteria.iter().filter_map(of).collect())
    }
}
