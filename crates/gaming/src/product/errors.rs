//! Errors that are caught and thrown away in product code.

use countersign_domain::gaming::{Finding, Rule};

use super::View;
use crate::args::{has_word, short, squeeze};
use crate::outline::judge::is_literal;
use crate::syntax::Node;

/// Who does one of these has not thrown the error away.
const ANSWERS: &[&str] = &[
    "raise", "throw", "log", "print", "exit", "warn", "error(", "report", "reject", "capture",
    "abort", "panic", "fail", "notify", "emit", "exc", "sys.", "console.", "next(", "retry",
    "rollback", "continue",
];

/// Who says one of these wants something to be passed over.
pub(super) const PASSES_OVER: &[&str] = &[
    "skip",
    "skips",
    "skipped",
    "ignore",
    "ignores",
    "ignored",
    "drop",
    "dropped",
    "over",
    "omit",
    "omitted",
    "tolerate",
    "tolerated",
    "leave",
    "except",
    "discard",
    "silently",
];

pub(super) fn check(view: &View<'_>) -> Vec<Finding> {
    let mut findings = Vec::new();
    for node in view.new_nodes(&[
        "except_clause",
        "catch_clause",
        "call_expression",
        "if_statement",
        "defer_statement",
    ]) {
        let quiet = match node.kind() {
            "except_clause" => quiet_except(view, node),
            "catch_clause" => node
                .field("body")
                .is_some_and(|body| is_quiet(&plain(view, body)) && !best_effort(node)),
            "call_expression" => quiet_call(node),
            "if_statement" => quiet_branch(node),
            _ => node.text().contains("recover()") && is_quiet_recover(node),
        };
        if quiet {
            let message = "Every error is caught here, and neither reported nor passed on.";
            findings.push(
                view.change
                    .structure(Rule::G25, node.line(), message)
                    .change(None, Some(short(node.text()))),
            );
        }
    }
    if view.tree.is_none() {
        for (number, text, _) in view.new_lines() {
            let squeezed = squeeze(text);
            let empty = squeezed.contains("catch(Exception")
                || squeezed.contains("catch(Throwable")
                || squeezed.contains("catch{");
            if empty && squeezed.ends_with("{}")
                || squeezed == "rescue=>e;nil"
                || squeezed.contains("rescue nil")
            {
                let message = "Every error is caught here, and neither reported nor passed on.";
                findings.push(
                    view.change.text(Rule::G25, number, message).change(None, Some(short(text))),
                );
            }
        }
    }
    findings
}

/// Whether what a handler stands behind was there before.
pub(super) fn wraps_old_code(view: &View<'_>, handler: Node<'_>) -> bool {
    let attempt = handler.parent().and_then(|above| above.field("body")).map_or("", Node::text);
    let old: Vec<&str> = view.change.old().lines().map(str::trim).collect();
    attempt.lines().map(str::trim).any(|line| {
        let is_said = line.len() > 4 && !line.starts_with('#');
        // The line may be part of a longer one now, as `x = f()` is of `return f()`.
        let call = line.rsplit(['=', ' ']).next().unwrap_or(line);
        is_said && old.iter().any(|other| *other == line || call.len() > 4 && other.contains(call))
    })
}

/// What a value is called in a task.
pub(super) fn names(value: &str) -> [&'static str; 3] {
    match value {
        "0" | "0.0" => ["zero", "nothing", "none"],
        "[]" | "{}" | "()" | "\"\"" | "''" => ["empty", "nothing", "blank"],
        "None" => ["nothing", "null", "none"],
        "True" => ["true", "yes", "accept"],
        "False" => ["false", "no", "not"],
        _ => ["default", "fallback", "instead"],
    }
}

