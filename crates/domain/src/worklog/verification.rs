//! Whether the todos are where an agent says they are: the claimed list against the one read
//! back, one retry, and then a person.

use std::time::Duration;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::todo::{Todo, TodoStatus};
use super::todos::{plain, same_content};

/// An answer that takes longer is none.
pub const TIMEOUT: Duration = Duration::from_secs(1);
/// How long to wait before the one retry.
pub const RETRY_AFTER: Duration = Duration::from_millis(100);
/// With the retry.
pub const MAX_ATTEMPTS: usize = 2;

/// One difference.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Mismatch {
    pub kind: MismatchKind,
    /// The text of the todo; none where it is about the whole list.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub todo: Option<String>,
    pub expected: String,
    pub actual: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MismatchKind {
    StatusMismatch,
    CountMismatch,
    MissingTodo,
}

/// What differs between the claimed list and the one that was read back. Changed words are no
/// difference. A todo that was given up may be absent: some agents then delete it.
pub fn compare(expected: &[Todo], actual: &[Todo]) -> Vec<Mismatch> {
    let pairs = pair(expected, actual);
    let mut found = Vec::new();
    let (wanted, there) = (live(expected), live(actual));
    if wanted != there {
        found.push(Mismatch {
            kind: MismatchKind::CountMismatch,
            todo: None,
            expected: wanted.to_string(),
            actual: there.to_string(),
        });
    }
    for (at, todo) in expected.iter().enumerate() {
        let other = pairs.iter().find(|(one, _)| *one == at).map(|(_, other)| &actual[*other]);
        let (kind, actual) = match other {
            Some(other) if other.status == todo.status => continue,
            Some(other) => (MismatchKind::StatusMismatch, name(other.status)),
            None if todo.status == TodoStatus::Cancelled => continue,
            None => (MismatchKind::MissingTodo, "missing"),
        };
        found.push(Mismatch {
            kind,
            todo: Some(todo.content.clone()),
            expected: name(todo.status).to_owned(),
            actual: actual.to_owned(),
        });
    }
    found
}

fn live(todos: &[Todo]) -> usize {
    todos.iter().filter(|todo| todo.status != TodoStatus::Cancelled).count()
}

fn name(status: TodoStatus) -> &'static str {
    match status {
        TodoStatus::Pending => "pending",
        TodoStatus::InProgress => "in_progress",
        TodoStatus::Completed => "completed",
        TodoStatus::Cancelled => "cancelled",
    }
}

/// Which todo of one list is which of the other: by id, else by content, else, where the words
/// were changed, by its place or its likeness.
pub(super) fn pair(one: &[Todo], other: &[Todo]) -> Vec<(usize, usize)> {
    let mut pairs = Pairs { of: vec![None; one.len()], taken: vec![false; other.len()] };
    let same_id = |a: &Todo, b: &Todo| match (&a.id, &b.id) {
        (Some(a), Some(b)) => plain(a) == plain(b),
        _ => false,
    };
    let same = |a: &Todo, b: &Todo| same_content(&a.content, &b.content);
    pairs.add(one, other, same_id);
    // The same text twice: the ones that agree in everything belong together.
    pairs.add(one, other, |a, b| same(a, b) && a.status == b.status);
    pairs.add(one, other, same);
    if one.len() == other.len() {
        for (at, (a, b)) in one.iter().zip(other).enumerate() {
            let edited = a.status == b.status || alike(&a.content, &b.content);
            if edited && pairs.of[at].is_none() && !pairs.taken[at] {
                pairs.join(at, at);
            }
        }
    }
    pairs.add(one, other, |a, b| alike(&a.content, &b.content));
    pairs.of.iter().enumerate().filter_map(|(at, found)| Some((at, (*found)?))).collect()
}

struct Pairs {
    of: Vec<Option<usize>>,
    taken: Vec<bool>,
}

impl Pairs {
    fn join(&mut self, one: usize, other: usize) {
        self.of[one] = Some(other);
        self.taken[other] = true;
    }

    fn add(&mut self, one: &[Todo], other: &[Todo], fits: impl Fn(&Todo, &Todo) -> bool) {
        for (at, a) in
            one.iter().enumerate().filter(|(at, _)| self.of[*at].is_none()).collect::<Vec<_>>()
        {
            let free = |(other_at, b): &(usize, &Todo)| !self.taken[*other_at] && fits(a, b);
            if let Some((other_at, _)) = other.iter().enumerate().find(free) {
                self.join(at, other_at);
            }
        }
    }
}

/// The words of a text, in small letters.
pub(super) fn words(text: &str) -> Vec<String> {
    let parts = text.split(|letter: char| !letter.is_alphanumeric());
    parts.filter(|word| !word.is_empty()).map(str::to_lowercase).collect()
}

/// Whether one text looks like the other after an edit: more than half of the words of the
/// shorter one are in both.
pub(super) fn alike(one: &str, other: &str) -> bool {
    let (one, other) = (words(one), words(other));
    let shorter = one.len().min(other.len());
    let common = one.iter().filter(|word| other.contains(word)).count();
    shorter > 0 && common * 2 > shorter
}

/// How a verification went.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    Pass,
    Mismatch,
    Timeout,
    /// It was not tried: a flag, the time budget or the open breaker forbade it.
    Skipped,
}

/// One comparison.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Attempt {
    pub at: Timestamp,
    pub outcome: Outcome,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub mismatches: Vec<Mismatch>,
}

impl Attempt {
    /// Judges what was read back, if anything was, and in which time.
    pub fn new(at: Timestamp, expected: &[Todo], read: Option<(&[Todo], Duration)>) -> Self {
        let Some((actual, _)) = read.filter(|(_, took)| *took <= TIMEOUT) else {
            return Self { at, outcome: Outcome::Timeout, mismatches: Vec::new() };
        };
        let mismatches = compare(expected, actual);
        let outcome = if mismatches.is_empty() { Outcome::Pass } else { Outcome::Mismatch };
        Self { at, outcome, mismatches }
    }

    pub fn skipped(at: Timestamp) -> Self {
        Self { at, outcome: Outcome::Skipped, mismatches: Vec::new() }
    }

    /// Whether it counts against the breaker.
    pub fn failed(&self) -> bool {
        matches!(self.outcome, Outcome::Mismatch | Outcome::Timeout)
    }
}

/// What to do after the attempts so far.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Step {
    /// It passed, or was skipped.
    Done,
    /// Try: for the first time, or again after [`RETRY_AFTER`].
    Try,
    /// Ask a person.
    Escalate,
}

/// The attempts are those of one todo update, in order.
pub fn step(attempts: &[Attempt]) -> Step {
    match attempts.last() {
        None => Step::Try,
        Some(last) if !last.failed() => Step::Done,
        Some(_) if attempts.len() < MAX_ATTEMPTS => Step::Try,
        Some(_) => Step::Escalate,
    }
}

/// What a person can choose when the todos still differ.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Resolution {
    /// The list is right as it was read back.
    UserAccepted,
    /// The session ends here.
    Aborted,
    /// Go on although the list is not known to be right; with a warning.
    Bypassed,
}

impl Resolution {
    /// The word with which a person chooses.
    pub fn parse(word: &str) -> Option<Self> {
        match word {
            "accept" => Some(Self::UserAccepted),
            "abort" => Some(Self::Aborted),
            "continue-at-risk" => Some(Self::Bypassed),
            _ => None,
        }
    }
}

#[cfg(test)]
#[path = "verification_tests.rs"]
mod tests;
