//! A plan from its first story to all of them together.
//!
//! The driver asks the relay what may be done, does it, and appends what happened. Each story is a run
//! of its own, driven by a thread of its own, so that stories that touch no common file go on side by
//! side and one that waits for a person holds up nobody. It may be killed at any point: the journals
//! have it all.

mod continuing;
mod decided;
mod drive;
mod landing;
mod legs;
mod looked;
mod open;
mod query;
mod reopen;
mod reporting;

use countersign_domain::Stamp;
use countersign_domain::checkpoint::CheckpointId;
use countersign_domain::ledger::Stored as _;
use countersign_domain::relay::{Leg, Relay, RelayEvent, RelayOutcome};
use countersign_domain::run::{Run, RunEvent};
use countersign_store::{Appended, Expected};

pub(crate) use legs::highest_risk;
pub use open::RelayRequest;
pub(crate) use query::rows_of;
pub use query::{RelayEntry, RelaySummary, Undertaking};

use crate::Engine;
use crate::error::{Error, Kind, Result};

/// What a watcher of a relay is told.
#[derive(Debug)]
pub enum Told<'a> {
    /// Something happened in the relay itself.
    Relay { relay: &'a Relay, event: &'a RelayEvent },
    /// Something happened in the run of a leg.
    Run { leg: &'a Leg, run: &'a Run, event: &'a RunEvent },
    /// Something that a person should know.
    Note(&'a str),
}

/// Where a relay stands when nothing more can be done for it now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RelayDriven {
    Ended(RelayOutcome),
    /// People have to answer first.
    Waiting(Vec<CheckpointId>),
}

/// Someone else's event came first.
struct Overtaken;

impl Engine {
    /// Appends `events` to the relay's journal, all of them or none, and takes them in.
    fn record_relay(
        &mut self,
        relay: &mut Relay,
        events: &[RelayEvent],
    ) -> Result<std::result::Result<(), Overtaken>> {
        let expected = relay.sequence;
        let mut after = relay.clone();
        for event in events {
            after.apply(event.clone())?;
        }
        if self.write_relay(&after, expected, events)? {
            *relay = after;
            return Ok(Ok(()));
        }
        Ok(Err(Overtaken))
    }

    /// Appends `events`, with the view row that follows from the relay as it is `after` them; tells
    /// whether nobody was first.
    fn write_relay(&mut self, after: &Relay, expected: u64, events: &[RelayEvent]) -> Result<bool> {
        let mut drafts = Vec::with_capacity(events.len());
        for event in events {
            let (kind, body) = event.encode()?;
            drafts.push(self.draft(&kind, RelayEvent::FORMAT, body));
        }
        let Some(last) = drafts.last() else { return Ok(true) };
        let time = format!("{:.6}", last.time);
        let opened_at = match events {
            [RelayEvent::Opened(_)] => time.clone(),
            _ => self.relay_summary(after.id()).map_or_else(|_| time.clone(), |row| row.opened_at),
        };
        let row = query::summary_row(after, &opened_at, &time)?;
        let stream = query::stream_of(after.id())?;
        match self.store.append(&stream, Expected::Sequence(expected), &drafts, &[row]) {
            Ok(Appended::Written(_)) => Ok(true),
            Ok(Appended::Spooled(why)) => Err(Error::new(
                Kind::Unavailable,
                format!("the ledger is not available: {why}. What was done is in the spool"),
            )
            .hint(format!("mend that, then: countersign resume {}", after.id()))),
            Err(countersign_store::Error::Conflict { .. }) => Ok(false),
            Err(error) => Err(error.into()),
        }
    }

    /// Asks for the end of a relay and of its runs. Needs no lease: the driver notices.
    pub fn cancel_relay(&mut self, relay: Stamp, by: &str) -> Result<Relay> {
        self.expect_no_worker()?;
        loop {
            let mut relay = self.load_relay(relay)?;
            if relay.outcome.is_some() {
                let message = format!("relay {} has already ended", relay.id());
                return Err(Error::new(Kind::Refused, message));
            }
            if relay.is_cancelled {
                return Ok(relay);
            }
            let event = RelayEvent::CancelRequested { by: by.to_owned() };
            if self.record_relay(&mut relay, &[event])?.is_ok() {
                return Ok(relay);
            }
        }
    }
}
