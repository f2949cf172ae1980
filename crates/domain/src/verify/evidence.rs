//! What was run, and on which ground.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::classify::{ContractType, Tier};
use crate::gaming::{Allow, Judged};
use crate::id::{Digest, ObjectId};
use crate::qa::{Report, plain_lines};
use crate::receipt::Ended;

use super::aim::Aim;
use super::said::Said;
use super::stated::Heard;
use super::unexpected::SpecRow;

/// Which files a check ran on.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum Ground {
    /// Exactly what was handed over.
    Handed,
    /// What the work began with.
    Base,
    /// The new code with the base's tests and runner settings.
    Room,
    /// The base's code with the new tests: they have to fail here.
    Red,
    /// What was handed over, with two tests of ours planted beside the others.
    Planted,
    /// The base, with the same two tests: whether they can be planted at all.
    PlantedBase,
    /// What was handed over, with other values in the tests where the code names theirs.
    Varied,
    /// The base's code with the same tests: what it did before with these values.
    VariedBase,
    /// What was handed over, with other values in the place of what tests expect: they have to fail.
    Wrong,
    /// The base's code with the new tests, each check of those that turned green for itself.
    Single,
    /// What was handed over, with the same tests: each check has to pass for itself.
    SingleHanded,
    /// What was handed over, each check for itself, with values that nobody has seen.
    Probed,
    /// The base's code with the same tests.
    ProbedBase,
    /// What was handed over, each check for itself, with other words where the new code has theirs.
    Worded,
    /// The base's code with the same tests.
    WordedBase,
    /// What was handed over, with names in another order and of another length.
    Renamed,
    /// The base's code with the same tests.
    RenamedBase,
    /// What was handed over, with the race detector.
    Raced,
    /// The base's code with the new tests and the race detector.
    RacedBase,
    /// What was handed over, with code that was broken on purpose: new tests have to notice.
    Mutated,
    /// What was handed over, once more: whether what shows the work passes every time.
    Again,
    /// The base's code with the new tests, once more: whether what shows the work fails every time.
    RedAgain,
}

impl fmt::Display for Ground {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Handed => "handed over",
            Self::Base => "base",
            Self::Room => "new code, old tests",
            Self::Red => "old code, new tests",
            Self::Planted => "with canaries",
            Self::PlantedBase => "base with canaries",
            Self::Varied => "with other values",
            Self::VariedBase => "base with other values",
            Self::Wrong => "with wrong expectations",
            Self::Single => "old code, checks one by one",
            Self::SingleHanded => "checks one by one",
            Self::Probed => "with unseen values",
            Self::ProbedBase => "base with unseen values",
            Self::Worded => "with other words",
            Self::WordedBase => "base with other words",
            Self::Renamed => "with other names",
            Self::RenamedBase => "base with other names",
            Self::Raced => "with the race detector",
            Self::RacedBase => "base with the race detector",
            Self::Mutated => "with broken code",
            Self::Again => "handed over again",
            Self::RedAgain => "old code, new tests again",
        })
    }
}

/// One run of a check on one ground.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Ran {
    pub ground: Ground,
    pub tree: ObjectId,
    pub receipt: Digest,
    pub ended: Ended,
    pub report: Report,
    /// Whether the receipt is one of an earlier verification of the same contract.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub reused: bool,
    /// What it printed, where it did not end well and that matters.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub said: Option<Said>,
}

/// Whether what an activity of this name runs are tests.
pub(super) fn is_test(activity: &str) -> bool {
    !matches!(activity, "typecheck" | "lint" | "format" | "build")
}

/// The names of the tests that were planted.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Planted {
    pub fails: String,
    pub passes: String,
}

/// What was broken on purpose, and which tests were to notice it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Mutants {
    /// What was done to the code, in words: one for each run on that ground, in their order.
    pub ways: Vec<String>,
    /// The ids of the new tests that call what was broken.
    pub tests: BTreeSet<String>,
    /// Those among them that call what was broken in each way, in the order of the ways. Where a way has no
    /// row it is all of them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub reaching: Vec<BTreeSet<String>>,
}

