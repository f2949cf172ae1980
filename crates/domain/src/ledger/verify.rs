//! Verification of a ledger in one pass, in memory that grows with the number of streams and
//! not with the number of events.
//!
//! The caller feeds events in the order of their positions; seals are checked as the pass
//! reaches the position that each speaks of.

use std::collections::HashMap;

use super::finding::{Finding, FindingKind as Kind, Report};
use super::missing::{Missing, MissingHead};
use super::records::{self, Records};
use super::sealing::Seals;
use super::{Event, Head, Heads, LedgerId, Order, PublicKey, Seal, Statement, Stream};

/// The seals that a place outside the ledger's database holds.
#[derive(Debug, Clone)]
pub struct Anchor {
    /// How the place is named to a user.
    pub place: String,
    pub seals: Vec<Seal>,
    /// Whether the place holds every seal, or only the newest.
    pub is_whole: bool,
}

/// Sequences missing between two events of a stream, until they turn up elsewhere.
#[derive(Debug, Default)]
struct Gaps(Vec<(u64, u64)>);

impl Gaps {
    /// Takes `sequence` out; whether it was missing.
    fn fill(&mut self, sequence: u64) -> bool {
        let Some(at) = self.0.iter().position(|&(from, to)| (from..=to).contains(&sequence)) else {
            return false;
        };
        let (from, to) = self.0.swap_remove(at);
        if from < sequence {
            self.0.push((from, sequence - 1));
        }
        if sequence < to {
            self.0.push((sequence + 1, to));
        }
        true
    }
}

/// One verification under way.
#[derive(Debug)]
pub struct Verifier {
    ledger: LedgerId,
    seals: Seals,
    records: Records,
    heads: HashMap<Stream, Head>,
    gaps: HashMap<Stream, Gaps>,
    missing: Missing,
    /// The events since the last seal.
    order: Order,
    /// The last seal that was checked.
    sealed: u64,
    /// The first seal that knows another order, though all its streams are as they were.
    disorder: Option<u64>,
    /// Room to build envelopes in.
    envelope: String,
    report: Report,
}

impl Verifier {
    /// `recorded` are the seals found in the ledger itself, `anchors` those found elsewhere.
    pub fn new(
        ledger: LedgerId,
        trusted: PublicKey,
        recorded: Vec<Seal>,
        anchors: &[Anchor],
    ) -> Self {
        let mut report = Report::default();
        let seals = Seals::gather(ledger, trusted, recorded, anchors, &mut report);
        Self {
            ledger,
            seals,
            records: Records::new(ledger, trusted),
            heads: HashMap::new(),
            gaps: HashMap::new(),
            missing: Missing::default(),
            order: Order::default(),
            sealed: 0,
            disorder: None,
            envelope: String::new(),
            report,
        }
    }

    /// Takes in the next event, which stands at `position`.
    pub fn event(&mut self, position: u64, event: &Event) {
        while let Some(seal) = self.seals.due_before(position) {
            self.check_seal(&seal);
        }
        self.report.events += 1;
        self.check_place(event);
        self.check_hash(event);
        self.order.add(&event.hash);
        match &event.body {
            None => self.records.body_is_gone(&event.stream, event.sequence),
            Some(_) if !event.body_is_intact() => self.report.add(
                Finding::new(Kind::BodyEdited, "the body is not the one that was written")
                    .at(&event.stream, event.sequence),
            ),
            Some(body) if records::is_record(event) => {
                if let Err(finding) = self.records.take(event, body) {
                    self.report.add(finding);
                }
            }
            Some(_) => {}
        }
    }

    fn check_place(&mut self, event: &Event) {
        let head = self.heads.get(&event.stream).copied();
        let expected = head.map_or(1, |head| head.sequence.saturating_add(1));
        let at =
            |kind, message: String| Finding::new(kind, message).at(&event.stream, event.sequence);
        if event.sequence < expected {
            let was_missing =
                self.gaps.get_mut(&event.stream).is_some_and(|g| g.fill(event.sequence));
            let (kind, what) = if was_missing {
                (Kind::Reordered, "comes after later ones")
            } else {
                (Kind::EventsInserted, "is there twice")
            };
            self.report.add(at(kind, format!("event {} {what}", event.sequence)));
            return;
        }
        if event.sequence > expected {
            let gaps = self.gaps.entry(event.stream.clone()).or_default();
            gaps.0.push((expected, event.sequence - 1));
        } else {
            let previous =
                head.map_or_else(|| self.ledger.root_of(&event.stream), |head| head.hash);
            if event.previous != previous {
                let message = if expected == 1 {
                    "the first event does not belong to this ledger and stream".to_owned()
                } else {
                    format!("it does not follow from event {}", expected - 1)
                };
                self.report.add(at(Kind::ChainBroken, message));
            }
        }
        let head = Head { sequence: event.sequence, hash: event.hash };
        self.missing.look_for(event);
        match self.heads.get_mut(&event.stream) {
            Some(known) => *known = head,
            None => {
                self.heads.insert(event.stream.clone(), head);
            }
        }
    }

