//! Where nothing can be spooled, nothing can be taken in together later: what was told is written to
//! the ledger call by call. That is slower, and is said once a session.

use countersign_domain::worklog::{Answer, Listener, Session, SessionEvent, Subject};

use super::hook::{Call, brief};
use super::orchestrator::PATIENCE;
use super::pointer::Pointer;
use crate::Engine;
use crate::error::{Error, Result};

/// How what is said begins; by this it is known that it was.
const SAID: &str = "countersign: entries are written one by one";

/// Writes `facts` to the ledger, because the spool failed with `error`.
pub(super) fn append(
    call: &Call<'_>,
    pointer: &Pointer,
    (facts, error): (Vec<SessionEvent>, &Error),
) -> Result<Answer> {
    let (mut engine, _) = Engine::open_for_hook(call.host.clone(), PATIENCE)?;
    let Some(mut session) = engine.live_session(pointer.session)? else {
        return Err(Error::new(error.kind, error.message.clone()));
    };
    engine.append_facts(&mut session, call.agent.name(), facts)?;
    // It is on the record: what fails from here on must not put it there once more.
    let to_user = say_once(&mut engine, &mut session, &error.message).ok().flatten();
    Ok(Answer { to_user, ..Answer::default() })
}

/// Says why, unless it was said in this session; what is to be told.
pub(super) fn say_once(
    engine: &mut Engine,
    session: &mut Session,
    why: &str,
) -> Result<Option<String>> {
    let text = format!("{SAID}, and none at once: {}", brief(why, 200));
    let said = engine.append_decision(session, |session| {
        let is_said = session.said.iter().any(|said| said.what.text.starts_with(SAID));
        if is_said {
            return Vec::new();
        }
        let (to, about) = (Listener::User, Subject::Trouble);
        vec![SessionEvent::Told { to, about, text: text.clone() }]
    })?;
    Ok((!said.is_empty()).then_some(text))
}
