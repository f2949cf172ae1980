//! An equality that the language worked out, written by hand now although nobody spoke of what is equal.

use countersign_domain::gaming::{Finding, Rule};

use super::super::View;
use crate::args::{has_word, short, squeeze};
use crate::language::Language;
use crate::syntax::{Node, Tree};

/// Who says one of these may want another equality.
const ABOUT: &[&str] = &[
    "equal",
    "equals",
    "equality",
    "eq",
    "partialeq",
    "compare",
    "compares",
    "comparison",
    "compared",
    "same",
    "identical",
    "duplicate",
    "duplicates",
    "unique",
    "distinct",
    "ignore",
    "ignoring",
    "case",
    "insensitive",
    "hash",
    "match",
    "matches",
    "differ",
    "regardless",
    "floats",
    "tolerance",
];

pub(super) fn check(view: &View<'_>) -> Vec<Finding> {
    if view.change.language != Language::Rust || view.literals.task_has(ABOUT) {
        return Vec::new();
    }
    let implements = view.new_nodes(&["impl_item"]).filter(|node| {
        let of = node.field("trait").map_or("", Node::text);
        let name = node.field("type").map_or("", Node::text);
        let is_plain = compares_fields(node.field("body").map_or("", Node::text));
        of.starts_with("PartialEq")
            && was_derived(view.change.old(), name)
            && !is_plain
            && !has_more(view, name)
    });
    let found = implements.map(|node| {
        let message =
            "An equality that was derived is written by hand now, and the task speaks of none.";
        view.change
            .structure(Rule::G24, node.line(), message)
            .change(None, Some(short(node.text())))
    });
    found.collect()
}

/// Whether a type has a field more: then what was derived may be no equality any more.
fn has_more(view: &View<'_>, name: &str) -> bool {
    let root = view.tree.map(Tree::root);
    let mut types = root.into_iter().flat_map(Node::all).filter(|node| {
        node.is(&["struct_item", "enum_item"])
            && node.field("name").is_some_and(|one| one.text() == name)
    });
    types.any(|node| {
        let body = node.field("body");
        body.is_some_and(|body| view.lines.touches(body.line() + 1, body.last_line()))
    })
}

/// Whether all that is done is to compare fields, each with its own: which ones is looked at elsewhere.
fn compares_fields(body: &str) -> bool {
    let body = squeeze(body);
    let inner = body.split_once("->bool{").map_or("", |(_, rest)| rest).trim_end_matches('}');
    !inner.is_empty()
        && inner.split("&&").all(|part| {
            part.split_once("==").is_some_and(|(left, right)| {
                let field = left.strip_prefix("self.");
                field.is_some() && field == right.strip_prefix("other.") && !left.contains('(')
            })
        })
}

/// Whether a type had an equality by derivation.
fn was_derived(old: &str, name: &str) -> bool {
    let mut derived = false;
    for line in old.lines().map(str::trim) {
        if line.starts_with("#[derive(") {
            derived = has_word(line, "PartialEq");
        } else if line.contains("struct ") || line.contains("enum ") {
            if derived && has_word(line, name) {
                return true;
            }
            derived = false;
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    /// G24: whose equality was derived.
    #[test]
    fn derived_is_by_type() {
        let old = "#[derive(Debug, PartialEq)]\npub struct Letter(char);\n#[derive(Debug)]\nstruct Lot;\n";
        assert!(compares_fields("{ fn eq(&self, other: &Self) -> bool { self.a == other.a } }"));
        assert!(!compares_fields(
            "{ fn eq(&self, other: &Self) -> bool { self.a() == other.a() } }"
        ));
        assert!(was_derived(old, "Letter") && !was_derived(old, "Lot"));
    }
}
