//! Tampering with the database behind the store's back: each kind is found, and named.

#![allow(clippy::unwrap_used, clippy::expect_used)]

mod support;

use countersign_domain::Digest;
use countersign_domain::ledger::{Event, FindingKind as Kind, Report};
use countersign_store::Store;
use rusqlite::{Connection, params};
use support::{Sealer, all, fill, kinds, open, temp};
use tempfile::TempDir;

/// A ledger of three streams and three seals, and a plain connection to its database.
///
/// Positions: seal 1 ends at 6, seal 2 at 12, seal 3 at 18; `s/a`, `s/b`, `s/c` take turns.
struct Scene {
    store: Store,
    sealer: Sealer,
    plain: Connection,
    dir: TempDir,
}

impl Scene {
    fn new() -> Self {
        let dir = temp();
        let mut store = open(dir.path());
        let mut sealer = Sealer::new(1);
        for _ in 0..3 {
            for name in ["s/a", "s/b", "s/c", "s/a", "s/b", "s/c"] {
                fill(&mut store, name, 1);
            }
            sealer.seal(&mut store);
        }
        let plain = Connection::open(dir.path().join("ledger/ledger.db")).unwrap();
        plain.execute_batch("DROP TRIGGER events_stay; DROP TRIGGER events_are_final").unwrap();
        Self { store, sealer, plain, dir }
    }

    fn run(&self, sql: &str) {
        self.plain.execute_batch(sql).unwrap();
    }

    /// Writes `event` over the row at `position`.
    fn put(&self, position: u64, event: &Event) {
        self.plain
            .execute(
                "INSERT OR REPLACE INTO events VALUES (?1,?2,?3,?4,?5,?6,?7,?8,?9,?10,?11,?12)",
                params![
                    position.cast_signed(),
                    event.id.as_bytes(),
                    event.stream.as_str(),
                    event.sequence.cast_signed(),
                    event.time,
                    event.actor,
                    event.kind,
                    event.format,
                    event.body,
                    event.body_hash.as_bytes(),
                    event.previous.as_bytes(),
                    event.hash.as_bytes(),
                ],
            )
            .unwrap();
    }

    /// Changes the body of the event at `position`, with its hashes made to match.
    fn rewrite_body(&self, position: u64) {
        let mut placed = all(&self.store).into_iter().find(|p| p.position == position).unwrap();
        let event = &mut placed.event;
        event.body = Some("{\"text\":\"forged\"}".into());
        event.body_hash = Digest::of(b"{\"text\":\"forged\"}");
        event.hash = event.computed_hash();
        self.put(position, event);
    }

    /// Chains every stream anew from its beginning.
    fn rehash(&self) {
        let mut heads = std::collections::HashMap::new();
        for mut placed in all(&self.store) {
            let event = &mut placed.event;
            let root = self.store.id().root_of(&event.stream);
            let head = heads.entry(event.stream.clone()).or_insert((0, root));
            event.sequence = head.0 + 1;
            event.previous = head.1;
            event.body_hash = Digest::of(event.body.as_ref().unwrap().as_bytes());
            event.hash = event.computed_hash();
            *head = (event.sequence, event.hash);
            self.put(placed.position, event);
        }
    }

    fn report(&self) -> Report {
        support::verify(&self.store, self.sealer.public(), &[self.sealer.anchor()])
    }

    #[track_caller]
    fn expect(&self, expected: &[Kind]) {
        let report = self.report();
        assert_eq!(kinds(&report), expected, "{:#?}", report.findings);
    }
}

/// SE-01: an untouched ledger has no findings.
#[test]
fn untouched() {
    let scene = Scene::new();
    scene.expect(&[]);
    assert_eq!(scene.report().unsealed_events, 0);
}

/// SE-01: a body edited.
#[test]
fn body_edited() {
    for position in [1, 9, 18] {
        let scene = Scene::new();
        scene.run(&format!("UPDATE events SET body = '{{}}' WHERE position = {position}"));
        scene.expect(&[Kind::BodyEdited]);
    }
}

