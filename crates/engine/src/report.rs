//! LP-21 to LP-23: where runs and relays stand, what their agents wrote, the audit trail, the
//! self-verification report, and removing what ended runs have left. All of it is made from the record;
//! nothing is stored besides. Why is in `docs/design/reports.md`.

mod audit;
mod clean;
mod files;
mod logs;
mod status;

use std::collections::BTreeMap;

use countersign_domain::Stamp;
use countersign_domain::ledger::{Event, Stored as _};
use countersign_domain::relay::Relay;
use countersign_domain::report::{
    Dated, Document, Head, RelayTrail, Report, Source, Trail, html, markdown,
};
use countersign_domain::run::RunEvent;
use countersign_domain::secret::Scanner;
use serde::Serialize;
use serde_json::Value;

pub use audit::Audited;
pub use clean::{Cleaned, Left};
pub use files::{Filed, file_report};
pub use logs::{Heard, Wanted, Written};
pub use status::{LiveView, StatusView};

use crate::Engine;
use crate::error::{Error, Kind, Result};
use crate::query::stream_of;
use crate::relay::Undertaking;

/// How a report is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Shape {
    Markdown,
    Html,
    Json,
}

impl Shape {
    /// How files of this shape end.
    pub fn extension(self) -> &'static str {
        match self {
            Self::Markdown => "md",
            Self::Html => "html",
            Self::Json => "json",
        }
    }
}

impl Engine {
    /// The self-verification report on a run or a relay, as far as it has come. A relay that goes on from
    /// another is reported on from the first one on: its work rests on what landed there.
    pub fn report(&self, it: Undertaking) -> Result<Report> {
        let source = match it {
            Undertaking::Run(_) => self.source_of(it)?,
            Undertaking::Relay(relay) => self.source_of_relays(self.lineage(relay)?)?,
        };
        Report::of(&source).ok_or_else(|| removed(it))
    }

    /// What it is about, without the rest of the report.
    fn report_head(it: Undertaking, source: &Source) -> Result<Head> {
        Head::of(source).ok_or_else(|| removed(it))
    }

    /// All that is on the record of a run or a relay, iteration by iteration.
    pub fn source_of(&self, it: Undertaking) -> Result<Source> {
        match it {
            Undertaking::Run(run) => self.source_with(None, &[run]),
            Undertaking::Relay(relay) => self.source_of_relays(vec![self.load_relay(relay)?]),
        }
    }

    /// The relays that led to this one, and this one last.
    fn lineage(&self, relay: Stamp) -> Result<Vec<Relay>> {
        let mut lineage = vec![self.load_relay(relay)?];
        while let Some(before) = lineage.last().and_then(|one| one.opened.continues.as_deref()) {
            match self.load_relay(before.relay) {
                // Retention may have removed it.
                Err(error) if error.kind == Kind::NotFound => break,
                loaded => lineage.push(loaded?),
            }
        }
        lineage.reverse();
        Ok(lineage)
    }

    /// The record of relays of which each goes on from the one before.
    fn source_of_relays(&self, lineage: Vec<Relay>) -> Result<Source> {
        let runs: Vec<Stamp> =
            lineage.iter().flat_map(|relay| &relay.runs).map(|(_, run)| *run).collect();
        let mut trail: Option<RelayTrail> = None;
        let mut before = Vec::new();
        for relay in lineage {
            let mut next = self.relay_trail(relay)?;
            if let Some(earlier) = trail.take() {
                before.push(earlier.relay.id());
                next.events.splice(0..0, earlier.events);
            }
            trail = Some(next);
        }
        Ok(Source { before, ..self.source_with(trail, &runs)? })
    }

    fn source_with(&self, relay: Option<RelayTrail>, runs: &[Stamp]) -> Result<Source> {
        let mut source = Source { relay, runs: Vec::new(), lost: Vec::new(), before: Vec::new() };
        let mut counted: BTreeMap<String, u32> = BTreeMap::new();
        for run in runs.iter().copied() {
            let events = self.dated(run)?;
            if events.is_empty() && source.relay.is_some() {
                // Its relay has named it, and was cut off before it was opened.
                continue;
            }
            if events.is_empty() {
                return Err(Error::new(Kind::NotFound, format!("there is no run {run}"))
                    .hint("`countersign status` lists the runs"));
            }
            match Trail::read(events, &mut counted) {
                Some(trail) => source.runs.push(trail),
                None => source.lost.push(run),
            }
        }
        Ok(source)
    }

    fn relay_trail(&self, relay: Relay) -> Result<RelayTrail> {
        let journal = self.relay_journal(relay.id())?;
        let mut events = Vec::with_capacity(journal.len());
        for entry in journal {
            let at = moment(&entry.time)?;
            events.extend(entry.event.map(|event| (at, event)));
        }
        Ok(RelayTrail { relay, events })
    }

    /// The events of a run, which are those that were written.
    fn dated(&self, run: Stamp) -> Result<Vec<Dated>> {
        let stream = stream_of(run)?;
        let events = self.store.read(&stream, 0)?;
        self.check_chain(&stream, &events)?;
        events.iter().map(dated).collect()
    }
}

/// A report as text in `shape`, without secrets.
pub fn written(report: &Report, shape: Shape) -> Result<String> {
    let scanner = Scanner::builtin();
    let document = || Document::of(report).with_texts(|text| scanner.redact(text).into_owned());
    Ok(match shape {
        Shape::Markdown => markdown(&document()),
        Shape::Html => html(&document()),
        Shape::Json => serde_json::to_string_pretty(&value(report)?)? + "\n",
    })
}

/// A report for programs, without secrets.
pub fn value(report: &Report) -> Result<Value> {
    Ok(Scanner::builtin().redact_json(&serde_json::to_value(report)?))
}

fn dated(event: &Event) -> Result<Dated> {
    let decoded = event.body.as_ref().map(|body| RunEvent::decode(&event.kind, body));
    Ok(Dated { sequence: event.sequence, at: moment(&event.time)?, event: decoded.transpose()? })
}

fn moment(time: &str) -> Result<jiff::Timestamp> {
    time.parse().map_err(|error| {
        Error::new(Kind::Tampered, format!("the time of an event can't be read: {error}"))
            .hint("`countersign ledger verify` names what was changed")
    })
}

fn removed(it: Undertaking) -> Error {
    let id = match it {
        Undertaking::Run(id) | Undertaking::Relay(id) => id,
    };
    Error::new(Kind::NotFound, format!("retention has removed the record of {id}"))
        .hint("its hashes are still in the ledger; an export from before has the rest")
}
