//! Many processes at once: nothing lost, nothing twice, nobody told that a database is locked.

#![allow(clippy::unwrap_used, clippy::expect_used)]

mod support;

use std::collections::HashMap;
use std::path::Path;
use std::process::Child;

use countersign_store::{Appended, Expected, Spool, Store};
use support::{acknowledge, acknowledged, entry, finish, new_draft, open, options, play, role};
use support::{stream, temp};

const PROCESSES: usize = 16;
const APPENDS: usize = 200;

/// The parts that children of these tests play.
#[test]
fn child() {
    let Some((role, dir)) = role() else { return };
    let name = format!("p/{}", std::process::id());
    match role.as_str() {
        "direct" => {
            let mut store = open(&dir);
            for n in 0..APPENDS {
                append(&mut store, if n % 2 == 0 { "shared" } else { &name });
            }
        }
        "spool" => {
            let spool = Spool::new(&options(&dir));
            for n in 0..APPENDS {
                let draft = new_draft(&n.to_string());
                let id = draft.id;
                spool.write(&[entry(if n % 2 == 0 { "shared" } else { &name }, draft)]).unwrap();
                acknowledge(id);
            }
        }
        "mix" => {
            let spool = Spool::new(&options(&dir));
            for n in 0..APPENDS / 10 {
                for _ in 0..5 {
                    let draft = new_draft(&n.to_string());
                    let id = draft.id;
                    spool.write(&[entry("shared", draft)]).unwrap();
                    acknowledge(id);
                }
                // Opens, and so drains, while others write.
                let mut store = open(&dir);
                for _ in 0..5 {
                    append(&mut store, &name);
                }
            }
        }
        "drain" => {
            while !dir.join("over").exists() {
                drop(open(&dir));
            }
        }
        "race" => {
            let mut store = open(&dir);
            let mut at = 0;
            let mut wins = 0;
            while wins < 20 {
                let draft = new_draft(&name);
                let id = draft.id;
                match store.append(&stream("raced"), Expected::Sequence(at), &[draft], &[]) {
                    Ok(Appended::Written(events)) => {
                        acknowledge(id);
                        wins += 1;
                        at = events[0].sequence;
                    }
                    Err(countersign_store::Error::Conflict { found, .. }) => at = found,
                    other => panic!("{other:?}"),
                }
            }
        }
        _ => unreachable!(),
    }
}

fn append(store: &mut Store, name: &str) {
    let draft = new_draft(name);
    let id = draft.id;
    store.append(&stream(name), Expected::Any, &[draft], &[]).unwrap();
    acknowledge(id);
}

fn run(dir: &Path, roles: &[&str]) -> Vec<uuid::Uuid> {
    let children: Vec<Child> =
        (0..PROCESSES).map(|n| play(roles[n % roles.len()], dir).spawn().unwrap()).collect();
    children.into_iter().flat_map(|child| acknowledged(&finish(child))).collect()
}

fn check(dir: &Path, ids: &[uuid::Uuid], each: usize) {
    assert_eq!(ids.len(), PROCESSES * each);
    let store = open(dir);
    support::assert_once(&store, ids, "many");
    assert_eq!(support::counts(&store).len(), ids.len(), "no more than was acknowledged");
    support::assert_chain(&store, "many");
    assert_eq!(store.set_asides(), []);
    for folder in ["ledger/spool", "elsewhere/spool"] {
        let left = std::fs::read_dir(dir.join(folder)).map_or(0, |all| {
            all.filter(|entry| entry.as_ref().unwrap().metadata().unwrap().len() > 0).count()
        });
        assert_eq!(left, 0, "{folder}");
    }
}

/// RELIABILITY: 16 processes append to one new ledger, each also creating it.
#[test]
fn direct_appends() {
    let dir = temp();
    let ids = run(dir.path(), &["direct"]);
    check(dir.path(), &ids, APPENDS);
}

/// RELIABILITY: 16 processes append to one spool.
#[test]
fn spooled_appends() {
    let dir = temp();
    let ids = run(dir.path(), &["spool"]);
    check(dir.path(), &ids, APPENDS);
}

/// RELIABILITY: spooling, draining, opening and appending all at once.
#[test]
fn all_at_once() {
    let dir = temp();
    let ids = run(dir.path(), &["mix", "spool", "direct", "mix"]);
    check(dir.path(), &ids, APPENDS);
}

/// RELIABILITY: what one process spools in order gets in in order, though others drain it.
#[test]
fn order_is_kept() {
    let dir = temp();
    let drainers: Vec<Child> = (0..4).map(|_| play("drain", dir.path()).spawn().unwrap()).collect();
    let ids = acknowledged(&finish(play("spool", dir.path()).spawn().unwrap()));
    std::fs::write(dir.path().join("over"), "").unwrap();
    for drainer in drainers {
        finish(drainer);
    }
    let store = open(dir.path());
    let order: HashMap<_, _> = ids.iter().enumerate().map(|(n, id)| (*id, n)).collect();
    for name in store.heads_after(0).unwrap().keys() {
        let places: Vec<_> =
            store.read(name, 0).unwrap().iter().map(|event| order[&event.id]).collect();
        assert!(places.is_sorted(), "{name}: {places:?}");
    }
    support::assert_once(&store, &ids, "order");
}

/// PL-01: 16 processes race for the next place in one stream; every place has one winner.
#[test]
fn races_for_a_place() {
    let dir = temp();
    let ids = run(dir.path(), &["race"]);
    check(dir.path(), &ids, 20);
}