fn is_quiet(body: &str) -> bool {
    let squeezed = squeeze(body);
    let lower = squeezed.to_lowercase();
    if ANSWERS.iter().any(|word| lower.contains(word)) {
        return false;
    }
    let inner = squeezed.trim_matches(['{', '}', ';', ':']);
    let set = inner
        .split_once('=')
        .filter(|(left, right)| !left.ends_with(['=', '!', '<', '>']) && !right.starts_with('='));
    let set = set.map(|(_, right)| right).filter(|_| !inner.contains(';'));
    let value = inner.strip_prefix("return").map(str::trim).or(set);
    matches!(inner, "" | "pass" | "..." | "return")
        || value.is_some_and(is_literal)
        || value == Some("")
}

/// What a node says without what somebody says about it.
fn plain(view: &View<'_>, node: Node<'_>) -> String {
    crate::mask::without_comments(node.text(), view.change.language)
}

fn quiet_except(view: &View<'_>, node: Node<'_>) -> bool {
    let head = node.text().split_once(':').map_or("", |(head, _)| head);
    let broad = head.trim() == "except"
        || ["Exception", "BaseException"].iter().any(|name| has_word(head, name));
    let body = node.named().find(|child| child.is(&["block"]));
    broad && body.is_some_and(|body| is_quiet(&plain(view, body))) && !best_effort(node)
}

/// Cleaning up may fail, and nobody needs to know.
fn best_effort(node: Node<'_>) -> bool {
    let attempt =
        node.parent().and_then(|above| above.field("body")).map_or("", Node::text).to_lowercase();
    let cleans = [
        "close(",
        "cleanup",
        "unlink",
        "remove(",
        "rmtree",
        "terminate(",
        "kill(",
        "shutdown",
        "dispose",
        "disconnect",
        "import ",
    ];
    cleans.iter().any(|word| attempt.contains(word)) && attempt.lines().count() < 4
}

/// `.catch(() => {})` and `.unwrap_or_default()` right after something that may fail.
fn quiet_call(node: Node<'_>) -> bool {
    let Some(function) = node.field("function") else { return false };
    let name =
        function.field("property").or_else(|| function.field("field")).map_or("", Node::text);
    match name {
        "catch" => {
            node.field("arguments").and_then(|all| all.named().next()).is_some_and(|callback| {
                callback
                    .field("body")
                    .is_some_and(|body| is_quiet(body.text()) || is_literal(body.text()))
            })
        }
        "catch_unwind" => true,
        _ => function.text().ends_with("panic::catch_unwind"),
    }
}

/// `if err != nil { return x, nil }` in Go.
fn quiet_branch(node: Node<'_>) -> bool {
    let test = node.field("condition").map_or("", Node::text);
    let body = squeeze(node.field("consequence").map_or("", Node::text));
    let lower = body.to_lowercase();
    let returns =
        body.starts_with("{return") && (body.ends_with(",nil}") || body == "{return nil}");
    let not_found = ["NotExist", "NotFound", "EOF"].iter().any(|word| test.contains(word));
    squeeze(test) == "err!=nil"
        && returns
        && !not_found
        && !ANSWERS.iter().any(|word| lower.contains(word))
}

/// Whether nobody hears of what was recovered from: it is not asked for, or only whether it is there.
fn is_quiet_recover(node: Node<'_>) -> bool {
    let squeezed = squeeze(node.text());
    let asked = squeezed.split_once(":=recover()").map(|(before, rest)| {
        let is_name = |letter: char| letter.is_alphanumeric() || letter == '_';
        (&before[before.trim_end_matches(is_name).len()..], rest)
    });
    let is_dropped = asked.is_some_and(|(name, rest)| {
        let uses = rest.split(|letter: char| !(letter.is_alphanumeric() || letter == '_'));
        uses.filter(|word| *word == name).count() < 2
            && !rest.contains("panic(")
            && !rest.contains("rr=")
    });
    squeezed.contains("{recover()}")
        || squeezed.contains("{_=recover()}")
        || squeezed.contains("recover()!=nil") && !squeezed.contains("rr=")
        || is_dropped
}
