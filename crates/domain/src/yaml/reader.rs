//! From nodes to the types of a file, with every mistake on the way.

use super::{Entry, Map, Node, Style, Value};
use crate::mistake::{Mistake, Place, Placed, Warning, suggestion};

/// How many mistakes of a file are told.
const MAX_TOLD: usize = 100;

/// Reads values and collects what is wrong with them.
#[derive(Debug)]
pub(crate) struct Reader<'a> {
    pub(crate) file: &'a str,
    /// The whole file.
    pub(crate) text: &'a str,
    pub(crate) mistakes: Vec<Mistake>,
    pub(crate) warnings: Vec<Warning>,
}

impl<'a> Reader<'a> {
    pub(crate) fn new(file: &'a str, text: &'a str) -> Self {
        Self { file, text, mistakes: Vec::new(), warnings: Vec::new() }
    }

    pub(crate) fn wrong(
        &mut self,
        (place, key): (Place, &str),
        what: impl Into<String>,
        fix: impl Into<String>,
    ) {
        self.mistakes.push(Mistake::new((self.file, place), key, what, fix));
    }

    pub(crate) fn warn(
        &mut self,
        (place, key): (Place, &str),
        what: impl Into<String>,
        fix: impl Into<String>,
    ) {
        self.warnings.push(Warning::new((self.file, place), key, what, fix));
    }

    /// All mistakes in the order of the file, or the first hundred.
    pub(crate) fn told(self) -> Vec<Mistake> {
        let mut mistakes = self.mistakes;
        mistakes.sort();
        if mistakes.len() > MAX_TOLD {
            let more = mistakes.len() - MAX_TOLD;
            mistakes.truncate(MAX_TOLD + 1);
            if let Some(last) = mistakes.last_mut() {
                last.key = String::new();
                last.what = format!("from here on there are {more} more mistakes");
                last.fix = "put right those above first".to_owned();
            }
        }
        mistakes
    }

