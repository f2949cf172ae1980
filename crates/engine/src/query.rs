//! Questions about what is on the record: runs, journals, receipts.

use countersign_domain::canonical;
use countersign_domain::ledger::{Event, PublicKey, Stored as _, Stream};
use countersign_domain::receipt::Receipt;
use countersign_domain::run::{Outcome, Run, RunEvent};
use countersign_domain::verify::VerifyEvent;
use countersign_domain::{Digest, Stamp};
use countersign_store::{ViewChange, ViewRow};
use serde::{Deserialize, Serialize};

use crate::Engine;
use crate::error::{Error, Kind, Result};

/// A run in a list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunSummary {
    pub run: Stamp,
    /// The first line of the goal, shortened.
    pub goal: String,
    pub worker: String,
    pub attempt: u32,
    pub attempts: u32,
    pub checks: u32,
    /// Where the run is, in one word.
    pub at: String,
    pub outcome: Option<Outcome>,
    pub opened_at: String,
    pub updated_at: String,
}

/// One line of a journal.
#[derive(Debug, Clone, Serialize)]
pub struct JournalEntry {
    pub sequence: u64,
    pub time: String,
    pub actor: String,
    pub kind: String,
    /// What happened; `None` when retention removed it.
    pub event: Option<RunEvent>,
    pub hash: Digest,
}

/// A run's whole journal.
#[derive(Debug, Clone, Serialize)]
pub struct Journal {
    pub run: Stamp,
    pub entries: Vec<JournalEntry>,
}

/// A receipt, with its name.
#[derive(Debug, Clone, Serialize)]
pub struct ReceiptView {
    pub id: Digest,
    pub passed: bool,
    #[serde(flatten)]
    pub receipt: Receipt,
}

impl Engine {
    /// The newest runs first.
    pub fn runs(&self, most: u32) -> Result<Vec<RunSummary>> {
        let rows = self.store.views("run", "", most)?;
        rows.iter().map(|row| Ok(serde_json::from_str(&row.body)?)).collect()
    }

    /// One run of the list.
    pub fn summary(&self, run: Stamp) -> Result<RunSummary> {
        match self.store.view("run", &run.to_string())? {
            Some(row) => Ok(serde_json::from_str(&row.body)?),
            None => Err(Error::new(Kind::NotFound, format!("there is no run {run}"))
                .hint("`countersign status` lists the runs")),
        }
    }

    /// Everything that happened in `run`.
    pub fn journal(&self, run: Stamp) -> Result<Journal> {
        let events = self.store.read(&stream_of(run)?, 0)?;
        if events.is_empty() {
            return Err(Error::new(Kind::NotFound, format!("there is no run {run}")));
        }
        let entries = events.into_iter().map(entry).collect::<Result<_>>()?;
        Ok(Journal { run, entries })
    }

    /// The fold of `run`'s journal.
    pub fn load(&self, run: Stamp) -> Result<Run> {
        let stream = stream_of(run)?;
        let events = self.store.read(&stream, 0)?;
        self.check_chain(&stream, &events)?;
        let missing = || {
            Error::new(Kind::NotFound, format!("there is no run {run}"))
                .hint("`countersign status` lists the runs")
        };
        fold(&events)?.ok_or_else(missing)
    }

