//! What the rows of a test-spec expect. What is written as code is what a row's command must print, all of
//! it but the white space around it, and we compare that ourselves. Prose is for people and verifiers.

use serde::Serialize;

use super::code::spanned;
use super::id::StoryId;
use super::types::{EndToEnd, Mapped, Plan};
use crate::verify::{Example, SpecRow};

/// How many rows are compared, and which are not.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Expectations {
    pub compared: usize,
    /// The lines of rows that expect something in prose.
    pub prose: Vec<usize>,
}

/// A row whose command can't print what it must, since something else is expected of it as well.
pub(super) struct Contradiction<'p> {
    pub(super) row: &'p Mapped,
    /// What is expected elsewhere, and where.
    pub(super) other: &'p str,
    pub(super) place: String,
}

impl Mapped {
    /// What its command must print, if that is said: all of what is expected is one code span.
    pub fn printed(&self) -> Option<&str> {
        spanned(&self.expected).map(str::trim).filter(|text| !text.is_empty())
    }
}

impl Plan {
    pub fn expectations(&self) -> Expectations {
        let mut all = Expectations::default();
        for row in &self.spec.mapping {
            match row.printed() {
                Some(_) => all.compared += 1,
                None => all.prose.push(row.line.0),
            }
        }
        all
    }

    /// What commands of a story must print. One command that is expected to print the same by several rows
    /// is there once, with all of them.
    pub fn examples_of(&self, story: StoryId) -> Vec<Example> {
        examples(self.spec.mapping.iter().filter(|row| row.story == story))
    }

    /// What commands must print when all stories are there: those of the rows, and the known inputs.
    pub fn release_examples(&self) -> Vec<Example> {
        let mut all = examples(self.spec.mapping.iter());
        all.extend(self.known_inputs().map(|(_, end)| Example::new(&end.command, &end.expected)));
        all
    }

    /// Rows of which at most one can hold.
    pub(super) fn contradictions(&self) -> Vec<Contradiction<'_>> {
        let mut found = Vec::new();
        let mut known: Vec<(&str, &str, String)> = self
            .known_inputs()
            .map(|(name, end)| {
                let place = format!("'{name} expected' of L3");
                (end.command.as_str(), end.expected.trim(), place)
            })
            .collect();
        for row in &self.spec.mapping {
            let Some(printed) = row.printed() else { continue };
            match known.iter().find(|(command, ..)| *command == row.command) {
                Some((_, other, place)) if *other != printed => {
                    found.push(Contradiction { row, other, place: place.clone() });
                }
                Some(_) => {}
                None => known.push((&row.command, printed, format!("line {}", row.line.0))),
            }
        }
        found
    }

    fn known_inputs(&self) -> impl Iterator<Item = (&'static str, &EndToEnd)> {
        let both = [("Happy", &self.spec.happy), ("Error", &self.spec.error)];
        both.into_iter().filter_map(|(name, end)| end.as_ref().map(|end| (name, end)))
    }
}

fn examples<'p>(rows: impl Iterator<Item = &'p Mapped>) -> Vec<Example> {
    let mut all: Vec<Example> = Vec::new();
    for row in rows {
        let Some(printed) = row.printed() else { continue };
        let known = all.iter().position(|one| one.command == row.command && one.prints == printed);
        let at = known.unwrap_or_else(|| {
            all.push(Example::new(&row.command, printed));
            all.len() - 1
        });
        all[at].rows.push(SpecRow {
            story: row.story.to_string(),
            criterion: row.criterion.to_string(),
            test: row.test.clone(),
        });
    }
    all
}