    /// The map of a node. What is no map is told.
    pub(crate) fn map<'n>(&mut self, node: &'n Node, key: &str) -> Option<&'n Map> {
        match &node.value {
            Value::Map(map) => return Some(map),
            Value::Broken => {}
            other => {
                let what = format!("it is {}, and must have keys of its own", kind(other));
                self.wrong((node.place, key), what, "write 'key: value' lines below it");
            }
        }
        None
    }

    /// The map of a node that has only `known` keys. Others are told.
    pub(crate) fn known<'n>(
        &mut self,
        node: &'n Node,
        key: &str,
        known: &[&str],
    ) -> Option<&'n Map> {
        let map = self.map(node, key)?;
        for entry in &map.entries {
            if !known.contains(&entry.key.as_str()) {
                let fix = suggestion(&entry.key, known.iter().copied());
                let what = format!("there is no key '{}'", shown(&entry.key));
                self.wrong((entry.key_place, &join(key, &entry.key)), what, fix);
            }
        }
        Some(map)
    }

    /// The items of a list. What is no list is told; nothing is an empty list.
    pub(crate) fn list<'n>(&mut self, node: &'n Node, key: &str) -> &'n [Node] {
        match &node.value {
            Value::List(items) => return items,
            Value::Broken | Value::Empty => {}
            other => {
                let what = format!("it is {}, and must be a list", kind(other));
                self.wrong(
                    (node.place, key),
                    what,
                    "put each item on a line that begins with '- '",
                );
            }
        }
        &[]
    }

    /// A text that says something.
    pub(crate) fn text(&mut self, node: &Node, key: &str) -> Option<Placed> {
        let at = (node.place, key);
        match &node.value {
            Value::Text { text, style } if !text.trim().is_empty() => {
                if *style == Style::Plain {
                    self.check_comment(node, key);
                }
                self.check_letters(text, at);
                return Some(Placed::new(text.clone(), node.place));
            }
            Value::Text { .. } | Value::Empty => self.wrong(at, "it is empty", "write a text"),
            Value::Map(map) if is_sentence(map) => {
                let what = "YAML reads ': ' as the end of a key, so this is no text";
                self.wrong(at, what, "put the whole text in quotes");
            }
            Value::Broken => {}
            other => {
                let what = format!("it is {}, and must be a text", kind(other));
                self.wrong(at, what, "write a text, in quotes if it has special characters");
            }
        }
        None
    }

    /// A text of one line, without spaces around it.
    pub(crate) fn line(&mut self, node: &Node, key: &str) -> Option<Placed> {
        let Placed { value, place } = self.text(node, key)?;
        let value = value.trim();
        if value.contains(['\n', '\r']) {
            self.wrong((place, key), "it has more than one line", "write it on one line");
            return None;
        }
        Some(Placed::new(value.to_owned(), place))
    }

    /// The texts of a list.
    pub(crate) fn texts(&mut self, node: &Node, key: &str) -> Vec<Placed> {
        let items = self.list(node, key).iter().enumerate();
        items.filter_map(|(at, item)| self.text(item, &format!("{key}[{at}]"))).collect()
    }

    /// The texts of one line each of a list.
    pub(crate) fn lines(&mut self, node: &Node, key: &str) -> Vec<Placed> {
        let items = self.list(node, key).iter().enumerate();
        items.filter_map(|(at, item)| self.line(item, &format!("{key}[{at}]"))).collect()
    }

    /// A whole number from `min` to `max`.
    pub(crate) fn number(&mut self, node: &Node, key: &str, (min, max): (u64, u64)) -> Option<u64> {
        let Placed { value, place } = self.line(node, key)?;
        let digits = value.bytes().all(|byte| byte.is_ascii_digit());
        let number = value.parse().ok().filter(|number| digits && (min..=max).contains(number));
        if number.is_none() {
            let what = format!("'{}' is no number from {min} to {max}", shown(&value));
            self.wrong((place, key), what, "write it in digits");
        }
        number
    }

    /// `title: Fix #12` has the title `Fix`: the rest is a comment, which may not be meant.
    fn check_comment(&mut self, node: &Node, key: &str) {
        let rest = self.text.get(node.bytes.end..).unwrap_or_default();
        let rest = rest.split(['\n', '\r']).next().unwrap_or_default();
        let comment = rest.trim_start();
        let glued = comment
            .strip_prefix('#')
            .is_some_and(|text| text.starts_with(|letter: char| letter.is_alphanumeric()));
        if glued && comment.len() < rest.len() {
            let what =
                format!("'{}' is a comment to YAML and not part of the text", shown(comment));
            self.warn((node.place, key), what, "put the text in quotes if it belongs to it");
        }
    }

    /// Characters that show a person something else than what an agent reads.
    fn check_letters(&mut self, text: &str, at: (Place, &str)) {
        let hidden = |letter: &char| {
            letter.is_control() && !matches!(letter, '\n' | '\r' | '\t')
                || matches!(letter, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}')
                || matches!(letter, '\u{2060}'..='\u{206f}' | '\u{feff}')
                || matches!(letter, '\u{e0000}'..='\u{e007f}')
        };
        // Joiners belong to emoji and to several scripts.
        let joiner = |letter: &char| matches!(letter, '\u{200c}' | '\u{200d}');
        if let Some(letter) = text.chars().find(|letter| hidden(letter) && !joiner(letter)) {
            let what = format!("it has the invisible character U+{:04X}", u32::from(letter));
            self.warn(at, what, "take it out: people can't see it, and agents read it");
        }
    }
}

impl Map {
    pub(crate) fn find(&self, key: &str) -> Option<&Entry> {
        self.entries.iter().find(|entry| entry.key == key)
    }

    pub(crate) fn node(&self, key: &str) -> Option<&Node> {
        self.find(key).map(|entry| &entry.node)
    }
}

/// The way to a key below another.
pub(crate) fn join(path: &str, key: &str) -> String {
    let key = shown(key);
    if path.is_empty() { key } else { format!("{path}.{key}") }
}

/// A text from a file, short enough for a message.
pub(crate) fn shown(text: &str) -> String {
    let line = text.split(['\n', '\r']).next().unwrap_or_default();
    if line.chars().count() > 60 || line.len() < text.len() {
        let short: String = line.chars().take(60).collect();
        return format!("{short}…");
    }
    line.to_owned()
}

fn kind(value: &Value) -> &'static str {
    match value {
        Value::Empty => "empty",
        Value::Text { .. } => "a text",
        Value::List(_) => "a list",
        Value::Map(_) => "a map",
        Value::Broken => "broken",
    }
}

/// Whether a map is a text with a colon: `- Given: a user`.
fn is_sentence(map: &Map) -> bool {
    !map.flow
        && matches!(&map.entries[..], [entry] if entry.node.place.line == entry.key_place.line)
}
