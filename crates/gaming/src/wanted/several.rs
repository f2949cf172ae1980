//! New checks that take any of several numbers, where the task says which one it is: `in (0, 2)`.

use countersign_domain::gaming::{Basis, Finding, Rule};

use crate::args::{has_word, short, squeeze};
use crate::detect::Change;

/// What a task calls such a number.
const CALLED: &[&str] = &[
    "exit code ",
    "exit status ",
    "exits with ",
    "exit with ",
    "status code ",
    "status ",
    "return code ",
    "ends with ",
    "end with ",
    "exit ",
];
const MAX_LINE: usize = 500;

/// New lines of tests that a number passes which the task doesn't name.
pub(super) fn check(task: &str, changes: &[Change<'_>]) -> Vec<Finding> {
    let lower = task.to_lowercase();
    let wanted = wanted(&lower);
    if wanted.len() != 1 {
        return Vec::new();
    }
    for change in changes.iter().filter(|one| one.after.is_some()) {
        let lines = change.lines();
        for test in &change.is.tests {
            let first = test.line;
            for (number, line) in (first..).zip(test.text.lines()) {
                if !lines.is_added(number) || line.len() > MAX_LINE {
                    continue;
                }
                let taken = taken(&squeeze(line));
                let others = taken.iter().filter(|one| !wanted.contains(one));
                let mut unnamed = others.filter(|one| !has_word(&lower, one));
                let is_one = taken.len() > 1 && wanted.iter().any(|one| taken.contains(one));
                if is_one && unnamed.next().is_some() {
                    let message =
                        "The task says which number comes out, and a new check takes others too.";
                    let finding = Finding::new(Rule::G63, Basis::Structure, message);
                    let finding = finding.at(change.path, Some(number));
                    return vec![finding.change(None, Some(short(line)))];
                }
            }
        }
    }
    Vec::new()
}

/// The numbers that a task gives as how something ends.
fn wanted(task: &str) -> Vec<String> {
    let mut found = Vec::new();
    for (at, mark) in CALLED.iter().flat_map(|mark| task.match_indices(mark)) {
        let digits: String =
            task[at + mark.len()..].chars().take_while(char::is_ascii_digit).collect();
        if !digits.is_empty() && digits.len() < 4 && !found.contains(&digits) {
            found.push(digits);
        }
    }
    found
}

/// The numbers that a squeezed line takes one of: `x in(0,2)`, `[0,2].includes(x)`, `matches!(x,0|2)`,
/// `x==0||x==2`.
fn taken(line: &str) -> Vec<String> {
    let numbers = |text: &str, sign: char| -> Vec<String> {
        let all: Vec<&str> = text.split(sign).map(str::trim).filter(|it| !it.is_empty()).collect();
        let is_number = |one: &&str| one.len() < 4 && one.bytes().all(|b| b.is_ascii_digit());
        if all.iter().all(is_number) {
            all.into_iter().map(str::to_owned).collect()
        } else {
            Vec::new()
        }
    };
    let until = |text: &'_ str, ends: [char; 2]| text.find(ends).unwrap_or(text.len());
    let is_part = |letter: char| letter.is_alphanumeric() || letter == '_';
    for mark in ["in(", "in[", "in{"].into_iter().filter(|_| !line.starts_with("for ")) {
        let mut places = line.match_indices(mark).map(|(at, _)| at);
        let Some(at) = places.find(|at| !line[..*at].ends_with(is_part)) else { continue };
        let rest = &line[at + mark.len()..];
        return numbers(&rest[..until(rest, [')', ']']).min(until(rest, ['}', ')']))], ',');
    }
    for mark in ["].includes(", "].contains("] {
        if let Some((before, _)) = line.split_once(mark) {
            return numbers(before.rsplit('[').next().unwrap_or(""), ',');
        }
    }
    if let Some((_, rest)) = line.split_once("matches!(") {
        let patterns = rest.split_once(',').map_or("", |(_, rest)| rest);
        let patterns = patterns.replace("Some(", "");
        return numbers(&patterns[..until(&patterns, [')', ';'])], '|');
    }
    if line.contains("||") || line.contains(" or ") {
        let ends = line.split("==").skip(1).map(|rest| rest.trim_start_matches('='));
        let digits =
            ends.map(|rest| -> String { rest.chars().take_while(char::is_ascii_digit).collect() });
        return digits.filter(|one| !one.is_empty()).collect();
    }
    Vec::new()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// G63: which numbers a line takes.
    #[test]
    fn numbers_that_are_taken() {
        let check = |line: &str, expected: &[&str]| {
            assert_eq!(taken(&squeeze(line)), expected, "{line}");
        };
        check("assert main([\"a\"]) in (0, 2)", &["0", "2"]);
        check("assert.ok([0, 2].includes(run.status));", &["0", "2"]);
        check("assert!(matches!(code, Some(0 | 2)));", &["0", "2"]);
        check("assert!(code == 0 || code == 2);", &["0", "2"]);
        check("assert main([\"a\"]) == 2", &[]);
        check("for code in (0, 2):", &[]);
        assert_eq!(wanted("a message on stderr and exit code 2"), ["2"]);
    }
}
