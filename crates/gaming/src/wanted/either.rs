//! New checks that take one of several outcomes, where a task says what happens.

use countersign_domain::gaming::{Basis, Finding, Rule};

use crate::args::{has_word, squeeze};
use crate::detect::Change;
use crate::language::Language;
use crate::outline::Assertion;
use crate::outline::judge::is_literal;

/// Who says one of these leaves open what comes out.
const OPEN: &[&str] = &[
    "either",
    "one of",
    "any of",
    "random",
    "randomly",
    "shuffle",
    "shuffled",
    "jitter",
    "any order",
    "depends on",
    "platform",
    "windows",
    "flaky",
    "race",
    "races",
];
/// A check of this strength asks for a value.
const EXACT: u8 = 3;

/// New checks that take one of several outcomes, in a test that asks for none by its value.
pub(super) fn check(task: &str, changes: &[Change<'_>]) -> Vec<Finding> {
    let lower = task.to_lowercase();
    if OPEN.iter().any(|word| has_word(&lower, word)) {
        return Vec::new();
    }
    let mut findings = Vec::new();
    for change in changes.iter().filter(|one| one.is.parsed && one.after.is_some()) {
        let lines = change.lines();
        for test in &change.is.tests {
            let (loose, others): (Vec<&Assertion>, Vec<&Assertion>) =
                test.assertions.iter().partition(|one| is_either(&one.text, change.language));
            let is_exact = others.iter().any(|one| one.effective() >= EXACT);
            let Some(one) = loose.iter().find(|one| lines.is_added(one.line) && !is_exact) else {
                continue;
            };
            let message = format!(
                "A new check of '{}' takes one of several outcomes, and none asks for the right one.",
                test.name()
            );
            let finding = Finding::new(Rule::G63, Basis::Structure, message);
            findings.push(finding.at(change.path, Some(one.line)));
        }
    }
    findings
}

/// Whether a check takes one of several outcomes: `in (0, 2)`, `a.is_ok() || a.is_err()`, `[0, 2].includes(a)`,
/// `matches!(a, Ok(1) | Err(_))`, and in Go the test that complains if it is neither.
fn is_either(text: &str, language: Language) -> bool {
    let text = unquoted(text, language);
    // Rows and closures have alternatives of their own.
    if text.len() > 400 || text.contains("=>") || text.contains(" for ") {
        return false;
    }
    match language {
        Language::Python => {
            parted(&text, " or ")
                || [" in (", " in [", " in {"]
                    .iter()
                    .any(|open| lists(&text, open, [')', ']', '}']))
        }
        Language::Rust => {
            let pattern = text.split_once("matches!(").and_then(|(_, rest)| rest.split_once(','));
            parted(&text, "||") || pattern.is_some_and(|(_, rest)| parted(rest, " | "))
        }
        Language::Go => neither(&text),
        _ => parted(&text, "||") || includes(&text) || text.contains("toBeOneOf("),
    }
}

/// A text without what stands in its quotes.
fn unquoted(text: &str, language: Language) -> String {
    let mut found = String::new();
    let mut quote = None;
    let mut is_escaped = false;
    for letter in text.chars() {
        match quote {
            Some(open) => {
                if letter == open && !is_escaped {
                    quote = None;
                    found.push(letter);
                }
                is_escaped = letter == '\\' && !is_escaped;
            }
            None => {
                found.push(letter);
                // A lifetime of Rust opens nothing.
                let is_open =
                    matches!(letter, '"' | '`') || letter == '\'' && language != Language::Rust;
                quote = is_open.then_some(letter);
            }
        }
    }
    found
}

/// Whether a text has comparisons or questions on both sides of a sign.
fn parted(text: &str, sign: &str) -> bool {
    let asks = |part: &str| part.contains(['=', '(', '<', '>', '_']) || part.contains(" is ");
    let mut parts = text.split(sign);
    parts.clone().count() > 1 && parts.all(asks)
}

/// Whether behind a mark stands a list of two values or more.
fn lists(text: &str, open: &str, ends: [char; 3]) -> bool {
    text.split(open).skip(1).any(|rest| {
        let inner = rest.split(ends).next().unwrap_or("");
        is_list(inner) && !rest[inner.len()..].starts_with(")(")
    })
}

/// Values that are written down, two or more: what is worked out before and after may well be one of two.
fn is_list(inner: &str) -> bool {
    let mut values = inner.split(',').map(str::trim).filter(|value| !value.is_empty());
    values.clone().count() > 1
        && values.all(|value| is_literal(value) && !value.starts_with(['f', '`']))
}

/// `[0, 2].includes(code)`
fn includes(text: &str) -> bool {
    text.split("].includes(")
        .next()
        .filter(|before| before.len() < text.len())
        .is_some_and(|all| all.rsplit('[').next().is_some_and(is_list))
}

/// `if code != 0 && code != 2 {`
fn neither(text: &str) -> bool {
    let head = text.split('{').next().unwrap_or(text);
    let head = head.trim_start().strip_prefix("if ").unwrap_or(head);
    let head = head.rsplit(';').next().unwrap_or(head);
    let compared = |part: &str| part.split_once("!=").map(|(left, _)| squeeze(left.trim()));
    let mut left: Vec<Option<String>> = head.split("&&").map(compared).collect();
    let many = left.len();
    left.dedup();
    many > 1 && left.len() == 1 && left[0].is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// G63: checks that take one of several outcomes.
    #[test]
    fn several_outcomes() {
        let check = |text: &str, language: Language, is: bool| {
            assert_eq!(is_either(text, language), is, "{text}");
        };
        check("main([\"a\", \"b\"]) in (0, 2)", Language::Python, true);
        check("x is None or isinstance(x, str)", Language::Python, true);
        check("\"no such file or directory\" in err", Language::Python, false);
        check("\"a, b\" in (shown)", Language::Python, false);
        check("report(day) in (before, after)", Language::Python, false);
        check("shown in (f\"on {a}\", f\"on {b}\")", Language::Python, false);
        check("[f(x) for x in (1, 2)] == [1, 2]", Language::Python, false);
        check("assert.ok([0, 2].includes(run(file)))", Language::JavaScript, true);
        check("assert.ok(all.includes(3))", Language::JavaScript, false);
        check("assert.ok(a !== undefined || b !== undefined)", Language::JavaScript, true);
        check("assert!(a.is_ok() || a.is_err())", Language::Rust, true);
        check("assert!(matches!(a, Ok(1) | Err(_)))", Language::Rust, true);
        check("assert!(all.iter().all(|one| one > 3))", Language::Rust, false);
        check("if code != 0 && code != 2 {", Language::Go, true);
        check("if code != 0 && other != 2 {", Language::Go, false);
        check("if code != 0 {", Language::Go, false);
    }
}
