//! TOML as the nodes that YAML and JSON are read into, so that one way of looking serves all.

use std::ops::Range;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use crate::mistake::{Mistake, Place};
use crate::yaml::{Entry, Map, Node, Style, Value};

/// Up to here a column counts characters.
const MAX_COLUMN: usize = 1_000;

/// How many mistakes of a file are told.
const MAX_MISTAKES: usize = 20;

/// What could be read of a file, and what is wrong with it.
pub(super) fn read(file: &str, text: &str) -> (Node, Vec<Mistake>) {
    let (table, errors) = DeTable::parse_recoverable(text);
    let lines = Lines::of(text);
    let mistakes = errors
        .iter()
        .take(MAX_MISTAKES)
        .map(|error| {
            let place = lines.place(error.span().map_or(0, |span| span.start));
            let what = error.message().lines().next().unwrap_or("it is no TOML").to_owned();
            Mistake::new((file, place), "", what, "put it right; the rest of the file is used")
        })
        .collect();
    let bytes = table.span();
    (lines.map(table.get_ref(), bytes), mistakes)
}

/// Where the lines of a text begin.
struct Lines<'a> {
    text: &'a str,
    starts: Vec<usize>,
}

impl<'a> Lines<'a> {
    fn of(text: &'a str) -> Self {
        let starts = std::iter::once(0).chain(text.match_indices('\n').map(|(at, _)| at + 1));
        Self { text, starts: starts.collect() }
    }

    fn place(&self, byte: usize) -> Place {
        let line = self.starts.partition_point(|start| *start <= byte);
        let start = self.starts.get(line.saturating_sub(1)).copied().unwrap_or(0);
        let before = self.text.get(start..byte).unwrap_or_default();
        // Nobody looks for a column so far to the right, and counting takes its time.
        let far = before.len() > MAX_COLUMN;
        let column = if far { before.len() } else { before.chars().count() };
        Place { line: line.max(1), column: column + 1 }
    }

    fn map(&self, table: &DeTable<'_>, bytes: Range<usize>) -> Node {
        let mut entries: Vec<Entry> = table
            .iter()
            .map(|(key, value)| Entry {
                key: key.get_ref().to_string(),
                key_place: self.place(key.span().start),
                key_bytes: key.span(),
                node: self.node(value),
            })
            .collect();
        entries.sort_by_key(|entry| entry.key_bytes.start);
        let place = self.place(bytes.start);
        Node { value: Value::Map(Map { entries, flow: false }), place, bytes }
    }

    fn node(&self, value: &Spanned<DeValue<'_>>) -> Node {
        let bytes = value.span();
        let place = self.place(bytes.start);
        let text = |text: &str| Value::Text { text: text.to_owned(), style: Style::Quoted };
        let value = match value.get_ref() {
            DeValue::String(string) => text(string),
            DeValue::Integer(number) => text(&number.to_string()),
            DeValue::Float(number) => text(&number.to_string()),
            DeValue::Boolean(yes) => text(if *yes { "true" } else { "false" }),
            DeValue::Datetime(time) => text(&time.to_string()),
            DeValue::Array(items) => {
                Value::List(items.iter().map(|item| self.node(item)).collect())
            }
            DeValue::Table(table) => return self.map(table, bytes),
        };
        Node { value, place, bytes }
    }
}
