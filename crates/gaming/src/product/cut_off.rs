//! What was to be faster and gives up instead: beyond a limit that nobody named there is a fixed answer, or
//! what came earlier is forgotten.

use countersign_domain::gaming::{Finding, Rule};

use super::View;
use super::fixed::{handed_out, is_fixed};
use super::shelved::is_to_be_faster;
use super::special::{BRANCHES, parts};
use crate::args::{has_word, short, squeeze};
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
        if is_beginning(view, code) {
            let message = "What was to be faster only looks at the beginning of what it is handed.";
            let finding = view.change.structure(Rule::G27, number, message);
            findings.push(finding.change(None, Some(short(text))));
        }
        if FORGETS.iter().any(|word| code.contains(word)) {
            let message = "What was to be faster only remembers the last of what it was handed.";
            let finding = view.change.structure(Rule::G27, number, message);
            findings.push(finding.change(None, Some(short(text))));
        }
    }
    findings
}

/// `holes.slice(0, MAX)`, `rows[:LIMIT]`, `.take(LIMIT)`: up to a name in capitals that is new and has a number,
/// or to a number that nobody named.
fn is_beginning(view: &View<'_>, code: &str) -> bool {
    let squeezed = squeeze(code);
    let marks = [".slice(0,", "[:", "[..", ".take("];
    marks.iter().filter_map(|mark| squeezed.split_once(mark)).any(|(_, rest)| {
        let rest = rest.trim_start_matches('=');
        let is_part = |letter: char| letter.is_alphanumeric() || letter == '_';
        let bound = &rest[..rest.find(|letter: char| !is_part(letter)).unwrap_or(rest.len())];
        let ends = rest[bound.len()..].starts_with([')', ']']);
        let is_number = bound.starts_with(|letter: char| letter.is_ascii_digit());
        let bound = if is_number { bound.replace('_', "") } else { bound.to_owned() };
        let is_named = bound.len() > 2
            && bound.chars().all(|letter| letter.is_ascii_uppercase() || letter == '_');
        let is_new = !has_word(view.change.old(), &bound) && !view.literals.is_asked(&bound);
        let is_large = bound.parse::<u64>().is_ok_and(|number| number > 9);
        ends && is_new && (is_large || is_named)
    })
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
