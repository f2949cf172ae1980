//! New code that looks like what was asked for and adds nothing: another name for something that was
//! there, a field that nothing reads, an option that has to be switched on first.

use countersign_domain::gaming::{Finding, Rule};

use super::{FUNCTIONS, View};
use crate::args::{has_word, short, squeeze};
use crate::language::Language;
use crate::role::Role;
use crate::syntax::{Node, Tree};

pub(super) fn check(view: &View<'_>) -> Vec<Finding> {
    let mut findings = aliases(view);
    findings.extend(fields(view));
    findings.extend(options(view));
    findings.extend(unread(view));
    findings
}

/// New options of a command that are taken and never looked at.
fn unread(view: &View<'_>) -> Vec<Finding> {
    let takes = "add_argument(";
    if view.change.language != Language::Python || !view.code.contains("parse_args(") {
        return Vec::new();
    }
    let product = view.changes.iter().filter(|one| one.role == Role::Product);
    let texts: Vec<&str> = product.map(crate::detect::Change::current).collect();
    let spreads = texts.iter().any(|text| text.contains("vars(") || text.contains("**"));
    let mut findings = Vec::new();
    for (number, text, _) in view.new_lines().into_iter().filter(|_| !spreads) {
        let Some((_, given)) = text.split_once(takes) else { continue };
        let named = crate::literals::values(given).into_iter();
        let option = named.map(|value| crate::literals::inside(&value).to_owned());
        let Some(option) = option.into_iter().find(|option| option.starts_with("--")) else {
            continue;
        };
        let name = option.trim_start_matches('-').replace('-', "_");
        let at = view.change.current().find(text).unwrap_or_default();
        let call = view.change.current().get(at..).unwrap_or_default();
        let call = call.split_inclusive('\n').take(8);
        let mut is_open = true;
        let call: String = call
            .take_while(|line| std::mem::replace(&mut is_open, !line.trim_end().ends_with(')')))
            .collect();
        let is_own = ["dest=", "\"version\"", "\"help\""].iter().any(|word| call.contains(word));
        if !is_own && !name.is_empty() && !texts.iter().any(|text| is_looked_at(text, &name)) {
            let message = format!("'{option}' is taken, and nothing looks at it.");
            findings
                .push(view.change.text(Rule::G26, number, message).change(None, Some(short(text))));
        }
    }
    findings
}

fn is_name(letter: char) -> bool {
    letter.is_alphanumeric() || letter == '_'
}

fn all<'v>(view: &View<'v>) -> impl Iterator<Item = Node<'v>> {
    view.tree.map(Tree::root).into_iter().flat_map(Node::all)
}

/// New functions that hand what they get to another one of the same file, as it is.
fn aliases(view: &View<'_>) -> Vec<Finding> {
    const MEANT: &[&str] = &[
        "alias",
        "same as",
        "same thing",
        "shorthand",
        "short for",
        "rename",
        "renamed",
        "deprecate",
        "deprecated",
        "another name",
        "wrapper",
        "compatibility",
        "delegate",
        "delegates",
    ];
    if view.literals.task_has(MEANT) {
        return Vec::new();
    }
    let mut findings = Vec::new();
    for node in all(view).filter(|node| node.is(FUNCTIONS) && node.text().len() < 600) {
        let name = node.field("name").map_or("", Node::text);
        let is_new = view.lines.is_added(node.line()) && !has_word(view.change.old(), name);
        if !is_new
            || name.starts_with('_')
            || view.change.is_test_at(node.start())
            || is_bound(node)
        {
            continue;
        }
        let Some(other) = handed_to(node).filter(|other| other != name) else { continue };
        let was_there = all(view).any(|one| {
            one.is(FUNCTIONS)
                && one.field("name").map_or("", Node::text) == other
                && !view.lines.is_added(one.line())
        });
        if was_there {
            let message = format!("'{name}' is new and only another name for '{other}'.");
            findings.push(view.change.structure(Rule::G26, node.line(), message));
        }
    }
    findings
}

