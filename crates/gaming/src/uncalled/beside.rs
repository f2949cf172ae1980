//! Files that only got functions of their own, beside what was there.

use std::collections::{BTreeMap, BTreeSet};

use crate::args::{find_word, has_word, squeeze};
use crate::detect::Change;
use crate::mask;
use crate::product::FUNCTIONS;
use crate::syntax::{Node, Tree};

/// Lines that bring names in or give them out, and do nothing.
const HARMLESS: &[&str] = &[
    "import_declaration",
    "import_statement",
    "import_from_statement",
    "use_declaration",
    "comment",
    "line_comment",
    "block_comment",
    "package_clause",
    "export_clause",
    "attribute_item",
];
/// What holds functions.
const HOLDERS: &[&str] = &[
    "class_definition",
    "class_declaration",
    "impl_item",
    "class_body",
    "block",
    "declaration_list",
    "export_statement",
    "mod_item",
];
/// Names by which a language or its library calls a function itself.
const CALLED: &[&str] = &[
    "init",
    "main",
    "String",
    "Error",
    "Unwrap",
    "Is",
    "As",
    "Len",
    "Less",
    "Swap",
    "ServeHTTP",
    "RoundTrip",
    "Read",
    "Write",
    "Close",
    "Format",
    "Scan",
    "constructor",
    "toString",
    "toJSON",
    "valueOf",
    "handle",
    "setup",
];

/// The functions of a text with what they do.
pub(super) fn functions(change: &Change<'_>, text: &str) -> BTreeMap<String, String> {
    let mut found: BTreeMap<String, String> = BTreeMap::new();
    let Some(tree) = Tree::parse(change.language, text) else { return found };
    for node in tree.root().all().filter(|node| node.is(FUNCTIONS)) {
        if let Some(name) = node.field("name").map(Node::text) {
            let plain = squeeze(&mask::without_comments(node.text(), change.language));
            found.entry(name.to_owned()).or_default().push_str(&plain);
        }
    }
    found
}

/// The new functions of a file, if nothing else in it can change what was there.
pub(super) fn new_functions(change: &Change<'_>) -> Option<Vec<(u32, String)>> {
    let (old, new) = (functions(change, change.old()), functions(change, change.current()));
    let is_same = old.iter().all(|(name, text)| new.get(name) == Some(text));
    let tree = Tree::parse(change.language, change.current())?;
    let lines = change.lines();
    let mut found = Vec::new();
    let mut covered: BTreeSet<u32> = BTreeSet::new();
    for item in items(tree.root(), &|node| !lines.is_added(node.line())) {
        let first = item.line();
        if item.is(HARMLESS) || is_export(item) {
            covered.extend(first..=item.last_line());
            continue;
        }
        if !lines.is_added(first) || change.is_test_at(item.start()) {
            covered.extend(
                change
                    .is_test_at(item.start())
                    .then_some(first..=item.last_line())
                    .into_iter()
                    .flatten(),
            );
            continue;
        }
        if is_bound(item) {
            return None;
        }
        let functions = item.all().filter(|node| node.is(FUNCTIONS));
        let own: Vec<&str> =
            functions.filter_map(|node| node.field("name")).map(Node::text).collect();
        if own.iter().any(|name| CALLED.contains(name) || name.starts_with("__")) {
            return None;
        }
        // What has a name that nobody knows is nobody's.
        let name = declared(item)?;
        if has_word(&mask::code(change.old(), change.language), name) {
            return None;
        }
        found.extend(own.first().map(|name| (first, (*name).to_owned())));
        covered.extend(first..=item.last_line());
    }
    let plain = mask::code(change.current(), change.language);
    // Which one of many brackets is the new one nobody knows.
    let is_bracket = |number: u32| {
        let line = plain.lines().nth((number as usize).saturating_sub(1)).unwrap_or("");
        line.trim().chars().all(|letter| "}])({[;,".contains(letter))
    };
    let all = lines.added.iter().all(|(number, _)| covered.contains(number) || is_bracket(*number));
    (is_same && all && is_used_only_by_new(&found, &old)).then_some(found)
}

/// Whether none of the old functions names a new one. It may have waited for it.
fn is_used_only_by_new(new: &[(u32, String)], old: &BTreeMap<String, String>) -> bool {
    !new.iter().any(|(_, name)| old.values().any(|body| find_word(body, name).is_some()))
}

/// What a file is made of: functions, types and values, those of an old class one by one.
fn items<'t>(root: Node<'t>, is_old: &dyn Fn(Node<'t>) -> bool) -> Vec<Node<'t>> {
    let mut found = Vec::new();
    let mut open: Vec<Node<'t>> = root.named().collect();
    while let Some(node) = open.pop() {
        if node.is(HOLDERS) && is_old(node) {
            open.extend(node.named());
        } else {
            found.push(node);
        }
    }
    found
}

/// `module.exports = { … }`, `__all__ = […]`, `export { … }`.
fn is_export(item: Node<'_>) -> bool {
    let text = item.text().trim_start();
    let starts = [
        "module.exports",
        "exports.",
        "__all__",
        "export {",
        "export{",
        "pub use ",
        "mod ",
        "pub mod ",
    ];
    starts.iter().any(|word| text.starts_with(word)) && !text.contains("=>")
}

/// Whether others decide when something is called: a parent, a trait, a decorator.
fn is_bound(item: Node<'_>) -> bool {
    let head = |node: Node<'_>| squeeze(node.text().split(['{', '\n']).next().unwrap_or(""));
    item.is(&["decorated_definition"])
        || std::iter::once(item).chain(item.ancestors()).chain(item.all()).any(|node| {
            node.is(&["impl_item"]) && has_word(&head(node), "for")
                || node.is(&["class_definition"]) && node.field("superclasses").is_some()
                || node.is(&["class_declaration"])
                    && (has_word(&head(node), "extends") || has_word(&head(node), "implements"))
        })
}

/// The name that an item brings in.
fn declared(item: Node<'_>) -> Option<&str> {
    let kinds = ["expression_statement", "if_statement", "for_statement", "macro_invocation"];
    let assigned =
        item.all().find(|node| node.is(&["assignment"])).and_then(|node| node.field("left"));
    if item.is(&kinds) {
        return assigned.filter(|left| left.is(&["identifier"])).map(Node::text);
    }
    let named = item.all().find_map(|node| node.field("name").or_else(|| node.field("type")));
    named.map(Node::text)
}
