//! From the events of the parser to nodes.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry as Slot;
use std::ops::Range;

use granit_parser::{Event, Marker, Parser, ScalarStyle, Span, StructureStyle, Tag};

use super::alias::{MAX_ALIASED, moved, weight};
use super::{Document, Entry, Map, Node, Style, Value, explain, shown};
use crate::mistake::{Mistake, Place};

/// How deep values may be nested; nothing that we read has more than five levels.
const MAX_DEPTH: usize = 32;

/// How many values a file may have.
const MAX_NODES: usize = 50_000;

/// A file, or a part of it that is read on its own.
pub(super) struct Part<'a> {
    pub(super) file: &'a str,
    pub(super) text: &'a str,
    /// How many bytes and lines of the file come before it.
    pub(super) byte: usize,
    pub(super) line: usize,
    /// Whether other parts may have the anchors that aliases refer to.
    pub(super) alone: bool,
}

impl Part<'_> {
    pub(super) fn place(&self, mark: &Marker) -> Place {
        Place { line: mark.line().max(1) + self.line, column: mark.col() + 1 }
    }

    fn bytes(&self, span: &Span) -> Range<usize> {
        let range = span.byte_range().unwrap_or_default();
        range.start + self.byte..range.end + self.byte
    }
}

/// All of a part, or why it is no YAML.
pub(super) fn build(part: &Part<'_>) -> Result<Document, Mistake> {
    let options = granit_parser::options! {
        flow_nesting_limit: MAX_DEPTH,
        block_nesting_limit: MAX_DEPTH,
        emit_unresolved_aliases: true,
        emit_comments: false,
    };
    let mut builder = Builder::new(part);
    for next in Parser::new_from_str_with_options(part.text, options) {
        let (event, span) = next.map_err(|error| explain::explain(part, &error))?;
        if !builder.take(event, &span) {
            break;
        }
    }
    Ok(builder.finish())
}

/// A collection that is not at its end yet.
struct Open {
    node: Node,
    anchor: usize,
    /// The keys of a map.
    seen: BTreeMap<String, Place>,
    /// The key that waits for its value; `None` when a key is next.
    key: Option<(String, Place, Range<usize>)>,
    /// A key that can't be used: its value is left out.
    skip: bool,
}

impl Open {
    const fn new(value: Value, place: Place, bytes: Range<usize>, anchor: usize) -> Self {
        let node = Node { value, place, bytes };
        Self { node, anchor, seen: BTreeMap::new(), key: None, skip: false }
    }
}

struct Builder<'a> {
    part: &'a Part<'a>,
    open: Vec<Open>,
    root: Option<Node>,
    documents: usize,
    nodes: usize,
    /// What aliases stand for; nothing where that is too much.
    anchors: BTreeMap<usize, Option<Node>>,
    aliased: usize,
    mistakes: Vec<Mistake>,
}

impl<'a> Builder<'a> {
    fn new(part: &'a Part<'a>) -> Self {
        Self {
            part,
            open: Vec::new(),
            root: None,
            documents: 0,
            nodes: 0,
            anchors: BTreeMap::new(),
            aliased: 0,
            mistakes: Vec::new(),
        }
    }

    fn tell(&mut self, place: Place, what: impl Into<String>, fix: &str) {
        let key = self.path();
        self.mistakes.push(Mistake::new((self.part.file, place), key, what, fix));
    }

    /// The way to what is read now.
    fn path(&self) -> String {
        let mut path = String::new();
        for open in &self.open {
            match (&open.node.value, &open.key) {
                (Value::List(items), _) => path.push_str(&format!("[{}]", items.len())),
                (_, Some((key, ..))) if path.is_empty() => path.push_str(&shown(key)),
                (_, Some((key, ..))) => path.push_str(&format!(".{}", shown(key))),
                (_, None) => {}
            }
        }
        path
    }

    /// Takes one event in; `false` when the rest is of no interest.
    fn take(&mut self, event: Event<'_>, span: &Span) -> bool {
        let place = self.part.place(&span.start);
        let bytes = self.part.bytes(span);
        self.nodes += 1;
        if self.nodes == MAX_NODES {
            let what = "the file has more values than any task needs";
            self.tell(place, what, "move what is large into files of its own and link to them");
            return false;
        }
        match event {
            Event::DocumentStart(..) => {
                self.documents += 1;
                if self.documents > 1 {
                    let fix = "keep one document; give the other a file of its own";
                    self.tell(place, "a second document begins here", fix);
                    return false;
                }
            }
            Event::Alias(anchor) => self.alias(anchor, place, bytes),
            Event::UnresolvedAlias(name) => {
                if !self.part.alone {
                    let what = format!("'*{name}' refers to '&{name}', which is not there");
                    self.tell(place, what, "put it in quotes, if it is a text");
                }
                self.close(Node { value: Value::Broken, place, bytes }, 0);
            }
            Event::Scalar(text, style, anchor, tag) => {
                self.check_tag(tag.as_deref(), span);
                let value = scalar(text.into_owned(), style, tag.is_some());
                self.close(Node { value, place, bytes }, anchor);
            }
            Event::SequenceStart(_, anchor, tag) => {
                self.check_tag(tag.as_deref(), span);
                self.open.push(Open::new(Value::List(Vec::new()), place, bytes, anchor));
            }
            Event::MappingStart(style, anchor, tag) => {
                self.check_tag(tag.as_deref(), span);
                let flow = style == StructureStyle::Flow;
                let value = Value::Map(Map { entries: Vec::new(), flow });
                self.open.push(Open::new(value, place, bytes, anchor));
            }
            Event::SequenceEnd | Event::MappingEnd => {
                if let Some(mut open) = self.open.pop() {
                    open.node.bytes.end = bytes.end;
                    self.close(open.node, open.anchor);
                }
            }
            _ => {}
        }
        true
    }