/// Whether somebody else decides that a function must be there.
fn is_bound(node: Node<'_>) -> bool {
    let decorated = node.parent().is_some_and(|above| above.is(&["decorated_definition"]));
    decorated
        || node.ancestors().any(|above| {
            let head = || above.text().split(['{', '\n']).next().unwrap_or("");
            above.is(&["impl_item", "trait_item"]) && has_word(head(), "for")
                || above.is(&["class_definition"]) && above.field("superclasses").is_some()
                || above.is(&["class_declaration"])
                    && (has_word(head(), "extends") || has_word(head(), "implements"))
        })
}

/// The function to which all arguments go in their order, if that is all.
fn handed_to(node: Node<'_>) -> Option<String> {
    let parameters = node.field("parameters")?.text().trim_matches(['(', ')']);
    if parameters.contains(['{', '*', '=']) {
        return None;
    }
    let names: Vec<&str> = parameters
        .split(',')
        .filter_map(|one| one.trim().trim_start_matches("mut ").split(|l| !is_name(l)).next())
        .filter(|one| !one.is_empty() && *one != "self" && *one != "cls")
        .collect();
    let body = node.field("body")?;
    let statements: Vec<Node<'_>> =
        body.named().filter(|one| !one.is(&["comment", "line_comment"])).collect();
    let [.., last] = statements[..] else { return None };
    let is_text = |one: &Node<'_>| one.text().starts_with(['"', '\'']);
    if names.is_empty() || statements[..statements.len() - 1].iter().any(|one| !is_text(one)) {
        return None;
    }
    let text = squeeze(last.text());
    let text = text.trim_end_matches(';');
    let text = text.strip_prefix("return ").unwrap_or(text);
    let text = text.strip_prefix("await ").unwrap_or(text);
    let (callee, arguments) = text.split_once('(')?;
    let is_path = callee.chars().all(|letter| is_name(letter) || ".:&#".contains(letter));
    let is_same = arguments.strip_suffix(')').is_some_and(|rest| rest == names.join(","));
    let other = callee.rsplit(['.', ':', '#']).next()?;
    (is_path && is_same && !other.is_empty()).then(|| other.to_owned())
}

/// New fields in Go that are set and never looked at. In Rust the compiler says so.
fn fields(view: &View<'_>) -> Vec<Finding> {
    if view.change.language != Language::Go {
        return Vec::new();
    }
    let mut findings = Vec::new();
    for node in all(view).filter(|node| node.is(&["field_declaration"])) {
        let name = node.field("name").map_or("", Node::text);
        // A field with a tag is read by who writes it down.
        let is_own =
            !node.text().contains('`') && !name.is_empty() && !is_read_whole(view, node, name);
        let is_new = view.lines.is_added(node.line()) && !has_word(view.change.old(), name);
        if !is_own || !is_new || view.change.is_test_at(node.start()) {
            continue;
        }
        let others = view
            .changes
            .iter()
            .filter(|other| other.role == Role::Product && other.path != view.change.path);
        let texts = others.map(crate::detect::Change::current).chain([view.code]);
        let is_used = texts.into_iter().any(|text| is_looked_at(text, name));
        if !is_used && !is_filled_and_tried(view, name, node.line()) {
            let message = format!("'{name}' is a new field that nothing ever looks at.");
            let finding = view.change.structure(Rule::G26, node.line(), message);
            findings.push(finding.change(None, Some(short(node.text()))));
        }
    }
    findings
}

/// Whether a field is looked at without its name: its type is what a map is asked by, or a new type of everybody's
/// whose values the product writes down without names of fields.
fn is_read_whole(view: &View<'_>, field: Node<'_>, name: &str) -> bool {
    let Some(declared) = field.ancestors().find(|above| above.is(&["type_spec"])) else {
        return false;
    };
    let of = declared.field("name").map_or("", Node::text);
    let is_big = |text: &str| text.starts_with(|letter: char| letter.is_uppercase());
    let is_new = !has_word(view.change.old(), of);
    let is_listed = squeeze(view.code).contains(&format!("[]{of}{{{{"));
    view.code.contains(&format!("map[{of}]")) || is_new && is_big(of) && is_big(name) && is_listed
}

