//! A ledger that can't be written: busy, read-only, full. Entries go to the spool and are
//! drained exactly once, or the caller gets an error that says what is wrong.

#![allow(clippy::unwrap_used, clippy::expect_used)]

mod support;

use std::fs;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::Child;
use std::time::Duration;

use countersign_store::{Appended, Error, Expected, Notice, Options, Spool, Store, Unavailable};
use rustix::process::{Pid, Signal, kill_process};
use support::{acknowledge, acknowledged, assert_chain, assert_once, entry, fill, new_draft};
use support::{open, options, play, play_mounted, role, stream, temp};
use uuid::Uuid;

/// The parts that children of these tests play.
#[test]
fn child() {
    let Some((role, dir)) = role() else { return };
    match role.as_str() {
        "hold writer.lock" => hold(&dir.join("ledger/writer.lock")),
        "hold spool/entries.jsonl" => hold(&dir.join("ledger/spool/entries.jsonl")),
        "hold database" => {
            let plain = rusqlite::Connection::open(dir.join("ledger/ledger.db")).unwrap();
            plain.execute_batch("BEGIN IMMEDIATE").unwrap();
            println!("\nheld");
            std::thread::sleep(Duration::from_mins(1)); // tidy: polling, it holds the lock until it is killed
        }
        "full" => full(&dir),
        "both full" => both_full(&dir),
        "replace on a full disk" => replace_on_a_full_disk(&dir),
        "read-only" => read_only(&dir),
        "read-only from the beginning" => read_only_from_the_beginning(&dir),
        _ => unreachable!(),
    }
}

fn hold(path: &Path) {
    let file = fs::File::open(path).unwrap();
    file.lock().unwrap();
    println!("\nheld");
    std::thread::sleep(Duration::from_mins(1)); // tidy: polling, it holds the lock until it is killed
}

fn holder(what: &str, dir: &Path) -> Child {
    let mut child = play(&format!("hold {what}"), dir).spawn().unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    assert!(lines.any(|line| line.unwrap() == "held"));
    child
}

fn end(mut child: Child) {
    child.kill().unwrap();
    child.wait().unwrap();
}

fn hasty(dir: &Path) -> Options {
    Options { busy: Duration::from_millis(30), ..options(dir) }
}

fn append(store: &mut Store, text: &str) -> (Uuid, Result<Appended, Error>) {
    let draft = new_draft(text);
    let id = draft.id;
    (id, store.append(&stream("s/a"), Expected::Any, &[draft], &[]))
}

/// RELIABILITY: a lock held for longer than we wait: the entry goes to the spool, and from
/// there into the ledger, once.
#[test]
fn busy() {
    for what in ["writer.lock", "database"] {
        let dir = temp();
        let mut store = Store::open(hasty(dir.path())).unwrap();
        let mut ids = fill(&mut store, "s/a", 2);
        let child = holder(what, dir.path());
        for n in 0..3 {
            let (id, done) = append(&mut store, &n.to_string());
            assert_eq!(done.unwrap(), Appended::Spooled(Unavailable::Busy), "{what}");
            ids.push(id);
        }
        // An opening that can't drain now still opens, reads, and says so.
        let mut reader = Store::open(hasty(dir.path())).unwrap();
        let notices = reader.take_notices();
        assert!(matches!(&notices[..], [Notice::NotDrained { .. }]), "{what}: {notices:?}");
        assert_eq!(reader.read(&stream("s/a"), 0).unwrap().len(), 2);
        assert!(reader.is_behind(), "{what}");
        end(child);
        let mut after = open(dir.path());
        assert!(!after.is_behind(), "{what}");
        assert_eq!(after.take_notices(), [Notice::Drained(3)], "{what}");
        assert_eq!(open(dir.path()).take_notices(), []);
        assert_once(&after, &ids, what);
        assert_chain(&after, what);
    }
}

/// RELIABILITY: an entry that expected a place which is taken by the time it is drained is
/// kept as a conflict, and its successors don't take wrong places.
#[test]
fn spooled_too_late() {
    let dir = temp();
    let mut store = Store::open(hasty(dir.path())).unwrap();
    fill(&mut store, "s/a", 1);
    let child = holder("writer.lock", dir.path());
    let drafts = [new_draft("late"), new_draft("later")];
    let ids = [drafts[0].id, drafts[1].id];
    let done = store.append(&stream("s/a"), Expected::Sequence(1), &drafts, &[]).unwrap();
    assert_eq!(done, Appended::Spooled(Unavailable::Busy));
    end(child);
    let won = fill(&mut store, "s/a", 1);
    let after = open(dir.path());
    assert_once(&after, &won, "the winner");
    let kept = after.read(&stream("spool"), 0).unwrap();
    let conflicts: Vec<_> = kept.iter().map(|event| (event.id, event.kind.as_str())).collect();
    assert_eq!(conflicts[0], (ids[0], "spool.conflict"));
    assert!(kept[0].body.as_ref().unwrap().contains("late"));
    // The second expected 2, which is where the stream is by now: by the winner's event, not
    // by its own predecessor.
    assert_eq!(after.read(&stream("s/a"), 0).unwrap().len() + kept.len(), 4);
    assert_once(&after, &ids, "kept");
    assert_chain(&after, "conflict");
}

