//! Publishing a worklog to the memory backend: when it is due, and what is told when the backend
//! is away. The publishing itself is done by a process of its own, which nobody waits for.
//!
//! Entries are durable before anything here is asked: what is buffered is only what the backend
//! has not seen yet.

use std::time::Instant;

use countersign_domain::worklog::budget::Work;
use countersign_domain::worklog::flags::Flag;
use countersign_domain::worklog::{
    Answer, Deed, End, Listener, Session, SessionEvent, Subject, entry,
};
use jiff::Timestamp;

use super::one_by_one;
use super::pointer::Pointer;
use super::spending::spent;
use crate::Engine;
use crate::error::Result;

/// What is left out when there is no time to send anything.
const SKIPPED_FLUSH: &str = "flush";
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
    let begun = Instant::now();
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
    if let Some(text) = send_if_due(engine, session, pointer, begun)? {
        answer.to_user = Some(match answer.to_user {
            Some(before) => format!("{before}\n{text}"),
            None => text,
        });
    }
    Ok(answer)
}

/// Has the worklog sent if that is due and there is time for it; says what the person must be
/// told of it.
fn send_if_due(
    engine: &mut Engine,
    session: &mut Session,
    pointer: &Pointer,
    begun: Instant,
) -> Result<Option<String>> {
    let (now, entries, before) = (engine.host.now(), count(session), session.published);
    let sent = engine.append_decision(session, |session| {
        if !is_due(session, now) {
            return Vec::new();
        }
        if !session.budget.clone().admit(Work::Flush) {
            let why = "no time is left for it in this phase".to_owned();
            let skipped = SessionEvent::Skipped { what: SKIPPED_FLUSH.into(), why };
            // Once a phase is enough.
            return if session.has_skipped(SKIPPED_FLUSH) { Vec::new() } else { vec![skipped] };
        }
        vec![SessionEvent::Published { entries }, spent(Work::Flush, begun.elapsed())]
    })?;
    if !matches!(sent.first(), Some(SessionEvent::Published { .. })) {
        return Ok(None);
    }
    let id = session.id.to_string();
    let mut words = vec!["memory", "publish", id.as_str()];
    if pointer.flags.contains(&Flag::RetryMemory) {
        words.push("--retry-memory");
    }
    if engine.start_aside(&words) {
        return Ok(None);
    }
    // Nothing can be sent together: everything stays here, as it was written.
    let undone = vec![SessionEvent::Published { entries: before }];
    engine.append_facts(session, "engine", undone)?;
    one_by_one::say_once(engine, session, "the worklog can't be sent to the memory backend")
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
