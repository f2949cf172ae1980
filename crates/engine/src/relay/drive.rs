//! The driver of a relay.

use std::collections::BTreeMap;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::time::Duration;

use countersign_domain::Stamp;
use countersign_domain::checkpoint::CheckpointId;
use countersign_domain::ledger::Stored as _;
use countersign_domain::relay::{Leg, Move, Next, Relay, RelayEvent, RelayOutcome};
use countersign_domain::run::{Run, RunEvent};
use countersign_git::Repository;
use countersign_store::Observer;

use super::{Overtaken, RelayDriven, Told, landing, legs, query, reopen};
use crate::error::{Error, Kind, Result};
use crate::run::Driven;
use crate::{Engine, Host};

/// How soon a cancellation is noticed.
const EVERY: Duration = Duration::from_millis(400);

/// What the thread of a run tells.
enum Message {
    Happened { leg: Leg, run: Box<Run>, event: Box<RunEvent> },
    Stopped { leg: Leg, run: Stamp, driven: Result<Driven> },
}

/// A relay at work.
struct Work<'w> {
    relay: Relay,
    watch: &'w mut dyn FnMut(&Told<'_>),
    /// Runs with a thread of their own.
    driving: BTreeMap<Stamp, Leg>,
    /// Runs that wait for a person.
    waiting: BTreeMap<Stamp, CheckpointId>,
    /// What went wrong; nothing new is begun then.
    failed: Option<Error>,
    is_told_cancelled: bool,
    is_told_edited: bool,
    send: Sender<Message>,
}

impl Engine {
    /// Performs a relay until it ends, or nothing can go on before people answer.
    pub fn drive_relay(
        &mut self,
        relay: Stamp,
        watch: &mut dyn FnMut(&Told<'_>),
    ) -> Result<RelayDriven> {
        let _lease = self.store.lease(&RelayEvent::stream(relay))?;
        let (send, heard) = mpsc::channel();
        let mut work = Work {
            relay: self.load_relay(relay)?,
            watch,
            driving: BTreeMap::new(),
            waiting: BTreeMap::new(),
            failed: None,
            is_told_cancelled: false,
            is_told_edited: false,
            send,
        };
        self.lead(relay);
        self.end_abandoned_by_relay(&mut work)?;
        self.tell_of_edited_plan(&mut work);
        let driven = std::thread::scope(|scope| {
            loop {
                match self.round(&mut work, scope)? {
                    Round::Moved => {}
                    Round::Done(outcome) => return Ok(RelayDriven::Ended(outcome)),
                    Round::Idle if work.driving.is_empty() => match work.failed.take() {
                        Some(error) => return Err(error),
                        None => {
                            let waiting = work.waiting.values().copied().collect();
                            return Ok(RelayDriven::Waiting(waiting));
                        }
                    },
                    Round::Idle => self.hear(&mut work, &heard)?,
                }
            }
        });
        self.repository.expect_no_updates();
        driven.map_err(|error: Error| match error.hint {
            Some(_) => error,
            None => error.hint(format!("mend that, then: countersign resume {relay}")),
        })
    }

    /// Ends what an earlier leader of the relay and of its runs left at work.
    fn end_abandoned_by_relay(&self, work: &mut Work<'_>) -> Result<()> {
        if work.relay.runs.is_empty() {
            return Ok(());
        }
        let runs =
            work.relay.runs.iter().filter(|(leg, run)| work.relay.running(leg) == Some(*run));
        let whose: Vec<Stamp> = runs.map(|(_, run)| *run).chain([work.relay.id()]).collect();
        if let Some(words) = self.end_abandoned(&whose)? {
            (work.watch)(&Told::Note(&words));
        }
        Ok(())
    }

    /// The relay goes by the plan that it was opened with, whatever happens to the files.
    fn tell_of_edited_plan(&self, work: &mut Work<'_>) {
        if work.is_told_edited {
            return;
        }
        let opened = &work.relay.opened;
        let is_same = self.plan(&opened.slug).is_ok_and(|files| files.plan.hash() == opened.plan);
        if !is_same {
            work.is_told_edited = true;
            let words = format!(
                "the plan {} is no longer the one that this relay was opened with; it goes on with that one",
                opened.slug
            );
            (work.watch)(&Told::Note(&words));
        }
    }

    /// Does all that can be done without waiting.
    fn round<'scope>(
        &mut self,
        work: &mut Work<'_>,
        scope: &'scope std::thread::Scope<'scope, '_>,
    ) -> Result<Round> {
        let waiting = work.waiting.keys().copied().collect();
        let moves = match work.relay.next_while(&waiting) {
            Next::Done(outcome) => {
                self.seal()?;
                self.leave_report(&work.relay, work.watch);
                return Ok(Round::Done(outcome));
            }
            Next::Moves(moves) => moves,
        };
        if work.relay.is_cancelled && !work.is_told_cancelled {
            work.is_told_cancelled = true;
            self.cancel_runs(work);
        }
        let mut round = Round::Idle;
        for due in moves {
            if matches!(due, Move::Start(_) | Move::Close(_)) {
                self.tell_of_edited_plan(work);
            }
            let is_new = !matches!(due, Move::Drive { .. });
            if is_new && work.failed.is_some() {
                continue;
            }
            let events = match due {
                Move::Drive { leg, run } => {
                    let is_held = work.waiting.contains_key(&run) && !work.relay.is_cancelled;
                    // After people answered, more may go on than there are places.
                    let is_full = work.driving.len() >= work.relay.opened.jobs.max(1) as usize;
                    if !is_held
                        && !is_full
                        && !work.driving.contains_key(&run)
                        && work.failed.is_none()
                    {
                        work.waiting.remove(&run);
                        legs::open(self, &work.relay, &leg, run)?;
                        work.driving.insert(run, leg.clone());
                        let (host, send) = (self.host().clone(), work.send.clone());
                        let observer = self.store.observer().cloned();
                        let with = (host, observer, self.repository.clone());
                        scope.spawn(move || drive_run(with, leg, run, &send));
                    }
                    continue;
                }
                Move::Start(leg) => vec![legs::start(self, &work.relay, &leg)?],
                Move::Land { story, run } => vec![landing::land(self, &work.relay, &story, run)?],
                Move::Reopen { run } => reopen::reopen(self, &work.relay, run)?,
                Move::Close(outcome) => vec![RelayEvent::Closed(outcome)],
            };
            if let [RelayEvent::Closed(outcome)] = &events[..] {
                self.leave_branch(&work.relay, outcome)?;
            }
            self.take_in(work, &events)?;
            round = Round::Moved;
            // What may be done next depends on what was just done.
            break;
        }
        Ok(round)
    }