/// SE-01: a body edited and its hash beside it made to match, but not the event's own.
#[test]
fn body_edited_with_its_digest() {
    let scene = Scene::new();
    let digest = Digest::of(b"{}").to_string();
    scene.run(&format!(
        "UPDATE events SET body = '{{}}', body_hash = x'{digest}' WHERE position = 8"
    ));
    scene.expect(&[Kind::EventEdited]);
}

/// SE-01: a body edited and all hashes of its event made to match: the next one shows it.
#[test]
fn body_edited_with_all_hashes() {
    let scene = Scene::new();
    // Not the head of any seal.
    scene.rewrite_body(8);
    scene.expect(&[Kind::ChainBroken]);
}

/// SE-01: the same at the end of a stream, where only the seal shows it.
#[test]
fn last_body_edited_with_all_hashes() {
    let scene = Scene::new();
    scene.rewrite_body(18);
    scene.expect(&[Kind::Rewritten]);
}

/// SE-01: a field of the envelope edited, each in turn; `time` is the clock rewritten.
#[test]
fn field_edited() {
    for change in [
        "time = '2020-01-01T00:00:00.000000Z'",
        "actor = 'someone'",
        "kind = 'note.other'",
        "format = 2",
        "id = x'00112233445566778899aabbccddeeff'",
    ] {
        let scene = Scene::new();
        scene.run(&format!("UPDATE events SET {change} WHERE position = 9"));
        scene.expect(&[Kind::EventEdited]);
    }
}

/// SE-01: all times shifted.
#[test]
fn clock_rewritten() {
    let scene = Scene::new();
    scene.run("UPDATE events SET time = replace(time, '2026', '2025')");
    scene.expect(&[Kind::EventEdited]);
    assert_eq!(scene.report().findings_total, 18);
}

/// SE-01: a row removed at the beginning or in the middle of a stream.
#[test]
fn row_removed() {
    for position in [1, 8, 9] {
        let scene = Scene::new();
        scene.run(&format!("DELETE FROM events WHERE position = {position}"));
        scene.expect(&[Kind::EventsRemoved]);
    }
}

const SWAP: &str = "UPDATE events SET position = -1 WHERE position = {a};
    UPDATE events SET position = {a} WHERE position = {b};
    UPDATE events SET position = {b} WHERE position = -1;";

fn swap(a: u64, b: u64) -> String {
    SWAP.replace("{a}", &a.to_string()).replace("{b}", &b.to_string())
}

/// SE-01: the positions of two events of one stream swapped.
#[test]
fn positions_swapped() {
    let scene = Scene::new();
    scene.run(&swap(7, 10));
    scene.expect(&[Kind::Reordered]);
}

/// SE-01: the positions of two events of different streams swapped: no chain shows it.
#[test]
fn positions_swapped_between_streams() {
    let scene = Scene::new();
    scene.run(&swap(8, 9));
    scene.expect(&[Kind::Reordered]);
    // Across a seal: what came into the sealed stretch, and what left it.
    let scene = Scene::new();
    scene.run(&swap(6, 7));
    scene.expect(&[Kind::Reordered, Kind::EventsInserted]);
}

/// SE-01: the sequence numbers of two neighbours swapped.
#[test]
fn sequences_swapped() {
    let scene = Scene::new();
    scene.run(
        "UPDATE events SET sequence = 99 WHERE position = 7;
         UPDATE events SET sequence = 3 WHERE position = 10;
         UPDATE events SET sequence = 4 WHERE position = 7;",
    );
    // The first of them is named; its successor and the seal over it show it as well.
    assert_eq!(scene.report().findings[0].kind, Kind::Reordered);
    scene.expect(&[Kind::ChainBroken, Kind::Reordered, Kind::Rewritten]);
}

/// SE-01: the contents of two neighbours swapped.
#[test]
fn contents_swapped() {
    let scene = Scene::new();
    let events = all(&scene.store);
    let (mut third, mut fourth) = (events[6].event.clone(), events[9].event.clone());
    std::mem::swap(&mut third.sequence, &mut fourth.sequence);
    scene.run("DELETE FROM events WHERE position IN (7, 10)");
    scene.put(7, &fourth);
    scene.put(10, &third);
    scene.expect(&[Kind::ChainBroken, Kind::Reordered, Kind::Rewritten]);
}

