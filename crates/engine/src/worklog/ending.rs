//! How a turn or a session ended, and whether that still holds when more is known.

use countersign_domain::worklog::{Ended, Outcome, Session, SessionEvent};

use super::gate;
use crate::Engine;
use crate::error::Result;

/// The end of a turn, unless it is on the record already. `given` is what is known of how it
/// ended; else it follows from what is left.
pub(super) fn end(
    session: &Session,
    given: Option<(Outcome, String)>,
    is_final: bool,
) -> Option<SessionEvent> {
    let (outcome, because) = given.unwrap_or_else(|| concluded(session));
    let ended = Ended { outcome, because, is_final, totals: session.totals() };
    let is_known = session.stopped.is_none()
        && session
            .ended
            .as_ref()
            .is_some_and(|before| before.outcome == outcome && (before.is_final || !is_final));
    (!is_known).then(|| SessionEvent::Ended(Box::new(ended)))
}

/// How it ended, by what is left.
fn concluded(session: &Session) -> (Outcome, String) {
    let left = gate::reasons(session);
    if left.is_empty() {
        (Outcome::Success, format!("nothing was left{}", doubt(session)))
    } else {
        (Outcome::Failure, left.join("; "))
    }
}

/// What a success rests on, if not on a whole record that the transcript confirms.
fn doubt(session: &Session) -> &'static str {
    match (&session.incomplete, &session.unconfirmed) {
        (Some(_), _) => ", by an incomplete record",
        (None, Some(_)) => ", by its hooks alone",
        (None, None) => "",
    }
}

/// How a session ended by what is known now: a success that rests on what nobody did is none.
pub(super) fn as_known_now(session: &Session, ended: &Ended) -> (Outcome, String) {
    let left = gate::reasons(session);
    if ended.outcome == Outcome::Success && !left.is_empty() {
        return (Outcome::Failure, left.join("; "));
    }
    (ended.outcome, ended.because.clone())
}

/// Puts another end on the record where the one that is there doesn't hold any more.
pub(super) fn follow_up(engine: &mut Engine, session: &mut Session) -> Result<()> {
    engine.append_decision(session, |session| {
        let Some(ended) = &session.ended else { return Vec::new() };
        let outcome = as_known_now(session, ended);
        end(session, Some(outcome), ended.is_final).into_iter().collect()
    })?;
    Ok(())
}

/// How a session ended that nothing was decided about yet, by what is known now; `None` if it goes
/// on.
pub(super) fn undecided(session: &Session) -> Option<(Outcome, String)> {
    let stopped = session.stopped.as_ref()?;
    if let Some(known) = &stopped.known {
        return Some(known.clone());
    }
    match &session.ended {
        Some(ended) if !stopped.in_peace => Some(as_known_now(session, ended)),
        None if !stopped.in_peace => Some(cut_off()),
        _ => Some(concluded(session)),
    }
}

/// Who never stopped in peace was cut off.
pub(super) fn cut_off() -> (Outcome, String) {
    (Outcome::Aborted, "the agent was ended in the middle".to_owned())
}

/// Decides about an end that could not be decided about when it came.
pub(super) fn settle(engine: &mut Engine, session: &mut Session) -> Result<()> {
    engine.append_decision(session, |session| {
        let Some(stopped) = &session.stopped else { return Vec::new() };
        let outcome = undecided(session);
        end(session, outcome, stopped.is_final).into_iter().collect()
    })?;
    Ok(())
}
