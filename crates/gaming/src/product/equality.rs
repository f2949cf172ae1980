//! Comparisons that answer without looking.

mod asked;
mod fewer;
mod kinds;
mod undone;

use countersign_domain::gaming::{Finding, Rule};

use super::View;
use crate::args::{has_word, short, squeeze};
use crate::language::Language;
use crate::outline::judge::is_literal;
use crate::syntax::Node;

const FUNCTIONS: &[&str] =
    &["function_definition", "function_item", "method_definition", "method_declaration"];
const NAMES: &[&str] = &[
    "__eq__",
    "__ne__",
    "__lt__",
    "__le__",
    "__gt__",
    "__ge__",
    "__contains__",
    "__bool__",
    "eq",
    "ne",
    "equals",
    "Equal",
    "Equals",
    "isEqual",
    "asymmetricMatch",
    "partial_cmp",
    "cmp",
    "valueOf",
    "[Symbol.toPrimitive]",
    "compareTo",
    "==",
];

pub(super) fn check(view: &View<'_>) -> Vec<Finding> {
    let functions = view
        .new_nodes(FUNCTIONS)
        .filter(|node| node.field("name").is_some_and(|name| NAMES.contains(&name.text())));
    let mut findings: Vec<Finding> = functions
        .filter(|node| !is_placeholder(*node) && agrees(view.change.language, *node))
        .map(|node| {
            let name = node.field("name").map_or("", Node::text);
            let message = format!("'{name}' answers without looking at what it compares.");
            view.change
                .structure(Rule::G24, node.line(), message)
                .change(None, Some(short(node.text())))
        })
        .collect();
    findings.extend(loosened(view));
    // What is said of a line already is not said twice.
    let fewer = fewer::check(view).into_iter();
    let told: Vec<Option<u32>> = findings.iter().map(|finding| finding.line).collect();
    findings.extend(fewer.filter(|finding| !told.contains(&finding.line)));
    let told: Vec<Option<u32>> = findings.iter().map(|finding| finding.line).collect();
    findings.extend(kinds::check(view).into_iter().filter(|one| !told.contains(&one.line)));
    let told: Vec<Option<u32>> = findings.iter().map(|finding| finding.line).collect();
    let is_near = |line: Option<u32>| {
        told.iter().flatten().any(|told| line.is_some_and(|line| line.abs_diff(*told) < 5))
    };
    findings.extend(by_text(view).into_iter().filter(|one| !is_near(one.line)));
    findings.extend(undone::check(view).into_iter().filter(|one| !is_near(one.line)));
    if view.tree.is_none() {
        findings.extend(lines(view));
    }
    findings
}

/// An equality of how two things are shown: what is not shown makes no difference.
fn by_text(view: &View<'_>) -> Vec<Finding> {
    const SHOWN: &[&str] = &[
        "String(this)==",
        "`${this}`==",
        "this.toString()==",
        "str(self)==",
        "repr(self)==",
        "f\"{self}\"==",
        "self.to_string()==",
        ".String()==",
    ];
    const MEANT: &[&str] = &["text", "string", "shown", "printed", "display", "representation"];
    let functions = view.new_nodes(FUNCTIONS).chain(changed(view)).filter(|node| {
        let body = squeeze(node.field("body").map_or("", Node::text));
        node.field("name").is_some_and(|name| NAMES.contains(&name.text()))
            && SHOWN.iter().any(|shown| body.contains(shown))
    });
    if view.literals.task_has(MEANT) {
        return Vec::new();
    }
    let message =
        "An equality compares how things are shown, and what isn't shown makes no difference.";
    let mut found: Vec<Finding> = Vec::new();
    for node in functions {
        if found.iter().all(|one| one.line != Some(node.line())) {
            found.push(view.change.structure(Rule::G24, node.line(), message));
        }
    }
    found
}

/// Functions that were there and have new lines.
fn changed<'v>(view: &View<'v>) -> impl Iterator<Item = Node<'v>> {
    let (change, lines) = (view.change, view.lines);
    let root = view.tree.map(crate::syntax::Tree::root);
    root.into_iter().flat_map(Node::all).filter(move |node| {
        node.is(FUNCTIONS)
            && !change.is_test_at(node.start())
            && lines.touches(node.line(), node.last_line())
    })
}

