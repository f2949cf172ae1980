//! What a task wants to be an error, where neither the new code nor a new test knows of one.

use countersign_domain::gaming::{Basis, Finding, Rule};

use crate::args::has_word;
use crate::detect::Change;
use crate::role::Role;

/// Words of a clause that wants an error.
const REFUSES: &[&str] = &[
    "raise", "raises", "throw", "throws", "reject", "rejects", "rejected", "refuse", "refuses",
    "refused",
];
const ERRORS: &[&str] = &["an error", "error for", "error if", "error when", "an exception"];
/// A clause with one of these tells how it is, or of an error that is to go.
const TELLS: &[&str] = &[
    "don't",
    "doesn't",
    "never",
    "should not",
    "must not",
    "not raise",
    "not throw",
    "not be",
    "not an error",
    "not reject",
    "not refuse",
    "no error",
    "no exception",
    "without",
    "instead",
    "still",
    "now",
    "currently",
    "today",
    "stop",
    "stops",
    "already",
    "longer",
    "crash",
    "crashes",
    "avoid",
    "wrong",
    "wrongly",
    "fails",
    "failing",
    "unchanged",
    "keep",
    "keeps",
    "stay",
    "stays",
    "message",
    "messages",
    "rather",
    "why",
    "although",
    "but",
    "because",
    "log",
    "logs",
    "catch",
    "handle",
    "retry",
    "test",
    "tests",
    "again",
    "other",
];
/// Words of a clause, or at the beginning of a sentence, that wants something. Without one, it may
/// tell what is wrong.
const MUST: &[&str] = &["should", "must", "has to", "have to", "make", "let"];
const ADDS: &[&str] = &["add", "implement", "write", "support", "introduce", "provide"];

/// Marks of an error that code hands out or a test waits for.
const MARKS: &[&str] = &[
    "raise",
    "throw",
    "Err(",
    "Error",
    "errors.",
    "Errorf",
    "panic",
    "reject",
    "ok_or",
    "err_or",
    "raises",
    "throws",
    "Raises",
    "Throw",
    "is_err",
    "unwrap_err",
    "expect_err",
    "err == nil",
    "should_panic",
    "bail!",
    "ensure!",
    "assert",
    "?;",
    ")?",
    "return err",
    ", err",
    "Exception",
    "abort",
    "exit(",
    "fail",
    "invalid",
    "Invalid",
    "validate",
    "check",
];

/// Errors that the task wants, of which the change has no trace.
pub(super) fn check(task: &str, changes: &[Change<'_>]) -> Vec<Finding> {
    let Some(clause) = wanted(task, changes) else { return Vec::new() };
    let mut has_code = false;
    for change in changes.iter().filter(|one| matches!(one.role, Role::Product | Role::Test)) {
        let lines = change.lines();
        has_code |= change.role == Role::Product && !lines.added.is_empty();
        let all: Vec<&str> = change.current().lines().collect();
        for index in 0..all.len() {
            let number = u32::try_from(index + 1).unwrap_or(u32::MAX);
            if !lines.is_added(number) {
                continue;
            }
            // A condition that is another now may lead to an error that was there.
            let reach = if change.role == Role::Product { 3 } else { 1 };
            let near = &all[index..all.len().min(index + reach)];
            let is_test = change.role == Role::Test || is_inline_test(change, &all, index);
            if near.iter().any(|line| is_mark(line, is_test)) {
                return Vec::new();
            }
        }
    }
    if !has_code {
        return Vec::new();
    }
    let clause = crate::args::short(clause);
    let message = format!(
        "The task wants an error (\"{clause}\"), and neither the new code nor a new test knows of one."
    );
    vec![Finding::new(Rule::G63, Basis::Text, message)]
}

fn is_inline_test(change: &Change<'_>, all: &[&str], index: usize) -> bool {
    let offset: usize = all[..index].iter().map(|line| line.len() + 1).sum();
    change.is_test_at(offset)
}

fn is_mark(line: &str, is_test: bool) -> bool {
    // Every test asserts and may fail.
    const OF_CODE: &[&str] =
        &["assert", "fail", "check", "validate", ", err", "invalid", "?;", ")?", "panic", "Error"];
    const OF_TESTS: &[&str] = &["Error)", "Error,", "Error:", "Error::", "errors.Is", "errors.As"];
    let has = |mark: &&str| line.contains(*mark) && !(is_test && OF_CODE.contains(mark));
    MARKS.iter().any(has) || is_test && OF_TESTS.iter().any(|mark| line.contains(mark))
}

/// The clause that wants an error.
fn wanted<'t>(task: &'t str, changes: &[Change<'_>]) -> Option<&'t str> {
    let sentences = task.split(['\n', ';']).flat_map(|line| line.split(". "));
    for sentence in sentences {
        let lower = sentence.to_lowercase();
        let mut first = lower.split_whitespace().filter(|word| *word != "please");
        let adds = first.next().is_some_and(|word| ADDS.contains(&word));
        let wants = adds || MUST.iter().any(|word| has_word(&lower, word));
        let has = |text: &str, words: &[&str]| words.iter().any(|word| has_word(text, word));
        let says = |clause: &str| {
            let lower = clause.to_lowercase();
            let names_type = || clause.split_whitespace().any(|word| is_error_type(word, changes));
            let refuses = has(&lower, REFUSES) || ERRORS.iter().any(|words| lower.contains(words));
            let becomes = has(&lower, &["is a", "is an", "be a", "be an", "are a"]) && names_type();
            let is_wanted = has(&lower, MUST) || adds;
            (refuses && is_wanted || becomes && wants) && !has(&lower, TELLS)
        };
        if let Some(clause) = sentence.split([',', ':', '(']).find(|clause| says(clause)) {
            return Some(clause.trim());
        }
    }
    None
}

/// Whether a word is a type that the old code hands out as an error.
fn is_error_type(word: &str, changes: &[Change<'_>]) -> bool {
    let word = word.trim_matches(|letter: char| !letter.is_alphanumeric());
    let is_type = word.len() > 3
        && word.starts_with(|letter: char| letter.is_ascii_uppercase())
        && word.contains(|letter: char| letter.is_ascii_lowercase());
    let hands_out = |text: &str| {
        ["Err(", "ok_or(", "raise ", "throw new "].iter().any(|mark| {
            text.contains(&format!("{mark}{word}")) || text.contains(&format!("{mark}|| {word}"))
        })
    };
    is_type && changes.iter().any(|change| hands_out(change.old()))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// G63: what is to be an error is told from what is one.
    #[test]
    fn errors_that_are_wanted() {
        let check = |task: &str, is: bool| assert_eq!(wanted(task, &[]).is_some(), is, "{task}");
        check("Put should return an error for an empty key, and keep nothing then.", true);
        check("Put should return an error for a time that is not positive.", true);
        check("Adding a song that is there should raise ValueError.", true);
        check("Orders from Switzerland crash with an error. Add the rate.", false);
        check("Please add pick(), which gives a song and raises IndexError for none.", true);
        check("Passwords with eight letters are refused, but eight should be enough.", false);
        check("get() throws a KeyError for missing keys; it should give None.", false);
        check("It should not throw for empty lists.", false);
        check("parse() should return None instead of raising an error.", false);
    }
}
