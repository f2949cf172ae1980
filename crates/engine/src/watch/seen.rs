//! What a lookout sees, as of one moment.

use std::collections::BTreeMap;

use countersign_domain::Stamp;
use countersign_domain::agent::Usage;
use countersign_domain::checkpoint::{Checkpoint, CheckpointId};
use countersign_domain::relay::{Leg, RelayEvent, RelayOutcome, Standing};
use countersign_domain::run::{Lands, Outcome, Round, Run, RunEvent, Step};
use jiff::Timestamp;
use serde::Serialize;

use super::Lookout;
use super::folded::{RelayFold, RunFold};
use crate::Engine;
use crate::run::Live;

/// As much of a goal as a list shows.
const GOAL: usize = 200;
/// As much of the last words as is shown.
const WORDS: usize = 2_000;

/// Everything that is seen.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Sight {
    /// Newest first.
    pub runs: Vec<RunSeen>,
    /// Newest first.
    pub relays: Vec<RelaySeen>,
    /// Those that wait, oldest first.
    pub questions: Vec<Checkpoint>,
    /// Older runs that are on the record and not shown.
    pub left_out: usize,
    /// Whether there is a ledger at all.
    pub is_ledger: bool,
}

/// A run as it is seen.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct RunSeen {
    pub run: Stamp,
    /// The relay that it belongs to, and what it does there.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub leg: Option<(Stamp, Leg)>,
    /// The first line of the goal, shortened.
    pub goal: String,
    #[serde(flatten)]
    pub step: Step,
    pub attempt: u32,
    pub attempts: u32,
    /// The last disagreement of its verifiers since a person answered last.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub round: Option<Round>,
    /// Who is at it.
    pub who: Option<String>,
    /// When the last thing happened.
    pub since: Timestamp,
    pub opened_at: Timestamp,
    pub used: Usage,
    /// The question that it waits for.
    pub waits_for: Option<CheckpointId>,
    /// Whether a process drives it, where that can be known.
    pub is_driven: Option<bool>,
    /// What its agent is doing right now.
    pub live: Option<Live>,
    /// What its worker said last. It is a claim.
    pub last_words: String,
    /// Why its journal could not be read to its end.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fault: Option<String>,
    pub sequence: u64,
}

impl RunSeen {
    pub fn outcome(&self) -> Option<&Outcome> {
        match &self.step {
            Step::Closed { outcome } => Some(outcome),
            _ => None,
        }
    }
}

impl RunSeen {
    /// When its commit lands.
    pub fn lands(&self) -> Lands {
        match self.leg {
            Some((_, Leg::Story(_))) => Lands::InTurn,
            _ => Lands::AtOnce,
        }
    }
}

/// A story of a relay.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct StorySeen {
    pub id: String,
    pub title: String,
    #[serde(flatten)]
    pub standing: Standing,
    /// How often it was taken up again.
    pub reopened: u32,
}

/// A relay as it is seen.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct RelaySeen {
    pub relay: Stamp,
    pub slug: String,
    pub objective: String,
    pub stories: Vec<StorySeen>,
    /// Where all stories together stand.
    pub release: Option<Standing>,
    pub is_cancelled: bool,
    pub outcome: Option<RelayOutcome>,
    pub since: Timestamp,
    pub opened_at: Timestamp,
    /// What its runs used, as far as they are looked at.
    pub used: Usage,
    pub is_driven: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fault: Option<String>,
    pub sequence: u64,
}

impl Lookout {
    pub(super) fn sight(&self, engine: Option<&Engine>) -> Sight {
        let Some(engine) = engine else { return Sight::default() };
        let mut legs: BTreeMap<Stamp, (Stamp, Leg)> = BTreeMap::new();
        for fold in self.relays.values() {
            let of_relay = |(leg, run): &(Leg, Stamp)| (*run, (fold.relay.id(), leg.clone()));
            legs.extend(fold.relay.runs.iter().map(of_relay));
        }
        let runs: Vec<RunSeen> =
            self.runs.values().rev().map(|fold| run_seen(engine, fold, &legs)).collect();
        let relays =
            self.relays.values().rev().map(|fold| relay_seen(engine, fold, &runs)).collect();
        let questions = self.questions.values().cloned().collect();
        Sight { runs, relays, questions, left_out: self.left_out, is_ledger: true }
    }
}