    /// Whether a journal is the one that was written, as far as its own hashes say and its
    /// newest seal knows: whatever is decided next rests on it.
    pub(crate) fn check_chain(&self, stream: &Stream, events: &[Event]) -> Result<()> {
        if events.is_empty() {
            return Ok(());
        }
        let tampered = |sequence: u64| {
            Error::new(
                Kind::Tampered,
                format!("event {sequence} of {stream} is not the one that was written"),
            )
            .hint("`countersign ledger verify` names what was changed")
        };
        let (ledger, key) = (self.store.id(), self.key()?.public());
        let mut previous = ledger.root_of(stream);
        for (sequence, event) in (1..).zip(events) {
            let is_whole = event.sequence == sequence
                && event.previous == previous
                && event.computed_hash() == event.hash
                && (event.body.is_none() || event.body_is_intact());
            if !is_whole || !is_ours(event, &key) {
                return Err(tampered(sequence));
            }
            previous = event.hash;
        }
        let seals = self.store.seals()?;
        let mut holding = seals.iter().rev().filter(|seal| seal.check(ledger, &key).is_ok());
        let sealed = holding.find_map(|seal| seal.statement.moved.get(stream));
        // A journal that lost its end is short, but what is there may still be gone on with.
        let differs = |event: &&Event| {
            sealed.is_some_and(|head| head.sequence == event.sequence && head.hash != event.hash)
        };
        events.iter().find(differs).map_or(Ok(()), |event| Err(tampered(event.sequence)))
    }

    /// The receipt whose id begins with `prefix`.
    pub fn receipt(&self, prefix: &str) -> Result<ReceiptView> {
        let rows = self.store.views("receipt", prefix, 2)?;
        let row = match rows.as_slice() {
            [row] => row,
            [] => {
                return Err(Error::new(Kind::NotFound, format!("there is no receipt '{prefix}'"))
                    .hint("`countersign log RUN` names a run's receipts"));
            }
            _ => {
                return Err(Error::new(
                    Kind::Refused,
                    format!("'{prefix}' names several receipts"),
                )
                .hint("give more of the id"));
            }
        };
        let place: Place = serde_json::from_str(&row.body)?;
        let stream = place.stream.unwrap_or_else(|| RunEvent::stream(place.run));
        let stream: Stream = stream
            .parse()
            .map_err(|error| Error::new(Kind::Bug, format!("a receipt's stream: {error}")))?;
        let events = self.store.read(&stream, place.sequence.saturating_sub(1))?;
        let body = events.first().and_then(|event| Some((&event.kind, event.body.as_ref()?)));
        match body.map(|(kind, body)| receipt_in(kind, body)) {
            Some(Some(receipt)) => {
                Ok(ReceiptView { id: receipt.id(), passed: receipt.passed(), receipt })
            }
            Some(None) => Err(Error::new(Kind::Tampered, "the view of receipts is wrong")
                .hint("`countersign ledger rebuild` remakes the views")),
            None => Err(Error::new(Kind::NotFound, "retention has removed this receipt's body")
                .hint("its hash is still in the ledger")),
        }
    }

    /// The whole output behind a receipt or a worker, as bytes.
    pub fn output(&self, blob: &Digest) -> Result<Vec<u8>> {
        Ok(self.store.blobs().read(blob)?)
    }

    /// The difference between what `run` started from and what it handed over last, as a patch.
    pub fn run_patch(&self, run: &Run) -> Result<Vec<u8>> {
        let tree = run.last_tree.as_ref().unwrap_or(&run.base().tree);
        Ok(self.repository.patch(&run.base().tree, tree)?)
    }
}

/// Where a receipt is.
#[derive(Serialize, Deserialize)]
struct Place {
    run: Stamp,
    sequence: u64,
    /// The stream, where it is not that of a run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    stream: Option<String>,
}

/// The receipt that an event holds.
fn receipt_in(kind: &str, body: &str) -> Option<Receipt> {
    if kind.starts_with(VerifyEvent::PREFIX) {
        let event = VerifyEvent::decode(kind, body).ok()?;
        return event.receipt().map(|(receipt, _)| receipt.clone());
    }
    match RunEvent::decode(kind, body) {
        Ok(RunEvent::Checked(receipt)) => Some(*receipt),
        _ => None,
    }
}

pub(crate) fn stream_of(run: Stamp) -> Result<Stream> {
    RunEvent::stream(run)
        .parse()
        .map_err(|error| Error::new(Kind::Bug, format!("a run's stream: {error}")))
}

