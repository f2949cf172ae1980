//! The seals of one ledger, gathered from the ledger and from its anchors.

use std::collections::{BTreeMap, VecDeque};

use super::finding::{Finding, FindingKind as Kind, Report};
use super::verify::Anchor;
use super::{Heads, LedgerId, PublicKey, Seal, SealError, Statement};

/// The seals that hold, oldest first, each waiting for its position to be reached.
#[derive(Debug)]
pub(super) struct Seals {
    waiting: VecDeque<Statement>,
    pub(super) sealed_events: u64,
}

impl Seals {
    /// Brings the seals of all places together and reports where they disagree. A seal that an
    /// anchor holds counts even if the ledger has lost it.
    pub(super) fn gather(
        ledger: LedgerId,
        trusted: PublicKey,
        recorded: Vec<Seal>,
        anchors: &[Anchor],
        report: &mut Report,
    ) -> Self {
        let mut held = BTreeMap::new();
        for seal in recorded {
            if !holds(&seal, ledger, trusted, "the ledger", report) {
                continue;
            }
            let number = seal.statement.number;
            if held.get(&number).is_some_and(|known| *known != seal) {
                let message = format!("the ledger holds different seals {number}");
                report.add(Finding::new(Kind::SealForked, message).of_seal(number));
            }
            held.insert(number, seal);
        }
        let newest = held.last_key_value().map_or(0, |(number, _)| *number);
        for anchor in anchors {
            compare_anchor(anchor, newest, &held, report);
        }
        for anchor in anchors {
            adopt(anchor, (ledger, trusted), &mut held, report);
        }
        check_succession(&held, report);
        report.seals = held.len() as u64;
        Self { waiting: held.into_values().map(|seal| seal.statement).collect(), sealed_events: 0 }
    }

    /// The next seal that speaks only of events before `position`.
    pub(super) fn due_before(&mut self, position: u64) -> Option<Statement> {
        self.waiting.pop_front_if(|seal| seal.position < position)
    }
}

fn holds(
    seal: &Seal,
    ledger: LedgerId,
    trusted: PublicKey,
    place: &str,
    report: &mut Report,
) -> bool {
    let Err(error) = seal.check(ledger, &trusted) else {
        return true;
    };
    let kind = match error {
        SealError::OtherKey { .. } => Kind::KeyReplaced,
        SealError::Signature => Kind::SealForged,
        SealError::OtherLedger(_) => Kind::SealForeign,
    };
    let number = seal.statement.number;
    let message = format!("seal {number} in {place} does not hold: {error}");
    report.add(Finding::new(kind, message).of_seal(number));
    false
}

/// An anchor may be one seal behind (we were stopped between sealing and anchoring), not more.
fn compare_anchor(anchor: &Anchor, newest: u64, held: &BTreeMap<u64, Seal>, report: &mut Report) {
    let place = &anchor.place;
    let anchored = anchor.seals.iter().map(|seal| seal.statement.number).max().unwrap_or(0);
    if anchored + 1 == newest {
        report.notices.push(format!("seal {newest} is not anchored in {place} yet"));
    } else if anchored < newest {
        let message = match anchored {
            0 => format!("{place} holds no seal, though the ledger has {newest}"),
            _ => format!("{place} ends at seal {anchored}, the ledger at {newest}"),
        };
        report.add(Finding::new(Kind::AnchorRemoved, message));
    }
    let missing = if anchor.is_whole {
        (1..=anchored.min(newest)).find(|n| anchor.seals.iter().all(|s| s.statement.number != *n))
    } else {
        None
    };
    if let Some(number) = missing.filter(|number| held.contains_key(number)) {
        let message = format!("seal {number} is gone from {place}");
        report.add(Finding::new(Kind::AnchorRemoved, message).of_seal(number));
    }
}

fn adopt(
    anchor: &Anchor,
    (ledger, trusted): (LedgerId, PublicKey),
    held: &mut BTreeMap<u64, Seal>,
    report: &mut Report,
) {
    for seal in &anchor.seals {
        let number = seal.statement.number;
        if !holds(seal, ledger, trusted, &anchor.place, report) {
            continue;
        }
        match held.get(&number) {
            Some(known) if known == seal => {}
            Some(_) => {
                let message =
                    format!("{} and the ledger hold different seals {number}", anchor.place);
                report.add(Finding::new(Kind::SealForked, message).of_seal(number));
            }
            None => {
                let message =
                    format!("seal {number} is in {} and gone from the ledger", anchor.place);
                report.add(Finding::new(Kind::SealRemoved, message).of_seal(number));
                held.insert(number, seal.clone());
            }
        }
    }
}

/// Each seal names the one before it, and its root must be the one over all heads that the
/// seals up to it moved. The roots in between are covered by the signatures; computing only
/// the last keeps the pass linear.
fn check_succession(held: &BTreeMap<u64, Seal>, report: &mut Report) {
    let mut previous: Option<&Seal> = None;
    let mut heads = Heads::new();
    let mut whole = true;
    for (number, seal) in held {
        let expected = previous.map_or(1, |seal| seal.statement.number + 1);
        if *number != expected {
            whole = false;
            let message = format!("seals {expected} to {} are gone", number - 1);
            report.add(Finding::new(Kind::SealRemoved, message).of_seal(expected));
        } else if seal.statement.previous != previous.map(Seal::digest) {
            let message = format!("seal {number} does not follow from the one before it");
            report.add(Finding::new(Kind::SealForged, message).of_seal(*number));
        }
        heads.extend(seal.statement.moved.iter().map(|(stream, head)| (stream.clone(), *head)));
        previous = Some(seal);
    }
    let Some(last) = previous.filter(|_| whole) else {
        return;
    };
    if last.statement.root != Statement::root_over(&heads) {
        let number = last.statement.number;
        let message = format!("the root of seal {number} is not the one over its heads");
        report.add(Finding::new(Kind::SealForged, message).of_seal(number));
    }
}
