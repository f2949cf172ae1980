//! Whether a plan is good enough to be worked on: no criterion is ambiguous, no layer is open,
//! every criterion has enough tests, stories are small and stand by themselves.
//!
//! A law that the user waived for a story is a warning there, with the reason.

mod command;
mod expected;
mod layers;
mod stories;
mod tests_of;

use std::collections::BTreeMap;

use serde::Serialize;

use super::ambiguity::{Gate, Score, lower, score};
use super::expected::Expectations;
use super::id::{CriterionId, StoryId};
use super::read::Names;
use super::types::{Law, Plan, Story};
use crate::id::Digest;

/// What was found, and the scores.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Checked {
    pub hash: Digest,
    pub scores: Vec<Scored>,
    /// How many rows of the table are compared with what their command prints.
    pub expected: Expectations,
    /// In the order of their lines.
    pub shortcomings: Vec<Shortcoming>,
}

/// The score of one criterion.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Scored {
    pub story: StoryId,
    pub criterion: CriterionId,
    pub total: u8,
    pub gate: Gate,
    #[serde(flatten)]
    pub score: Score,
}

/// One thing that is not as it should be.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Shortcoming {
    pub severity: Severity,
    /// The rule: `ambiguity`, `layers`, `tests`, `size`, `cases`, `reference`, `command`, `waiver`,
    /// `consensus`, `mutation` or `expected`.
    pub rule: &'static str,
    pub file: String,
    pub line: usize,
    /// Which story, criterion or layer.
    pub subject: String,
    pub what: String,
    pub fix: String,
}

/// How grave it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Severity {
    /// The plan can't be used.
    Refuse,
    /// It can.
    Warn,
}

impl Checked {
    /// Whether the plan can be used.
    pub fn passes(&self) -> bool {
        self.refusals().next().is_none()
    }

    pub fn refusals(&self) -> impl Iterator<Item = &Shortcoming> {
        self.shortcomings.iter().filter(|one| one.severity == Severity::Refuse)
    }
}

impl Plan {
    /// Checks the plan. `names` are those of its files, in messages.
    pub fn check(&self, names: &Names) -> Checked {
        self.check_with(names, &BTreeMap::new())
    }

    /// As [`Plan::check`], with scores that somebody else gave. They only lower ours.
    pub fn check_with(
        &self,
        names: &Names,
        judged: &BTreeMap<(StoryId, CriterionId), Score>,
    ) -> Checked {
        let mut found = Findings { names, shortcomings: Vec::new() };
        let scores = scores(self, judged);
        ambiguity(self, &scores, &mut found);
        for story in &self.stories {
            stories::check(story, &mut found);
            layers::of_story(self, story, &mut found);
            tests_of::check(self, story, &mut found);
        }
        layers::of_plan(self, &mut found);
        command::check(self, &mut found);
        expected::check(self, &mut found);
        let mut shortcomings = found.shortcomings;
        // The PRD comes first, as it is read first.
        shortcomings.sort_by_key(|one| (one.file != names.prd, one.line, one.severity));
        Checked { hash: self.hash(), scores, expected: self.expectations(), shortcomings }
    }
}

/// Collects shortcomings.
struct Findings<'n> {
    names: &'n Names,
    shortcomings: Vec<Shortcoming>,
}

/// Where something is found.
#[derive(Clone, Copy)]
enum Place {
    Prd(usize),
    Spec(usize),
}

/// One thing to be told: the rule, how grave it is, and what it is about.
struct About {
    severity: Severity,
    rule: &'static str,
    subject: String,
}

impl Findings<'_> {
    fn add(&mut self, about: About, place: Place, what: impl Into<String>, fix: impl Into<String>) {
        let About { severity, rule, subject } = about;
        let (file, line) = match place {
            Place::Prd(line) => (&self.names.prd, line),
            Place::Spec(line) => (&self.names.spec, line),
        };
        self.shortcomings.push(Shortcoming {
            severity,
            rule,
            file: file.clone(),
            line,
            subject,
            what: what.into(),
            fix: fix.into(),
        });
    }
}

// Ids and texts alike: callers read better without a '&'.
#[allow(clippy::needless_pass_by_value)]
fn refuse(rule: &'static str, subject: impl ToString) -> About {
    About { severity: Severity::Refuse, rule, subject: subject.to_string() }
}

#[allow(clippy::needless_pass_by_value)]
fn warn(rule: &'static str, subject: impl ToString) -> About {
    About { severity: Severity::Warn, rule, subject: subject.to_string() }
}

/// Refused, unless the user waived the law for this story.
fn unless_waived(story: &Story, law: Law, rule: &'static str, subject: impl ToString) -> About {
    match story.waives(law).filter(|waiver| stories::flaw_of(waiver).is_none()) {
        Some(_) => About {
            severity: Severity::Warn,
            rule,
            subject: format!("{} ({law} is waived)", subject.to_string()),
        },
        None => refuse(rule, subject),
    }
}

fn scores(plan: &Plan, judged: &BTreeMap<(StoryId, CriterionId), Score>) -> Vec<Scored> {
    let mut scores = Vec::new();
    for story in &plan.stories {
        for criterion in &story.criteria {
            let ours = score(criterion);
            let theirs = judged.get(&(story.id, criterion.id));
            let score = theirs.map_or_else(|| ours.clone(), |theirs| lower(&ours, theirs));
            let (total, gate) = (score.total(), score.gate());
            scores.push(Scored { story: story.id, criterion: criterion.id, total, gate, score });
        }
    }
    scores
}

fn ambiguity(plan: &Plan, scores: &[Scored], found: &mut Findings<'_>) {
    for scored in scores.iter().filter(|scored| scored.gate != Gate::Pass) {
        let Some(story) = plan.story(scored.story) else { continue };
        let line = story.criterion(scored.criterion).map_or(story.line.0, |one| one.line.0);
        let subject = format!("{} {}", scored.story, scored.criterion);
        let about = match scored.gate {
            Gate::Reject => unless_waived(story, Law::Ambiguity, "ambiguity", subject),
            Gate::Warn | Gate::Pass => warn("ambiguity", subject),
        };
        let low = scored.score.low();
        let low: Vec<String> = low
            .iter()
            .map(|one| format!("{} {}: {}", one.dimension, one.points, one.reason))
            .collect();
        let what = format!("it scores {} of 12 ({})", scored.total, low.join("; "));
        let fix = "name who it is for, one behaviour, exact values and what comes of them";
        found.add(about, Place::Prd(line), what, fix);
    }
}
