//! Macros: names for globs that many tasks need.

use std::collections::{BTreeMap, BTreeSet};

use super::entry::{Entry, of_macro};
use crate::mistake::{Mistake, Placed, suggestion};
use crate::yaml::{self, Reader, Value};

/// How many names and entries a file of macros may have.
const MAX_MACROS: usize = 2_000;

/// What macros stand for, from a file in YAML or JSON: names with an entry or a list of them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Globs {
    /// The file it was read from, as the caller named it.
    pub file: String,
    macros: BTreeMap<String, Vec<Placed<Entry>>>,
}

impl Globs {
    /// No macros, for projects that have none.
    pub fn none() -> Self {
        Self { file: String::new(), macros: BTreeMap::new() }
    }

    /// Reads a file of macros. `name` is what the file is called in messages.
    pub fn parse(text: &str, name: &str) -> Result<Self, Vec<Mistake>> {
        let document = yaml::read(name, text);
        let mut reader = Reader::new(name, text);
        reader.mistakes = document.mistakes;
        let mut globs = Self { file: name.to_owned(), macros: BTreeMap::new() };
        if document.root.value != Value::Empty
            && let Some(map) = reader.map(&document.root, "")
        {
            for entry in &map.entries {
                globs.read(&mut reader, entry);
            }
        }
        let total: usize = globs.macros.values().map(Vec::len).sum();
        if globs.macros.len() + total > MAX_MACROS {
            let what = format!("it has more than {MAX_MACROS} names and entries");
            reader.wrong((document.root.place, ""), what, "name folders, and not files");
        } else if reader.mistakes.is_empty() {
            globs.check(&mut reader);
        }
        if reader.mistakes.is_empty() { Ok(globs) } else { Err(reader.told()) }
    }

