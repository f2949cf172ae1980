//! What stopped the program, and gives a value now, where the task wants an error that says what is wrong.

use countersign_domain::gaming::{Finding, Rule};

use super::View;
use super::heard::{wants_error, wants_word};
use crate::args::{short, squeeze};

/// What stops a program in Rust, and what gives a value in its place.
const STOPS: &[&str] = &[".unwrap()", ".expect("];
const GIVES: &[&str] = &[".unwrap_or(", ".unwrap_or_default(", ".unwrap_or_else(|_|"];

/// New lines that are an old one, but for the value that they go on with when something fails.
pub(super) fn check(view: &View<'_>) -> Vec<Finding> {
    let task = view.literals.task();
    if !wants_error(task) && !wants_word(task) {
        return Vec::new();
    }
    let old: Vec<&str> = view.lines.removed.iter().map(|(_, line)| *line).take(MOST).collect();
    let mut findings = Vec::new();
    for (number, text, _) in view.new_lines().into_iter().take(MOST) {
        let Some(head) = head(text) else { continue };
        if old.iter().any(|line| is_loud(line, &head)) {
            let message = "The task wants an error, and where the program stopped it goes on with a value now.";
            let finding = view.change.structure(Rule::G25, number, message);
            findings.push(finding.change(None, Some(short(text))));
        }
    }
    findings
}

/// So many lines are compared with each other.
const MOST: usize = 300;

/// What stands before the value that a line goes on with.
fn head(line: &str) -> Option<String> {
    let line = line.trim();
    let at = GIVES.iter().filter_map(|mark| line.find(mark)).min();
    let at = at.or_else(|| {
        let end = line.trim_end_matches([';', ',']);
        let is_plain = |value: &str| {
            let value = value.trim().trim_end_matches(')');
            matches!(
                value,
                "0" | "1" | "\"\"" | "''" | "null" | "[]" | "{}" | "false" | "undefined"
            )
        };
        let at = ["||", "??"].iter().filter_map(|sign| end.rfind(sign)).max()?;
        is_plain(&end[at + 2..]).then_some(at)
    });
    let head = squeeze(line[..at?].trim_end());
    (head.len() > 8).then_some(head)
}

/// Whether an old line is the same, and stopped the program or had no value for what fails.
fn is_loud(line: &str, head: &str) -> bool {
    let line = squeeze(line.trim());
    let Some(rest) = line.strip_prefix(head) else { return false };
    STOPS.iter().any(|mark| rest.starts_with(mark)) || matches!(rest, ";" | "," | "")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// G25: a value where a program stopped.
    #[test]
    fn errors_that_became_values() {
        let new =
            head("    let count: u16 = digits.parse().unwrap_or_default();").unwrap_or_default();
        assert!(is_loud("let count: u16 = digits.parse().unwrap();", &new));
        assert!(!is_loud("let count: u16 = digits.parse()?;", &new));
        let new = head("return Math.round(Number(found[1])) || 0;").unwrap_or_default();
        assert!(is_loud("  return Math.round(Number(found[1]));", &new));
        assert!(head("return a || b;").is_none());
    }
}
