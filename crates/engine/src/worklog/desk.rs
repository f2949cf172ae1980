//! The desk: the session that a call belongs to, with what is needed to work on it. Found by its
//! pointer, by the ledger, or opened.

use countersign_domain::Stamp;
use countersign_domain::worklog::{Answer, News, Session, SessionEvent};

use super::hook::{Call, brief};
use super::pointer::{self, Pointer};
use super::policy::Policy;
use super::{degraded, journal, opening, orchestrator, tamper};
use crate::Engine;
use crate::error::{Error, Kind, Result};

fn policy(pointer: &Pointer) -> Result<Policy> {
    Policy::resolve(&pointer.policy).map_err(|why| Error::new(Kind::Usage, why))
}

/// A session that is being worked on.
pub(super) struct Desk {
    pub(super) session: Session,
    pub(super) pointer: Pointer,
    pub(super) policy: Policy,
}

impl Desk {
    /// The session of the agent behind `call`, opened if there is none yet; with the answer, if
    /// its opening was all there was to do. `None` if there is none and nothing to open it for.
    pub(super) fn find_or_open(
        engine: &mut Engine,
        call: &Call<'_>,
        pointer: Option<&Pointer>,
    ) -> Result<Option<(Self, Option<Answer>)>> {
        if let Some(desk) = Self::find(engine, call, pointer)? {
            return Ok(Some((desk, None)));
        }
        if pointer.is_none() && !orchestrator::opens(&call.report.news) {
            return Ok(None);
        }
        let again = match pointer {
            Some(pointer) if engine.has_lost(pointer.session)? => Some(pointer),
            _ => None,
        };
        // Calls that run side by side must not open a session each.
        let _turn = degraded::turn(&pointer::folders(&engine.home, &engine.state));
        engine.store.refresh()?;
        if let Some(desk) = Self::find(engine, call, again)? {
            return Ok(Some((desk, None)));
        }
        let prompt = match &call.report.news {
            News::Prompted { text } => Some(text.as_str()),
            _ => None,
        };
        let (session, pointer, answer) = opening::open(engine, call, (prompt, again))?;
        let is_done = prompt.is_some() || pointer.is_off();
        let desk = Self { session, policy: policy(&pointer)?, pointer };
        Ok(Some((desk, is_done.then_some(answer))))
    }

    /// The session of the agent behind `call`, also if its pointer was lost.
    fn find(
        engine: &mut Engine,
        call: &Call<'_>,
        pointer: Option<&Pointer>,
    ) -> Result<Option<Self>> {
        // The pointer lies where the agent can write: the ledger is asked first.
        let by_ledger = engine.session_of(call.agent, &call.report.agent_session)?;
        let id = by_ledger.or(pointer.map(|pointer| pointer.session));
        let Some(mut session) = id.map(|id| engine.live_session(id)).transpose()?.flatten() else {
            return Ok(None);
        };
        let right = tamper::checked(engine, &mut session, pointer)?;
        if pointer != Some(&right) {
            let folders = pointer::folders(&engine.home, &engine.state);
            // Without it, the next call comes the long way again.
            let _ = right.write(&folders, call.agent, &call.report.agent_session);
        }
        Ok(Some(Self { session, policy: policy(&right)?, pointer: right }))
    }

    /// Puts on the record that something went wrong.
    pub(super) fn troubled(
        &mut self,
        engine: &mut Engine,
        call: &Call<'_>,
        why: &str,
    ) -> Result<()> {
        let event = call.report.event.clone();
        let trouble = SessionEvent::Troubled { event, why: brief(why, 300) };
        engine.append_facts(&mut self.session, call.agent.name(), vec![trouble])
    }
}

impl Engine {
    /// Whether the ledger has lost the beginning of `session`. Where it may only be waiting in
    /// the spool, nothing can be said yet.
    fn has_lost(&self, session: Stamp) -> Result<bool> {
        let events = self.store.read(&journal::stream_of(session)?, 0)?;
        // What retention took is not lost: a further prompt begins a new session.
        if events.iter().any(|event| event.body.is_none()) {
            return Ok(false);
        }
        if !self.store.spool().is_empty() {
            let why = format!("the beginning of session {session} waits in the spool");
            return Err(Error::new(Kind::Unavailable, why));
        }
        Ok(true)
    }
}
