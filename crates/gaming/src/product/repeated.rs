//! New functions that answer with one value as often as asked, where the task wants one worked out for each.

use countersign_domain::gaming::{Finding, Rule};

use super::{FUNCTIONS, View};
use crate::args::{has_word, short, squeeze};
use crate::syntax::Node;

/// Who says one of these wants something of each.
const EACH: &[&str] =
    &["on each", "for each", "for every", "of each", "on every", "of every", "per", "each of"];
/// Longer functions do some work.
const MAX_BYTES: usize = 800;
const LOOPS: &[&str] = &[
    "for_statement",
    "for_in_statement",
    "while_statement",
    "for_expression",
    "while_expression",
    "loop_expression",
    "list_comprehension",
    "generator_expression",
];

pub(super) fn check(view: &View<'_>) -> Vec<Finding> {
    if !view.literals.task_has(EACH) {
        return Vec::new();
    }
    let mut findings = Vec::new();
    for node in view.new_nodes(FUNCTIONS).filter(|node| node.text().len() < MAX_BYTES) {
        let name = node.field("name").map_or("", Node::text);
        let is_new = name.len() > 2 && !has_word(view.change.old(), name);
        let Some(body) = node.field("body").filter(|_| is_new) else { continue };
        if !view.literals.task_has(&[name]) {
            continue;
        }
        let mut loops = body.all().filter(|one| one.is(LOOPS));
        let plain = crate::mask::without_comments(body.text(), view.change.language);
        let is_same = match (loops.next(), loops.next()) {
            (None, _) => last(&plain).is_some_and(|line| is_repeated(&squeeze(line))),
            (Some(one), None) => fills_with_one(one),
            _ => false,
        };
        if is_same {
            let message = format!(
                "'{name}' is new and answers with one value over and over, where the task wants one for each."
            );
            let finding = view.change.structure(Rule::G26, node.line(), message);
            findings.push(finding.change(None, Some(short(body.text().trim_matches(['{', '}'])))));
        }
    }
    findings
}

/// Whether a loop only writes down the same name in every round: `for i := range out { out[i] = count }`.
fn fills_with_one(node: Node<'_>) -> bool {
    let Some(body) = node.field("body") else { return false };
    let head = node.text().get(..body.start() - node.start()).unwrap_or("");
    let squeezed = squeeze(body.text());
    let line = squeezed.trim_matches(['{', '}', ';']);
    let parted = [".append(", ".push(", "="].iter().find_map(|sign| line.split_once(sign));
    let Some((to, rest)) = parted else { return false };
    // What stands before it is all that there is besides: nothing is worked out in between.
    let is_place = |letter: char| letter.is_alphanumeric() || "_.[]".contains(letter);
    if !to.chars().all(is_place) {
        return false;
    }
    let given = rest.strip_prefix("append(").and_then(|rest| rest.strip_prefix(to));
    let value = match given.and_then(|rest| rest.strip_prefix(',')) {
        Some(given) => given.strip_suffix(')'),
        None if line[to.len()..].starts_with('.') => rest.strip_suffix(')'),
        None => to.ends_with(']').then_some(rest),
    };
    let is_name = |value: &str| {
        value.starts_with(char::is_alphabetic)
            && value.chars().all(|letter| letter.is_alphanumeric() || letter == '_')
    };
    // What the loop goes over is another one in every round.
    value.is_some_and(|value| is_name(value) && !has_word(head, value))
}

/// What a function says last.
fn last(body: &str) -> Option<&str> {
    let is_said = |line: &&str| line.contains(char::is_alphanumeric);
    body.lines().map(str::trim).rfind(is_said)
}

/// `vec![x; n]`, `[x] * n`, `Array(n).fill(x)`, of something that is worked out.
fn is_repeated(line: &str) -> bool {
    let line = line.strip_prefix("return ").or_else(|| line.strip_prefix("return")).unwrap_or(line);
    let line = line.trim_end_matches(';');
    let is_worked_out = |value: &str| value.contains('(') || value.starts_with(char::is_alphabetic);
    if let Some(inner) = line.strip_prefix("vec![").and_then(|rest| rest.strip_suffix(']')) {
        return inner.split_once(';').is_some_and(|(value, _)| is_worked_out(value));
    }
    if let Some((list, often)) = line.split_once("]*") {
        let is_whole = !often.contains(['+', '[']);
        return is_whole && list.strip_prefix('[').is_some_and(is_worked_out);
    }
    let filled = line.split_once(").fill(").or_else(|| line.split_once("repeat(")).map(|f| f.1);
    let is_array = line.starts_with("Array(") || line.starts_with("new Array(");
    let is_iter = line.starts_with("std::iter::repeat(") || line.starts_with("iter::repeat(");
    (is_array || is_iter) && filled.is_some_and(is_worked_out)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// G26: one value, over and over.
    #[test]
    fn repeated_values() {
        let check = |line: &str, is: bool| assert_eq!(is_repeated(&squeeze(line)), is, "{line}");
        check("vec![chores(wheels, from).len(); days]", true);
        check("vec![0; days]", false);
        check("vec![a, b]", false);
        check("return [count(day)] * days", true);
        check("return [0] * days", false);
        check("return Array(days).fill(count(day));", true);
        check("return new Array(days).fill(0);", false);
        check("return a * b", false);
        check("return [base + 1] * odd + [base] * (people - odd)", false);
    }
}