    fn check_tag(&mut self, tag: Option<&Tag>, span: &Span) {
        if let Some(tag) = tag.filter(|tag| tag.core_suffix().is_none()) {
            let place = self.part.place(&span.tag_start().unwrap_or(span.start));
            let what = format!("'{}' is a tag, and tags mean nothing here", tag.original());
            self.tell(place, what, "leave it out, or put the text in quotes");
        }
    }

    fn alias(&mut self, anchor: usize, place: Place, bytes: Range<usize>) {
        let value = match self.anchors.get(&anchor).cloned() {
            None => {
                self.tell(place, "it refers to what it is a part of", "write the value out");
                Value::Broken
            }
            Some(Some(node)) if self.affords(&node) => moved(node.value, place, &bytes),
            Some(_) => {
                let what = "it stands for more than aliases may in one file";
                self.tell(place, what, "write the value out");
                Value::Broken
            }
        };
        self.close(Node { value, place, bytes }, 0);
    }

    /// Whether a node may be repeated once more.
    fn affords(&mut self, node: &Node) -> bool {
        self.aliased = self.aliased.saturating_add(weight(node));
        self.aliased <= MAX_ALIASED
    }

    /// Puts a node that is complete where it belongs.
    fn close(&mut self, node: Node, anchor: usize) {
        if anchor != 0 {
            let kept = self.affords(&node).then(|| node.clone());
            self.anchors.insert(anchor, kept);
        }
        let Some(open) = self.open.last_mut() else {
            self.root = Some(node);
            return;
        };
        match &mut open.node.value {
            Value::List(items) => items.push(node),
            Value::Map(map) => match open.key.take() {
                None => self.key(node),
                Some((key, key_place, key_bytes)) => {
                    if !std::mem::take(&mut open.skip) {
                        map.entries.push(Entry { key, key_place, key_bytes, node });
                    }
                }
            },
            _ => {}
        }
    }

    /// Takes a node as the key of the innermost map.
    fn key(&mut self, node: Node) {
        let key = match node.value {
            Value::Text { text, .. } => Some(text),
            Value::Empty => Some(String::new()),
            _ => None,
        };
        let (place, bytes) = (node.place, node.bytes);
        let name = key.clone().unwrap_or_default();
        let seen = self.open.last_mut().map(|open| &mut open.seen);
        let first = seen.and_then(|seen| match seen.entry(name) {
            Slot::Occupied(first) => Some(*first.get()),
            Slot::Vacant(slot) => {
                slot.insert(place);
                None
            }
        });
        let mut skip = true;
        if let Some(open) = self.open.last_mut() {
            open.key = Some((key.clone().unwrap_or_default(), place, bytes));
        }
        match (&key, first) {
            (None, _) => self.tell(place, "a key must be a text", "put it in quotes"),
            (Some(_), Some(first)) => {
                let what = format!("it is here twice; it was in line {} first", first.line);
                self.tell(place, what, "keep one of the two");
            }
            (Some(key), None) if key == "<<" => {
                self.tell(place, "this merges, and merging means nothing here", "write it out");
            }
            _ => skip = false,
        }
        if let Some(open) = self.open.last_mut() {
            open.skip = skip;
        }
    }

    fn finish(self) -> Document {
        let nothing = Node { value: Value::Empty, place: Place::START, bytes: 0..0 };
        Document { root: self.root.unwrap_or(nothing), mistakes: self.mistakes }
    }
}

fn scalar(text: String, style: ScalarStyle, tagged: bool) -> Value {
    let style = match style {
        ScalarStyle::Plain => Style::Plain,
        ScalarStyle::SingleQuoted | ScalarStyle::DoubleQuoted => Style::Quoted,
        ScalarStyle::Literal | ScalarStyle::Folded => Style::Block,
    };
    match text.as_str() {
        "" | "~" | "null" | "Null" | "NULL" if style == Style::Plain && !tagged => Value::Empty,
        _ => Value::Text { text, style },
    }
}
