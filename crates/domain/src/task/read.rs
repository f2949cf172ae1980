//! Reads a task's file, with all of its mistakes.

use super::{Priority, QaCommand, Status, Task, TaskId, command, id, lists, template};
use crate::mistake::{Mistake, Place, Placed, Warning, suggestion};
use crate::yaml::{self, Map, Node, Reader, Value};

const KEYS: [&str; 15] = [
    "version",
    "id",
    "title",
    "priority",
    "area",
    "status",
    "description",
    "scope",
    "acceptance_criteria",
    "qa",
    "standards",
    "roles",
    "depends_on",
    "tags",
    "links",
];

/// Keys of other tools, and how the same is said here.
const ELSEWHERE: [(&str, &str); 6] = [
    ("scope_in", "write 'in:' below 'scope:'"),
    ("scope_out", "write 'out:' below 'scope:'"),
    ("commands", "write 'commands:' below 'qa:'"),
    ("qa_commands", "write 'commands:' below 'qa:'"),
    ("blocked_by", "write 'depends_on:'"),
    ("dependencies", "write 'depends_on:'"),
];

impl Task {
    /// Reads a task. `name` is what the file is called in messages.
    pub fn parse(text: &str, name: &str) -> Result<(Self, Vec<Warning>), Vec<Mistake>> {
        let document = yaml::read(name, text);
        let mut reader = Reader::new(name, text);
        reader.mistakes = document.mistakes;
        let task = root(&mut reader, &document.root).and_then(|map| task(&mut reader, map));
        match task.filter(|_| reader.mistakes.is_empty()) {
            Some(task) => {
                reader.warnings.sort();
                Ok((task, reader.warnings))
            }
            None => Err(reader.told()),
        }
    }
}

/// The map of the whole file. Keys that begin with `x-` are the user's own.
fn root<'n>(reader: &mut Reader<'_>, root: &'n Node) -> Option<&'n Map> {
    if root.value == Value::Empty {
        let what = "the file has no task in it";
        reader.wrong((Place::START, ""), what, "write 'id: …' and the other keys of a task");
        return None;
    }
    let map = reader.map(root, "")?;
    for entry in &map.entries {
        let key = entry.key.as_str();
        if !KEYS.contains(&key) && !key.starts_with("x-") {
            let elsewhere = ELSEWHERE.iter().find(|(other, _)| *other == key);
            let fix = elsewhere.map_or_else(|| suggestion(key, KEYS), |(_, fix)| (*fix).to_owned());
            let what = format!("there is no key '{}'", yaml::shown(key));
            reader.wrong((entry.key_place, &yaml::shown(key)), what, fix);
        }
    }
    Some(map)
}

/// `None` if there are mistakes.
fn task(reader: &mut Reader<'_>, map: &Map) -> Option<Task> {
    version(reader, map);
    let id = required(reader, map, "id").and_then(|node| task_id(reader, node, "id"));
    let title = required(reader, map, "title").and_then(|node| reader.line(node, "title"));
    let priority = required(reader, map, "priority").and_then(|node| priority(reader, node));
    let area = required(reader, map, "area").and_then(|node| reader.line(node, "area"));
    let description = required(reader, map, "description");
    let description = description.and_then(|node| reader.text(node, "description"));
    if let Some(text) = description.as_ref().filter(|text| template::is_unfilled(&text.value)) {
        let what = "it is still the text of the template";
        reader.warn((text.place, "description"), what, "say what is to be done, and why");
    }
    let status = map.node("status").map_or(Some(Status::Todo), |node| status(reader, node));
    let (scope_in, scope_out) = scope(reader, map);
    let acceptance_criteria = map
        .node("acceptance_criteria")
        .map_or_else(Vec::new, |node| reader.texts(node, "acceptance_criteria"));
    if acceptance_criteria.is_empty() {
        let what = "there are no acceptance criteria, so nobody can tell when the task is done";
        warn_about(reader, map, "acceptance_criteria", what);
    }
    let qa_commands = qa(reader, map);
    let standards = lists::standards(reader, map);
    let roles = lists::roles(reader, map);
    let depends_on = lists::depends_on(reader, map, id.as_ref());
    let tags = map.node("tags").map_or_else(Vec::new, |node| reader.lines(node, "tags"));
    let links = lists::links(reader, map);
    Some(Task {
        file: reader.file.to_owned(),
        id: id?,
        title: title?,
        priority: priority?,
        area: area?,
        status: status?,
        description: description?,
        scope_in,
        scope_out,
        acceptance_criteria,
        qa_commands,
        standards,
        roles,
        depends_on,
        tags: tags.into_iter().map(|tag| tag.value).collect(),
        links,
    })
}

