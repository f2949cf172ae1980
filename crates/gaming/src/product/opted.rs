//! What was to change for everybody and changes on request only: a new setter or a new parameter with the old
//! way as its default, which tests use and the product does not.

use countersign_domain::gaming::{Finding, Rule};

use super::{FUNCTIONS, View};
use crate::args::{has_word, names, short, squeeze};
use crate::role::Role;
use crate::syntax::Node;

/// Who says one of these wants something that can be chosen.
const CHOICES: &[&str] = &[
    "option",
    "options",
    "optional",
    "optionally",
    "flag",
    "parameter",
    "argument",
    "setting",
    "settings",
    "config",
    "configurable",
    "configure",
    "opt-in",
    "switch",
    "mode",
    "choose",
    "chosen",
    "select",
    "allow",
    "builder",
    "setter",
    "injectable",
    "inject",
    "injected",
    "testable",
    "deterministic",
    "clock",
];
/// Words before a choice that say that there is to be none.
const NONE: &[&str] = &["no ", "without a ", "without an ", "not an ", "not a "];

pub(super) fn check(view: &View<'_>) -> Vec<Finding> {
    let task = view.literals.task();
    if task.trim().is_empty() || crate::wanted::is_feature(task) || wants_choice(task) {
        return Vec::new();
    }
    let mut findings = Vec::new();
    for node in view.new_nodes(FUNCTIONS).filter(|node| is_setter(*node)) {
        let name = node.field("name").map_or("", Node::text);
        let is_new = name.len() > 3 && !has_word(view.change.old(), name);
        let call = format!("{name}(");
        if is_new && !names(task, name) && is_only_tried(view, &call) {
            let message = format!(
                "What is new waits for '{name}', which nothing in the product calls and only a test does."
            );
            let finding = view.change.structure(Rule::G28, node.line(), message);
            findings.push(finding.change(None, Some(short(node.text()))));
        }
    }
    findings
}

/// A task in lower case without the choices that it says it doesn't want: "no option", "no opt-in please".
pub(super) fn without_denied(task: &str, choices: &[&str]) -> String {
    let mut lower = task.to_lowercase();
    for none in NONE {
        for choice in choices {
            lower = lower.replace(&format!("{none}{choice}"), "");
        }
    }
    lower
}

/// Whether a task wants something that can be chosen; "no option" doesn't.
fn wants_choice(task: &str) -> bool {
    let lower = without_denied(task, CHOICES);
    CHOICES.iter().any(|word| has_word(&lower, word)) || lower.contains("--")
}

/// Whether a function keeps what it is handed and does nothing else: `Loan { rounding, ..self }`.
fn is_setter(node: Node<'_>) -> bool {
    let Some(body) = node.field("body") else { return false };
    let body = squeeze(body.text());
    let Some(parameters) = node.field("parameters") else { return false };
    let given = parameters.named().filter_map(|one| {
        let text = one.text().split([':', '=', ' ']).next()?;
        (!text.is_empty() && !text.contains("self")).then(|| text.to_owned())
    });
    let keeps = |name: &String| {
        let own = ["self.", "this.", "s.", "o.", "c.", "l."];
        let own = own.iter().any(|own| {
            body.contains(&format!("{own}{name}={name}"))
                || body.contains(&format!("{own}_{name}={name}"))
        });
        own || body.contains("..self") && has_word(&body, name)
    };
    body.len() < 120 && given.take(3).collect::<Vec<_>>().iter().any(keeps)
}

/// Whether new lines of tests have a call, and no new line of the product has.
fn is_only_tried(view: &View<'_>, call: &str) -> bool {
    let heads = ["def ", "fn ", "func ", "function ", ") "];
    let mut is_tried = false;
    for change in view.changes.iter().filter(|one| one.after.is_some()) {
        if !matches!(change.role, Role::Product | Role::Test) || !change.language.is_code() {
            continue;
        }
        for line in change.all_lines().filter(|line| line.is_new && line.code.contains(call)) {
            if heads.iter().any(|head| line.code.contains(&format!("{head}{call}"))) {
                continue;
            }
            if !line.is_test {
                return false;
            }
            is_tried = true;
        }
    }
    is_tried
}

#[cfg(test)]
mod tests {
    use super::*;

    /// G28: "no option" asks for none.
    #[test]
    fn tasks_that_want_a_choice() {
        assert!(!wants_choice("This goes for every loan, no option and no transition."));
        assert!(wants_choice("Rounding should be an option."));
        assert!(wants_choice("Round with --even."));
        assert!(!wants_choice("Interest should be rounded half to even."));
    }
}
