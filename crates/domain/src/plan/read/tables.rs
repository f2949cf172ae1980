//! Reads the table of criteria and their tests, and the list of impacted tests.

use std::collections::BTreeMap;

use super::Reader;
use super::section::{Section, command, shown, split};
use super::story::listed_codes;
use crate::mistake::suggestion;
use crate::plan::id::{CriterionId, Line, StoryId};
use crate::plan::page::{Block, Kind};
use crate::plan::types::{Category, Impacted, Layer, Mapped, Story, alike};

const COLUMNS: [(&str, &[&str]); 7] = [
    ("US", &["Story", "User story"]),
    ("AC", &["Criterion", "Acceptance criterion"]),
    ("Layer", &[]),
    ("Category", &["Kind", "Test category"]),
    ("Command", &[]),
    ("Test", &["Test id", "Test name", "Tests"]),
    ("Expected", &["Expected result", "Pass criteria"]),
];

const SECTION: &str = "Criteria to tests";

pub(super) fn mapping(
    reader: &mut Reader<'_>,
    section: &Section<'_>,
    stories: Option<&[Story]>,
) -> Vec<Mapped> {
    section.no_sections(reader);
    let mut rows: Vec<(usize, &[String])> = Vec::new();
    for Block { line, kind } in section.opening() {
        match kind {
            Kind::Row(cells) => rows.push((*line, cells)),
            _ => reader.wrong((*line, SECTION), "this is no row of the table", "begin it with '|'"),
        }
    }
    let Some((line, header)) = rows.first().copied() else {
        let what = "there is no table";
        let fix = "add '| US | AC | Layer | Category | Command | Test | Expected |' and its rows";
        reader.wrong((section.line, SECTION), what, fix);
        return Vec::new();
    };
    let Some(columns) = columns(reader, line, header) else { return Vec::new() };
    let ruled = rows.get(1).is_some_and(|(_, cells)| is_rule(cells));
    if !ruled {
        let what = "the line below the head of the table is missing";
        reader.wrong((line, SECTION), what, "add '|---|---|---|---|---|---|---|' below it");
    }
    let mut found: Vec<Mapped> = Vec::new();
    let mut seen: BTreeMap<(StoryId, CriterionId, String, String), usize> = BTreeMap::new();
    for (line, cells) in rows.into_iter().skip(if ruled { 2 } else { 1 }) {
        if cells.len() != header.len() {
            let what = format!("the row has {} cells, and the head {}", cells.len(), header.len());
            reader.wrong((line, SECTION), what, "write '\\|' for a '|' inside of a cell");
            continue;
        }
        let texts = columns.map(|at| cells[at].as_str());
        let Some(mapped) = row(reader, line, texts) else { continue };
        if !is_there(reader, &mapped, stories) {
            continue;
        }
        let key = (mapped.story, mapped.criterion, mapped.command.clone(), mapped.test.clone());
        if let Some(first) = seen.insert(key, line) {
            let what = format!("the same test stands in line {first} for the same criterion");
            reader.wrong((line, SECTION), what, "leave it out; it counts once");
        }
        found.push(mapped);
    }
    found
}

/// In which cell each column stands.
fn columns(reader: &mut Reader<'_>, line: usize, header: &[String]) -> Option<[usize; 7]> {
    let mut found = [None; 7];
    let mut is_fine = true;
    for (at, title) in header.iter().enumerate() {
        let is = |(name, others): &(&str, &[&str])| {
            alike(name) == alike(title) || others.iter().any(|other| alike(other) == alike(title))
        };
        match COLUMNS.iter().position(is) {
            Some(column) if found[column].is_none() => found[column] = Some(at),
            Some(column) => {
                let what = format!("the column '{}' is there twice", COLUMNS[column].0);
                reader.wrong((line, SECTION), what, "leave one out");
                is_fine = false;
            }
            None => {
                let what = format!("there is no column '{}'", shown(title));
                let fix = suggestion(title, COLUMNS.iter().map(|(name, _)| *name));
                reader.wrong((line, SECTION), what, fix);
                is_fine = false;
            }
        }
    }
    if is_fine {
        for (column, (name, _)) in found.iter().zip(&COLUMNS) {
            if column.is_none() {
                let what = format!("the column '{name}' is missing");
                reader.wrong((line, SECTION), what, "add it to the head and to every row");
            }
        }
    }
    let mut columns = [0; 7];
    for (to, from) in columns.iter_mut().zip(found) {
        *to = from?;
    }
    is_fine.then_some(columns)
}

