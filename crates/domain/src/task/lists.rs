//! Reads the lists of a task's file: standards, roles, other tasks, links.

use std::collections::BTreeSet;

use super::read::task_id;
use super::{Link, Override, TaskId};
use crate::mistake::Placed;
use crate::scope::{RELATIVE, relative};
use crate::yaml::{self, Map, Node, Reader, Value};

const MAX_ROLES: usize = 16;
const MAX_ROLE: usize = 40;

pub(super) fn standards(reader: &mut Reader<'_>, map: &Map) -> Vec<Placed<Override>> {
    let items = map.node("standards").map_or(&[][..], |node| reader.list(node, "standards"));
    let items = items.iter().enumerate();
    items.filter_map(|(at, item)| standard(reader, item, &format!("standards[{at}]"))).collect()
}

/// `file#section`, or the same as a map with a requirement of the task's own.
fn standard(reader: &mut Reader<'_>, node: &Node, key: &str) -> Option<Placed<Override>> {
    let place = node.place;
    let (file, section, requirement) = if let Value::Map(_) = node.value {
        let map = reader.known(node, key, &["file", "section", "requirement"])?;
        let mut line = |name: &str| {
            let node = map.node(name)?;
            reader.line(node, &yaml::join(key, name)).map(|line| line.value)
        };
        let (file, section) = (line("file"), line("section"));
        let requirement = line("requirement");
        for name in ["file", "section"] {
            if map.node(name).is_none() {
                let what = format!("the key '{name}' is missing");
                reader.wrong((place, key), what, format!("add '{name}: …'"));
            }
        }
        (file?, section?, requirement)
    } else {
        let line = reader.line(node, key)?;
        let Some((file, section)) = line.value.split_once('#').filter(|(_, name)| !name.is_empty())
        else {
            let what = format!("'{}' doesn't say which section", yaml::shown(&line.value));
            reader.wrong((place, key), what, "write file#section");
            return None;
        };
        (file.to_owned(), section.to_owned(), None)
    };
    match relative(&file) {
        Ok(file) => Some(Placed::new(Override { file, section, requirement }, place)),
        Err(why) => {
            reader.wrong((place, key), format!("'{}': {why}", yaml::shown(&file)), RELATIVE);
            None
        }
    }
}

pub(super) fn roles(reader: &mut Reader<'_>, map: &Map) -> Vec<String> {
    let node = map.node("roles").filter(|node| node.value != Value::Empty);
    let Some(node) = node else { return Vec::new() };
    let mut roles: Vec<String> = Vec::new();
    let mut seen: BTreeSet<String> = BTreeSet::new();
    for (at, Placed { value, place }) in reader.lines(node, "roles").into_iter().enumerate() {
        let named = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit() || b"-_".contains(&b);
        let key = format!("roles[{at}]");
        if value.len() > MAX_ROLE
            || !value.bytes().all(named)
            || !value.starts_with(|c: char| c.is_ascii_lowercase())
        {
            let what = format!("'{}' can't be the name of a role", yaml::shown(&value));
            let fix = "use up to 40 small letters, digits, '-' and '_', a letter first";
            reader.wrong((place, &key), what, fix);
        } else if matches!(value.as_str(), "start" | "now" | "resolution") {
            let what = format!("'{value}' can't be the name of a role");
            reader.wrong((place, &key), what, "it is the name of a step; choose another");
        } else if !seen.insert(value.clone()) {
            reader.wrong((place, &key), format!("'{value}' is here twice"), "leave it out once");
        }
        roles.push(value);
    }
    if roles.is_empty() && matches!(node.value, Value::List(_)) && reader.mistakes.is_empty() {
        reader.wrong((node.place, "roles"), "there is no role", "name one, or leave the key out");
    }
    if roles.len() > MAX_ROLES {
        let what = format!("there are {} roles, and {MAX_ROLES} are allowed", roles.len());
        reader.wrong((node.place, "roles"), what, "leave some out");
    }
    roles
}

pub(super) fn depends_on(reader: &mut Reader<'_>, map: &Map, own: Option<&TaskId>) -> Vec<TaskId> {
    let items = map.node("depends_on").map_or(&[][..], |node| reader.list(node, "depends_on"));
    let mut ids = BTreeSet::new();
    for (at, item) in items.iter().enumerate() {
        let key = format!("depends_on[{at}]");
        let Some(id) = task_id(reader, item, &key) else { continue };
        if Some(&id) == own {
            reader.wrong((item.place, &key), "the task depends on itself", "leave it out");
        }
        ids.insert(id);
    }
    ids.into_iter().collect()
}

pub(super) fn links(reader: &mut Reader<'_>, map: &Map) -> Vec<Link> {
    let items = map.node("links").map_or(&[][..], |node| reader.list(node, "links"));
    let mut links = Vec::new();
    for (at, item) in items.iter().enumerate() {
        let key = format!("links[{at}]");
        let (title, url) = match &item.value {
            Value::Map(_) => {
                let Some(map) = reader.known(item, &key, &["title", "url"]) else { continue };
                let mut line = |name: &str| {
                    let node = map.node(name)?;
                    reader.line(node, &yaml::join(&key, name)).map(|line| line.value)
                };
                let found = (line("title"), line("url"));
                if map.node("url").is_none() {
                    reader.wrong((item.place, &key), "the key 'url' is missing", "add 'url: …'");
                }
                found
            }
            _ => (None, reader.line(item, &key).map(|line| line.value)),
        };
        links.extend(url.map(|url| Link { title, url }));
    }
    links
}