/// One check of the contract, on every ground that it ran on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Checked {
    /// What it is for, as the contract says: `unit`, `lint`, `check`.
    pub activity: String,
    pub command: String,
    /// Where it runs, from the root of the repository; empty for the root itself.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub folder: String,
    /// Whether it belongs to an example beside the project, which nobody changed: where it can't be run, that
    /// says nothing about the project.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_beside: bool,
    pub runs: Vec<Ran>,
    /// Grounds that look closer, and for which there was no time.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub left_out: BTreeSet<Ground>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub planted: Option<Planted>,
    /// The bare names of tests that expect something else on their own ground.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub exchanged: BTreeSet<String>,
    /// What was broken on purpose, where tests are all that was done.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mutants: Option<Mutants>,
    /// The bare names of tests, each with a single check, whose answer has to add up to what was asked.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub adding: BTreeSet<String>,
    /// Why it says nothing about what was handed over, where other files were run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub elsewhere: Option<String>,
}

impl Checked {
    /// Its command, and where it runs if that is not the root.
    pub fn place(&self) -> String {
        let (command, folder) = (&self.command, &self.folder);
        if folder.is_empty() { format!("`{command}`") } else { format!("`{command}` in {folder}/") }
    }

    /// Whether it runs tests, as far as its name says.
    pub fn is_test(&self) -> bool {
        is_test(&self.activity)
    }

    /// The run on `ground`. Where two grounds are one tree, one run stands for both.
    pub fn on(&self, ground: Ground) -> Option<&Ran> {
        self.runs.iter().find(|run| run.ground == ground)
    }

    /// Every run on what was handed over; more than one if it was run again to find flaky tests.
    pub fn handed(&self) -> impl Iterator<Item = &Ran> {
        self.runs.iter().filter(|run| run.ground == Ground::Handed)
    }
}

/// A question to the new code, whose answer is compared by us.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Example {
    /// A shell command.
    pub command: String,
    /// What it must print, without the white space around it.
    pub prints: String,
    /// The rows of a test-spec that say so. None: somebody asked just this.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub rows: Vec<SpecRow>,
}

impl Example {
    pub fn new(command: &str, prints: &str) -> Self {
        Self { command: command.to_owned(), prints: prints.to_owned(), rows: Vec::new() }
    }

    /// Whether a right answer says that the code is right. The command of a row may run a test that the
    /// worker itself wrote: what it prints must be so, and proves no more than that.
    pub fn is_oracle(&self) -> bool {
        self.rows.is_empty()
    }
}

/// An example, and what the code said.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Answered {
    pub example: Example,
    pub printed: String,
    pub ended: Ended,
    pub receipt: Digest,
    /// Whether the base answers it rightly as well; nothing if that was not asked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub before: Option<bool>,
}

impl Answered {
    pub fn is_right(&self) -> bool {
        let wanted = self.example.prints.trim();
        // Nobody tells programs whether they may use colours.
        let is_wanted =
            self.printed.trim() == wanted || plain_lines(&self.printed).trim() == wanted;
        self.ended.passed() && is_wanted
    }

    /// Whether it is right, shows something about the code, and was not so without the work. Of one that was not
    /// asked of the base nobody knows that.
    pub(super) fn shows(&self) -> bool {
        self.is_right() && self.example.is_oracle() && self.before == Some(false)
    }
}

