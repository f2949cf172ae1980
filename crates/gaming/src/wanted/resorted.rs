//! A recording of which the task says that the rest stays, and whose lines are in another order or gone.

use countersign_domain::gaming::{Finding, Rule};

use crate::args::short;
use crate::detect::Change;
use crate::role::Role;

/// What says that all else of what is written down stays.
const STAYS: &[&str] = &[
    "byte for byte",
    "apart from that",
    "order of lines",
    "order of the lines",
    "order stays",
    "order must stay",
];
/// What may come or go, of which a recording has a line.
const MEANT: &[&str] = &["remove", "removed", "drop", "sort", "sorted", "delete", "merge"];

/// Lines of a recording that are in no new line, or in another order than before.
pub(super) fn check(task: &str, changes: &[Change<'_>]) -> Vec<Finding> {
    let lower = task.to_lowercase();
    let is_meant = MEANT.iter().any(|word| crate::args::has_word(&lower, word));
    if is_meant || !STAYS.iter().any(|words| lower.contains(words)) {
        return Vec::new();
    }
    let is_recording = |one: &&Change<'_>| {
        matches!(one.role, Role::Snapshot | Role::Fixture)
            && one.before.is_some()
            && one.after.is_some()
    };
    for change in changes.iter().filter(is_recording).filter(|one| one.old().len() < 200_000) {
        let new: Vec<Vec<&str>> = change.current().lines().map(words).collect();
        let mut last = 0;
        for line in change.old().lines().take(500) {
            let was = words(line);
            if was.is_empty() {
                continue;
            }
            let at = (last..new.len()).chain(0..last).find(|at| is_within(&was, &new[*at]));
            let said = match at {
                None => "is in no line of it any more",
                Some(at) if at < last => "stands before others that it stood behind",
                Some(at) => {
                    last = at;
                    continue;
                }
            };
            let message = format!(
                "The task wants the rest of it to stay, and {:?} {said}.",
                short(line.trim())
            );
            return vec![change.structure(Rule::G66, 1, message)];
        }
    }
    Vec::new()
}

/// The words of a line; numbers with their signs are words.
fn words(line: &str) -> Vec<&str> {
    line.split(|letter: char| !(letter.is_alphanumeric() || "-./:_".contains(letter)))
        .filter(|word| !word.is_empty())
        .collect()
}

/// Whether all words of a line stand in another one, in their order.
fn is_within(was: &[&str], is: &[&str]) -> bool {
    let mut rest = is.iter();
    was.iter().all(|word| rest.any(|other| other == word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_in_lines() {
        assert!(is_within(&words("ALLOW ann read"), &words("ALLOW  ann  read (staff)")));
        assert!(!is_within(&words("2 allowed, 2 denied (4)"), &words("2 allowed, 2 denied")));
    }
}
