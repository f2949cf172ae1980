//! The view rows of sessions: lists of them, and which are not finished.

use countersign_domain::classify::Tier;
use countersign_domain::ledger::{Event, Stream};
use countersign_domain::worklog::{Agent, AgentProcess, Outcome, Session};
use countersign_domain::{Digest, Stamp, canonical};
use countersign_store::{ViewChange, ViewRow};
use serde::{Deserialize, Serialize};

use super::ending;
use super::journal;
use super::policy::shorten;
use crate::error::{Error, Kind, Result};

/// All sessions, by id.
pub(crate) const SESSION: &str = "session";
/// Those that were left: nothing has ended them, or nobody. By id.
pub(crate) const UNFINISHED: &str = "session.unfinished";
/// The newest session of an agent's session, by its name.
pub(crate) const BY_AGENT: &str = "session.agent";
/// Those whose entries are not in the archive, by id.
pub(crate) const AT_HAND: &str = "session.at_hand";
/// All views of sessions.
pub(crate) const VIEWS: [&str; 4] = [SESSION, UNFINISHED, BY_AGENT, AT_HAND];
/// The longest task in a list.
const TASK_BYTES: usize = 160;

/// A session in a list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SessionRow {
    pub session: Stamp,
    pub agent: Agent,
    pub agent_session: String,
    pub tier: Tier,
    pub task: String,
    pub task_hash: Digest,
    pub worktree: String,
    /// `None` while it goes on.
    pub outcome: Option<Outcome>,
    /// Why the record has holes, if it has.
    pub incomplete: Option<String>,
    pub opened_at: String,
    pub updated_at: String,
    pub operations: u32,
    pub entries: u32,
    /// Its agent, to see whether it still runs.
    #[serde(default)]
    pub process: Option<AgentProcess>,
    /// Whether its entries are in the archive.
    #[serde(default)]
    pub archived: Option<Digest>,
}

impl SessionRow {
    pub(crate) fn of(session: &Session) -> Self {
        let mut task = session.opened.task.lines().next().unwrap_or_default().to_owned();
        shorten(&mut task, TASK_BYTES);
        Self {
            session: session.id,
            agent: session.opened.agent,
            agent_session: session.opened.agent_session.clone(),
            tier: session.tier,
            task,
            task_hash: session.opened.task_hash,
            worktree: session.opened.place.worktree.clone(),
            outcome: match ending::undecided(session) {
                Some((outcome, _)) => Some(outcome),
                None => session.ended.as_ref().map(|ended| ended.outcome),
            },
            incomplete: session.incomplete.clone(),
            opened_at: session.opened_at.to_string(),
            updated_at: session.updated_at.to_string(),
            operations: u32::try_from(session.made().count()).unwrap_or(u32::MAX),
            entries: u32::try_from(session.significant().count()).unwrap_or(u32::MAX),
            process: session.opened.process,
            archived: None,
        }
    }
}

/// What follows from a session for the lists.
pub(crate) fn of_session(session: &Session) -> Result<Vec<ViewChange>> {
    let row = SessionRow::of(session);
    let (key, body) = (session.id.to_string(), canonical::to_string(&row)?);
    let mut changes = vec![put(SESSION, &key, &body), put(AT_HAND, &key, &body)];
    changes.push(if matches!(row.outcome, None | Some(Outcome::Abandoned)) {
        put(UNFINISHED, &key, &body)
    } else {
        ViewChange::remove(UNFINISHED, key.clone())
    });
    changes.push(put(BY_AGENT, &agent_key(&row), &canonical::to_string(&key)?));
    Ok(changes)
}

fn put(kind: &str, key: &str, body: &str) -> ViewChange {
    ViewRow { kind: kind.into(), key: key.into(), body: body.into() }.into()
}

/// What the keys of all sessions of an agent's session begin with.
pub(crate) fn agent_prefix(agent: Agent, agent_session: &str) -> String {
    format!("{agent}/{}/", Digest::of(agent_session.as_bytes()))
}

/// The key of a session among those of its agent's session.
pub(crate) fn agent_key(row: &SessionRow) -> String {
    format!("{}{}", agent_prefix(row.agent, &row.agent_session), row.session)
}

/// What follows from the whole stream of a session. A stream whose bodies are gone has no rows
/// of its own: what is left of it is in the summary of its day.
pub(crate) fn rows_of(stream: &Stream, events: &[Event]) -> Result<Vec<ViewChange>> {
    let name = stream.as_str().rsplit('/').next().unwrap_or_default();
    let session: Stamp = name
        .parse()
        .map_err(|error| Error::new(Kind::Unavailable, format!("stream {stream}: {error}")))?;
    match journal::fold(session, events) {
        Some(session) => of_session(&session),
        None => Ok(Vec::new()),
    }
}