/// RELIABILITY: nobody waits for a stopped process that holds the spool: the entry goes to a
/// file of its own.
#[test]
fn spool_held_by_a_stopped_process() {
    let dir = temp();
    let store = open(dir.path());
    let spool = Spool::new(&options(dir.path()));
    let first = entry("s/a", new_draft("first"));
    let second = entry("s/a", new_draft("second"));
    let ids = [first.draft.id, second.draft.id];
    spool.write(&[first]).unwrap();
    let child = holder("spool/entries.jsonl", dir.path());
    kill_process(Pid::from_child(&child), Signal::STOP).unwrap();
    spool.write(&[second]).unwrap();
    let mut after = open(dir.path());
    assert_eq!(after.take_notices(), [Notice::Drained(1)], "its own file");
    end(child);
    let mut after = open(dir.path());
    assert_eq!(after.take_notices(), [Notice::Drained(1)], "the shared file");
    assert_once(&after, &ids, "both");
    drop(store);
}

/// RELIABILITY: with no place for the spool, the error says so, and names both places.
#[test]
fn no_place_for_the_spool() {
    let dir = temp();
    let mut store = Store::open(hasty(dir.path())).unwrap();
    fs::write(dir.path().join("ledger/spool"), "in the way").unwrap();
    fs::write(dir.path().join("elsewhere"), "in the way").unwrap();
    let child = holder("writer.lock", dir.path());
    let (_, done) = append(&mut store, "nowhere");
    let error = done.unwrap_err();
    end(child);
    assert!(error.unavailable().is_some(), "{error:?}");
    let text = error.to_string();
    assert!(text.contains("no place for the spool"), "{text}");
    assert!(text.contains("ledger/spool") && text.contains("elsewhere"), "{text}");
}

const TMPFS: &str = "mkdir -p \"$1/ledger\"; mount -t tmpfs -o size=2m tmpfs \"$1/ledger\"";

/// RELIABILITY: a full disk: entries go to the second place, and are drained once there is
/// room again.
#[test]
fn disk_full() {
    let dir = temp();
    if let Some(text) = play_mounted(TMPFS, "full", dir.path()) {
        assert!(acknowledged(&text).len() > 20, "{text}");
    }
}

fn full(dir: &Path) {
    let ballast = dir.join("ledger/ballast");
    fs::write(&ballast, vec![0; 600_000]).unwrap();
    let mut store = open(dir);
    let mut ids = Vec::new();
    let mut spooled = 0;
    while spooled < 10 {
        let (id, done) = append(&mut store, &"y".repeat(20_000));
        match done.unwrap() {
            Appended::Written(_) => assert_eq!(spooled, 0, "full stays full"),
            Appended::Spooled(why) => {
                assert_eq!(why, Unavailable::Full);
                spooled += 1;
            }
        }
        ids.push(id);
        acknowledge(id);
    }
    // Still full: opening and reading work, draining waits.
    let mut reader = open(dir);
    let notices = reader.take_notices();
    assert!(matches!(&notices[..], [Notice::NotDrained { .. }]), "{notices:?}");
    assert_once(&reader, &ids[..ids.len() - 10], "full");
    assert_chain(&reader, "full");
    fs::remove_file(&ballast).unwrap();
    let mut after = open(dir);
    assert_eq!(after.take_notices(), [Notice::Drained(10)]);
    assert_once(&after, &ids, "room again");
    assert_chain(&after, "room again");
    assert_eq!(after.set_asides(), []);
}

/// RELIABILITY: both places full: a clear error, and nothing half-written is acknowledged.
#[test]
fn both_places_full() {
    let dir = temp();
    let script = format!("{TMPFS}; mkdir -p \"$1/ledger/x\"; ln -s ledger/x \"$1/elsewhere\"");
    play_mounted(&script, "both full", dir.path());
}

fn both_full(dir: &Path) {
    let ballast = dir.join("ledger/ballast");
    fs::write(&ballast, vec![0; 500_000]).unwrap();
    let mut store = open(dir);
    let mut ids = Vec::new();
    let error = loop {
        let (id, done) = append(&mut store, &"y".repeat(20_000));
        match done {
            Ok(_) => ids.push(id),
            Err(error) => break error,
        }
    };
    assert_eq!(error.unavailable(), Some(Unavailable::Full), "{error:?}");
    assert!(error.to_string().contains("no place for the spool"), "{error}");
    fs::remove_file(&ballast).unwrap();
    let mut after = open(dir);
    let told = after.take_notices();
    assert!(!told.iter().any(|n| matches!(n, Notice::SpoolDamaged { .. })), "{told:?}");
    assert_once(&after, &ids, "after both were full");
    assert_eq!(support::counts(&after).len(), ids.len());
}

