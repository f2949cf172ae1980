//! What fails is dropped, where the task wants it to be there: old code in a new handler that goes on with
//! the next one.

use countersign_domain::gaming::{Finding, Rule};

use super::View;
use super::errors::{PASSES_OVER, names, wraps_old_code};
use crate::args::{has_word, short, squeeze};
use crate::language::Language;
use crate::syntax::{Node, Tree};

/// Who says one of these complains.
const FAILS: &[&str] = &[
    "dies",
    "die",
    "crash",
    "crashes",
    "crashed",
    "fails",
    "fail",
    "failing",
    "failed",
    "breaks",
    "broke",
    "raises",
    "throws",
    "panics",
    "explodes",
    "blows up",
    "chokes",
    "traceback",
    "stops",
    "aborts",
    "rejects",
    "refuses",
    "exception",
];
/// Who says one of these wants that which fails.
const WANTS: &[&str] = &[
    "load",
    "loads",
    "loaded",
    "parse",
    "parsed",
    "read",
    "accept",
    "accepted",
    "support",
    "supported",
    "work",
    "works",
    "completely",
    "complete",
    "all of them",
    "every",
    "import",
    "imported",
    "understand",
    "understood",
    "include",
    "included",
    "appear",
    "handle",
    "handled",
    "treated",
    "counted",
    "shown",
];
/// Who says one of these speaks of what is of no use, or of what becomes of it.
const ALLOWED: &[&str] = &[
    "report",
    "reported",
    "reports",
    "warn",
    "warns",
    "warning",
    "warnings",
    "log it",
    "log them",
    "log the",
    "log a",
    "log and",
    "and log",
    "logged",
    "lenient",
    "tolerant",
    "robust",
    "graceful",
    "gracefully",
    "best effort",
    "continue",
    "continues",
    "carry on",
    "go on",
    "goes on",
    "survive",
    "survives",
    "rest",
    "remaining",
    "others",
    "broken",
    "corrupt",
    "corrupted",
    "invalid",
    "malformed",
    "damaged",
    "garbage",
    "junk",
    "unreadable",
    "bad",
    "optional",
    "default",
    "fallback",
    "skipping",
    "ignoring",
    "without them",
    "left out",
];

pub(super) fn check(view: &View<'_>) -> Vec<Finding> {
    // What an error says of itself asks for nothing.
    let plain: String = view.literals.task().split('"').step_by(2).collect();
    let plain = plain.to_lowercase();
    let has = |words: &[&str]| words.iter().any(|word| has_word(&plain, word));
    if !has(FAILS) || !has(WANTS) || has(PASSES_OVER) || has(ALLOWED) {
        return Vec::new();
    }
    let found: Vec<(u32, &str)> = match view.change.language {
        Language::Rust => in_rust(view),
        Language::Go => in_go(view),
        _ => in_catches(view),
    };
    let message = "What can't be read is dropped here, and the task wants it to be there: nobody asked to leave it out.";
    found
        .into_iter()
        .map(|(line, text)| {
            let finding = view.change.structure(Rule::G25, line, message);
            finding.change(None, Some(short(text)))
        })
        .collect()
}

/// `except ValueError: continue` and `catch { continue }` around what was there before.
pub(super) fn in_catches<'v>(view: &View<'v>) -> Vec<(u32, &'v str)> {
    let is_said = |value: &str| view.literals.task().contains(value);
    let drops = |node: &Node<'_>| {
        let block = node.field("body");
        let block = block.or_else(|| node.named().find(|child| child.is(&["block"])));
        let text = block.map_or("", Node::text);
        let plain = crate::mask::without_comments(text, view.change.language);
        let squeezed = squeeze(&plain);
        let inner = squeezed.trim_matches(['{', '}', ';']);
        let nothing = inner.strip_prefix("return").map(str::trim).filter(|value| {
            matches!(*value, "[]" | "{}" | "()" | "\"\"" | "''" | "None" | "null" | "0" | "0.0")
        });
        let is_unnamed =
            nothing.is_some_and(|value| !view.literals.task_has(&names(value)) && !is_said(value));
        let is_passed = matches!(inner, "continue" | "pass")
            || inner.ends_with("raise continue")
            || inner.ends_with("raise pass")
            || inner.ends_with("throw error;continue")
            || inner.ends_with("throw err;continue");
        is_passed || is_unnamed || only_throws(inner)
    };
    let all = view.new_nodes(&["except_clause", "catch_clause"]);
    all.filter(|node| drops(node) && (wraps_old_code(view, *node) || calls_old_code(view, *node)))
        .map(|node| (node.line(), node.text()))
        .collect()
}

