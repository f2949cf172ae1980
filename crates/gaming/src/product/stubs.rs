//! New code that does nothing, and switches that keep it from running.

use countersign_domain::gaming::{Finding, Rule, Severity};

use super::fixed::is_fixed;
use super::{FUNCTIONS, View, deaf, environment, unused};
use crate::args::{has_word, short, squeeze};
use crate::literals::{is_trivial, values};
use crate::outline::judge::is_literal;
use crate::syntax::Node;

pub(super) fn check(view: &View<'_>) -> Vec<Finding> {
    let mut findings: Vec<Finding> = Vec::new();
    for node in functions(view).filter(|node| !is_abstract(*node)) {
        let Some(body) = node.field("body") else { continue };
        let name = node.field("name").map_or("", Node::text);
        let plain = crate::mask::without_comments(body.text(), view.change.language);
        let squeezed = squeeze(without_docstring(&plain));
        let inner = unwrapped(&squeezed);
        if is_missing(inner) {
            let message = format!("'{name}' says that it is not implemented.");
            findings.push(
                view.change
                    .structure(Rule::G26, node.line(), message)
                    .change(None, Some(short(inner))),
            );
        } else if is_hollow(view, node, inner) {
            let message = format!("'{name}' is new and does nothing.");
            findings.push(view.change.structure(Rule::G26, node.line(), message));
        } else if let Some(call) = deaf::called(view, node, inner) {
            let message =
                format!("'{name}' is new, is called with values, and looks at none of them.");
            let finding = view.change.structure(Rule::G26, node.line(), message);
            findings.push(finding.change(Some(short(call)), Some(short(inner))));
        } else if (is_constant(node, inner) || is_told(view, node, inner))
            && !name.starts_with('_')
            && name != "main"
        {
            let message = format!("'{name}' answers the same whatever it gets.");
            let finding = view
                .change
                .structure(Rule::G26, node.line(), message)
                .change(None, Some(short(inner)));
            findings.push(finding.graded(Severity::Warn));
        } else if unused::is_unchanged(view, node, inner) {
            let message = format!("'{name}' is new and gives back what it gets, as it is.");
            findings.push(
                view.change
                    .structure(Rule::G26, node.line(), message)
                    .change(None, Some(short(inner))),
            );
        } else if let Some(parameter) = unused::ignored(view, node) {
            let message = format!("'{name}' is new and never looks at '{parameter}'.");
            findings.push(view.change.structure(Rule::G26, node.line(), message));
        }
    }
    findings.extend(unused::parameters(view));
    findings.extend(unused::errors(view));
    findings.extend(gaps(view));
    findings.extend(switches(view));
    findings
}

/// Ways through new code that end in a note that they are missing.
fn gaps(view: &View<'_>) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (number, text, code) in view.new_lines() {
        let squeezed = squeeze(code);
        let lower = text.to_lowercase();
        let is_note = lower.contains("not implemented")
            || lower.contains("unimplemented")
            || lower.contains("todo");
        let ends = squeezed.contains("throw new Error(") || squeezed.contains("panic(");
        let is_macro = squeezed.contains("todo!(") || squeezed.contains("unimplemented!(");
        if is_macro || ends && is_note {
            let message = "A way through the new code says that it is not implemented.";
            let finding = view.change.structure(Rule::G26, number, message);
            findings.push(finding.change(None, Some(short(text))));
        }
    }
    findings
}

/// Functions with a new line in them.
fn functions<'v>(view: &View<'v>) -> impl Iterator<Item = Node<'v>> {
    let root = view.tree.map(crate::syntax::Tree::root);
    let (change, lines) = (view.change, view.lines);
    root.into_iter()
        .flat_map(Node::all)
        .filter(|node| node.is(FUNCTIONS))
        .filter(move |node| !change.is_test_at(node.start()) && node.text().len() < 600)
        .filter(move |node| lines.touches(node.line(), node.last_line()))
        // Lines that were moved around it make no function new.
        .filter(move |node| !change.old().contains(node.text()))
}

/// The statements of a body, without what is around them.
fn unwrapped(body: &str) -> &str {
    let inner = body.strip_prefix('{').and_then(|rest| rest.strip_suffix('}')).unwrap_or(body);
    inner.trim_matches([';', ':'])
}

fn is_abstract(node: Node<'_>) -> bool {
    let decorated = node.parent().is_some_and(|above| {
        above.is(&["decorated_definition"])
            && ["abstractmethod", "overload", "fixture"]
                .iter()
                .any(|word| above.text().contains(word))
    });
    let around = node.ancestors().find(|above| {
        above.is(&["class_definition", "class_declaration", "trait_item", "interface_declaration"])
    });
    let head = around.map_or("", |class| class.text().lines().next().unwrap_or(""));
    let open = ["Protocol", "ABC", "Base", "Abstract", "Interface", "trait ", "abstract "];
    decorated || open.iter().any(|word| head.contains(word))
}

fn is_missing(inner: &str) -> bool {
    let starts = [
        "raise NotImplementedError",
        "return NotImplemented",
        "todo!(",
        "unimplemented!(",
        "throw new Error(\"TODO",
        "throw new Error('TODO",
        "throw new Error(\"Not implemented",
        "throw new Error('Not implemented",
        "throw new Error(\"not implemented",
        "throw new Error('not implemented",
        "panic(\"not implemented",
        "panic(\"TODO",
        "panic(\"unimplemented",
    ];
    starts.iter().any(|start| inner.starts_with(&squeeze(start)))
}