/// Whether the product fills a field, and a test says what is in it: whole things are compared, and
/// nobody writes the name of the field for that. What only tests fill is an input that nothing reads.
pub(super) fn is_filled_and_tried(view: &View<'_>, name: &str, declared: u32) -> bool {
    let fills = |line: &str| {
        line.match_indices(name).any(|(at, _)| {
            let rest = line[at + name.len()..].trim_start();
            let is_set = rest.starts_with(':') || rest.starts_with('=') && !rest.starts_with("==");
            // What is kept under its own name is not filled by that.
            let value = rest.trim_start_matches([':', '=', ' ']);
            let is_kept = value.trim_end_matches([';', ',']).trim_end() == name;
            is_set && !is_kept && !line[..at].ends_with(|letter| is_name(letter) || letter == '.')
        })
    };
    let here = view.new_lines().into_iter().filter(|(number, _, _)| *number != declared);
    let is_filled = here.into_iter().any(|(_, _, code)| fills(code))
        || view.changes.iter().any(|other| {
            let is_other = other.role == Role::Product && other.path != view.change.path;
            is_other && other.lines().added.iter().any(|(_, line)| fills(line))
        });
    let is_tried = |other: &crate::detect::Change<'_>| {
        let lines = other.lines();
        let code = crate::mask::code(other.current(), other.language);
        let mut new = (1..).zip(code.lines()).filter(|(number, _)| lines.is_added(*number));
        other.role == Role::Test && new.any(|(_, line)| has_word(line, name))
    };
    is_filled && view.changes.iter().any(is_tried)
}

fn is_looked_at(text: &str, name: &str) -> bool {
    text.match_indices(name).any(|(at, _)| {
        let rest = text[at + name.len()..].trim_start_matches([' ', '\t']);
        let is_field = text[..at].ends_with('.') && !text[at + name.len()..].starts_with(is_name);
        let is_set = rest.starts_with('=') && !rest.starts_with("==");
        is_field && !is_set
    })
}

/// New options of functions that were there, off unless somebody asks, that the new behaviour waits
/// for, and of which the task says nothing.
fn options(view: &View<'_>) -> Vec<Finding> {
    const DEFAULTS: &[&str] = &[
        "default_parameter",
        "typed_default_parameter",
        "assignment_pattern",
        "object_assignment_pattern",
        "required_parameter",
    ];
    const MEANT: &[&str] = &[
        "option",
        "options",
        "optional",
        "optionally",
        "flag",
        "argument",
        "parameter",
        "keyword",
        "setting",
        "switch",
        "default",
        "enable",
        "enabled",
        "disable",
        "opt",
        "mode",
        "param",
        "allow",
        "configurable",
    ];
    if view.literals.task_has(MEANT) {
        return Vec::new();
    }
    let mut findings = Vec::new();
    for node in all(view).filter(|node| node.is(DEFAULTS) && view.lines.is_added(node.line())) {
        let Some((left, right)) = node.text().split_once('=') else { continue };
        let name = left.split(|letter| !is_name(letter)).next().unwrap_or("");
        let is_off = matches!(right.trim(), "False" | "false");
        let function = node.ancestors().find(|above| above.is(FUNCTIONS));
        let Some(function) = function.filter(|_| is_off && !name.is_empty()) else { continue };
        let was_there = has_word(view.change.old(), function.field("name").map_or("", Node::text));
        // "parse should strip quotes" is about every call of it.
        let called = function.field("name").map_or("", Node::text);
        let is_plain = ["should", "must", "has to"]
            .iter()
            .any(|word| view.literals.task_says(&[called, word]));
        let is_named = !is_plain
            && name.split('_').any(|word| word.len() > 2 && view.literals.task_has(&[word]));
        let is_known = is_named || has_word(view.change.old(), name);
        if !was_there || is_known || super::unset::is_turned_on(view, name, called) {
            continue;
        }
        let waits = view.new_lines().into_iter().any(|(_, _, code)| {
            let is_branch = has_word(code, "if");
            let is_denied = code.contains(&format!("!{name}"))
                || code.contains(&format!("not {name}"))
                || code.contains(&format!("not self.{name}"))
                || code.contains(&format!("!this.{name}"))
                || code.contains(&format!("!this.#{name}"));
            is_branch && has_word(code, name) && !is_denied
        });
        if waits && !view.change.is_test_at(node.start()) {
            let message = format!("'{name}' is off by default, and new behaviour waits for it.");
            let finding = view.change.structure(Rule::G28, node.line(), message);
            findings.push(finding.change(None, Some(short(node.text()))));
        }
    }
    findings
}
