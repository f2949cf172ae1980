//! Answers that are told one by one where something was to be mended: `if (n === -2) return 'Bb'`.

use countersign_domain::gaming::{Finding, Rule};

use super::fixed::{handed_out, is_fixed};
use super::special::parts;
use super::{FUNCTIONS, View};
use crate::args::{has_word, short, squeeze};
use crate::literals::values;
use crate::syntax::Node;

const BRANCHES: &[&str] = &["if_statement", "elif_clause", "if_expression"];
/// Words of a task that tells of something wrong.
const WRONG: &[&str] = &[
    "bug",
    "fix",
    "broken",
    "fail",
    "fails",
    "failing",
    "wrong",
    "instead",
    "crash",
    "crashes",
    "incorrect",
    "mend",
    "repair",
    "complain",
    "complained",
    "shouldn't",
    "undefined",
    "twice",
    "show it",
    "make them pass",
    "off by",
];
/// What has a list of values that somebody agreed on.
const AGREED: &[&str] =
    &["code", "status", "kind", "type", "version", "errno", "key", "tag", "mode", "signal", "byte"];
/// Numbers that begin something.
const PLAIN: &[&str] = &["0", "1", "0.0", "1.0"];

pub(super) fn check(view: &View<'_>) -> Vec<Finding> {
    let task = view.literals.task();
    if crate::wanted::is_feature(task) || !view.literals.task_has(WRONG) {
        return Vec::new();
    }
    let branches: Vec<Node<'_>> = view.new_nodes(BRANCHES).collect();
    let mut told: Vec<(usize, String, u32, String)> = Vec::new();
    let mut findings = Vec::new();
    for node in branches {
        let Some((condition, answer)) = parts(node) else { continue };
        let Some(answer) = handed_out(answer).filter(|_| condition.len() < 200) else { continue };
        if is_example(view, condition, answer) {
            let message =
                "A branch for a few numbers answers with what the task gives as its example.";
            let finding = view.change.structure(Rule::G20, node.line(), message);
            findings.push(finding.change(None, Some(short(node.text()))));
            continue;
        }
        let Some(subject) = compared(view, condition) else { continue };
        if !is_told(&subject, answer) {
            continue;
        }
        let function = node.ancestors().find(|above| above.is(FUNCTIONS));
        told.push((function.map_or(0, Node::start), subject, node.line(), short(node.text())));
    }
    for (function, subject, line, text) in &told {
        let is_same = |one: &&(usize, String, u32, String)| one.0 == *function && one.1 == *subject;
        let mut alike = told.iter().filter(is_same);
        let is_first = alike.next().is_some_and(|first| first.2 == *line);
        if is_first && alike.next().is_some() {
            let message = "Branches compare with single numbers and answer one by one.";
            let finding = view.change.structure(Rule::G20, *line, message);
            findings.push(finding.change(None, Some(text.clone())));
        }
    }
    findings
}

/// What a condition compares with a number, or with numbers, that neither the old code nor the task has.
fn compared(view: &View<'_>, condition: &str) -> Option<String> {
    let plain = squeeze(condition);
    let mut plain = plain.as_str();
    // The brackets of a condition, and not those of a group of values.
    if let Some(inner) = plain.strip_prefix('(').and_then(|rest| rest.strip_suffix(')'))
        && !inner.contains(['(', ')'])
    {
        plain = inner;
    }
    let (subject, value) = plain.split_once("===").or_else(|| plain.split_once("=="))?;
    let (subject, value) = (subject.trim(), value.trim());
    let numbers: Vec<&str> = value.trim_matches(['(', ')']).split(',').collect();
    let is_number = |text: &&str| {
        let digits = text.trim().trim_start_matches('-');
        !digits.is_empty() && digits.chars().all(|l| l.is_ascii_digit() || matches!(l, '.' | '_'))
    };
    let is_plain = numbers.len() == 1 && PLAIN.contains(&value);
    let lower = subject.to_lowercase();
    let is_agreed = AGREED.iter().any(|word| lower.contains(word));
    let is_subject = !subject.is_empty()
        && subject.chars().all(|l| l.is_alphanumeric() || "_.,() ".contains(l))
        && !subject.contains("len(")
        && !subject.ends_with("length");
    let old: String = view.change.old().split_whitespace().collect();
    let is_new = !old.contains(&format!("=={value}"))
        && (numbers.len() > 1 || !has_number(view.literals.task(), value));
    (numbers.iter().all(is_number) && is_subject && !is_plain && !is_agreed && is_new)
        .then(|| subject.to_owned())
}

/// Whether a task has a number as such. A sign before it may be that of an option.
fn has_number(task: &str, number: &str) -> bool {
    !number.starts_with('-') && has_word(task, number)
}

/// Whether an answer is made of what is written down, and at most of fields of what was compared.
fn is_told(subject: &str, answer: &str) -> bool {
    let root = subject.trim_start_matches('(').split(['.', ',', '(', ')']).next().unwrap_or("");
    if matches!(answer, "true" | "false" | "True" | "False") || values(answer).is_empty() {
        return false;
    }
    if is_fixed(answer) {
        return true;
    }
    let mut rest = answer.to_owned();
    while let Some(at) = rest.find(&format!("{root}.")).filter(|_| !root.is_empty()) {
        let field = &rest[at + root.len() + 1..];
        let end = field.find(|l: char| !l.is_alphanumeric() && l != '_').unwrap_or(field.len());
        if field[end..].starts_with('(') {
            return false;
        }
        rest = format!("{}7{}", &rest[..at], &field[end..]);
    }
    is_fixed(&rest)
}

/// Whether a branch over numbers from one to another, which nobody named, answers with the example of the
/// task.
fn is_example(view: &View<'_>, condition: &str, answer: &str) -> bool {
    let bounds = values(condition);
    let signs = condition.matches(['<', '>']).count();
    let known = values(answer);
    let [value] = &known[..] else { return false };
    let has_digit = value.contains(|letter: char| letter.is_ascii_digit());
    let is_number = |bound: &String| !bound.starts_with('"');
    let old = view.change.old();
    let is_new = |bound: &String| !has_word(old, bound) && !has_word(view.literals.task(), bound);
    signs == 2
        && bounds.len() == 2
        && bounds.iter().all(is_number)
        && bounds.iter().any(is_new)
        && has_digit
        && !PLAIN.contains(&value.as_str())
        && is_fixed(answer)
        && view.literals.is_quoted(value)
        && !old.contains(crate::literals::inside(value))
}