/// SE-01: the tail of a stream, or of all, cut off after sealing.
#[test]
fn tail_cut() {
    for gone in ["position = 18", "stream = 's/a' AND sequence > 2", "position > 9"] {
        let scene = Scene::new();
        scene.run(&format!("DELETE FROM events WHERE {gone}"));
        scene.expect(&[Kind::TailCut]);
    }
}

/// SE-01: a whole stream dropped, or all of them.
#[test]
fn stream_dropped() {
    for gone in ["stream = 's/b'", "true"] {
        let scene = Scene::new();
        scene.run(&format!("DELETE FROM events WHERE {gone}"));
        scene.run(&format!("DELETE FROM streams WHERE {gone}"));
        scene.expect(&[Kind::StreamDropped]);
    }
}

fn make_room(scene: &Scene, at: u64) {
    scene.run(&format!(
        "UPDATE events SET position = -position WHERE position >= {at};
         UPDATE events SET position = 1 - position WHERE position < 0;"
    ));
}

/// SE-01: an event of a new stream put into a sealed stretch.
#[test]
fn event_inserted() {
    let scene = Scene::new();
    make_room(&scene, 4);
    let name = support::stream("s/new");
    let root = scene.store.id().root_of(&name);
    scene.put(4, &support::new_draft("inserted").chain(&name, 1, root));
    scene.expect(&[Kind::EventsInserted]);
}

/// SE-01: an event inserted in the middle of a stream, and everything behind it hashed anew.
#[test]
fn event_inserted_and_rehashed() {
    let scene = Scene::new();
    make_room(&scene, 4);
    let mut event = all(&scene.store)[0].event.clone();
    event.id = uuid::Uuid::now_v7();
    event.sequence = 77;
    scene.put(4, &event);
    // Sequence numbers far away first, so that they can be given anew.
    scene.run("UPDATE events SET sequence = sequence + 1000 WHERE stream = 's/a'");
    scene.rehash();
    let report = scene.report();
    assert!(kinds(&report).contains(&Kind::EventsInserted), "{:#?}", report.findings);
}

/// SE-01: everything hashed anew after an edit: the chain is sound, but not the sealed one.
#[test]
fn everything_rehashed() {
    let scene = Scene::new();
    scene.run("UPDATE events SET body = '{}' WHERE position = 5");
    scene.rehash();
    scene.expect(&[Kind::Rewritten]);
    let scene = Scene::new();
    scene.run("UPDATE events SET time = replace(time, '2026', '2025')");
    scene.rehash();
    scene.expect(&[Kind::Rewritten]);
}

/// SE-01: an event that is there twice.
#[test]
fn sequence_duplicated() {
    let scene = Scene::new();
    scene.run(
        "CREATE TABLE copy AS SELECT * FROM events; DROP TABLE events;
         ALTER TABLE copy RENAME TO events;
         INSERT INTO events SELECT 19, id, stream, sequence, time, actor, kind, format, body,
             body_hash, previous, hash FROM events WHERE position = 9;",
    );
    scene.expect(&[Kind::EventsInserted]);
}

/// SE-01: the table of heads is no part of the proof.
#[test]
fn heads_edited() {
    let scene = Scene::new();
    scene.run("UPDATE streams SET sequence = 1, hash = zeroblob(32)");
    scene.expect(&[]);
}

/// SE-01: cutting the tail is noticed at the next opening, even where no seal covers it; what
/// was there stays as evidence, and verification against the seals says the same.
#[test]
fn tail_cut_before_opening() {
    let scene = Scene::new();
    scene.run("DELETE FROM events WHERE position > 16");
    let mut reopened = open(scene.dir.path());
    let notices = reopened.take_notices();
    let [countersign_store::Notice::SetAside(aside)] = &notices[..] else { panic!("{notices:?}") };
    assert_eq!((aside.salvaged, aside.lost), (16, 2));
    let anchors = [scene.sealer.anchor()];
    let report = support::verify(&reopened, scene.sealer.public(), &anchors);
    assert_eq!(kinds(&report), [Kind::TailCut], "{:#?}", report.findings);
}
