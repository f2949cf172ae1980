//! Loss of power: the real system calls of a process that appends, replayed into hundreds of
//! states that the disk may be left in. In each, everything acknowledged until then is there.

#![allow(clippy::unwrap_used, clippy::expect_used)]

#[path = "support/disk.rs"]
mod disk;
mod support;

use std::path::Path;
use std::process::{Command, Stdio};

use countersign_store::{Durability, Expected, Options, Spool, Store};
use disk::{CALLS, Disk, Op};
use support::{DIR, ROLE, Random, acknowledge, acknowledged, entry, new_draft, options, role};
use support::{stream, temp};

/// As the ledger is opened by the parts that don't promise to survive this.
fn weak(dir: &Path) {
    for _ in 0..3 {
        let mut store = Store::open(options(dir)).unwrap();
        append(&mut store, 5);
        checkpoint(dir, "RESTART");
        append(&mut store, 5);
        let entries: Vec<_> = (0..5).map(|_| entry("s/spooled", new_draft("weak"))).collect();
        store.spool().write(&entries).unwrap();
    }
}

fn durable(dir: &Path) -> Options {
    Options { durability: Durability::PowerLoss, ..options(dir) }
}

/// The parts that children of these tests play.
#[test]
fn child() {
    let Some((role, dir)) = role() else { return };
    match role.as_str() {
        "direct" => {
            for _ in 0..3 {
                // One that makes the log's file and leaves its name to the others to sync.
                drop(Store::open(durable(&dir)).unwrap());
                let mut store = Store::open(durable(&dir)).unwrap();
                append(&mut store, 5);
                checkpoint(&dir, "RESTART");
                append(&mut store, 5);
                drop(store);
                // The last one to close removes the log, if it is another program.
                checkpoint(&dir, "PASSIVE");
            }
        }
        "weak" => weak(&dir),
        "spool" => {
            for _ in 0..30 {
                spool(&dir);
            }
        }
        "drain" => {
            for _ in 0..4 {
                for _ in 0..5 {
                    spool(&dir);
                }
                let mut store = Store::open(durable(&dir)).unwrap();
                append(&mut store, 2);
            }
        }
        "replace" => {
            let mut store = Store::open(durable(&dir)).unwrap();
            append(&mut store, 10);
            checkpoint(&dir, "TRUNCATE");
            drop(store);
            let path = dir.join("ledger/ledger.db");
            let file = std::fs::File::options().write(true).open(path).unwrap();
            std::os::unix::fs::FileExt::write_all_at(&file, &[0xa5; 4096], 0).unwrap();
            drop(file);
            let mut store = Store::open(durable(&dir)).unwrap();
            assert_eq!(store.set_asides().len(), 1);
            append(&mut store, 5);
        }
        _ => unreachable!(),
    }
}

fn append(store: &mut Store, count: u32) {
    for n in 0..count {
        let draft = new_draft(&"z".repeat(700));
        let id = draft.id;
        let name = stream(&format!("s/{}", n % 3));
        store.append(&name, Expected::Any, &[draft], &[]).unwrap();
        acknowledge(id);
    }
}

fn spool(dir: &Path) {
    let draft = new_draft(&"z".repeat(300));
    let id = draft.id;
    Spool::new(&durable(dir)).write(&[entry("s/spooled", draft)]).unwrap();
    acknowledge(id);
}

/// Moves the log into the database, so that it starts again from its beginning.
fn checkpoint(dir: &Path, how: &str) {
    let plain = rusqlite::Connection::open(dir.join("ledger/ledger.db")).unwrap();
    plain.query_row(&format!("PRAGMA wal_checkpoint({how})"), [], |_| Ok(())).unwrap();
}

/// What a child in the part `role` does to the disk; `None`, said loudly, without strace.
fn record(role: &str) -> Option<Vec<Op>> {
    let dir = temp();
    let traced = dir.path().join("trace");
    let root = dir.path().join("root").canonicalize().unwrap_or_else(|_| {
        std::fs::create_dir(dir.path().join("root")).unwrap();
        dir.path().join("root").canonicalize().unwrap()
    });
    let child = Command::new("strace")
        .args(["-f", "-y", "-xx", "-s", "1000000", "-e", &format!("trace={CALLS}"), "-o"])
        .arg(&traced)
        .arg(std::env::current_exe().unwrap())
        .args(["child", "--exact", "--nocapture", "--test-threads=1"])
        .env(ROLE, role)
        .env(DIR, &root)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .spawn();
    let Ok(child) = child else {
        eprintln!("SKIPPED: {role}: strace is not installed");
        return None;
    };
    let said = support::finish(child);
    let trace = std::fs::read_to_string(&traced).unwrap();
    if trace.lines().count() < 10 {
        eprintln!("SKIPPED: {role}: strace doesn't work here");
        return None;
    }
    let ops = disk::parse(&trace, &root);
    let acks = ops.iter().filter(|op| matches!(op, Op::Acknowledge { .. })).count();
    assert_eq!(acks, acknowledged(&said).len(), "every acknowledgement is in the trace");
    Some(ops)
}

/// Loses power at every acknowledgement and at random moments in between.
fn check(role: &str, states: usize, seed: u64) {
    let Some(ops) = record(role) else { return };
    let mut random = Random(seed);
    let count = ops.len() as u64;
    let mut moments: Vec<usize> = (0..states)
        .map(|_| usize::try_from(random.below(count)).unwrap())
        .chain(
            ops.iter()
                .enumerate()
                .filter_map(|(n, op)| matches!(op, Op::Acknowledge { .. }).then_some(n + 1)),
        )
        .collect();
    moments.sort_unstable();
    let mut disk = Disk::default();
    let mut acked = Vec::new();
    let mut done = 0;
    for moment in moments {
        for op in &ops[done..moment] {
            disk.apply(op);
            if let Op::Acknowledge { text } = op {
                acked.extend(acknowledged(text));
            }
        }
        done = moment;
        // Nothing unsynced, all of it, and mixtures.
        let share = random.below(9);
        let dir = temp();
        disk.lose_power(dir.path(), &mut random, share);
        let context = format!("{role}: power lost after {moment} of {count}, share {share}");
        let mut store =
            Store::open(options(dir.path())).unwrap_or_else(|error| panic!("{context}: {error}"));
        support::assert_chain(&store, &context);
        support::fill(&mut store, "s/after", 1);
        if role == "weak" {
            continue;
        }
        support::assert_once(&store, &acked, &context);
        let lost: u64 = store.set_asides().iter().map(|aside| aside.lost).sum();
        assert_eq!(lost, 0, "{context}: {:?}", store.set_asides());
        if role != "replace" {
            assert_eq!(store.set_asides(), [], "{context}");
        }
    }
}

/// RELIABILITY: what the database acknowledged survives a loss of power, over checkpoints.
#[test]
fn direct_appends() {
    check("direct", 200, 0xd15c);
}

/// RELIABILITY: what the spool acknowledged survives a loss of power.
#[test]
fn spooled_appends() {
    check("spool", 100, 0xd15d);
}

/// RELIABILITY: so does what is drained, exactly once.
#[test]
fn drained_appends() {
    check("drain", 200, 0xd15e);
}

/// RELIABILITY: a loss of power while a damaged database is being replaced.
#[test]
fn replacement() {
    check("replace", 250, 0xd15f);
}

/// RELIABILITY: the weaker mode may lose the last moments, and nothing else: what is left is a
/// sound ledger.
#[test]
fn weaker_mode() {
    check("weak", 150, 0xd160);
}
