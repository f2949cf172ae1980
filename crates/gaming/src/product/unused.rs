//! New parameters that nothing reads, and new functions that only hand back what they get.

use countersign_domain::gaming::{Finding, Rule};

use super::View;
use crate::args::{has_word, short, squeeze};
use crate::language::Language;
use crate::role::Role;
use crate::syntax::{Node, Tree};

const FUNCTIONS: &[&str] = &[
    "function_definition",
    "function_declaration",
    "method_definition",
    "arrow_function",
    "function_expression",
];
const CLASSES: &[&str] = &["class_definition", "class_declaration", "class"];
const DEFAULTS: &[&str] = &[
    "default_parameter",
    "typed_default_parameter",
    "assignment_pattern",
    "object_assignment_pattern",
    "required_parameter",
    "optional_parameter",
    "dictionary_splat_pattern",
];

/// Names of functions that are meant to hand back what they get.
const HAND_BACK: &[&str] =
    &["identity", "noop", "pass", "same", "echo", "from", "into", "as_", "to_", "default", "id"];

/// Whether a function is new, is everybody's, and returns its first argument as it came.
pub(super) fn is_unchanged(view: &View<'_>, node: Node<'_>, inner: &str) -> bool {
    let name = node.field("name").map_or("", Node::text);
    let is_new = !has_word(view.change.old(), name);
    let lower = name.to_lowercase();
    let meant = HAND_BACK.iter().any(|word| lower.starts_with(word))
        || name.starts_with('_') && !works_for_others(view, node, name);
    let of_trait = node.ancestors().any(|above| {
        above.is(&["impl_item", "trait_item"])
            && above.text().split('{').next().is_some_and(|head| has_word(head, "for"))
    });
    let decorated = node.parent().is_some_and(|above| above.is(&["decorated_definition"]));
    let in_class = node.ancestors().any(|above| above.is(CLASSES) && has_parents(above));
    if !is_new || meant || of_trait || decorated || in_class {
        return false;
    }
    let parameters = node.field("parameters").map_or("", Node::text);
    let value = inner.strip_prefix("return ").unwrap_or(inner).trim();
    let mut names = parameters.trim_matches(['(', ')']).split(',').filter_map(first_word);
    let is_name = value.chars().all(|letter| letter.is_alphanumeric() || letter == '_');
    is_name
        && !value.is_empty()
        && !matches!(value, "self" | "cls" | "this" | "pass")
        && (inner.starts_with("return ") || node.is(&["function_item"]))
        && names.any(|name| name == value)
}

/// Whether a private function is called by its name with several things: what is handed over as a function
/// may be one that does nothing.
fn works_for_others(view: &View<'_>, node: Node<'_>, name: &str) -> bool {
    let parameters = node.field("parameters").map_or("", Node::text);
    let all = crate::args::split(parameters.trim_matches(['(', ')']));
    let taken = all.into_iter().filter_map(first_word);
    let taken = taken.filter(|name| !matches!(*name, "self" | "cls") && !name.starts_with('_'));
    let calls = view.code.match_indices(name).filter(|(at, _)| {
        let is_whole = !view.code[..*at].ends_with(|it: char| it.is_alphanumeric() || it == '_');
        is_whole && view.code[at + name.len()..].starts_with('(')
    });
    let mentions = view.code.matches(name).count();
    let calls = calls.count();
    taken.count() > 1 && calls > 1 && calls == mentions
}

fn first_word(parameter: &str) -> Option<&str> {
    let text = parameter.trim().trim_start_matches("mut ").trim_start_matches("...");
    text.split(|letter: char| !(letter.is_alphanumeric() || letter == '_'))
        .next()
        .filter(|word| !word.is_empty())
}

fn has_parents(class: Node<'_>) -> bool {
    let head = class.text().split(['{', ':']).next().unwrap_or("");
    class.field("superclasses").is_some()
        || has_word(head, "extends")
        || has_word(head, "implements")
}

/// Names of parameters that whoever calls decides on.
const GIVEN: &[&str] = &[
    "req", "request", "res", "response", "event", "evt", "e", "ctx", "context", "args", "kwargs",
    "argv", "w", "r", "t", "self", "cls", "next", "err", "index", "i", "key", "frame", "signum",
    "sender", "parent", "info", "memo", "options", "opts", "state",
];

