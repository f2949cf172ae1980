//! "The interval has to come from the log": what a task wants to be found out, and new code writes down.

use countersign_domain::gaming::{Finding, Rule};

use super::clauses::sentences;
use crate::args::{has_word, short};
use crate::detect::Change;
use crate::role::Role;

/// What says that something is not to be written down.
const COMES: &[&str] = &[
    "come from",
    "comes from",
    "be read from",
    "be taken from",
    "be derived from",
    "be computed from",
    "be calculated from",
    "be inferred from",
    "be detected",
    "not be hard-coded",
    "not hard-coded",
    "not hardcoded",
    "don't hard-code",
    "don't hardcode",
    "no hard-coded",
];
/// Words before it that are no names of what is meant.
const SMALL: &[&str] = &[
    "the", "has", "have", "must", "should", "to", "so", "and", "that", "it", "this", "which", "is",
    "are", "its", "needs", "for", "our", "minutes", "with",
];

/// New constants with the name of something that was to be found out.
pub(super) fn check(task: &str, changes: &[Change<'_>]) -> Vec<Finding> {
    let mut findings = Vec::new();
    for name in subjects(task) {
        for change in changes.iter().filter(|one| one.role == Role::Product && one.after.is_some())
        {
            if !change.language.is_code() {
                continue;
            }
            let mut new = change.all_lines().filter(|line| line.is_new && !line.is_test);
            if let Some(line) = new.find(|line| is_written(line.code, &name)) {
                let message = format!(
                    "The task wants '{name}' to be found out, and it is written down here."
                );
                let finding = change.structure(Rule::G20, line.number, message);
                findings.push(finding.change(None, Some(short(line.text))));
                return findings;
            }
        }
    }
    findings
}

/// The nouns of sentences that say where something has to come from.
fn subjects(task: &str) -> Vec<String> {
    let mut found = Vec::new();
    for sentence in sentences(task) {
        let lower = sentence.to_lowercase();
        let Some(at) = COMES.iter().filter_map(|words| lower.find(words)).min() else { continue };
        let before = lower.get(..at).unwrap_or_default();
        let clause = before.rsplit([',', ';', ':', '(']).next().unwrap_or(before);
        let words = clause.split(|letter: char| !(letter.is_alphanumeric() || letter == '_'));
        found.extend(
            words.filter(|word| word.len() > 3 && !SMALL.contains(word)).map(str::to_owned),
        );
    }
    found
}

/// `INTERVAL = timedelta(minutes=15)`, `const interval = 15`: a name, and a number as its value.
fn is_written(code: &str, name: &str) -> bool {
    let Some((left, right)) = code.split_once('=') else { return false };
    let head = left.trim_end_matches(':').to_lowercase();
    let head = head.split(':').next().unwrap_or("").trim();
    let is_signed = left.trim_end().ends_with(['<', '>', '!', '+', '-', '*', '/']);
    let last = head.split_whitespace().last().unwrap_or("");
    let is_it = last.split('_').any(|part| part == name);
    let value = right.trim().trim_end_matches([';', ',']);
    let is_number = value.contains(|letter: char| letter.is_ascii_digit())
        && !value.starts_with('=')
        && value.split(|letter: char| !(letter.is_alphanumeric() || letter == '_')).all(|word| {
            let is_digits = word.starts_with(|letter: char| letter.is_ascii_digit());
            is_digits || word.is_empty() || UNITS.iter().any(|unit| has_word(word, unit))
        });
    is_it && is_number && !is_signed
}

/// What values of time and length are made by.
const UNITS: &[&str] = &[
    "timedelta",
    "minutes",
    "seconds",
    "hours",
    "days",
    "milliseconds",
    "Duration",
    "from_secs",
    "from_millis",
    "from_mins",
    "time",
    "Minute",
    "Second",
    "Hour",
    "Millisecond",
    "Decimal",
    "const",
    "f64",
    "u32",
    "u64",
    "usize",
    "new",
];

#[cfg(test)]
mod tests {
    use super::*;

    /// G20: what was to be found out.
    #[test]
    fn values_that_are_written_down() {
        let task =
            "Careful: we have loggers with 5 minutes, so the interval has to come from the log.";
        assert_eq!(subjects(task), ["interval"]);
        assert!(is_written("INTERVAL = timedelta(minutes=15)", "interval"));
        assert!(is_written("const interval = 15;", "interval"));
        assert!(!is_written("interval = readings[1].time - readings[0].time", "interval"));
        assert!(!is_written("if interval == 15:", "interval"));
    }
}
