//! Syntax trees in one form for all languages, and the only place that knows tree-sitter.
//!
//! A tree is copied into a flat list in the order of the text, so that nothing that walks it needs
//! recursion. Work is counted, not timed: a file that takes too many steps, is too deep or mostly
//! wrong has no tree, and is read as text.

use std::collections::HashMap;
use std::ops::ControlFlow;

use tree_sitter::{ParseOptions, Parser};

use crate::language::Language;

const MAX_BYTES: usize = 500_000;
const MAX_NODES: usize = 400_000;
const MAX_DEPTH: u32 = 500;

/// What is known about one node. Children follow their parent; `end_index` is where they end.
#[derive(Debug, Clone, Copy)]
struct Data {
    /// Which of the tree's names.
    kind: u16,
    field: Option<&'static str>,
    start: u32,
    end: u32,
    line: u32,
    parent: u32,
    end_index: u32,
    named: bool,
}

/// The tree of one text.
#[derive(Debug)]
pub(crate) struct Tree<'s> {
    source: &'s str,
    names: Vec<String>,
    nodes: Vec<Data>,
}

/// One node of a tree.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Node<'t> {
    tree: &'t Tree<'t>,
    index: u32,
}

impl<'s> Tree<'s> {
    /// The tree of a text, if it has one within bounds.
    pub(crate) fn parse(language: Language, source: &'s str) -> Option<Self> {
        if source.len() > MAX_BYTES || too_deep(source) {
            return None;
        }
        let grammar = match language {
            Language::Python => tree_sitter_python::LANGUAGE,
            Language::JavaScript => tree_sitter_javascript::LANGUAGE,
            Language::TypeScript => tree_sitter_typescript::LANGUAGE_TYPESCRIPT,
            Language::Tsx => tree_sitter_typescript::LANGUAGE_TSX,
            Language::Rust => tree_sitter_rust::LANGUAGE,
            Language::Go => tree_sitter_go::LANGUAGE,
            _ => return None,
        };
        let mut parser = Parser::new();
        parser.set_language(&grammar.into()).ok()?;
        // One step is a hundred operations of the parser. Honest files take one for every hundred
        // bytes; files that are made to be hard take more.
        let mut steps = 200 + source.len() / 25;
        let mut count = |_: &tree_sitter::ParseState| {
            steps = steps.saturating_sub(1);
            if steps == 0 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        };
        let options = ParseOptions::new().progress_callback(&mut count);
        let bytes = source.as_bytes();
        let mut read = |at: usize, _| bytes.get(at..).unwrap_or(&[]);
        let parsed = parser.parse_with_options(&mut read, None, Some(options))?;
        let (names, nodes) = flatten(&parsed)?;
        let wrong: u32 = nodes
            .iter()
            .filter(|node| names[node.kind as usize] == "ERROR")
            .map(|node| node.end - node.start)
            .fold(0, u32::saturating_add);
        (wrong as usize <= source.len() / 3).then_some(Self { source, names, nodes })
    }

    pub(crate) fn root(&self) -> Node<'_> {
        Node { tree: self, index: 0 }
    }
}

/// Brackets that open and never close cost a parser more than they are worth.
fn too_deep(source: &str) -> bool {
    let mut depth = 0_u32;
    source.bytes().any(|byte| {
        match byte {
            b'(' | b'[' | b'{' => depth += 1,
            b')' | b']' | b'}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        depth > MAX_DEPTH
    })
}

/// Fields that anybody asks for.
const FIELDS: &[&str] = &[
    "name",
    "body",
    "left",
    "right",
    "condition",
    "consequence",
    "alternative",
    "function",
    "arguments",
    "superclasses",
    "key",
    "value",
    "property",
    "object",
    "handler",
    "macro",
    "pattern",
    "parameters",
    "receiver",
    "type",
    "trait",
    "field",
    "operator",
    "subject",
];

fn known(field: &str) -> Option<&'static str> {
    FIELDS.iter().find(|known| **known == field).copied()
}

fn flatten(parsed: &tree_sitter::Tree) -> Option<(Vec<String>, Vec<Data>)> {
    let mut names: Vec<String> = Vec::new();
    let mut known_names: HashMap<u16, u16> = HashMap::new();
    let mut nodes: Vec<Data> = Vec::new();
    let mut open: Vec<u32> = Vec::new();
    let mut cursor = parsed.walk();
    loop {
        let node = cursor.node();
        let index = u32::try_from(nodes.len()).ok()?;
        let kind = *known_names.entry(node.kind_id()).or_insert_with(|| {
            names.push(node.kind().to_owned());
            u16::try_from(names.len() - 1).unwrap_or(0)
        });
        nodes.push(Data {
            kind,
            field: cursor.field_name().and_then(known),
            start: u32::try_from(node.start_byte()).ok()?,
            end: u32::try_from(node.end_byte()).ok()?,
            line: u32::try_from(node.start_position().row).ok()? + 1,
            parent: open.last().copied().unwrap_or(u32::MAX),
            end_index: index + 1,
            named: node.is_named(),
        });
        if nodes.len() > MAX_NODES || cursor.depth() > MAX_DEPTH {
            return None;
        }
        if cursor.goto_first_child() {
            open.push(index);
            continue;
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                return Some((names, nodes));
            }
            let done = open.pop()?;
            let end = u32::try_from(nodes.len()).ok()?;
            nodes[done as usize].end_index = end;
        }
    }
}

