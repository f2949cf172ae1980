//! Commands by which a task is validated.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use crate::mistake::{Placed, suggestion};
use crate::scope::{RELATIVE, relative};
use crate::yaml::{self, Map, Node, Reader, Value};

/// A command of a task's validation, with what is expected of it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct QaCommand {
    /// `val-001` and so on in the order of the file, unless the task names it.
    pub id: String,
    /// A shell command, as the user wrote it.
    pub command: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// The folder it runs in, from the root of the repository.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cwd: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub package: Option<String>,
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub env: BTreeMap<String, String>,
    /// What must be there afterwards.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub expected_paths: Vec<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub blocker_id: Option<String>,
    pub timeout_ms: u64,
    /// Whether the file itself says how long it may take. No account has it.
    #[serde(skip)]
    pub is_timed: bool,
    pub retry: Retry,
    pub criticality: Criticality,
    /// The codes that count as passed; sorted.
    pub expected_exit_codes: Vec<u8>,
}

impl QaCommand {
    /// A command of which nothing else is said.
    pub(super) fn plain(number: usize, command: String) -> Self {
        Self {
            id: format!("val-{number:03}"),
            command,
            description: None,
            cwd: None,
            package: None,
            env: BTreeMap::new(),
            expected_paths: Vec::new(),
            blocker_id: None,
            timeout_ms: Self::DEFAULT_TIMEOUT_MS,
            is_timed: false,
            retry: Retry { max_attempts: 1, backoff_ms: 0 },
            criticality: Criticality::Required,
            expected_exit_codes: vec![0],
        }
    }

    pub const DEFAULT_TIMEOUT_MS: u64 = 120_000;
    pub const MIN_TIMEOUT_MS: u64 = 1_000;
    pub const MAX_TIMEOUT_MS: u64 = 3_600_000;
}

/// How often a command may be tried.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Retry {
    /// 1 to 5.
    pub max_attempts: u32,
    pub backoff_ms: u64,
}

/// How much a command's failure weighs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Criticality {
    Required,
    Recommended,
    Optional,
}

const KEYS: [&str; 13] = [
    "id",
    "command",
    "description",
    "cwd",
    "package",
    "env",
    "expected_paths",
    "blocker_id",
    "timeout",
    "timeout_ms",
    "retry_policy",
    "criticality",
    "expected_exit_codes",
];

/// Reads the list of commands: each is a text, or a map for those who want to say more.
pub(super) fn read(reader: &mut Reader<'_>, node: &Node) -> Vec<Placed<QaCommand>> {
    let mut commands: Vec<Placed<QaCommand>> = Vec::new();
    let mut ids: BTreeSet<String> = BTreeSet::new();
    for (at, item) in reader.list(node, "qa.commands").iter().enumerate() {
        let key = format!("qa.commands[{at}]");
        let Some(command) = one(reader, item, &key, at + 1) else { continue };
        if !ids.insert(command.id.clone()) {
            let what = format!("the id '{}' is here twice", yaml::shown(&command.id));
            reader.wrong((item.place, &key), what, "give each command an id of its own");
        }
        commands.push(Placed::new(command, item.place));
    }
    commands
}

fn one(reader: &mut Reader<'_>, node: &Node, key: &str, number: usize) -> Option<QaCommand> {
    let plain = |command| QaCommand::plain(number, command);
    let Value::Map(map) = &node.value else {
        return reader.text(node, key).map(|text| plain(text.value.trim_end().to_owned()));
    };
    if map.node("command").is_none() {
        // `- npm test: unit` is a text with a colon, and no map.
        let known = map.entries.iter().any(|entry| KEYS.contains(&entry.key.as_str()));
        if known {
            reader.wrong((node.place, key), "the key 'command' is missing", "add 'command: …'");
        } else {
            reader.text(node, key);
            return None;
        }
    }
    reader.known(node, key, &KEYS);
    let path = |name: &str| yaml::join(key, name);
    let mut line = |name: &str| {
        map.node(name).and_then(|node| reader.line(node, &path(name))).map(|line| line.value)
    };
    let (id, description, package) = (line("id"), line("description"), line("package"));
    let blocker_id = line("blocker_id");
    let command = map.node("command").and_then(|node| reader.text(node, &path("command")));
    let cwd = map.node("cwd").and_then(|node| folder(reader, node, &path("cwd")));
    let env = map.node("env").map(|node| environment(reader, node, &path("env")));
    let paths = map.node("expected_paths");
    let paths = paths.map_or_else(Vec::new, |node| expected(reader, node, &path("expected_paths")));
    let timeout_ms = timeout(reader, map, key);
    let retry = map.node("retry_policy").map(|node| attempts(reader, node, &path("retry_policy")));
    let criticality = map.node("criticality");
    let criticality = criticality.and_then(|node| weight(reader, node, &path("criticality")));
    let codes = map.node("expected_exit_codes");
    let codes = codes.map(|node| exit_codes(reader, node, &path("expected_exit_codes")));
    let base = plain(command?.value.trim_end().to_owned());
    Some(QaCommand {
        id: id.unwrap_or(base.id),
        description,
        cwd,
        package,
        env: env.unwrap_or_default(),
        expected_paths: paths,
        blocker_id,
        timeout_ms: timeout_ms.unwrap_or(base.timeout_ms),
        is_timed: timeout_ms.is_some(),
        retry: retry.unwrap_or(base.retry),
        criticality: criticality.unwrap_or(base.criticality),
        expected_exit_codes: codes.unwrap_or(base.expected_exit_codes),
        command: base.command,
    })
}

