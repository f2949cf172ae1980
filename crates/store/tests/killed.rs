//! kill -9 at random moments: every acknowledged event is there, exactly once.

#![allow(clippy::unwrap_used, clippy::expect_used)]

mod support;

use std::io::Read;
use std::path::Path;
use std::time::Duration;

use countersign_store::{Expected, Spool};
use support::{Random, acknowledge, acknowledged, assert_chain, entry, new_draft, open, play};
use support::{options, role, stream, temp};
use uuid::Uuid;

/// The parts that children of these tests play.
#[test]
fn child() {
    let Some((role, dir)) = role() else { return };
    // Text long enough for a write to span pages now and then.
    let text = |n: usize| "x".repeat(50 + (n % 7) * 900);
    match role.as_str() {
        "direct" => {
            let mut store = open(&dir);
            for n in 0.. {
                let draft = new_draft(&text(n));
                let id = draft.id;
                let name = stream(&format!("s/{}", n % 5));
                store.append(&name, Expected::Any, &[draft], &[]).unwrap();
                acknowledge(id);
            }
        }
        "spool" => {
            let spool = Spool::new(&options(&dir));
            for n in 0.. {
                let draft = new_draft(&text(n));
                let id = draft.id;
                spool.write(&[entry("s/spooled", draft)]).unwrap();
                acknowledge(id);
            }
        }
        "drain" => loop {
            // Makes something to drain, and drains it, over and over.
            let spool = Spool::new(&options(&dir));
            for n in 0..20 {
                let draft = new_draft(&text(n));
                let id = draft.id;
                spool.write(&[entry("s/drained", draft)]).unwrap();
                acknowledge(id);
            }
            drop(open(&dir));
        },
        _ => unreachable!(),
    }
}

/// Runs a child and kills it within `most`; what it acknowledged until then.
fn kill_one(role: &str, dir: &Path, moment: Duration) -> Vec<Uuid> {
    let mut child = play(role, dir).spawn().unwrap();
    let mut out = child.stdout.take().unwrap();
    let reader = std::thread::spawn(move || {
        let mut bytes = Vec::new();
        out.read_to_end(&mut bytes).unwrap();
        String::from_utf8(bytes).unwrap()
    });
    std::thread::sleep(moment); // tidy: polling, the moment of the kill is what is tried
    child.kill().unwrap();
    child.wait().unwrap();
    acknowledged(&reader.join().unwrap())
}

/// Kills `rounds` children one after the other, and checks the ledger after each few.
fn kill_many(role: &str, rounds: u32, seed: u64) {
    let dir = temp();
    let mut random = Random(seed);
    let mut ids = Vec::new();
    for round in 1..=rounds {
        let moment = Duration::from_micros(500 + random.below(25_000));
        ids.extend(kill_one(role, dir.path(), moment));
        if round % 8 == 0 || round == rounds {
            let store = open(dir.path());
            support::assert_once(&store, &ids, &format!("{role}, round {round}"));
            assert_chain(&store, role);
            assert_eq!(store.set_asides(), [], "{role}, round {round}");
        }
    }
    assert!(ids.len() > 100, "only {} were acknowledged", ids.len());
}

/// RELIABILITY: an acknowledged append survives kill -9 of the process that made it.
#[test]
fn direct_appends_survive() {
    kill_many("direct", 150, 0x00c0_ffee);
}

/// RELIABILITY: so does one that went to the spool.
#[test]
fn spooled_appends_survive() {
    kill_many("spool", 100, 0x0bad_cafe);
}

/// RELIABILITY: kill -9 while draining: each entry gets in exactly once.
#[test]
fn draining_is_exactly_once() {
    kill_many("drain", 150, 0x5eed);
}

/// RELIABILITY: several at once, all killed, while one of them may be creating the ledger.
#[test]
fn creation_survives() {
    let mut random = Random(77);
    for round in 0..30 {
        let dir = temp();
        let moments: Vec<_> = (0..3).map(|_| 500 + random.below(12_000)).collect();
        let ids: Vec<Uuid> = std::thread::scope(|scope| {
            let killers: Vec<_> = moments
                .iter()
                .map(|moment| {
                    let place = dir.path();
                    scope.spawn(move || kill_one("direct", place, Duration::from_micros(*moment)))
                })
                .collect();
            killers.into_iter().flat_map(|killer| killer.join().unwrap()).collect()
        });
        let mut store = open(dir.path());
        support::assert_once(&store, &ids, &format!("round {round}"));
        assert_eq!(store.take_notices(), [], "round {round}");
        assert_chain(&store, "created");
    }
}
