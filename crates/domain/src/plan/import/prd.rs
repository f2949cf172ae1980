//! Takes over a PRD of rlp-desk.

use super::{Draft, parts, plain};
use crate::classify::{Label as _, Risk};
use crate::plan::filled::{Filled, is_promise};
use crate::plan::id::{CriterionId, Line, StoryId};
use crate::plan::page::{Block, Kind, Page};
use crate::plan::types::{AcceptanceCriterion, Layer, Size, Story, StoryKind, alike};
use crate::task::Priority;

const CLAUSES: [&str; 3] = ["given", "when", "then"];

pub(super) fn read(draft: &mut Draft<'_>, page: &Page) {
    for (head, blocks) in parts(&page.blocks, 2) {
        let Some((title, line)) = head else { continue };
        match alike(title).as_str() {
            "objective" | "goal" => draft.plan.objective = prose(blocks),
            "nongoals" => draft.plan.non_goals = list(blocks),
            "technicalconstraints" | "constraints" => draft.plan.constraints = list(blocks),
            "donewhen" => draft.plan.done_when = list(blocks),
            _ if parts(blocks, 3)
                .iter()
                .any(|(head, _)| head.is_some_and(|(t, _)| id_of(t).is_some())) =>
            {
                for (head, blocks) in parts(blocks, 3) {
                    if let Some((title, line)) = head {
                        story(draft, title, line, blocks);
                    }
                }
            }
            _ => draft.note(line, format!("the section '{title}' has no place in a plan")),
        }
    }
}

fn prose(blocks: &[Block]) -> String {
    let texts = blocks.iter().filter_map(|block| match &block.kind {
        Kind::Text(text) | Kind::Heading { text, .. } => Some(text.clone()),
        Kind::Item { text, .. } => Some(format!("- {text}")),
        Kind::Row(_) => None,
    });
    texts.collect::<Vec<_>>().join("\n\n")
}

fn list(blocks: &[Block]) -> Vec<String> {
    let texts = blocks.iter().filter_map(|block| match &block.kind {
        Kind::Text(text) | Kind::Item { text, .. } => Some(plain(text)),
        Kind::Heading { .. } | Kind::Row(_) => None,
    });
    texts.filter(|text| !text.is_empty()).collect()
}

fn id_of(title: &str) -> Option<StoryId> {
    title.split([':', ' ', '—']).next()?.trim().parse().ok()
}

/// The key and the value of an item, without emphasis and what stands in brackets.
fn keyed(text: &str) -> Option<(String, String)> {
    let (key, value) = text.split_once(':')?;
    let key = key.replace(['*', '_'], "");
    let key = key.split('(').next().unwrap_or_default().trim().to_owned();
    Some((key, value.trim().trim_start_matches("**").trim().to_owned()))
}

/// What was read of a story.
#[derive(Debug, Default)]
struct Found {
    criteria: Vec<(String, [String; 3], usize)>,
    is_in_criteria: bool,
    in_list: Option<&'static str>,
    keys: std::collections::BTreeMap<String, (usize, String)>,
    negatives: Vec<String>,
    boundaries: Vec<String>,
}

impl Found {
    fn item(&mut self, line: usize, text: &str) {
        let text = plain(text);
        let pair = keyed(&text);
        let key = pair.as_ref().map_or_else(String::new, |(key, _)| alike(key));
        let value = pair.map(|(_, value)| value).unwrap_or_default();
        if let Some(at) = CLAUSES.iter().position(|clause| *clause == key) {
            if let Some((_, clauses, _)) = self.criteria.last_mut() {
                clauses[at] = value;
            }
            return;
        }
        let is_label = key
            .strip_prefix("ac")
            .is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()));
        if is_label {
            let label = text.split(':').next().unwrap_or_default().replace(['*', '_'], "");
            let mut clauses: [String; 3] = Default::default();
            if let Some(read) = crate::plan::read::sentence(&value) {
                clauses = read;
            } else if !value.is_empty() {
                clauses[2] = value;
            }
            self.criteria.push((label, clauses, line));
            self.is_in_criteria = true;
            self.in_list = None;
            return;
        }
        match key.as_str() {
            "acceptancecriteria" => {
                self.is_in_criteria = true;
                self.in_list = None;
            }
            "boundarycases" | "negativecases" | "negativetests" => {
                self.is_in_criteria = false;
                let list = if key == "boundarycases" { "boundaries" } else { "negatives" };
                self.in_list = Some(list);
                for case in value.split([',', ';']).map(str::trim).filter(|case| !is_promise(case))
                {
                    self.case(list, case);
                }
            }
            "priority" | "size" | "type" | "risk" | "dependson" | "verificationlayers"
            | "status" => {
                self.is_in_criteria = false;
                self.in_list = None;
                self.keys.insert(key, (line, value));
            }
            _ if self.in_list.is_some() => self.case(self.in_list.unwrap_or_default(), &text),
            // A criterion without Given and When says what must be there.
            _ if self.is_in_criteria => {
                let label = format!("AC{}", self.criteria.len() + 1);
                self.criteria.push((label, [String::new(), String::new(), text], line));
            }
            _ => {
                self.keys.insert(text, (line, String::new()));
            }
        }
    }

    fn case(&mut self, list: &str, text: &str) {
        let cases = if list == "boundaries" { &mut self.boundaries } else { &mut self.negatives };
        cases.push(text.trim_start_matches("- ").to_owned());
    }
}

