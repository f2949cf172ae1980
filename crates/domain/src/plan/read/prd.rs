//! Reads a PRD.

use std::collections::BTreeMap;

use super::section::{Known, Section, shown, whole};
use super::{Head, Reader, choices, story};
use crate::plan::filled::Filled;
use crate::plan::id::{Line, Slug, StoryId};
use crate::plan::page::{Block, Kind, Page};
use crate::plan::types::{Commands, Mutation, Plan, Story, TestSpec};

/// More stories than this are several plans.
const MAX_STORIES: usize = 200;

const SECTIONS: [Known; 6] = [
    Known { name: "Objective", aliases: &["Goal"], is_required: true },
    Known { name: "Stories", aliases: &["User stories"], is_required: true },
    Known { name: "Non-goals", aliases: &["Out of scope"], is_required: false },
    Known { name: "Technical constraints", aliases: &["Constraints"], is_required: false },
    Known { name: "Done when", aliases: &["Definition of done"], is_required: false },
    Known { name: "Run choices", aliases: &["Choices", "Run options"], is_required: true },
];

pub(super) fn read(reader: &mut Reader<'_>, page: &Page) -> Option<Head> {
    let whole = whole(reader, page, "PRD")?;
    let slug = slug(reader, &whole, "PRD");
    stray(reader, &whole);
    let [objective, stories, non_goals, constraints, done_when, choices] =
        whole.known(reader, &SECTIONS);
    let objective = objective.map(|section| {
        let text = section.text(reader, page);
        if text.is_empty() {
            let what = "the objective is empty";
            reader.wrong((section.line, "Objective"), what, "say what is achieved, and for whom");
        }
        text
    });
    let stories = stories.map(|section| all(reader, &section));
    let mut list = |section: Option<Section<'_>>| -> Vec<String> {
        let items = section.map_or_else(Vec::new, |section| section.items(reader));
        items.into_iter().map(|(_, text)| text.to_owned()).collect()
    };
    let (non_goals, constraints, done_when) = (list(non_goals), list(constraints), list(done_when));
    let choices = choices.and_then(|section| {
        choices::read(reader, &section, stories.as_deref().unwrap_or_default())
    });
    Some(Head(Plan {
        slug: slug?,
        objective: objective?,
        stories: stories?,
        non_goals,
        constraints,
        done_when,
        choices: choices?,
        spec: no_spec(),
    }))
}

/// The slug in the title of a file.
pub(super) fn slug(reader: &mut Reader<'_>, whole: &Section<'_>, kind: &str) -> Option<Slug> {
    let named = whole.title.split_once(':').filter(|(before, _)| {
        let before = before.trim();
        before.eq_ignore_ascii_case(kind) || before.eq_ignore_ascii_case(&kind.replace(' ', "-"))
    });
    let Some((_, slug)) = named else {
        let what = format!("the title is '{}'", shown(whole.title));
        reader.wrong((whole.line, ""), what, format!("write '# {kind}: SLUG'"));
        return None;
    };
    let slug = slug.trim();
    let parsed = slug.parse();
    if parsed.is_err() {
        let what = format!("'{}' can't be the slug of a plan", shown(slug));
        let fix = "use small letters, digits and '-', as in auth-refactor";
        reader.wrong((whole.line, "slug"), what, fix);
    }
    parsed.ok()
}

/// Tells what stands between the title and the first section.
pub(super) fn stray(reader: &mut Reader<'_>, whole: &Section<'_>) {
    if let Some(Block { line, .. }) = whole.opening().first() {
        let what = "text before the first section is not read";
        reader.wrong((*line, ""), what, "move it below '## Objective', or into a comment <!-- -->");
    }
}

fn all(reader: &mut Reader<'_>, section: &Section<'_>) -> Vec<Story> {
    for Block { line, kind } in section.opening() {
        if !matches!(kind, Kind::Heading { .. }) {
            reader.wrong(
                (*line, "Stories"),
                "this belongs to no story",
                "begin with '### US-001: …'",
            );
        }
    }
    let inside = section.inside(reader);
    let count = inside.len();
    if inside.is_empty() {
        let what = "there is no story";
        reader.wrong((section.line, "Stories"), what, "add '### US-001: TITLE'");
    }
    if inside.len() > MAX_STORIES {
        let what = format!("there are {} stories", inside.len());
        let fix = format!("make several plans; one has up to {MAX_STORIES}");
        reader.wrong((section.line, "Stories"), what, fix);
        return Vec::new();
    }
    let mut stories: Vec<Story> = Vec::new();
    for section in inside {
        let Some(story) = story::read(reader, &section) else { continue };
        if let Some(first) = stories.iter().find(|other| other.id == story.id) {
            let what = format!("{} is there already, in line {}", story.id, first.line.0);
            reader.wrong((section.line, ""), what, "give it another number");
            continue;
        }
        stories.push(story);
    }
    // A story that can't be read is missed by those that depend on it.
    if stories.len() == count {
        dependencies(reader, &stories);
    }
    stories
}

/// Tells dependencies on stories that there are not, and those that go round in a circle.
fn dependencies(reader: &mut Reader<'_>, stories: &[Story]) {
    let lines: BTreeMap<StoryId, usize> = stories.iter().map(|s| (s.id, s.line.0)).collect();
    let mut all_known = true;
    for story in stories {
        for other in &story.depends_on {
            if *other == story.id {
                let what = format!("{other} depends on itself");
                reader.wrong((story.depends_line.0, "Depends on"), what, "leave it out");
                all_known = false;
            } else if !lines.contains_key(other) {
                let what = format!("{} depends on {other}, which is not there", story.id);
                let others = lines.keys().filter(|known| **known != story.id);
                let known: Vec<String> = others.map(ToString::to_string).collect();
                let known = known.iter().map(String::as_str);
                let fix = crate::mistake::suggestion(&other.to_string(), known);
                reader.wrong((story.depends_line.0, "Depends on"), what, fix);
                all_known = false;
            }
        }
    }
    if all_known && let Err(cycle) = crate::plan::order::order(stories) {
        let line = cycle.0.first().and_then(|id| lines.get(id)).copied().unwrap_or(1);
        let what = format!("stories wait for each other: {cycle}");
        reader.wrong((line, "Depends on"), what, "leave one of these dependencies out");
    }
}

/// Stands there until the test-spec is read.
fn no_spec() -> TestSpec {
    let open = || Filled::Open(String::new());
    TestSpec {
        commands: Commands { build: open(), test: open(), lint: open() },
        layers: Vec::new(),
        happy: None,
        error: None,
        mutation: Mutation { command: open(), threshold: Mutation::THRESHOLD, line: Line(1) },
        mapping: Vec::new(),
        impacted: Vec::new(),
        reproducibility: Vec::new(),
    }
}
