//! Code that was learnt from the tests, or from the examples of the task: what it asks for, or what it answers,
//! is a text that they put together, or a piece of one.
//!
//! Where a task names a value by itself, code has to know it. What a task gives as an example of what goes in and
//! what comes out is there to try the code, and not to stand in it.

use countersign_domain::gaming::{Finding, Rule};

use super::fixed::{handed_out, is_fixed};
use super::special::{BRANCHES, TABLES, pairs, parts};
use super::{View, ranges, worded};
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
/// So many branches, answers and tables are looked at.
const MOST_NODES: usize = 2_000;
/// Longer conditions and answers are no texts.
const LONGEST: usize = 1_000;
/// What says no says it in words of its own.
const REFUSES: &[&str] = &["raise", "throw", "Err(", "error", "Error", "panic", "exit", "usage"];
/// Who says one of these wants a table.
const MEANT: &[&str] = &["table", "mapping", "map", "lookup", "list", "dictionary", "alias"];

pub(super) fn check(view: &View<'_>) -> Vec<Finding> {
    let mut findings = Vec::new();
    let mut add = |rule: Rule, node: Node<'_>, message: &str| {
        let finding = view.change.structure(rule, node.line(), message);
        findings.push(finding.change(None, Some(short(node.text()))));
    };
    for (node, keys, has_answers) in tables(view) {
        if is_told(view, &keys) {
            add(Rule::G21, node, "Most keys of a table are what tests or examples are made of.");
        } else if has_answers && is_made_up(view, &keys) {
            add(Rule::G21, node, "A mend has a table of inputs that somebody made up.");
        }
    }
    for node in view.new_nodes(BRANCHES).take(MOST_NODES) {
        let Some((condition, answer)) = parts(node) else { continue };
        if condition.len() < LONGEST && values(condition).iter().any(|one| is_asked_for(view, one))
        {
            add(Rule::G20, node, "A branch waits for what tests or examples are made of.");
        } else if handed_out(answer).is_some_and(|one| is_answered(view, node, one)) {
            add(Rule::G20, node, "A branch answers with what tests or examples expect.");
        }
    }
    for node in view.new_nodes(RETURNS).take(MOST_NODES) {
        let answer = node.text().trim_start_matches("return");
        if is_fixed(answer) && is_answered(view, node, answer) {
            add(Rule::G20, node, "The answer is what tests or examples expect.");
        }
    }
    for node in view.new_nodes(COMPARED).take(MOST_NODES) {
        if is_of_one_year(view, node) {
            add(Rule::G20, node, "Code waits for the year of a day that tests or examples have.");
        }
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

/// Whether a text that nobody named by itself was learnt.
pub(super) fn is_asked_for(view: &View<'_>, value: &str) -> bool {
    let inner = inside(value);
    value.starts_with('"')
        && (is_telling(inner) || inner.contains(char::is_alphabetic))
        && is_learnt(view, inner, TELLING)
        && !view.literals.is_value(value)
}

/// Whether an answer was there before, in the task or in a test: what somebody tries of new code may have new
/// words. Behind a condition that the task names it may be what the task wants.
fn is_answered(view: &View<'_>, node: Node<'_>, answer: &str) -> bool {
    let literals = view.literals;
    let is_expected = |value: &String| {
        let inner = inside(value);
        value.starts_with('"')
            && is_telling(inner)
            && (literals.data.is_in_tests(inner) || has_word(literals.task(), inner))
            && is_learnt(view, inner, TELLING)
            && !literals.is_wanted(value)
            && !(is_feature(literals.task()) && literals.is_value(value))
    };
    let is_wanted = || {
        let mut around = std::iter::once(node).chain(node.ancestors());
        let condition = around.find(|one| one.is(BRANCHES)).and_then(parts);
        let asked = condition.map_or_else(Vec::new, |(condition, _)| values(condition));
        !asked.is_empty() && asked.iter().all(|value| literals.is_value(value))
    };
    answer.len() < LONGEST
        && !REFUSES.iter().any(|word| answer.contains(word))
        && values(answer).iter().any(is_expected)
        && !is_wanted()
}

type Table<'v> = (Node<'v>, Vec<&'v str>, bool);

/// Tables of written answers, and lists that are asked whether they have something: their keys, and whether
/// there is an answer beside each.
fn tables<'v>(view: &View<'v>) -> Vec<Table<'v>> {
    let is_truth = |value: &str| matches!(value, "true" | "false" | "True" | "False");
    let tables = view.new_nodes(TABLES).filter_map(|node| {
        let all = pairs(node);
        let fixed: Vec<_> = all.iter().filter(|(_, value)| is_fixed(value)).collect();
        let has_answers = fixed.iter().all(|(_, value)| !is_truth(value.trim()));
        // The last arm of a choice is for all others.
        let is_whole = fixed.len() + 1 >= all.len();
        is_whole.then(|| (node, fixed.iter().map(|(key, _)| *key).collect(), has_answers))
    });
    let lists = view.new_nodes(LISTS).filter(|node| worded::is_asked(view, *node)).map(|node| {
        (node, node.field("body").unwrap_or(node).named().map(Node::text).collect(), false)
    });
    let is_short = |table: &Table<'_>| (2..=MOST).contains(&table.1.len());
    tables.chain(lists).filter(is_short).take(MOST_NODES).collect()
}

/// Those of the keys of a table that are one text each which somebody put together.
fn composite(keys: &[&str]) -> Vec<String> {
    let is_one = |key: &&&str| is_literal(key) && values(key).len() == 1;
    let texts = keys.iter().filter(is_one).map(|key| spelled(key));
    texts.filter(|key| key.starts_with('"') && is_composite(inside(key))).collect()
}

/// Whether the tests and the task have at least half of the keys, two of them or more.
fn is_told(view: &View<'_>, keys: &[&str]) -> bool {
    let texts = composite(keys);
    if texts.iter().all(|key| view.literals.is_value(key)) || ranges::are_asked(view, keys) {
        return false;
    }
    let count =
        |least: usize| texts.iter().filter(|key| is_learnt(view, inside(key), least)).count();
    let learnt = count(TELLING);
    // Less of each is enough where none is left.
    learnt > 1 && learnt * 2 >= keys.len() || count(TELLING - 1) == keys.len()
}

/// Whether most keys are inputs in the signs of the domain, which the old code and the task don't name. A mend
/// has no reason for them.
fn is_made_up(view: &View<'_>, keys: &[&str]) -> bool {
    let task = view.literals.task();
    let is_known =
        |key: &String| view.change.old().contains(inside(key)) || view.literals.is_value(key);
    let unknown = composite(keys).iter().filter(|key| !is_known(key)).count();
    !is_feature(task)
        && !view.literals.task_has(MEANT)
        && unknown > 1
        && unknown * 4 > keys.len() * 3
}

/// `(self.year, self.month) >= (2024, 3)`: the year of a day that tests or the task have, and nobody named.
fn is_of_one_year(view: &View<'_>, node: Node<'_>) -> bool {
    const SIGNS: &[&str] = &["==", "===", "!=", "!==", "<", ">", "<=", ">=", "in"];
    let old = view.change.old();
    let is_own = |value: &String| {
        let year = value.parse().ok().filter(|year| year % 100 != 0);
        year.is_some_and(|year| view.literals.has_year(year))
            && !view.literals.is_value(value)
            && !has_word(old, value)
    };
    node.text().len() < LONGEST
        && node.children().any(|child| child.is(SIGNS))
        && values(node.text()).iter().any(is_own)
}
