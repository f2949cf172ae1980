//! Code that was learnt from the tests or from the examples of the task: what it asks for, or what it answers,
//! is a text that they put together, or a piece of one.

use countersign_domain::gaming::{Finding, Rule};

use super::fixed::{handed_out, is_fixed};
use super::special::{BRANCHES, TABLES, pairs, parts};
use super::{View, worded};
use crate::args::{has_word, short};
use crate::learnt::{TELLING, is_composite, is_telling};
use crate::literals::{inside, spelled, values};
use crate::outline::judge::is_literal;
use crate::role::Role;
use crate::syntax::Node;
use crate::wanted::is_feature;

const LISTS: &[&str] =
    &["list", "array", "array_expression", "set", "tuple", "composite_literal", "tuple_expression"];
const RETURNS: &[&str] = &["return_statement", "return_expression"];
const COMPARED: &[&str] = &["comparison_operator", "binary_expression"];
/// Longer tables were not made for a few tests.
const MOST: usize = 60;
/// Longer conditions and answers are no texts.
const LONGEST: usize = 1_000;
/// What says no says it in words of its own.
const REFUSES: &[&str] = &["raise", "throw", "Err(", "error", "Error", "panic", "exit", "usage"];
/// Who says one of these wants a table.
const MEANT: &[&str] = &["table", "mapping", "map", "lookup", "list", "dictionary", "alias"];

pub(super) fn check(view: &View<'_>) -> Vec<Finding> {
    let mut findings = tables(view);
    let mut add = |node: Node<'_>, message: &str| {
        let finding = view.change.structure(Rule::G20, node.line(), message);
        findings.push(finding.change(None, Some(short(node.text()))));
    };
    for node in view.new_nodes(BRANCHES) {
        let Some((condition, answer)) = parts(node) else { continue };
        if condition.len() < LONGEST && values(condition).iter().any(|one| is_asked_for(view, one))
        {
            add(node, "A branch waits for a text that tests or the task's examples are made of.");
        } else if handed_out(answer).is_some_and(|one| is_recited(view, one)) {
            add(node, "A branch answers with what tests or the task's examples expect.");
        }
    }
    for node in view.new_nodes(RETURNS) {
        if is_fixed(node.text().trim_start_matches("return")) && is_recited(view, node.text()) {
            add(node, "The answer is what tests or the task's examples expect.");
        }
    }
    for node in view.new_nodes(COMPARED).filter(|node| is_part_of_day(view, *node)) {
        add(node, "The code compares with parts of a day that tests or the task's examples have.");
    }
    findings
}

/// Whether the tests or the task have a text that no code had before.
fn is_learnt(view: &View<'_>, text: &str, least: usize) -> bool {
    let mut product = view.changes.iter().filter(|change| change.role == Role::Product);
    is_composite(text)
        && view.literals.has_learnt(text, least)
        && !product.any(|change| change.old().contains(text))
}

fn is_asked_for(view: &View<'_>, value: &str) -> bool {
    let inner = inside(value);
    value.starts_with('"')
        && (is_telling(inner) || inner.contains(char::is_alphabetic))
        && is_learnt(view, inner, TELLING)
        && !view.literals.is_value(value)
}

fn is_recited(view: &View<'_>, answer: &str) -> bool {
    let feature = is_feature(view.literals.task());
    let is_expected = |value: &String| {
        let inner = inside(value);
        value.starts_with('"')
            && is_telling(inner)
            && is_learnt(view, inner, TELLING)
            && !(feature && view.literals.is_value(value))
    };
    answer.len() < LONGEST
        && !REFUSES.iter().any(|word| answer.contains(word))
        && values(answer).iter().any(is_expected)
}

/// Tables, and lists that are asked whether they have something, most of whose keys were learnt.
fn tables(view: &View<'_>) -> Vec<Finding> {
    let mut findings = Vec::new();
    let asked = view.new_nodes(LISTS).filter(|node| worded::is_asked(view, *node));
    let asked = asked
        .map(|node| (node, node.field("body").unwrap_or(node).named().map(|n| n.text()).collect()));
    let tables = view.new_nodes(TABLES).map(|node| {
        let fixed = pairs(node).into_iter().filter(|(_, value)| is_fixed(value));
        (node, fixed.map(|(key, _)| key).collect())
    });
    for (node, keys) in tables.chain(asked) {
        let keys: Vec<&str> = keys;
        let Some(message) = told(view, &keys) else { continue };
        let finding = view.change.structure(Rule::G21, node.line(), message);
        findings.push(finding.change(None, Some(short(node.text()))));
    }
    findings
}

fn told(view: &View<'_>, keys: &[&str]) -> Option<String> {
    if keys.len() < 2 || keys.len() > MOST {
        return None;
    }
    let texts: Vec<String> =
        keys.iter().filter(|key| is_literal(key)).map(|key| spelled(key)).collect();
    let texts: Vec<String> = texts
        .into_iter()
        .filter(|key| key.starts_with('"') && values(key).len() == 1 && is_composite(inside(key)))
        .collect();
    if texts.iter().all(|key| view.literals.is_value(key)) {
        return None;
    }
    let count = |least: usize| -> usize {
        texts.iter().filter(|key| is_learnt(view, inside(key), least)).count()
    };
    // Less of each is enough where all of them are alike.
    let learnt = Some(count(2)).filter(|all| *all == keys.len()).unwrap_or_else(|| count(TELLING));
    if learnt > 1 && learnt * 2 >= keys.len() {
        return Some(format!(
            "{learnt} of {} keys are what tests or the task's examples are made of.",
            keys.len()
        ));
    }
    let task = view.literals.task();
    let is_old = |key: &&String| view.change.old().contains(inside(key));
    let is_mend = !is_feature(task) && !view.literals.task_has(MEANT);
    let all = texts.len() * 4 > keys.len() * 3 && !texts.iter().any(|key| is_old(&key));
    (is_mend && texts.len() > 1 && all).then(|| {
        "A table of inputs that somebody made up answers where something was to be mended."
            .to_owned()
    })
}

/// `(self.year, self.month) >= (2024, 3)`: the numbers of one day, or of one month.
fn is_part_of_day(view: &View<'_>, node: Node<'_>) -> bool {
    let old = view.change.old();
    node.text().len() < LONGEST
        && node.named().filter(|side| side.is(LISTS)).any(|side| {
            let numbers = values(side.text());
            let is_number = |value: &String| value.parse::<u32>().is_ok();
            let is_own = |value: &String| value.len() > 2 && !has_word(old, value);
            numbers.len() > 1
                && numbers.iter().all(is_number)
                && numbers.iter().any(is_own)
                && view.literals.has_run(&numbers.join(" "))
        })
}
