//! The record against the transcripts of its agent, as a whole: what no hook told of is added,
//! what nobody made is taken out, and what can't be known is said.

use std::time::{Duration, Instant};

use countersign_domain::worklog::{Session, SessionEvent};

use super::policy::Policy;
use super::reconcile;
use super::tamper;
use super::transcripts::Transcripts;
use super::unmade::{self, Missed};
use crate::Engine;
use crate::error::Result;

/// How long an agent that wants to stop waits until its transcript is read.
const READING: Duration = Duration::from_secs(2);
/// How often it is looked whether a transcript, or the record, has caught up.
pub(super) const POLL: Duration = Duration::from_millis(20);

/// Whether the agent is still there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Moment {
    /// Its hooks are being called: calls may be under way, and the transcript may be behind. So
    /// long it is waited for.
    Live(Duration),
    /// Long after: what has no end will have none.
    Afterwards,
}

impl Moment {
    /// The agent wants to stop. Claude Code writes its transcript about a tenth of a second later
    /// than it calls hooks, also while it waits for one.
    pub(super) const STOPPING: Self = Self::Live(Duration::from_secs(1));
    /// Its turn broke off, or its session is over: it doesn't wait for long.
    pub(super) const LEAVING: Self = Self::Live(Duration::from_millis(200));

    /// Until when to read, and to wait.
    fn deadlines(self) -> (Option<Instant>, Instant) {
        let now = Instant::now();
        match self {
            Self::Live(patience) => (Some(now + READING), now + patience),
            Self::Afterwards => (None, now),
        }
    }

    /// How long it is waited for what hooks told and is not on the record yet.
    pub(super) fn patience(self) -> Duration {
        match self {
            Self::Live(patience) => patience,
            Self::Afterwards => Duration::ZERO,
        }
    }
}

/// Compares the session with its transcripts. A transcript that can't be read is no reason to
/// stop: the record then stands alone, and says so.
pub(super) fn compare(
    engine: &mut Engine,
    session: &mut Session,
    (policy, moment): (&Policy, Moment),
) -> Result<()> {
    let transcripts = read(engine, session, (policy, moment));
    let is_waiting = reconcile::reconcile(engine, session, &transcripts, (policy, moment))?;
    tamper::compare_flags(engine, session, &transcripts)?;
    let now = engine.host.now();
    engine.append_decision(session, |session| {
        let missed = unmade::look(session, &transcripts, (policy, now));
        conclude(session, &transcripts, (&missed, is_waiting))
    })?;
    Ok(())
}

/// The transcripts of `session`, once they have caught up with it, or were waited for in vain.
fn read(engine: &Engine, session: &Session, (policy, moment): (&Policy, Moment)) -> Transcripts {
    let (reading, waiting) = moment.deadlines();
    let mut transcripts = Transcripts::read(session, reading);
    loop {
        let missed = unmade::look(session, &transcripts, (policy, engine.host.now()));
        if missed.late.is_empty() || Instant::now() >= waiting {
            return transcripts;
        }
        std::thread::sleep(POLL);
        if transcripts.have_grown() {
            transcripts = Transcripts::read(session, reading);
        }
    }
}

/// What is to be said about what nobody made, unless it is on the record already.
fn conclude(
    session: &Session,
    transcripts: &Transcripts,
    (missed, is_waiting): (&Missed, bool),
) -> Vec<SessionEvent> {
    if let Some(why) = &transcripts.unread {
        return unconfirmed(session, why.clone());
    }
    let mut events = Vec::new();
    if missed.unmade != *session.unmade() || session.unconfirmed.is_some() {
        let places = missed.unmade.iter().filter_map(|at| u32::try_from(*at).ok());
        events.push(SessionEvent::Compared { unmade: places.collect() });
    }
    // What is not there yet may be made up: that can't be told now.
    if !missed.late.is_empty() {
        events.extend(unconfirmed(session, "its transcript is behind".to_owned()));
    } else if is_waiting {
        events.extend(unconfirmed(session, "what hooks told can't be taken in yet".to_owned()));
    }
    events
}

fn unconfirmed(session: &Session, why: String) -> Vec<SessionEvent> {
    if session.unconfirmed.as_ref() == Some(&why) {
        return Vec::new();
    }
    vec![SessionEvent::Unconfirmed { why }]
}
