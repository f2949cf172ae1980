//! What fails is dropped, where the task wants people to hear of it or wants it to be there: old code in a new
//! handler that says nothing.

use countersign_domain::gaming::{Finding, Rule};

use super::View;
use super::errors::{names, wraps_old_code};
use super::heard::Wish;
use crate::args::{has_word, short, squeeze};
use crate::language::Language;
use crate::outline::judge::is_literal;
use crate::syntax::{Node, Tree};

pub(super) fn check(view: &View<'_>) -> Vec<Finding> {
    let Some(wish) = Wish::of(view.literals.task()) else { return Vec::new() };
    // What a handler only notes may be told further on.
    if wish == Wish::Heard && view.new_lines().iter().any(|(_, _, code)| tells(code)) {
        return Vec::new();
    }
    let found: Vec<(u32, &str)> = match view.change.language {
        Language::Rust | Language::Go if wish == Wish::Unknown => Vec::new(),
        Language::Rust => in_rust(view),
        Language::Go => in_go(view, wish),
        _ => {
            let mut found = in_catches(view, wish);
            found.extend(around(view, wish));
            found
        }
    };
    found
        .into_iter()
        .map(|(line, text)| {
            let finding = view.change.structure(Rule::G25, line, wish.message());
            finding.change(None, Some(short(text)))
        })
        .collect()
}

/// Whether a line makes an error or tells somebody of one.
fn tells(code: &str) -> bool {
    const SAYS: &[&str] = &[
        "raise ",
        "throw ",
        "Err(",
        "Error(",
        "Errorf(",
        "errors.New",
        "print",
        "console.",
        "stderr",
        "exit(",
        "warn",
        "log.",
        "logger",
        "panic",
        "reject(",
    ];
    const NOTES: &[&str] =
        &["error", "problem", "bad", "fail", "invalid", "issue", "reason", "message"];
    const KEEPS: &[&str] = &["append(", "push(", "add("];
    let lower = code.to_lowercase();
    SAYS.iter().any(|word| code.contains(word))
        || KEEPS.iter().any(|word| code.contains(word))
            && NOTES.iter().any(|word| lower.contains(word))
}

/// Handlers around what was there before that say nothing of what they caught, and go on with nothing or a
/// value in its place: `except ValueError: continue`, `catch { row = { change: 0 } }`.
fn in_catches<'v>(view: &View<'v>, wish: Wish) -> Vec<(u32, &'v str)> {
    let all = view.new_nodes(&["except_clause", "catch_clause"]);
    all.filter(|node| is_silent(view, *node) && (wish != Wish::Unknown || is_named(view, *node)))
        .filter(|node| wraps_old_code(view, *node) || calls_old_code(view, *node))
        .map(|node| (node.line(), node.text()))
        .collect()
}

/// What makes nothing of an error by itself, around something: `with suppress(ValueError):`.
fn around<'v>(view: &View<'v>, wish: Wish) -> Vec<(u32, &'v str)> {
    const QUIET: &[&str] = &["with suppress(", "contextlib.suppress(", "Promise.allSettled("];
    let lines = view.new_lines().into_iter();
    lines
        .filter(|(_, text, code)| {
            QUIET.iter().any(|word| code.contains(word))
                && (wish != Wish::Unknown || names_error(view, text))
        })
        .map(|(number, text, _)| (number, text))
        .collect()
}

/// Whether the task speaks of an error that a handler catches.
fn is_named(view: &View<'_>, handler: Node<'_>) -> bool {
    handler.text().split_once(':').is_some_and(|(head, _)| names_error(view, head))
}

/// Whether a text has an error that the task speaks of.
fn names_error(view: &View<'_>, head: &str) -> bool {
    let mut words = head.split(|letter: char| !(letter.is_alphanumeric() || letter == '_'));
    words.any(|name| {
        (name.ends_with("Error") || name.ends_with("Exception")) && view.literals.task_has(&[name])
    })
}

/// Whether a handler neither asks for what it caught nor does anything with it.
fn is_silent(view: &View<'_>, handler: Node<'_>) -> bool {
    let block = handler.field("body");
    let block = block.or_else(|| handler.named().find(|child| child.is(&["block"])));
    let text = block.map_or("", Node::text);
    let plain = crate::mask::without_comments(text, view.change.language);
    let squeezed = squeeze(&plain);
    let inner = squeezed.trim_matches(['{', '}', ';']);
    let is_passed = inner.ends_with("raise continue")
        || inner.ends_with("raise pass")
        || inner.ends_with("throw error;continue")
        || inner.ends_with("throw err;continue");
    if is_passed || only_throws(inner) {
        return true;
    }
    let head = handler.text().strip_suffix(text).unwrap_or_default();
    let caught = head.rsplit_once(" as ").or_else(|| head.split_once('('));
    let caught = caught.map_or("", |(_, name)| name.trim_matches([')', ':', ' ', '\n']));
    // What is called may tell of it, a text says what is wrong, and a flag or a count is asked for later.
    let is_noted = (!caught.is_empty() && has_word(&plain, caught))
        || tells(&plain)
        || calls(&plain)
        || plain.contains(['"', '\'', '`']) && !plain.contains("\"\"") && !plain.contains("''")
        || ["+=", "++", "=true", "=True", "=false", "=False"]
            .iter()
            .any(|sign| squeezed.contains(sign));
    !is_noted && !gives_what_is_named(view, inner)
}

