//! Tampering with seals, anchors and retention: each kind is found, and named.

#![allow(clippy::unwrap_used, clippy::expect_used)]

mod support;

use countersign_domain::canonical;
use countersign_domain::ledger::{
    Anchor, Draft, FindingKind as Kind, LedgerId, RETAINED, Report, Retained, Seal, Span,
};
use countersign_store::{Options, Retention, Store};
use rusqlite::Connection;
use support::{Sealer, all, fill, kinds, open, options, temp};
use tempfile::TempDir;
use uuid::Uuid;

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
            fill(&mut store, "s/a", 3);
            fill(&mut store, "s/b", 2);
            sealer.seal(&mut store);
        }
        let plain = Connection::open(dir.path().join("ledger/ledger.db")).unwrap();
        plain.execute_batch("DROP TRIGGER events_stay; DROP TRIGGER events_are_final").unwrap();
        Self { store, sealer, plain, dir }
    }

    fn run(&self, sql: &str) {
        self.plain.execute_batch(sql).unwrap();
    }

    fn put_seal(&self, seal: &Seal) {
        let text = serde_json::to_string(seal).unwrap();
        self.plain
            .execute(
                "INSERT OR REPLACE INTO seals VALUES (?1, ?2)",
                (seal.statement.number.cast_signed(), text),
            )
            .unwrap();
    }

    fn report_with(&self, anchors: &[Anchor]) -> Report {
        support::verify(&self.store, self.sealer.public(), anchors)
    }

    #[track_caller]
    fn expect(&self, expected: &[Kind]) {
        self.expect_with(&[self.sealer.anchor()], expected);
    }

    #[track_caller]
    fn expect_with(&self, anchors: &[Anchor], expected: &[Kind]) {
        let report = self.report_with(anchors);
        assert_eq!(kinds(&report), expected, "{:#?}", report.findings);
    }

    /// The body of a retention record over `spans`, signed by `sealer`.
    fn retained(sealer: &Sealer, ledger: LedgerId, spans: &[Span]) -> Draft {
        let statement = Retained { ledger, reason: "test".into(), spans: spans.to_vec() };
        let signature = sealer.sign("retention", &statement);
        let body = serde_json::json!({ "statement": statement, "signature": signature });
        Draft {
            kind: RETAINED.into(),
            body: canonical::to_string(&body).unwrap(),
            ..support::new_draft("")
        }
    }

    fn retain(&mut self, prefix: &str) -> Vec<Span> {
        let all = Retention {
            before: "9999".into(),
            prefix: prefix.into(),
            spared: vec![support::stream("s/spared")],
        };
        let (ledger, sealer) = (self.store.id(), &self.sealer);
        let record = |spans: &[Span]| Ok(Self::retained(sealer, ledger, spans));
        self.store.retain(&all, record).unwrap()
    }
}

/// SE-01: one seal removed from the database: the anchor holds it.
#[test]
fn seal_removed() {
    for number in 1..=3 {
        let scene = Scene::new();
        scene.run(&format!("DELETE FROM seals WHERE number = {number}"));
        scene.expect(&[Kind::SealRemoved]);
    }
    // Without an anchor, its successors still miss one in the middle.
    let scene = Scene::new();
    scene.run("DELETE FROM seals WHERE number = 2");
    scene.expect_with(&[], &[Kind::SealRemoved]);
}

/// SE-01: all seals removed, and the tail with them.
#[test]
fn all_seals_removed() {
    let scene = Scene::new();
    scene.run("DELETE FROM seals");
    scene.expect(&[Kind::SealRemoved]);
    scene.run("DELETE FROM events WHERE position > 10");
    scene.expect(&[Kind::TailCut, Kind::SealRemoved]);
}

/// SE-01: the database put back to an earlier state, seals included.
#[test]
fn rolled_back() {
    let scene = Scene::new();
    scene.run("DELETE FROM seals WHERE number > 1; DELETE FROM events WHERE position > 5");
    scene.expect(&[Kind::TailCut, Kind::SealRemoved]);
}

