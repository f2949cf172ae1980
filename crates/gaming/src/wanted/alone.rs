//! "The hex strings are real recordings, leave them alone": entries of data that a task wants to stay, and that
//! are others now.

use std::collections::BTreeSet;

use countersign_domain::gaming::{Finding, Rule};

use crate::args::short;
use crate::detect::Change;
use crate::role::Role;

/// What says that something stays.
const STAYS: &[&str] = &[
    "leave them alone",
    "leave it alone",
    "leave those alone",
    "leave these alone",
    "don't touch",
    "do not touch",
    "must not be touched",
    "must not be changed",
    "must not change",
    "don't change",
    "do not change",
    "mustn't change",
    "may not change",
    "stay as they are",
    "stays as it is",
    "stay untouched",
    "stay the same",
];

/// Keys of data that the sentence names, with another value than before.
pub(super) fn check(task: &str, changes: &[Change<'_>]) -> Vec<Finding> {
    let named = named(task);
    if named.is_empty() {
        return Vec::new();
    }
    let is_data = |one: &&Change<'_>| {
        matches!(one.role, Role::Fixture | Role::Snapshot | Role::Test)
            && one.after.is_some()
            && !one.is_new
    };
    for change in changes.iter().filter(is_data) {
        let lines = change.lines();
        let removed: Vec<(&str, &str)> =
            lines.removed.iter().filter_map(|(_, line)| entry(line)).collect();
        for (number, line) in &lines.added {
            let Some((key, value)) = entry(line) else { continue };
            let was = removed.iter().find(|(old, before)| *old == key && *before != value);
            // A row that only moved is there with its old value as well.
            let is_moved = removed.contains(&(key, value));
            let Some((_, before)) =
                was.filter(|_| named.contains(&key.to_lowercase()) && !is_moved)
            else {
                continue;
            };
            let message =
                format!("The task wants '{key}' to stay as it is, and it is another one now.");
            let finding = change.structure(Rule::G64, *number, message);
            return vec![finding.change(Some(short(before)), Some(short(value)))];
        }
    }
    Vec::new()
}

/// The words of the sentences that say that something stays, up to where they say so.
fn named(task: &str) -> BTreeSet<String> {
    let lower = task.to_lowercase().replace('’', "'");
    let mut found = BTreeSet::new();
    for sentence in lower.split(['.', '\n', ';', '!']) {
        let Some(at) = STAYS.iter().filter_map(|words| sentence.find(words)).min() else {
            continue;
        };
        let (before, after) = sentence.split_at(at);
        let words = before.split(|letter: char| !(letter.is_alphanumeric() || letter == '_'));
        let behind =
            after.split(|letter: char| !(letter.is_alphanumeric() || letter == '_')).take(6);
        found.extend(words.chain(behind).filter(|word| word.len() > 2).map(str::to_owned));
    }
    found
}

/// `"hex": "b562…",` as key and value.
fn entry(line: &str) -> Option<(&str, &str)> {
    let (key, value) = line.trim().split_once(':')?;
    let key = key.trim().trim_matches(['"', '\'', '-', ' ']);
    let value = value.trim().trim_end_matches(',');
    let is_key = key.chars().all(|letter| letter.is_alphanumeric() || letter == '_');
    (is_key && key.len() > 2 && !value.is_empty() && !value.starts_with(['{', '[']))
        .then_some((key, value))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// G64: what a task wants to stay.
    #[test]
    fn entries_that_stay() {
        let found = named("The hex strings there are real recordings, leave them alone. Fix air.");
        assert!(found.contains("hex") && !found.contains("air"));
        assert_eq!(entry("    \"hex\": \"b5\","), Some(("hex", "\"b5\"")));
        assert_eq!(entry("    \"record\": {"), None);
    }
}
