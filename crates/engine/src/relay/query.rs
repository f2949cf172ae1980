//! Questions about relays: what is on the record, and what follows from it in the views.

use std::collections::BTreeMap;

use countersign_domain::ledger::{Event, Stored as _, Stream};
use countersign_domain::relay::{Relay, RelayEvent, RelayOutcome, Standing};
use countersign_domain::run::Run;
use countersign_domain::{Digest, Stamp, canonical};
use countersign_store::{ViewChange, ViewRow};
use serde::{Deserialize, Serialize};

use crate::Engine;
use crate::error::{Error, Kind, Result};

/// A relay in a list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RelaySummary {
    pub relay: Stamp,
    pub slug: String,
    /// The first line of the objective, shortened.
    pub objective: String,
    /// Each story, and where it stands in one word.
    pub stories: BTreeMap<String, String>,
    /// Where all of them together stand.
    pub release: Option<String>,
    pub runs: Vec<Stamp>,
    pub outcome: Option<RelayOutcome>,
    pub opened_at: String,
    pub updated_at: String,
}

/// One line of a relay's journal.
#[derive(Debug, Clone, Serialize)]
pub struct RelayEntry {
    pub sequence: u64,
    pub time: String,
    pub kind: String,
    /// What happened; `None` when retention removed it.
    pub event: Option<RelayEvent>,
    pub hash: Digest,
}

/// What an id names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Undertaking {
    Run(Stamp),
    Relay(Stamp),
}

impl Engine {
    /// The newest relays first.
    pub fn relays(&self, most: u32) -> Result<Vec<RelaySummary>> {
        let rows = self.store.views("relay", "", most)?;
        rows.iter().map(|row| Ok(serde_json::from_str(&row.body)?)).collect()
    }

    pub fn relay_summary(&self, relay: Stamp) -> Result<RelaySummary> {
        match self.store.view("relay", &relay.to_string())? {
            Some(row) => Ok(serde_json::from_str(&row.body)?),
            None => Err(missing(relay)),
        }
    }

    /// Everything that happened in a relay itself; what its runs did is in their own journals.
    pub fn relay_journal(&self, relay: Stamp) -> Result<Vec<RelayEntry>> {
        let events = self.store.read(&stream_of(relay)?, 0)?;
        let entry = |event: Event| {
            let decoded = event.body.as_ref().map(|body| RelayEvent::decode(&event.kind, body));
            Ok(RelayEntry {
                sequence: event.sequence,
                time: event.time,
                kind: event.kind.clone(),
                event: decoded.transpose()?,
                hash: event.hash,
            })
        };
        events.into_iter().map(entry).collect()
    }

    /// The fold of a relay's journal.
    pub fn load_relay(&self, relay: Stamp) -> Result<Relay> {
        let stream = stream_of(relay)?;
        let events = self.store.read(&stream, 0)?;
        self.check_chain(&stream, &events)?;
        fold(&events)?.ok_or_else(|| missing(relay))
    }

    /// What `text` names: a relay or a run by its id or a beginning of it, or the newest of both.
    pub fn find_undertaking(&self, text: &str) -> Result<Undertaking> {
        if text != "latest" {
            let rows = self.store.views("relay", text, 2)?;
            let parse = |key: &str| {
                key.parse().map_err(|error| Error::new(Kind::Bug, format!("a view: {error}")))
            };
            return match rows.as_slice() {
                [row] => Ok(Undertaking::Relay(parse(&row.key)?)),
                [one, other] if self.store.views("run", text, 1)?.is_empty() => {
                    let message = format!("'{text}' could be {} or {}", other.key, one.key);
                    Err(Error::new(Kind::Refused, message).hint("give more of the id"))
                }
                _ => Ok(Undertaking::Run(self.find_run(text)?)),
            };
        }
        let newest = self.relays(1)?.first().map(|row| row.relay);
        let run = match (self.find_run(text), newest) {
            (Ok(run), _) => run,
            (Err(_), Some(relay)) => return Ok(Undertaking::Relay(relay)),
            (Err(error), None) => return Err(error),
        };
        let belongs = newest.is_some_and(|relay| {
            relay > run
                || self.relay_summary(relay).is_ok_and(|summary| summary.runs.contains(&run))
        });
        Ok(match (belongs, newest) {
            (true, Some(relay)) => Undertaking::Relay(relay),
            _ => Undertaking::Run(run),
        })
    }

