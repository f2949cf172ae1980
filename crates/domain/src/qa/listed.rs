//! The tests of one run or one suite, as they were listed, before they are compared with what
//! the runner says that they are.

use std::collections::BTreeMap;

use super::draft::bounded;
use super::report::{Case, Outcome, Totals};

/// How many tests one list holds, and how much text.
const MAX_CASES: usize = 200_000;
const MAX_BYTES: usize = 32 << 20;
/// How many failures are told in their own words.
const MAX_MESSAGES: usize = 2000;

/// A list of tests, in bounded memory.
#[derive(Debug, Clone, Default)]
pub struct Listed {
    cases: Vec<(Case, Option<u64>)>,
    bytes: usize,
    /// How all of them ended, also those that found no room.
    counted: Totals,
    is_full: bool,
    /// What tests said, by their ids; it is often told in another place.
    messages: BTreeMap<String, String>,
}

impl Listed {
    /// Adds a test and the line that it is on.
    pub fn push(&mut self, case: Case, line: Option<u64>) {
        let case = bounded(case);
        self.counted.count(case.outcome);
        let bytes = self.bytes + case.id.len() + case.message.as_ref().map_or(0, String::len);
        if self.cases.len() < MAX_CASES && bytes <= MAX_BYTES {
            self.bytes = bytes;
            self.cases.push((case, line));
        } else {
            self.is_full = true;
        }
    }

    /// Says what a test said, if it is known and failed.
    pub fn tell(&mut self, id: String, message: String) {
        if self.messages.len() < MAX_MESSAGES {
            self.messages.entry(id).or_insert(message);
        }
    }

    /// How many ended how, also of those that found no room.
    pub fn count(&self) -> Totals {
        self.counted
    }

    /// How many different tests passed.
    pub fn passed_once(&self) -> u64 {
        let mut outcomes: BTreeMap<&str, Outcome> = BTreeMap::new();
        for (case, _) in &self.cases {
            let outcome = outcomes.entry(&case.id).or_insert(case.outcome);
            *outcome = case.outcome.max(*outcome);
        }
        outcomes.into_values().filter(|outcome| *outcome == Outcome::Passed).count() as u64
    }

    pub fn ids(&self) -> impl Iterator<Item = &str> {
        self.cases.iter().map(|(case, _)| case.id.as_str())
    }

    /// What a test or its suite said.
    pub fn message(&self, id: &str) -> Option<&str> {
        self.messages.get(id).map(String::as_str)
    }

    pub fn is_empty(&self) -> bool {
        self.cases.is_empty()
    }

    pub fn has_room(&self) -> bool {
        !self.is_full
    }

    pub fn ids_mut(&mut self) -> impl Iterator<Item = &mut String> {
        self.cases.iter_mut().map(|(case, _)| &mut case.id)
    }

    /// The last test ended worse than it seemed.
    pub fn worsen_last(&mut self, outcome: Outcome) {
        if let Some((case, _)) = self.cases.last_mut().filter(|(case, _)| case.outcome < outcome) {
            *self.counted.of_mut(case.outcome) -= 1;
            self.counted.count(outcome);
            case.outcome = outcome;
        }
    }

    /// No pass in it can be relied on: nothing confirms it, or something speaks against it.
    pub fn demote(&mut self) {
        self.cases.iter_mut().for_each(|(case, _)| demote(case));
        self.counted.demote();
    }

    /// Gives the tests what they said; to be called before ids are changed.
    pub fn join_messages(&mut self) {
        for (case, _) in &mut self.cases {
            if case.message.is_none() && case.outcome.is_bad() {
                case.message = self.messages.get(&case.id).cloned();
            }
        }
    }

    /// All tests with their lines and messages.
    pub fn into_cases(mut self) -> impl Iterator<Item = (Case, Option<u64>)> {
        self.join_messages();
        self.cases.into_iter()
    }
}

/// A pass that can't be relied on, whatever its attempts.
pub fn demote(case: &mut Case) {
    if case.outcome == Outcome::Passed {
        case.outcome = Outcome::Unknown;
        case.attempts.clear();
    }
}
