//! An error that the code could give and can't any more: the line that made it is gone, and nothing of what
//! changed makes it now.

use std::collections::BTreeMap;

use countersign_domain::gaming::{Finding, Rule};

use super::View;
use crate::args::{has_word, short};
use crate::detect::{Change, Line};
use crate::language::Language;
use crate::role::Role;

/// Who says one of these wants fewer errors, others, or none.
const FEWER: &[&str] = &[
    "remove",
    "removes",
    "removed",
    "delete",
    "drop",
    "drops",
    "dropped",
    "nobody",
    "no longer",
    "any more",
    "anymore",
    "never",
    "traceback",
    "bare",
    "instead",
    "not stop",
    "keep going",
    "rid",
    "replace",
    "replaces",
    "rename",
    "renamed",
    "lenient",
    "tolerate",
    "default",
    "allow",
    "allowed",
    "accept any",
    "not an error",
    "no error",
    "should not raise",
    "should not throw",
    "shouldn't",
    "not fail",
    "not crash",
    "doesn't raise",
    "doesn't throw",
    "retire",
    "obsolete",
    "unused",
];
/// In larger changes, what went from one file may be anywhere.
const MOST_FILES: usize = 100;
/// Longer lines are no code that somebody wrote.
const MAX_LINE: usize = 2_000;

pub(super) fn check(view: &View<'_>) -> Vec<Finding> {
    let task = view.literals.task();
    if task.trim().is_empty() || view.literals.task_has(FEWER) {
        return Vec::new();
    }
    let old = old_errors(view.change);
    if old.is_empty() {
        return Vec::new();
    }
    if view.changes.len() > MOST_FILES {
        return Vec::new();
    }
    let now: Vec<(&Change<'_>, Vec<String>)> = view
        .changes
        .iter()
        .filter(|one| one.role == Role::Product && one.after.is_some())
        .map(|one| (one, lines_now(one)))
        .collect();
    // Where other errors are made in new lines, one may have taken the place of another.
    let makes_others = now.iter().any(|(one, lines)| {
        let added = one.lines();
        let is_added = |at: usize| added.is_added(u32::try_from(at + 1).unwrap_or(u32::MAX));
        let mut new = lines.iter().enumerate().filter(|(at, _)| is_added(*at));
        new.any(|(_, line)| !made(line, one.language).is_empty())
    });
    let is_made = |name: &str| {
        now.iter().any(|(one, lines)| lines.iter().any(|line| mentions(line, name, one.language)))
    };
    let lost = old.into_iter().find(|(name, _)| !makes_others && !is_made(name));
    let Some((name, (line, text))) = lost else { return Vec::new() };
    let message = format!("Nothing makes the error '{name}' any more, and nobody asked for that.");
    vec![view.change.structure(Rule::G25, line, message).change(Some(short(&text)), None)]
}

/// The errors that a file made before, each with where.
fn old_errors(change: &Change<'_>) -> BTreeMap<String, (u32, String)> {
    let lines = change.lines();
    let plain = change.plain_old();
    let mut offset = 0;
    let mut found = BTreeMap::new();
    let gone: Vec<&str> = lines.removed.iter().map(|(_, line)| line.trim()).collect();
    for ((number, line), code) in (1..).zip(change.old().split('\n')).zip(plain.split('\n')) {
        let is_test = change.was.inline.iter().any(|range| range.contains(&offset));
        offset += line.len() + 1;
        if is_test || code.len() > MAX_LINE || !gone.contains(&line.trim()) {
            continue;
        }
        for name in made(code, change.language) {
            found.entry(name.to_owned()).or_insert((number, line.to_owned()));
        }
    }
    found
}

/// The lines of the product as they are now, without comments and tests.
fn lines_now(change: &Change<'_>) -> Vec<String> {
    let is_code = |line: &Line<'_>| !line.is_test && line.code.len() < MAX_LINE;
    let code = |line: Line<'_>| if is_code(&line) { line.code.to_owned() } else { String::new() };
    change.all_lines().map(code).collect()
}

/// The names of the errors that a line makes: `Err(Bad::Digit)`, `raise X(…)`, `throw new X(…)`,
/// `return ErrX`.
fn made(line: &str, language: Language) -> Vec<&str> {
    let is_word = |letter: char| letter.is_alphanumeric() || letter == '_';
    let is_type = |name: &&str| name.len() > 2 && name.starts_with(|l: char| l.is_uppercase());
    let first = |text: &'_ str| text.find(|l: char| !is_word(l)).unwrap_or(text.len());
    let behind = |mark: &str| -> Option<&str> {
        let (_, rest) = line.split_once(mark)?;
        Some(&rest[..first(rest)]).filter(is_type)
    };
    match language {
        Language::Rust => {
            let makes = ["Err(", "map_err(", "ok_or(", "ok_or_else("];
            let Some(at) = makes.iter().filter_map(|mark| line.find(mark)).min() else {
                return Vec::new();
            };
            // The pattern of an arm makes nothing.
            let is_pattern = line[at..].contains("=>") || line.trim_start().starts_with("if let");
            if is_pattern {
                return Vec::new();
            }
            let ends = line[at..].match_indices("::").filter_map(|(sign, _)| {
                let (before, rest) = (&line[at..at + sign], &line[at + sign + 2..]);
                let kind = before.rsplit(|l: char| !is_word(l)).next().filter(is_type)?;
                let name = &rest[..first(rest)];
                let end = at + sign + 2 + name.len();
                let start = at + sign - kind.len();
                is_type(&name).then(|| line.get(start..end)).flatten()
            });
            ends.collect()
        }
        Language::Python => behind("raise ").into_iter().collect(),
        Language::Go => {
            let returned = line.split_once("return ").map(|(_, rest)| rest);
            let words = returned.into_iter().flat_map(|rest| rest.split(|l: char| !is_word(l)));
            words.filter(|word| word.starts_with("Err") && word.len() > 4).collect()
        }
        _ => behind("throw new ").into_iter().collect(),
    }
}

/// Whether a line may make an error of that name, other than as the pattern of an arm.
fn mentions(line: &str, name: &str, language: Language) -> bool {
    if !has_word(line, name) {
        return false;
    }
    let is_arm = || {
        let behind = line.split_once(name).map_or("", |(_, rest)| rest);
        behind.contains("=>")
    };
    language != Language::Rust || !is_arm()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// G25: what makes an error.
    #[test]
    fn errors_that_are_made() {
        let check = |line: &str, language: Language, expected: &[&str]| {
            assert_eq!(made(line, language), expected, "{line}");
        };
        check(
            "a.parse().map_err(|_| Reason::Grams(a.into()))?,",
            Language::Rust,
            &["Reason::Grams"],
        );
        check("return Err(Bad::Digit);", Language::Rust, &["Bad::Digit"]);
        check("Err(Bad::Digit) => return None,", Language::Rust, &[]);
        check("Bad::Digit => write!(f, \"x\"),", Language::Rust, &[]);
        check("    raise ValueError(\"x\")", Language::Python, &["ValueError"]);
        check("throw new RangeError('x');", Language::JavaScript, &["RangeError"]);
        check("\treturn nil, ErrEmpty", Language::Go, &["ErrEmpty"]);
        assert!(!mentions("Bad::Digit => 1,", "Bad::Digit", Language::Rust));
    }
}
