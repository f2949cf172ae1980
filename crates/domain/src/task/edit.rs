//! Changes the status in a task's file, and no other byte.

use super::Status;
use crate::mistake::{Mistake, Place};
use crate::yaml::{self, Entry, Map, Reader, Style, Value};

/// The keys at the top of a task, after which a status is added.
const HEAD: [&str; 4] = ["area", "priority", "title", "id"];

/// The text of a task's file with another status. Only the bytes of the status change; if there
/// is none, a line is added. Where that can't be done, the mistakes say why.
pub fn with_status(text: &str, name: &str, status: Status) -> Result<String, Vec<Mistake>> {
    let document = yaml::read(name, text);
    if !document.mistakes.is_empty() {
        let mut reader = Reader::new(name, text);
        reader.mistakes = document.mistakes;
        return Err(reader.told());
    }
    let refuse = |place: Place| {
        let what = "the status can't be changed here without touching something else";
        let fix = format!("write 'status: {}' on a line of its own", status.name());
        vec![Mistake::new((name, place), "status", what, fix)]
    };
    let Value::Map(map) = &document.root.value else {
        return Err(refuse(document.root.place));
    };
    let entry = map.find("status");
    let place = entry.map_or(document.root.place, |entry| entry.key_place);
    let changed = match entry {
        Some(entry) => replaced(text, entry, status),
        None => added(text, map, status),
    };
    // What was written is read back: nothing but the status may have become another.
    changed.filter(|changed| holds(changed, map, status)).ok_or_else(|| refuse(place))
}

fn replaced(text: &str, entry: &Entry, status: Status) -> Option<String> {
    let bytes = &entry.node.bytes;
    if entry.node.value == Value::Empty && bytes.is_empty() {
        let colon = entry.key_bytes.end + text.get(entry.key_bytes.end..)?.find(':')? + 1;
        return Some(format!("{} {}{}", &text[..colon], status.name(), &text[colon..]));
    }
    let (before, after) = (text.get(..bytes.start)?, text.get(bytes.end..)?);
    Some(format!("{before}{}{after}", status.name()))
}

fn added(text: &str, map: &Map, status: Status) -> Option<String> {
    let name = status.name();
    if map.flow {
        let at = map.entries.first()?.key_bytes.start;
        return Some(format!("{}status: {name}, {}", text.get(..at)?, text.get(at..)?));
    }
    let entry = HEAD.iter().find_map(|key| map.find(key)).or_else(|| map.entries.first())?;
    let indent = " ".repeat(entry.key_place.column - 1);
    if !matches!(entry.node.value, Value::Text { style: Style::Plain | Style::Quoted, .. }) {
        // What follows may be long, so the line goes before the key.
        let at = entry.key_bytes.start;
        let newline = newline(text);
        return Some(format!("{}status: {name}{newline}{indent}{}", &text[..at], &text[at..]));
    }
    let end = entry.node.bytes.end;
    match text.get(end..)?.find('\n') {
        Some(line) => {
            let at = end + line + 1;
            let newline = newline(&text[..at]);
            Some(format!("{}{indent}status: {name}{newline}{}", &text[..at], &text[at..]))
        }
        None => Some(format!("{text}{}{indent}status: {name}", newline(text))),
    }
}

/// How the last line of `text` that has an end ends.
fn newline(text: &str) -> &'static str {
    let end = text.rfind('\n').unwrap_or_default();
    if text[..end].ends_with('\r') { "\r\n" } else { "\n" }
}

/// Whether `changed` says what `before` says, but for the status.
fn holds(changed: &str, before: &Map, status: Status) -> bool {
    let document = yaml::read("", changed);
    let Value::Map(after) = document.root.value else { return false };
    let named = |entry: &Entry| matches!(&entry.node.value, Value::Text { text, .. } if text == status.name());
    let rest = |map: &Map| Map {
        entries: map.entries.iter().filter(|entry| entry.key != "status").cloned().collect(),
        flow: map.flow,
    };
    document.mistakes.is_empty()
        && after.find("status").is_some_and(named)
        && rest(&after).same(&rest(before))
}
