//! The functions of a file, and what each of them calls.

use std::collections::BTreeSet;
use std::ops::{Range, RangeInclusive};

use crate::syntax::{Node, Tree};

/// One function or method.
#[derive(Debug)]
pub(super) struct Function {
    pub(super) name: String,
    /// The class or type that it belongs to.
    pub(super) owner: Option<String>,
    /// Whether nobody has to call it by its name: it makes or writes what it belongs to.
    pub(super) is_implied: bool,
    pub(super) start: usize,
    pub(super) body: Range<usize>,
    pub(super) called: BTreeSet<String>,
    pub(super) mentioned: BTreeSet<String>,
}

/// All functions of a file that have a name.
pub(super) fn all(tree: &Tree<'_>) -> Vec<Function> {
    tree.root().all().filter_map(function).collect()
}

fn function(node: Node<'_>) -> Option<Function> {
    let (name, body) = match node.kind() {
        "function_definition"
        | "function_declaration"
        | "generator_function_declaration"
        | "method_definition"
        | "method_declaration"
        | "function_item" => (node.field("name")?, node.field("body")?),
        "variable_declarator" => (node.field("name")?, body_of(node.field("value")?)?),
        "pair" => (node.field("key")?, body_of(node.field("value")?)?),
        "assignment_expression" => {
            let left = node.field("left")?;
            (left.field("property").unwrap_or(left), body_of(node.field("right")?)?)
        }
        _ => return None,
    };
    // What is known when code is built may end the build.
    let is_constant =
        node.children().any(|one| one.is(&["function_modifiers"]) && one.text().contains("const"));
    if is_constant {
        return None;
    }
    let owner = node.ancestors().find_map(owner);
    let name = name.text().to_owned();
    let is_made = name.starts_with("__") && name.ends_with("__") && name != "__eq__";
    let is_implied = is_made || name == "constructor" || is_of_trait(node) && name != "eq";
    let (called, mentioned) = words(body, None);
    let (start, body) = (node.start(), body.start()..body.end());
    Some(Function { name, owner, is_implied, start, body, called, mentioned })
}

/// The body of a value that is a function.
fn body_of(value: Node<'_>) -> Option<Node<'_>> {
    let kinds = ["arrow_function", "function_expression", "function", "generator_function"];
    value.is(&kinds).then(|| value.field("body")).flatten()
}

fn owner(node: Node<'_>) -> Option<String> {
    let name = match node.kind() {
        "class_definition" | "class_declaration" | "class" => node.field("name")?,
        "impl_item" => node.field("type")?,
        _ => return None,
    };
    Some(name.text().split('<').next().unwrap_or_default().to_owned())
}

/// Whether a method of Rust is one of a trait, which is called in other ways as well.
fn is_of_trait(node: Node<'_>) -> bool {
    let block = node.ancestors().find(|one| one.is(&["impl_item"]));
    block.is_some_and(|block| block.children().any(|child| child.text() == "for"))
}

/// The names that are called in a node, or in some lines of it, and those that are at least mentioned. A
/// type counts as called: what it is asked for may be called by nobody's name.
pub(super) fn words(
    node: Node<'_>,
    lines: Option<&RangeInclusive<u32>>,
) -> (BTreeSet<String>, BTreeSet<String>) {
    const NAMES: &[&str] = &[
        "identifier",
        "property_identifier",
        "field_identifier",
        "type_identifier",
        "shorthand_property_identifier",
    ];
    let (mut called, mut mentioned) = (BTreeSet::new(), BTreeSet::new());
    let is_meant = |one: &Node<'_>| lines.is_none_or(|lines| lines.contains(&one.line()));
    for name in node.all().filter(|one| one.is(NAMES) && is_meant(one)) {
        let is_type = name.is(&["type_identifier"]);
        let next = name.rest().trim_start();
        let is_class = name.text().starts_with(char::is_uppercase) && !next.starts_with(['{', '=']);
        if is_type || is_class || next.starts_with('(') || next.starts_with("::<") {
            called.insert(name.text().to_owned());
        }
        mentioned.insert(name.text().to_owned());
    }
    (called, mentioned)
}