/// Whether a handler passes some on, and does nothing with all others: `if (!/b/.test(name)) throw error;`
fn only_throws(inner: &str) -> bool {
    let Some(rest) = inner.strip_prefix("if(").or_else(|| inner.strip_prefix("if ")) else {
        return false;
    };
    if rest.ends_with(":raise") {
        return true;
    }
    let Some((condition, thrown)) = rest.rsplit_once("throw ") else { return false };
    let is_name = thrown.chars().all(char::is_alphanumeric);
    is_name && condition.ends_with([')', '{']) && !condition.contains([';', '}'])
}

/// Whether what a handler stands behind hands something to a function that a line which is gone called or
/// handed over.
fn calls_old_code(view: &View<'_>, handler: Node<'_>) -> bool {
    let attempt = handler.parent().and_then(|above| above.field("body")).map_or("", Node::text);
    let is_gone = |name: &str| view.lines.removed.iter().any(|(_, line)| has_word(line, name));
    let mut names = called(attempt);
    names.any(|name| is_gone(name) && !matches!(name, "push" | "append" | "split" | "map"))
}

/// `if err != nil { continue }` where the error was returned.
fn in_go<'v>(view: &View<'v>) -> Vec<(u32, &'v str)> {
    let was_returned = view
        .lines
        .removed
        .iter()
        .any(|(_, line)| line.trim().starts_with("return") && has_word(line, "err"));
    let root = view.tree.map(Tree::root).filter(|_| was_returned);
    root.into_iter()
        .flat_map(Node::all)
        .filter(|node| node.is(&["if_statement"]) && !view.change.is_test_at(node.start()))
        .filter(|node| view.lines.touches(node.line(), node.last_line()))
        .filter(|node| {
            let test = node.field("condition").map_or("", Node::text);
            let body = squeeze(node.field("consequence").map_or("", Node::text));
            squeeze(test).contains("err!=nil") && matches!(body.as_str(), "{continue}" | "{}")
        })
        .map(|node| (node.line(), node.text()))
        .collect()
}

/// `let Ok(x) = f(y) else { continue }`, `.filter_map(|y| f(y).ok())` and `f(y).unwrap_or(0)` where `f(y)?`
/// was.
fn in_rust<'v>(view: &View<'v>) -> Vec<(u32, &'v str)> {
    let failed = |name: &&str| {
        view.lines.removed.iter().any(|(_, line)| {
            let is_passed_on =
                line.contains('?') || line.contains(".unwrap()") || line.contains(".expect(");
            is_passed_on && has_word(line, name)
        })
    };
    let lines = view.new_lines();
    let next = |index: usize| lines.get(index + 1).map_or("", |(_, text, _)| text.trim());
    let is_drop = |index: usize, code: &str| {
        let squeezed = squeeze(code);
        let is_let = squeezed.contains("let Ok(") || squeezed.contains("let Some(");
        let is_else = squeezed.contains("else{continue") || next(index).starts_with("continue");
        let is_filter = squeezed.contains("filter_map(")
            && (squeezed.contains(".ok()") || squeezed.contains("Result::ok"));
        let is_nothing = squeezed.contains(".unwrap_or_default()")
            || squeezed.contains(".unwrap_or(0)")
            || squeezed.contains(".flat_map(Result");
        is_let && is_else || is_filter || is_nothing
    };
    lines
        .iter()
        .enumerate()
        .filter(|(index, (_, _, code))| {
            is_drop(*index, code) && called(code).any(|one| failed(&one))
        })
        .map(|(_, (number, text, _))| (*number, *text))
        .collect()
}

/// The functions that a line calls, wrappers and iterators aside.
fn called(code: &str) -> impl Iterator<Item = &str> {
    const AROUND: &[&str] =
        &["Some", "Ok", "Err", "ok", "map", "filter_map", "flat_map", "collect", "iter", "lines"];
    code.split('(').filter_map(|before| {
        let name = before.rsplit(|l: char| !(l.is_alphanumeric() || l == '_')).next()?;
        (name.len() > 2 && !AROUND.contains(&name)).then_some(name)
    })
}