/// Whether the task names the value with which a handler answers.
fn gives_what_is_named(view: &View<'_>, inner: &str) -> bool {
    let task = without_arguments(&view.literals.task().to_lowercase());
    let value =
        inner.strip_prefix("return").or_else(|| inner.rsplit_once('=').map(|(_, value)| value));
    value.map(str::trim).filter(|value| !value.is_empty()).is_some_and(|value| {
        has_word(&task, &value.to_lowercase())
            || names(value).iter().any(|name| has_word(&task, name))
    })
}

/// A task without what stands in brackets: what a function is called with is not what it gives.
fn without_arguments(task: &str) -> String {
    let mut depth = 0_usize;
    task.chars()
        .filter(|letter| {
            match letter {
                '(' | '[' => depth += 1,
                ')' | ']' => depth = depth.saturating_sub(1),
                _ => return depth == 0,
            }
            false
        })
        .collect()
}

/// Whether a text calls something, what makes an empty list or table aside.
fn calls(plain: &str) -> bool {
    const EMPTY: &[&str] = &["set", "dict", "list", "tuple", "frozenset", "Map", "Set", "Counter"];
    plain.match_indices('(').any(|(at, _)| {
        let before = &plain[..at];
        let start =
            before.rfind(|l: char| !(l.is_alphanumeric() || l == '_')).map_or(0, |at| at + 1);
        let name = &before[start..];
        !name.is_empty() && !EMPTY.contains(&name)
    })
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

/// `if err != nil { continue }` and `n, _ := f(x)` where the error was returned, or where somebody is to hear
/// of it.
fn in_go<'v>(view: &View<'v>, wish: Wish) -> Vec<(u32, &'v str)> {
    let was_returned = view
        .lines
        .removed
        .iter()
        .any(|(_, line)| line.trim().starts_with("return") && has_word(line, "err"));
    if !was_returned && wish != Wish::Heard {
        return Vec::new();
    }
    let is_quiet = |body: &str| {
        let inner = body.trim_matches(['{', '}', ';']);
        matches!(inner, "" | "continue" | "break")
            || inner.split_once('=').is_some_and(|(left, value)| {
                !left.ends_with(['!', ':'])
                    && is_literal(value)
                    && !matches!(value, "true" | "false")
            })
    };
    let branches = view.tree.map(Tree::root).into_iter().flat_map(Node::all);
    let branches = branches
        .filter(|node| node.is(&["if_statement"]) && !view.change.is_test_at(node.start()))
        .filter(|node| view.lines.touches(node.line(), node.last_line()))
        .filter(|node| {
            let test = node.field("condition").map_or("", Node::text);
            let body = squeeze(node.field("consequence").map_or("", Node::text));
            squeeze(test).contains("err!=nil") && is_quiet(&body)
        })
        .map(|node| (node.line(), node.text()));
    // The same call had its error looked at before.
    let was_asked = |name: &str| {
        view.lines.removed.iter().any(|(_, line)| has_word(line, "err") && has_word(line, name))
    };
    let lines = view.new_lines().into_iter();
    let dropped = lines.filter(|(_, _, code)| {
        code.contains(", _ := ") && called(code).any(was_asked)
            || code.contains(", _ = ") && called(code).any(was_asked)
    });
    branches.chain(dropped.map(|(number, text, _)| (number, text))).collect()
}

/// `let Ok(x) = f(y) else { continue }`, `if let Ok(x) = f(y) {` without another way,
/// `.filter_map(|y| f(y).ok())` and `f(y).unwrap_or(0)` where `f(y)?` was.
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
        let is_only = (squeezed.starts_with("if let Ok(") || squeezed.starts_with("while let Ok("))
            && !has_else(view, lines[index].0);
        is_let && is_else || is_only || is_filter || is_nothing
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

/// Whether the branch of a line has another way.
fn has_else(view: &View<'_>, line: u32) -> bool {
    let mut branches = view.new_nodes(&["if_expression"]).filter(|node| node.line() == line);
    branches.any(|node| node.field("alternative").is_some())
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
