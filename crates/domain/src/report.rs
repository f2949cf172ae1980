//! LP-21, LP-22: what a run or a relay did, told from its record and nothing else.
//!
//! [`Trail`] is a journal iteration by iteration; [`Report`] is what it shows, in nine sections;
//! [`Document`] is that for readers, as [`markdown()`] and [`html()`]. The same journal gives the same
//! bytes.

mod advice;
mod balance;
mod blind;
mod document;
mod failures;
mod figures;
mod html;
mod iteration;
mod judgement;
mod lifecycle;
mod markdown;
mod plot;
mod process;
mod quality;
mod result;
mod sections;
mod shares;
mod status;
mod text;
mod trail;
mod validation;

use jiff::Timestamp;
use serde::Serialize;

use crate::agent::Usage;
use crate::relay::{Blocked, Relay, RelayEvent};
use crate::run::{Outcome, RefusedBecause};
use crate::stamp::Stamp;

pub use advice::{About, Advice};
pub use document::{Block, Cell, Document, Section, Tone};
pub use figures::{Figures, Point};
pub use html::html;
pub use iteration::ms_between;
pub use markdown::markdown;
pub use result::{Changed, ChangedFile, result};
pub use shares::{Kept, Share};
pub use status::{Ending, LegStatus, Status, Work as AtWork, at_work};
pub use trail::{Answered, Asked, Dated, Iteration, Judging, Trail, Work};

/// A place in a story: what a statement rests on.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Cite {
    /// A story, `ALL` or `GOAL`.
    pub leg: String,
    pub iteration: u32,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub criterion: Option<String>,
}

impl Cite {
    fn new(trail: &Trail, iteration: &Iteration) -> Self {
        Self { leg: trail.leg(), iteration: iteration.number, criterion: None }
    }

    /// The place in as few letters as a table has room for.
    fn short(&self) -> String {
        match self.leg.as_str() {
            "GOAL" => format!("#{}", self.iteration),
            leg => format!("{leg} #{}", self.iteration),
        }
    }

    fn about(self, criterion: impl Into<String>) -> Self {
        Self { criterion: Some(text::short(&criterion.into(), 120)), ..self }
    }
}

impl std::fmt::Display for Cite {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if self.leg != "GOAL" {
            write!(f, "{} ", self.leg)?;
        }
        write!(f, "iteration {}", self.iteration)?;
        match &self.criterion {
            Some(criterion) => write!(f, ", {criterion}"),
            None => Ok(()),
        }
    }
}

/// A statement with the places that it rests on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Remark {
    pub text: String,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub cites: Vec<Cite>,
}

/// A relay's own record.
#[derive(Debug, Clone)]
pub struct RelayTrail {
    pub relay: Relay,
    pub events: Vec<(Timestamp, RelayEvent)>,
}

/// All that a report is made from.
#[derive(Debug, Clone)]
pub struct Source {
    pub relay: Option<RelayTrail>,
    /// Oldest first.
    pub runs: Vec<Trail>,
    /// Runs of which nothing is left but hashes.
    pub lost: Vec<Stamp>,
    /// The relays that this one goes on from, oldest first; their runs are among `runs`.
    pub before: Vec<Stamp>,
}

impl Source {
    fn iterations(&self) -> impl Iterator<Item = (&Trail, &Iteration)> {
        self.runs.iter().flat_map(|trail| trail.iterations.iter().map(move |one| (trail, one)))
    }

    /// The iterations before this one in the same story.
    fn of_leg<'a>(&'a self, leg: &'a str) -> impl Iterator<Item = (&'a Trail, &'a Iteration)> {
        self.iterations().filter(move |(trail, _)| trail.leg() == leg)
    }

    /// The stories in the order of the plan, or of their runs.
    fn legs(&self) -> Vec<String> {
        let mut legs: Vec<String> = Vec::new();
        if let Some(relay) = &self.relay {
            legs.extend(relay.relay.opened.stories.iter().map(|story| story.id.clone()));
        }
        for trail in &self.runs {
            let leg = trail.leg();
            if !legs.contains(&leg) {
                legs.push(leg);
            }
        }
        legs
    }
}

/// What it is about.
#[derive(Debug, Clone, Serialize)]
pub struct Head {
    /// `run` or `relay`.
    pub kind: &'static str,
    pub id: Stamp,
    pub goal: String,
    pub base: String,
    /// The contract's hash, or the plan's.
    pub terms: String,
    pub opened_at: Timestamp,
    pub last_at: Timestamp,
    pub workers: Vec<String>,
    pub verifiers: Vec<String>,
    pub iterations: u64,
    pub used: Usage,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ending: Option<Ending>,
    /// The relays that it goes on from, whose runs are part of it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub goes_on_from: Vec<Stamp>,
    /// Events that it was made from: the number of this version of the report.
    pub events: u64,
}