    fn check_hash(&mut self, event: &Event) {
        if event.hash_as(event.sequence, &mut self.envelope) == event.hash {
            return;
        }
        let neighbours = [event.sequence.wrapping_add(1), event.sequence.wrapping_sub(1)];
        let moved =
            neighbours.into_iter().find(|&n| event.hash_as(n, &mut self.envelope) == event.hash);
        let finding = match moved {
            Some(n) => Finding::new(Kind::Reordered, format!("this is event {n}, moved")),
            None => Finding::new(Kind::EventEdited, "its fields are not the ones that were hashed"),
        };
        self.report.add(finding.at(&event.stream, event.sequence));
    }

    /// Compares what `seal` says with the heads as they are at its position.
    fn check_seal(&mut self, seal: &Statement) {
        let before = (self.report.findings_total, self.missing.heads.len());
        for (stream, sealed) in &seal.moved {
            match self.heads.get(stream) {
                Some(found) if found.sequence >= sealed.sequence => {
                    if let Some(finding) = compare(stream, *sealed, *found) {
                        self.report.add(finding.of_seal(seal.number));
                    }
                }
                found => {
                    let found = found.map_or(0, |head| head.sequence);
                    self.missing.add(stream, MissingHead::new(seal.number, *sealed, found));
                }
            }
        }
        let inserted = self.report.events.saturating_sub(seal.events);
        if inserted > 0 && (self.report.findings_total, self.missing.heads.len()) == before {
            let message = format!("{inserted} events more than seal {} counted", seal.number);
            self.report.add(Finding::new(Kind::EventsInserted, message).of_seal(seal.number));
        }
        // A seal that is gone leaves a stretch whose order nobody vouches for.
        let order = std::mem::take(&mut self.order).finish();
        if self.sealed + 1 == seal.number && order != seal.order {
            self.disorder.get_or_insert(seal.number);
        }
        self.sealed = seal.number;
        self.seals.sealed_events = self.report.events;
    }

    /// Ends the pass.
    pub fn finish(mut self) -> Report {
        while let Some(seal) = self.seals.due_before(u64::MAX) {
            self.check_seal(&seal);
        }
        self.missing.settle(&mut self.report);
        for (stream, gaps) in &self.gaps {
            for (from, to) in &gaps.0 {
                let message = format!("events {from} to {to} are gone");
                let finding = Finding::new(Kind::EventsRemoved, message).at(stream, *from);
                self.report.add(finding);
            }
        }
        self.records.settle(&mut self.report);
        if let Some(number) = self.disorder.filter(|_| self.report.is_intact()) {
            // Every stream is as it was: the events of different streams changed places.
            let message = format!("events stand in another order than seal {number} knows");
            self.report.add(Finding::new(Kind::Reordered, message).of_seal(number));
        }
        self.report.streams = self.heads.len() as u64;
        self.report.unsealed_events = self.report.events - self.seals.sealed_events;
        self.report
    }

    /// The heads as verified so far.
    pub fn heads(&self) -> Heads {
        self.heads.iter().map(|(stream, head)| (stream.clone(), *head)).collect()
    }
}

/// What is wrong with a stream that reaches as far as its seal says, or further.
fn compare(stream: &Stream, sealed: Head, found: Head) -> Option<Finding> {
    let (kind, message) = if found.sequence > sealed.sequence {
        (Kind::EventsInserted, "it holds more events than when it was sealed")
    } else if found.hash != sealed.hash {
        (Kind::Rewritten, "the chain is not the one that was sealed")
    } else {
        return None;
    };
    Some(Finding::new(kind, message).at(stream, sealed.sequence))
}
