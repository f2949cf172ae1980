//! Heads that a seal knows and that were not there when the pass reached its position. Those
//! that come later were displaced; the others are gone.

use std::collections::BTreeMap;

use super::finding::{Finding, FindingKind as Kind, Report};
use super::{Event, Head, Stream};

/// A head that is not where its seal says.
#[derive(Debug)]
pub(super) struct MissingHead {
    seal: u64,
    sealed: Head,
    /// Where the stream ended instead; 0 if it was not there at all.
    found: u64,
    came_later: bool,
}

impl MissingHead {
    pub(super) fn new(seal: u64, sealed: Head, found: u64) -> Self {
        Self { seal, sealed, found, came_later: false }
    }
}

/// All of them, in one verification.
#[derive(Debug, Default)]
pub(super) struct Missing {
    pub(super) heads: BTreeMap<Stream, Vec<MissingHead>>,
}

impl Missing {
    pub(super) fn add(&mut self, stream: &Stream, head: MissingHead) {
        self.heads.entry(stream.clone()).or_default().push(head);
    }

    pub(super) fn look_for(&mut self, event: &Event) {
        if self.heads.is_empty() {
            return;
        }
        for head in self.heads.get_mut(&event.stream).into_iter().flatten() {
            head.came_later |=
                head.sealed.sequence == event.sequence && head.sealed.hash == event.hash;
        }
    }

    /// Names what became of them.
    pub(super) fn settle(self, report: &mut Report) {
        // If events left a sealed stretch and none came into it, others were put there.
        let is_swap = report.findings.iter().any(|found| found.kind == Kind::EventsInserted);
        for (stream, heads) in self.heads {
            for MissingHead { seal, sealed, found, came_later } in heads {
                let last = sealed.sequence;
                let (kind, message) = match (came_later, found) {
                    (true, _) if is_swap => {
                        (Kind::Reordered, format!("event {last} stood before seal {seal}"))
                    }
                    (true, _) => {
                        let message = format!("something stands where event {last} stood");
                        (Kind::EventsInserted, message)
                    }
                    (false, 0) => {
                        (Kind::StreamDropped, format!("the stream is gone; it had {last} events"))
                    }
                    (false, _) => {
                        let first = found + 1;
                        let message = format!("events {first} to {last} are gone from the end");
                        (Kind::TailCut, message)
                    }
                };
                report.add(Finding::new(kind, message).at(&stream, last).of_seal(seal));
            }
        }
    }
}