/// The self-verification report: nine sections, all of them from the record.
#[derive(Debug, Clone, Serialize)]
pub struct Report {
    pub head: Head,
    pub validation: Kept<validation::Row>,
    pub failures: failures::Failures,
    pub process: process::Process,
    pub judgement: judgement::Judgement,
    pub lifecycle: Kept<lifecycle::Life>,
    pub adherence: Kept<lifecycle::Adherence>,
    pub strengths: Kept<Remark>,
    pub weaknesses: Kept<Remark>,
    pub recommendations: Kept<Advice>,
    pub blind_spots: Kept<Remark>,
    pub figures: Figures,
}

impl Report {
    /// The report on `source`; `None` if nothing of it is left.
    pub fn of(source: &Source) -> Option<Self> {
        let head = Head::of(source)?;
        let failures = failures::failures(source);
        let process = process::process(source);
        let judgement = judgement::judgement(source);
        let lives = lifecycle::lives(source);
        let adherence = lifecycle::adherence(source);
        let (strengths, weaknesses) = balance::balance(source, &process, &lives);
        let recommendations = advice::advice(source, &failures, &lives);
        Some(Self {
            head,
            validation: Kept::of(validation::rows(source)),
            failures,
            process,
            judgement,
            lifecycle: Kept::of(lives),
            adherence: Kept::of(adherence),
            strengths: Kept::of(strengths),
            weaknesses: Kept::of(weaknesses),
            recommendations: Kept::of(recommendations),
            blind_spots: Kept::of(blind::spots(source)),
            figures: Figures::of(source),
        })
    }
}

impl Head {
    /// What `source` is about; `None` if nothing of it is left.
    pub fn of(source: &Source) -> Option<Self> {
        let used = source.runs.iter().map(Trail::used).sum();
        let iterations = source.iterations().count() as u64;
        let of_runs: u64 = source.runs.iter().map(|trail| trail.events).sum();
        let last_at = source.runs.iter().map(|trail| trail.last_at).max();
        if let Some(RelayTrail { relay, events }) = &source.relay {
            let opened = &relay.opened;
            let at = events.first().map(|(at, _)| *at)?;
            let last = events.last().map(|(at, _)| *at).into_iter().chain(last_at).max()?;
            let names =
                |all: &[crate::agent::AgentSpec]| all.iter().map(ToString::to_string).collect();
            return Some(Head {
                kind: "relay",
                id: relay.id(),
                goal: text::short(&opened.objective, text::MOST),
                base: opened.base.commit.to_string(),
                terms: opened.plan.to_string(),
                opened_at: at,
                last_at: last,
                workers: names(&opened.workers),
                verifiers: names(&opened.verifiers),
                iterations,
                used,
                ending: relay.outcome.as_ref().map(Ending::of_relay),
                goes_on_from: source.before.clone(),
                events: of_runs + events.len() as u64,
            });
        }
        let trail = source.runs.first()?;
        let crew = trail.opened.crew.as_deref();
        let workers = crew.map(|crew| crew.workers.iter().map(ToString::to_string).collect());
        let verifiers = crew.map(|crew| crew.verifiers.iter().map(ToString::to_string).collect());
        Some(Head {
            kind: "run",
            id: trail.run,
            goal: text::short(&trail.opened.contract.goal, text::MOST),
            base: trail.opened.base.commit.to_string(),
            terms: trail.opened.contract_hash.to_string(),
            opened_at: trail.opened_at,
            last_at: trail.last_at,
            workers: workers.unwrap_or_else(|| vec![text::short(&trail.opened.worker, 200)]),
            verifiers: verifiers.unwrap_or_default(),
            iterations,
            used,
            ending: trail.ending(),
            goes_on_from: Vec::new(),
            events: of_runs,
        })
    }
}

/// Why a relay ended, in the words of the run that stopped it.
fn because_of(blocked: &Blocked) -> Option<RefusedBecause> {
    match blocked {
        Blocked::Story { because, .. } | Blocked::Release { because, .. } => Some(*because),
        Blocked::Cancelled => Some(RefusedBecause::Cancelled),
        Blocked::Reopened { .. } => None,
    }
}

/// Whether a run was accepted.
fn is_accepted(outcome: Option<&Outcome>) -> bool {
    matches!(outcome, Some(Outcome::Accepted { .. }))
}