/// SE-01: a seal whose statement was changed.
#[test]
fn seal_forged() {
    let scene = Scene::new();
    let mut seal = scene.sealer.seals[2].clone();
    seal.statement.events += 1;
    scene.put_seal(&seal);
    scene.expect(&[Kind::SealRemoved, Kind::SealForged]);
    let mut seal = scene.sealer.seals[2].clone();
    seal.signature.0[5] ^= 1;
    scene.put_seal(&seal);
    scene.expect(&[Kind::SealRemoved, Kind::SealForged]);
}

/// SE-01: a seal that can't be read is as good as gone, and stops no verification.
#[test]
fn seal_garbled() {
    let scene = Scene::new();
    scene.run("UPDATE seals SET seal = 'garbage' WHERE number = 2");
    scene.expect(&[Kind::SealRemoved]);
}

/// SE-01: a seal of another ledger.
#[test]
fn seal_foreign() {
    let scene = Scene::new();
    let elsewhere = temp();
    let new_id = LedgerId(Uuid::from_u128(0xbeef));
    let mut other = Store::open(Options { new_id, ..options(elsewhere.path()) }).unwrap();
    let mut sealer = Sealer::new(1);
    fill(&mut other, "s/a", 3);
    sealer.seal(&mut other);
    scene.run("DELETE FROM seals");
    scene.put_seal(&sealer.seals[0]);
    scene.expect(&[Kind::SealRemoved, Kind::SealForeign]);
    scene.expect_with(&[], &[Kind::SealForeign]);
}

/// SE-01: everything re-sealed with another key.
#[test]
fn key_replaced() {
    let mut scene = Scene::new();
    scene.run("DELETE FROM seals");
    Sealer::new(2).seal(&mut scene.store);
    scene.expect(&[Kind::SealRemoved, Kind::KeyReplaced]);
    scene.expect_with(&[], &[Kind::KeyReplaced]);
}

/// SE-01: two different seals with one number, both signed.
#[test]
fn seal_forked() {
    let scene = Scene::new();
    let mut seal = scene.sealer.seals[2].clone();
    seal.statement.time = "2027-01-01T00:00:00Z".parse().unwrap();
    seal.signature = scene.sealer.sign("seal", &seal.statement);
    scene.put_seal(&seal);
    scene.expect(&[Kind::SealForked]);
    // Both in the ledger.
    let scene = Scene::new();
    let text = serde_json::to_string(&seal).unwrap();
    scene.plain.execute("INSERT INTO seals VALUES (9, ?1)", [text]).unwrap();
    let report = scene.report_with(&[]);
    assert!(kinds(&report).contains(&Kind::SealForked), "{:#?}", report.findings);
}

/// SE-01: anchors removed: all of them, the newest two, one in the middle.
#[test]
fn anchor_removed() {
    let scene = Scene::new();
    for kept in [&[][..], &[0], &[0, 2], &[1, 2]] {
        let mut anchor = scene.sealer.anchor();
        anchor.seals = kept.iter().map(|n| scene.sealer.seals[*n].clone()).collect();
        scene.expect_with(&[anchor], &[Kind::AnchorRemoved]);
    }
}

/// SE-01: we may be stopped between sealing and anchoring: that is no finding.
#[test]
fn anchor_one_behind() {
    let scene = Scene::new();
    let mut anchor = scene.sealer.anchor();
    anchor.seals.pop();
    let report = scene.report_with(&[anchor]);
    assert!(report.is_intact(), "{:?}", report.findings);
    assert_eq!(report.notices.len(), 1, "{:?}", report.notices);
}

/// SE-01: a place that keeps only the newest seal needs no others.
#[test]
fn anchor_of_the_newest_only() {
    let scene = Scene::new();
    let newest = vec![scene.sealer.seals[2].clone()];
    let anchor = Anchor { place: "elsewhere".into(), seals: newest, is_whole: false };
    scene.expect_with(&[anchor], &[]);
}

/// PL-01: a body removed without a retention.
#[test]
fn body_removed() {
    let scene = Scene::new();
    scene.run("UPDATE events SET body = NULL WHERE position = 7");
    scene.expect(&[Kind::BodyRemoved]);
    assert_eq!(scene.report_with(&[]).retained_bodies, 0);
}

