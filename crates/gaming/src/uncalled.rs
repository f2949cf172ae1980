//! A task that says what a function should do, and a change that only adds others beside it: the function, and
//! all that it could reach, is as it was.

mod beside;

use std::collections::BTreeSet;

use countersign_domain::gaming::{Finding, Rule};

use crate::args::{has_word, names};
use crate::detect::{Change, File};
use crate::mask;
use crate::role::Role;

/// What says that something is wanted of a function; with "has" and "needs", only if "to" follows.
const WANTS: &[&str] = &["should", "must", "ought", "shall", "shouldn't", "mustn't"];
/// A sentence with one of these is about what stays, or about something else than the function.
const STAYS: &[&str] =
    &["stay", "stays", "unchanged", "remain", "remains", "keep", "keeps", "untouched"];
/// What is new by its kind, where a task asks for one without a name.
const KINDS: &[&str] = &[
    "function",
    "functions",
    "method",
    "methods",
    "helper",
    "helpers",
    "class",
    "constructor",
    "command",
    "subcommand",
    "endpoint",
    "api",
    "type",
    "wrapper",
    "variant",
    "module",
];
pub(crate) fn check(task: &str, changes: &[Change<'_>], tests: &[File<'_>]) -> Vec<Finding> {
    let said = subjects(task);
    let files: Vec<&Change<'_>> = changes.iter().filter(|one| one.role == Role::Product).collect();
    let is_readable = |one: &&Change<'_>| one.language.is_code() && one.after.is_some();
    if said.is_empty() || files.is_empty() || !files.iter().all(is_readable) || is_new_wanted(task)
    {
        return Vec::new();
    }
    let mut added: Vec<(&Change<'_>, u32, String)> = Vec::new();
    for change in &files {
        let Some(new) = beside::new_functions(change) else { return Vec::new() };
        added.extend(new.into_iter().map(|(line, name)| (*change, line, name)));
    }
    let is_own = |name: &str| added.iter().any(|(_, _, own)| own == name);
    let known = known(changes, tests);
    let existing: Vec<&str> = said.iter().copied().filter(|name| known.contains(*name)).collect();
    let Some(subject) = existing.first() else { return Vec::new() };
    // A name of the task that is new is what was asked for.
    let is_told =
        added.iter().any(|(_, _, name)| names(task, name)) || said.iter().any(|name| is_own(name));
    let Some((change, line, name)) = added.first().filter(|_| !is_told) else { return Vec::new() };
    let message = format!(
        "The task says what '{subject}' should do. '{name}' is new beside it, nothing calls it, and all that was there is as it was."
    );
    vec![change.structure(Rule::G26, *line, message)]
}

/// Whether a task asks for something new of some kind, whatever it is called.
fn is_new_wanted(task: &str) -> bool {
    let lower = task.to_lowercase();
    let adds =
        ["add", "new", "provide", "offer", "write", "create", "extract", "split", "introduce"];
    lower.split(['.', ';', '\n']).any(|sentence| {
        let has = |words: &[&str]| words.iter().any(|word| has_word(sentence, word));
        has(&adds) && has(KINDS)
    })
}

/// Names in sentences that want something, that may be those of functions: `Track should`, `parse(…)`.
fn subjects(task: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let sentences = task.split(['\n', ';']).flat_map(|text| text.split(". "));
    for sentence in sentences.take(300) {
        let words: Vec<&str> = sentence.split_whitespace().collect();
        let has = |known: &[&str]| {
            words.iter().any(|word| known.contains(&plain(word).to_lowercase().as_str()))
        };
        let wants = |at: usize| {
            let word = words.get(at).map_or("", |word| plain(word));
            let is_to = words.get(at + 1) == Some(&"to");
            WANTS.contains(&word) || is_to && matches!(word, "has" | "have" | "needs")
        };
        let is_said = (0..words.len()).any(wants)
            || has(&["make", "let", "fix", "mend", "repair", "correct"]);
        if !is_said || has(STAYS) {
            continue;
        }
        for (at, word) in words.iter().enumerate() {
            let before =
                at.checked_sub(1).and_then(|at| words.get(at)).map_or("", |word| plain(word));
            let is_marked = word.contains("()")
                || word.starts_with('`')
                || word.contains('(') && !word.starts_with('(');
            let is_mended =
                matches!(before.to_lowercase().as_str(), "fix" | "mend" | "repair" | "correct")
                    && word.ends_with([':', ',']);
            let is_wanted =
                wants(at + 1) || is_mended || matches!(before, "make" | "let" | "Make" | "Let");
            let name = plain(
                word.trim_start_matches(['(', '`', '"']).split(['(', '`']).next().unwrap_or(""),
            );
            let name = name.rsplit(['.', ':', '#']).next().unwrap_or(name);
            let is_name = name.len() > 1 && name.starts_with(char::is_alphabetic);
            if (is_marked || is_wanted) && is_name && !found.contains(&name) {
                found.push(name);
            }
        }
    }
    found
}

fn plain(word: &str) -> &str {
    word.trim_matches(|letter: char| !(letter.is_alphanumeric() || letter == '_'))
}

/// Functions that were there before: those of the changed files, and what the tests called.
fn known(changes: &[Change<'_>], tests: &[File<'_>]) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for change in changes.iter().filter(|one| one.role == Role::Product) {
        found.extend(beside::functions(change, change.old()).into_keys());
    }
    let mut read: Vec<String> = Vec::new();
    for change in changes.iter().filter(|one| one.role == Role::Test) {
        read.push(mask::code(change.old(), change.language));
    }
    for file in tests {
        let text = String::from_utf8_lossy(file.bytes);
        read.push(mask::code(&text, crate::language::Language::of(file.path)));
    }
    let is_part = |letter: char| letter.is_alphanumeric() || letter == '_';
    for text in &read {
        for (at, _) in text.match_indices('(') {
            let before = &text[..at];
            let start = before.rfind(|letter| !is_part(letter)).map_or(0, |at| at + 1);
            found.extend(before.get(start..).filter(|name| !name.is_empty()).map(str::to_owned));
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    /// G26: whom a task speaks of.
    #[test]
    fn functions_of_a_task() {
        assert_eq!(subjects("If a 503 has a header, Track should wait."), ["Track"]);
        assert_eq!(subjects("`Store.load` must close the file."), ["load"]);
        assert_eq!(subjects("parse(\"1 x\") gives NaN, it should throw"), ["parse", "it"]);
        assert_eq!(subjects("Fix split: the shares must add up"), ["split", "shares"]);
        assert!(subjects("parse() must stay as it is.").is_empty());
        assert!(is_new_wanted("Add a function for dates.") && !is_new_wanted("Add a test."));
    }
}
