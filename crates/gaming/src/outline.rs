//! What tests a file has, and what each of them checks.
//!
//! Python, JavaScript, TypeScript, Rust and Go are read from their syntax trees; other languages,
//! and files that have no tree within bounds, from their text.

mod go;
pub(crate) mod judge;
mod pieces;
mod python;
mod rust;
mod script;
mod script_checks;
mod strength;
mod text;
mod unawaited;

use std::ops::Range;

use countersign_domain::Digest;

use crate::language::Language;
use crate::role::{Role, role};
use crate::similar::Shape;
use crate::syntax::Tree;

/// The tests of one file.
#[derive(Debug, Clone, Default)]
pub struct Outline {
    pub tests: Vec<Test>,
    /// Where test code lies in a product file, in bytes: inline modules of Rust.
    pub inline: Vec<Range<usize>>,
    /// Whether there was a syntax tree; otherwise this was read from text.
    pub parsed: bool,
    /// Functions that are no tests, for tests that were renamed out of collection.
    pub(crate) others: Vec<Other>,
}

/// A function that no runner collects.
#[derive(Debug, Clone)]
pub(crate) struct Other {
    pub(crate) name: String,
    pub(crate) line: u32,
    pub(crate) shape: Shape,
}

/// One test.
#[derive(Debug, Clone)]
pub struct Test {
    /// Unique in its file: the names of what it stands in, and its own, with `::` between them.
    pub id: String,
    /// Counted from one.
    pub line: u32,
    pub last_line: u32,
    /// Of the body without layout, comments and its own name: the same after a move.
    pub digest: Digest,
    /// With those of functions in the same file that the test calls.
    pub assertions: Vec<Assertion>,
    pub markers: Vec<Marker>,
    /// How many cases it has, if it has cases.
    pub cases: Option<usize>,
    /// The text of the test.
    pub text: String,
    pub(crate) shape: Shape,
}

/// One check of a test.
#[derive(Debug, Clone, PartialEq)]
pub struct Assertion {
    pub line: u32,
    /// 4 an exact value, 3 a structure or a close value, 2 a member, a type or a length, 1 anything
    /// but nothing, 0 nothing.
    pub strength: u8,
    pub text: String,
    /// What is looked at, in one spelling.
    pub subject: String,
    /// What it is compared with, if that is written down.
    pub expected: Option<String>,
    pub tolerance: Option<f64>,
    pub fault: Option<Fault>,
}

/// Why a check doesn't count.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Fault {
    /// It is always true.
    Tautology,
    /// It has no effect as it is written.
    NotCalled,
    /// Nobody waits for it.
    NotAwaited,
    /// Its failure is thrown away.
    Swallowed,
    /// The test never comes there.
    Unreachable,
    /// It takes an error of any kind.
    AnyError,
}

/// What keeps a test from running, or changes what its outcome means.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Marker {
    Skip {
        /// The reason or condition as it is written.
        reason: String,
        /// It depends on the platform or on something that may be missing.
        conditional: bool,
    },
    /// Only this test runs.
    Focus,
    /// A failure is expected.
    ExpectedFailure,
    /// A condition of the build that is never true.
    Gated,
    /// Left out in some runs, as slow tests are.
    Slow,
}

/// The tests of a file.
pub fn outline(path: &str, bytes: &[u8]) -> Outline {
    read(path, &String::from_utf8_lossy(bytes))
}

/// The tests of a file as its text alone tells them, for a version whose other has no tree.
pub(crate) fn read_text(path: &str, source: &str) -> Outline {
    text::read(Language::of(path), source)
}

pub(crate) fn read(path: &str, source: &str) -> Outline {
    let language = Language::of(path);
    let is_test = matches!(role(path), Role::Test | Role::RunnerConfig | Role::Fixture);
    if !language.is_code() || !(is_test || language == Language::Rust) {
        return Outline::default();
    }
    let Some(tree) = Tree::parse(language, source) else {
        return text::read(language, source);
    };
    let mut outline = match language {
        Language::Python => python::read(&tree),
        Language::Rust => rust::read(&tree, is_test),
        Language::Go => go::read(&tree),
        _ => script::read(&tree),
    };
    outline.parsed = true;
    for test in &mut outline.tests {
        echoes(test);
    }
    number_twins(&mut outline.tests);
    outline
}

/// A check against what the code under test itself said before: `want = f(x)`, `f(x) == want`.
fn echoes(test: &mut Test) {
    if test.text.len() > 20_000 {
        return;
    }
    let body: String = test.text.split_whitespace().collect();
    // Where the answer is also compared with what is written down, asking twice is a check of its own.
    let is_pinned = test.assertions.iter().any(|one| {
        let written = one.expected.as_deref().is_some_and(judge::is_literal);
        one.strength == 4 && one.fault.is_none() && written
    });
    if is_pinned {
        return;
    }
    for assertion in test.assertions.iter_mut().filter(|assertion| assertion.strength == 4) {
        let Some(expected) = assertion.expected.as_deref() else { continue };
        let is_name = expected.chars().all(|letter| letter.is_alphanumeric() || letter == '_');
        let subject: String = assertion.subject.split_whitespace().collect();
        if !is_name || !subject.ends_with(')') || assertion.fault.is_some() {
            continue;
        }
        if ["=", ":="].iter().any(|sign| body.contains(&format!("{expected}{sign}{subject}"))) {
            assertion.fault = Some(Fault::Tautology);
        }
    }
}

/// Two tests of one name get different ids: the second hides the first in Python.
fn number_twins(tests: &mut [Test]) {
    let mut seen: std::collections::HashMap<String, usize> = std::collections::HashMap::new();
    for test in tests {
        let count = seen.entry(test.id.clone()).or_default();
        *count += 1;
        if *count > 1 {
            test.id = format!("{}#{count}", test.id);
        }
    }
}

impl Test {
    /// How much the test checks. What has a fault checks nothing.
    pub(crate) fn strength(&self) -> u32 {
        self.assertions.iter().map(|assertion| u32::from(assertion.effective())).sum()
    }

    pub(crate) fn name(&self) -> &str {
        self.id.rsplit("::").next().unwrap_or(&self.id)
    }
}

impl Assertion {
    pub(crate) fn effective(&self) -> u8 {
        match self.fault {
            None => self.strength,
            Some(Fault::AnyError) => self.strength.min(1),
            Some(_) => 0,
        }
    }
}
