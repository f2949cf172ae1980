//! The journal of what is looked at closely, and what its agent did by its own worklog.

use countersign_domain::Stamp;
use countersign_domain::ledger::{Event, Stored, Stream};
use countersign_domain::relay::RelayEvent;
use countersign_domain::run::RunEvent;
use countersign_domain::worklog::entry::{Entry, entries};

use super::Lookout;
use crate::Engine;
use crate::error::{Error, Kind, Result};
use crate::query::stream_of;
use crate::worklog::SessionRow;

/// Among how many sessions, the newest first, those of a run are looked for.
const SESSIONS: u32 = 50;

/// One event of a journal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Page<E> {
    pub sequence: u64,
    pub time: String,
    pub kind: String,
    /// What happened; `None` if this version can't read it, or retention removed it.
    pub event: Option<E>,
}

impl Lookout {
    /// The journal of `run` after sequence `after`. Nothing, as long as nothing was looked at.
    pub fn run_pages(&self, run: Stamp, after: u64) -> Result<Vec<Page<RunEvent>>> {
        self.pages(&stream_of(run)?, after)
    }

    /// As [`Lookout::run_pages`], of a relay.
    pub fn relay_pages(&self, relay: Stamp, after: u64) -> Result<Vec<Page<RelayEvent>>> {
        self.pages(&relay_stream(relay)?, after)
    }

    fn pages<E: Stored>(&self, stream: &Stream, after: u64) -> Result<Vec<Page<E>>> {
        let Some(engine) = &self.engine else { return Ok(Vec::new()) };
        Ok(engine.store.read(stream, after)?.into_iter().map(page).collect())
    }

    /// What the agents of `run` did last by their own worklogs, oldest first, if a session belongs to
    /// it: by its name, or by the folder that it was in.
    pub fn operations(&self, run: Stamp, most: usize) -> Result<Vec<Entry>> {
        let (Some(engine), Some(fold)) = (&self.engine, self.runs.get(&run)) else {
            return Ok(Vec::new());
        };
        let name = fold.run.heard.as_ref().and_then(|heard| heard.session.as_deref());
        let row = |row: &SessionRow| {
            Some(row.agent_session.as_str()) == name || engine.is_of(run, &row.worktree)
        };
        let Some(row) = engine.sessions(SESSIONS)?.into_iter().find(row) else {
            return Ok(Vec::new());
        };
        let session = engine.live_session(row.session)?;
        let mut all = session.map_or_else(Vec::new, |session| entries(&session));
        Ok(all.split_off(all.len().saturating_sub(most)))
    }
}

impl Engine {
    /// Whether a folder is among those that were made for `run`.
    fn is_of(&self, run: Stamp, folder: &str) -> bool {
        std::path::Path::new(folder).starts_with(self.run_folder(run))
    }
}

pub(super) fn relay_stream(relay: Stamp) -> Result<Stream> {
    RelayEvent::stream(relay)
        .parse()
        .map_err(|error| Error::new(Kind::Bug, format!("a relay's stream: {error}")))
}

fn page<E: Stored>(event: Event) -> Page<E> {
    let decoded = event.body.as_ref().and_then(|body| E::decode(&event.kind, body).ok());
    Page { sequence: event.sequence, time: event.time, kind: event.kind, event: decoded }
}
