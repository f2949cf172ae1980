//! What a task asks for in words that leave a trace in code, where there is none: an order, or nothing as
//! an answer.

use countersign_domain::gaming::{Basis, Finding, Rule};

use crate::args::has_word;
use crate::detect::Change;
use crate::role::Role;

/// Words for an order, and what code that makes one has in it.
const ORDERS: &[&str] = &["alphabetical", "alphabetically", "ascending", "descending", "sorted"];
const SORTS: &[&str] = &[
    "sort", "Sort", "BTree", "bisect", "heap", "cmp", "compare", "Compare", "ORDER", "insert",
    "order",
];

/// Names of nothing, and code that gives it without naming it.
const NOTHING: &[&str] = &["None", "null", "undefined", "nil"];
const GIVES: &[&str] = &[
    ".get(",
    ".find(",
    "?.",
    "Option",
    ".first()",
    ".last()",
    ".pop(",
    "next(",
    ".at(",
    "?;",
    ")?",
    "default",
    ".shift(",
    ".ok()",
    "_by",
    "_by_key",
    "Map",
    "map(",
    "None",
    "null",
    "nil",
    "undefined",
];

/// A sentence with one of these tells how it is, or what stays.
const TELLS: &[&str] = &[
    "instead",
    "still",
    "now",
    "currently",
    "already",
    "never",
    "not",
    "don't",
    "crash",
    "crashes",
    "remove",
    "unchanged",
    "keep",
    "stays",
    "rather",
];

/// What the task asks for, and what nothing of the change has a trace of.
pub(super) fn check(task: &str, changes: &[Change<'_>]) -> Vec<Finding> {
    let product: Vec<&Change<'_>> = changes
        .iter()
        .filter(|one| one.role == Role::Product && !one.lines().added.is_empty())
        .filter(|one| one.language.is_code())
        .collect();
    if product.is_empty() {
        return Vec::new();
    }
    let has = |text: &str, marks: &[&str]| marks.iter().any(|mark| text.contains(mark));
    let mut findings = Vec::new();
    for sentence in task.split(['\n', ';']).flat_map(|line| line.split(". ")) {
        let lower = sentence.to_lowercase();
        if TELLS.iter().any(|word| has_word(&lower, word)) || !is_new(&lower) {
            continue;
        }
        let order = ORDERS.iter().find(|word| has_word(&lower, word));
        // What is there the other way round needs no sorting.
        let turns = ["[::-1]", "reverse", "Reverse", ".rev()", "desc", "Desc", "asc"];
        let sorts =
            || product.iter().any(|one| has(one.current(), SORTS) || has(&added(one), &turns));
        if let Some(word) = order.filter(|_| !sorts()) {
            findings.push(missing(&format!("an order ({word})")));
        }
        // "Add a null check" asks for no answer.
        let answers = ["give", "gives", "return", "returns", "or", "yields", "answers", "is"];
        let nothing = NOTHING.iter().find(|word| {
            answers.iter().any(|says| lower.contains(&format!("{says} {}", word.to_lowercase())))
                && has_word(sentence, word)
        });
        let known = || {
            product.iter().any(|one| has(&added(one), GIVES))
                || changes.iter().any(|one| {
                    matches!(one.role, Role::Test | Role::Fixture | Role::Snapshot)
                        && has(&added(one), NOTHING)
                })
        };
        if let Some(word) = nothing.filter(|_| !known()) {
            findings.push(missing(&format!("{word} as an answer")));
        }
    }
    findings
}

/// Whether a sentence in small letters asks for something that is not there yet.
fn is_new(sentence: &str) -> bool {
    let mut words = sentence.split_whitespace().filter(|word| *word != "please");
    words.next().is_some_and(|word| matches!(word, "add" | "implement" | "write" | "introduce"))
}

fn added(change: &Change<'_>) -> String {
    let lines = change.lines();
    let all = (1..).zip(change.current().lines()).filter(|(at, _)| lines.is_added(*at));
    all.map(|(_, line)| format!("{line}\n")).collect()
}

fn missing(what: &str) -> Finding {
    let message =
        format!("The task wants {what}, and neither the code nor a test has a trace of it.");
    Finding::new(Rule::G63, Basis::Text, message)
}
