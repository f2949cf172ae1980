//! A table of written answers, where the task wants something worked out for whatever comes in.

use countersign_domain::gaming::{Finding, Rule};

use super::View;
use super::special::{TABLES, pairs};
use crate::args::short;
use crate::literals::{inside, spelled, values};
use crate::outline::judge::is_literal;

/// What says that the values of the task are examples of any number of others.
const GENERAL: &[&str] = &[
    "in general",
    "any number",
    "any whole",
    "any value",
    "any input",
    "any amount",
    "whatever the",
    "whatever comes",
    "for all numbers",
    "for all values",
    "not just",
    "not only for",
    "arbitrary",
    "no matter how",
    "no matter which",
    "however many",
    "however large",
    "however long",
];
/// Who says one of these wants a table.
const MEANT: &[&str] = &["table", "mapping", "map", "lookup", "list", "dictionary", "alias"];

/// New tables of answers that have digits in them, none of which the task names.
pub(super) fn check(view: &View<'_>) -> Vec<Finding> {
    let lower = view.literals.task().to_lowercase();
    if !GENERAL.iter().any(|words| lower.contains(words)) || view.literals.task_has(MEANT) {
        return Vec::new();
    }
    let mut findings = Vec::new();
    for node in view.new_nodes(TABLES) {
        let pairs = pairs(node);
        let has_digit = |text: &str| text.contains(|letter: char| letter.is_ascii_digit());
        let is_answer = |(key, value): &&(&str, &str)| {
            is_literal(key.trim())
                && is_literal(value.trim())
                && has_digit(key)
                && has_digit(value)
                && values(key).len() == 1
                && !view.literals.is_asked(inside(&spelled(key)))
        };
        let answers = pairs.iter().filter(is_answer).count();
        if answers > 2 && answers * 4 > pairs.len() * 3 {
            let message = format!(
                "The task wants it for whatever comes in, and {answers} answers are written down."
            );
            let finding = view.change.structure(Rule::G21, node.line(), message);
            findings.push(finding.change(None, Some(short(node.text()))));
        }
    }
    findings
}
