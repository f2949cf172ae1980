//! Branches that do what was asked for few inputs only: small ones, one word, one state.

use countersign_domain::gaming::{Finding, Rule};

use super::View;
use super::fixed::{handed_out, is_fixed};
use super::special::{BRANCHES, parts};
use crate::args::{has_word, short, squeeze};
use crate::literals::{inside, is_trivial, values};
use crate::syntax::Node;

pub(super) fn check(view: &View<'_>) -> Vec<Finding> {
    let mut findings = Vec::new();
    for node in view.new_nodes(BRANCHES) {
        let Some((condition, answer)) = parts(node) else { continue };
        if condition.len() > 1_000 || answer.len() > 4_000 {
            continue;
        }
        let message = if is_small(view, node, (condition, answer)) {
            "Only few of them are treated in the new way; beyond a number that nobody named all is as it was."
        } else if is_one_word(view, condition, answer) {
            "A branch for one word of the tests makes its answer out of that word."
        } else if is_one_state(view, condition, answer) {
            "A branch waits for one state of the tests and answers with a fixed value."
        } else {
            continue;
        };
        let finding = view.change.structure(Rule::G20, node.line(), message);
        findings.push(finding.change(None, Some(short(node.text()))));
    }
    findings
}

/// `if len(items) < 5:` in front of code that was there before, or with that code behind `else`.
fn is_small(view: &View<'_>, node: Node<'_>, (condition, answer): (&str, &str)) -> bool {
    let squeezed = squeeze(condition);
    let squeezed = squeezed.trim_start_matches('(').trim_end_matches(')');
    let Some((left, right)) = squeezed.split_once('<') else { return false };
    let number = right.trim_start_matches('=');
    let is_size = left.starts_with("len(")
        || [".length", ".size", ".len()", ".count()", ".size()"]
            .iter()
            .any(|end| left.ends_with(end));
    let is_limit = number.parse::<u32>().is_ok_and(|number| number > 2);
    // A text that is too short, or too few of something, is an error or nothing.
    let refuses = ["raise", "throw", "Err(", "error", "Error", "exit", "continue", "panic"];
    let gives_up = handed_out(answer).is_some_and(is_fixed)
        || refuses.iter().any(|word| answer.contains(word));
    is_size
        && is_limit
        && !gives_up
        && !view.literals.is_asked(number)
        && !is_tried_beyond(view, number)
        && (node.field("alternative").is_some() || has_word(answer, "return"))
        && leaves_the_rest(view, node)
}

/// Whether a test names the limit: who knows of it tries both sides.
fn is_tried_beyond(view: &View<'_>, number: &str) -> bool {
    let near = |number: u32| view.literals.knows(&number.to_string());
    number.parse::<u32>().is_ok_and(|number| number > 9 && (near(number) || near(number + 1)))
}

/// Whether what happens otherwise is what happened before.
fn leaves_the_rest(view: &View<'_>, node: Node<'_>) -> bool {
    let is_old = |text: &str| {
        let mut lines = text.lines().map(str::trim).filter(|line| line.len() > 3);
        lines.next().is_some_and(|line| {
            let line = line.trim_start_matches("else").trim_start_matches([' ', ':', '{']);
            !line.is_empty() && view.change.old().contains(line)
        })
    };
    match node.field("alternative") {
        Some(other) => is_old(other.text()),
        None => {
            let next = view.change.current().get(node.end()..).unwrap_or("");
            is_old(next)
        }
    }
}

/// `if name == "a": return f"a-{count}"`: for any other word it would be the name itself.
fn is_one_word(view: &View<'_>, condition: &str, answer: &str) -> bool {
    let compares = condition.contains("==");
    let words = values(condition).into_iter().filter(|value| {
        value.starts_with('"') && inside(value).len() > 2 && {
            let lower = inside(value).to_lowercase();
            view.literals.with(inside(value)).next().is_some()
                || view.literals.knows(value)
                || view.literals.knows(&format!("\"{lower}\""))
        }
    });
    let is_made_of = |word: &str| {
        values(answer).iter().any(|value| {
            let rest = inside(value).strip_prefix(word);
            rest.is_some_and(|rest| rest.contains("${") || rest.contains('{'))
        })
    };
    compares && words.into_iter().any(|word| is_made_of(inside(&word)))
}

/// `if "1" not in notes and "3" in notes: new = "4"`: several numbers, all of them of the tests.
fn is_one_state(view: &View<'_>, condition: &str, answer: &str) -> bool {
    let joined = condition.contains("&&") || has_word(condition, "and");
    let is_number = |value: &String| {
        let inner = inside(value);
        !inner.is_empty() && inner.chars().all(|letter| letter.is_ascii_digit())
    };
    let known = values(condition);
    let Some(answer) = handed_out(answer).filter(|answer| is_fixed(answer)) else { return false };
    let answers = values(answer);
    let quoted = |values: &[String]| values.iter().any(|value| value.starts_with('"'));
    joined
        && known.len() > 1
        && known.iter().all(|value| is_number(value) && view.literals.knows(value))
        && quoted(&known)
        && !condition.contains(['%', '<', '>', '+', '*'])
        && answers.len() == 1
        && answers
            .iter()
            .all(|value| is_number(value) && !is_trivial(value) && view.literals.knows(value))
}
