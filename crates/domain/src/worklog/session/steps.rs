//! What follows from operations for todos and phases, step by step, so that it can be told anew
//! when an operation turns out never to have been made.

use super::super::event::Logged;
use super::super::operation::{Deed, End, Operation};
use super::super::phase::{Noted, Phase};
use super::super::todo::TodoUpdate;
use super::super::todos::TodoList;
use super::super::verification::Outcome as Checked;
use super::Session;

/// Something that todos or phases follow from. Operations are named by their place.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Step {
    Prompted,
    Began(usize),
    Ended(usize),
    Verified(Checked),
    Summarised(Phase),
}

/// Whether an operation writes the list of a sub-agent, which is its own affair. Single tasks
/// are shared.
pub fn is_foreign(operation: &Operation) -> bool {
    let is_list = matches!(
        operation.deed,
        Deed::Todo { update: TodoUpdate::Listed { .. } | TodoUpdate::Read { .. } }
    );
    is_list && operation.lane.is_some()
}

impl Session {
    /// Takes the next step.
    pub(super) fn step(&mut self, step: Step) {
        self.steps.push(step);
        self.follow(step);
    }

    /// The transcript was compared: these operations were never made.
    pub(super) fn compared(&mut self, places: &[u32]) {
        let places = places.iter().filter_map(|at| usize::try_from(*at).ok());
        let unmade = places.filter(|at| *at < self.operations.len()).collect();
        self.unconfirmed = None;
        if self.unmade != unmade {
            self.unmade = unmade;
            self.retell();
            self.tell_doubts();
        }
    }

    /// Goes through all steps again, with operations as they are known now.
    pub(super) fn retell(&mut self) {
        self.todos = TodoList::new(self.opened.taken_over.clone());
        let before = std::mem::take(&mut self.progress);
        for at in 0..self.steps.len() {
            self.follow(self.steps[at]);
        }
        self.progress.differs_from(&before);
    }

    fn follow(&mut self, step: Step) {
        let at = match step {
            Step::Prompted => return self.todos.begin_task(),
            Step::Verified(result) => return self.progress.verified(result),
            Step::Summarised(phase) => return self.progress.summarised(phase),
            Step::Began(at) | Step::Ended(at) => at,
        };
        let logged = &self.operations[at].what;
        let operation = &logged.operation;
        let is_open = operation.end == End::Initiated;
        if self.unmade.contains(&at) {
            return self.progress.unmade(operation);
        }
        if is_open {
            return self.progress.began(operation);
        }
        if matches!(step, Step::Began(_)) {
            // Its end is a step of its own.
            return;
        }
        let Logged { significant, exit_counts, .. } = *logged;
        self.progress.operated(operation, Noted { significant, exit_counts });
        if let (Deed::Todo { update }, End::Completed { .. }) = (&operation.deed, &operation.end)
            && !is_foreign(operation)
        {
            self.todos.apply(update);
        }
    }
}

#[cfg(test)]
#[path = "steps_tests.rs"]
mod tests;