    /// Puts on the record what happened at once.
    fn take_in(&mut self, work: &mut Work<'_>, events: &[RelayEvent]) -> Result<()> {
        match self.record_relay(&mut work.relay, events)? {
            Ok(()) => {
                for event in events {
                    (work.watch)(&Told::Relay { relay: &work.relay, event });
                }
                self.seal().map(|_| ())
            }
            Err(Overtaken) => self.take_in_cancellation_of_relay(work),
        }
    }

    /// While we hold the lease, only a cancellation may come from others.
    fn take_in_cancellation_of_relay(&mut self, work: &mut Work<'_>) -> Result<()> {
        let stream = query::stream_of(work.relay.id())?;
        for event in self.store.read(&stream, work.relay.sequence)? {
            let body = event.body.as_deref().unwrap_or_default();
            match RelayEvent::decode(&event.kind, body) {
                Ok(cancelled @ RelayEvent::CancelRequested { .. }) => {
                    work.relay.apply(cancelled)?;
                }
                _ => {
                    let message = format!(
                        "event {} of relay {} was not written by its driver",
                        event.sequence,
                        work.relay.id()
                    );
                    return Err(Error::new(Kind::Tampered, message)
                        .hint("`countersign ledger verify` names what was changed"));
                }
            }
        }
        Ok(())
    }

    fn cancel_runs(&mut self, work: &Work<'_>) {
        let running: Vec<Stamp> = work
            .relay
            .runs
            .iter()
            .filter(|(leg, run)| work.relay.running(leg) == Some(*run))
            .map(|(_, run)| *run)
            .collect();
        for run in running {
            // One that has ended meanwhile needs no end.
            let _ = self.cancel(run, "relay");
        }
    }

    /// Waits for what the runs tell.
    fn hear(&mut self, work: &mut Work<'_>, heard: &Receiver<Message>) -> Result<()> {
        match heard.recv_timeout(EVERY) {
            Ok(Message::Happened { leg, run, event }) => {
                (work.watch)(&Told::Run { leg: &leg, run: &run, event: &event });
                Ok(())
            }
            Ok(Message::Stopped { leg, run, driven }) => {
                work.driving.remove(&run);
                match driven {
                    Ok(Driven::Ended(outcome)) => {
                        self.take_in(work, &[RelayEvent::Ended { leg, run, outcome }])
                    }
                    Ok(Driven::Waiting { checkpoint, .. }) => {
                        work.waiting.insert(run, checkpoint);
                        Ok(())
                    }
                    Err(error) => {
                        work.failed.get_or_insert(error);
                        Ok(())
                    }
                }
            }
            Err(RecvTimeoutError::Timeout) => {
                let newest = self.store.head(&query::stream_of(work.relay.id())?)?;
                if newest.is_some_and(|newest| newest.sequence > work.relay.sequence) {
                    self.take_in_cancellation_of_relay(work)
                } else {
                    Ok(())
                }
            }
            Err(RecvTimeoutError::Disconnected) => {
                Err(Error::new(Kind::Bug, "nobody is left who could tell"))
            }
        }
    }

    /// What was accepted is on a branch at the end, also if it is not all of the plan.
    fn leave_branch(&self, relay: &Relay, outcome: &RelayOutcome) -> Result<()> {
        let branch = match outcome {
            RelayOutcome::Complete { branch, .. } => Some(branch),
            RelayOutcome::Blocked { branch, .. } => branch.as_ref(),
        };
        match branch {
            Some(branch) => Ok(self.repository.branch(branch, &relay.tip)?),
            None => Ok(()),
        }
    }
}

enum Round {
    Moved,
    Idle,
    Done(RelayOutcome),
}

/// Drives one run with an engine of its own.
fn drive_run(
    (host, observer, repository): (Host, Option<Observer>, Repository),
    leg: Leg,
    run: Stamp,
    send: &Sender<Message>,
) {
    let driven = Engine::open(host).and_then(|mut engine| {
        engine.repository = engine.repository.knowing(&repository);
        if let Some(observer) = observer {
            engine.store.observe(observer);
        }
        engine.drive(run, &mut |progress| {
            let (run, event) = (Box::new(progress.run.clone()), Box::new(progress.event.clone()));
            // If nobody listens any more, the journal still has it.
            let _ = send.send(Message::Happened { leg: leg.clone(), run, event });
        })
    });
    let _ = send.send(Message::Stopped { leg, run, driven });
}
