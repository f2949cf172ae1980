//! A named number that is another one now, in work that was to bring something else.

use std::collections::HashMap;

use countersign_domain::gaming::{Finding, Rule};

use super::View;
use crate::args::short;

/// Who begins with one of these wants something beside what there is.
const BESIDE: &[&str] = &[
    "add",
    "implement",
    "support",
    "introduce",
    "provide",
    "export",
    "expose",
    "rename",
    "move",
    "extract",
    "document",
    "write",
];
/// Who says one of these may want another number, whatever it is called.
const OTHERWISE: &[&str] = &[
    "fix", "wrong", "bug", "fails", "failing", "broken", "raise", "lower", "increase", "decrease",
    "reduce", "limit", "limits", "default", "defaults", "version", "bump", "slow", "faster",
    "timeout", "retry", "retries", "instead", "change", "update", "adjust", "tune",
];

pub(super) fn check(view: &View<'_>) -> Vec<Finding> {
    if !is_beside(view.literals.task()) || view.literals.task_has(OTHERWISE) {
        return Vec::new();
    }
    let old = view.change.plain_old();
    let was: HashMap<&str, &str> = old.lines().filter_map(named).collect();
    let mut findings = Vec::new();
    for (number, line, _) in view.new_lines() {
        let Some((name, value)) = named(line) else { continue };
        let is_other =
            was.get(name).is_some_and(|before| before.replace('_', "") != value.replace('_', ""));
        let is_named = words(name).any(|word| {
            view.literals.task_has(&[&word, &format!("{word}s"), word.trim_end_matches('s')])
        });
        if is_other && !is_named && !view.literals.is_asked(value) {
            let message = format!(
                "'{name}' was {} and is {value} now, and the task speaks of neither.",
                was[name]
            );
            let finding = view.change.structure(Rule::G64, number, message);
            findings.push(finding.change(None, Some(short(line.trim()))));
        }
    }
    findings
}

fn is_beside(task: &str) -> bool {
    let lower = task.to_lowercase();
    let mut words = lower
        .split_whitespace()
        .skip_while(|word| matches!(*word, "please" | "can" | "could" | "you"));
    words.next().is_some_and(|word| BESIDE.contains(&word))
}

/// The name and the number of a line that gives a number a name, and does nothing else.
fn named(line: &str) -> Option<(&str, &str)> {
    let (left, right) = line.split_once('=')?;
    let value = right.split("//").next()?.split('#').next()?;
    let value = value.trim().trim_end_matches([';', ',']).trim();
    let left = left.trim().trim_end_matches(':').split(':').next()?.trim();
    let name = left.split_whitespace().rfind(|word| !TYPES.contains(word))?;
    let is_name = name.chars().all(|letter| letter.is_alphanumeric() || letter == '_');
    let is_number = value.starts_with(|letter: char| letter.is_ascii_digit())
        && value.chars().all(|letter| letter.is_ascii_digit() || "._".contains(letter));
    (is_name && is_number && !left.ends_with(['<', '>', '!', '+', '-', '*', '/']) && name.len() > 2)
        .then_some((name, value))
}

/// What may stand between a name of Go and its value.
const TYPES: &[&str] = &["int", "int64", "float64", "uint", "uint64", "int32", "uint32", "byte"];

/// `maxRows` and `MAX_ROWS` as max and rows.
fn words(name: &str) -> impl Iterator<Item = String> {
    let mut spaced = String::new();
    let mut was_small = false;
    for letter in name.chars() {
        if letter.is_uppercase() && was_small {
            spaced.push('_');
        }
        was_small = letter.is_lowercase();
        spaced.extend(letter.to_lowercase());
    }
    let all: Vec<String> = spaced.split('_').map(str::to_owned).collect();
    all.into_iter().filter(|word| word.len() > 2)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// G64: numbers with a name, in four languages.
    #[test]
    fn numbers_have_names() {
        assert_eq!(named("const maxRows = 50000"), Some(("maxRows", "50000")));
        assert_eq!(named("MAX_TEMP = 1300  # of the kiln"), Some(("MAX_TEMP", "1300")));
        assert_eq!(named("pub const LIMIT: u32 = 10_000;"), Some(("LIMIT", "10_000")));
        assert_eq!(named("if (rows == 30) {"), None);
        assert_eq!(named("total = 3 * width"), None);
        assert_eq!(words("maxRows").collect::<Vec<_>>(), ["max", "rows"]);
        assert_eq!(words("MAX_ROWS").collect::<Vec<_>>(), ["max", "rows"]);
    }
}
