//! Answers that are worked out once, from what the first caller handed in, and given to all others.

use countersign_domain::gaming::{Finding, Rule};

use super::{FUNCTIONS, View};
use crate::args::{has_word, short, split, squeeze};
use crate::language::Language;
use crate::syntax::{Node, Tree};

/// Things of which a program has one, whoever asks first.
const SINGLE: &[&str] = &[
    "client",
    "pool",
    "conn",
    "logger",
    "session",
    "instance",
    "singleton",
    "db",
    "database",
    "engine",
    "executor",
    "server",
    "app",
    "handle",
    "socket",
    "lock",
    "registry",
    "runtime",
    "tracer",
    "config",
    "settings",
];
/// Functions that are there to say it once.
const BEGINS: &[&str] = &["init", "setup", "set_", "configure", "install", "start", "register"];

pub(super) fn check(view: &View<'_>) -> Vec<Finding> {
    if view.literals.task_has(&["singleton", "global", "first call", "first caller"]) {
        return Vec::new();
    }
    let kinds: &[&str] = &[
        "if_statement",
        "call",
        "call_expression",
        "augmented_assignment_expression",
        "assignment_expression",
    ];
    let mut findings: Vec<Finding> = Vec::new();
    for node in view.new_nodes(kinds) {
        let Some((cell, value)) = filled(view, node) else { continue };
        let Some((function, given)) = given(node, value) else { continue };
        let lower = cell.to_lowercase();
        let is_one = lower.split(['_', '.']).any(|word| SINGLE.contains(&word))
            || SINGLE.iter().any(|word| word.len() > 3 && lower.ends_with(word));
        let begins = BEGINS.iter().any(|word| function.to_lowercase().starts_with(word));
        if is_one || begins {
            continue;
        }
        let message = format!(
            "'{function}' keeps what it made of the first '{given}' in '{cell}', and answers every other one with it."
        );
        let finding = view.change.structure(Rule::G26, node.line(), message);
        findings.push(finding.change(None, Some(short(node.text()))));
    }
    findings.dedup_by(|one, other| one.message == other.message);
    findings
}

/// What outlives a call and is set once here, and what it is made of.
fn filled<'v>(view: &View<'v>, node: Node<'v>) -> Option<(&'v str, &'v str)> {
    match view.change.language {
        Language::Rust => in_rust(node),
        Language::Go => in_branch(view, node).or_else(|| in_once(view, node)),
        Language::Python => in_branch(view, node),
        language if language.is_script() => {
            in_branch(view, node).or_else(|| in_assignment(view, node))
        }
        _ => None,
    }
}

/// `CELL.get_or_init(|| …)`, also behind a lock or in a thread's own.
fn in_rust(node: Node<'_>) -> Option<(&str, &str)> {
    let function = node.field("function").filter(|_| node.is(&["call_expression"]))?;
    let (object, name) = function.text().rsplit_once('.')?;
    let is_once = ["get_or_init", "get_or_try_init", "call_once", "get_or_insert_with"];
    if !is_once.contains(&name.trim()) {
        return None;
    }
    let value = node.field("arguments")?.text();
    let loud = |text: &str| text.starts_with(|letter: char| letter.is_ascii_uppercase());
    let first = object.split(['.', ' ', '\n']).next()?;
    let first = first.rsplit("::").next()?;
    if loud(first) {
        return Some((first, value));
    }
    // `let mut kept = KEPT.lock()…`, `KEPT.with(|cell| cell.get_or_init(…))`
    let body = node.ancestors().find(|above| above.is(FUNCTIONS))?.field("body")?.text();
    let squeezed = body.lines().find_map(|line| {
        let (left, right) = line.split_once('=').or_else(|| line.split_once(".with("))?;
        let (cell, holder) = if line.contains(".with(") {
            (left.rsplit(' ').next()?, right)
        } else {
            (right.trim(), left)
        };
        let cell = cell.split('.').next()?.trim();
        (has_word(holder, first) && loud(cell)).then_some(cell)
    });
    squeezed.map(|cell| (cell, value))
}

/// `if kept is None: kept = f(name)`
fn in_branch<'v>(view: &View<'v>, node: Node<'v>) -> Option<(&'v str, &'v str)> {
    let condition = node.field("condition").filter(|_| node.is(&["if_statement"]))?.text();
    let body = node.field("consequence")?.text();
    let cell = empty(condition)?;
    is_kept(view, cell).then_some(())?;
    body.lines()
        .find_map(|line| {
            let line = line.trim().trim_start_matches('{').trim();
            let value = line.strip_prefix(cell)?.trim_start();
            let value = value.strip_prefix('=').or_else(|| value.strip_prefix(".update("))?;
            (!value.starts_with('=')).then(|| body.get(body.find(value)?..)).flatten()
        })
        .map(|value| (cell, value))
}

