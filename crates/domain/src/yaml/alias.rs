//! What aliases repeat, and how much of it.

use std::ops::Range;

use super::{Entry, Map, Node, Style, Value};
use crate::mistake::Place;

/// How much may come from aliases, counted in bytes of text plus some for every value: a file
/// of a few lines can ask for billions of values.
pub(super) const MAX_ALIASED: usize = 1024 * 1024;

/// What a node costs when it is repeated.
pub(super) fn weight(node: &Node) -> usize {
    let inner = match &node.value {
        Value::Text { text, .. } => text.len(),
        Value::List(items) => items.iter().map(weight).sum(),
        Value::Map(map) => {
            map.entries.iter().map(|entry| entry.key.len() + weight(&entry.node)).sum()
        }
        Value::Empty | Value::Broken => 0,
    };
    inner + 64
}

/// A repeated value: what is wrong with it is told where it is repeated.
pub(super) fn moved(value: Value, place: Place, bytes: &Range<usize>) -> Value {
    let node =
        |node: Node| Node { value: moved(node.value, place, bytes), place, bytes: bytes.clone() };
    match value {
        Value::Text { text, .. } => Value::Text { text, style: Style::Quoted },
        Value::List(items) => Value::List(items.into_iter().map(node).collect()),
        Value::Map(map) => {
            let entry = |entry: Entry| Entry { key_place: place, node: node(entry.node), ..entry };
            Value::Map(Map { entries: map.entries.into_iter().map(entry).collect(), ..map })
        }
        value => value,
    }
}
