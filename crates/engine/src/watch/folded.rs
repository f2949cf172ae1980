//! Runs and relays as far as their journals were read: what is appended is added to what is known.

use countersign_domain::Stamp;
use countersign_domain::ledger::{Event, Stored as _};
use countersign_domain::relay::{Relay, RelayEvent};
use countersign_domain::run::{Run, RunEvent};
use jiff::Timestamp;

use super::pages::relay_stream;
use crate::Engine;
use crate::error::Result;
use crate::query::stream_of;

/// A run, and when what happened.
#[derive(Debug)]
pub(super) struct RunFold {
    pub run: Run,
    pub opened_at: Timestamp,
    /// When the last thing happened.
    pub since: Timestamp,
    /// Why its journal could not be read to its end.
    pub fault: Option<String>,
}

impl RunFold {
    /// What is `known` of a run with what was appended since; `None` if nothing can be read of it.
    pub(super) fn follow(engine: &Engine, known: Option<Self>, id: Stamp) -> Result<Option<Self>> {
        let after = known.as_ref().map_or(0, |fold| fold.run.sequence);
        let mut fold = known;
        for event in engine.store.read(&stream_of(id)?, after)? {
            let time = time_of(&event);
            let decoded = body_of(&event).and_then(|body| {
                RunEvent::decode(&event.kind, body).map_err(|error| error.to_string())
            });
            match (&mut fold, decoded) {
                (None, Ok(RunEvent::Opened(opened))) => {
                    let run = Run::open(*opened);
                    fold = Some(Self { run, opened_at: time, since: time, fault: None });
                }
                (None, _) => return Ok(None),
                (Some(fold), Ok(event)) => {
                    fold.since = time;
                    fold.fault = fold.run.apply(event).err().map(|error| error.to_string());
                }
                (Some(fold), Err(why)) => fold.fault = Some(why),
            }
            if fold.as_ref().is_some_and(|fold| fold.fault.is_some()) {
                break;
            }
        }
        Ok(fold)
    }
}

/// A relay, and when what happened.
#[derive(Debug)]
pub(super) struct RelayFold {
    pub relay: Relay,
    pub opened_at: Timestamp,
    pub since: Timestamp,
    pub fault: Option<String>,
}

impl RelayFold {
    /// As [`RunFold::follow`].
    pub(super) fn follow(engine: &Engine, known: Option<Self>, id: Stamp) -> Result<Option<Self>> {
        let after = known.as_ref().map_or(0, |fold| fold.relay.sequence);
        let mut fold = known;
        for event in engine.store.read(&relay_stream(id)?, after)? {
            let time = time_of(&event);
            let decoded = body_of(&event).and_then(|body| {
                RelayEvent::decode(&event.kind, body).map_err(|error| error.to_string())
            });
            match (&mut fold, decoded) {
                (None, Ok(RelayEvent::Opened(opened))) => {
                    let relay = Relay::open(*opened);
                    fold = Some(Self { relay, opened_at: time, since: time, fault: None });
                }
                (None, _) => return Ok(None),
                (Some(fold), Ok(event)) => {
                    fold.since = time;
                    fold.fault = fold.relay.apply(event).err().map(|error| error.to_string());
                }
                (Some(fold), Err(why)) => fold.fault = Some(why),
            }
            if fold.as_ref().is_some_and(|fold| fold.fault.is_some()) {
                break;
            }
        }
        Ok(fold)
    }
}

fn time_of(event: &Event) -> Timestamp {
    event.time.parse().unwrap_or_default()
}

fn body_of(event: &Event) -> std::result::Result<&str, String> {
    event.body.as_deref().ok_or_else(|| "retention has removed a part of it".to_owned())
}
