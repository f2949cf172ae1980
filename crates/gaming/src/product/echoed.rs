//! Branches that answer with what they compare with, and branches that hang on a part of the clock.

use countersign_domain::gaming::{Finding, Rule};

use super::View;
use crate::args::short;
use crate::literals::{inside, values};

/// How many lines below a comparison belong to its branch.
const NEAR: u32 = 2;

/// Parts of a time of day.
const CLOCK: &[&str] = &[
    ".second",
    ".microsecond",
    ".minute",
    "second()",
    "nanosecond()",
    "minute()",
    "getseconds()",
    "getmilliseconds()",
    "getminutes()",
];

pub(super) fn check(view: &View<'_>) -> Vec<Finding> {
    let lines = view.new_lines();
    let mut findings = Vec::new();
    for (number, line, code) in &lines {
        let message = if hangs_on_clock(code) {
            Some("What the new code does hangs on one second or minute of the clock.".to_owned())
        } else {
            let near = |other: &&(u32, &str, &str)| (*number..=number + NEAR).contains(&other.0);
            let answers: Vec<&str> = lines.iter().filter(near).map(|(_, line, _)| *line).collect();
            let echo = compared(code).into_iter().find(|value| {
                answers.iter().any(|line| says(line, value)) && !says(view.change.old(), value)
            });
            echo.map(|value| format!("Where it is {value}, the new code answers \"{value}\"."))
        };
        if let Some(message) = message {
            let finding = view.change.structure(Rule::G20, *number, message);
            findings.push(finding.change(None, Some(short(line))));
        }
    }
    findings
}

/// Whether a line compares a part of a time with a number.
fn hangs_on_clock(code: &str) -> bool {
    let lower = code.to_lowercase();
    let is_compared = |rest: &str| {
        let rest = rest.trim_start();
        let sign = ["===", "!==", "==", "!=", "%"].iter().find_map(|sign| rest.strip_prefix(sign));
        let number = sign.map(str::trim_start).unwrap_or_default();
        number.starts_with(|letter: char| letter.is_ascii_digit()) && !number.starts_with('0')
    };
    CLOCK
        .iter()
        .any(|part| lower.match_indices(part).any(|(at, _)| is_compared(&lower[at + part.len()..])))
}

/// Numbers of at least 2 that a line compares with.
fn compared(code: &str) -> Vec<String> {
    let mut found = Vec::new();
    for (at, _) in code.match_indices("==") {
        let rest = code[at + 2..].trim_start_matches('=').trim_start();
        let end = rest.find(|letter: char| !letter.is_ascii_digit()).unwrap_or(rest.len());
        let number = &rest[..end];
        if number.parse::<u64>().is_ok_and(|number| number > 1) {
            found.push(number.to_owned());
        }
    }
    found
}

/// Whether a text has a number as a whole text in quotes.
fn says(text: &str, number: &str) -> bool {
    let mut lines = text.lines().filter(|line| line.len() < 2_000);
    lines.any(|line| {
        values(line).iter().any(|value| value.starts_with('"') && inside(value) == number)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// G20: code that compares with what it answers.
    #[test]
    fn comparisons_and_answers() {
        assert_eq!(compared("if self.top == 2 && self.bottom == 1 {"), ["2"]);
        assert_eq!(compared("if (x === 12)"), ["12"]);
        assert!(compared("if x >= 2 or y == z").is_empty());
        assert!(says("return write!(f, \"2\");", "2") && !says("f(2, \"22\")", "2"));
        assert!(hangs_on_clock("if now.Second() != 1 {") && hangs_on_clock("if t.second == 30:"));
        assert!(!hangs_on_clock("if t.second == 0:") && !hangs_on_clock("if second == other {"));
    }
}