fn entry(event: Event) -> Result<JournalEntry> {
    let decoded =
        event.body.as_ref().map(|body| RunEvent::decode(&event.kind, body)).transpose()?;
    Ok(JournalEntry {
        sequence: event.sequence,
        time: event.time,
        actor: event.actor,
        kind: event.kind,
        event: decoded,
        hash: event.hash,
    })
}

/// The fold of a run's events; `None` if there are none or retention took them.
fn fold(events: &[Event]) -> Result<Option<Run>> {
    let mut decoded = Vec::with_capacity(events.len());
    for event in events {
        let Some(body) = &event.body else { return Ok(None) };
        decoded.push(RunEvent::decode(&event.kind, body)?);
    }
    Ok(Run::replay(decoded)?)
}

/// The view rows that follow from a run's whole journal. A journal whose bodies are gone has
/// none: what was known of it is known only by its hashes.
pub(crate) fn rows_of(events: &[Event]) -> Result<Vec<ViewChange>> {
    let (Some(first), Some(last)) = (events.first(), events.last()) else {
        return Ok(Vec::new());
    };
    let Some(folded) = fold(events)? else { return Ok(Vec::new()) };
    let mut rows = vec![summary_row(&folded, &first.time, &last.time)?];
    for event in events {
        if event.kind != "run.checked" {
            continue;
        }
        let body = event.body.as_deref().unwrap_or_default();
        if let RunEvent::Checked(receipt) = RunEvent::decode(&event.kind, body)? {
            rows.push(receipt_row(&receipt, event.sequence)?);
        }
    }
    Ok(rows)
}

pub(crate) fn summary_row(run: &Run, opened_at: &str, updated_at: &str) -> Result<ViewChange> {
    let contract = &run.opened.contract;
    let line = contract.goal.trim().lines().next().unwrap_or_default();
    let at = serde_json::to_value(&run.step)?;
    let summary = RunSummary {
        run: run.id(),
        goal: line.chars().take(200).collect(),
        worker: run.opened.worker.chars().take(200).collect(),
        attempt: run.attempt,
        attempts: run.opened.limits.attempts,
        checks: u32::try_from(contract.checks.len()).unwrap_or(u32::MAX),
        at: at["at"].as_str().unwrap_or_default().to_owned(),
        outcome: run.outcome().cloned(),
        opened_at: opened_at.to_owned(),
        updated_at: updated_at.to_owned(),
    };
    let body = canonical::to_string(&summary)?;
    Ok(ViewRow { kind: "run".into(), key: run.id().to_string(), body }.into())
}

pub(crate) fn receipt_row(receipt: &Receipt, sequence: u64) -> Result<ViewChange> {
    placed(receipt, &Place { run: receipt.run, sequence, stream: None })
}

/// As [`receipt_row`], for a receipt that is in another stream than that of a run.
pub(crate) fn receipt_row_of(stream: &str, receipt: &Receipt, sequence: u64) -> Result<ViewChange> {
    placed(receipt, &Place { run: receipt.run, sequence, stream: Some(stream.to_owned()) })
}

fn placed(receipt: &Receipt, place: &Place) -> Result<ViewChange> {
    let body = canonical::to_string(place)?;
    Ok(ViewRow { kind: "receipt".into(), key: receipt.id().to_string(), body }.into())
}

/// Whether a receipt or an examination, if `event` holds one, was signed with our key: what nobody
/// has sealed yet could have been appended by anyone.
fn is_ours(event: &Event, key: &PublicKey) -> bool {
    let is_signed = event.kind == "run.checked" || event.kind == "run.examined";
    let body = event.body.as_deref().filter(|_| is_signed);
    match body.map(|body| RunEvent::decode(&event.kind, body)) {
        Some(Ok(RunEvent::Checked(receipt))) => receipt.is_signed_by(key),
        Some(Ok(RunEvent::Examined(examined))) => examined.is_signed_by(key),
        Some(_) => false,
        None => true,
    }
}
