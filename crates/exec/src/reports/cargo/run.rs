//! The run of one program, as far as it has been told.

use countersign_domain::qa::{Case, Listed, Outcome, Totals};

use super::lines;
use crate::reports::text::Line;

/// One program's tests.
#[derive(Debug)]
pub(super) struct Run {
    pub(super) suite: String,
    /// How many tests were announced.
    pub(super) expected: u64,
    pub(super) cases: Listed,
    /// Tests that are dots only.
    pub(super) dots: Totals,
    /// A test that began on one line, to end on another.
    pub(super) open: Option<String>,
    /// Whether what tests printed is being repeated; it may hold anything.
    pub(super) is_captured: bool,
    /// A summary that doesn't fit what is listed.
    pub(super) unfit: Option<(Totals, u64)>,
    pub(super) line: u64,
}

impl Run {
    pub(super) fn id(&self, name: &str) -> String {
        let name = lines::bare(name);
        if self.suite.is_empty() { name.to_owned() } else { format!("{} {name}", self.suite) }
    }

    pub(super) fn listed(&self) -> Totals {
        let mut listed = self.cases.count();
        listed += self.dots;
        listed
    }

    /// A test that printed something says on a line of its own how it ended.
    pub(super) fn end_open(&mut self, line: &Line<'_>) {
        let Some(outcome) = lines::outcome(line.trimmed()) else { return };
        if let Some(id) = self.open.take() {
            self.cases.push(Case::new(id, line.believe(outcome)), line.at());
        } else if outcome.is_bad() {
            // It had ended already, it seemed: what it printed looked like it.
            self.cases.worsen_last(outcome);
        }
    }

    /// A test that began and never ended.
    pub(super) fn abandon_open(&mut self) {
        if let Some(id) = self.open.take() {
            self.cases.push(Case::new(id, Outcome::Unknown), Some(self.line));
        }
    }
}
