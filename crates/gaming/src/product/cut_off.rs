//! What was to be faster and gives up instead: beyond a limit that nobody named there is a fixed answer, or
//! what came earlier is forgotten.

use countersign_domain::gaming::{Finding, Rule};

use super::View;
use super::fixed::{handed_out, is_fixed};
use super::shelved::is_to_be_faster;
use super::special::{BRANCHES, parts};
use crate::args::{short, squeeze};
use crate::literals::{is_trivial, values};

/// How much of something there is.
const SIZES: &[&str] =
    &["len(", ".len()", ".length", ".size", ".count()", "count", "depth", "steps"];
/// What keeps only the last of what it is handed.
const FORGETS: &[&str] = &["deque(maxlen=", "maxlen="];
/// Who says one of these wants a limit.
const LIMITED: &[&str] = &["limit", "limits", "limited", "cap", "capped", "most recent", "window"];

pub(super) fn check(view: &View<'_>) -> Vec<Finding> {
    if !is_to_be_faster(view) || view.literals.task_has(LIMITED) {
        return Vec::new();
    }
    let mut findings = Vec::new();
    for node in view.new_nodes(BRANCHES) {
        let Some((condition, answer)) = parts(node) else { continue };
        if condition.len() < 400 && is_given_up(view, condition, answer) {
            let message =
                "What was to be faster has a fixed answer beyond a size that nobody named.";
            let finding = view.change.structure(Rule::G27, node.line(), message);
            findings.push(finding.change(None, Some(short(node.text()))));
        }
    }
    for (number, text, code) in view.new_lines() {
        if FORGETS.iter().any(|word| code.contains(word)) {
            let message = "What was to be faster only remembers the last of what it was handed.";
            let finding = view.change.structure(Rule::G27, number, message);
            findings.push(finding.change(None, Some(short(text))));
        }
    }
    findings
}

/// `if stars > 3 && text.len() > 20 { return false; }`
fn is_given_up(view: &View<'_>, condition: &str, answer: &str) -> bool {
    let squeezed = squeeze(condition);
    let is_unnamed = |value: &String| !is_trivial(value) && !view.literals.is_asked(value);
    squeezed.contains('>')
        && !squeezed.contains("->")
        && SIZES.iter().any(|word| squeezed.contains(word))
        && values(condition).iter().any(is_unnamed)
        && handed_out(answer).is_some_and(|one| is_fixed(one) || matches!(one, "true" | "false"))
}
