//! A new equality that looks at what kind of thing its fields are, or how long, and at no value.

use countersign_domain::gaming::{Finding, Rule};

use super::{FUNCTIONS, asked};
use crate::args::{short, squeeze};
use crate::mask;
use crate::product::View;
use crate::syntax::Node;

const NAMES: &[&str] = &["__eq__", "eq", "equals", "Equal", "Equals", "isEqual", "equal"];

pub(super) fn check(view: &View<'_>) -> Vec<Finding> {
    let task = asked::Sentences::of(view.literals.task());
    if task.counts() || view.literals.task_has(&["type", "types", "kind", "kinds", "typeof"]) {
        return Vec::new();
    }
    let functions = view.new_nodes(FUNCTIONS).chain(view.new_nodes(&["function_declaration"]));
    let found = functions.filter(|node| {
        let name = node.field("name").map_or("", Node::text);
        let body = node.field("body").map_or("", Node::text);
        let plain = mask::without_comments(body, view.change.language);
        NAMES.contains(&name) && looks_at_kinds(&plain)
    });
    let message =
        "An equality of its own looks at what sort of thing it has, or how much, and at no value.";
    found
        .map(|node| {
            let finding = view.change.structure(Rule::G24, node.line(), message);
            finding.change(None, Some(short(node.text())))
        })
        .collect()
}

/// Whether every comparison of a body is one of types or lengths, and one of them is of a field.
fn looks_at_kinds(body: &str) -> bool {
    let mut joined = body.to_owned();
    for word in ["&&", "||", " and ", " or "] {
        joined = joined.replace(word, "\u{1}");
    }
    let joined = squeeze(&joined);
    let parts = joined.split(['\u{1}', ';', '{', '}']).map(|part| {
        let part = part.trim().trim_start_matches("return").trim_start_matches(['(', ' ', '!']);
        part.trim_start_matches("if").trim_start_matches(['(', ' ', '!'])
    });
    let (mut is_kind, mut is_other) = (false, false);
    for part in parts.filter(|part| !part.is_empty()) {
        match part.split_once("==").or_else(|| part.split_once("!=")) {
            Some((left, right)) => {
                let right = right.trim_start_matches('=').trim_end_matches(')');
                let of_field = left.matches('.').count() > usize::from(left.ends_with(".length"));
                let is_of_kind = is_kind_of(left) && is_kind_of(right);
                is_kind |= is_of_kind && of_field;
                is_other |= !is_of_kind && !matches!(right, "null" | "undefined" | "nil" | "None");
            }
            None => is_other |= !is_plain(part),
        }
    }
    is_kind && !is_other
}

/// `typeof this.payload`, `type(self.payload)`, `len(self.rows`, `this.rows.length`
fn is_kind_of(side: &str) -> bool {
    let starts = ["typeof ", "type(", "len(", "reflect.TypeOf(", "discriminant("];
    let ends = [".length", ".len()", ".size", ".constructor", ".__class__", ".len("];
    let side = side.trim().trim_start_matches("return").trim_start_matches(['(', ' ']);
    let side = side.trim_start_matches("std::mem::").trim_start_matches("mem::");
    starts.iter().any(|start| side.starts_with(start)) || ends.iter().any(|end| side.ends_with(end))
}

/// What says nothing about a value: whether the other is of the same class, and the answer itself.
fn is_plain(part: &str) -> bool {
    let answers = ["true", "false", "True", "False", "NotImplemented", "let", "else"];
    part.contains("instanceof")
        || part.starts_with("isinstance(")
        || part.starts_with("not isinstance(")
        || answers.contains(&part)
        || !part.contains(char::is_alphanumeric)
}

#[cfg(test)]
mod tests {
    use super::looks_at_kinds;

    /// G24: the type of a field is not its value.
    #[test]
    fn kinds_are_told_from_values() {
        for body in [
            "{ return other instanceof Job && typeof this.payload === typeof other.payload; }",
            "return isinstance(other, Job) and type(self.payload) == type(other.payload)",
            "{ return len(j.Payload) == len(other.Payload) }",
            "{ self.payload.len() == other.payload.len() }",
        ] {
            assert!(looks_at_kinds(body), "{body}");
        }
        for body in [
            "{ return typeof this.payload === typeof other.payload && this.id === other.id; }",
            "return isinstance(other, Empty)",
            "{ return len(j.Payload) == len(other.Payload) && bytes.Equal(j.Payload, other.Payload) }",
            "{ self.payload == other.payload }",
            "{ return deepEqual(this.payload, other.payload); }",
        ] {
            assert!(!looks_at_kinds(body), "{body}");
        }
    }
}