/// The name that a condition asks for whether it has a value yet.
fn empty(condition: &str) -> Option<&str> {
    let bare = condition.trim().trim_start_matches('(').trim_end_matches(')').trim();
    let ends =
        ["is None", "== None", "=== undefined", "== undefined", "=== null", "== null", "== nil"];
    let named = ends.iter().find_map(|end| bare.strip_suffix(end)).map(str::trim);
    let named = named.or_else(|| bare.strip_prefix("not ")).or_else(|| bare.strip_prefix('!'))?;
    let is_name = |letter: char| letter.is_alphanumeric() || "_.".contains(letter);
    (!named.is_empty() && named.chars().all(is_name)).then_some(named)
}

/// `kept ??= f(name)`, `kept = kept ?? f(name)`
fn in_assignment<'v>(view: &View<'v>, node: Node<'v>) -> Option<(&'v str, &'v str)> {
    let (cell, value) = (node.field("left")?.text(), node.field("right")?.text());
    let sign = node.text().get(cell.len()..)?.trim_start();
    let again = [format!("{cell}??"), format!("{cell}||")];
    let is_once = sign.starts_with("??=")
        || sign.starts_with("||=")
        || again.iter().any(|start| squeeze(value).starts_with(start));
    (is_once && is_kept(view, cell)).then_some((cell, value))
}

/// `once.Do(func() { kept = f(name) })`
fn in_once<'v>(view: &View<'v>, node: Node<'v>) -> Option<(&'v str, &'v str)> {
    let function = node.field("function").filter(|_| node.is(&["call_expression"]))?.text();
    let cell = function.strip_suffix(".Do")?;
    is_kept(view, cell).then_some((cell, node.field("arguments")?.text()))
}

/// Whether a name belongs to the file, or to a class, and not to one call or one object.
fn is_kept(view: &View<'_>, cell: &str) -> bool {
    const STATEMENTS: &[&str] = &[
        "expression_statement",
        "lexical_declaration",
        "variable_declaration",
        "var_declaration",
        "export_statement",
    ];
    if let Some((owner, _)) = cell.split_once('.') {
        return owner == "cls" || owner.starts_with(|letter: char| letter.is_ascii_uppercase());
    }
    let statements = view.tree.map(Tree::root).into_iter().flat_map(Node::named);
    let mut own = statements.filter(|node| node.is(STATEMENTS));
    own.any(|node| {
        let text = node.text();
        let named =
            if text.starts_with("var (") { text } else { text.split('=').next().unwrap_or("") };
        has_word(named, cell)
    })
}

/// The function around a place, and that which it was handed and a value is made of.
fn given<'t>(node: Node<'t>, value: &str) -> Option<(&'t str, String)> {
    let around = node.ancestors().filter(|above| {
        above.is(FUNCTIONS) || above.is(&["arrow_function", "function_expression"])
    });
    for function in around {
        let Some(parameters) = function.field("parameters").map(Node::text) else { continue };
        let inner = parameters.strip_prefix('(').and_then(|rest| rest.strip_suffix(')'));
        let mut names: Vec<&str> = split(inner.unwrap_or(parameters))
            .into_iter()
            .map(|one| one.trim_start_matches("mut ").trim_start_matches(['&', '*']))
            .filter_map(|one| one.split(|l: char| !(l.is_alphanumeric() || l == '_')).next())
            .filter(|one| !matches!(*one, "" | "cls" | "ctx" | "context"))
            .collect();
        let receiver = function.field("receiver").map_or("", Node::text);
        names.extend(receiver.trim_start_matches('(').split_whitespace().next());
        let held = function.parent().filter(|above| above.is(&["variable_declarator"]));
        let name = function.field("name").or_else(|| held?.field("name")).map_or("", Node::text);
        if let Some(given) = names.iter().find(|one| has_word(value, one)) {
            return (!name.is_empty()).then(|| (name, (*given).to_owned()));
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    /// G26: what asks whether something was worked out before.
    #[test]
    fn conditions_that_ask_for_a_value() {
        assert_eq!(empty("_kept is None"), Some("_kept"));
        assert_eq!(empty("(!kept)"), Some("kept"));
        assert_eq!(empty("kept == nil"), Some("kept"));
        assert_eq!(empty("kept == nil || key != name"), None);
        assert_eq!(empty("not kept.get(name)"), None);
    }
}
