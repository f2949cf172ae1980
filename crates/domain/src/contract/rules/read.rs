//! Reads a file of activity rules, with every mistake at its place.

use globset::{Glob, GlobBuilder, GlobMatcher, GlobSetBuilder};
use regex::bytes::{Regex, RegexBuilder};

use super::late::Late;
use super::{AcrossRule, At, E2e, FileRule, Kind, LineRule, Rules, Says, Timing};
use crate::mistake::{Mistake, Place};
use crate::yaml::{self, Entry, Map, Node, Reader, Value};

/// How many rules a file may have, and how large an expression may become.
const MAX_RULES: usize = 2_000;
const MAX_EXPRESSION: usize = 1024 * 1024;

const RULE_KEYS: [&str; 6] = ["unit", "e2e", "critics", "kind", "reason", "off"];

/// The rules of a file over those of `base`.
pub(super) fn read(base: Option<&Rules>, file: &str, text: &str) -> Result<Rules, Vec<Mistake>> {
    let document = yaml::read(file, text);
    let mut reader = Reader::new(file, text);
    reader.mistakes = document.mistakes;
    let mut rules = base.cloned().unwrap_or_else(Rules::none);
    if document.root.value != Value::Empty {
        root(&mut reader, &document.root, &mut rules);
    }
    if rules.files.len() + rules.lines.len() > MAX_RULES {
        let what = format!("there are more than {MAX_RULES} rules");
        reader.wrong((Place::START, ""), what, "use globs for folders, and not for files");
    }
    let mut globs = GlobSetBuilder::new();
    for rule in &rules.files {
        if let Ok(glob) = glob(&rule.glob) {
            globs.add(glob);
        }
    }
    match globs.build() {
        Ok(globs) => rules.globs = globs,
        Err(error) => {
            reader.wrong((Place::START, "files"), error.to_string(), "use fewer or plainer globs");
        }
    }
    if reader.mistakes.is_empty() { Ok(rules) } else { Err(reader.told()) }
}