fn run_seen(engine: &Engine, fold: &RunFold, legs: &BTreeMap<Stamp, (Stamp, Leg)>) -> RunSeen {
    let run = &fold.run;
    let is_open = run.outcome().is_none();
    let live = is_open.then(|| engine.live(run.id())).flatten();
    let working = live.as_ref().map(|live| live.used).unwrap_or_default();
    RunSeen {
        run: run.id(),
        leg: legs.get(&run.id()).cloned().or_else(|| assigned(run)),
        goal: first_line(&run.opened.contract.goal),
        step: run.step.clone(),
        attempt: run.attempt,
        attempts: run.opened.limits.attempts,
        round: run.round().cloned(),
        who: who(run, live.as_ref()),
        since: fold.since,
        opened_at: fold.opened_at,
        used: run.used + working,
        waits_for: match &run.step {
            Step::Asked { number, .. } => Some(CheckpointId { run: run.id(), number: *number }),
            _ => None,
        },
        is_driven: if is_open { driven(engine, &RunEvent::stream(run.id())) } else { None },
        live,
        last_words: last_words(run),
        fault: fold.fault.clone(),
        sequence: run.sequence,
    }
}

/// The story that a run was opened for, by its own record.
fn assigned(run: &Run) -> Option<(Stamp, Leg)> {
    let crew = run.opened.crew.as_ref()?;
    let story = crew.story.as_ref()?;
    let leg = match &crew.handed {
        Some(_) => Leg::Release,
        None => Leg::Story(story.story.clone()),
    };
    Some((story.relay, leg))
}

fn who(run: &Run, live: Option<&Live>) -> Option<String> {
    if let Some(live) = live {
        return Some(live.agent.to_string());
    }
    let crew = run.opened.crew.as_ref();
    match &run.step {
        Step::Launched { .. } => {
            let worker = crew.and_then(|crew| crew.worker(run.rung)).map(ToString::to_string);
            Some(worker.unwrap_or_else(|| run.opened.worker.clone()))
        }
        Step::VerifierLaunched { verifier, .. } => {
            crew?.verifiers.get(*verifier as usize).map(ToString::to_string)
        }
        Step::Snapshotted { .. } => Some("checks".to_owned()),
        Step::Asked { .. } => Some("a person".to_owned()),
        _ => None,
    }
}

/// What the worker of the current attempt said last, or the end of what it printed.
fn last_words(run: &Run) -> String {
    let said = run.heard.as_ref().map(|heard| heard.said.trim()).filter(|said| !said.is_empty());
    let printed = || run.worked.as_ref().map(|worked| worked.output.excerpt.trim());
    let words = said.or_else(printed).unwrap_or_default();
    let skipped = words.chars().count().saturating_sub(WORDS);
    words.chars().skip(skipped).collect()
}

fn relay_seen(engine: &Engine, fold: &RelayFold, runs: &[RunSeen]) -> RelaySeen {
    let relay = &fold.relay;
    let story = |terms: &countersign_domain::relay::StoryTerms| StorySeen {
        id: terms.id.clone(),
        title: first_line(&terms.title),
        standing: relay.stories.get(&terms.id).cloned().unwrap_or(Standing::Open),
        reopened: relay.reopened.get(&terms.id).copied().unwrap_or_default(),
    };
    let is_own = |run: &&RunSeen| run.leg.as_ref().is_some_and(|(id, _)| *id == relay.id());
    let is_open = relay.outcome.is_none();
    RelaySeen {
        relay: relay.id(),
        slug: relay.opened.slug.clone(),
        objective: relay.opened.headline(GOAL),
        stories: relay.opened.stories.iter().map(story).collect(),
        release: relay.release.clone(),
        is_cancelled: relay.is_cancelled,
        outcome: relay.outcome.clone(),
        since: fold.since,
        opened_at: fold.opened_at,
        used: runs.iter().filter(is_own).map(|run| run.used).sum(),
        is_driven: if is_open { driven(engine, &RelayEvent::stream(relay.id())) } else { None },
        fault: fold.fault.clone(),
        sequence: relay.sequence,
    }
}

/// Whether the process that took the lease last is still there. Only Linux tells.
pub(crate) fn driven(engine: &Engine, stream: &str) -> Option<bool> {
    if !cfg!(target_os = "linux") {
        return None;
    }
    let Some(holder) = engine.store.last_holder(stream) else { return Some(false) };
    let found = countersign_exec::caller(Some(holder)).filter(|(pid, _)| *pid == holder);
    Some(found.is_some_and(|(pid, born)| countersign_exec::is_alive(pid, born)))
}

fn first_line(text: &str) -> String {
    let line = text.trim().lines().next().unwrap_or_default();
    // The goal of a story begins with a heading.
    line.trim_start_matches('#').trim_start().chars().take(GOAL).collect()
}
