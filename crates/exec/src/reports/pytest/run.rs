//! One run of pytest, as far as it has been told.

use std::collections::{BTreeMap, BTreeSet};

use countersign_domain::qa::listed::demote;
use countersign_domain::qa::{Case, Listed, Outcome, Totals};

use super::lines::{self, Final, Told, Word};
use crate::reports::room::Room;
use crate::reports::text::Line;

#[derive(Debug, Default)]
pub(super) struct Run {
    pub(super) line: u64,
    pub(super) has_header: bool,
    pub(super) section: Section,
    /// How many tests were collected.
    pub(super) expected: Option<u64>,
    pub(super) listed: Listed,
    /// Failures of tests that are run again.
    pub(super) reruns: BTreeMap<String, usize>,
    /// Tests that began and have not ended.
    pub(super) begun: BTreeSet<String>,
    pub(super) dots: BTreeMap<String, Totals>,
    /// All dots together.
    pub(super) shown: Totals,
    pub(super) file: String,
    /// What is named at the end.
    pub(super) named: BTreeMap<String, Case>,
    /// Whether xdist runs it in several processes.
    pub(super) is_parallel: bool,
    /// Whether all tests were run, as the last line of dots has it.
    pub(super) is_full: bool,
    pub(super) room: Room,
    /// A last line that doesn't fit what is listed.
    pub(super) unfit: Option<(Final, u64)>,
}

#[derive(Debug, Default, Clone, Copy, PartialEq)]
pub(super) enum Section {
    #[default]
    Progress,
    Short,
    /// What tests printed, and other things that say nothing about outcomes.
    Other,
}

impl Run {
    pub(super) fn listed(&self) -> Totals {
        let mut totals = self.listed.count();
        totals += self.shown;
        totals
    }

    /// A test and its outcome.
    pub(super) fn tell(&mut self, told: &Told<'_>, line: &Line<'_>) {
        self.begun.remove(&told.id);
        // Without xdist, one test ends before the next one begins.
        if told.worker.is_empty() {
            self.forget_begun();
        }
        let outcome = match told.word {
            Word::Outcome(outcome) => line.believe(outcome),
            Word::Rerun => {
                if self.reruns.contains_key(&told.id) || self.room.take(&told.id) {
                    *self.reruns.entry(told.id.clone()).or_default() += 1;
                }
                return;
            }
        };
        let mut case = Case::new(&told.id, outcome);
        case.message = told.message.map(str::to_owned);
        if let Some(failed) = self.reruns.remove(&told.id) {
            case.attempts = vec![Outcome::Failed; failed.min(64)];
            case.attempts.push(outcome);
        }
        self.is_parallel |= !told.worker.is_empty();
        self.listed.push(case, line.at());
    }

    pub(super) fn show(&mut self, file: Option<&str>, totals: Totals, is_full: bool) {
        if let Some(file) = file {
            self.file = file.to_owned();
        }
        if self.dots.contains_key(&self.file) || self.room.take(&self.file) {
            *self.dots.entry(self.file.clone()).or_default() += totals;
            self.shown += totals;
        }
        self.is_full = is_full;
    }

    /// A test that prints says on a line of its own how it ended.
    pub(super) fn follow(&mut self, text: &str, line: &Line<'_>) {
        let (first, rest) = text.split_once(' ').unwrap_or((text, ""));
        let is_test = |text: &str| {
            let file = text.split("::").next().unwrap_or_default();
            lines::is_node(text) && file.contains('.')
        };
        if is_test(text) || is_test(first) {
            let id = if is_test(text) { text } else { first };
            if self.room.take(id) {
                self.begun.insert(id.to_owned());
            }
            return;
        }
        if !lines::begins_with_outcome(text) {
            return;
        }
        let id = self.begun.first().filter(|_| self.begun.len() == 1).cloned();
        let said = format!("{} {text}", id.as_deref().unwrap_or("a::a"));
        let Some(told) = lines::told(&said).filter(|told| rest.is_empty() || told.is_marked) else {
            return;
        };
        match (id, told.word) {
            (Some(_), _) => self.tell(&told, line),
            // It has ended already, it seemed: what it printed looked like it.
            (None, Word::Outcome(outcome)) if !self.is_parallel => {
                self.listed.worsen_last(outcome);
            }
            _ => {}
        }
    }

    /// A line below `short test summary info`.
    pub(super) fn name(&mut self, told: &Told<'_>, line: &Line<'_>) {
        let Word::Outcome(outcome) = told.word else { return };
        let mut case = Case::new(&told.id, line.believe(outcome));
        case.message = told.message.map(str::to_owned);
        match self.named.get_mut(&told.id) {
            Some(known) if known.outcome >= case.outcome => {}
            Some(known) => *known = case,
            None if self.room.take(&told.id) => drop(self.named.insert(case.id.clone(), case)),
            None => {}
        }
    }

    /// The text stops here, so nothing confirms what it says.
    pub(super) fn demote(&mut self) {
        self.forget_begun();
        self.listed.demote();
        self.dots.values_mut().for_each(Totals::demote);
        self.named.values_mut().for_each(demote);
    }

    /// Nothing counts the dots, so only what failed is counted.
    pub(super) fn keep_bad(&mut self) {
        for dots in self.dots.values_mut() {
            *dots = Totals { failed: dots.failed, errored: dots.errored, ..Totals::default() };
        }
    }

    /// Nobody said how these ended.
    pub(super) fn forget_begun(&mut self) {
        for id in std::mem::take(&mut self.begun) {
            self.listed.push(Case::new(id, Outcome::Unknown), Some(self.line));
        }
    }
}
