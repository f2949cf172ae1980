//! What stopped the program, and gives a value now, where the task wants an error that says what is wrong.

use countersign_domain::gaming::{Finding, Rule};

use super::{View, passed_over};
use crate::args::{has_word, short, squeeze};

/// What a task calls an error that is to come out, and what says that it is to.
const ERRORS: &[&str] = &["error", "errors", "exception", "exceptions"];
const WANTS: &[&str] = &[
    "should",
    "must",
    "shall",
    "has to",
    "have to",
    "want",
    "need",
    "needs",
    "return",
    "returns",
    "come back",
    "give",
    "gives",
    "report",
    "throw",
    "throws",
    "raise",
    "raises",
    "refuse",
    "reject",
    "turn into",
    "make",
];
/// A clause with one of these speaks of an error that is to go.
const GOES: &[&str] = &[
    "no error",
    "not an error",
    "without",
    "instead of",
    "rather than",
    "never",
    "don't",
    "stop",
    "stops",
    "not fail",
    "not raise",
    "not throw",
    "swallow",
    "ignore",
    "suppress",
];
/// A task with one of these may want the value.
const VALUES: &[&str] = &[
    "default",
    "defaults",
    "fallback",
    "fall back",
    "zero",
    "empty",
    "nothing",
    "treat",
    "treated",
    "counts as",
    "count as",
    "ignored",
    "skipped",
    "skip",
    "null",
    "none",
    "lenient",
    "tolerate",
];
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
    for (number, text) in passed_over::in_catches(view) {
        let message =
            "The task wants whoever calls to hear of an error, and it is passed over here.";
        let finding = view.change.structure(Rule::G25, number, message);
        findings.push(finding.change(None, Some(short(text))));
    }
    findings
}

/// Where people are told of an error.
const TOLD: &[&str] = &[
    "stderr",
    "standard error",
    "exit code",
    "exit status",
    "exits with",
    "tell the user",
    "tells the user",
    "error message",
];

/// Whether a task wants that people are told of an error, and speaks of no value in its place.
fn wants_word(task: &str) -> bool {
    let lower = task.to_lowercase();
    let has = |text: &str, list: &[&str]| list.iter().any(|word| has_word(text, word));
    let is_told = |clause: &str| has(clause, TOLD) && has(clause, WANTS) && !has(clause, GOES);
    !has(&lower, VALUES) && lower.split(['\n', ';']).flat_map(|line| line.split(". ")).any(is_told)
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

/// Whether a task wants an error to come out, and speaks of no value in its place.
fn wants_error(task: &str) -> bool {
    let lower = task.to_lowercase();
    let has = |text: &str, list: &[&str]| list.iter().any(|word| has_word(text, word));
    // `ParseError` is one as well.
    let names = |text: &str| {
        has(&text.to_lowercase(), ERRORS)
            || text.split(|letter: char| !letter.is_alphanumeric()).any(|word| {
                word.len() > 5 && (word.ends_with("Error") || word.ends_with("Exception"))
            })
    };
    let clauses = task.split(['\n', ';']).flat_map(|line| line.split(". "));
    let is_wanted = |clause: &str| {
        let lower = clause.to_lowercase();
        names(clause) && has(&lower, WANTS) && !has(&lower, GOES)
    };
    !has(&lower, VALUES) && clauses.into_iter().any(is_wanted)
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
        assert!(wants_error("A typo panics. It should come back as a ParseError with the item."));
        assert!(!wants_error("A typo panics. It should count as zero, and give no error."));
        assert!(!wants_error("It should not fail with an error instead of a value."));
    }
}