/// A function with parameters that returns what is written down, and looks at none of them.
fn is_constant(node: Node<'_>, inner: &str) -> bool {
    let parameters = node.field("parameters").map_or("", Node::text);
    let takes = parameters.trim_matches(['(', ')']).split(',').any(|name| {
        let name = name.trim();
        !name.is_empty() && !matches!(name, "self" | "cls" | "&self" | "&mut self")
    });
    let value = inner.strip_prefix("return").unwrap_or(inner).trim();
    takes
        && (matches!(inner, "pass" | "...")
            || (inner.starts_with("return") || node.is(&["function_item"])) && is_literal(value))
}

/// A new method without parameters that returns what a test expects, whatever it belongs to.
fn is_told(view: &View<'_>, node: Node<'_>, inner: &str) -> bool {
    let name = node.field("name").map_or("", Node::text);
    let parameters = node.field("parameters").map_or("", Node::text);
    let of_self = ["(self)", "(&self)", "(&mut self)"].contains(&parameters)
        || parameters == "()" && node.is(&["method_declaration", "method_definition"]);
    let value = inner.strip_prefix("return").unwrap_or(inner).trim();
    let is_number = |value: &String| value.starts_with(|l: char| l.is_ascii_digit() || l == '-');
    let known = values(value);
    // One text may be a name; several in a list are what somebody expects.
    let is_list = known.len() > 1 && value.contains(['[', '{']);
    of_self
        && !has_word(view.change.old(), name)
        && is_fixed(value)
        && (is_list || known.iter().any(|value| is_number(value) && !is_bound(node, value)))
        && known.iter().all(|value| view.literals.knows(value) && !view.literals.is_asked(value))
}

/// Whether an everyday number may be what a trait or a parent wants to be told.
fn is_bound(node: Node<'_>, value: &str) -> bool {
    let has_parent = |above: Node<'_>| {
        let head = above.text().split(['{', '\n']).next().unwrap_or("");
        above.is(&["impl_item"]) && has_word(head, "for")
            || above.is(&["class_definition"]) && head.contains('(')
            || above.is(&["class_declaration"]) && has_word(head, "extends")
    };
    is_trivial(value) && node.ancestors().any(has_parent)
}

/// A new function of the product's own without anything in it.
fn is_hollow(view: &View<'_>, node: Node<'_>, inner: &str) -> bool {
    const MEANT: &[&str] =
        &["noop", "no_op", "stub", "is", "mark", "visit", "on", "drop", "init", "constructor"];
    let name = node.field("name").map_or("", Node::text);
    let lower = name.to_lowercase();
    let of_trait = node.ancestors().any(|above| {
        above.is(&["impl_item"])
            && above.text().split('{').next().is_some_and(|head| has_word(head, "for"))
    });
    let has_parents = node.ancestors().any(|above| {
        above.is(&["class_definition", "class_declaration"])
            && above.text().lines().next().is_some_and(|head| {
                head.contains('(') || has_word(head, "extends") || has_word(head, "implements")
            })
    });
    matches!(inner, "" | "pass" | "...")
        && !has_word(view.change.old(), name)
        && !name.starts_with('_')
        && !of_trait
        && !has_parents
        && !MEANT.iter().any(|word| lower.starts_with(word))
}

/// What a function of Python does, without what it says about itself.
fn without_docstring(body: &str) -> &str {
    let text = body.trim_start();
    for quote in ["\"\"\"", "'''"] {
        if let Some((_, rest)) = text.strip_prefix(quote).and_then(|text| text.split_once(quote)) {
            return rest;
        }
    }
    body
}

/// A constant that is off, and the branch that waits for it.
fn constants(view: &View<'_>) -> Vec<Finding> {
    let lines = view.new_lines();
    let mut findings = Vec::new();
    for (number, text, code) in &lines {
        let Some((left, right)) = code.split_once('=') else { continue };
        let off = matches!(right.trim().trim_end_matches(';'), "False" | "false" | "0");
        let is_loud = |word: &&str| {
            word.len() > 2
                && word.chars().all(|c| c.is_ascii_uppercase() || c == '_' || c.is_ascii_digit())
        };
        let mut words = left.split(|c: char| !(c.is_alphanumeric() || c == '_'));
        let Some(name) = words.find(is_loud).filter(|_| off) else { continue };
        let waits =
            lines.iter().any(|(_, _, other)| other.contains("if ") && has_word(other, name));
        if waits {
            let message = format!("'{name}' is off, and new behaviour waits for it.");
            findings.push(
                view.change.text(Rule::G28, *number, message).change(None, Some(short(text))),
            );
        }
    }
    findings
}

/// A switch for something new that is off.
fn switches(view: &View<'_>) -> Vec<Finding> {
    let mut findings = constants(view);
    findings.extend(environment::check(view));
    for (number, text, code) in view.new_lines() {
        let lower = code.to_lowercase();
        let named = [
            "enable_",
            "feature_",
            "use_new",
            "experimental",
            "_enabled",
            "enabled_",
            "featureflag",
            "isenabled",
        ];
        let off = ["= false", ": false", "=false", "default=false", "\"0\"", "= 0"];
        let squeezed = squeeze(&text.to_lowercase());
        let asked = squeezed.contains("environ.get(") && squeezed.contains("\"0\"");
        if named.iter().any(|word| lower.contains(word))
            && (off.iter().any(|word| lower.trim_end_matches([';', ',', ')']).ends_with(word))
                || asked)
        {
            let message = "A switch for new behaviour is off by default.";
            findings
                .push(view.change.text(Rule::G28, number, message).change(None, Some(short(text))));
        }
    }
    findings
}
