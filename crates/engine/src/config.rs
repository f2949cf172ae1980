//! Configuration: defaults, the user's file, the project's file, the environment; later ones
//! win, and every value knows where it comes from. Unknown keys are errors.

mod agents;
mod dollars;
mod settings;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use countersign_domain::mistake::suggestion;
use countersign_domain::run::MAX_ROUNDS;
use serde::Serialize;
use toml::de::DeTable;
use toml::{Table, Value};

use crate::classify;
use crate::error::{Error, Kind, Result};
use crate::host::Host;
use crate::path_text;
use crate::project;
use crate::regular;
use crate::verify;
use crate::worklog;

pub use agents::{AgentPermissions, AgentsConfig, RoleConfig};
pub use dollars::Dollars;
pub use settings::{
    BudgetConfig, ClassifyConfig, Config, ContextConfig, ContractConfig, Durability, ExecConfig,
    LedgerConfig, MemoryBackend, MemoryConfig, OnFailure, PlanConfig, ProjectConfig, RunConfig,
    VerifyConfig, WorklogConfig,
};

/// The reference: every key with its default and its meaning.
pub const DEFAULT: &str = include_str!("../default.toml");
/// Below these keys the names are the user's.
const FREE: [&str; 5] = [
    "classify.terms.",
    "worklog.significance.",
    "context.formatters.",
    "project.commands.",
    "agents.prices.",
];
/// What only the user may set: a repository, which others write, must not choose which programs
/// run on its own account.
const USERS_OWN: &[&str] = &[
    "memory.serena_command",
    "context.formatters.",
    "verify.sandbox",
    "verify.network",
    "agents.prices.",
];

/// What a project may say about agents: which model is good for it.
const AGENTS_MODEL: (&str, &str) = ("agents.", ".model");

/// Whether only the user may set `key`.
fn is_users_own(key: &str) -> bool {
    let (agents, model) = AGENTS_MODEL;
    USERS_OWN.iter().any(|own| key.starts_with(own))
        || key.starts_with(agents) && !key.ends_with(model)
}

/// The project's file, at the root of the repository.
pub const PROJECT_FILE: &str = "countersign.toml";

