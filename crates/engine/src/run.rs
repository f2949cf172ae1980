//! One goal from contract to ruling, with real worktrees, processes and checks.
//!
//! The driver is a loop of four steps: ask the run what comes next, perform it, append what
//! happened, take it in. It holds the run's lease while it does; everything it knows is in the
//! journal, so it may be killed at any point and another one goes on.

mod agent;
mod asking;
mod checkouts;
mod crew;
mod effects;
mod examine;
mod kin;
mod live;
mod open;
mod operations;
mod outside;
mod results;
mod unseen;
mod waiting;
mod watch;

use std::path::PathBuf;

use countersign_domain::Stamp;
use countersign_domain::checkpoint::CheckpointId;
use countersign_domain::ledger::{Event, Stored as _};
use countersign_domain::run::{AskFor, Effect, Next, Outcome, RefusedBecause, Run, RunEvent, Step};
use countersign_store::{Appended, Expected, Store, ViewChange};

pub(crate) use agent::program_of;
pub(crate) use effects::supervisor;
pub(crate) use effects::{clear_run_folder, commit_message};
pub use live::Live;
pub(crate) use open::agent;
pub use open::{CrewWish, Goal, MAX_GOAL_BYTES};
pub(crate) use open::{asked_budget, with_budget};
pub(crate) use operations::{KEPT, of_output};
pub use operations::{Operation, Went};

use crate::Engine;
use crate::error::{Error, Kind, Result};
use crate::query::{receipt_row, stream_of, summary_row};

/// What a watcher of a run is told after each event.
#[derive(Debug)]
pub struct Progress<'a> {
    pub run: &'a Run,
    pub sequence: u64,
    pub event: &'a RunEvent,
}

/// Where a run stands when nothing more can be done for it now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Driven {
    Ended(Outcome),
    /// A person has to answer first.
    Waiting {
        checkpoint: CheckpointId,
        ask_for: AskFor,
    },
}

/// Someone else's event came first.
struct Overtaken;