    /// The names of all macros, without the colon.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.macros.keys().map(String::as_str)
    }

    fn read(&mut self, reader: &mut Reader<'_>, entry: &yaml::Entry) {
        let name = entry.key.trim_start_matches(':');
        let key = yaml::shown(&entry.key);
        let named = |letter: char| letter.is_alphanumeric() || "-_./".contains(letter);
        if name.is_empty() || !name.chars().all(named) {
            let what = format!("'{key}' can't be the name of a macro");
            reader.wrong(
                (entry.key_place, &key),
                what,
                "use letters, digits, '-', '_', '.' and '/'",
            );
        }
        let texts = match &entry.node.value {
            Value::List(_) => reader.lines(&entry.node, &key),
            _ => reader.line(&entry.node, &key).into_iter().collect(),
        };
        let mut entries = Vec::new();
        for text in texts {
            match of_macro(&text.value) {
                Ok(entry) => entries.push(Placed::new(entry, text.place)),
                Err((what, fix)) => {
                    let what = format!("'{}': {what}", yaml::shown(&text.value));
                    reader.wrong((text.place, &key), what, fix);
                }
            }
        }
        if self.macros.insert(name.to_owned(), entries).is_some() {
            reader.wrong((entry.key_place, &key), "it is here twice", "keep one of the two");
        }
    }

    /// Every macro that another names is there, and none leads back to itself.
    fn check(&self, reader: &mut Reader<'_>) {
        for (name, entries) in &self.macros {
            for Placed { value, place } in entries {
                let Entry::Macro(other) = value else { continue };
                if !self.macros.contains_key(other) {
                    let (what, fix) = self.unknown(other);
                    reader.wrong((*place, name), what, fix);
                } else if let Some(way) = self.way(other, name) {
                    let way: Vec<String> = way.iter().map(|name| format!(":{name}")).collect();
                    let what = format!("it leads back to itself: :{name} → {}", way.join(" → "));
                    reader.wrong((*place, name), what, "take one of these out");
                }
            }
        }
    }

    /// What is wrong with a name that no macro has, and what to do.
    pub(super) fn unknown(&self, name: &str) -> (String, String) {
        let what = format!("there is no macro ':{}'", yaml::shown(name));
        if self.macros.is_empty() {
            return (what, "write the paths out, or make a file of macros".to_owned());
        }
        (what, suggestion(name, self.names()))
    }

    /// The shortest way from one macro to another.
    fn way(&self, from: &str, to: &str) -> Option<Vec<&str>> {
        let (start, _) = self.macros.get_key_value(from)?;
        let mut before: BTreeMap<&str, Option<&str>> = [(start.as_str(), None)].into();
        let mut queue = vec![start.as_str()];
        let mut at = 0;
        while let Some(name) = queue.get(at).copied() {
            at += 1;
            if name == to {
                let mut way = vec![name];
                let mut step = before.get(name).copied().flatten();
                while let Some(name) = step {
                    way.insert(0, name);
                    step = before.get(name).copied().flatten();
                }
                return Some(way);
            }
            for other in self.named_by(name) {
                if !before.contains_key(other) {
                    before.insert(other, Some(name));
                    queue.push(other);
                }
            }
        }
        None
    }

    fn named_by(&self, name: &str) -> impl Iterator<Item = &str> {
        self.macros.get(name).into_iter().flatten().filter_map(|entry| match &entry.value {
            Entry::Macro(other) => Some(other.as_str()),
            _ => None,
        })
    }

    /// Everything that a macro stands for; `None` if there is no such macro.
    pub(super) fn expand(&self, name: &str) -> Option<Vec<&Entry>> {
        self.macros.get(name)?;
        let mut seen: BTreeSet<&str> = BTreeSet::new();
        let mut left = vec![name];
        let mut entries = Vec::new();
        while let Some(name) = left.pop() {
            for Placed { value, .. } in self.macros.get(name).into_iter().flatten() {
                match value {
                    Entry::Macro(other) if seen.insert(other) => left.push(other),
                    Entry::Macro(_) => {}
                    entry => entries.push(entry),
                }
            }
        }
        Some(entries)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: &[&str]) {
        let told = Globs::parse(text, "g.yaml").err().unwrap_or_default();
        let told: Vec<String> = told.iter().map(ToString::to_string).collect();
        assert_eq!(told, expected, "{text}");
    }

    /// CX-02: macros that are unknown, lead in circles or out are told at their places.
    #[test]
    fn mistakes_of_macros_are_told_where_they_are() {
        check("", &[]);
        check("{\"a\": [\"src/**\"], \":b\": \":a\"}", &[]);
        check("{\n\t\"a\": [\n\t\t\"src/**\"\n\t]\n}\n", &[]);
        check(
            "a: [b, :c]\nc: ../d\n",
            &[
                "g.yaml:2:4: c: '../d': it is refused: '..' leads out of the repository, or may; write the path from the root of the repository",
            ],
        );
        check(
            "a: [x, :web-ap]\nweb-app: y\n",
            &["g.yaml:1:8: a: there is no macro ':web-ap'; did you mean 'web-app'?"],
        );
        check(
            "a: :a\n",
            &["g.yaml:1:4: a: it leads back to itself: :a → :a; take one of these out"],
        );
        check(
            "a: [x, :b]\nb: :c\nc: [y, :a]\n",
            &[
                "g.yaml:1:8: a: it leads back to itself: :a → :b → :c → :a; take one of these out",
                "g.yaml:2:4: b: it leads back to itself: :b → :c → :a → :b; take one of these out",
                "g.yaml:3:8: c: it leads back to itself: :c → :a → :b → :c; take one of these out",
            ],
        );
        check(
            "a b: x\n",
            &[
                "g.yaml:1:1: a b: 'a b' can't be the name of a macro; use letters, digits, '-', '_', '.' and '/'",
            ],
        );
        check("a: x\n:a: y\n", &["g.yaml:2:1: :a: it is here twice; keep one of the two"]);
        check(
            "a: {b: c}\n",
            &[
                "g.yaml:1:4: a: it is a map, and must be a text; write a text, in quotes if it has special characters",
            ],
        );
        check(
            "- a\n",
            &[
                "g.yaml:1:1: it is a list, and must have keys of its own; write 'key: value' lines below it",
            ],
        );
        check(
            "a: 'x\n",
            &["g.yaml:1:4: a: a quote is opened and not closed; close it at the end of the text"],
        );
        let many = format!("a: [{}]\n", "x, ".repeat(2_000));
        check(
            &many,
            &["g.yaml:1:1: it has more than 2000 names and entries; name folders, and not files"],
        );
    }
}