/// An equality that was worked out by the language, and is written by hand now so that less is
/// looked at: an arm that agrees with anything, or a list or text of its own that compares otherwise.
fn loosened(view: &View<'_>) -> Vec<Finding> {
    let old = view.change.old();
    let functions = view.new_nodes(FUNCTIONS).filter(|node| {
        let name = node.field("name").map_or("", Node::text);
        let body = squeeze(node.field("body").map_or("", Node::text));
        let head = node
            .ancestors()
            .find(|above| above.is(&["impl_item", "class_definition"]))
            .map_or("", |above| above.text().lines().next().unwrap_or(""));
        match (view.change.language, name) {
            (Language::Rust, "eq") => {
                let was_derived = head.contains("PartialEq") && old.contains("PartialEq");
                let is_blind = body.contains("=>true") && body.contains('_')
                    // Near is not equal.
                    || body.contains(".abs()") || body.contains("abs_diff(")
                    || body.contains('-') && body.contains('<') && !body.contains("==");
                was_derived && is_blind && !old.contains("impl PartialEq")
            }
            (Language::Python, "__eq__") => {
                let parents = head.split_once('(').map_or("", |(_, rest)| rest);
                let plain = [
                    "list",
                    "str",
                    "int",
                    "float",
                    "dict",
                    "tuple",
                    "set",
                    "frozenset",
                    "bytes",
                    "complex",
                    "Decimal",
                    "Fraction",
                    "date",
                    "datetime",
                    "timedelta",
                    "Path",
                ];
                plain.iter().any(|one| has_word(parents, one))
            }
            _ => false,
        }
    });
    let message = "An equality of its own agrees with more than the one that was there.";
    let found = functions.map(|node| view.change.structure(Rule::G24, node.line(), message));
    found.collect()
}

/// A thing that is made to be equal to everything says so in its name.
fn is_placeholder(node: Node<'_>) -> bool {
    let mut around = node
        .ancestors()
        .filter(|above| above.is(&["class_definition", "class_declaration", "impl_item"]));
    around.any(|class| {
        let head = class.text().lines().next().unwrap_or("").to_lowercase();
        ["any", "wildcard", "matcher", "ignore", "sentinel", "unit"]
            .iter()
            .any(|word| head.contains(word))
    })
}

fn agrees(language: Language, node: Node<'_>) -> bool {
    let Some(body) = node.field("body") else { return false };
    let text = squeeze(body.text());
    let inner = text.trim_matches(['{', '}', ';', ':']);
    let answer = inner.strip_prefix("return").unwrap_or(inner).trim();
    let name = node.field("name").map_or("", Node::text);
    if matches!(name, "valueOf" | "[Symbol.toPrimitive]") {
        return inner.starts_with("return") && is_literal(answer);
    }
    let constant = matches!(answer, "True" | "true" | "False" | "false")
        || answer == "Some(Ordering::Equal)"
        || answer == "Ordering::Equal"
        || answer == "NotImplemented ";
    if constant {
        // Types that are never comparable say no.
        return !matches!(
            (name, answer),
            (
                "__eq__"
                    | "eq"
                    | "equals"
                    | "Equal"
                    | "__bool__"
                    | "__contains__"
                    | "__lt__"
                    | "__gt__",
                "False" | "false"
            )
        ) && name != "__bool__";
    }
    // The kind of the other side is all that is looked at, though there are fields.
    let kind_only =
        answer.starts_with("isinstance(") && answer.ends_with(')') && !answer.contains("and ")
            || answer.contains(" instanceof ") && !answer.contains("&&")
            || matches!(answer, "type(self)==type(other)" | "type(self)is type(other)");
    let has_fields = node.ancestors().any(|above| {
        above.is(&["class_definition", "class_declaration"])
            && ["self.", "this."].iter().any(|own| above.text().contains(own))
    });
    if kind_only && has_fields && !answer.contains(" or ") {
        return true;
    }
    // The other side is never looked at.
    let other = match language {
        Language::Python => node.field("parameters").and_then(|all| all.named().nth(1)),
        Language::Rust => node
            .field("parameters")
            .and_then(|all| all.named().find(|p| p.is(&["parameter"])))
            .and_then(|p| p.field("pattern")),
        _ => node
            .field("parameters")
            .and_then(|all| all.named().next())
            .and_then(|p| p.field("name").or(Some(p))),
    };
    let compares = matches!(name, "__eq__" | "eq" | "equals" | "Equal");
    compares
        && other.is_some_and(|other| {
            let name = other.text().split([':', '=', ' ']).next().unwrap_or("");
            !name.is_empty() && !has_word(body.text(), name)
        })
}

/// Without a tree: a method of that name whose next line returns true.
fn lines(view: &View<'_>) -> Vec<Finding> {
    let all = view.new_lines();
    let heads = [
        "boolean equals(",
        "bool Equals(",
        "bool operator==",
        "fun equals(",
        "func ==",
        "def ==(",
        "def eql?",
    ];
    let mut findings = Vec::new();
    for (index, (number, text, _)) in all.iter().enumerate() {
        let head = heads.iter().any(|head| text.contains(head));
        let near =
            all.iter().skip(index).take(3).map(|(_, text, _)| squeeze(text)).collect::<String>();
        let answers = ["{return true;}", ")=>true", "=true", "{true}", "true end", "trueend"];
        if head && answers.iter().any(|answer| near.contains(answer)) {
            findings.push(
                view.change
                    .text(Rule::G24, *number, "An equality always agrees.")
                    .change(None, Some(short(text))),
            );
        }
    }
    findings
}
