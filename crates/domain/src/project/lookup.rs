//! Reading what was parsed, by ways of keys.

use crate::yaml::{Node, Value};

/// Reading what was parsed.
pub(super) trait Lookup {
    /// The node at the end of a way of keys.
    fn at(&self, way: &[&str]) -> Option<&Node>;
    /// The text of a scalar.
    fn as_text(&self) -> Option<&str>;
    /// The items of a list that are texts.
    fn as_texts(&self) -> Vec<(&str, usize)>;
    /// The entries of a map: key, line of the key, value.
    fn as_entries(&self) -> Vec<(&str, usize, &Node)>;
}

impl Lookup for Node {
    fn at(&self, way: &[&str]) -> Option<&Node> {
        way.iter().try_fold(self, |node, key| match &node.value {
            Value::Map(map) => map.node(key),
            _ => None,
        })
    }

    fn as_text(&self) -> Option<&str> {
        match &self.value {
            Value::Text { text, .. } => Some(text),
            _ => None,
        }
    }

    fn as_texts(&self) -> Vec<(&str, usize)> {
        match &self.value {
            Value::List(items) => {
                items.iter().filter_map(|item| Some((item.as_text()?, item.place.line))).collect()
            }
            _ => Vec::new(),
        }
    }

    fn as_entries(&self) -> Vec<(&str, usize, &Node)> {
        match &self.value {
            Value::Map(map) => map
                .entries
                .iter()
                .map(|entry| (entry.key.as_str(), entry.key_place.line, &entry.node))
                .collect(),
            _ => Vec::new(),
        }
    }
}