    /// The difference between what a relay started from and all that has landed, as a patch.
    pub fn relay_patch(&self, relay: Stamp) -> Result<Vec<u8>> {
        let relay = self.load_relay(relay)?;
        Ok(self.repository.patch(&relay.opened.base.tree, &relay.tip_tree)?)
    }

    /// What a person goes on with for `run`: the relay that it is a leg of, or the run itself.
    pub fn undertaking_of(&self, run: Stamp) -> Result<Undertaking> {
        let relay = Self::relay_of(&self.load(run)?);
        Ok(relay.map_or(Undertaking::Run(run), Undertaking::Relay))
    }

    /// The relay that a run is part of.
    pub fn relay_of(run: &Run) -> Option<Stamp> {
        let crew = run.opened.crew.as_ref()?;
        let story = crew.story.as_ref().map(|story| story.relay);
        // Runs over all stories did not always say which relay's they are.
        let branch = crew.handed.as_ref().and_then(|handed| handed.branch.split_once('/'));
        story.or_else(|| branch.and_then(|(_, relay)| relay.parse().ok()))
    }
}

fn missing(relay: Stamp) -> Error {
    Error::new(Kind::NotFound, format!("there is no relay {relay}"))
        .hint("`countersign status` lists what there is")
}

pub(super) fn stream_of(relay: Stamp) -> Result<Stream> {
    RelayEvent::stream(relay)
        .parse()
        .map_err(|error| Error::new(Kind::Bug, format!("a relay's stream: {error}")))
}

fn fold(events: &[Event]) -> Result<Option<Relay>> {
    let mut decoded = Vec::with_capacity(events.len());
    for event in events {
        let Some(body) = &event.body else { return Ok(None) };
        decoded.push(RelayEvent::decode(&event.kind, body)?);
    }
    Ok(Relay::replay(decoded)?)
}

fn word(standing: &Standing) -> String {
    match standing {
        Standing::Open => "open",
        Standing::Running { .. } => "running",
        Standing::Accepted { .. } => "accepted",
        Standing::Landed { .. } => "landed",
        Standing::Refused { .. } => "refused",
    }
    .to_owned()
}

pub(super) fn summary_row(relay: &Relay, opened_at: &str, updated_at: &str) -> Result<ViewChange> {
    let summary = RelaySummary {
        relay: relay.id(),
        slug: relay.opened.slug.clone(),
        objective: relay.opened.headline(200),
        stories: relay.stories.iter().map(|(id, at)| (id.clone(), word(at))).collect(),
        release: relay.release.as_ref().map(word),
        runs: relay.runs.iter().map(|(_, run)| *run).collect(),
        outcome: relay.outcome.clone(),
        opened_at: opened_at.to_owned(),
        updated_at: updated_at.to_owned(),
    };
    let body = canonical::to_string(&summary)?;
    Ok(ViewRow { kind: "relay".into(), key: relay.id().to_string(), body }.into())
}

/// What follows in the views from all events of a relay.
pub(crate) fn rows_of(events: &[Event]) -> Result<Vec<ViewChange>> {
    let (Some(first), Some(last)) = (events.first(), events.last()) else {
        return Ok(Vec::new());
    };
    match fold(events)? {
        Some(relay) => Ok(vec![summary_row(&relay, &first.time, &last.time)?]),
        None => Ok(Vec::new()),
    }
}
