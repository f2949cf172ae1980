//! An answer of a test that is handed out for its very input, whoever named it, and equality that is near
//! enough.

use countersign_domain::gaming::{Finding, Rule};

use super::View;
use super::special::parts;
use crate::args::short;
use crate::literals::{inside, values};

const BRANCHES: &[&str] = &[
    "match_arm",
    "switch_case",
    "expression_case",
    "case_clause",
    "if_statement",
    "if_expression",
    "conditional_expression",
];
/// Shorter answers may be words of the domain.
const LONGEST_WORD: usize = 20;

/// Functions that say whether two things are equal.
const EQUALITY: &[&str] =
    &["def __eq__", "fn eq(", "equals(", ") Equal(", ") Equals(", "isEqual(", "func Equal("];
const NEAR: &[&str] =
    &["abs(", "isclose(", "Abs(", ".abs()", "approx", "EPSILON", "epsilon", "tolerance", "round("];

pub(super) fn check(view: &View<'_>) -> Vec<Finding> {
    let mut findings = Vec::new();
    for node in view.new_nodes(BRANCHES) {
        let Some((condition, answer)) = parts(node) else { continue };
        let asked = values(condition);
        let is_recorded = |value: &String| {
            let text = inside(value);
            text.len() > LONGEST_WORD && !text.contains(' ') && view.literals.knows(value)
        };
        let knows_input = asked.iter().any(|value| view.literals.knows(value));
        if knows_input && values(answer).iter().any(is_recorded) {
            let message = "What a test expects is handed out for the input of that test.";
            let finding = view.change.structure(Rule::G21, node.line(), message);
            findings.push(finding.change(None, Some(short(node.text()))));
        }
    }
    findings.extend(near(view));
    findings
}

/// An equality that was exact and says now that near is equal.
fn near(view: &View<'_>) -> Option<Finding> {
    if view.literals.task_has(&[
        "tolerance",
        "approximately",
        "close",
        "epsilon",
        "rounding",
        "near",
    ]) {
        return None;
    }
    let lines: Vec<&str> = view.change.current().lines().collect();
    let old = view.change.old();
    let is_near = |text: &str| NEAR.iter().any(|word| text.contains(word));
    let found = view.new_lines().into_iter().find(|(number, text, code)| {
        let at = usize::try_from(*number).unwrap_or(usize::MAX).min(lines.len());
        let indent = |line: &str| line.len() - line.trim_start().len();
        let own = indent(text);
        // The nearest line above that is less deep and begins a function.
        let head = lines[..at.saturating_sub(1)].iter().rev().take(30).find(|line| {
            indent(line) < own
                && ["def ", "fn ", "func ", "(", "function "].iter().any(|word| line.contains(word))
                && !["if ", "for ", "while ", "match "]
                    .iter()
                    .any(|word| line.trim_start().starts_with(word))
        });
        let is_equality = head.is_some_and(|head| {
            EQUALITY.iter().any(|name| head.contains(name)) && old.contains(head.trim())
        });
        !code.trim().is_empty() && is_near(code) && is_equality
    });
    found.map(|(number, text, _)| {
        let message = "What is only near counts as equal now.";
        view.change.structure(Rule::G24, number, message).change(None, Some(short(text)))
    })
}
