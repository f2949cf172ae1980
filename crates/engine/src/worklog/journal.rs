//! The journal of a session: how its events get on the record, and how it is read back.

use std::time::{Duration, Instant};

use countersign_domain::Stamp;
use countersign_domain::ledger::{Draft, Event, Stored as _, Stream};
use countersign_domain::worklog::{Session, SessionEvent};
use countersign_store::{Appended, Entry, Expected, Spool};
use jiff::Timestamp;

use super::rows;
use crate::error::{Error, Kind, Result};
use crate::{Engine, Host};

/// How often a decision is made anew because somebody else wrote meanwhile.
const TURNS: u32 = 8;

/// The stream of `session`.
pub(crate) fn stream_of(session: Stamp) -> Result<Stream> {
    SessionEvent::stream(session)
        .parse()
        .map_err(|error| Error::new(Kind::Bug, format!("a session's stream: {error}")))
}

/// `event` as it is written, by `actor`.
pub(crate) fn draft(host: &Host, actor: &str, event: &SessionEvent) -> Result<Draft> {
    let (kind, body) = event.encode()?;
    Ok(Draft {
        id: host.event_id(),
        time: host.now(),
        actor: actor.to_owned(),
        kind,
        format: SessionEvent::FORMAT,
        body,
    })
}

/// Acknowledges `events` by the spool alone: no database is opened.
pub(crate) fn spool_events(
    host: &Host,
    spool: &Spool,
    (session, actor): (Stamp, &str),
    events: &[SessionEvent],
) -> Result<()> {
    let stream = stream_of(session)?;
    let entries: Result<Vec<Entry>> = events
        .iter()
        .map(|event| {
            let draft = draft(host, actor, event)?;
            Ok(Entry { stream: stream.clone(), expected: None, draft })
        })
        .collect();
    Ok(spool.write(&entries?)?)
}

/// The events as far as this version knows them; `None` if retention took bodies.
pub(crate) fn decoded(events: &[Event]) -> Option<Vec<(Timestamp, SessionEvent)>> {
    let mut decoded = Vec::with_capacity(events.len());
    for event in events {
        let body = event.body.as_ref()?;
        let time: Timestamp = event.time.parse().ok()?;
        // What a newer version wrote is skipped, not misunderstood.
        if let Ok(known) = SessionEvent::decode(&event.kind, body) {
            decoded.push((time, known));
        }
    }
    Some(decoded)
}

/// The fold of a session's events; `None` if its opening is not among them or retention took
/// the bodies.
pub(crate) fn fold(session: Stamp, events: &[Event]) -> Option<Session> {
    let mut session = Session::replay(session, decoded(events)?)?;
    session.sequence = events.last().map_or(0, |event| event.sequence);
    Some(session)
}

impl Engine {
    /// The fold of `session`; `None` if there is none with entries at hand.
    pub(crate) fn live_session(&self, session: Stamp) -> Result<Option<Session>> {
        let events = self.store.read(&stream_of(session)?, 0)?;
        Ok(fold(session, &events))
    }

    /// Appends facts, wherever the session's stream ends by now.
    pub(crate) fn append_facts(
        &mut self,
        session: &mut Session,
        actor: &str,
        events: Vec<SessionEvent>,
    ) -> Result<()> {
        if events.is_empty() {
            return Ok(());
        }
        let drafts: Result<Vec<Draft>> =
            events.iter().map(|event| draft(&self.host, actor, event)).collect();
        let drafts = drafts?;
        let told: Vec<_> = drafts.iter().map(|draft| draft.time).zip(events).collect();
        let stream = stream_of(session.id)?;
        for turn in 0..=TURNS {
            let mut after = session.clone();
            for (time, event) in told.clone() {
                after.apply(time, event);
            }
            let rows = rows::of_session(&after)?;
            // The rows are those of the session as we know it: if somebody else wrote meanwhile
            // (calls run side by side), they would say too little.
            let here = Expected::Preferred(session.sequence);
            let expected = if turn < TURNS { here } else { Expected::Any };
            let begun = Instant::now();
            let appended = self.store.append(&stream, expected, &drafts, &rows);
            self.appending += begun.elapsed();
            match appended {
                Ok(appended) => {
                    *session = after;
                    self.follow(session, &appended);
                    return Ok(());
                }
                Err(countersign_store::Error::Conflict { .. }) => {
                    self.store.refresh()?;
                    if let Some(newer) = self.live_session(session.id)? {
                        *session = newer;
                    }
                }
                Err(error) => return Err(error.into()),
            }
        }
        Ok(())
    }

    /// Appends what `decide` concludes from the session as it is. If somebody else wrote
    /// meanwhile, the session is read again and the decision made anew.
    pub(crate) fn append_decision(
        &mut self,
        session: &mut Session,
        mut decide: impl FnMut(&Session) -> Vec<SessionEvent>,
    ) -> Result<Vec<SessionEvent>> {
        let stream = stream_of(session.id)?;
        for _ in 0..TURNS {
            let events = decide(session);
            if events.is_empty() {
                return Ok(events);
            }
            let drafts: Result<Vec<Draft>> =
                events.iter().map(|event| draft(&self.host, "engine", event)).collect();
            let drafts = drafts?;
            let mut after = session.clone();
            for (event, draft) in events.iter().zip(&drafts) {
                after.apply(draft.time, event.clone());
            }
            let rows = rows::of_session(&after)?;
            // Where it has to be spooled it counts all the same: who asked was told already.
            let expected = Expected::Preferred(session.sequence);
            let begun = Instant::now();
            let appended = self.store.append(&stream, expected, &drafts, &rows);
            self.appending += begun.elapsed();
            match appended {
                Ok(appended) => {
                    *session = after;
                    self.follow(session, &appended);
                    return Ok(events);
                }
                Err(countersign_store::Error::Conflict { .. }) => {
                    self.store.refresh()?;
                    match self.live_session(session.id)? {
                        Some(newer) => *session = newer,
                        None => return Ok(Vec::new()),
                    }
                }
                Err(error) => return Err(error.into()),
            }
        }
        Err(Error::new(Kind::Unavailable, format!("session {} is written too busily", session.id)))
    }

    /// Keeps the fold's place in step with the stream. Who had to wait in vain once doesn't
    /// wait again: an agent waits for us.
    pub(super) fn follow(&mut self, session: &mut Session, appended: &Appended) {
        match appended {
            Appended::Written(events) => {
                session.sequence = events.last().map_or(session.sequence, |last| last.sequence);
            }
            Appended::Spooled(_) => self.store.wait_at_most(Duration::ZERO),
        }
    }
}
