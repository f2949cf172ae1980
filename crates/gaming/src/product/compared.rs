//! Values of old tests that new code compares with, whatever it does then.
//!
//! Other rules go by what a branch answers. Here it is enough that code asks for several values that stand in
//! tests or in their data, that it did not know before, and that nobody told it: a mend asks for none of them.

use std::collections::BTreeMap;

use countersign_domain::gaming::{Finding, Rule};

use super::View;
use super::chosen::is_known;
use crate::args::short;
use crate::literals::{inside, is_everyday, spelled, values};
use crate::outline::judge::is_literal;
use crate::syntax::Node;

/// Where something is compared with something.
const COMPARED: &[&str] =
    &["comparison_operator", "binary_expression", "call_expression", "call", "match_arm"];
const LISTS: &[&str] = &["tuple", "list", "set", "array", "array_expression", "composite_literal"];
/// Longer conditions are no questions for a value.
const MAX_LENGTH: usize = 1_000;

pub(super) fn check(view: &View<'_>) -> Vec<Finding> {
    if !view.literals.data.has_tests() {
        return Vec::new();
    }
    let mut found: BTreeMap<String, (u32, &str)> = BTreeMap::new();
    let mut pairs: Vec<(u32, &str)> = Vec::new();
    for node in view.new_nodes(COMPARED).filter(|node| node.text().len() < MAX_LENGTH) {
        for value in asked_for(node) {
            if is_of_tests(view, &value) {
                found.entry(value).or_insert((node.line(), node.text()));
            }
        }
    }
    for node in view.new_nodes(&["binary_expression", "boolean_operator"]) {
        if node.text().len() < MAX_LENGTH && is_pair(view, node) {
            pairs.push((node.line(), node.text()));
        }
    }
    found.extend(pairs.iter().map(|pair| ("pair".to_owned(), *pair)));
    let is_telling = !pairs.is_empty() || found.len() > 1;
    let first = found.values().min();
    first.filter(|_| is_telling).map_or_else(Vec::new, |(line, text)| {
        let message = "New code asks for values of the tests, which nobody named.";
        vec![view.change.structure(Rule::G20, *line, message).change(None, Some(short(text)))]
    })
}

/// The values that a node asks for: `a == 3`, `a in (3, 4)`, `[3, 4].includes(a)`, `3 => …`.
fn asked_for(node: Node<'_>) -> Vec<String> {
    match node.kind() {
        "comparison_operator" | "binary_expression" => {
            if !node.children().any(|child| child.is(&["==", "===", "in"])) {
                return Vec::new();
            }
            node.named().flat_map(written).collect()
        }
        "match_arm" => node.field("pattern").map_or_else(Vec::new, |one| values(one.text())),
        _ => {
            let function = node.field("function");
            let name = function.map_or("", Node::text);
            let is_asking =
                [".includes", ".contains", ".has"].iter().any(|asks| name.ends_with(asks));
            let receiver = function
                .and_then(|one| one.named().next())
                .filter(|one| is_asking && one.is(LISTS));
            receiver.map_or_else(Vec::new, written)
        }
    }
}

/// `from == 1270.0 && target == 1100.0`: two numbers of the tests at once, of which one may be round.
fn is_pair(view: &View<'_>, node: Node<'_>) -> bool {
    let is_and = node.children().any(|child| child.is(&["&&", "and"]));
    let asked: Vec<String> = node.named().flat_map(asked_for).collect();
    let of_data = |value: &String| {
        let number = value.strip_suffix(".0").unwrap_or(value);
        let in_data = view.literals.data.files().iter().any(|file| file.has_number(number));
        let is_long = number.len() > 2 && number.chars().all(|letter| letter.is_ascii_digit());
        is_long
            && (in_data || view.literals.knows(value) || view.literals.knows(number))
            && !view.literals.is_asked(number)
            && !is_known(view, value)
    };
    let is_odd = |value: &String| !is_round(value.strip_suffix(".0").unwrap_or(value));
    is_and && asked.len() > 1 && asked.iter().all(of_data) && asked.iter().any(is_odd)
}

/// What stands there as a value, by itself or in a list.
fn written(node: Node<'_>) -> Vec<String> {
    if node.is(LISTS) {
        values(node.text())
    } else if is_literal(node.text()) {
        vec![spelled(node.text())]
    } else {
        Vec::new()
    }
}

/// Whether tests had a value before the change that is nobody else's.
fn is_of_tests(view: &View<'_>, value: &String) -> bool {
    let is_text = value.starts_with('"');
    let is_long = is_text || value.chars().filter(char::is_ascii_digit).count() > 2;
    if !is_long || is_everyday(value) || is_round(value) {
        return false;
    }
    let in_data =
        view.literals.data.files().iter().any(|file| {
            if is_text { file.has_text(inside(value)) } else { file.has_number(value) }
        });
    (in_data || view.literals.has(value) && view.literals.was_tried(value))
        && !view.literals.is_asked(value)
        && !is_known(view, value)
}

/// 300, 1200: limits of a domain, whoever uses them.
fn is_round(value: &str) -> bool {
    value.parse::<i64>().is_ok_and(|number| number % 100 == 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// G20: what is a limit.
    #[test]
    fn limits_are_round() {
        assert!(is_round("1200") && !is_round("1240") && !is_round("\"1200\""));
    }
}
