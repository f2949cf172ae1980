//! One run of vitest, as far as it has been told.

use std::collections::{BTreeMap, BTreeSet};

use countersign_domain::qa::{Case, Listed, Outcome, Suite, Totals};

use super::lines::Sum;
use crate::reports::room::Room;
use crate::reports::text::Line;
use crate::reports::words::INSIDE;

#[derive(Debug, Default)]
pub(super) struct Run {
    pub(super) line: u64,
    /// Every test by name.
    pub(super) listed: Listed,
    pub(super) files: BTreeMap<String, Tests>,
    /// The file whose tests follow.
    pub(super) file: Option<String>,
    pub(super) dots: Totals,
    /// What failed, by id: tests, and files or groups that could not be run.
    pub(super) failed: BTreeSet<String>,
    pub(super) broken: BTreeSet<String>,
    pub(super) room: Room,
    pub(super) in_suites: bool,
    pub(super) telling: Option<(String, String)>,
    pub(super) sums: (Option<Sum>, Option<(Sum, u64)>),
    pub(super) errors: u64,
}

/// The tests of one file, as they are counted behind its name and listed below it.
#[derive(Debug, Default)]
pub(super) struct Tests {
    pub(super) counted: Totals,
    pub(super) outcome: Option<Outcome>,
    pub(super) listed: Totals,
    /// How many passes of it are named after all.
    pub(super) named: u64,
}

impl Run {
    pub(super) fn file(&mut self, outcome: Outcome, id: &str, counted: Totals) {
        if self.room.take(id) {
            let tests = Tests { counted, outcome: Some(outcome), ..Tests::default() };
            self.files.insert(id.to_owned(), tests);
            self.file = Some(id.to_owned());
        }
    }

    pub(super) fn test(&mut self, outcome: Outcome, id: &str, retries: usize, line: &Line<'_>) {
        self.file = None;
        let outcome = line.believe(outcome);
        let mut case = Case::new(id, outcome);
        if retries > 0 {
            case.attempts = vec![Outcome::Failed; retries.min(64)];
            case.attempts.push(outcome);
        }
        self.listed.push(case, line.at());
    }

    /// A test below its file; not every version says in which group it is, so only those that
    /// passed on a later attempt are named.
    pub(super) fn inner(&mut self, outcome: Outcome, name: &str, retries: usize, line: &Line<'_>) {
        let Some(file) = self.file.clone() else { return };
        let is_flaky = outcome == Outcome::Passed && retries > 0;
        if let Some(tests) = self.files.get_mut(&file) {
            tests.listed.count(line.believe(outcome));
            tests.named += u64::from(is_flaky);
        }
        if is_flaky {
            self.test(outcome, &format!("{file}{INSIDE}{name}"), retries, line);
            self.file = Some(file);
        }
    }

    /// ` FAIL  file > group > test`, or a file or a group that could not be run.
    pub(super) fn fail(&mut self, id: &str) {
        self.flush();
        self.file = None;
        let id = match id.split_once(" [ ") {
            Some((file, _)) => file,
            None => id,
        };
        let into = if self.in_suites { &mut self.broken } else { &mut self.failed };
        if !into.contains(id) && self.room.take(id) {
            into.insert(id.to_owned());
        }
        self.telling = Some((id.to_owned(), String::new()));
    }

    pub(super) fn tell(&mut self, line: &Line<'_>) {
        let text = line.trimmed();
        match &mut self.telling {
            Some((_, said)) if !text.is_empty() && said.len() < 1024 => {
                said.push_str(text);
                said.push('\n');
            }
            _ => self.flush(),
        }
    }

    pub(super) fn flush(&mut self) {
        if let Some((id, text)) = self.telling.take_if(|(_, text)| !text.is_empty()) {
            self.listed.tell(id, text);
        }
    }

    /// Adds what failed and is not listed by name.
    pub(super) fn name_failed(&mut self) {
        let known: BTreeSet<String> = self.listed.ids().map(str::to_owned).collect();
        for id in self.failed.iter().filter(|id| !known.contains(*id)) {
            self.listed.push(Case::new(id, Outcome::Failed), Some(self.line));
        }
    }

    /// Files whose tests are counted and not named.
    pub(super) fn suites(&self) -> Vec<Suite> {
        let mut suites: Vec<Suite> = self
            .files
            .iter()
            .map(|(id, tests)| Suite {
                id: id.clone(),
                outcome: tests.outcome.unwrap_or(Outcome::Unknown),
                unnamed: tests.totals(),
            })
            .collect();
        if !self.dots.is_zero() {
            let outcome = if self.dots.bad() > 0 { Outcome::Failed } else { Outcome::Passed };
            suites.push(Suite { id: String::new(), outcome, unnamed: self.dots });
        }
        suites
    }
}

impl Tests {
    /// What is counted behind the file, unless its tests are listed: of a run that was stopped,
    /// only those were run.
    pub(super) fn totals(&self) -> Totals {
        let mut totals = self.counted;
        if self.listed.all() >= self.counted.all() {
            totals = self.listed;
        } else if self.listed.passed > 0 {
            totals.passed = totals.passed.min(self.listed.passed);
        }
        totals.passed = totals.passed.saturating_sub(self.named);
        totals
    }
}