/// What reading the changed tests showed, by the bare names of tests.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
#[allow(clippy::struct_excessive_bools)] // each is a fact of its own about the change
pub struct TestEdits {
    /// Tests of the base whose text is another now, or is gone.
    pub changed: BTreeSet<String>,
    /// Those among them that still assert the same, as strongly: moved, renamed, or calling by
    /// another name.
    pub equivalent: BTreeSet<String>,
    /// Those that are what they were, but for names that the task says are others now: what runs is the
    /// base's own test.
    #[serde(skip_serializing_if = "BTreeSet::is_empty")]
    pub renamed: BTreeSet<String>,
    /// Those that are gone, and only tried what the task says is to go and what is gone from the code.
    #[serde(skip_serializing_if = "BTreeSet::is_empty")]
    pub retired: BTreeSet<String>,
    /// Those that are gone, with the test that asks the same question and expects another answer now.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub heirs: BTreeMap<String, String>,
    /// Those that are gone while all that they expected is expected by a new test beside them.
    #[serde(skip_serializing_if = "BTreeSet::is_empty")]
    pub tabled: BTreeSet<String>,
    /// Those that are gone, with the new test that has all of their lines, or all that they check as rows.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub moved: BTreeMap<String, String>,
    /// Those that have more between their beginning and their checks: conditions, early ends, loops.
    #[serde(skip_serializing_if = "BTreeSet::is_empty")]
    pub guarded: BTreeSet<String>,
    /// Those that have nothing of what the task names in the code, neither before nor now.
    #[serde(skip_serializing_if = "BTreeSet::is_empty")]
    pub beside: BTreeSet<String>,
    /// Tests of the base that are still written down, where they run only under a condition.
    #[serde(skip_serializing_if = "BTreeSet::is_empty")]
    pub gated: BTreeSet<String>,
    /// Those whose new text, or what they read, has a value that the task names and the old has not.
    #[serde(skip_serializing_if = "BTreeSet::is_empty")]
    pub told: BTreeSet<String>,
    /// Those that are another test now, with every value and at least as many checks as before.
    #[serde(skip_serializing_if = "BTreeSet::is_empty")]
    pub kept: BTreeSet<String>,
    /// Those that are another test now, with checks that are worth as much as before.
    #[serde(skip_serializing_if = "BTreeSet::is_empty")]
    pub firm: BTreeSet<String>,
    /// Whether the product has other values, all of which the task names, and is what it was besides.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub values_told: bool,
    /// Whether a file that tests read has such a value.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub fixtures_told: bool,
    /// Tests of what was handed over that assert nothing: whatever they show, it is not the work.
    pub weak: BTreeSet<String>,
    /// Those that only assert that something ends well. They show the work where they fail without it,
    /// and not where they only can't be built without it.
    #[serde(skip_serializing_if = "BTreeSet::is_empty")]
    pub faint: BTreeSet<String>,
    /// Functions of Rust that are new. What their documentation shows could not be built before.
    #[serde(skip_serializing_if = "BTreeSet::is_empty")]
    pub gained: BTreeSet<String>,
    /// New tests that go through code which the task names and the base has.
    #[serde(skip_serializing_if = "BTreeSet::is_empty")]
    pub through: BTreeSet<String>,
    /// Whether the task names a file that was changed.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub named: bool,
    /// Whether files that tests read were changed: fixtures, snapshots.
    pub fixtures: bool,
    /// Whether tests, what they read, or settings of their runner that were there before are others
    /// now, or gone.
    pub reverted: bool,
    /// Whether some changed test could not be read, so that nobody knows what became of it.
    pub is_partial: bool,
}

/// Everything that a verification found out.
#[derive(Debug, Clone)]
pub struct Evidence<'a> {
    pub task: &'a str,
    pub aim: Aim,
    /// After the real change was looked at.
    pub contract: ContractType,
    pub tier: Tier,
    /// How many paths were changed, and how many of them are code.
    pub changed: usize,
    pub code: usize,
    /// How many are code of the product, and differ in more than comments.
    pub product: usize,
    /// How many of those are settings of the build.
    pub built: usize,
    /// How many only lost lines.
    pub cut: usize,
    /// How many are manifests that only say something else of their package, as the task asks for.
    pub labelled: usize,
    /// How many are code of the product, whatever is different about them.
    pub touched: usize,
    pub checks: &'a [Checked],
    pub examples: &'a [Answered],
    /// What the task states about the code, and what the code says.
    pub heard: &'a [Heard],
    pub findings: &'a [Judged],
    /// What the task names that was to get another name, to go or to be moved, and did not.
    pub undone: &'a [String],
    pub edits: &'a TestEdits,
    /// What a person allowed.
    pub allows: &'a [Allow],
    /// Where tests lie, by their ids, as far as that is known.
    pub places: &'a BTreeMap<String, Place>,
}

/// Where a test lies.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    pub path: String,
    /// Counted from one.
    pub line: Option<u32>,
}