fn folder(reader: &mut Reader<'_>, node: &Node, key: &str) -> Option<String> {
    let Placed { value, place } = reader.line(node, key)?;
    match relative(&value) {
        Ok(path) => Some(path).filter(|path| !path.is_empty()),
        Err(why) => {
            reader.wrong((place, key), format!("'{}': {why}", yaml::shown(&value)), RELATIVE);
            None
        }
    }
}

fn expected(reader: &mut Reader<'_>, node: &Node, key: &str) -> Vec<String> {
    let items = reader.list(node, key).iter().enumerate();
    items.filter_map(|(at, item)| folder(reader, item, &format!("{key}[{at}]"))).collect()
}

fn environment(reader: &mut Reader<'_>, node: &Node, key: &str) -> BTreeMap<String, String> {
    let mut env = BTreeMap::new();
    let Some(map) = reader.map(node, key) else { return env };
    for entry in &map.entries {
        let path = yaml::join(key, &entry.key);
        let letter = |b: u8| b.is_ascii_alphanumeric() || b == b'_';
        if !entry.key.bytes().all(letter) || !entry.key.starts_with(|c: char| !c.is_ascii_digit()) {
            let what = format!("'{}' can't be the name of a variable", yaml::shown(&entry.key));
            reader.wrong((entry.key_place, &path), what, "use letters, digits and '_'");
        }
        // A variable may well be empty.
        let value = match &entry.node.value {
            Value::Empty => Some(String::new()),
            Value::Text { text, .. } if text.is_empty() => Some(String::new()),
            _ => reader.text(&entry.node, &path).map(|text| text.value),
        };
        env.extend(value.map(|value| (entry.key.clone(), value)));
    }
    env
}

/// `90`, `90s`, `2m` or `1500ms`; `timeout_ms` is the same in milliseconds.
fn timeout(reader: &mut Reader<'_>, map: &Map, key: &str) -> Option<u64> {
    let limits = (QaCommand::MIN_TIMEOUT_MS, QaCommand::MAX_TIMEOUT_MS);
    if let Some(node) = map.node("timeout_ms") {
        let path = yaml::join(key, "timeout_ms");
        if map.node("timeout").is_some() {
            let what = "there is a 'timeout' as well";
            reader.wrong((node.place, &path), what, "keep one of the two");
        }
        return reader.number(node, &path, limits);
    }
    let path = yaml::join(key, "timeout");
    let Placed { value, place } = reader.line(map.node("timeout")?, &path)?;
    let units = [("ms", 1), ("s", 1_000), ("m", 60_000), ("h", 3_600_000), ("", 1_000)];
    let read = |(unit, factor): &(&str, u64)| {
        let digits = value.strip_suffix(unit)?.trim_end();
        let whole = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
        digits.parse::<u64>().ok().filter(|_| whole)?.checked_mul(*factor)
    };
    let ms = units.iter().find_map(read).filter(|ms| (limits.0..=limits.1).contains(ms));
    if ms.is_none() {
        let what = format!("'{}' is no time from 1 second to 1 hour", yaml::shown(&value));
        reader.wrong((place, &path), what, "write it as 90s or 5m");
    }
    ms
}

fn attempts(reader: &mut Reader<'_>, node: &Node, key: &str) -> Retry {
    let map = reader.known(node, key, &["max_attempts", "backoff_ms"]);
    let mut number = |name: &str, limits| {
        let node = map.and_then(|map| map.node(name))?;
        reader.number(node, &yaml::join(key, name), limits)
    };
    let max_attempts = number("max_attempts", (1, 5)).and_then(|n| u32::try_from(n).ok());
    let backoff_ms = number("backoff_ms", (0, QaCommand::MAX_TIMEOUT_MS));
    Retry { max_attempts: max_attempts.unwrap_or(1), backoff_ms: backoff_ms.unwrap_or(0) }
}

fn weight(reader: &mut Reader<'_>, node: &Node, key: &str) -> Option<Criticality> {
    let Placed { value, place } = reader.line(node, key)?;
    match value.as_str() {
        "required" => Some(Criticality::Required),
        "recommended" => Some(Criticality::Recommended),
        "optional" => Some(Criticality::Optional),
        other => {
            let fix = suggestion(other, ["required", "recommended", "optional"]);
            let what = format!("'{}' is no criticality", yaml::shown(other));
            reader.wrong((place, key), what, fix);
            None
        }
    }
}

fn exit_codes(reader: &mut Reader<'_>, node: &Node, key: &str) -> Vec<u8> {
    let items = reader.list(node, key).iter().enumerate();
    let codes: BTreeSet<u8> = items
        .filter_map(|(at, item)| reader.number(item, &format!("{key}[{at}]"), (0, 255)))
        .filter_map(|code| u8::try_from(code).ok())
        .collect();
    if codes.is_empty() && matches!(node.value, Value::List(_) | Value::Empty) {
        reader.wrong((node.place, key), "there is no code", "write [0], or leave the key out");
    }
    codes.into_iter().collect()
}