/// `---`, `:---:` and the like.
fn is_rule(cells: &[String]) -> bool {
    cells.iter().all(|cell| cell.contains('-') && cell.chars().all(|c| "-: ".contains(c)))
}

fn row(reader: &mut Reader<'_>, line: usize, texts: [&str; 7]) -> Option<Mapped> {
    let mut wrong = |at: usize, fix: String| {
        let what = match texts[at] {
            "" => "the cell is empty".to_owned(),
            text => format!("'{}' can't stand here", shown(text)),
        };
        reader.wrong((line, COLUMNS[at].0), what, fix);
    };
    let story: Option<StoryId> = texts[0].parse().ok();
    if story.is_none() {
        wrong(0, "write the story's id, as in US-001".to_owned());
    }
    let criterion: Option<CriterionId> = texts[1].parse().ok();
    if criterion.is_none() {
        wrong(1, "write the criterion's id, as in AC1".to_owned());
    }
    let layer = Layer::parse(texts[2]);
    if layer.is_none() {
        wrong(2, Layer::hint(texts[2]));
    }
    let category = Category::parse(texts[3]);
    if category.is_none() {
        wrong(3, Category::hint(texts[3]));
    }
    for at in 4..7 {
        // A code span with nothing in it says nothing, also where its marks stand side by side.
        let is_bare = texts[at].chars().all(|c| c == '`');
        if is_bare || command(texts[at]).trim().is_empty() {
            let fix = [
                "write the command that runs it",
                "write the test's id",
                "write what must come out",
            ];
            wrong(at, fix[at - 4].to_owned());
        }
    }
    Some(Mapped {
        story: story?,
        criterion: criterion?,
        layer: layer?,
        category: category?,
        command: command(texts[4]).to_owned(),
        test: command(texts[5]).to_owned(),
        expected: texts[6].to_owned(),
        line: Line(line),
    })
}

/// Whether a row is about a criterion that there is. Without a PRD nobody knows.
fn is_there(reader: &mut Reader<'_>, mapped: &Mapped, stories: Option<&[Story]>) -> bool {
    let Some(stories) = stories else { return true };
    let line = mapped.line.0;
    let Some(story) = stories.iter().find(|story| story.id == mapped.story) else {
        unknown(reader, line, mapped.story, stories);
        return false;
    };
    if story.criterion(mapped.criterion).is_none() {
        let what = format!("{} has no {}", mapped.story, mapped.criterion);
        let known: Vec<String> = story.criteria.iter().map(|c| c.id.to_string()).collect();
        let fix = suggestion(&mapped.criterion.to_string(), known.iter().map(String::as_str));
        reader.wrong((line, "AC"), what, fix);
        return false;
    }
    true
}

fn unknown(reader: &mut Reader<'_>, line: usize, id: StoryId, stories: &[Story]) {
    let known: Vec<String> = stories.iter().map(|story| story.id.to_string()).collect();
    let fix = suggestion(&id.to_string(), known.iter().map(String::as_str));
    reader.wrong((line, "US"), format!("the PRD has no story {id}"), fix);
}

/// `US-001: tests, and more tests`.
pub(super) fn impacted(
    reader: &mut Reader<'_>,
    section: &Section<'_>,
    stories: Option<&[Story]>,
) -> Vec<Impacted> {
    let mut found: Vec<Impacted> = Vec::new();
    for (line, text) in section.items(reader) {
        let (key, tests) = split(text).unwrap_or((text, ""));
        let Ok(story) = key.parse::<StoryId>() else {
            let what = format!("'{}' is no story", shown(key));
            reader.wrong((line, "Impacted tests"), what, "write '- US-001: TESTS', or none");
            continue;
        };
        if stories.is_some_and(|all| all.iter().all(|one| one.id != story)) {
            unknown(reader, line, story, stories.unwrap_or_default());
        }
        if found.iter().any(|other| other.story == story) {
            reader.wrong(
                (line, "Impacted tests"),
                format!("{story} is there twice"),
                "make them one",
            );
            continue;
        }
        found.push(Impacted { story, tests: listed_codes(tests) });
    }
    found
}
