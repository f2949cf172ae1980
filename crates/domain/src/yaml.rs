//! YAML with the place of every key and value, so that all mistakes of a file are told at once
//! and where they are.
//!
//! Every scalar is the text that was written: `no`, `1e3`, `0o12` and dates are no surprises.
//! Only what is left empty, `~` and `null` are nothing. JSON is YAML, so it is read as well.

mod alias;
mod build;
mod explain;
mod reader;
mod recover;

use std::ops::Range;

use crate::mistake::{Mistake, Place};
pub(crate) use reader::{Reader, join, shown};

/// The largest file that is read.
pub const MAX_BYTES: usize = 1024 * 1024;

/// A value, and where it stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Node {
    pub(crate) value: Value,
    pub(crate) place: Place,
    /// In the file, with quotes.
    pub(crate) bytes: Range<usize>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Value {
    Empty,
    Text {
        text: String,
        style: Style,
    },
    List(Vec<Node>),
    Map(Map),
    /// What was told as a mistake already, and is not to be told again.
    Broken,
}

/// How a text is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Style {
    /// Without quotes, so that ` #` begins a comment.
    Plain,
    Quoted,
    /// On lines of its own, below `|` or `>`.
    Block,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Map {
    pub(crate) entries: Vec<Entry>,
    /// As in `{a: 1}`.
    pub(crate) flow: bool,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Entry {
    pub(crate) key: String,
    pub(crate) key_place: Place,
    pub(crate) key_bytes: Range<usize>,
    pub(crate) node: Node,
}

/// What could be read of a file, and what is wrong with it as YAML.
#[derive(Debug)]
pub(crate) struct Document {
    pub(crate) root: Node,
    pub(crate) mistakes: Vec<Mistake>,
}

/// Reads a file that has one document.
pub(crate) fn read(file: &str, text: &str) -> Document {
    if text.len() > MAX_BYTES {
        let what = format!("the file has {} bytes, and {MAX_BYTES} are allowed", text.len());
        let fix = "move what is large into files of its own and link to them";
        return broken(Mistake::new((file, Place::START), "", what, fix));
    }
    let bom = if text.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 };
    let part = build::Part { file, text: &text[bom..], byte: bom, line: 0, alone: false };
    match build::build(&part) {
        Ok(document) => document,
        Err(mistake) => recover::recover(&part, mistake),
    }
}

fn broken(mistake: Mistake) -> Document {
    let root = Node { value: Value::Broken, place: mistake.place, bytes: 0..0 };
    Document { root, mistakes: vec![mistake] }
}

impl Node {
    /// Whether two nodes say the same, wherever they stand.
    pub(crate) fn same(&self, other: &Self) -> bool {
        match (&self.value, &other.value) {
            (Value::Text { text, .. }, Value::Text { text: other, .. }) => text == other,
            (Value::List(items), Value::List(others)) => {
                items.len() == others.len()
                    && items.iter().zip(others).all(|(item, other)| item.same(other))
            }
            (Value::Map(map), Value::Map(other)) => map.same(other),
            (value, other) => value == other,
        }
    }
}

impl Map {
    /// Whether two maps say the same, wherever they stand.
    pub(crate) fn same(&self, other: &Self) -> bool {
        let pairs = self.entries.iter().zip(&other.entries);
        self.entries.len() == other.entries.len()
            && pairs.into_iter().all(|(one, two)| one.key == two.key && one.node.same(&two.node))
    }
}
