//! Tests that a task wants to be freed from real time, or from being tried again, and that still are not.

use countersign_domain::gaming::{Finding, Rule};

use crate::args::{has_word, short, squeeze};
use crate::detect::Change;
use crate::role::Role;

/// What says that a test must not hang on real time.
const STEADY: &[&str] = &[
    "real time",
    "real clock",
    "deterministic",
    "no sleep",
    "no sleeps",
    "without sleep",
    "without sleeping",
    "without waiting",
    "no longer sleep",
    "instead of sleeping",
    "stop sleeping",
    "longer sleeps",
    "wall clock",
];
/// What says that it must not be tried until it passes.
const ONCE: &[&str] =
    &["no retries", "no retry", "without retries", "without retrying", "not retry"];
/// What waits, in any of the languages.
const WAITS: &[&str] = &["sleep(", "setTimeout(", "time.After(", "sleep_until(", "waitFor("];
/// What tries again.
const AGAIN: &[&str] =
    &[").any(|", "for attempt", "for _ in range(", "retry(", "retries:", "flaky("];

/// New lines of tests that wait or try again, where the task wants neither.
pub(super) fn check(task: &str, changes: &[Change<'_>]) -> Vec<Finding> {
    let lower = task.to_lowercase();
    let has = |list: &[&str]| list.iter().any(|words| has_word(&lower, words));
    let is_of_test =
        has_word(&lower, "test") || has_word(&lower, "tests") || lower.contains("flaky");
    let (is_steady, is_once) = (has(STEADY), has(ONCE));
    if !(is_once || is_of_test && is_steady) {
        return Vec::new();
    }
    let tests = changes.iter().filter(|one| one.role == Role::Test && one.after.is_some());
    for change in tests.filter(|one| one.is.parsed) {
        for line in change.all_lines().filter(|line| line.is_new && line.is_test) {
            let squeezed = squeeze(line.text);
            let waits = is_steady && WAITS.iter().any(|word| squeezed.contains(word));
            let tries = is_once && AGAIN.iter().any(|word| squeezed.contains(&squeeze(word)));
            if waits || tries {
                let message = "The task wants a test that neither waits nor is tried again, and this one does.";
                let finding = change.structure(Rule::G66, line.number, message);
                return vec![finding.change(None, Some(short(line.text)))];
            }
        }
    }
    Vec::new()
}
