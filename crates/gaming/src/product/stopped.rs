//! A clock that was asked each time, and is read once for all: `var processTime = time.Now()`.

use countersign_domain::gaming::{Finding, Rule};

use super::View;
use crate::args::{has_word, short, squeeze};

/// What asks for the time, in any of the languages.
const CLOCKS: &[&str] = &[
    "time.Now()",
    "Date.now()",
    "newDate()",
    "datetime.now(",
    "datetime.utcnow(",
    "date.today(",
    "time.time()",
    "time.monotonic()",
    "Instant::now()",
    "SystemTime::now()",
    "performance.now()",
];

/// Names that got the time where a file is loaded, and that are answered with where a clock was asked before.
pub(super) fn check(view: &View<'_>) -> Vec<Finding> {
    let asks = |line: &str| CLOCKS.iter().any(|clock| squeeze(line).contains(clock));
    if !view.lines.removed.iter().any(|(_, line)| asks(line)) {
        return Vec::new();
    }
    let mut findings = Vec::new();
    for (number, text, _) in view.new_lines() {
        // What stands in no function stands at the beginning of a line.
        let is_outside = text.starts_with(|letter: char| letter.is_alphabetic() || letter == '_');
        let Some(name) = named(text).filter(|_| is_outside && asks(text)) else { continue };
        let answers = view.new_lines().into_iter().any(|(other, line, code)| {
            let line = line.trim().trim_end_matches(';');
            let is_answer = line.starts_with("return ") || !line.contains('=');
            other != number && is_answer && has_word(code, name)
        });
        if answers {
            let message = format!(
                "'{name}' got the time once and for all, where it was asked each time before."
            );
            let finding = view.change.structure(Rule::G48, number, message);
            findings.push(finding.change(None, Some(short(text))));
        }
    }
    findings
}

/// The name that a line gives a value to.
fn named(text: &str) -> Option<&str> {
    let (left, _) = text.split_once('=')?;
    let left = left.trim_end_matches(':').trim();
    let left = left.split(':').next()?.trim();
    let name = left.split_whitespace().find(|word| {
        !matches!(*word, "var" | "let" | "const" | "static" | "pub" | "export" | "mut")
    })?;
    name.chars().all(|letter| letter.is_alphanumeric() || letter == '_').then_some(name)
}

#[cfg(test)]
mod tests {
    use super::named;

    #[test]
    fn names_of_values() {
        assert_eq!(named("var processTime = time.Now()"), Some("processTime"));
        assert_eq!(named("const STARTED = Date.now();"), Some("STARTED"));
        assert_eq!(named("NOW = datetime.now()"), Some("NOW"));
        assert_eq!(named("time.Now()"), None);
    }
}