/// The value of a key that must be there.
fn required<'n>(reader: &mut Reader<'_>, map: &'n Map, key: &str) -> Option<&'n Node> {
    let node = map.node(key);
    if node.is_none() {
        let place = map.entries.first().map_or(Place::START, |e| e.key_place);
        let what = format!("the key '{key}' is missing");
        reader.wrong((place, key), what, format!("add '{key}: …'"));
    }
    node
}

/// Warns at a key, or at the top of the file if it isn't there.
fn warn_about(reader: &mut Reader<'_>, map: &Map, key: &str, what: &str) {
    let entry = map.find(key).or(map.entries.first());
    if entry.is_some_and(|entry| entry.node.value == Value::Broken && entry.key == key) {
        return;
    }
    let place = entry.map_or(Place::START, |entry| entry.key_place);
    reader.warn((place, key), what, format!("write some below '{key}:'"));
}

fn version(reader: &mut Reader<'_>, map: &Map) {
    if let Some(node) = map.node("version")
        && let Some(version) = reader.line(node, "version")
        && version.value != "1"
    {
        let what = format!("the version '{}' is not known", yaml::shown(&version.value));
        reader.wrong((version.place, "version"), what, "write 1, or update Countersign");
    }
}

pub(super) fn task_id(reader: &mut Reader<'_>, node: &Node, key: &str) -> Option<TaskId> {
    let Placed { value, place } = reader.line(node, key)?;
    if let Some(flaw) = id::flaw(&value) {
        let what = format!("'{}' can't be a task's id: {flaw}", yaml::shown(&value));
        reader.wrong((place, key), what, "write one like TASK-0824");
    }
    value.parse().ok()
}

fn priority(reader: &mut Reader<'_>, node: &Node) -> Option<Priority> {
    let Placed { value, place } = reader.line(node, "priority")?;
    let priority = Priority::parse(&value);
    if priority.is_none() {
        let what = format!("'{}' is no priority", yaml::shown(&value));
        reader.wrong((place, "priority"), what, "use P0, P1, P2 or P3");
    }
    priority
}

fn status(reader: &mut Reader<'_>, node: &Node) -> Option<Status> {
    let Placed { value, place } = reader.line(node, "status")?;
    let status = Status::parse(&value);
    if status.is_none() {
        let what = format!("'{}' is no status", yaml::shown(&value));
        let fix = suggestion(&value, Status::ALL.map(Status::name));
        reader.wrong((place, "status"), what, fix);
    }
    status
}

fn scope(reader: &mut Reader<'_>, map: &Map) -> (Vec<Placed>, Vec<Placed>) {
    let inner = map.node("scope").filter(|node| node.value != Value::Empty);
    let scope = inner.and_then(|node| reader.known(node, "scope", &["in", "out"]));
    let mut entries = |key: &str, path: &str| {
        let node = scope.and_then(|scope| scope.node(key));
        node.map_or_else(Vec::new, |node| reader.texts(node, path))
    };
    let (inside, outside) = (entries("in", "scope.in"), entries("out", "scope.out"));
    if inside.is_empty() && (inner.is_none() || scope.is_some()) {
        warn_about(reader, map, "scope", "no scope is given, so no change is outside of it");
    }
    (inside, outside)
}

fn qa(reader: &mut Reader<'_>, map: &Map) -> Vec<Placed<QaCommand>> {
    let qa = map.node("qa").filter(|node| node.value != Value::Empty);
    let qa = qa.and_then(|node| reader.known(node, "qa", &["commands"]));
    let commands = qa.and_then(|qa| qa.node("commands"));
    commands.map_or_else(Vec::new, |node| command::read(reader, node))
}
