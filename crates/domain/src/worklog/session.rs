//! A session: the fold of its events.

mod doubts;
mod operations;
mod questions;
mod records;
mod steps;
mod turns;

use std::collections::{BTreeMap, BTreeSet};

use jiff::Timestamp;

use super::breaker::{Breaker, Mark};
use super::budget::Budget;
use super::ended::Ended;
use super::event::{Logged, SessionEvent};
use super::opened::Opened;
use super::phase::Progress;
use super::summary::Summary;
use super::todos::TodoList;
use super::verification::Outcome as Checked;
use crate::classify::Tier;
use crate::stamp::Stamp;

pub use records::{At, Decided, Detection, Said, Stopped, Verification};
use steps::Step;
pub use steps::is_foreign;

/// What is left out when there is no time for a summary begins with this.
pub const SKIPPED_SUMMARY: &str = "summary of ";

/// Everything that is known of one session.
#[derive(Debug, Clone, PartialEq)]
pub struct Session {
    pub id: Stamp,
    pub opened: Opened,
    pub opened_at: Timestamp,
    pub updated_at: Timestamp,
    /// The strictest tier of its prompts, or what a person said.
    pub tier: Tier,
    /// When the newest prompt came.
    pub prompted_at: Timestamp,
    /// All prompts, the first one included.
    pub prompts: Vec<String>,
    pub todos: TodoList,
    /// One a call, in the order in which they were first heard of.
    pub operations: Vec<At<Logged>>,
    by_call: BTreeMap<String, usize>,
    /// Operations that hooks told of and nobody made, by their place.
    unmade: BTreeSet<usize>,
    /// When the end of a background command was told, by its place.
    notified: BTreeMap<usize, Timestamp>,
    /// What todos and phases follow from.
    steps: Vec<Step>,
    pub verifications: Vec<At<Verification>>,
    pub resolutions: Vec<At<Decided>>,
    /// How many checks of the list the newest decision was about.
    decided_after: usize,
    pub summaries: Vec<Summary>,
    pub said: Vec<At<Said>>,
    /// What happened since the last summary.
    pub progress: Progress,
    /// How much had been said when the newest prompt came. Not when it came: clocks jump.
    said_before: usize,
    pub detections: Vec<At<Detection>>,
    pub resumed: u32,
    pub compacted: u32,
    pub silenced: Vec<String>,
    /// Why the record has holes, or says what did not happen.
    pub incomplete: Option<String>,
    doubts: Vec<String>,
    /// Why nothing but hooks tells what is on the record.
    pub unconfirmed: Option<String>,
    pub missing: u32,
    pub troubles: u32,
    pub skipped: u32,
    /// What was left out in the present phase.
    left_out: Vec<String>,
    /// How many entries the memory backend was sent last, and when.
    pub published: u32,
    pub published_at: Timestamp,
    /// How far each transcript was compared.
    pub reconciled: BTreeMap<String, u64>,
    /// The time that we take for ourselves in the present phase.
    pub budget: Budget,
    pub breaker: Breaker,
    /// The newest tree that was recorded.
    pub tree: Option<crate::id::ObjectId>,
    /// The end of the last turn; taken back by a further prompt.
    pub ended: Option<Ended>,
    /// An end that is still to be decided about.
    pub stopped: Option<Stopped>,
    /// How many events were taken in.
    pub sequence: u64,
}

impl Session {
    /// The session behind `events`; `None` if they don't begin with its opening.
    pub fn replay(
        id: Stamp,
        events: impl IntoIterator<Item = (Timestamp, SessionEvent)>,
    ) -> Option<Self> {
        let mut events = events.into_iter();
        let mut early = Vec::new();
        let mut session = loop {
            match events.next()? {
                (time, SessionEvent::Opened(opened)) => break Self::new(id, *opened, time),
                // A call that was reported while its session was being opened.
                other => early.push(other),
            }
        };
        for (time, event) in early.into_iter().chain(events) {
            session.apply(time, event);
        }
        Some(session)
    }

    fn new(id: Stamp, opened: Opened, time: Timestamp) -> Self {
        let todos = TodoList::new(opened.taken_over.clone());
        Self {
            id,
            tier: opened.judged.tier,
            prompts: if opened.task.is_empty() { Vec::new() } else { vec![opened.task.clone()] },
            opened,
            opened_at: time,
            prompted_at: time,
            updated_at: time,
            todos,
            operations: Vec::new(),
            by_call: BTreeMap::new(),
            unmade: BTreeSet::new(),
            notified: BTreeMap::new(),
            steps: Vec::new(),
            verifications: Vec::new(),
            resolutions: Vec::new(),
            decided_after: 0,
            summaries: Vec::new(),
            said: Vec::new(),
            progress: Progress::default(),
            said_before: 0,
            detections: Vec::new(),
            resumed: 0,
            compacted: 0,
            silenced: Vec::new(),
            incomplete: None,
            doubts: Vec::new(),
            unconfirmed: None,
            missing: 0,
            troubles: 0,
            skipped: 0,
            left_out: Vec::new(),
            published: 0,
            published_at: time,
            reconciled: BTreeMap::new(),
            budget: Budget::default(),
            breaker: Breaker::default(),
            tree: None,
            ended: None,
            stopped: None,
            sequence: 1,
        }
    }