/// RELIABILITY: no room to salvage a damaged database: entries are spooled, and the next
/// opening with room takes the replacement up where it stood.
#[test]
fn damaged_on_a_full_disk() {
    let dir = temp();
    play_mounted(TMPFS, "replace on a full disk", dir.path());
}

fn replace_on_a_full_disk(dir: &Path) {
    let mut store = open(dir);
    let mut ids = Vec::new();
    for _ in 0..20 {
        ids.push(append(&mut store, &"y".repeat(20_000)).0);
    }
    let ballast = dir.join("ledger/ballast");
    fs::write(&ballast, "").unwrap();
    let file = fs::File::options().append(true).open(&ballast).unwrap();
    while std::io::Write::write_all(&mut &file, &[0; 4096]).is_ok() {}
    let plain = fs::File::options().write(true).open(dir.join("ledger/ledger.db")).unwrap();
    std::os::unix::fs::FileExt::write_all_at(&plain, &[0xa5; 4096], 0).unwrap();
    let log = fs::File::options().write(true).open(dir.join("ledger/ledger.db-wal")).unwrap();
    std::os::unix::fs::FileExt::write_all_at(&log, &[0xa5; 32], 0).unwrap();
    drop(store);
    let refused = Store::open(options(dir)).unwrap_err();
    assert_eq!(refused.unavailable(), Some(Unavailable::Full), "{refused:?}");
    let spooled = entry("s/a", new_draft("meanwhile"));
    let meanwhile = spooled.draft.id;
    Spool::new(&options(dir)).write(&[spooled]).unwrap();
    assert!(Store::open(options(dir)).is_err(), "as long as it is full");
    drop(file);
    fs::remove_file(&ballast).unwrap();
    let mut after = open(dir);
    let notices = after.take_notices();
    let [Notice::SetAside(aside), Notice::Drained(1)] = &notices[..] else { panic!("{notices:?}") };
    assert_eq!(aside.salvaged + aside.lost, 20, "{aside:?}");
    assert_once(&after, &[meanwhile], "meanwhile");
    let found = support::counts(&after);
    let there = ids.iter().filter(|id| found.contains_key(id)).count() as u64;
    assert_eq!(there, aside.salvaged);
}

const READ_ONLY: &str =
    "mount --bind \"$1/ledger\" \"$1/ledger\"; mount -o remount,ro,bind \"$1/ledger\"";

/// RELIABILITY: a read-only ledger can be read; entries go to the second place, and into the
/// ledger when it can be written again.
#[test]
fn read_only_ledger() {
    let dir = temp();
    let mut store = open(dir.path());
    let mut ids = fill(&mut store, "s/a", 5);
    drop(store);
    let Some(text) = play_mounted(READ_ONLY, "read-only", dir.path()) else { return };
    let spooled = acknowledged(&text);
    assert_eq!(spooled.len(), 3);
    ids.extend(spooled);
    let mut after = open(dir.path());
    assert_eq!(after.take_notices(), [Notice::Drained(3)]);
    assert_once(&after, &ids, "writable again");
    assert_chain(&after, "writable again");
}

fn read_only(dir: &Path) {
    let mut store = open(dir);
    assert_eq!(store.take_notices(), []);
    assert_eq!(store.read(&stream("s/a"), 0).unwrap().len(), 5);
    for n in 0..3 {
        let (id, done) = append(&mut store, &n.to_string());
        assert_eq!(done.unwrap(), Appended::Spooled(Unavailable::ReadOnly));
        acknowledge(id);
    }
    let lease = store.lease("run/1").unwrap_err();
    assert_eq!(lease.unavailable(), Some(Unavailable::ReadOnly), "{lease}");
    let blob = store.blobs().put(b"x").unwrap_err();
    assert_eq!(blob.unavailable(), Some(Unavailable::ReadOnly), "{blob}");
    let mut again = open(dir);
    let notices = again.take_notices();
    assert!(matches!(&notices[..], [Notice::NotDrained { .. }]), "{notices:?}");
}

/// RELIABILITY: where no ledger can be made, opening says why, and the spool still takes
/// entries.
#[test]
fn read_only_place() {
    let dir = temp();
    fs::create_dir(dir.path().join("ledger")).unwrap();
    let role = "read-only from the beginning";
    let Some(text) = play_mounted(READ_ONLY, role, dir.path()) else { return };
    let ids = acknowledged(&text);
    assert_eq!(ids.len(), 1);
    assert_once(&open(dir.path()), &ids, "writable at last");
}

fn read_only_from_the_beginning(dir: &Path) {
    let refused = Store::open(options(dir)).unwrap_err();
    assert_eq!(refused.unavailable(), Some(Unavailable::ReadOnly), "{refused:?}");
    let spooled = entry("s/a", new_draft("nonetheless"));
    let id = spooled.draft.id;
    Spool::new(&options(dir)).write(&[spooled]).unwrap();
    acknowledge(id);
}
