//! Guards against errors that let some errors pass now: a condition more in front of them, or a value in
//! place of what was handed on.

use countersign_domain::gaming::{Finding, Rule};

use super::{FUNCTIONS, View};
use crate::args::{find_word, has_word, short, squeeze};
use crate::language::Language;
use crate::syntax::Node;

/// Who says one of these wants an error to be passed over, or names what takes its place.
const PASSED_OVER: &[&str] = &[
    "skip",
    "skips",
    "skipped",
    "ignore",
    "ignores",
    "ignored",
    "drop",
    "dropped",
    "omit",
    "tolerate",
    "tolerant",
    "lenient",
    "optional",
    "default",
    "defaults",
    "fallback",
    "otherwise",
    "missing",
    "empty",
    "absent",
    "unless",
    "zero",
    "none",
    "null",
    "silently",
    "best-effort",
    "except",
    "instead",
    "retry",
    "retries",
];
/// What says in a script that something failed.
const FAILURES: &[&str] =
    &["err", "error", ".ok", "!ok", "isNaN(", "isnan(", "failed", "failure", "returncode"];

pub(super) fn check(view: &View<'_>) -> Vec<Finding> {
    if view.change.before.is_none() || view.literals.task_has(PASSED_OVER) {
        return Vec::new();
    }
    let old = squeeze_all(view.change.old());
    let mut findings = Vec::new();
    for node in view.new_nodes(&["if_statement", "match_arm", "call_expression"]) {
        let message = match node.kind() {
            "if_statement" if is_narrowed(view, node) => {
                "An error is an error now only under one condition more, and passes otherwise."
            }
            "match_arm" if is_answered(node, &old) => {
                "An error that was handed on gets a value here, under a condition that is not about the error."
            }
            "call_expression" if is_filled(view, node, &old) => {
                "An error that was handed on gets a value here, and nobody hears of it."
            }
            _ => continue,
        };
        let finding = view.change.structure(Rule::G25, node.line(), message);
        findings.push(finding.change(None, Some(short(node.text()))));
    }
    findings
}

/// A text of any length without the space around signs.
fn squeeze_all(text: &str) -> String {
    text.lines().take(20_000).map(squeeze).collect()
}

/// `if err != nil && …` where an `if err != nil` is gone.
fn is_narrowed(view: &View<'_>, node: Node<'_>) -> bool {
    let condition = squeeze(node.field("condition").map_or("", Node::text));
    let condition = condition.replace(" and ", "&&").replace(")and ", ")&&");
    let condition = match condition.strip_prefix('(').and_then(|rest| rest.strip_suffix(')')) {
        Some(inner) if view.change.language.is_script() => inner,
        _ => condition.as_str(),
    };
    let parts: Vec<&str> = condition.split("&&").collect();
    let [first, others @ ..] = parts.as_slice() else { return false };
    let Some(subject) = failure(view.change.language, first) else { return false };
    // Which error it is may be asked: one that is expected is none.
    if others.is_empty()
        || condition.contains("||")
        || others.iter().any(|one| has_word(one, subject))
    {
        return false;
    }
    let is_old = |line: &str| {
        let line = squeeze(line);
        let inner = line.split_once("if").map_or("", |(_, rest)| rest);
        let inner = inner.rsplit(';').next().unwrap_or(inner).trim();
        let inner = inner.trim_start_matches('(').split(['{', ':']).next().unwrap_or(inner);
        let plain = inner.strip_suffix(')').filter(|_| !first.ends_with(')')).unwrap_or(inner);
        plain == *first || inner.strip_suffix(')') == Some(first)
    };
    let is_gone = view.lines.removed.iter().any(|(_, line)| is_old(line));
    let body = node.field("consequence").map_or("", Node::text);
    is_gone && ends_in_error(body, subject) && !is_looked_at(node, first, subject)
}

/// What a condition says to have failed.
fn failure(language: Language, condition: &str) -> Option<&str> {
    if language == Language::Go {
        let name = condition.strip_suffix("!=nil")?;
        let is_error = name == "err" || name.ends_with("Err") || name.ends_with("err");
        return is_error.then_some(name);
    }
    let is_known = language.is_script() || language == Language::Python;
    if !is_known || !FAILURES.iter().any(|word| condition.contains(word)) {
        return None;
    }
    let is_name = |letter: char| letter.is_alphanumeric() || matches!(letter, '_' | '$');
    let name = condition.trim_start_matches('!').trim_start_matches("not ");
    let inner = name.rsplit_once("isNaN(").or_else(|| name.rsplit_once("isnan("));
    let name = inner.map_or(name, |(_, inner)| inner);
    let end = name.find(|letter: char| !is_name(letter)).unwrap_or(name.len());
    Some(&name[..end]).filter(|name| !name.is_empty())
}

