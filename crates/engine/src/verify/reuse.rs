//! Receipts that are used again: the same command on the same tree, in the same surroundings, under
//! the same contract, has been run already.
//!
//! The view only says where to look. What is found there counts if its stream is the one that was
//! written, we signed the receipt, and every part of it is what would be run now.

use std::collections::BTreeMap;

use countersign_domain::ledger::{Event, Stored as _, Stream};
use countersign_domain::receipt::{Identity, Receipt};
use countersign_domain::verify::{PlantedOn, Terms, VerifyEvent};
use countersign_domain::{Digest, ObjectId, Stamp, canonical};
use countersign_store::{ViewChange, ViewRow};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Work;
use super::place::Job;
use crate::Engine;
use crate::error::{Error, Kind, Result};

/// The kind of the view rows, by identity and verification.
const VIEW: &str = "reusable";

/// How many receipts of one run are looked at, the newest first.
const MOST_TRIED: u32 = 3;

/// Where a receipt is.
#[derive(Debug, Serialize, Deserialize)]
struct Kept {
    verification: Stamp,
    sequence: u64,
}

/// A receipt of an earlier verification.
#[derive(Debug)]
pub(super) struct Found {
    pub receipt: Receipt,
    pub planted: Option<Box<PlantedOn>>,
}

/// The receipts of one earlier verification, by their place, and what it began with.
type Earlier = (ObjectId, BTreeMap<u64, VerifyEvent>);

/// Earlier verifications that were looked at; `None` for those that can't be believed.
#[derive(Debug, Default)]
pub(super) struct Known(BTreeMap<Stamp, Option<Earlier>>);

/// The receipt that stands for running `job` on `tree`, if there is one.
pub(super) fn find(
    work: &mut Work<'_>,
    job: &Job<'_>,
    (tree, is_planted): (&ObjectId, bool),
) -> Result<Option<Found>> {
    if work.is_fresh {
        return Ok(None);
    }
    let (_, environment) = job.environment(work)?;
    let (argv, sandbox) = (job.told(work), work.sandbox());
    let tools = work.tools(&job.begun.command)?;
    let identity = Identity {
        contract: work.contract,
        tree,
        check: job.check(),
        attempt: job.attempt,
        argv: &argv,
        cwd: job.cwd(),
        environment,
        sandbox: &sandbox,
        tools: &tools,
        is_planted,
    };
    let wanted = identity.digest();
    for row in work.engine.store.views(VIEW, &wanted.to_string(), MOST_TRIED)? {
        let kept: Kept = serde_json::from_str(&row.body)?;
        let event = work.earlier(&kept)?;
        let found = event.map(|event| believed(work.engine, event, wanted)).transpose()?;
        if let Some(found) = found.flatten() {
            return Ok(Some(found));
        }
    }
    Ok(None)
}

/// What `event` holds, if it is our own receipt of exactly the run that is wanted, with all that it
/// refers to.
fn believed(engine: &Engine, event: VerifyEvent, wanted: Digest) -> Result<Option<Found>> {
    let is_wanted = event.receipt().is_some_and(|(_, name)| name == wanted);
    let (VerifyEvent::Ran { receipt, planted, .. } | VerifyEvent::Reused { receipt, planted, .. }) =
        event
    else {
        return Ok(None);
    };
    let is_ours = receipt.is_signed_by(&engine.key()?.public()) && receipt.is_reusable();
    let blobs = engine.store.blobs();
    let is_whole =
        || receipt.execution.blobs().iter().all(|blob| blobs.check(blob).unwrap_or(false));
    Ok((is_wanted && is_ours && is_whole()).then_some(Found { receipt: *receipt, planted }))
}

impl Work<'_> {
    /// The event at `kept`, if its verification is on the record as it was written and began with
    /// what this one began with.
    fn earlier(&mut self, kept: &Kept) -> Result<Option<VerifyEvent>> {
        let id = kept.verification;
        if !self.known.0.contains_key(&id) {
            let read = match self.engine.verification_events(id) {
                Ok(events) => Some(by_place(&events)),
                Err(error) if error.kind == Kind::Tampered => {
                    let words = format!("receipts of verification {id} are not reused: {error}");
                    self.engine.notices.push(words);
                    None
                }
                Err(error) => return Err(error),
            };
            self.known.0.insert(id, read.flatten());
        }
        let Some(Some((base, events))) = self.known.0.get(&id) else { return Ok(None) };
        let is_same = *base == self.terms.base_commit;
        Ok(events.get(&kept.sequence).filter(|_| is_same).cloned())
    }
}

fn by_place(events: &[Event]) -> Option<Earlier> {
    let decoded = |event: &Event| {
        let body = event.body.as_deref()?;
        Some((event.sequence, VerifyEvent::decode(&event.kind, body).ok()?))
    };
    let events: BTreeMap<u64, VerifyEvent> = events.iter().filter_map(decoded).collect();
    let base = events.values().find_map(|event| match event {
        VerifyEvent::Opened { terms, .. } => Some(Terms::clone(terms).base_commit),
        _ => None,
    })?;
    Some((base, events))
}

/// The stream of a verification.
pub(super) fn stream(id: Stamp) -> Result<Stream> {
    VerifyEvent::stream(id)
        .parse()
        .map_err(|error| Error::new(Kind::Bug, format!("a verification's stream: {error}")))
}

impl Engine {
    /// The events of a verification, if they are those that were written.
    pub(crate) fn verification_events(&self, id: Stamp) -> Result<Vec<Event>> {
        let stream = stream(id)?;
        let events = self.store.read(&stream, 0)?;
        self.check_chain(&stream, &events)?;
        Ok(events)
    }
}

/// The row by which the receipt of `event` is found again.
pub(super) fn row(id: Stamp, sequence: u64, event: &VerifyEvent) -> Result<Option<ViewChange>> {
    let Some((receipt, name)) = event.receipt() else { return Ok(None) };
    if !receipt.is_reusable() {
        return Ok(None);
    }
    let body = canonical::to_string(&Kept { verification: id, sequence })?;
    Ok(Some(ViewRow { kind: VIEW.into(), key: format!("{name}/{id}"), body }.into()))
}

/// A receipt that was used again, and the verification that made it.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Reused {
    pub receipt: Digest,
    pub from: Stamp,
}
