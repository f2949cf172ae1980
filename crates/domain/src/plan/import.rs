//! Takes over a PRD and a test-spec of rlp-desk, as far as they say the same as ours. What they
//! don't say stays open, and what has no place here is told.

mod prd;
mod spec;

use std::collections::BTreeMap;

use serde::Serialize;

use super::filled::Filled;
use super::id::{CriterionId, Line, Slug, StoryId};
use super::page::{self, Block, Kind, Page};
use super::types::{
    Choices, Commands, IterationUnit, Layer, Mutation, Plan, SpecLayer, TestSpec, VerifyMode,
};
use crate::mistake::{Mistake, Place};
use crate::normal::unix;

/// Stands where nothing was said.
const TO_DO: &str = "TODO";

/// A plan that was taken over.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Imported {
    pub plan: Plan,
    /// What was assumed, and what could not be taken over.
    pub notes: Vec<Note>,
}

/// One thing about a file that was taken over.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Note {
    pub file: String,
    pub line: usize,
    pub what: String,
}

/// The files to be taken over.
#[derive(Debug, Clone, Copy)]
pub struct Source<'s> {
    pub slug: &'s Slug,
    /// The PRD: what it is called, and its text.
    pub prd: (&'s str, &'s str),
    pub spec: Option<(&'s str, &'s str)>,
    /// Nothing in these files says it, and only the user can choose it.
    pub unit: IterationUnit,
}

/// What is being put together.
#[derive(Debug)]
struct Draft<'s> {
    plan: Plan,
    notes: Vec<Note>,
    file: &'s str,
    /// What the criteria were called, by story.
    labels: BTreeMap<(StoryId, String), CriterionId>,
}

impl Draft<'_> {
    fn note(&mut self, line: usize, what: impl Into<String>) {
        self.notes.push(Note { file: self.file.to_owned(), line, what: what.into() });
    }
}

/// Takes over a plan.
pub fn import(source: &Source<'_>) -> Result<Imported, Vec<Mistake>> {
    let open = || Filled::Open(TO_DO.to_owned());
    let layers = Layer::ALL.iter().map(|layer| SpecLayer {
        layer: *layer,
        commands: Vec::new(),
        instead: Some(open()),
        line: Line(1),
    });
    let plan = Plan {
        slug: source.slug.clone(),
        objective: String::new(),
        stories: Vec::new(),
        non_goals: Vec::new(),
        constraints: Vec::new(),
        done_when: Vec::new(),
        choices: Choices {
            iteration_unit: source.unit,
            verify_mode: VerifyMode::PerStory,
            worker: None,
            verifier: None,
            reviewer: None,
            consensus: None,
            max_iterations: 1,
            self_verification: false,
        },
        spec: TestSpec {
            commands: Commands { build: open(), test: open(), lint: open() },
            layers: layers.collect(),
            happy: None,
            error: None,
            mutation: Mutation { command: open(), threshold: Mutation::THRESHOLD, line: Line(1) },
            mapping: Vec::new(),
            impacted: Vec::new(),
            reproducibility: Vec::new(),
        },
    };
    let (file, text) = source.prd;
    let mut draft = Draft { plan, notes: Vec::new(), file, labels: BTreeMap::new() };
    prd::read(&mut draft, &page_of(file, text)?);
    if draft.plan.stories.is_empty() {
        let what = "there is no story with an acceptance criterion";
        let fix = "a PRD of rlp-desk has '### US-001: …' with criteria below it";
        return Err(vec![Mistake::new((file, Place::START), "", what, fix)]);
    }
    match source.spec {
        Some((file, text)) => {
            draft.file = file;
            spec::read(&mut draft, &page_of(file, text)?);
        }
        None => draft.note(1, "there is no test-spec; everything in it is still open"),
    }
    let Draft { mut plan, notes, .. } = draft;
    plan.choices.max_iterations = Choices::suggested_iterations(plan.stories.len());
    let risks = plan.stories.iter().map(|story| story.risk);
    plan.choices.self_verification = Choices::suggested_self_verification(risks);
    if plan.objective.is_empty() {
        plan.objective = TO_DO.to_owned();
    }
    Ok(Imported { plan: plan.as_read()?, notes })
}

/// The blocks of a file; what is hidden in it is not taken over.
fn page_of(file: &str, text: &str) -> Result<Page, Vec<Mistake>> {
    if text.len() > super::read::MAX_BYTES {
        let what = "the file is larger than a plan can be";
        return Err(vec![Mistake::new((file, Place::START), "", what, "cut it")]);
    }
    let visible = |c: char| c == '\n' || !page::is_hidden(c);
    let text: String = unix(text).chars().filter(|c| visible(*c)).collect();
    Ok(page::read(&text))
}

/// A heading with its line, and what stands below it.
type Part<'b> = (Option<(&'b str, usize)>, &'b [Block]);

/// The blocks below the headings of one level, with what stands before the first.
fn parts(blocks: &[Block], level: usize) -> Vec<Part<'_>> {
    let mut parts = Vec::new();
    let (mut head, mut start) = (None, 0);
    for (at, block) in blocks.iter().enumerate() {
        if let Kind::Heading { level: this, text } = &block.kind
            && *this == level
        {
            parts.push((head, &blocks[start..at]));
            (head, start) = (Some((text.as_str(), block.line)), at + 1);
        }
    }
    parts.push((head, &blocks[start..]));
    parts
}

/// `[ ] text` without its box.
fn unboxed(text: &str) -> &str {
    let rest = ["[ ]", "[x]", "[X]"].iter().find_map(|mark| text.strip_prefix(mark));
    rest.unwrap_or(text).trim()
}

/// A text on one line, without emphasis at its start.
fn plain(text: &str) -> String {
    unboxed(text.trim()).split_whitespace().collect::<Vec<_>>().join(" ")
}
