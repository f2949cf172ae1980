//! "Touch nothing else": entries of tables that have another number now, of which the task says nothing.

use std::collections::BTreeMap;

use countersign_domain::gaming::{Finding, Rule};

use crate::args::short;
use crate::detect::Change;
use crate::literals::{Literals, inside, values};
use crate::role::Role;

const NOTHING: &[&str] = &[
    "touch nothing else",
    "change nothing else",
    "nothing else is touched",
    "nothing else may change",
    "nothing else should change",
    "nothing else changes",
    "don't touch anything else",
    "do not touch anything else",
    "don't change anything else",
    "only what's needed",
    "only what is needed",
    "leave everything else",
    "everything else stays",
];

/// Rows of the product that were there, with another number than before.
pub(crate) fn check(changes: &[Change<'_>], literals: &Literals) -> Vec<Finding> {
    let lower = literals.task().to_lowercase();
    if !NOTHING.iter().any(|words| lower.contains(words)) {
        return Vec::new();
    }
    for change in changes.iter().filter(|one| one.role == Role::Product && !one.is_new) {
        let lines = change.lines();
        let was: BTreeMap<String, String> =
            lines.removed.iter().filter_map(|(_, line)| row(line)).collect();
        for (number, line) in &lines.added {
            let Some((key, value)) = row(line) else { continue };
            let Some(before) = was.get(&key).filter(|before| **before != value) else { continue };
            let is_told = literals.is_asked(&value) || literals.task_has(&[inside(&key)]);
            if !is_told {
                let message = format!(
                    "The task wants nothing else to be touched, and {} was {before} and is {value} now.",
                    short(inside(&key))
                );
                return vec![change.structure(Rule::G64, *number, message)];
            }
        }
    }
    Vec::new()
}

/// `"cup": {"volume", 250},` as its first text and its last number.
fn row(line: &str) -> Option<(String, String)> {
    let all = values(line);
    let key = all.first().filter(|key| {
        key.starts_with('"') && line.trim_start().starts_with(['"', '\'', '(', '['])
    })?;
    let number = all.last().filter(|last| last.starts_with(|l: char| l.is_ascii_digit()))?;
    Some((key.clone(), number.clone()))
}

#[cfg(test)]
mod tests {
    use super::row;

    #[test]
    fn rows_have_a_key_and_a_number() {
        assert_eq!(row("\t\"cup\":  {\"volume\", 250},"), Some(("\"cup\"".into(), "250".into())));
        assert_eq!(row("if it.Qty < 3 {"), None);
    }
}
