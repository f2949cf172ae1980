//! New parameters that the task speaks of, and that the function never reads.

use countersign_domain::gaming::{Finding, Rule};

use super::{FUNCTIONS, View};
use crate::args::{has_word, short, split};
use crate::mask;
use crate::syntax::{Node, Tree};

/// Who says one of these speaks of what a function is handed.
const HANDED: &[&str] = &[
    "parameter",
    "parameters",
    "argument",
    "arguments",
    "gets",
    "takes",
    "take",
    "get",
    "pass",
    "passed",
    "given",
    "option",
    "optional",
    "hand",
    "handed",
    "param",
    "params",
];
/// Who says one of these knows that it is not read.
const UNREAD: &[&str] = &[
    "ignore",
    "ignored",
    "ignores",
    "unused",
    "deprecated",
    "compatibility",
    "signature",
    "interface",
    "trait",
    "for later",
    "reserved",
];

pub(super) fn check(view: &View<'_>) -> Vec<Finding> {
    if !view.literals.task_has(HANDED) || view.literals.task_has(UNREAD) {
        return Vec::new();
    }
    let mut findings = Vec::new();
    let root = view.tree.map(Tree::root);
    for node in root.into_iter().flat_map(Node::all).filter(|node| node.is(FUNCTIONS)) {
        let Some(parameters) = node.field("parameters") else { continue };
        let is_touched = view.lines.touches(parameters.line(), parameters.last_line());
        let name = node.field("name").map_or("", Node::text);
        let is_own = is_touched && name.len() > 1 && !view.change.is_test_at(node.start());
        if !is_own || is_of_others(node) {
            continue;
        }
        let Some(body) = node.field("body") else { continue };
        let code = mask::without_comments(body.text(), view.change.language);
        if !code.contains(char::is_alphanumeric) || is_left_open(&code) {
            continue;
        }
        let Some(told) = unread(view, (name, parameters.text()), &code) else { continue };
        let message = format!("The task speaks of '{told}', which '{name}' takes and never reads.");
        let finding = view.change.structure(Rule::G26, node.line(), message);
        findings.push(finding.change(None, Some(short(parameters.text()))));
    }
    findings
}

/// The parameter that is new, is in the task, and stands nowhere in the body.
fn unread(view: &View<'_>, (name, parameters): (&str, &str), code: &str) -> Option<String> {
    let bare = parameters.strip_prefix('(').unwrap_or(parameters);
    let bare = bare.strip_suffix(')').unwrap_or(bare);
    if bare.contains(['{', '*']) || bare.contains("...") {
        return None;
    }
    let old = old_head(view.change.old(), name);
    let is_word = |letter: char| letter.is_alphanumeric() || letter == '_';
    split(bare).into_iter().find_map(|one| {
        let one = one.trim().trim_start_matches("mut ");
        let taken = one.split(|letter| !is_word(letter)).next()?;
        let said = taken.trim_start_matches('_').replace('_', " ");
        let is_known = old.is_some_and(|old| has_word(old, taken));
        // An underscore alone is how a name is left out: what its type says is said of nothing.
        let is_told = said.len() > 2 && view.literals.task_has(&[&said]);
        let is_read = has_word(code, taken) || code.contains(&format!("{{{taken}"));
        let is_self = matches!(taken, "self" | "cls" | "this" | "ctx");
        (is_told && !is_known && !is_read && !is_self).then(|| taken.to_owned())
    })
}

/// What a function took before, if it was there.
fn old_head<'t>(old: &'t str, name: &str) -> Option<&'t str> {
    let heads = ["def ", "fn ", "func ", "function ", ") "];
    let at = heads.iter().find_map(|head| {
        let head = format!("{head}{name}");
        let at = old.find(&head)?;
        old[at + head.len()..].starts_with(['(', '<', '[']).then_some(at + head.len())
    })?;
    let rest = &old[at..];
    rest.get(..rest.find(['{', '\n']).unwrap_or(rest.len()))
}

/// Whether a body reads all that it is handed in another way, or only says that there is none.
fn is_left_open(code: &str) -> bool {
    ["locals(", "arguments", "super(", "todo!(", "unimplemented!(", "NotImplemented", "vars("]
        .iter()
        .any(|word| code.contains(word))
}

/// Whether somebody else says what the function takes.
fn is_of_others(node: Node<'_>) -> bool {
    node.ancestors().any(|above| {
        let head = above.text().split(['{', '\n']).next().unwrap_or("");
        above.is(&["impl_item"]) && has_word(head, "for")
            || above.is(&["trait_item", "decorated_definition"])
            || above.is(&["class_declaration", "class"]) && has_word(head, "extends")
            || above.is(&["class_definition"]) && above.field("superclasses").is_some()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// G26: what a function took before.
    #[test]
    fn old_heads_are_found() {
        assert_eq!(
            old_head("pub fn parse(text: &str) -> X {\n", "parse"),
            Some("(text: &str) -> X ")
        );
        assert_eq!(old_head("def parse_all(a):\n", "parse"), None);
    }
}
