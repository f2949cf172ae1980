//! The mapping: which sections hold for which areas and priorities.

use std::collections::BTreeSet;

use crate::mistake::{Mistake, Place, Placed};
use crate::scope::{RELATIVE, relative};
use crate::task::Priority;
use crate::yaml::{self, Map, Node, Reader, Value};

/// Which sections of which documents hold for a task, by its area and its priority.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mapping {
    /// The file it was read from, as the caller named it.
    pub file: String,
    rules: Vec<Rule>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Rule {
    /// In small letters; `None` is every area.
    areas: Option<BTreeSet<String>>,
    /// `None` is every priority.
    priorities: Option<BTreeSet<Priority>>,
    cites: Vec<Cite>,
}

/// A section that a rule names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Cite {
    pub(super) file: String,
    pub(super) section: String,
    pub(super) place: Place,
    pub(super) key: String,
}

impl Mapping {
    /// A mapping without rules, for projects that have none.
    pub fn none() -> Self {
        Self { file: String::new(), rules: Vec::new() }
    }

    /// Reads a mapping. `name` is what the file is called in messages.
    pub fn parse(text: &str, name: &str) -> Result<Self, Vec<Mistake>> {
        let document = yaml::read(name, text);
        let mut reader = Reader::new(name, text);
        reader.mistakes = document.mistakes;
        let rules = rules(&mut reader, &document.root);
        if reader.mistakes.is_empty() {
            Ok(Self { file: name.to_owned(), rules })
        } else {
            Err(reader.told())
        }
    }

    /// The areas that rules name, in small letters.
    pub fn areas(&self) -> BTreeSet<&str> {
        self.rules
            .iter()
            .filter_map(|rule| rule.areas.as_ref())
            .flatten()
            .map(String::as_str)
            .collect()
    }

    /// What holds for an area and a priority, in the order of the file.
    pub(super) fn cites(&self, area: &str, priority: Priority) -> impl Iterator<Item = &Cite> {
        let area = area.trim().to_lowercase();
        let holds = move |rule: &&Rule| {
            rule.areas.as_ref().is_none_or(|areas| areas.contains(&area))
                && rule.priorities.as_ref().is_none_or(|all| all.contains(&priority))
        };
        self.rules.iter().filter(holds).flat_map(|rule| &rule.cites)
    }
}

fn rules(reader: &mut Reader<'_>, root: &Node) -> Vec<Rule> {
    if root.value == Value::Empty {
        let what = "the file has no rules in it";
        reader.wrong((Place::START, ""), what, "write them as a list below 'rules:'");
        return Vec::new();
    }
    let Some(map) = reader.known(root, "", &["version", "rules"]) else { return Vec::new() };
    if let Some(version) = map.node("version").and_then(|node| reader.line(node, "version"))
        && version.value != "1"
    {
        let what = format!("the version '{}' is not known", yaml::shown(&version.value));
        reader.wrong((version.place, "version"), what, "write 1, or update Countersign");
    }
    let Some(node) = map.node("rules") else {
        let what = "the key 'rules' is missing";
        reader.wrong((root.place, "rules"), what, "write the rules as a list below it");
        return Vec::new();
    };
    let items = reader.list(node, "rules").iter().enumerate();
    items.filter_map(|(at, item)| rule(reader, item, &format!("rules[{at}]"))).collect()
}

fn rule(reader: &mut Reader<'_>, node: &Node, key: &str) -> Option<Rule> {
    let map = reader.known(node, key, &["area", "priority", "cite"])?;
    for name in ["area", "cite"] {
        if map.node(name).is_none() {
            let what = format!("the key '{name}' is missing");
            let fix =
                if name == "area" { "add 'area: all', or name one" } else { "add 'cite: …'" };
            reader.wrong((node.place, key), what, fix);
        }
    }
    let areas = choice(reader, map, "area", key).map(|areas| {
        areas.into_iter().map(|area| area.value.to_lowercase()).collect::<BTreeSet<String>>()
    });
    let priorities = choice(reader, map, "priority", key);
    let priorities = priorities.map(|texts| {
        let mut priorities = BTreeSet::new();
        for Placed { value, place } in texts {
            match Priority::parse(&value) {
                Some(priority) => drop(priorities.insert(priority)),
                None => {
                    let what = format!("'{}' is no priority", yaml::shown(&value));
                    let key = yaml::join(key, "priority");
                    reader.wrong((place, &key), what, "use P0, P1, P2, P3 or all");
                }
            }
        }
        priorities
    });
    let cites = map.node("cite").map(|node| cites(reader, node, &yaml::join(key, "cite")));
    Some(Rule { areas, priorities, cites: cites.unwrap_or_default() })
}

