//! A task that says what a function should do, where that function and all that it calls are as they were.

use std::collections::{BTreeMap, BTreeSet};

use countersign_domain::gaming::{Basis, Finding, Rule};

use super::clauses::sentences;
use crate::args::has_word;
use crate::detect::Change;
use crate::role::Role;
use crate::syntax::{Node, Tree};

const FUNCTIONS: &[&str] = &[
    "function_definition",
    "function_declaration",
    "method_definition",
    "method_declaration",
    "function_item",
    "function_signature_item",
];

/// Words behind which a function stands as an example.
const MODELS: &[&str] = &["like", "as"];

pub(super) fn check(task: &str, changes: &[Change<'_>]) -> Vec<Finding> {
    let subjects = subjects(task);
    let files: Vec<&Change<'_>> =
        changes.iter().filter(|one| one.role == Role::Product && one.language.is_code()).collect();
    if subjects.is_empty() || files.is_empty() {
        return Vec::new();
    }
    let (mut old, mut new) = (BTreeMap::new(), BTreeMap::new());
    for change in &files {
        functions(change, change.old(), &mut old);
        functions(change, change.current(), &mut new);
    }
    let touched: BTreeSet<&String> = new
        .iter()
        .filter(|(name, body)| old.get(*name) != Some(body))
        .map(|(name, _)| name)
        .chain(old.keys().filter(|name| !new.contains_key(*name)))
        .collect();
    let outside: Vec<&str> = files.iter().flat_map(|change| outside(change, &new)).collect();
    let mut findings = Vec::new();
    for (subject, model) in subjects {
        let Some(body) = new.get(subject).filter(|_| !touched.iter().any(|one| *one == subject))
        else {
            continue;
        };
        let reached = reached(subject, &new);
        let is_reached = touched.iter().any(|one| reached.contains(one.as_str()));
        let is_fed = outside.iter().any(|line| shares_name(line, body));
        let is_model_changed = touched.iter().any(|one| *one == model);
        if is_model_changed && !is_reached && !is_fed {
            let message = format!(
                "The task says what {subject}() should do, as {model} does; {model} was changed, and {subject} neither calls it nor was."
            );
            findings.push(Finding::new(Rule::G63, Basis::Structure, message));
        }
    }
    findings
}

/// Functions that sentences begin with, `Left() counts …`, and those they should do as.
fn subjects(task: &str) -> Vec<(&str, &str)> {
    let mut found = Vec::new();
    let mut subject = None;
    for sentence in sentences(task) {
        let first = sentence.split_whitespace().next().unwrap_or_default();
        let lower = sentence.to_lowercase();
        if let Some((name, _)) = first.trim_matches('`').split_once('(') {
            subject = Some(name.rsplit(['.', ':']).next().unwrap_or(name));
        } else if first != "It" {
            subject = None;
        }
        let wants = ["should", "must", "has to"].iter().any(|word| has_word(&lower, word));
        let words: Vec<&str> = sentence.split_whitespace().collect();
        let models = words.windows(2).filter(|pair| MODELS.contains(&pair[0]));
        for pair in models.filter(|_| wants) {
            let model = pair[1].trim_matches(|letter: char| !letter.is_alphanumeric());
            found.extend(subject.filter(|one| *one != model && !one.is_empty()).zip(Some(model)));
        }
    }
    found
}

/// The functions of a file with their texts.
fn functions(change: &Change<'_>, text: &str, found: &mut BTreeMap<String, String>) {
    let Some(tree) = Tree::parse(change.language, text) else { return };
    for node in tree.root().all().filter(|node| node.is(FUNCTIONS)) {
        if let Some(name) = node.field("name").map(Node::text) {
            let all: &mut String = found.entry(name.to_owned()).or_default();
            all.push_str(node.text());
            all.push('\n');
        }
    }
}

/// A function and all that it calls, as far as the changed files have them.
fn reached<'f>(name: &'f str, functions: &'f BTreeMap<String, String>) -> BTreeSet<&'f str> {
    let mut reached = BTreeSet::from([name]);
    let mut open = vec![name];
    while let Some(body) = open.pop().and_then(|name| functions.get(name)) {
        for other in functions.keys().filter(|other| has_word(body, other)) {
            if reached.insert(other) {
                open.push(other);
            }
        }
    }
    reached
}

/// New lines of a file that stand in no function.
fn outside<'c>(change: &'c Change<'_>, functions: &BTreeMap<String, String>) -> Vec<&'c str> {
    let lines = change.lines();
    let all = (1..).zip(change.current().lines()).filter(|(number, _)| lines.is_added(*number));
    let is_inside = |line: &str| functions.values().any(|body| body.contains(line.trim()));
    all.map(|(_, line)| line).filter(|line| !is_inside(line)).collect()
}

/// Whether a line names something that a function names, too.
fn shares_name(line: &str, body: &str) -> bool {
    let mut words = line.split(|letter: char| !(letter.is_alphanumeric() || letter == '_'));
    words.any(|word| word.len() > 2 && has_word(body, word))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// G63: whom a task speaks of.
    #[test]
    fn functions_that_should_do_as_others() {
        let task = "Left() counts old calls. It should only count new ones, like Allow. Fix it.";
        assert_eq!(subjects(task), [("Left", "Allow")]);
        assert!(subjects("Left() is wrong. Allow() should work like before.").len() < 2);
        assert!(subjects("It should be as fast as f().").is_empty());
    }
}
