//! One run of checks as its runner told it and as we counted it.

use std::collections::BTreeSet;
use std::fmt;
use std::ops::AddAssign;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::doubt::{Doubt, DoubtKind};
use super::format::{Detection, Format};

/// What became of one test. The later, the worse: of two outcomes of one test the worse counts.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    Passed,
    /// Not run, still to be written, or expected to fail.
    Skipped,
    /// It began and nobody said how it ended, or what was said contradicts itself.
    Unknown,
    /// It broke outside of what it tests: while it was set up, collected or built.
    Errored,
    Failed,
}

impl Outcome {
    pub fn is_bad(self) -> bool {
        matches!(self, Self::Failed | Self::Errored)
    }
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Passed => "passed",
            Self::Skipped => "skipped",
            Self::Unknown => "unknown",
            Self::Errored => "errored",
            Self::Failed => "failed",
        })
    }
}

/// One test.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Case {
    /// Its suite and its name, the same in every run.
    pub id: String,
    pub outcome: Outcome,
    /// The first lines of what it said about its failure, or why it was skipped.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub duration_ms: Option<u64>,
    /// How each attempt ended, if the runner made more than one.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub attempts: Vec<Outcome>,
}

impl Case {
    pub fn new(id: impl Into<String>, outcome: Outcome) -> Self {
        Self { id: id.into(), outcome, message: None, duration_ms: None, attempts: Vec::new() }
    }

    pub fn with_message(mut self, message: impl Into<String>) -> Self {
        self.message = Some(message.into());
        self
    }

    /// Whether it both passed and failed.
    pub fn is_flaky(&self) -> bool {
        let ended = |wanted: fn(Outcome) -> bool| {
            wanted(self.outcome) || self.attempts.iter().any(|outcome| wanted(*outcome))
        };
        ended(|outcome| outcome == Outcome::Passed) && ended(Outcome::is_bad)
    }
}

/// A file, package or program of whose tests the text names none that passed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Suite {
    /// Empty for all tests of the run together.
    pub id: String,
    pub outcome: Outcome,
    /// The tests that are counted and not named; all zero if they are not even counted.
    #[serde(default, skip_serializing_if = "Totals::is_zero")]
    pub unnamed: Totals,
}

/// How many tests ended how.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Totals {
    pub passed: u64,
    pub failed: u64,
    pub errored: u64,
    pub skipped: u64,
    pub unknown: u64,
}

impl Totals {
    pub fn of(outcomes: impl IntoIterator<Item = Outcome>) -> Self {
        let mut totals = Self::default();
        outcomes.into_iter().for_each(|outcome| totals.count(outcome));
        totals
    }

    pub fn count(&mut self, outcome: Outcome) {
        *self.of_mut(outcome) += 1;
    }

    pub fn of_mut(&mut self, outcome: Outcome) -> &mut u64 {
        match outcome {
            Outcome::Passed => &mut self.passed,
            Outcome::Failed => &mut self.failed,
            Outcome::Errored => &mut self.errored,
            Outcome::Skipped => &mut self.skipped,
            Outcome::Unknown => &mut self.unknown,
        }
    }

    pub fn all(&self) -> u64 {
        [self.passed, self.bad(), self.skipped, self.unknown]
            .into_iter()
            .fold(0, u64::saturating_add)
    }

    /// Failed and errored.
    pub fn bad(&self) -> u64 {
        self.failed.saturating_add(self.errored)
    }

    /// No pass in it can be relied on.
    pub fn demote(&mut self) {
        self.unknown = self.unknown.saturating_add(std::mem::take(&mut self.passed));
    }

    pub fn is_zero(&self) -> bool {
        *self == Self::default()
    }
}

impl AddAssign for Totals {
    /// Adds up; what a hostile text claims may be larger than any number.
    fn add_assign(&mut self, other: Self) {
        let each = [
            (&mut self.passed, other.passed),
            (&mut self.failed, other.failed),
            (&mut self.errored, other.errored),
            (&mut self.skipped, other.skipped),
            (&mut self.unknown, other.unknown),
        ];
        for (mine, more) in each {
            *mine = mine.saturating_add(more);
        }
    }
}

impl fmt::Display for Totals {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let all = [
            (self.passed, "passed"),
            (self.failed, "failed"),
            (self.errored, "errored"),
            (self.skipped, "skipped"),
            (self.unknown, "unknown"),
        ];
        let said: Vec<String> = all
            .into_iter()
            .filter(|(count, _)| *count > 0)
            .map(|(count, word)| format!("{count} {word}"))
            .collect();
        f.write_str(if said.is_empty() { "no tests" } else { "" })?;
        f.write_str(&said.join(", "))
    }
}

/// One run of checks.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Report {
    pub format: Format,
    /// How the format was found out, if nobody named it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub detected: Option<Detection>,
    /// The tests that are named, by id.
    pub cases: Vec<Case>,
    /// Where tests are counted and not named, by id.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub suites: Vec<Suite>,
    /// All tests, as we counted them.
    pub totals: Totals,
    /// What the runner says that they are.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub claimed: Option<Totals>,
    /// What the runner printed at its end, where its report is a file of its own: every summary, in
    /// order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub printed: Vec<Totals>,
    /// Whether the text goes to the runner's own end.
    pub is_complete: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exit_code: Option<i32>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub doubts: Vec<Doubt>,
}

impl Report {
    /// A command without tests.
    pub fn plain(exit_code: Option<i32>) -> Self {
        Self {
            format: Format::Plain,
            detected: None,
            cases: Vec::new(),
            suites: Vec::new(),
            totals: Totals::default(),
            claimed: None,
            printed: Vec::new(),
            is_complete: true,
            exit_code,
            doubts: Vec::new(),
        }
    }

    /// The tests, counted anew: what is stored may have been changed.
    pub fn count(&self) -> Totals {
        let mut totals = Totals::of(self.cases.iter().map(|case| case.outcome));
        self.suites.iter().for_each(|suite| totals += suite.unnamed);
        totals
    }

    /// Whether every test has a name, so that one that is missing is gone.
    pub fn names_all(&self) -> bool {
        self.format != Format::Plain && self.suites.is_empty()
    }

    /// The same with the tests that `earlier` knew and this one does not: what an earlier run had
    /// is not forgotten because a later one left it out.
    #[must_use]
    pub fn knowing(mut self, earlier: Self) -> Self {
        let cases: BTreeSet<String> = self.cases.iter().map(|case| case.id.clone()).collect();
        self.cases.extend(earlier.cases.into_iter().filter(|case| !cases.contains(&case.id)));
        self.cases.sort_by(|a, b| a.id.cmp(&b.id));
        let suites: BTreeSet<String> = self.suites.iter().map(|suite| suite.id.clone()).collect();
        self.suites.extend(earlier.suites.into_iter().filter(|suite| !suites.contains(&suite.id)));
        self.suites.sort_by(|a, b| a.id.cmp(&b.id));
        self
    }

    /// The doubt of this kind, if there is one.
    pub fn doubt(&self, kind: DoubtKind) -> Option<&Doubt> {
        self.doubts.iter().find(|doubt| doubt.kind == kind)
    }

    pub fn case(&self, id: &str) -> Option<&Case> {
        self.cases.iter().find(|case| case.id == id)
    }

    /// The tests that passed and failed within this run.
    pub fn flaky(&self) -> impl Iterator<Item = &Case> {
        self.cases.iter().filter(|case| case.is_flaky())
    }
}