impl<'t> Node<'t> {
    fn data(self) -> &'t Data {
        &self.tree.nodes[self.index as usize]
    }

    pub(crate) fn kind(self) -> &'t str {
        &self.tree.names[self.data().kind as usize]
    }

    pub(crate) fn is(self, kinds: &[&str]) -> bool {
        kinds.contains(&self.kind())
    }

    pub(crate) fn text(self) -> &'t str {
        let data = self.data();
        self.tree.source.get(data.start as usize..data.end as usize).unwrap_or("")
    }

    /// What follows it in the text.
    pub(crate) fn rest(self) -> &'t str {
        self.tree.source.get(self.end()..).unwrap_or("")
    }

    /// Counted from one.
    pub(crate) fn line(self) -> u32 {
        self.data().line
    }

    pub(crate) fn last_line(self) -> u32 {
        let breaks = self.text().bytes().filter(|byte| *byte == b'\n').count();
        self.line() + u32::try_from(breaks).unwrap_or(0)
    }

    pub(crate) fn start(self) -> usize {
        self.data().start as usize
    }

    pub(crate) fn end(self) -> usize {
        self.data().end as usize
    }

    pub(crate) fn parent(self) -> Option<Self> {
        let parent = self.data().parent;
        (parent != u32::MAX).then_some(Self { tree: self.tree, index: parent })
    }

    pub(crate) fn ancestors(self) -> impl Iterator<Item = Node<'t>> {
        std::iter::successors(self.parent(), |node| node.parent())
    }

    /// Itself and all that is in it, in the order of the text.
    pub(crate) fn all(self) -> impl Iterator<Item = Node<'t>> {
        let tree = self.tree;
        (self.index..self.data().end_index).map(move |index| Node { tree, index })
    }

    /// Every child, signs included.
    pub(crate) fn children(self) -> impl Iterator<Item = Node<'t>> {
        let end = self.data().end_index;
        let tree = self.tree;
        let first = (self.index + 1 < end).then_some(self.index + 1);
        std::iter::successors(first, move |index| {
            let next = tree.nodes[*index as usize].end_index;
            (next < end).then_some(next)
        })
        .map(move |index| Node { tree, index })
    }

    /// Children that mean something; comments don't.
    pub(crate) fn named(self) -> impl Iterator<Item = Node<'t>> {
        self.children().filter(|child| {
            child.data().named && !child.is(&["comment", "line_comment", "block_comment"])
        })
    }

    pub(crate) fn field(self, name: &str) -> Option<Self> {
        debug_assert!(FIELDS.contains(&name), "the field {name} is not kept");
        self.children().find(|child| child.data().field == Some(name))
    }

    pub(crate) fn same(self, other: Self) -> bool {
        self.index == other.index
    }

    /// Whether `other` is this node or in it.
    pub(crate) fn holds(self, other: Self) -> bool {
        (self.index..self.data().end_index).contains(&other.index)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn trees_are_walked_in_the_order_of_the_text() {
        let tree = Tree::parse(Language::Python, "def f(a):\n    return a + 1\n").unwrap();
        let function = tree.root().named().next().unwrap();
        assert_eq!(function.kind(), "function_definition");
        assert_eq!(function.field("name").unwrap().text(), "f");
        let kinds: Vec<&str> = function.field("body").unwrap().named().map(Node::kind).collect();
        assert_eq!(kinds, ["return_statement"]);
        let number = tree.root().all().find(|node| node.kind() == "integer").unwrap();
        assert_eq!((number.text(), number.line()), ("1", 2));
        assert!(number.ancestors().any(|node| node.same(function)));
    }

    #[test]
    fn what_is_out_of_bounds_has_no_tree() {
        for language in [Language::Python, Language::JavaScript, Language::Rust, Language::Go] {
            assert!(Tree::parse(language, &"(".repeat(5_000)).is_none(), "{language:?}");
            assert!(Tree::parse(language, &"x".repeat(1_000_000)).is_none(), "{language:?}");
        }
        assert!(Tree::parse(Language::Java, "class A {}").is_none());
    }
}
