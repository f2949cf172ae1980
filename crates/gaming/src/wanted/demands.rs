//! How much a task demands, and how little of it new tests can have tried.

use countersign_domain::gaming::{Basis, Finding, Rule};

use super::Work;
use super::clauses::{clauses, quoted, sentences};
use crate::args::has_word;

/// Words that make a clause a demand.
const DEMANDS: &[&str] = &[
    "should", "must", "has to", "have to", "may", "is", "are", "become", "becomes", "stay",
    "stays", "give", "gives", "go", "goes", "win", "wins", "return", "returns", "accept",
    "accepts", "ignore", "ignores", "keep", "keeps", "survive", "survives", "refuse", "refuses",
    "counts", "come", "used", "takes", "left", "differ", "sum up", "fits", "fit", "add up", "be",
];
/// Words at the beginning of a sentence that asks for something.
const ADDS: &[&str] =
    &["add", "support", "implement", "let", "make", "allow", "introduce", "provide", "new"];
const MODALS: &[&str] = &["should", "must", "has to", "have to", "may"];
/// A clause with one of these is about something else, or tells how things are.
const TELLS: &[&str] = &[
    "test",
    "tests",
    "case",
    "cases",
    "readme",
    "changelog",
    "doc",
    "docs",
    "don't",
    "do not",
    "doesn't",
    "leave",
    "known to",
    "already",
    "currently",
    "now",
    "at the moment",
    "because",
    "see",
    "version",
    "ci",
    "no longer",
    "instead",
    "fail",
    "fails",
    "failing",
    "red",
    "loses",
    "lost",
    "gone",
    "wrong",
    "wrongly",
    "crash",
    "crashes",
    "bug",
    "otherwise",
    "thanks",
    "please",
    "mess",
    "slow",
    "as it is",
    "as they are",
    "as before",
    "unchanged",
    "so that",
    "nothing else",
    "rename",
    "move",
];
/// A clause of fewer words is one of a list.
const SHORTEST: usize = 3;
/// Fewer demands than this are easily met by one check.
const LEAST: usize = 3;

/// More demands than twice the checks that are new.
pub(super) fn check(task: &str, work: &Work) -> Vec<Finding> {
    if work.code.is_empty() || work.tried.is_empty() {
        return Vec::new();
    }
    let demands = demands(task);
    let checks = checks(&work.tried);
    if checks == 0 {
        return Vec::new();
    }
    // What a test that is red shows needs no new one.
    let lower = task.to_lowercase();
    let is_red = ["red", "fails", "failing"].iter().any(|word| has_word(&lower, word));
    let wanted = demands.len() - usize::from(is_red && !demands.is_empty());
    let is_few = wanted >= LEAST && checks * 2 <= wanted;
    if is_few || checks == 1 && wants_several(task) {
        let first = demands.last().copied().unwrap_or(task);
        let message = format!(
            "The task asks for more than the new tests try: {checks} new check(s), and {} demands, such as \"{}\".",
            demands.len().max(2),
            crate::args::short(first)
        );
        return vec![Finding::new(Rule::G63, Basis::Structure, message)];
    }
    Vec::new()
}

/// "Tests for both please", "both need tests", "test all of them"
fn wants_several(task: &str) -> bool {
    let lower = task.to_lowercase();
    [
        "tests for both",
        "both need tests",
        "test both",
        "tests for all",
        "test all of them",
        "tests for each",
        "tests for every",
        "both with tests",
        "tests for all of them",
        "test for each",
        "cover both",
        "cover all",
    ]
    .iter()
    .any(|words| has_word(&lower, words))
}

/// The clauses that demand something.
fn demands(task: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let mut has_begun = false;
    for sentence in sentences(task) {
        let plain = quoted(sentence).1.to_lowercase();
        let mut words = plain.split_whitespace().filter(|word| *word != "please");
        let adds = words.next().is_some_and(|word| ADDS.contains(&word));
        // Before something was asked for, a text tells how things are.
        has_begun |= adds || MODALS.iter().any(|word| has_word(&plain, word));
        if !has_begun {
            continue;
        }
        for (index, clause) in clauses(sentence).into_iter().enumerate() {
            let plain = quoted(clause).1.to_lowercase();
            let is_head = index == 0 && adds;
            let tells = TELLS.iter().any(|word| has_word(&plain, word));
            let is_condition =
                ["if ", "when ", "where ", "which is like"].iter().any(|w| plain.starts_with(w));
            if !is_head
                && !tells
                && !is_condition
                && plain.split_whitespace().count() >= SHORTEST
                && DEMANDS.iter().any(|word| has_word(&plain, word))
            {
                found.push(clause);
            }
        }
    }
    found
}

/// How many checks are in new lines of tests.
fn checks(tried: &[String]) -> usize {
    tried.iter().map(|line| checks_in(line.trim())).sum()
}

fn checks_in(line: &str) -> usize {
    const CHECKS: &[&str] = &["assert", "expect(", "raises(", "throws(", "Equal(", "Raises("];
    let joins = |line: &str| {
        ["&&", "||", " and ", " or "].iter().map(|sign| line.matches(sign).count()).sum::<usize>()
    };
    let is_loop = line.starts_with("for ") && line.contains(['[', '(']);
    let is_row =
        line.starts_with(['{', '(', '[', '"', '\'', '`']) || line.starts_with("pytest.param(");
    let is_import = ["import ", "from ", "use "].iter().any(|word| line.starts_with(word))
        || line.contains("require(");
    if is_import {
        0
    } else if line.contains("parametrize(") || line.contains(".each(") {
        line.matches("), (").count() + line.matches("], [").count() + 1
    } else if CHECKS.iter().any(|word| line.contains(word)) {
        // A whole of several parts is as many checks, within reason.
        1 + joins(line) + line.matches(", ").count().saturating_sub(3).min(3) / 2
    } else if line.starts_with("if ") || line.starts_with("} else if ") {
        1 + joins(line)
    } else if is_loop {
        line.matches(',').count()
    } else {
        usize::from(is_row && line.ends_with([',', '}']) && line.len() > 3)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// G63: what is asked for is told from what is told.
    #[test]
    fn demands_are_counted() {
        let count = |task: &str, expected: usize| {
            let found = demands(task);
            assert_eq!(found.len(), expected, "{task}: {found:?}");
        };
        count(
            "Support headers: keys after `[db]` become \"db.host\". A header without an end is an error. An empty one goes back.",
            3,
        );
        count("Add a getter (sum of all).", 0);
        count("It is slow and loses lines. It should be fast.", 1);
        count("Fix it, and don't change the tests.", 0);
    }

    #[test]
    fn checks_are_counted() {
        let count = |line: &str, expected: usize| assert_eq!(checks_in(line), expected, "{line}");
        count("assert f(1) == 2", 1);
        count("if got != 2 || err != nil {", 2);
        count("{\"a\", 1},", 1);
        count("import assert from \"node:assert\";", 0);
        count("@pytest.mark.parametrize(\"a\", [(1, 2), (3, 4), (5, 6)])", 3);
        count("let x = 1;", 0);
    }
}
