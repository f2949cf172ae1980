//! The trail of a run: its journal, iteration by iteration.
//!
//! An iteration is one start of an attempt. Reading is lenient where the machine of a run is strict:
//! what retention took is missing, and the rest is still told.

use std::collections::BTreeMap;

use jiff::Timestamp;
use serde::Serialize;

use super::status::Ending;
use crate::agent::{AgentSpec, Heard, Usage};
use crate::claim::Claimed;
use crate::id::{Digest, ObjectId};
use crate::receipt::{Execution, Receipt};
use crate::run::{
    AskFor, Consequence, Examined, Opened, Outcome, Outside, Reviewed, Ruling, RunEvent, Verified,
};
use crate::stamp::Stamp;

/// One event of a journal; what retention took has no body.
#[derive(Debug, Clone)]
pub struct Dated {
    pub sequence: u64,
    pub at: Timestamp,
    pub event: Option<RunEvent>,
}

/// One start of a worker.
#[derive(Debug, Clone, Serialize)]
pub struct Work {
    /// As the user named it.
    pub agent: String,
    pub prompt: Digest,
    pub at: Timestamp,
    /// How it ended; absent while it is at work.
    pub execution: Option<Execution>,
    pub heard: Option<Heard>,
    pub is_interrupted: bool,
}

/// One start of a verifier.
#[derive(Debug, Clone, Serialize)]
pub struct Judging {
    /// Counted from 0.
    pub verifier: u32,
    pub prompt: Digest,
    pub at: Timestamp,
    pub verified: Option<Verified>,
    pub is_interrupted: bool,
}

/// One start of an attempt, and what became of it.
#[derive(Debug, Clone, Serialize)]
pub struct Iteration {
    /// Counted from 1 over all runs of a story.
    pub number: u32,
    pub attempt: u32,
    pub began_at: Timestamp,
    /// When something happened in it last.
    pub last_at: Timestamp,
    /// The tree that it began with.
    pub from: Option<ObjectId>,
    pub review: Option<Reviewed>,
    pub worker: Option<Work>,
    pub claimed: Option<Claimed>,
    /// The tree that it handed over, or left when it was cut off.
    pub tree: Option<ObjectId>,
    pub handed_at: Option<Timestamp>,
    pub nested: Vec<String>,
    pub unheld: Vec<String>,
    /// What changed in the user's own repository while its agents were at work.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub outside: Vec<Outside>,
    pub receipts: Vec<Receipt>,
    pub examined: Option<Examined>,
    pub examined_at: Option<Timestamp>,
    pub judgings: Vec<Judging>,
    pub rulings: Vec<Ruling>,
}

/// A question to a person, and the answer.
#[derive(Debug, Clone, Serialize)]
pub struct Asked {
    pub number: u32,
    pub ask_for: AskFor,
    pub checkpoint: String,
    pub at: Timestamp,
    /// The iteration that it is about.
    pub iteration: u32,
    pub answer: Option<Answered>,
}

#[derive(Debug, Clone, Serialize)]
pub struct Answered {
    pub choice: String,
    pub consequence: Consequence,
    pub words: String,
    pub by: String,
    pub at: Timestamp,
}

/// A run, iteration by iteration.
#[derive(Debug, Clone, Serialize)]
pub struct Trail {
    pub run: Stamp,
    pub opened: Opened,
    pub opened_at: Timestamp,
    pub last_at: Timestamp,
    pub iterations: Vec<Iteration>,
    pub questions: Vec<Asked>,
    pub outcome: Option<Outcome>,
    /// Events that were read.
    pub events: u64,
    /// Events of which only the hash is left.
    pub gone: u64,
}

impl Trail {
    /// How the run ended, as far as it knows itself.
    pub fn ending(&self) -> Option<Ending> {
        self.outcome.as_ref().map(|outcome| Ending::of_run(outcome, self.opened.lands()))
    }

    /// The trail of a journal; `None` if its first event is gone. `counted` has how many iterations
    /// each story had before, so that those of its next run are counted on.
    pub fn read(events: Vec<Dated>, counted: &mut BTreeMap<String, u32>) -> Option<Self> {
        let mut events = events.into_iter();
        let first = events.next()?;
        let RunEvent::Opened(opened) = first.event? else { return None };
        let mut trail = Self {
            run: opened.contract.run,
            opened: *opened,
            opened_at: first.at,
            last_at: first.at,
            iterations: Vec::new(),
            questions: Vec::new(),
            outcome: None,
            events: 1,
            gone: 0,
        };
        let counted = counted.entry(trail.leg()).or_default();
        let before = *counted;
        if trail.is_handed() {
            trail.begin(1, first.at, before);
        }
        for dated in events {
            trail.events += 1;
            trail.last_at = dated.at;
            match dated.event {
                Some(event) => trail.take(event, dated.at, before),
                None => trail.gone += 1,
            }
        }
        *counted = before.saturating_add(u32::try_from(trail.iterations.len()).unwrap_or(u32::MAX));
        Some(trail)
    }

    /// What the run is for: a story of a plan, all of them together, or a goal.
    pub fn leg(&self) -> String {
        match self.opened.crew.as_ref().and_then(|crew| crew.story.as_ref()) {
            Some(story) => story.story.clone(),
            None if self.is_handed() => "ALL".to_owned(),
            None => "GOAL".to_owned(),
        }
    }