/// Where a value comes from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case", tag = "from", content = "at")]
pub enum Origin {
    Default,
    User(#[serde(serialize_with = "path_text::one")] PathBuf),
    Project(#[serde(serialize_with = "path_text::one")] PathBuf),
    Environment(String),
}

/// The settings with their origins.
#[derive(Debug, Clone)]
pub struct Resolved {
    pub config: Config,
    /// By dotted key.
    pub values: BTreeMap<String, (Value, Origin)>,
}

impl Resolved {
    /// Where `key` is set, for a message: a file with its line, or a variable.
    pub(crate) fn place_of(&self, key: &str) -> String {
        match self.values.get(key).map(|(_, origin)| origin) {
            Some(Origin::User(path) | Origin::Project(path)) => {
                format!("{}:{}", path.display(), line_in(path, key))
            }
            Some(Origin::Environment(name)) => name.clone(),
            Some(Origin::Default) | None => key.to_owned(),
        }
    }
}

/// The line on which the file at `path` sets `key`; the first, if that can't be told.
pub(crate) fn line_in(path: &Path, key: &str) -> usize {
    read(path).ok().flatten().map_or(1, |text| line_of(&text, key))
}

/// The configuration that holds for the repository at `root` (if any).
pub fn resolve(host: &Host, root: Option<&Path>) -> Result<Resolved> {
    let project = root.map(|root| root.join(PROJECT_FILE));
    if let Some((root, path)) = root.zip(project.as_deref())
        && regular::leads_out(root, path)
    {
        let error = wrong(&path.display().to_string(), regular::LEADS_OUT);
        return Err(error.hint(regular::LEADS_OUT_FIX));
    }
    let text = project.as_deref().map(read).transpose()?.flatten();
    layered(host, project.zip(text))
}

/// As [`resolve`], with `text` in the place of the project's file.
pub(crate) fn resolve_over(host: &Host, root: &Path, text: &str) -> Result<Resolved> {
    layered(host, Some((root.join(PROJECT_FILE), text.to_owned())))
}

fn layered(host: &Host, project: Option<(PathBuf, String)>) -> Result<Resolved> {
    let mut values = BTreeMap::new();
    let defaults = parse(DEFAULT, Path::new("default.toml"))?;
    flatten("", &defaults, &mut |key, value| {
        values.insert(key, (value.clone(), Origin::Default));
    });
    let user = host.home().ok().map(|home| home.config);
    let user_text = user.as_deref().map(read).transpose()?.flatten();
    let user = user.zip(user_text).map(|(path, text)| (Origin::User(path), text));
    let project = project.map(|(path, text)| (Origin::Project(path), text));
    for (origin, text) in user.into_iter().chain(project) {
        let (Origin::User(path) | Origin::Project(path)) = &origin else { continue };
        let mut found = Vec::new();
        flatten("", &parse(&text, path)?, &mut |key, value| found.push((key, value.clone())));
        for (key, value) in found {
            let line = line_of(&text, &key);
            let is_new = values.get(&key).is_none_or(|(known, _)| *known != value);
            let is_users = is_users_own(&key);
            if is_new && matches!(origin, Origin::Project(_)) && is_users {
                let message = format!("{}:{line}: {key} is not a project's to set", path.display());
                return Err(Error::new(Kind::Usage, message)
                    .hint("set it in your own file; `countersign config path` says where it is"));
            }
            if matches!(origin, Origin::Project(_)) && raises(values.get(&key), (&key, &value)) {
                let message = format!("{}:{line}: {key} is more than you set", path.display());
                return Err(Error::new(Kind::Usage, message).hint(
                    "a project can lower what you spend; to raise it, set it in your own file",
                ));
            }
            if key == ALLOW {
                permissions(&value, |at| {
                    format!("{}:{}", path.display(), line_at(&text, &key, at))
                })?;
            }
            put(&mut values, &key, value, origin.clone(), &format!("{}:{line}", path.display()))?;
        }
    }
    overlay_environment(host, &mut values)?;
    let config = typed(&values, "the settings")?;
    // Only together are the prices of a model whole.
    config.agents.prices().map_err(|why| wrong("agents.prices", &why))?;
    Ok(Resolved { config, values })
}

/// Whether a cap of a budget would be higher than it is. 0 is the highest: it is none.
fn raises(known: Option<&(Value, Origin)>, (key, value): (&str, &Value)) -> bool {
    let number = |value: &Value| match value {
        #[expect(clippy::cast_precision_loss, reason = "only compared")]
        Value::Integer(number) => *number as f64,
        Value::Float(number) => *number,
        // What is no number is told by who knows what it should be.
        _ => f64::NAN,
    };
    let cap =
        |value: &Value| Some(number(value)).map(|cap| if cap == 0.0 { f64::INFINITY } else { cap });
    key.starts_with("budget.") && known.is_some_and(|(known, _)| cap(value) > cap(known))
}

/// The JSON Schema of the configuration file.
pub fn schema() -> serde_json::Value {
    let mut schema = serde_json::Value::from(schemars::schema_for!(Config));
    // A file names only what it changes.
    remove_required(&mut schema);
    schema
}

fn remove_required(schema: &mut serde_json::Value) {
    match schema {
        serde_json::Value::Object(map) => {
            map.remove("required");
            map.values_mut().for_each(remove_required);
        }
        serde_json::Value::Array(all) => all.iter_mut().for_each(remove_required),
        _ => {}
    }
}

fn read(path: &Path) -> Result<Option<String>> {
    // To open a pipe would be to wait for its other end.
    if std::fs::metadata(path).is_ok_and(|found| !found.is_file()) {
        return Err(wrong(&path.display().to_string(), "it is not a file"));
    }
    match std::fs::read(path) {
        Ok(bytes) => String::from_utf8(bytes).map(Some).map_err(|error| {
            let at = error.utf8_error().valid_up_to();
            wrong(&path.display().to_string(), &format!("byte {at} is not UTF-8"))
        }),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(Error::io("read", path, &error)),
    }
}

fn parse(text: &str, path: &Path) -> Result<Table> {
    text.parse().map_err(|error: toml::de::Error| {
        let line = error.span().map_or(1, |span| 1 + text[..span.start].matches('\n').count());
        wrong(&format!("{}:{line}", path.display()), error.message())
    })
}

fn wrong(place: &str, what: &str) -> Error {
    Error::new(Kind::Usage, format!("{place}: {what}"))
        .hint("`countersign config schema` describes every key")
}

/// What a person allows, line by line.
const ALLOW: &str = "verify.allow";

/// Refuses a list of permissions one of which can't be read; `place` says where an item stands.
fn permissions(value: &Value, place: impl Fn(usize) -> String) -> Result<()> {
    let items = value.as_array().map(Vec::as_slice).unwrap_or_default();
    for (at, item) in items.iter().enumerate() {
        if let Some(text) = item.as_str() {
            verify::check_permission(text).map_err(|why| {
                Error::new(Kind::Usage, format!("{}: {ALLOW}: '{text}': {why}", place(at)))
                    .hint("write \"G16 tests/__snapshots__/**: why it is all right\"")
            })?;
        }
    }
    Ok(())
}

/// The line on which a file sets `key`; the first, if that can't be told.
fn line_of(text: &str, key: &str) -> usize {
    found_at(text, key, None)
}

/// The line of one item of the list that a file sets `key` to.
fn line_at(text: &str, key: &str, item: usize) -> usize {
    found_at(text, key, Some(item))
}

fn found_at(text: &str, key: &str, item: Option<usize>) -> usize {
    let Ok(document) = DeTable::parse(text) else { return 1 };
    let mut table = document.get_ref();
    let mut at = 0;
    let mut rest = key;
    // A name may have dots of its own if it stands in quotes.
    while let Some((name, value)) = table.iter().find(|(name, _)| {
        rest.strip_prefix(name.get_ref().as_ref())
            .is_some_and(|r| r.is_empty() || r.starts_with('.'))
    }) {
        at = name.span().start;
        rest = rest[name.get_ref().len()..].trim_start_matches('.');
        let list = item.and_then(|item| value.get_ref().as_array()?.get(item));
        at = list.map_or(at, |item| item.span().start);
        let Some(inner) = value.get_ref().as_table() else { break };
        table = inner;
    }
    1 + text[..at].matches('\n').count()
}

fn flatten(prefix: &str, table: &Table, each: &mut impl FnMut(String, &Value)) {
    for (key, value) in table {
        let key = if prefix.is_empty() { key.clone() } else { format!("{prefix}.{key}") };
        match value {
            Value::Table(inner) => flatten(&key, inner, each),
            value => each(key, value),
        }
    }
}

/// Sets `key`, if there is such a setting and the value fits.
fn put(
    values: &mut BTreeMap<String, (Value, Origin)>,
    key: &str,
    value: Value,
    origin: Origin,
    place: &str,
) -> Result<()> {
    if values.contains_key(key) || FREE.iter().any(|free| key.starts_with(free)) {
        values.insert(key.to_owned(), (value, origin));
        let config = typed(values, place)?;
        if key.starts_with("classify.") {
            classify::extend(&config.classify).map_err(|why| wrong(place, &why))?;
        }
        if key.starts_with("project.") {
            project::check(&config.project).map_err(|why| wrong(place, &why))?;
        }
        if key.starts_with("agents.") {
            config.agents.check().map_err(|why| wrong(place, &why))?;
        }
        if key.starts_with("worklog.") {
            worklog::Policy::resolve(&config.worklog).map_err(|why| wrong(place, &why))?;
        }
        return Ok(());
    }
    Err(Error::new(Kind::Usage, format!("{place}: there is no setting '{key}'"))
        .hint(near(key, values.keys())))
}

/// What may be meant by a key that there is none of: the nearest one, or what its table has.
fn near<'a>(key: &str, known: impl Iterator<Item = &'a String>) -> String {
    let known: Vec<&str> = known.map(|name| &**name).collect();
    // Below some keys the names are the user's, so that no list has them.
    let free = || FREE.iter().map(|free| free.trim_end_matches('.'));
    let names: Vec<&str> = key.split('.').collect();
    let above = names.get(..2).map_or_else(|| key.to_owned(), |above| above.join("."));
    let said = [suggestion(key, known.iter().copied()), suggestion(&above, free())];
    if let Some(said) = said.into_iter().find(|said| said.starts_with("did you mean")) {
        return said;
    }
    let table = |name: &str| name.split('.').next().unwrap_or_default().to_owned();
    let of_table = |name: &&str| table(name) == table(key);
    let mut names: Vec<String> =
        known.iter().copied().chain(free()).filter(of_table).map(str::to_owned).collect();
    if names.is_empty() {
        names = known.iter().map(|name| format!("[{}]", table(name))).collect();
        names.dedup();
    }
    format!("use one of: {}", names.join(", "))
}

fn overlay_environment(host: &Host, values: &mut BTreeMap<String, (Value, Origin)>) -> Result<()> {
    let keys: Vec<String> = values.keys().cloned().collect();
    for key in keys {
        let name = format!("COUNTERSIGN_{}", key.replace('.', "_").to_uppercase());
        let Some(text) = host.variable(&name) else { continue };
        let text = text.to_str().ok_or_else(|| wrong(&name, "it is not UTF-8"))?;
        let value = match values.get(&key).map(|(value, _)| value) {
            Some(Value::Integer(_)) => text
                .parse()
                .map(Value::Integer)
                .map_err(|_| wrong(&name, &format!("'{text}' is not a number")))?,
            Some(Value::Float(_)) => text
                .parse()
                .map(Value::Float)
                .map_err(|_| wrong(&name, &format!("'{text}' is not a number")))?,
            Some(Value::Boolean(_)) => text
                .parse()
                .map(Value::Boolean)
                .map_err(|_| wrong(&name, &format!("'{text}' is neither true nor false")))?,
            Some(Value::Array(_)) => {
                // A rule has commas of its own.
                let mark = if key == "classify.rules" { ';' } else { ',' };
                Value::Array(text.split(mark).map(|part| Value::from(part.trim())).collect())
            }
            _ => Value::from(text),
        };
        if key == ALLOW {
            permissions(&value, |_| name.clone())?;
        }
        put(values, &key, value, Origin::Environment(name.clone()), &name)?;
    }
    Ok(())
}

/// The typed settings behind `values`; `place` is named if they are wrong.
fn typed(values: &BTreeMap<String, (Value, Origin)>, place: &str) -> Result<Config> {
    let mut table = Table::new();
    for (key, (value, _)) in values {
        insert(&mut table, &path_of(key), value.clone());
    }
    let config: Config =
        table.try_into().map_err(|error: toml::de::Error| wrong(place, error.message().trim()))?;
    let rules = [
        (config.run.attempts >= 1 && config.run.attempts <= 100, "run.attempts must be 1 to 100"),
        (config.run.worker_seconds >= 1, "run.worker_seconds must be at least 1"),
        (config.run.check_seconds >= 1, "run.check_seconds must be at least 1"),
        (config.run.stale_seconds >= 1, "run.stale_seconds must be at least 1"),
        (
            (1..=MAX_ROUNDS).contains(&config.run.consensus_rounds),
            "run.consensus_rounds must be 1 to 20",
        ),
        (config.run.answer_hours <= 87_600, "run.answer_hours must be 0 to 87600"),
        (config.exec.output_bytes >= 1024, "exec.output_bytes must be at least 1024"),
        (
            (1..=600).contains(&config.memory.timeout_seconds),
            "memory.timeout_seconds must be 1 to 600",
        ),
        ((1..=600).contains(&config.context.lock_seconds), "context.lock_seconds must be 1 to 600"),
        (!config.context.roles.is_empty(), "context.roles must name at least one role"),
    ];
    match rules.into_iter().find(|(holds, _)| !holds) {
        Some((_, rule)) => Err(wrong(place, rule)),
        None => Ok(config),
    }
}

/// The parts of a dotted key. A class of words such as `act.destroy` has a dot of its own.
fn path_of(key: &str) -> Vec<&str> {
    let free = FREE.iter().find_map(|free| Some((*free, key.strip_prefix(free)?)));
    match free {
        Some((free, name)) => free.split_terminator('.').chain([name]).collect(),
        None => key.split('.').collect(),
    }
}

/// Puts `value` where the parts of its key say.
fn insert(table: &mut Table, path: &[&str], value: Value) {
    match path {
        [] => {}
        [last] => {
            table.insert((*last).to_owned(), value);
        }
        [first, rest @ ..] => {
            let inner = table.entry(*first).or_insert_with(|| Value::Table(Table::new()));
            if let Value::Table(inner) = inner {
                insert(inner, rest, value);
            }
        }
    }
}