/// One word or a list of them; `None` for `all` and `*`, and for nothing.
fn choice(reader: &mut Reader<'_>, map: &Map, name: &str, key: &str) -> Option<Vec<Placed>> {
    let key = yaml::join(key, name);
    let node = map.node(name)?;
    let words = match &node.value {
        Value::List(_) => reader.lines(node, &key),
        _ => reader.line(node, &key).into_iter().collect(),
    };
    let all = |word: &Placed| word.value == "*" || word.value.eq_ignore_ascii_case("all");
    if words.len() > 1 && words.iter().any(all) {
        let fix = "write 'all' alone, or leave it out";
        reader.wrong((node.place, &key), "it says 'all' and more", fix);
    }
    (!words.iter().any(all)).then_some(words)
}

fn cites(reader: &mut Reader<'_>, node: &Node, key: &str) -> Vec<Cite> {
    let mut cites = Vec::new();
    let Some(map) = reader.map(node, key) else { return cites };
    if map.entries.is_empty() {
        let fix = "write 'file: [section, …]' lines below it";
        reader.wrong((node.place, key), "it names no document", fix);
    }
    for entry in &map.entries {
        let key = yaml::join(key, &entry.key);
        let file = relative(&entry.key)
            .and_then(|file| if file.is_empty() { Err("it names no file") } else { Ok(file) });
        if let Err(why) = &file {
            let what = format!("'{}': {why}", yaml::shown(&entry.key));
            reader.wrong((entry.key_place, &key), what, RELATIVE);
        }
        let sections = match &entry.node.value {
            Value::List(items) if items.is_empty() => {
                reader.wrong(
                    (entry.node.place, &key),
                    "it names no section",
                    "name one, or leave the file out",
                );
                Vec::new()
            }
            Value::List(_) => reader.lines(&entry.node, &key),
            _ => reader.line(&entry.node, &key).into_iter().collect(),
        };
        let Ok(file) = file else { continue };
        cites.extend(sections.into_iter().map(|Placed { value, place }| Cite {
            file: file.clone(),
            section: value,
            place,
            key: key.clone(),
        }));
    }
    cites
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: &[&str]) {
        let told = Mapping::parse(text, "m.yaml").err().unwrap_or_default();
        let told: Vec<String> = told.iter().map(ToString::to_string).collect();
        assert_eq!(told, expected, "{text}");
    }

    /// CX-03: all mistakes of a mapping are told at once, at their places.
    #[test]
    fn mistakes_of_a_mapping_are_told_at_once() {
        let text = "version: 1\nrule: []\nrules:\n  - area: [all, backend]\n    cite:\n      ../a.md: b\n      \
                    c.md: []\n  - priority: P7\n    cite: a.md\n  - area: x\n    priority: []\n    cite: {a.md: \
                    {b: c}}\n  - text\n";
        check(
            text,
            &[
                "m.yaml:2:1: rule: there is no key 'rule'; did you mean 'rules'?",
                "m.yaml:4:11: rules[0].area: it says 'all' and more; write 'all' alone, or leave it out",
                "m.yaml:6:7: rules[0].cite.../a.md: '../a.md': '..' leads out of the repository, or \
                 may; write the path from the root of the repository",
                "m.yaml:7:13: rules[0].cite.c.md: it names no section; name one, or leave the file out",
                "m.yaml:8:5: rules[1]: the key 'area' is missing; add 'area: all', or name one",
                "m.yaml:8:15: rules[1].priority: 'P7' is no priority; use P0, P1, P2, P3 or all",
                "m.yaml:9:11: rules[1].cite: it is a text, and must have keys of its own; write 'key: \
                 value' lines below it",
                "m.yaml:12:18: rules[2].cite.a.md: it is a map, and must be a text; write a text, in \
                 quotes if it has special characters",
                "m.yaml:13:5: rules[3]: it is a text, and must have keys of its own; write 'key: \
                 value' lines below it",
            ],
        );
        let alone =
            "m.yaml:2:11: rules: '*' alone is an alias without a name; put it in quotes: \"*\"";
        check("rules:\n  - area: *\n    cite: {a: b}\n", &[alone]);
        assert!(Mapping::parse("rules:\n  - area: \"*\"\n    cite: {a: b}\n", "m.yaml").is_ok());
        let empty = "m.yaml:1:1: the file has no rules in it; write them as a list below 'rules:'";
        check("# nothing\n", &[empty]);
        check(
            "version: 2\nrules: []\n",
            &["m.yaml:1:10: version: the version '2' is not known; write 1, or update Countersign"],
        );
    }
}