fn ends_in_error(body: &str, subject: &str) -> bool {
    let hands_on = |rest: &str| {
        has_word(rest, subject)
            || ["Err", "errors.", "fmt.Errorf", "error"].iter().any(|word| rest.contains(word))
    };
    has_word(body, "throw")
        || has_word(body, "raise")
        || find_word(body, "return").is_some_and(|at| hands_on(&body[at..]))
        || has_word(body, "panic")
}

/// Whether the error is still looked at behind a guard, before it is another one.
fn is_looked_at(node: Node<'_>, guard: &str, subject: &str) -> bool {
    let around = node.ancestors().find(|above| above.is(FUNCTIONS));
    let end = around.map_or(node.end(), Node::end);
    let rest = node.rest();
    let rest = rest.get(..end.saturating_sub(node.end())).unwrap_or("");
    let squeezed = squeeze_all(rest);
    let set = [format!("{subject}:="), format!("{subject}=")];
    let starts = set.iter().flat_map(|word| squeezed.match_indices(word.as_str()));
    let is_set = |at: &usize| !squeezed[*at..].trim_start_matches(subject).starts_with("==");
    let first = starts.map(|(at, _)| at).filter(is_set).min();
    let seen = &squeezed[..first.unwrap_or(squeezed.len())];
    let also = node.field("alternative").is_some_and(|other| has_word(other.text(), subject));
    // What is a value as well is looked at as a failure only where somebody asks again.
    let is_value =
        guard.to_lowercase().contains("isnan(") || guard.contains(&format!("{subject}."));
    also || if is_value { seen.contains(guard) } else { has_word(seen, subject) }
}

/// `Err(_) if cheap => 0`, where the error was handed on before.
fn is_answered(node: Node<'_>, old: &str) -> bool {
    let squeezed = squeeze(node.text());
    let Some((head, answer)) = squeezed.split_once("=>") else { return false };
    let passes = ["Err(", "return", "panic!", "bail!", "error", "eprintln!", "warn!", "?"];
    let is_blind = head.starts_with("Err(_)if ") || head.starts_with("Err(..)if ");
    let matched = node.ancestors().find(|above| above.is(&["match_expression"]));
    let value = matched.and_then(|above| above.field("value")).map_or("", Node::text);
    is_blind && !passes.iter().any(|word| answer.contains(word)) && failed_before(old, value)
}

/// Whether the old code handed the failure of an expression on.
fn failed_before(old: &str, expression: &str) -> bool {
    let expression = squeeze(expression);
    if expression.len() < 3 || !expression.contains('(') {
        return false;
    }
    old.match_indices(&expression).any(|(at, _)| {
        let rest = &old[at + expression.len()..];
        let mapped = rest.strip_prefix(".map_err(").or_else(|| rest.strip_prefix(".ok_or"));
        rest.starts_with('?')
            || mapped.is_some_and(|rest| rest.chars().take(200).any(|letter| letter == '?'))
    })
}

/// `.unwrap_or(0)` where a `?` stood.
fn is_filled(view: &View<'_>, node: Node<'_>, old: &str) -> bool {
    if view.change.language != Language::Rust {
        return false;
    }
    let Some(function) = node.field("function") else { return false };
    let name = function.field("field").map_or("", Node::text);
    let given = squeeze(node.field("arguments").map_or("", Node::text));
    let fills = match name {
        "unwrap_or_default" => true,
        "ok" => !squeeze(node.rest()).starts_with(['?', '.']),
        "unwrap_or" => !is_told(view, &given),
        "unwrap_or_else" => given.starts_with("(|_|") && !given.contains("panic!"),
        _ => false,
    };
    let Some(subject) = function.field("value").filter(|_| fills) else { return false };
    let mut subject = subject.text();
    if let Some(inner) = subject.strip_suffix(".ok()") {
        subject = inner;
    }
    let now = squeeze_all(view.change.current());
    failed_before(old, subject) && !failed_before(&now, subject)
}

/// Whether the task names what takes the place.
fn is_told(view: &View<'_>, given: &str) -> bool {
    let value = given.trim_matches(['(', ')', '"']);
    !value.is_empty() && has_word(view.literals.task(), value)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// G25: what says that something failed.
    #[test]
    fn failures() {
        assert_eq!(failure(Language::Go, "err!=nil"), Some("err"));
        assert_eq!(failure(Language::Go, "x!=nil"), None);
        assert_eq!(failure(Language::JavaScript, "!response.ok"), Some("response"));
        assert_eq!(failure(Language::JavaScript, "Number.isNaN(cents)"), Some("cents"));
        assert_eq!(failure(Language::JavaScript, "error"), Some("error"));
        assert_eq!(failure(Language::Python, "done.returncode!=0"), Some("done"));
    }

    /// G25: what was handed on, and what never was.
    #[test]
    fn handed_on() {
        assert!(failed_before("let n=parse(text)?;", "parse(text)"));
        assert!(failed_before("parse(text).map_err(|e|Bad(e))?", "parse(text)"));
        assert!(!failed_before("let n=parse(text);", "parse(text)"));
    }
}