impl Engine {
    /// Performs `run` until it ends or a person has to answer. `watch` is told of every event.
    pub fn drive(&mut self, run: Stamp, watch: &mut dyn FnMut(&Progress<'_>)) -> Result<Driven> {
        let _lease = self.store.lease(&RunEvent::stream(run))?;
        // Drivers that were killed leave the output they were writing, gigabytes at worst.
        self.store.blobs().sweep()?;
        self.sweep_verifications();
        let driven = self.steps(run, watch);
        self.repository.expect_no_updates();
        driven.map_err(|error| match error.hint {
            _ if error.kind == Kind::Unavailable && !Store::is_made(&self.state) => self.gone(),
            Some(_) => error,
            None => error.hint(format!("mend that, then: countersign resume {run}")),
        })
    }

    /// Somebody removed the ledger while we were at work.
    fn gone(&self) -> Error {
        let place = self.state.display();
        Error::new(Kind::Tampered, format!("the ledger's folder '{place}' was removed meanwhile"))
            .hint(
                "only a copy of that folder brings it back; without one, what it held is lost, and \
                 `countersign ledger verify` names the ledger that is gone",
            )
    }

    /// The loop itself. Whatever fails leaves a journal that can be gone on with.
    fn steps(&mut self, run: Stamp, watch: &mut dyn FnMut(&Progress<'_>)) -> Result<Driven> {
        let mut run = self.load(run)?;
        self.lead(run.id());
        // One that was only opened has started nothing.
        if run.sequence > 1
            && let Some(words) = self.end_abandoned(&[run.id()])?
        {
            self.tell_wait(&words);
        }
        let mut next = run.next_after_takeover();
        if matches!(next, Next::Done(_)) {
            // Its driver may have been killed between the last event and the seal over it.
            self.seal()?;
            self.record_run_results(&run)?;
        }
        loop {
            let event = match next {
                Next::Done(outcome) => return Ok(Driven::Ended(outcome)),
                Next::Perform(effect) => self.perform(&run, effect)?,
                Next::Answer { number, ask_for, .. } => {
                    match asking::answer(self, &run, number, ask_for)? {
                        Some(event) => event,
                        None => {
                            let checkpoint = CheckpointId { run: run.id(), number };
                            return Ok(Driven::Waiting { checkpoint, ask_for });
                        }
                    }
                }
            };
            match self.record(&mut run, &event)? {
                Ok(()) => watch(&Progress { run: &run, sequence: run.sequence, event: &event }),
                Err(Overtaken) => self.take_in_cancellation(&mut run)?,
            }
            self.seal_at(&event)?;
            if matches!(event, RunEvent::Closed(_)) {
                self.record_run_results(&run)?;
            }
            next = run.next();
        }
    }

    /// Takes in what came first. While we hold the lease, only a cancellation may: whoever
    /// appends anything else wants us to believe what we did not do ourselves.
    fn take_in_cancellation(&self, run: &mut Run) -> Result<()> {
        for event in self.store.read(&stream_of(run.id())?, run.sequence)? {
            let body = event.body.as_deref().unwrap_or_default();
            match RunEvent::decode(&event.kind, body) {
                Ok(cancelled @ RunEvent::CancelRequested { .. }) => run.apply(cancelled)?,
                _ => {
                    let message = format!(
                        "event {} of run {}, {}, was not written by its driver",
                        event.sequence,
                        run.id(),
                        event.kind
                    );
                    let hint = format!("look at `countersign log {}` before going on", run.id());
                    return Err(Error::new(Kind::Tampered, message).hint(hint));
                }
            }
        }
        Ok(())
    }

    /// Appends `event` to the journal and takes it in.
    fn record(
        &mut self,
        run: &mut Run,
        event: &RunEvent,
    ) -> Result<std::result::Result<(), Overtaken>> {
        let expected = run.sequence;
        let mut after = run.clone();
        after.apply(event.clone())?;
        match self.write(&after, expected, event) {
            Ok(_) => {
                *run = after;
                Ok(Ok(()))
            }
            Err(WriteError::Overtaken) => Ok(Err(Overtaken)),
            Err(WriteError::Other(error)) => Err(error),
        }
    }

    /// Appends `event`, with the view rows that follow from the run as it is `after` it.
    fn write(
        &mut self,
        after: &Run,
        expected: u64,
        event: &RunEvent,
    ) -> std::result::Result<Event, WriteError> {
        let (kind, body) = event.encode().map_err(Error::from)?;
        let draft = self.draft(&kind, RunEvent::FORMAT, body);
        let time = format!("{:.6}", draft.time);
        let opened_at = match event {
            RunEvent::Opened(_) => time.clone(),
            _ => self.summary(after.id()).map_or_else(|_| time.clone(), |known| known.opened_at),
        };
        let mut views: Vec<ViewChange> = vec![summary_row(after, &opened_at, &time)?];
        if let RunEvent::Checked(receipt) = event {
            views.push(receipt_row(receipt, expected + 1)?);
        }
        let stream = stream_of(after.id())?;
        let appended = self.store.append(&stream, Expected::Sequence(expected), &[draft], &views);
        match appended {
            Ok(Appended::Written(events)) => events
                .into_iter()
                .next()
                .ok_or_else(|| WriteError::Other(Error::new(Kind::Bug, "an append wrote nothing"))),
            Ok(Appended::Spooled(why)) => Err(WriteError::Other(
                Error::new(
                    Kind::Unavailable,
                    format!("the ledger is not available: {why}. What was done is in the spool"),
                )
                .hint(format!("mend that, then: countersign resume {}", after.id())),
            )),
            Err(countersign_store::Error::Conflict { .. }) => Err(WriteError::Overtaken),
            Err(error) => Err(WriteError::Other(error.into())),
        }
    }

    /// Seals where it matters: when the contract is fixed, before any program of the worker's
    /// making runs, when a ruling is made, and at the end. What runs may try to change the
    /// record of what came before it.
    fn seal_at(&mut self, event: &RunEvent) -> Result<()> {
        match event {
            RunEvent::Opened(_)
            | RunEvent::Launched { .. }
            | RunEvent::Snapshotted { .. }
            | RunEvent::Checked(_)
            | RunEvent::Examined(_)
            | RunEvent::VerifierLaunched { .. }
            | RunEvent::Verified(_)
            | RunEvent::Looked { .. }
            | RunEvent::Ruled(_)
            | RunEvent::Resolved { .. }
            | RunEvent::Closed(_) => self.seal().map(|_| ()),
            RunEvent::Prepared { .. }
            | RunEvent::Interrupted { .. }
            | RunEvent::Worked { .. }
            | RunEvent::Reviewed(_)
            | RunEvent::Claimed { .. }
            | RunEvent::VerifierInterrupted { .. }
            | RunEvent::Waited { .. }
            | RunEvent::Asked { .. }
            | RunEvent::Committed { .. }
            | RunEvent::CancelRequested { .. } => Ok(()),
        }
    }

    /// Asks for the end of `run`. Needs no lease: the driver notices.
    pub fn cancel(&mut self, run: Stamp, by: &str) -> Result<Run> {
        self.expect_no_worker()?;
        loop {
            let mut run = self.load(run)?;
            if let Some(outcome) = run.outcome() {
                return Err(Error::new(
                    Kind::Refused,
                    format!("run {} has already ended: {}", run.id(), outcome_word(outcome)),
                ));
            }
            if let Step::Committed { branch, .. } = &run.step {
                let message = format!("run {} was accepted; its work is on {branch}", run.id());
                let hint = format!("countersign resume {} ends it", run.id());
                return Err(Error::new(Kind::Refused, message).hint(hint));
            }
            let event = RunEvent::CancelRequested { by: by.to_owned() };
            if self.record(&mut run, &event)?.is_ok() {
                return Ok(run);
            }
        }
    }

    /// What an agent of `run` is doing right now, if one is at work.
    pub fn live(&self, run: Stamp) -> Option<Live> {
        Live::read(&self.run_folder(run))
    }

    /// Where checkouts are kept that were used, for the next ones.
    pub(crate) fn spares_folder(&self) -> PathBuf {
        self.home.work(&self.state).join("spares")
    }

    /// The folder that holds the checkouts of `run`.
    pub(crate) fn run_folder(&self, run: Stamp) -> PathBuf {
        self.home.work(&self.state).join(run.to_string())
    }

    fn perform(&mut self, run: &Run, effect: Effect) -> Result<RunEvent> {
        effects::perform(self, run, effect)
    }
}

enum WriteError {
    Overtaken,
    Other(Error),
}

impl From<Error> for WriteError {
    fn from(error: Error) -> Self {
        Self::Other(error)
    }
}

/// An outcome in a word, for messages.
pub fn outcome_word(outcome: &Outcome) -> &'static str {
    match outcome {
        Outcome::Accepted { .. } => "accepted",
        // A person ended it; nobody judged it.
        Outcome::Refused { because: RefusedBecause::Cancelled } => "cancelled",
        Outcome::Refused { .. } => "refused",
    }
}
