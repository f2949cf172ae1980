//! Exporting the ledger as JSON Lines, and verifying such a file with the public key alone.
//!
//! The lines: a header, all seals, all events in the order they were written, and an end that
//! counts them. `body` is the canonical JSON text whose SHA-256 is `body_hash`.

use std::io::{BufRead, Write};

use countersign_domain::ledger::{
    Event, Finding, FindingKind, LedgerId, PublicKey, Seal, Verifier,
};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::Verification;
use crate::Engine;
use crate::error::{Error, Kind, Result};

/// One line of an export.
#[derive(Debug, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum Line {
    Header { format: u32, ledger: LedgerId, key: PublicKey, exported_at: Timestamp },
    Seal(Box<Seal>),
    Event { position: u64, event: Box<Event> },
    End { events: u64, seals: u64 },
}

/// [`Line::Event`] as it is written, without a copy of the event.
#[derive(Serialize)]
struct EventLine<'a> {
    #[serde(rename = "type")]
    kind: &'static str,
    position: u64,
    event: &'a Event,
}

/// What was exported.
#[derive(Debug, Clone, Serialize)]
pub struct Exported {
    pub ledger: LedgerId,
    pub events: u64,
    pub seals: u64,
    pub key: PublicKey,
}

const FORMAT: u32 = 1;

impl Engine {
    /// Writes the whole ledger to `out`.
    pub fn export(&mut self, out: &mut dyn Write) -> Result<Exported> {
        // Seal first: an export vouches for all it holds.
        self.seal()?;
        let key = self.key()?.public();
        let ledger = self.store.id();
        let failed = |error: std::io::Error| {
            Error::new(Kind::Unavailable, format!("can't write the export: {error}"))
        };
        let exported_at = self.host.now();
        write(out, &Line::Header { format: FORMAT, ledger, key, exported_at }).map_err(failed)?;
        let mut seals = 0;
        for seal in self.store.seals()? {
            write(out, &Line::Seal(Box::new(seal))).map_err(failed)?;
            seals += 1;
        }
        let mut events = 0;
        let mut broken = None;
        self.store.scan(0, |placed| {
            let line = EventLine { kind: "event", position: placed.position, event: &placed.event };
            if broken.is_none() {
                broken = write(out, &line).err();
            }
            events += 1;
            Ok(())
        })?;
        if let Some(error) = broken {
            return Err(failed(error));
        }
        write(out, &Line::End { events, seals }).map_err(failed)?;
        out.flush().map_err(failed)?;
        Ok(Exported { ledger, events, seals, key })
    }
}

/// Verifies an export. Needs no repository, no key of ours and no network. Without `trusted`,
/// the key that the file itself names is used, which proves only that it fits together.
pub fn verify_file(input: &mut dyn BufRead, trusted: Option<PublicKey>) -> Result<Verification> {
    let mut lines = Lines { input, number: 0 };
    let Some(Line::Header { format, ledger, key: named, .. }) = lines.next()? else {
        return Err(lines.wrong("it does not begin with the header of an export"));
    };
    if format > FORMAT {
        return Err(lines.wrong(&format!("format {format} is newer than {FORMAT}")));
    }
    let key = trusted.unwrap_or(named);
    let mut seals = Vec::new();
    let mut next = lines.next()?;
    while let Some(Line::Seal(seal)) = next {
        seals.push(*seal);
        next = lines.next()?;
    }
    let held = seals.len() as u64;
    let mut verifier = Verifier::new(ledger, key, seals, &[]);
    let mut counted = 0;
    let mut promised = None;
    while let Some(line) = next {
        match line {
            Line::Event { position, event } => verifier.event(position, &event),
            Line::End { events, seals } => {
                promised = Some((events, seals));
                lines.expect_end()?;
                break;
            }
            Line::Header { .. } | Line::Seal(_) => {
                return Err(lines.wrong("this line does not belong here"));
            }
        }
        counted += 1;
        next = lines.next()?;
    }
    let mut report = verifier.finish();
    if promised != Some((counted, held)) {
        let message = match promised {
            None => format!("the file ends after {counted} events, without its last line"),
            Some((events, seals)) => format!(
                "the file says {events} events and {seals} seals; it holds {counted} and {held}"
            ),
        };
        report.add(Finding::new(FindingKind::TailCut, message));
    }
    if trusted.is_none() {
        report.notices.push(format!(
            "checked with the key that the file names ({named}); give the key you trust with \
             --key to know who sealed it"
        ));
    }
    Ok(Verification { ledger, key, intact: report.is_intact(), report, lost_events: 0, blobs: 0 })
}

fn write(out: &mut dyn Write, line: &impl Serialize) -> std::io::Result<()> {
    serde_json::to_writer(&mut *out, line)?;
    out.write_all(b"\n")
}

struct Lines<'a> {
    input: &'a mut dyn BufRead,
    number: u64,
}

impl Lines<'_> {
    fn next(&mut self) -> Result<Option<Line>> {
        let mut line = Vec::new();
        let read = self.input.read_until(b'\n', &mut line).map_err(|error| {
            Error::new(Kind::Unavailable, format!("can't read the export: {error}"))
        })?;
        self.number += 1;
        if read == 0 {
            return Ok(None);
        }
        serde_json::from_slice(&line)
            .map(Some)
            .map_err(|error| self.wrong(&format!("this is no line of an export ({error})")))
    }

    /// Nothing may follow the last line: nobody vouches for it.
    fn expect_end(&mut self) -> Result<()> {
        let mut line = Vec::new();
        let read = self.input.read_until(b'\n', &mut line);
        self.number += 1;
        match read {
            Ok(0) => Ok(()),
            Ok(_) => Err(self.wrong("the export has ended, and something follows")),
            Err(error) => {
                Err(Error::new(Kind::Unavailable, format!("can't read the export: {error}")))
            }
        }
    }

    fn wrong(&self, what: &str) -> Error {
        Error::new(Kind::Tampered, format!("line {}: {what}", self.number))
            .hint("`countersign ledger export` writes such files")
    }
}
