//! The journal of what is looked at closely.

use countersign_domain::Stamp;
use countersign_domain::ledger::{Event, Stored, Stream};
use countersign_domain::relay::RelayEvent;
use countersign_domain::run::RunEvent;

use super::Lookout;
use crate::error::{Error, Kind, Result};
use crate::query::stream_of;

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
