//! The phases of a session's work: what has happened since the last summary, and whether
//! another one is due.

use std::collections::{BTreeMap, BTreeSet};

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::deviation::{Evidence, Tested, deviations};
use super::operation::{Deed, End, Operation};
use super::plan::Plan;
use super::summary::{Summary, Verifications};
use super::todo::TodoUpdate;
use super::todos::TodoList;
use super::verification::Outcome;
use crate::classify::Tier;

/// A list of so many todos is a plan.
pub const MIN_PLAN: usize = 3;

/// What is over.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Phase {
    PlanningComplete,
    ExecutionComplete,
    VerificationComplete,
}

impl Phase {
    pub fn name(self) -> &'static str {
        match self {
            Self::PlanningComplete => "planning_complete",
            Self::ExecutionComplete => "execution_complete",
            Self::VerificationComplete => "verification_complete",
        }
    }
}

/// When the question is asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Moment {
    /// A call is about to be made, or has ended.
    Working,
    /// The agent wants to stop, or has.
    Stopping,
}

/// What the policy says of an operation.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Noted {
    pub significant: bool,
    /// As in [`super::command::Runner`].
    pub exit_counts: bool,
}

/// The fold: what happened since the last summary, and a little about before.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Progress {
    operations: u32,
    files: BTreeSet<String>,
    verifications: Verifications,
    /// Every file of the session.
    all_files: BTreeSet<String>,
    planning: Planning,
    execution: Execution,
    /// Calls that change files and have not ended.
    pending: BTreeSet<String>,
    /// Runs of tests that have not ended, with their runners.
    #[serde(default)]
    running: BTreeMap<String, String>,
    /// Tests ended, and no summary told of it.
    verified: bool,
    /// The last run of tests, also before the last summary.
    tested: Option<(String, Tested)>,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Planning {
    #[default]
    Nothing,
    /// There is a list, of whatever length.
    Listed,
    Summarised,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Execution {
    #[default]
    Nothing,
    /// Files were changed, and no summary told of it.
    Edited,
    /// And tests have begun since.
    Testing,
}

fn changes(operation: &Operation) -> impl Iterator<Item = &String> {
    let files = match &operation.deed {
        Deed::Edit { files } | Deed::Write { files } => files.as_slice(),
        _ => &[],
    };
    files.iter().map(|file| &file.path)
}

fn is_change(operation: &Operation) -> bool {
    matches!(operation.deed, Deed::Edit { .. } | Deed::Write { .. })
}

fn runner(operation: &Operation) -> Option<&String> {
    match &operation.deed {
        Deed::Command { runner, .. } => runner.as_ref(),
        _ => None,
    }
}

impl Progress {
    /// A call is about to be made.
    pub fn began(&mut self, operation: &Operation) {
        if is_change(operation)
            && let Some(call) = &operation.call
        {
            self.pending.insert(call.clone());
        }
        if let Some(runner) = runner(operation) {
            self.test();
            if let Some(call) = &operation.call {
                self.running.insert(call.clone(), runner.clone());
            }
        }
    }

    /// A call that was told of and never made. If tests are said to have run in it, nobody knows
    /// any more whether they pass.
    pub fn unmade(&mut self, operation: &Operation) {
        if let Some(call) = &operation.call {
            self.pending.remove(call);
            self.running.remove(call);
        }
        let has_failed = matches!(&self.tested, Some((_, Tested::Failed)));
        if let Some(runner) = runner(operation).filter(|_| !has_failed) {
            self.tested = Some((runner.clone(), Tested::Unknown));
        }
    }

    /// The same session was told otherwise `before`: what was said of its tests is to be said anew.
    pub fn differs_from(&mut self, before: &Self) {
        self.verified |= self.tested != before.tested;
    }

    fn test(&mut self) {
        if self.execution == Execution::Edited {
            self.execution = Execution::Testing;
        }
    }

    /// A call has ended, or will never be heard of again.
    pub fn operated(&mut self, operation: &Operation, noted: Noted) {
        if let Some(call) = &operation.call {
            self.pending.remove(call);
            self.running.remove(call);
        }
        self.operations += u32::from(noted.significant);
        if !operation.end.ran() {
            return;
        }
        if is_change(operation) && !matches!(operation.end, End::Failed { .. }) {
            self.execution = Execution::Edited;
            self.files.extend(changes(operation).cloned());
            self.all_files.extend(changes(operation).cloned());
        }
        if let Deed::Todo { update } = &operation.deed
            && self.planning == Planning::Nothing
            && !matches!(update, TodoUpdate::Read { .. })
        {
            self.planning = Planning::Listed;
        }
        if let Some(runner) = runner(operation) {
            self.test();
            if let Some(tested) = Tested::of(&operation.end, noted.exit_counts) {
                self.tested = Some((runner.clone(), tested));
                self.verified = true;
            }
        }
    }

    /// A verification of the todos came to its end.
    pub fn verified(&mut self, outcome: Outcome) {
        self.verifications.count(outcome);
    }

    /// The summaries that are due, in their order.
    pub fn due(&self, tier: Tier, todos: &TodoList, moment: Moment) -> Vec<Phase> {
        let strict = tier == Tier::Strict;
        if tier < Tier::Standard {
            return Vec::new();
        }
        let listed = self.planning == Planning::Listed;
        let plans = strict && listed && todos.counts().total() >= MIN_PLAN;
        // At the end nothing is pending any more, whatever we did not hear of.
        let ended = moment == Moment::Stopping;
        let executes = match self.execution {
            Execution::Nothing => false,
            Execution::Edited => ended,
            Execution::Testing => ended || self.pending.is_empty(),
        };
        let verifies = strict && self.verified;
        [
            (plans, Phase::PlanningComplete),
            (executes, Phase::ExecutionComplete),
            (verifies, Phase::VerificationComplete),
        ]
        .into_iter()
        .filter_map(|(due, phase)| due.then_some(phase))
        .collect()
    }

    /// What a summary of this phase says now.
    pub fn summary(&self, phase: Phase, at: Timestamp, scene: &Scene<'_>) -> Summary {
        let counts = scene.todos.counts();
        let stopping = scene.moment == Moment::Stopping;
        let last = self.tested.as_ref().map(|(runner, tested)| (runner.as_str(), *tested));
        let tested = if stopping { self.tested() } else { last };
        let evidence = Evidence {
            plan: scene.plan,
            root: scene.root,
            files: &self.all_files,
            todos: (phase != Phase::PlanningComplete).then_some(scene.todos),
            // Tests that ran before the change say nothing about it; unless no others come.
            tested: tested.filter(|_| stopping || phase == Phase::VerificationComplete),
            last_chance: stopping && scene.tier == Tier::Strict,
        };
        Summary {
            phase,
            at,
            operations: self.operations,
            files: self.files.iter().cloned().collect(),
            todos_done: counts.completed,
            todos_remaining: counts.open(),
            deviations: deviations(&evidence),
            verification: self.verifications,
        }
    }

    /// A summary was written down.
    pub fn summarised(&mut self, phase: Phase) {
        match phase {
            Phase::PlanningComplete => self.planning = Planning::Summarised,
            Phase::ExecutionComplete => self.execution = Execution::Nothing,
            Phase::VerificationComplete => self.verified = false,
        }
        self.operations = 0;
        self.files.clear();
        self.verifications = Verifications::default();
    }

    /// Every file that the session changed, as the agent wrote it.
    pub fn all_files(&self) -> &BTreeSet<String> {
        &self.all_files
    }

    /// The last run of tests. Of one that goes on, nobody knows how it will end.
    pub fn tested(&self) -> Option<(&str, Tested)> {
        if let Some(runner) = self.running.values().next_back() {
            return Some((runner, Tested::Unknown));
        }
        self.tested.as_ref().map(|(runner, tested)| (runner.as_str(), *tested))
    }
}

/// What a summary is made in sight of.
#[derive(Debug, Clone, Copy)]
pub struct Scene<'a> {
    pub tier: Tier,
    pub moment: Moment,
    pub plan: &'a Plan,
    /// The root of the repository.
    pub root: Option<&'a str>,
    pub todos: &'a TodoList,
}

#[cfg(test)]
#[path = "phase_tests.rs"]
mod tests;