/// A new function of the product's own that never looks at something it is told.
pub(super) fn ignored(view: &View<'_>, node: Node<'_>) -> Option<String> {
    let name = node.field("name").map_or("", Node::text);
    let is_new = !name.is_empty() && !has_word(view.change.old(), name);
    let body = node.field("body")?;
    let class = node.ancestors().find(|above| above.is(CLASSES));
    let decorated = node.parent().is_some_and(|above| above.is(&["decorated_definition"]));
    let nested = node.ancestors().any(|above| above.is(FUNCTIONS));
    let inner = squeeze(body.text());
    let answers = inner.contains("return");
    let open = ["locals(", "arguments", "super(", "raise ", "throw ", "panic("];
    let is_bound = class.is_some_and(has_parents) || decorated || nested || name.starts_with('_');
    if !is_new || is_bound || !answers || open.iter().any(|word| inner.contains(word)) {
        return None;
    }
    let parameters = node.field("parameters")?.text();
    let parameters = parameters.strip_prefix('(').unwrap_or(parameters);
    let parameters = parameters.strip_suffix(')').unwrap_or(parameters);
    if parameters.contains(['{', '*', '=', '.']) {
        return None;
    }
    // A parameter that is a function has parameters of its own.
    let names: Vec<&str> =
        crate::args::split(parameters).into_iter().filter_map(first_word).collect();
    if names.iter().any(|name| GIVEN.contains(name) && !matches!(*name, "self" | "key")) {
        return None;
    }
    let unread =
        |name: &&&str| !name.starts_with('_') && **name != "self" && !has_word(body.text(), name);
    names.iter().find(unread).map(|name| (*name).to_owned())
}

/// What makes a parameter of TypeScript a field.
const FIELDS: &[&str] = &["public", "private", "protected", "readonly"];

/// Options that are new, and that nothing looks at.
pub(super) fn parameters(view: &View<'_>) -> Vec<Finding> {
    if view.change.language != Language::Python && !view.change.language.is_script() {
        return Vec::new();
    }
    let mut findings = Vec::new();
    let root = view.tree.map(Tree::root);
    for node in root.into_iter().flat_map(Node::all).filter(|node| node.is(DEFAULTS)) {
        if !view.lines.is_added(node.line()) || view.change.is_test_at(node.start()) {
            continue;
        }
        let Some(function) = node.ancestors().find(|above| above.is(FUNCTIONS)) else { continue };
        let within = function.field("parameters").is_some_and(|all| all.holds(node));
        if node.is(&["dictionary_splat_pattern"]) {
            if is_swallowed(view, node, function) {
                let message = "Options of any name are taken, and nothing looks at them.";
                let finding = view.change.structure(Rule::G26, node.line(), message);
                findings.push(finding.change(None, Some(short(node.text()))));
            }
            continue;
        }
        let Some(name) = first_word(node.text()).filter(|_| within && node.text().contains('='))
        else {
            continue;
        };
        // `constructor(readonly cents = 0)` has a field, and who reads it may be anywhere.
        if FIELDS.contains(&name) {
            continue;
        }
        let Some(body) = function.field("body") else { continue };
        let old = view.change.old();
        if name.starts_with('_') || has_word(old, name) || is_open(function, body) {
            continue;
        }
        let is_data = || super::hollow::is_filled_and_tried(view, name, node.line());
        if !is_read(view, function, body, name) && !is_data() {
            let message = format!("'{name}' is a new option, and nothing looks at it.");
            let finding = view.change.structure(Rule::G26, node.line(), message);
            findings.push(finding.change(None, Some(short(node.text()))));
        }
    }
    findings
}

/// Errors that are new, and that nothing of the product ever hands out.
pub(super) fn errors(view: &View<'_>) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (number, text, code) in view.new_lines() {
        let Some(name) = new_error(code) else { continue };
        let uses = |text: &str| {
            let is_word = |letter: char| letter.is_alphanumeric() || letter == '_';
            text.split(|letter| !is_word(letter)).filter(|word| *word == name).count()
        };
        // What is said about it in its own comment, or in the list of what a module has, is no use.
        let here =
            view.code.lines().filter(|line| !line.contains("__all__")).map(uses).sum::<usize>();
        let others = view.changes.iter().filter(|other| {
            other.role == Role::Product
                && other.path != view.change.path
                && uses(other.current()) > 0
        });
        let is_listed = |other: &crate::detect::Change<'_>| other.name() == "__init__.py";
        if here < 2 && others.filter(|other| !is_listed(other)).count() == 0 {
            let message = format!("'{name}' is a new error that nothing ever hands out.");
            let finding = view.change.structure(Rule::G26, number, message);
            findings.push(finding.change(None, Some(short(text))));
        }
    }
    findings
}

