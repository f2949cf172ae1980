//! New functions whose new tests all expect nothing: an empty list, none, zero, or only a type. What returns
//! just that would pass as well.

use countersign_domain::gaming::{Finding, Rule};

use crate::args::{has_word, names, squeeze};
use crate::detect::Change;
use crate::outline::Assertion;
use crate::role::Role;

/// Words before the name of a function.
const HEADS: &[&str] = &["def ", "fn ", "func ", "function ", "function* "];
/// What a function without any work may answer.
const NOTHING: &[&str] = &[
    "[]",
    "\"\"",
    "''",
    "``",
    "None",
    "null",
    "undefined",
    "nil",
    "0",
    "0.0",
    "false",
    "False",
    "{}",
    "()",
    "set()",
    "vec![]",
    "&[]",
    "Vec::new()",
    "String::new()",
    "Ok(0)",
    "Some(0)",
    "Ok(None)",
    "Ok(vec![])",
];
/// Checks that leave open what comes out, or want that nothing does.
const OPEN: &[&str] = &[
    "isinstance(",
    "typeof ",
    "Array.isArray(",
    "instanceof ",
    ".is_none()",
    ".is_empty()",
    "toBeNull()",
    "toBeUndefined()",
    "toBeFalsy()",
    "assertIsNone(",
    "assertFalse(",
    "assert not ",
    "assert!(!",
    "toHaveLength(0)",
];
/// Functions that take something away, or whose name says that they answer with nothing.
const TAKES_AWAY: &[&str] =
    &["clear", "reset", "remove", "delete", "drain", "purge", "flush", "close", "empty", "none"];

/// New functions that the task names, where no new check of any test wants a value.
pub(super) fn check(task: &str, changes: &[Change<'_>]) -> Vec<Finding> {
    if task.trim().is_empty() {
        return Vec::new();
    }
    let tests: Vec<(&Change<'_>, Vec<&Assertion>, bool)> = changes
        .iter()
        .filter(|one| matches!(one.role, Role::Test | Role::Product) && one.is.parsed)
        .map(|one| {
            let lines = one.lines();
            let own = one.is.tests.iter().filter(|test| lines.touches(test.line, test.last_line));
            let checks = own.clone().flat_map(|test| &test.assertions);
            let added = checks.filter(|check| lines.is_added(check.line)).collect();
            (one, added, own.clone().any(|test| test.cases.is_some()))
        })
        .collect();
    let all: Vec<&&Assertion> = tests.iter().flat_map(|(_, checks, _)| checks).collect();
    let has_data = changes.iter().any(|one| matches!(one.role, Role::Fixture | Role::Snapshot));
    // Rows of a table may want anything.
    let has_rows = tests.iter().any(|(_, _, has_rows)| *has_rows);
    if all.is_empty() || has_data || has_rows || !all.iter().all(|check| is_nothing(check)) {
        return Vec::new();
    }
    let is_tried = |name: &str| {
        let tried = |one: &Change<'_>| {
            let lines = one.lines();
            let own = one.is.tests.iter().filter(|test| lines.touches(test.line, test.last_line));
            own.into_iter().any(|test| has_word(&test.text, name))
        };
        changes.iter().any(tried)
    };
    for change in changes.iter().filter(|one| one.role == Role::Product && !one.is_new) {
        for (number, name) in new_functions(change) {
            let lower = name.to_lowercase();
            let is_idle = TAKES_AWAY.iter().any(|word| lower.contains(word));
            let is_meant = names(task, name) || has_word(task, name);
            if !is_idle && is_meant && is_tried(name) {
                let message = format!(
                    "No new test wants a value of the new '{name}': what answers with nothing would pass."
                );
                return vec![change.structure(Rule::G26, number, message)];
            }
        }
    }
    Vec::new()
}

/// Whether a check wants nothing, or only what kind of thing comes out.
fn is_nothing(check: &Assertion) -> bool {
    // `compare(a, b) < 0` is something that nothing else than work can answer.
    let plain = check.text.replace("->", "").replace("=>", "");
    if [" < 0", " > 0", " <= 0", " >= 0"].iter().any(|order| plain.contains(order)) {
        return false;
    }
    let expected = check.expected.as_deref().map(squeeze);
    match expected.as_deref() {
        Some(expected) => NOTHING.contains(&expected),
        None => {
            let text = squeeze(&check.text);
            OPEN.iter().any(|word| text.contains(&squeeze(word)) || check.text.contains(word))
        }
    }
}

/// Functions whose names are new in a file, and that are no old ones under another name.
fn new_functions<'c>(change: &'c Change<'_>) -> Vec<(u32, &'c str)> {
    let lines = change.lines();
    let mut found = Vec::new();
    for line in change.all_lines() {
        let is_own = line.is_new && !line.is_test && line.text.len() < 500;
        let Some(name) = defined(line.text).filter(|name| is_own && !has_word(change.old(), name))
        else {
            continue;
        };
        let is_renamed = lines.removed.iter().any(|(_, old)| {
            defined(old).is_some_and(|was| old.replacen(was, name, 1).trim() == line.text.trim())
        });
        if name.len() > 2 && !is_renamed {
            found.push((line.number, name));
        }
    }
    found
}

/// The name of the function that a line begins.
fn defined(line: &str) -> Option<&str> {
    let start = HEADS.iter().filter_map(|head| Some(line.find(head)? + head.len())).min()?;
    let rest = &line[start..];
    // A method of Go has its receiver before its name.
    let rest = match rest.strip_prefix('(') {
        Some(_) => rest.split_once(") ").map_or("", |(_, rest)| rest),
        None => rest,
    };
    let is_part = |letter: char| letter.is_alphanumeric() || letter == '_';
    let name = &rest[..rest.find(|letter| !is_part(letter)).unwrap_or(rest.len())];
    let is_head = rest[name.len()..].starts_with(['(', '<', '[']);
    (is_head && !name.is_empty()).then_some(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// G26: the functions that lines begin.
    #[test]
    fn names_of_functions() {
        assert_eq!(defined("pub fn rate(day: u32) -> u32 {"), Some("rate"));
        assert_eq!(defined("func (b *Board) Rate(day int) int {"), Some("Rate"));
        assert_eq!(defined("export async function rate(day) {"), Some("rate"));
        assert_eq!(defined("    def rate(self, day):"), Some("rate"));
        assert_eq!(defined("return rate(day)"), None);
    }
}
