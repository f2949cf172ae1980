//! Verification against random ledgers: no single change, loss or move goes unnoticed.

#![allow(clippy::unwrap_used, clippy::expect_used)]

use countersign_domain::Digest;
use countersign_domain::ledger::{
    Draft, Event, Head, Heads, LedgerId, Order, PublicKey, Report, Seal, Signature, Statement,
    Stream, Verifier, signed_bytes,
};
use ed25519_dalek::{Signer as _, SigningKey};
use proptest::prelude::*;
use uuid::Uuid;

const LEDGER: LedgerId = LedgerId(Uuid::from_u128(0xfeed));

fn key() -> SigningKey {
    SigningKey::from_bytes(&[3; 32])
}

fn public() -> PublicKey {
    PublicKey::from_bytes(key().verifying_key().to_bytes())
}

/// A ledger, sealed to its end.
#[derive(Debug, Clone)]
struct Ledger {
    events: Vec<(u64, Event)>,
    seals: Vec<Seal>,
}

/// `streams` says which stream each event goes to, `stretches` how many events a seal covers.
fn ledger(streams: &[u8], stretches: &[usize]) -> Ledger {
    let mut heads = Heads::new();
    let mut sealed = Heads::new();
    let mut made = Ledger { events: Vec::new(), seals: Vec::new() };
    let mut order = Order::default();
    let mut stretch = stretches.iter().cycle();
    let mut left = *stretch.next().unwrap();
    for (n, stream) in streams.iter().enumerate() {
        let position = n as u64 + 1;
        let stream: Stream = format!("s/{stream}").parse().unwrap();
        let head = heads.get(&stream).copied();
        let draft = Draft {
            id: Uuid::from_u128(1000 + n as u128),
            time: "2026-11-16T10:15:00Z".parse().unwrap(),
            actor: "tester".into(),
            kind: "note.taken".into(),
            format: 1,
            body: format!("{{\"n\":{n}}}"),
        };
        let previous = head.map_or_else(|| LEDGER.root_of(&stream), |head| head.hash);
        let event = draft.chain(&stream, head.map_or(1, |head| head.sequence + 1), previous);
        heads.insert(stream, Head { sequence: event.sequence, hash: event.hash });
        order.add(&event.hash);
        made.events.push((position, event));
        left -= 1;
        if left == 0 || n + 1 == streams.len() {
            left = *stretch.next().unwrap();
            let moved: Heads = heads
                .iter()
                .filter(|(stream, head)| sealed.get(*stream) != Some(*head))
                .map(|(stream, head)| (stream.clone(), *head))
                .collect();
            sealed = heads.clone();
            let order = std::mem::take(&mut order).finish();
            made.seals.push(seal(&made.seals, position, order, (&heads, moved)));
        }
    }
    made
}

fn seal(before: &[Seal], position: u64, order: Digest, (heads, moved): (&Heads, Heads)) -> Seal {
    let statement = Statement {
        ledger: LEDGER,
        number: before.len() as u64 + 1,
        time: "2026-11-16T11:00:00Z".parse().unwrap(),
        position,
        events: position,
        streams: heads.len() as u64,
        order,
        root: Statement::root_over(heads),
        moved,
        previous: before.last().map(Seal::digest),
        key: public(),
    };
    let signature = Signature(key().sign(&signed_bytes("seal", &statement)).to_bytes());
    Seal { statement, signature }
}

impl Ledger {
    fn verify(&self) -> Report {
        let mut verifier = Verifier::new(LEDGER, public(), self.seals.clone(), &[]);
        for (position, event) in &self.events {
            verifier.event(*position, event);
        }
        verifier.finish()
    }
}

/// Changes one field of `event`; its hashes are left as they are.
fn change(event: &mut Event, field: u8) {
    let flip = |digest: Digest| {
        let mut bytes = *digest.as_bytes();
        bytes[9] ^= 4;
        Digest::from_bytes(bytes)
    };
    match field {
        0 => event.id = Uuid::from_u128(event.id.as_u128() ^ 1),
        1 => event.stream = "s/0x".parse().unwrap(),
        2 => event.sequence += 1,
        3 => event.sequence = event.sequence.saturating_sub(1),
        4 => event.time = "2026-11-16T10:15:00.000001Z".into(),
        5 => event.actor.push('\u{fffd}'),
        6 => event.kind.push('x'),
        7 => event.format += 1,
        8 => event.body = None,
        9 => event.body = Some("{}".into()),
        10 => event.body_hash = flip(event.body_hash),
        11 => event.previous = flip(event.previous),
        12 => event.hash = flip(event.hash),
        13 => event.sequence = u64::MAX,
        _ => event.stream = "s/1".parse().unwrap(),
    }
}