fn root(reader: &mut Reader<'_>, node: &Node, rules: &mut Rules) {
    let known = ["version", "defaults", "files", "patterns", "across"];
    let Some(map) = reader.known(node, "", &known) else { return };
    if let Some(version) = map.node("version").and_then(|node| reader.line(node, "version"))
        && version.value != "1"
    {
        let what = format!("the version '{}' is not known", yaml::shown(&version.value));
        reader.wrong((version.place, "version"), what, "write 1, or update Countersign");
    }
    if let Some(node) = map.node("defaults")
        && let Some(map) = reader.known(node, "defaults", &["unit", "e2e"])
    {
        let said = says(reader, map, "defaults");
        rules.unit = said.unit.unwrap_or(rules.unit);
        rules.e2e = said.e2e.unwrap_or(rules.e2e);
        rules.defaults_at = At { file: reader.file.to_owned(), place: node.place };
    }
    for (name, take) in [
        ("files", take_file as fn(&mut Reader<'_>, &Entry, &mut Rules)),
        ("patterns", take_line),
        ("across", take_across),
    ] {
        let Some(map) = map.node(name).and_then(|node| reader.map(node, name)) else { continue };
        for entry in &map.entries {
            take(reader, entry, rules);
        }
    }
}

fn glob(text: &str) -> Result<Glob, globset::Error> {
    GlobBuilder::new(text).literal_separator(true).build()
}

fn take_file(reader: &mut Reader<'_>, entry: &Entry, rules: &mut Rules) {
    let key = yaml::join("files", &entry.key);
    if let Err(error) = glob(&entry.key) {
        let what = format!("it is no glob: {}", error.kind());
        reader.wrong((entry.key_place, &key), what, "write it as in '**/api/**'");
    }
    let Some(map) = reader.known(&entry.node, &key, &RULE_KEYS) else { return };
    rules.files.retain(|rule| rule.glob != entry.key);
    if is_off(reader, map, &key) {
        return;
    }
    let says = says(reader, map, &key);
    let at = at(reader, entry);
    rules.files.push(FileRule { glob: entry.key.clone(), says, at });
}

fn take_line(reader: &mut Reader<'_>, entry: &Entry, rules: &mut Rules) {
    let key = yaml::join("patterns", &entry.key);
    let known = [&RULE_KEYS[..], &["in"]].concat();
    let Some(map) = reader.known(&entry.node, &key, &known) else { return };
    rules.lines.retain(|rule| rule.pattern != entry.key);
    if is_off(reader, map, &key) {
        return;
    }
    let within = within(reader, map, &key);
    let says = says(reader, map, &key);
    // A test compiles what is shipped.
    if !is_shipped(reader)
        && let Err(error) = expression(&entry.key)
    {
        let text = error.to_string();
        let why = text.lines().last().unwrap_or("").trim().trim_start_matches("error: ");
        let what = format!("it is no regular expression: {why}");
        reader.wrong((entry.key_place, &key), what, "put it in single quotes, and try it alone");
        return;
    }
    let at = at(reader, entry);
    let pattern = entry.key.clone();
    let expression = Late::new(&pattern, |text| expression(text).ok());
    rules.lines.push(LineRule { pattern, expression, within, says, at });
}

fn is_shipped(reader: &Reader<'_>) -> bool {
    reader.file == super::SHIPPED
}

/// Bytes, so that a line in any encoding can be looked at; in linear time, whatever it says.
fn expression(text: &str) -> Result<Regex, regex::Error> {
    RegexBuilder::new(text).unicode(false).size_limit(MAX_EXPRESSION).build()
}

fn take_across(reader: &mut Reader<'_>, entry: &Entry, rules: &mut Rules) {
    let key = yaml::join("across", &entry.key);
    let known = [&RULE_KEYS[..], &["in", "at_least"]].concat();
    let Some(map) = reader.known(&entry.node, &key, &known) else { return };
    rules.across.retain(|rule| rule.name != entry.key);
    if is_off(reader, map, &key) {
        return;
    }
    let at_least = map.node("at_least");
    let at_least =
        at_least.and_then(|node| reader.number(node, &yaml::join(&key, "at_least"), (1, 10_000)));
    let within = within(reader, map, &key);
    let says = says(reader, map, &key);
    if at_least.is_none() && within.is_none() {
        let what = "it says neither 'at_least' nor 'in', so it would always hold";
        reader.wrong((entry.key_place, &key), what, "say how many folders, or which files");
    }
    rules.across.push(AcrossRule {
        name: entry.key.clone(),
        at_least: at_least.and_then(|number| usize::try_from(number).ok()).unwrap_or(0),
        within,
        says,
        at: at(reader, entry),
    });
}

fn at(reader: &Reader<'_>, entry: &Entry) -> At {
    At { file: reader.file.to_owned(), place: entry.key_place }
}

fn is_off(reader: &mut Reader<'_>, map: &Map, key: &str) -> bool {
    map.node("off").and_then(|node| yes(reader, node, &yaml::join(key, "off"))).unwrap_or(false)
}

fn within(reader: &mut Reader<'_>, map: &Map, key: &str) -> Option<Late<GlobMatcher>> {
    let key = yaml::join(key, "in");
    let text = reader.line(map.node("in")?, &key)?;
    if !is_shipped(reader)
        && let Err(error) = glob(&text.value)
    {
        let what = format!("it is no glob: {}", error.kind());
        reader.wrong((text.place, &key), what, "write it as in '**/*.ts'");
        return None;
    }
    Some(Late::new(&text.value, |text| glob(text).ok().map(|glob| glob.compile_matcher())))
}

fn yes(reader: &mut Reader<'_>, node: &Node, key: &str) -> Option<bool> {
    let text = reader.line(node, key)?;
    match text.value.as_str() {
        "true" | "yes" => Some(true),
        "false" | "no" => Some(false),
        other => {
            let what = format!("'{}' is neither true nor false", yaml::shown(other));
            reader.wrong((text.place, key), what, "write true or false");
            None
        }
    }
}

/// One of a few words; others are told with the nearest.
fn word<T: Copy>(
    reader: &mut Reader<'_>,
    node: &Node,
    key: &str,
    words: &[(&str, T)],
) -> Option<T> {
    let text = reader.line(node, key)?;
    let found = words.iter().find(|(word, _)| *word == text.value);
    if found.is_none() {
        let names: Vec<&str> = words.iter().map(|(word, _)| *word).collect();
        let what = format!("there is no '{}'", yaml::shown(&text.value));
        reader.wrong((text.place, key), what, format!("use one of {}", names.join(", ")));
    }
    found.map(|(_, value)| *value)
}

const TIMINGS: [(&str, E2e); 3] = [
    ("immediate", E2e::Run(Timing::Immediate)),
    ("deferred", E2e::Run(Timing::Deferred)),
    ("skip", E2e::Skip),
];

const KINDS: [(&str, Kind); 5] = [
    ("docs", Kind::Docs),
    ("config", Kind::Config),
    ("tests", Kind::Tests),
    ("ci", Kind::Ci),
    ("lock", Kind::Lock),
];

fn says(reader: &mut Reader<'_>, map: &Map, key: &str) -> Says {
    let name = |name: &str| yaml::join(key, name);
    let unit = map.node("unit").and_then(|node| yes(reader, node, &name("unit")));
    let e2e = map.node("e2e").and_then(|node| word(reader, node, &name("e2e"), &TIMINGS));
    let kind = map.node("kind").and_then(|node| word(reader, node, &name("kind"), &KINDS));
    let critics = map.node("critics").map(|node| reader.lines(node, &name("critics")));
    let critics = critics.unwrap_or_default().into_iter().filter_map(|critic| {
        let plain =
            |letter: char| letter.is_ascii_lowercase() || letter.is_ascii_digit() || letter == '-';
        if critic.value.chars().all(plain) && critic.value.len() <= 64 {
            return Some(critic.value);
        }
        let what = format!("'{}' can't be the name of a critic", yaml::shown(&critic.value));
        reader.wrong((critic.place, &name("critics")), what, "use small letters, digits and '-'");
        None
    });
    let critics = critics.collect();
    let reason = map.node("reason").and_then(|node| reader.line(node, &name("reason")));
    Says { unit, e2e, critics, kind, reason: reason.map(|text| text.value).unwrap_or_default() }
}
