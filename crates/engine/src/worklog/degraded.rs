//! When the ledger can't be opened, or not in time: what was told goes to the spool, with the
//! beginning of the session if it has none yet. Whoever opens the ledger next takes it in.
//!
//! Nothing is decided here: verification, summaries and the gate need the ledger. How a turn ended
//! is found out when it is back.

use countersign_domain::worklog::{News, Opened, Outcome, Place, SessionEvent, Source};
use countersign_store::StampLock;

use super::hook::{Call, brief};
use super::lenient;
use super::opening::{self, Asked};
use super::orchestrator;
use super::pointer::{self, Pointer};
use super::policy::Policy;
use super::tamper;
use crate::error::{Error, Kind, Result};

/// Keeps what `call` told, and `why` the ledger was not to be had. `false` if there was nothing
/// to keep.
pub(super) fn keep(call: &Call<'_>, known: Option<&Pointer>, why: &str) -> Result<bool> {
    if known.is_none() && !orchestrator::opens(&call.report.news) {
        return Ok(false);
    }
    let home = call.host.home()?;
    let folders = pointer::folders(&home, &call.state);
    // Who waited for its turn finds what the one before has opened.
    let _turn = known.is_none().then(|| turn(&folders));
    let name = &call.report.agent_session;
    let found = known.cloned().or_else(|| Pointer::read(&folders, call.agent, name));
    let trouble = SessionEvent::Troubled { event: call.report.event.clone(), why: brief(why, 300) };
    let mut facts = vec![trouble];
    let (pointer, is_new) = match found {
        Some(pointer) => {
            let (more, pointer) = facts_of(call, pointer)?;
            facts.extend(more);
            (pointer, false)
        }
        None => {
            let (pointer, opened) = open(call)?;
            facts.insert(0, opened);
            if !matches!(call.report.news, News::Prompted { .. }) {
                facts.extend(facts_of(call, pointer.clone())?.0);
            }
            (pointer, true)
        }
    };
    call.spool(&pointer, &facts)?;
    // Only now: a pointer to a session without a beginning would hide what is told next.
    if is_new || known.is_some_and(|known| *known != pointer) {
        pointer.write(&folders, call.agent, name)?;
    }
    Ok(true)
}

/// One at a time may open a session. Where no lock can be had, there is no turn to wait for.
pub(super) fn turn(folders: &[std::path::PathBuf; 2]) -> Option<StampLock> {
    let acquire = |folder: &std::path::PathBuf| {
        StampLock::acquire(&folder.join("opening.lock"), orchestrator::PATIENCE)
    };
    folders.iter().find_map(|folder| acquire(folder).ok())
}

/// What is known of the session without the ledger.
fn open(call: &Call<'_>) -> Result<(Pointer, SessionEvent)> {
    let prompt = match &call.report.news {
        News::Prompted { text } => Some(text.as_str()),
        _ => None,
    };
    let (settings, _) = lenient::resolve(&call.host, &call.worktree)?;
    let place = Place {
        worktree: call.worktree.to_string_lossy().into_owned(),
        commit: None,
        tree: None,
        branch: None,
    };
    let asked = Asked::read(&call.host, prompt.unwrap_or_default());
    let judged = asked.judge_prompt(&settings.config, prompt);
    let policy = tamper::policy_digest(&settings.config.worklog);
    let opened = Opened { judged, policy, ..asked.opened(call, place) };
    let id = opening::new_id(&call.host, &call.state)?;
    let pointer = opening::pointer(&settings.config, &opened, id);
    Ok((pointer, SessionEvent::Opened(Box::new(opened))))
}

/// The facts in what was told, and the pointer as it is after them.
fn facts_of(call: &Call<'_>, mut pointer: Pointer) -> Result<(Vec<SessionEvent>, Pointer)> {
    let policy = Policy::resolve(&pointer.policy)
        .map_err(|why| Error::new(Kind::Usage, format!("the session's policy: {why}")))?;
    let facts = match &call.report.news {
        News::Began(operation) | News::Operated(operation) => {
            vec![call.logged(&pointer, &policy, operation)?]
        }
        News::Prompted { text } => {
            let (settings, _) = lenient::resolve(&call.host, &call.worktree)?;
            let asked = Asked::read(&call.host, text);
            let judged = asked.judge_further(&settings.config, pointer.tier);
            pointer.tier =
                if judged.overridden { judged.tier } else { pointer.tier.max(judged.tier) };
            pointer.flags.extend(&asked.flags.set);
            let text = brief(&asked.text, orchestrator::PROMPT_BYTES);
            let process = opening::agent_process(&call.host);
            let flags = asked.flags.clone();
            vec![SessionEvent::Prompted { text, judged, flags, process }]
        }
        News::Started { source: Source::Compact } => vec![SessionEvent::Compacted],
        News::Started { source } => vec![SessionEvent::Resumed { source: *source }],
        news => stopped(news).into_iter().collect(),
    };
    Ok((facts, pointer))
}

/// The end of a turn or a session, to be decided about when the ledger is back.
fn stopped(news: &News) -> Option<SessionEvent> {
    let (outcome, because, is_final) = match news {
        News::Stopping { .. } => (None, String::new(), false),
        News::Closed { .. } => (None, String::new(), true),
        News::Broke { why } => (Some(Outcome::Failure), brief(why, 300), false),
        News::Interrupted => (Some(Outcome::Aborted), "interrupted".to_owned(), false),
        _ => return None,
    };
    Some(SessionEvent::Stopped { outcome, because, is_final })
}