fn story(draft: &mut Draft<'_>, title: &str, line: usize, blocks: &[Block]) {
    let Some(id) = id_of(title) else {
        draft.note(line, format!("'{title}' is no story"));
        return;
    };
    let mut found = Found::default();
    for Block { line, kind } in blocks {
        match kind {
            Kind::Item { text, .. } => found.item(*line, text),
            Kind::Heading { text, .. } => found.item(*line, &format!("{text}:")),
            Kind::Text(text) => {
                draft.note(*line, format!("{id}: this text has no place: {}", plain(text)));
            }
            Kind::Row(_) => draft.note(*line, format!("{id}: a table has no place in a story")),
        }
    }
    if draft.plan.story(id).is_some() {
        draft.note(line, format!("{id} is there twice; the second is left out"));
        return;
    }
    let criteria = criteria(draft, id, &mut found);
    if criteria.is_empty() {
        draft.note(line, format!("{id} has no acceptance criterion, and is left out"));
        return;
    }
    let rest = title.split_once([':', '—']).map_or("", |(_, rest)| rest).trim();
    let story = Story {
        id,
        title: if is_promise(rest) {
            "TODO".to_owned()
        } else {
            rest.trim_end_matches(" #").to_owned()
        },
        priority: word(
            draft,
            &mut found,
            (id, line, "priority"),
            (Priority::parse, Priority::name),
            Priority::P1,
        ),
        size: word(draft, &mut found, (id, line, "size"), (Size::parse, Size::name), Size::Medium),
        kind: word(
            draft,
            &mut found,
            (id, line, "type"),
            (StoryKind::parse, StoryKind::name),
            StoryKind::Code,
        ),
        risk: word(draft, &mut found, (id, line, "risk"), (Risk::parse, Risk::name), Risk::Medium),
        depends_on: depends_on(draft, id, &mut found),
        files: Vec::new(),
        criteria,
        negatives: std::mem::take(&mut found.negatives),
        boundaries: std::mem::take(&mut found.boundaries),
        layers: layers(found.keys.remove("verificationlayers").unwrap_or_default().1.as_str()),
        waivers: Vec::new(),
        line: Line(line),
        depends_line: Line(line),
    };
    draft.plan.stories.push(story);
    found.keys.remove("status");
    for (text, (line, _)) in found.keys {
        draft.note(line, format!("{id}: this has no place: {text}"));
    }
}

fn criteria(draft: &mut Draft<'_>, id: StoryId, found: &mut Found) -> Vec<AcceptanceCriterion> {
    let mut criteria = Vec::new();
    for (number, (label, clauses, line)) in (1..).zip(std::mem::take(&mut found.criteria)) {
        let criterion = CriterionId::new(number);
        draft.labels.insert((id, key_of(&label)), criterion);
        if label.to_lowercase().contains("negative") {
            let [_, when, then] = &clauses;
            found.negatives.push(format!("{when}: {then}"));
        }
        let open = clauses.iter().position(|clause| is_promise(clause));
        if let Some(at) = open {
            let what = format!("{id} {criterion} has no '{}'; write it", CLAUSES[at]);
            draft.note(line, what);
        }
        let [given, when, then] =
            clauses.map(|text| if is_promise(&text) { super::TO_DO.to_owned() } else { text });
        criteria.push(AcceptanceCriterion { id: criterion, given, when, then, line: Line(line) });
    }
    criteria
}

/// What two spellings of a criterion's label have in common: `AC-1.4 (negative)` is `AC1.4`.
pub(super) fn key_of(label: &str) -> String {
    alike(label.split('(').next().unwrap_or_default())
}

fn word<T: Copy>(
    draft: &mut Draft<'_>,
    found: &mut Found,
    (id, line, key): (StoryId, usize, &str),
    (parse, name): (impl Fn(&str) -> Option<T>, impl Fn(T) -> &'static str),
    otherwise: T,
) -> T {
    let (line, text) = found.keys.remove(key).unwrap_or((line, String::new()));
    let word = text.split([' ', '(']).next().unwrap_or_default();
    parse(word).unwrap_or_else(|| {
        let said = if text.is_empty() {
            "is not said".to_owned()
        } else {
            format!("'{text}' is not known")
        };
        draft.note(line, format!("{id}: the {key} {said}; {} is assumed", name(otherwise)));
        otherwise
    })
}

fn depends_on(draft: &mut Draft<'_>, id: StoryId, found: &mut Found) -> Vec<StoryId> {
    let Some((line, text)) = found.keys.remove("dependson") else { return Vec::new() };
    let text = text.trim_matches(['[', ']', ' ']);
    let mut ids = Vec::new();
    for part in text.split(',').map(str::trim).filter(|part| !part.is_empty()) {
        match part.split([' ', '(']).next().and_then(|word| word.parse().ok()) {
            Some(other) if other != id && !ids.contains(&other) => ids.push(other),
            _ if alike(part) == "none" => {}
            _ => draft.note(line, format!("{id} can't depend on '{part}'")),
        }
    }
    ids
}

/// `L1 (unit tests) + L3 (the whole)`.
fn layers(text: &str) -> Vec<(Layer, Filled)> {
    let starts: Vec<usize> =
        Layer::ALL.iter().filter_map(|layer| text.find(layer.name())).collect();
    let text_of = |layer: &Layer| {
        let start = text.find(layer.name())?;
        let end = starts.iter().copied().filter(|other| *other > start).min().unwrap_or(text.len());
        let words = text[start + 2..end].trim_matches(|c: char| " +,;:()—-".contains(c));
        Some(if words.is_empty() { layer.title().to_lowercase() } else { words.to_owned() })
    };
    let is_template = is_promise(text);
    Layer::ALL
        .iter()
        .map(|layer| {
            let words = text_of(layer).filter(|_| !is_template);
            let words = words.unwrap_or_else(|| super::TO_DO.to_owned());
            (*layer, Filled::read(&words))
        })
        .collect()
}
