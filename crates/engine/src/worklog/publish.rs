//! Publishing a worklog to the memory backend: when it is due, and what is told when the backend
//! is away. The publishing itself is done by a process of its own, which nobody waits for.
//!
//! Entries are durable before anything here is asked: what is buffered is only what the backend
//! has not seen yet.

use countersign_domain::worklog::flags::Flag;
use countersign_domain::worklog::{
    Answer, Deed, End, Listener, Session, SessionEvent, Subject, entry,
};
use jiff::Timestamp;

use super::pointer::Pointer;
use crate::Engine;
use crate::error::Result;

/// So many entries are sent at once.
const ENTRIES: u32 = 10;
/// Nothing waits longer than this, if anything happens at all.
const SECONDS: i64 = 30;

/// Sends the worklog to the backend if it is due, and adds to `answer` what the person must be
/// told of the backend.
pub(super) fn flush(
    engine: &mut Engine,
    session: &mut Session,
    pointer: &Pointer,
    mut answer: Answer,
) -> Result<Answer> {
    if !pointer.publishes {
        return Ok(answer);
    }
    let name = format!("_worklog/{}", session.id);
    if let Some(text) = engine.memory_backend(&name)?.notice(session.tier) {
        engine.record_memory_notice(&name)?;
        let (to, about) = (Listener::User, Subject::Memory);
        let told = SessionEvent::Told { to, about, text: text.clone() };
        engine.append_facts(session, "engine", vec![told])?;
        answer.to_user = Some(match answer.to_user {
            Some(before) => format!("{before}\n{text}"),
            None => text,
        });
    }
    let now = engine.host.now();
    let entries = count(session);
    let sent = engine.append_decision(session, |session| {
        if is_due(session, now) { vec![SessionEvent::Published { entries }] } else { Vec::new() }
    })?;
    if !sent.is_empty() {
        let id = session.id.to_string();
        let mut words = vec!["memory", "publish", id.as_str()];
        if pointer.flags.contains(&Flag::RetryMemory) {
            words.push("--retry-memory");
        }
        engine.start_aside(&words);
    }
    Ok(answer)
}

fn count(session: &Session) -> u32 {
    u32::try_from(entry::entries(session).len()).unwrap_or(u32::MAX)
}

/// Ten entries, thirty seconds, the end of a phase or of a turn, or a failure.
fn is_due(session: &Session, now: Timestamp) -> bool {
    let waiting = count(session).saturating_sub(session.published);
    let is_old = now.as_second() - session.published_at.as_second() >= SECONDS;
    let has_new_summary =
        session.summaries.last().is_some_and(|summary| summary.at > session.published_at);
    let is_new_end = session.ended.is_some() && session.updated_at > session.published_at;
    waiting >= ENTRIES
        || waiting > 0 && (is_old || has_new_summary || has_failed(session))
        || is_new_end
}

/// Whether the newest operation failed: what led to it is wanted soon.
fn has_failed(session: &Session) -> bool {
    session.operations.last().is_some_and(|logged| {
        let operation = &logged.what.operation;
        let is_command = matches!(operation.deed, Deed::Command { .. });
        match &operation.end {
            End::Failed { .. } | End::TimedOut | End::Interrupted => true,
            End::Completed { exit } => is_command && exit.is_some_and(|code| code != 0),
            _ => false,
        }
    })
}
