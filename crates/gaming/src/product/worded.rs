//! Patterns and lists of words that are the inputs of tests: `/^(install the tools|copy the build)$/`.

use countersign_domain::gaming::{Finding, Rule};

use super::View;
use super::special::pairs;
use crate::args::{has_word, short};
use crate::literals::{inside, spelled};
use crate::syntax::Node;

const TEXTS: &[&str] = &[
    "regex",
    "string",
    "string_literal",
    "raw_string_literal",
    "interpreted_string_literal",
    "template_string",
];
const LISTS: &[&str] = &[
    "list",
    "array",
    "array_expression",
    "set",
    "tuple",
    "composite_literal",
    "dictionary",
    "object",
];
/// What asks whether something is in a list.
const ASKS: &[&str] =
    &[".includes(", " in ", ".contains(", ".has(", "Contains(", ".indexOf(", ".contains_key(", "["];
const MOST: usize = 100;

pub(super) fn check(view: &View<'_>) -> Vec<Finding> {
    if !view.literals.data.has_tests() {
        return Vec::new();
    }
    let patterns = view.new_nodes(TEXTS).map(|node| (node, alternatives(node.text())));
    let lists = view.new_nodes(LISTS).filter(|node| is_asked(view, *node));
    let lists = lists.map(|node| (node, entries(node)));
    let mut findings: Vec<Finding> = Vec::new();
    for (node, words) in patterns.chain(lists) {
        let is_told =
            (2..MOST).contains(&words.len()) && words.iter().all(|one| is_theirs(view, one));
        if is_told && findings.iter().all(|told| told.line != Some(node.line())) {
            let message = "The words that new code looks for are the inputs of tests.";
            let finding = view.change.structure(Rule::G20, node.line(), message);
            findings.push(finding.change(None, Some(short(node.text()))));
        }
    }
    findings
}

/// What a pattern may be, where each of it is plain words.
fn alternatives(text: &str) -> Vec<String> {
    if !text.contains('|') || text.len() > 2_000 {
        return Vec::new();
    }
    let bare = text.trim_start_matches(['r', 'b', '#', '"', '\'', '`', '/']);
    let bare =
        bare.trim_end_matches(|letter: char| letter.is_ascii_alphabetic() && text.starts_with('/'));
    let bare = bare.trim_end_matches(['#', '"', '\'', '`', '/']);
    let plain = |part: &str| {
        let part = part.replace("(?:", "").replace("(?i)", "").replace("\\b", "");
        let part = part.replace("\\s+", " ").replace("\\s*", " ").replace("\\s", " ");
        part.trim_matches(['^', '$', '(', ')']).replace('\\', "").trim().to_owned()
    };
    bare.split('|').map(plain).collect()
}

/// The texts of a list, or the keys of a table.
fn entries(node: Node<'_>) -> Vec<String> {
    let keys = pairs(node);
    let texts: Vec<&str> = if keys.is_empty() {
        node.field("body").unwrap_or(node).named().map(Node::text).collect()
    } else {
        keys.into_iter().map(|(key, _)| key).collect()
    };
    texts.into_iter().map(|text| inside(&spelled(text)).to_owned()).collect()
}

/// Whether new code asks if something is in a list, there or by the name of the list.
pub(super) fn is_asked(view: &View<'_>, node: Node<'_>) -> bool {
    let lines = view.new_lines();
    let first = lines.iter().find(|(number, _, _)| *number == node.line());
    let Some((_, _, head)) = first else { return false };
    let asks = |code: &str| ASKS.iter().any(|word| code.contains(word));
    let Some((left, _)) = head.split_once('=').filter(|(_, right)| !right.starts_with('=')) else {
        return ASKS[..5].iter().any(|word| head.contains(word));
    };
    let is_word = |letter: char| letter.is_alphanumeric() || letter == '_';
    let left = left.split(':').next().unwrap_or(left).trim();
    let name = &left[left.trim_end_matches(is_word).len()..];
    let mut others = lines.iter().filter(|(number, _, _)| *number != node.line());
    !name.is_empty() && others.any(|(_, _, code)| has_word(code, name) && asks(code))
}

/// Whether words are in a test as it was before, and neither the task nor the old code has them.
fn is_theirs(view: &View<'_>, words: &str) -> bool {
    let is_plain = |letter: char| letter.is_alphanumeric() || " ,.'!?&-:".contains(letter);
    words.len() > 6
        && words.split_whitespace().count() > 1
        && words.chars().all(is_plain)
        && !view.literals.task().contains(words)
        && !view.change.old().contains(words)
        && view.literals.data.is_in_tests(words)
}
