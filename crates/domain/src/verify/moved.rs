//! Tests that were put together with others, elsewhere: nothing that they check is gone.

use super::evidence::TestEdits;
use super::tests_run::{TestsRun, bare};
use crate::qa::Outcome;

/// The new test that has all of a test which is gone, and passes.
pub(super) fn home<'e>(run: &TestsRun<'_>, edits: &'e TestEdits, id: &str) -> Option<&'e str> {
    let home = edits.moved.get(bare(id))?;
    let is_it = |new: &str, outcome| bare(new) == home && outcome == Some(Outcome::Passed);
    run.added().any(|(new, traces)| is_it(new, traces.handed)).then_some(home)
}

/// Whether tests were to be moved, and nothing else was done to tests than that.
pub(super) fn are_moved(edits: &TestEdits, task: &str) -> bool {
    const MOVES: [&str; 7] =
        ["mov", "relocat", "merg", "combin", "consolidat", "regroup", "reorganiz"];
    let lower = task.to_lowercase();
    let mut words = lower.split(|letter: char| !letter.is_alphabetic());
    let is_about_tests = words.clone().any(|word| word.starts_with("test"));
    let is_kept = |name: &String| edits.moved.contains_key(name) || edits.equivalent.contains(name);
    is_about_tests
        && words.any(|word| MOVES.iter().any(|begin| word.starts_with(begin)))
        && !edits.moved.is_empty()
        && edits.changed.iter().all(is_kept)
}
