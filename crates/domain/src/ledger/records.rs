//! Signed records about the ledger itself: retention and replacement.
//!
//! Anyone who can write the database could append an event that says "retention"; only the
//! key's owner can sign one.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::finding::{Finding, FindingKind as Kind, Report};
use super::seal::signed_bytes;
use super::{Event, LedgerId, PublicKey, Signature, Stream};

/// The kind of a retention event, in the ledger's own stream.
pub const RETAINED: &str = "ledger.retained";
/// The kind of a replacement event, in the ledger's own stream.
pub const REPLACED: &str = "ledger.replaced";

/// A stretch of one stream.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Span {
    pub stream: Stream,
    pub from: u64,
    pub to: u64,
}

/// Bodies were removed on purpose; their hashes stay.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Retained {
    pub ledger: LedgerId,
    pub reason: String,
    pub spans: Vec<Span>,
}

/// A damaged database was set aside and this one took its place.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Replaced {
    pub ledger: LedgerId,
    /// The ledger that was set aside, where it could still be read.
    pub previous: Option<LedgerId>,
    pub reason: String,
    /// Name of the folder that keeps the damaged files, beside the ledger.
    pub kept_in: String,
    /// Events that could be carried over.
    pub salvaged: u64,
}

/// A statement with the signature over it, as the body of an event.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Signed<T> {
    pub(super) statement: T,
    pub(super) signature: Signature,
}

pub(super) fn is_record(event: &Event) -> bool {
    event.stream.as_str() == "ledger" && matches!(event.kind.as_str(), RETAINED | REPLACED)
}

/// The records met during one verification, and the bodies that are gone.
#[derive(Debug)]
pub(super) struct Records {
    ledger: LedgerId,
    trusted: PublicKey,
    retained: BTreeMap<Stream, Vec<(u64, u64)>>,
    gone: BTreeMap<Stream, Vec<(u64, u64)>>,
    notices: Vec<String>,
}

impl Records {
    pub(super) fn new(ledger: LedgerId, trusted: PublicKey) -> Self {
        Self {
            ledger,
            trusted,
            retained: BTreeMap::new(),
            gone: BTreeMap::new(),
            notices: Vec::new(),
        }
    }

    /// Notes a missing body; runs of them are kept as one span.
    pub(super) fn body_is_gone(&mut self, stream: &Stream, sequence: u64) {
        let spans = match self.gone.get_mut(stream) {
            Some(spans) => spans,
            None => self.gone.entry(stream.clone()).or_default(),
        };
        match spans.last_mut() {
            Some(last) if last.1.checked_add(1) == Some(sequence) => last.1 = sequence,
            _ => spans.push((sequence, sequence)),
        }
    }

    /// Takes in a record, if it is signed by the trusted key for this ledger.
    pub(super) fn take(&mut self, event: &Event, body: &str) -> Result<(), Finding> {
        let forged = |why: &str| {
            let message = format!("the {} record {why}", event.kind);
            Finding::new(Kind::RecordForged, message).at(&event.stream, event.sequence)
        };
        if event.kind == RETAINED {
            let signed: Signed<Retained> =
                serde_json::from_str(body).map_err(|_| forged("can't be read"))?;
            self.check("retention", &signed, signed.statement.ledger).map_err(forged)?;
            for span in signed.statement.spans {
                self.retained.entry(span.stream).or_default().push((span.from, span.to));
            }
        } else {
            let signed: Signed<Replaced> =
                serde_json::from_str(body).map_err(|_| forged("can't be read"))?;
            self.check("replacement", &signed, signed.statement.ledger).map_err(forged)?;
            let Replaced { reason, kept_in, salvaged, .. } = signed.statement;
            self.notices.push(format!(
                "this ledger took the place of a damaged one ({reason}) on {}; \
                 {salvaged} events were carried over, the damaged files are kept in {kept_in}",
                event.time
            ));
        }
        Ok(())
    }

    fn check<T: Serialize>(
        &self,
        purpose: &str,
        signed: &Signed<T>,
        ledger: LedgerId,
    ) -> Result<(), &'static str> {
        let bytes = signed_bytes(purpose, &signed.statement);
        if ledger != self.ledger {
            Err("belongs to another ledger")
        } else if self.trusted.verifies(&bytes, &signed.signature) {
            Ok(())
        } else {
            Err("is not signed with the trusted key")
        }
    }

    /// Weighs missing bodies against signed retentions.
    pub(super) fn settle(self, report: &mut Report) {
        report.notices.extend(self.notices);
        for (stream, spans) in self.gone {
            let mut signed = self.retained.get(&stream).cloned().unwrap_or_default();
            signed.sort_unstable();
            for (from, to) in spans {
                let unsigned = uncovered((from, to), &signed);
                report.retained_bodies += to - from + 1;
                for (from, to) in unsigned {
                    report.retained_bodies -= to - from + 1;
                    let message =
                        format!("the bodies of events {from} to {to} are gone without a retention");
                    report.add(Finding::new(Kind::BodyRemoved, message).at(&stream, from));
                }
            }
        }
    }
}

/// The parts of `from` to `to` that none of the sorted `spans` cover.
fn uncovered((from, to): (u64, u64), spans: &[(u64, u64)]) -> Vec<(u64, u64)> {
    let mut parts = Vec::new();
    let mut next = from;
    for &(start, end) in spans {
        if start > to {
            break;
        }
        if start > next {
            parts.push((next, start - 1));
        }
        next = next.max(end.saturating_add(1));
    }
    if next <= to {
        parts.push((next, to));
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    /// PL-01: retention covers exactly what it names.
    #[test]
    fn uncovered_parts_are_found() {
        for (span, spans, expected) in [
            ((1, 9), vec![], vec![(1, 9)]),
            ((1, 9), vec![(1, 9)], vec![]),
            ((3, 5), vec![(1, 9)], vec![]),
            ((1, 9), vec![(1, 3), (6, 7)], vec![(4, 5), (8, 9)]),
            ((1, 9), vec![(2, 4), (3, 8)], vec![(1, 1), (9, 9)]),
            ((5, 9), vec![(1, 2), (20, 30)], vec![(5, 9)]),
        ] {
            assert_eq!(uncovered(span, &spans), expected, "{span:?} by {spans:?}");
        }
    }
}