/// The name of an error that a line defines.
fn new_error(code: &str) -> Option<&str> {
    let line = code.trim_start();
    let line = line.strip_prefix("export ").unwrap_or(line);
    let name = |rest| first_word(rest).filter(|name: &&str| name.len() > 3);
    if let Some(rest) = line.strip_prefix("class ") {
        let is_error = squeeze(rest).contains("Error)") || rest.contains("Exception)");
        return name(rest).filter(|_| is_error || rest.contains("extends Error"));
    }
    let rest = line.strip_prefix("var ").unwrap_or(line);
    let defines = rest.contains("= errors.New(") || rest.contains("= fmt.Errorf(");
    name(rest).filter(|name| defines && name.starts_with("Err"))
}

/// `**options` of a function that has no class and no decorator, and never looks at them.
fn is_swallowed(view: &View<'_>, node: Node<'_>, function: Node<'_>) -> bool {
    let name = node.text().trim_start_matches('*');
    let above = ["class_definition", "decorated_definition", "function_definition"];
    let free = !function.ancestors().any(|around| around.is(&above));
    let body = function.field("body").map_or("", Node::text);
    let is_new = !view.change.old().contains(node.text());
    free && is_new && !has_word(body, name) && body.trim() != "pass"
}

/// Whether others decide what the parameters are: a class above, a function without a body.
fn is_open(function: Node<'_>, body: Node<'_>) -> bool {
    let class = function.ancestors().find(|above| above.is(CLASSES));
    let inner = squeeze(body.text());
    let empty = matches!(inner.trim_matches(['{', '}']), "" | "pass" | "...");
    let passes =
        ["locals(", "**kwargs", "arguments", "super("].iter().any(|word| inner.contains(word));
    let keeps_only =
        class.is_some_and(|class| class.all().filter(|node| node.is(FUNCTIONS)).count() < 2);
    empty || passes || class.is_some_and(has_parents) || keeps_only
}

/// Whether a parameter is used, otherwise than to be kept under its own name and never looked at.
fn is_read(view: &View<'_>, function: Node<'_>, body: Node<'_>, name: &str) -> bool {
    let uses = body.all().filter(|node| {
        node.is(&["identifier", "shorthand_property_identifier"]) && node.text() == name
    });
    let mut stored = Vec::new();
    for node in uses {
        // In Python the name of an attribute is an identifier as well.
        let of_other = node.parent().is_some_and(|above| {
            above.is(&["attribute", "member_expression"])
                && above.text().ends_with(&format!(".{name}"))
        });
        match kept(node) {
            Some(left) => stored.push(left),
            None if of_other => {}
            None => return true,
        }
    }
    let root = function.ancestors().last().unwrap_or(function);
    stored.iter().any(|place| {
        let attribute = place.rsplit('.').next().unwrap_or(place);
        root.all().any(|node| {
            node.is(&["attribute", "member_expression"])
                && node.text().ends_with(&format!(".{attribute}"))
                && node.text() != *place
                || node.text() == *place && !is_target(node)
        })
    }) || is_elsewhere(view, &stored)
}

/// Where a value is kept as it is: `self.limit`.
fn kept(node: Node<'_>) -> Option<&str> {
    let assigned =
        node.parent().filter(|above| above.is(&["assignment", "assignment_expression"]))?;
    let left = assigned.field("left").filter(|left| !left.same(node))?.text();
    (left.starts_with("self.") || left.starts_with("this.")).then_some(left)
}

fn is_target(node: Node<'_>) -> bool {
    node.parent().is_some_and(|above| {
        above.is(&["assignment", "assignment_expression"])
            && above.field("left").is_some_and(|left| left.same(node))
    })
}

/// Other changed files of the product may be who looks at it.
fn is_elsewhere(view: &View<'_>, stored: &[&str]) -> bool {
    let others = view.changes.iter().filter(|other| other.role == Role::Product);
    let mut others = others.filter(|other| other.path != view.change.path);
    others.any(|other| {
        let text = other.current();
        stored.iter().any(|place| has_word(text, place.rsplit('.').next().unwrap_or(place)))
    })
}
