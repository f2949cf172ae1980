//! Reads one story of a PRD.

use super::Reader;
use super::section::{Section, items, keyed, shown, split};
use crate::classify::{Label as _, Risk};
use crate::mistake::suggestion;
use crate::plan::code::uncodes;
use crate::plan::filled::Filled;
use crate::plan::id::{Line, StoryId};
use crate::plan::types::{AcceptanceCriterion, Law, Layer, Size, Story, StoryKind, Waiver, alike};
use crate::scope::{RELATIVE, relative_glob};
use crate::task::Priority;

mod criterion;

pub(in crate::plan) use criterion::sentence;

type Keys<const N: usize> = [(&'static str, &'static [&'static str]); N];

const KEYS: Keys<6> = [
    ("Priority", &[]),
    ("Size", &[]),
    ("Type", &["Task type", "Kind"]),
    ("Risk", &["Risk level"]),
    ("Depends on", &["Dependencies", "Depends"]),
    ("Touches", &["Files"]),
];

const PARTS: [&str; 5] =
    ["Acceptance criteria", "Negative cases", "Boundary cases", "Verification layers", "Waivers"];

/// What stands below the headings of a story.
#[derive(Debug, Default)]
struct Parts {
    criteria: Vec<AcceptanceCriterion>,
    /// Whether there was a place for one, right or wrong.
    has_tried: bool,
    negatives: Option<Vec<String>>,
    boundaries: Option<Vec<String>>,
    layers: Option<Vec<(Layer, Filled)>>,
    waivers: Option<Vec<Waiver>>,
}

pub(super) fn read(reader: &mut Reader<'_>, section: &Section<'_>) -> Option<Story> {
    let named = heading(reader, section);
    let listed = items(reader, section.opening());
    let [priority, size, kind, risk, depends_on, touches] = keyed(reader, &listed, &KEYS);
    let mut word = |at: usize, found: Option<(usize, &str)>| match found {
        Some((line, text)) if !text.is_empty() => Some((line, text.to_owned())),
        _ => {
            let line = found.map_or(section.line, |(line, _)| line);
            let what = format!("'{}' is missing", KEYS[at].0);
            reader.wrong((line, KEYS[at].0), what, format!("add '- {}: …'", KEYS[at].0));
            None
        }
    };
    let (priority, size) = (word(0, priority), word(1, size));
    let (kind, risk) = (word(2, kind), word(3, risk));
    let priority = chosen(reader, "priority", priority, Priority::parse, |text| {
        suggestion(text, Priority::ALL.map(Priority::name))
    });
    let size = chosen(reader, "size", size, Size::parse, Size::hint);
    let kind = chosen(reader, "type", kind, StoryKind::parse, StoryKind::hint);
    let risk = chosen(reader, "risk", risk, Risk::parse, |text| {
        suggestion(text, Risk::ALL.iter().map(|risk| risk.name()))
    });
    let depends_line = Line(depends_on.map_or(section.line, |(line, _)| line));
    let depends_on = depends_on.map_or_else(Vec::new, |found| ids(reader, found));
    let files = touches.map_or_else(Vec::new, |found| globs(reader, found));
    let parts = parts(reader, section);
    let (id, title) = named?;
    if parts.criteria.is_empty() && !parts.has_tried {
        let what = format!("{id} has no acceptance criterion");
        let fix = "add '#### AC1' with '- Given …', '- When …' and '- Then …'";
        reader.wrong((section.line, ""), what, fix);
    }
    let open = |layer: &Layer| (*layer, Filled::Open(String::new()));
    Some(Story {
        id,
        title,
        priority: priority?,
        size: size?,
        kind: kind?,
        risk: risk?,
        depends_on,
        files,
        criteria: parts.criteria,
        negatives: parts.negatives.unwrap_or_default(),
        boundaries: parts.boundaries.unwrap_or_default(),
        layers: parts.layers.unwrap_or_else(|| Layer::ALL.iter().map(open).collect()),
        waivers: parts.waivers.unwrap_or_default(),
        line: Line(section.line),
        depends_line,
    })
}

/// `US-001: Title`.
fn heading(reader: &mut Reader<'_>, section: &Section<'_>) -> Option<(StoryId, String)> {
    let title = section.title;
    let end = title.find([':', '—', '–']).or_else(|| title.find(" - ")).unwrap_or(title.len());
    let id = title[..end].trim().parse();
    let rest = title[end..].trim_start_matches([':', '—', '–', '-', ' ']).trim();
    let Ok(id) = id else {
        let what = format!("'{}' is no story", shown(title));
        reader.wrong((section.line, ""), what, "write '### US-001: TITLE'");
        return None;
    };
    if rest.is_empty() {
        let what = format!("{id} has no title");
        reader.wrong((section.line, ""), what, format!("write '### {id}: TITLE'"));
        return None;
    }
    Some((id, rest.to_owned()))
}

fn chosen<T>(
    reader: &mut Reader<'_>,
    key: &str,
    found: Option<(usize, String)>,
    parse: impl Fn(&str) -> Option<T>,
    hint: impl Fn(&str) -> String,
) -> Option<T> {
    let (line, text) = found?;
    let value = parse(&text);
    if value.is_none() {
        reader.wrong((line, key), format!("'{}' is no {key}", shown(&text)), hint(&text));
    }
    value
}

/// Ids of stories, parted by commas; `none` is none.
fn ids(reader: &mut Reader<'_>, (line, text): (usize, &str)) -> Vec<StoryId> {
    let mut found: Vec<StoryId> = Vec::new();
    for part in listed_codes(text) {
        match part.parse() {
            Ok(id) if found.contains(&id) => {
                reader.wrong((line, "Depends on"), format!("{id} is there twice"), "leave one out");
            }
            Ok(id) => found.push(id),
            Err(_) => {
                let what = format!("'{}' is no story", shown(&part));
                reader.wrong(
                    (line, "Depends on"),
                    what,
                    "write ids as in 'US-001, US-002', or none",
                );
            }
        }
    }
    found
}

/// Globs of files, parted by commas, each as all others write it; `none` is none.
fn globs(reader: &mut Reader<'_>, (line, text): (usize, &str)) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    for part in listed_codes(text) {
        match relative_glob(&part) {
            Ok(glob) if found.contains(&glob) => {}
            Ok(glob) => found.push(glob),
            Err(why) => {
                let what = format!("'{}' is no file of this repository: {why}", shown(&part));
                reader.wrong((line, "Touches"), what, RELATIVE);
            }
        }
    }
    found
}

/// What a comma-separated list names; `none` and `-` name nothing.
pub(super) fn listed_codes(text: &str) -> Vec<String> {
    if is_none(text) { Vec::new() } else { uncodes(text) }
}

fn is_none(text: &str) -> bool {
    matches!(alike(text).as_str(), "" | "none" | "nothing" | "—")
}

fn parts(reader: &mut Reader<'_>, section: &Section<'_>) -> Parts {
    let mut parts = Parts::default();
    for part in section.inside(reader) {
        if part.title.parse::<crate::plan::id::CriterionId>().is_ok() {
            parts.has_tried = true;
            let read = criterion::section(reader, &part);
            add(reader, &mut parts.criteria, read);
            continue;
        }
        let is_twice = match alike(part.title).as_str() {
            "acceptancecriteria" | "criteria" => {
                let list = criterion::list(reader, &part);
                parts.has_tried |= !part.blocks.is_empty();
                for read in list {
                    add(reader, &mut parts.criteria, Some(read));
                }
                false
            }
            "negativecases" | "negativetests" | "negatives" => {
                parts.negatives.replace(texts(reader, &part)).is_some()
            }
            "boundarycases" | "edgecases" | "boundaries" => {
                parts.boundaries.replace(texts(reader, &part)).is_some()
            }
            "verificationlayers" | "layers" => {
                parts.layers.replace(layers(reader, &part)).is_some()
            }
            "waivers" => parts.waivers.replace(waivers(reader, &part)).is_some(),
            _ => {
                let what = format!("there is no part '{}' of a story", shown(part.title));
                let fix = if part.title.get(..2).is_some_and(|two| two.eq_ignore_ascii_case("ac")) {
                    "write '#### AC1' and nothing behind it".to_owned()
                } else {
                    suggestion(part.title, PARTS)
                };
                reader.wrong((part.line, ""), what, fix);
                false
            }
        };
        if is_twice {
            let what = format!("the story has '{}' twice", shown(part.title));
            reader.wrong((part.line, ""), what, "make them one");
        }
    }
    parts
}

fn add(
    reader: &mut Reader<'_>,
    criteria: &mut Vec<AcceptanceCriterion>,
    read: Option<AcceptanceCriterion>,
) {
    let Some(read) = read else { return };
    if let Some(first) = criteria.iter().find(|other| other.id == read.id) {
        let what = format!("{} is there already, in line {}", read.id, first.line.0);
        reader.wrong((read.line.0, ""), what, "give it another number");
    } else {
        criteria.push(read);
    }
}

fn texts(reader: &mut Reader<'_>, section: &Section<'_>) -> Vec<String> {
    section.items(reader).into_iter().map(|(_, text)| text.to_owned()).collect()
}

fn layers(reader: &mut Reader<'_>, section: &Section<'_>) -> Vec<(Layer, Filled)> {
    let mut found: Vec<(Layer, Filled)> =
        Layer::ALL.iter().map(|layer| (*layer, Filled::Open(String::new()))).collect();
    let mut seen = [None; 4];
    for (line, text) in section.items(reader) {
        let (key, value) = split(text).unwrap_or((text, ""));
        let at = Layer::parse(key).and_then(|one| Layer::ALL.iter().position(|it| *it == one));
        let Some(at) = at else {
            let what = format!("'{}' is no layer", shown(key));
            reader.wrong((line, "Verification layers"), what, Layer::hint(key));
            continue;
        };
        if let Some(first) = seen[at].replace(line) {
            let what = format!("{} is there already, in line {first}", Layer::ALL[at]);
            reader.wrong((line, "Verification layers"), what, "leave one of them out");
        }
        found[at].1 = Filled::read(value);
    }
    found
}

/// `Waived: IL-4 — why by whom`.
fn waivers(reader: &mut Reader<'_>, section: &Section<'_>) -> Vec<Waiver> {
    let mut found: Vec<Waiver> = Vec::new();
    for (line, text) in section.items(reader) {
        let form = "write '- Waived: IL-4 — JUSTIFICATION by NAME'";
        let (key, value) = split(text).unwrap_or(("", text));
        let rest = if alike(key) == "waived" { value } else { text };
        let (law, why) = rest.split_once(char::is_whitespace).unwrap_or((rest, ""));
        let Some(law) = Law::parse(law) else {
            let what = format!("'{}' is no law", shown(law));
            reader.wrong((line, "Waivers"), what, format!("{}; {form}", Law::hint(law)));
            continue;
        };
        let why = why.trim_start_matches(|c: char| c.is_whitespace() || "—–-:".contains(c));
        let Some((justification, by)) = why.rsplit_once(" by ") else {
            let what = format!("the waiver of {law} doesn't say why and by whom");
            reader.wrong((line, "Waivers"), what, form);
            continue;
        };
        let (justification, by) = (justification.trim().to_owned(), by.trim().to_owned());
        if found.iter().any(|other| other.law == law) {
            reader.wrong((line, "Waivers"), format!("{law} is waived twice"), "leave one out");
        }
        found.push(Waiver { law, justification, by, line: Line(line) });
    }
    found
}