    /// Takes an event in. There are no thresholds here: what was decided was decided once.
    pub fn apply(&mut self, time: Timestamp, event: SessionEvent) {
        self.sequence += 1;
        self.updated_at = self.updated_at.max(heard_at(time, &event).unwrap_or(self.updated_at));
        self.breaker.apply(time, mark(&event));
        match event {
            // A session is opened once; a second opening would be a copy of the first.
            SessionEvent::Opened(_)
            | SessionEvent::Notified { .. }
            | SessionEvent::Delegated { .. }
            | SessionEvent::Returned { .. } => {}
            SessionEvent::Prompted { text, judged, flags, process } => {
                self.opened.process = process.or(self.opened.process);
                self.opened.flags.add(flags);
                self.prompted_at = time;
                self.prompt(text, &judged);
            }
            // How it ended before still holds if nothing comes of it.
            SessionEvent::Resumed { .. } => self.resumed += 1,
            SessionEvent::Compacted => self.compacted += 1,
            SessionEvent::Operated(logged) => self.operate(time, *logged),
            SessionEvent::Corrected { call, end } => self.correct(time, &call, end),
            SessionEvent::Verified { attempt, result, mismatches, source } => {
                self.step(Step::Verified(result));
                let what = Verification { attempt, result, mismatches, source };
                self.verifications.push(At { time, what });
            }
            SessionEvent::Resolved { resolution, .. } => {
                self.resolutions.push(At { time, what: Decided { resolution } });
                self.decided_after = self.verifications.len();
            }
            SessionEvent::Summarised(summary) => {
                self.step(Step::Summarised(summary.phase));
                self.summaries.push(*summary);
                self.next_phase();
            }
            SessionEvent::Detected { timed_out, found } => {
                self.detections.push(At { time, what: Detection { timed_out, found } });
            }
            SessionEvent::Told { to, about, text } => {
                self.said.push(At { time, what: Said { to, about, text } });
            }
            SessionEvent::Silenced { file, refused } => {
                if !refused {
                    self.doubt(format!("its hooks were switched off by {file}"));
                }
                self.silenced.push(file);
            }
            SessionEvent::Incomplete { missing, why } => {
                self.missing += missing;
                self.doubt(why);
            }
            SessionEvent::Snapshotted { tree } => self.tree = Some(tree),
            SessionEvent::Troubled { .. } => self.troubles += 1,
            SessionEvent::Spent { work, ms } => {
                self.budget.spend(work, std::time::Duration::from_millis(ms));
            }
            SessionEvent::Skipped { what, .. } => self.skip(what),
            SessionEvent::Reconciled { file, bytes } => {
                self.reconciled.insert(file, bytes);
            }
            SessionEvent::Compared { unmade } => self.compared(&unmade),
            SessionEvent::Unconfirmed { why } => self.unconfirmed = Some(why),
            SessionEvent::Published { entries } => {
                self.published = entries;
                self.published_at = time;
            }
            SessionEvent::Stopped { outcome, because, is_final } => {
                self.stop(outcome.map(|outcome| (outcome, because)), is_final);
            }
            SessionEvent::Ended(ended) => self.end(*ended),
        }
    }
}

/// When something was heard of the session; `None` for what we found out or did ourselves, which
/// may be long after.
fn heard_at(time: Timestamp, event: &SessionEvent) -> Option<Timestamp> {
    match event {
        SessionEvent::Operated(logged) => Some(logged.at.map_or(time, |at| at.min(time))),
        SessionEvent::Corrected { .. }
        | SessionEvent::Incomplete { .. }
        | SessionEvent::Reconciled { .. }
        | SessionEvent::Compared { .. }
        | SessionEvent::Unconfirmed { .. }
        | SessionEvent::Published { .. }
        | SessionEvent::Spent { .. }
        | SessionEvent::Skipped { .. } => None,
        _ => Some(time),
    }
}

/// What an event is to the breaker.
fn mark(event: &SessionEvent) -> Mark {
    match event {
        SessionEvent::Verified { result: Checked::Pass, .. } => Mark::Passed,
        SessionEvent::Verified { result: Checked::Mismatch | Checked::Timeout, .. } => Mark::Failed,
        SessionEvent::Resolved { resolution, .. } => Mark::Resolved(*resolution),
        _ => Mark::Other,
    }
}