prop_compose! {
    fn a_ledger()(
        streams in prop::collection::vec(0u8..4, 2..40),
        stretches in prop::collection::vec(1usize..9, 1..5),
    ) -> Ledger {
        ledger(&streams, &stretches)
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    /// SE-01: a ledger that nobody touched has no findings.
    #[test]
    fn untouched_ledgers_verify(ledger in a_ledger()) {
        let report = ledger.verify();
        prop_assert!(report.is_intact(), "{:?}", report.findings);
        prop_assert_eq!(report.unsealed_events, 0);
        prop_assert_eq!(report.events, ledger.events.len() as u64);
    }

    /// SE-01: any change of one field of one event is found.
    #[test]
    fn changes_are_found(ledger in a_ledger(), at in any::<prop::sample::Index>(), field in 0u8..15) {
        let mut changed = ledger.clone();
        let at = at.index(changed.events.len());
        change(&mut changed.events[at].1, field);
        prop_assume!(changed.events != ledger.events);
        prop_assert!(!changed.verify().is_intact(), "field {field} of {at}");
    }

    /// SE-01: any change of one field is found, though the event's own hash is made to match.
    #[test]
    fn rehashed_changes_are_found(
        ledger in a_ledger(), at in any::<prop::sample::Index>(), field in 0u8..12,
    ) {
        let mut changed = ledger.clone();
        let at = at.index(changed.events.len());
        let event = &mut changed.events[at].1;
        change(event, field);
        if let Some(body) = &event.body {
            event.body_hash = Digest::of(body.as_bytes());
        }
        event.hash = event.computed_hash();
        prop_assume!(changed.events != ledger.events);
        prop_assert!(!changed.verify().is_intact(), "field {field} of {at}");
    }

    /// SE-01: any set of rows that is gone is missed, whether the rest keeps its positions or
    /// closes the gap.
    #[test]
    fn removals_are_found(
        ledger in a_ledger(), gone in prop::collection::vec(any::<bool>(), 40), close in any::<bool>(),
    ) {
        let mut cut = ledger.clone();
        let mut gone = gone.into_iter();
        cut.events.retain(|_| !gone.next().unwrap_or(false));
        prop_assume!(cut.events.len() < ledger.events.len());
        if close {
            for (n, (position, _)) in cut.events.iter_mut().enumerate() {
                *position = n as u64 + 1;
            }
        }
        prop_assert!(!cut.verify().is_intact());
    }

    /// SE-01: any other order of the rows is found.
    #[test]
    fn permutations_are_found(
        ledger in a_ledger(),
        keys in prop::collection::vec(any::<u8>(), 40),
        swap in any::<Option<(prop::sample::Index, prop::sample::Index)>>(),
    ) {
        let mut moved = ledger.clone();
        let mut events: Vec<Event> = moved.events.iter().map(|(_, event)| event.clone()).collect();
        if let Some((a, b)) = swap {
            let (a, b) = (a.index(events.len()), b.index(events.len()));
            events.swap(a, b);
        } else {
            let mut keyed: Vec<_> = keys.into_iter().zip(events).collect();
            keyed.sort_by_key(|(key, _)| *key);
            events = keyed.into_iter().map(|(_, event)| event).collect();
        }
        for ((_, place), event) in moved.events.iter_mut().zip(events) {
            *place = event;
        }
        prop_assume!(moved.events != ledger.events);
        prop_assert!(!moved.verify().is_intact());
    }

    /// SE-01: any seal that is gone or changed is found, given an anchor that has them all.
    #[test]
    fn lost_and_changed_seals_are_found(
        ledger in a_ledger(), at in any::<prop::sample::Index>(), what in 0u8..6,
    ) {
        let anchor = countersign_domain::ledger::Anchor {
            place: "the anchor".into(),
            seals: ledger.seals.clone(),
            is_whole: true,
        };
        let mut seals = ledger.seals.clone();
        let at = at.index(seals.len());
        let statement = &mut seals[at].statement;
        match what {
            0 => statement.events += 1,
            1 => statement.position += 1,
            2 => statement.root = Digest::of(b"other"),
            3 => statement.order = Digest::of(b"other"),
            4 => { statement.moved.pop_first(); }
            _ => { seals.remove(at); }
        }
        let mut verifier = Verifier::new(LEDGER, public(), seals, &[anchor]);
        ledger.events.iter().for_each(|(position, event)| verifier.event(*position, event));
        prop_assert!(!verifier.finish().is_intact());
    }
}