    /// The criteria that its story has.
    pub fn criteria(&self) -> &[String] {
        let story = self.opened.crew.as_ref().and_then(|crew| crew.story.as_ref());
        story.map(|story| &story.criteria[..]).unwrap_or_default()
    }

    /// All that its agents used, as far as it is known.
    pub fn used(&self) -> Usage {
        self.iterations.iter().map(Iteration::used).sum()
    }

    fn is_handed(&self) -> bool {
        self.opened.crew.as_ref().is_some_and(|crew| crew.handed.is_some())
    }

    fn has_worker(&self) -> bool {
        self.iterations.last().is_some_and(|iteration| iteration.worker.is_some())
    }

    fn begin(&mut self, attempt: u32, at: Timestamp, before: u32) -> usize {
        let count = u32::try_from(self.iterations.len()).unwrap_or(u32::MAX);
        self.iterations.push(Iteration::new(before.saturating_add(count) + 1, attempt, at));
        self.iterations.len() - 1
    }

    /// The iteration that events are about now; one is made up where its beginning is gone.
    fn current(&mut self, at: Timestamp, before: u32) -> &mut Iteration {
        let index = match self.iterations.len() {
            0 => self.begin(1, at, before),
            many => many - 1,
        };
        &mut self.iterations[index]
    }

    fn take(&mut self, event: RunEvent, at: Timestamp, before: u32) {
        match event {
            RunEvent::Prepared { attempt, tree, .. } => {
                let index = self.begin(attempt, at, before);
                self.iterations[index].from = Some(tree);
            }
            RunEvent::Launched { attempt, .. } if self.has_worker() => {
                // Its beginning is gone.
                let index = self.begin(attempt, at, before);
                let worker = self.opened.worker.clone();
                self.iterations[index].take(event, at, worker);
            }
            RunEvent::Closed(outcome) => self.outcome = Some(outcome),
            RunEvent::Asked { number, ask_for, checkpoint } => {
                let iteration = self.current(at, before).number;
                let asked = Asked { number, ask_for, checkpoint, at, iteration, answer: None };
                self.questions.push(asked);
            }
            RunEvent::Resolved { number, choice, consequence, words, by, at } => {
                let answer = Answered { choice, consequence, words, by, at };
                let asked = self.questions.iter_mut().rfind(|asked| asked.number == number);
                if let Some(asked) = asked {
                    asked.answer = Some(answer);
                }
            }
            RunEvent::Opened(_)
            | RunEvent::Waited { .. }
            | RunEvent::Committed { .. }
            | RunEvent::CancelRequested { .. } => {}
            event => {
                let worker = self.opened.worker.clone();
                self.current(at, before).take(event, at, worker);
            }
        }
    }
}

impl Iteration {
    fn new(number: u32, attempt: u32, at: Timestamp) -> Self {
        Self {
            number,
            attempt,
            began_at: at,
            last_at: at,
            from: None,
            review: None,
            worker: None,
            claimed: None,
            tree: None,
            handed_at: None,
            nested: Vec::new(),
            unheld: Vec::new(),
            outside: Vec::new(),
            receipts: Vec::new(),
            examined: None,
            examined_at: None,
            judgings: Vec::new(),
            rulings: Vec::new(),
        }
    }

    fn take(&mut self, event: RunEvent, at: Timestamp, worker: String) {
        self.last_at = at;
        self.outside.extend_from_slice(event.outside());
        match event {
            RunEvent::Reviewed(reviewed) => self.review = Some(*reviewed),
            RunEvent::Launched { prompt, agent, .. } => {
                let agent = agent.as_ref().map_or(worker, AgentSpec::to_string);
                let (execution, heard, is_interrupted) = (None, None, false);
                self.worker = Some(Work { agent, prompt, at, execution, heard, is_interrupted });
            }
            RunEvent::Interrupted { tree, .. } => {
                self.tree = tree;
                if let Some(work) = &mut self.worker {
                    work.is_interrupted = true;
                }
            }
            RunEvent::Worked { execution, heard, .. } => {
                if let Some(work) = &mut self.worker {
                    work.execution = Some(*execution);
                    work.heard = heard.map(|heard| *heard);
                }
            }
            RunEvent::Claimed { claimed, .. } => self.claimed = Some(claimed),
            RunEvent::Snapshotted { tree, nested, unheld, .. } => {
                (self.tree, self.handed_at) = (Some(tree), Some(at));
                (self.nested, self.unheld) = (nested, unheld);
            }
            RunEvent::Checked(receipt) => self.receipts.push(*receipt),
            RunEvent::Examined(examined) => {
                (self.examined, self.examined_at) = (Some(*examined), Some(at));
            }
            RunEvent::VerifierLaunched { verifier, prompt, .. } => {
                let (verified, is_interrupted) = (None, false);
                self.judgings.push(Judging { verifier, prompt, at, verified, is_interrupted });
            }
            RunEvent::Verified(verified) => {
                if let Some(judging) = self.judgings.last_mut() {
                    judging.verified = Some(*verified);
                }
            }
            RunEvent::VerifierInterrupted { .. } => {
                if let Some(judging) = self.judgings.last_mut() {
                    judging.is_interrupted = true;
                }
            }
            RunEvent::Ruled(ruling) => self.rulings.push(ruling),
            _ => {}
        }
    }
}