/// PL-01: retention as it should be is shown as retention, and is no finding.
#[test]
fn retention() {
    let mut scene = Scene::new();
    fill(&mut scene.store, "s/spared", 2);
    // An idle reader is no obstacle.
    let spans = scene.retain("s/");
    assert_eq!(spans.len(), 2);
    for name in ["ledger.db", "ledger.db-wal"] {
        let bytes = std::fs::read(scene.dir.path().join("ledger").join(name)).unwrap();
        let text = String::from_utf8_lossy(&bytes);
        assert!(!text.contains("s/a 1 xx"), "a removed body is still in {name}");
    }
    let report = scene.report_with(&[scene.sealer.anchor()]);
    assert!(report.is_intact(), "{:?}", report.findings);
    assert_eq!(report.retained_bodies, 15);
    assert!(all(&scene.store).iter().filter(|p| p.event.body.is_none()).count() == 15);
    // Nothing is left to remove, and the store goes on.
    assert!(scene.retain("s/").is_empty());
    fill(&mut scene.store, "s/a", 1);
    let Scene { mut store, mut sealer, .. } = scene;
    sealer.seal(&mut store);
    let report = support::verify(&store, sealer.public(), &[sealer.anchor()]);
    assert!(report.is_intact(), "{:?}", report.findings);
    assert_eq!(report.unsealed_events, 0);
}

/// PL-01: one body more removed than the retention says.
#[test]
fn retention_exceeded() {
    let mut scene = Scene::new();
    scene.retain("s/a");
    scene.run("UPDATE events SET body = NULL WHERE stream = 's/b' AND sequence = 2");
    scene.expect(&[Kind::BodyRemoved]);
    assert_eq!(scene.report_with(&[]).retained_bodies, 9);
}

/// PL-01: a retention record that the key's owner didn't sign, or for another ledger.
#[test]
fn retention_forged() {
    for (seed, ledger) in [(2, None), (1, Some(LedgerId(Uuid::from_u128(5))))] {
        let mut scene = Scene::new();
        let span = Span { stream: support::stream("s/a"), from: 1, to: 3 };
        let ledger = ledger.unwrap_or(scene.store.id());
        let draft = Scene::retained(&Sealer::new(seed), ledger, &[span]);
        let name = support::stream("ledger");
        scene.store.append(&name, countersign_store::Expected::Any, &[draft], &[]).unwrap();
        scene.run("UPDATE events SET body = NULL WHERE stream = 's/a' AND sequence <= 3");
        scene.expect(&[Kind::BodyRemoved, Kind::RecordForged]);
    }
}

/// PL-01: the record of a retention removed: what it accounted for is found missing.
#[test]
fn retention_record_removed() {
    let mut scene = Scene::new();
    scene.retain("s/a");
    scene.run("DELETE FROM events WHERE stream = 'ledger'");
    scene.expect(&[Kind::BodyRemoved]);
}

/// PL-01: the triggers stop mistakes: no event is removed or changed by accident.
#[test]
fn triggers_hold() {
    let dir = temp();
    let mut store = open(dir.path());
    fill(&mut store, "s/a", 2);
    let plain = Connection::open(dir.path().join("ledger/ledger.db")).unwrap();
    for sql in [
        "DELETE FROM events",
        "UPDATE events SET body = '{}'",
        "UPDATE events SET time = 'x', body = NULL",
        "UPDATE events SET sequence = 9, body = NULL",
    ] {
        assert!(plain.execute(sql, []).is_err(), "{sql}");
    }
    assert_eq!(plain.execute("UPDATE events SET body = NULL", []).unwrap(), 2);
}

/// PL-01: a ledger put in the place of another.
#[test]
fn ledger_replaced() {
    let scene = Scene::new();
    let elsewhere = temp();
    let new_id = LedgerId(Uuid::from_u128(0xbeef));
    let mut other = Store::open(Options { new_id, ..options(elsewhere.path()) }).unwrap();
    fill(&mut other, "s/a", 9);
    let report = support::verify(&other, scene.sealer.public(), &[scene.sealer.anchor()]);
    assert_eq!(kinds(&report), [Kind::SealForeign]);
    drop(scene.dir);
}
