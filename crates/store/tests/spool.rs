//! The spool's file: torn, garbled and cut lines; damage ends with the line it is in.

#![allow(clippy::unwrap_used, clippy::expect_used)]

mod support;

use std::fs;
use std::path::{Path, PathBuf};

use countersign_store::{Notice, Spool};
use support::{assert_chain, assert_once, entry, new_draft, open, options, stream, temp};
use uuid::Uuid;

fn spooled(dir: &Path, count: usize) -> (PathBuf, Vec<Uuid>) {
    let spool = Spool::new(&options(dir));
    let ids = (0..count)
        .map(|n| {
            let entry = entry("s/a", new_draft(&n.to_string()));
            spool.write(std::slice::from_ref(&entry)).unwrap();
            entry.draft.id
        })
        .collect();
    (dir.join("ledger/spool/entries.jsonl"), ids)
}

/// Damages the file with `damage`, drains it, and expects these lines as damaged.
fn check(damage: impl Fn(&mut Vec<Vec<u8>>), damaged: &[usize]) {
    let dir = temp();
    let (path, ids) = spooled(dir.path(), 6);
    let text = fs::read(&path).unwrap();
    let mut lines: Vec<Vec<u8>> = text.split_inclusive(|b| *b == b'\n').map(Vec::from).collect();
    damage(&mut lines);
    let bytes = lines.concat();
    fs::write(&path, &bytes).unwrap();
    let mut store = open(dir.path());
    let sound: Vec<Uuid> =
        ids.iter().enumerate().filter(|(n, _)| !damaged.contains(n)).map(|(_, id)| *id).collect();
    assert_once(&store, &sound, "the others");
    assert_eq!(store.read(&stream("s/a"), 0).unwrap().len(), sound.len());
    let notices = store.take_notices();
    if damaged.is_empty() {
        assert_eq!(notices, [Notice::Drained(sound.len() as u64)]);
    } else {
        let [Notice::SpoolDamaged { file, .. }, Notice::Drained(_)] = &notices[..] else {
            panic!("{notices:?}")
        };
        let kept = fs::read(path.with_file_name(file)).unwrap();
        assert!(kept == bytes, "the bytes are kept as they were");
        let events = store.read(&stream("spool"), 0).unwrap();
        assert!(!events.is_empty() && events.iter().all(|e| e.kind == "spool.damaged"));
    }
    assert_chain(&store, "spool");
    assert_eq!(open(dir.path()).take_notices(), [], "told once");
}

/// RELIABILITY: one garbled line costs that line.
#[test]
fn garbled_line() {
    check(|_| {}, &[]);
    check(|lines| lines[2][30] ^= 1, &[2]);
    check(|lines| lines[0][0] = 0, &[0]);
    check(|lines| lines[5][40] = 0xff, &[5]);
    // Its hash.
    check(|lines| *lines[2].iter_mut().rev().nth(4).unwrap() = b'?', &[2]);
    // All of it: the next one has nothing to follow from, and counts nonetheless.
    check(|lines| lines[2] = b"\x00\x00\xff\xff\n".to_vec(), &[2]);
    check(|lines| lines[2] = b"garbage\n".to_vec(), &[2]);
    check(
        |lines| {
            lines[1] = vec![0; 300];
            lines[2] = b"\xff\n".to_vec();
        },
        &[1, 2],
    );
}

/// RELIABILITY: a last line without its end was never acknowledged.
#[test]
fn torn_line() {
    let dir = temp();
    let (path, ids) = spooled(dir.path(), 3);
    let whole = fs::read(&path).unwrap();
    for cut in [1, 10, 64, 65, 66, 100] {
        let dir = temp();
        let place = dir.path().join("ledger/spool");
        fs::create_dir_all(&place).unwrap();
        fs::write(place.join("entries.jsonl"), &whole[..whole.len() - cut]).unwrap();
        let mut store = open(dir.path());
        assert_eq!(store.take_notices(), [Notice::Drained(2)], "cut by {cut}");
        assert_once(&store, &ids[..2], "before the tear");
    }
}

/// RELIABILITY: a writer that finds a torn line ends it, and its own entry counts.
#[test]
fn writing_after_a_torn_line() {
    for cut in [1, 10, 65, 66, 200, 10_000] {
        let dir = temp();
        let (path, mut ids) = spooled(dir.path(), 3);
        let whole = fs::read(&path).unwrap();
        fs::write(&path, &whole[..whole.len().saturating_sub(cut).max(20)]).unwrap();
        let left = String::from_utf8_lossy(&fs::read(&path).unwrap()).matches('\n').count();
        ids.truncate(left);
        ids.extend(spooled(dir.path(), 2).1);
        let store = open(dir.path());
        assert_once(&store, &ids, &format!("cut by {cut}"));
        assert_chain(&store, "torn");
    }
}

/// RELIABILITY: entries of one write get in together and in order.
#[test]
fn several_at_once() {
    let dir = temp();
    let spool = Spool::new(&options(dir.path()));
    let entries: Vec<_> = (0..50).map(|n| entry("s/a", new_draft(&n.to_string()))).collect();
    spool.write(&entries).unwrap();
    let store = open(dir.path());
    let ids: Vec<_> = store.read(&stream("s/a"), 0).unwrap().iter().map(|e| e.id).collect();
    assert_eq!(ids, entries.iter().map(|e| e.draft.id).collect::<Vec<_>>());
}

/// RELIABILITY: a drain that was cut off after the commit is repeated without harm.
#[test]
fn drained_twice() {
    let dir = temp();
    let (path, ids) = spooled(dir.path(), 4);
    let bytes = fs::read(&path).unwrap();
    drop(open(dir.path()));
    let left = path.with_file_name("draining-0190b2a0-0000-7000-8000-000000000000.jsonl");
    fs::write(&left, bytes).unwrap();
    let mut store = open(dir.path());
    assert_eq!(store.take_notices(), []);
    assert_once(&store, &ids, "twice");
    assert!(!left.exists());
}

/// RELIABILITY: whatever stands in the place of one spool file, the others are taken in.
#[test]
fn something_else_in_its_place() {
    for (what, plant) in [
        ("a folder", "mkdir"),
        ("a pipe", "mkfifo"),
        ("a device", "ln -s /dev/zero"),
        ("a link to itself", "ln -s a.jsonl"),
        ("a file without end", "truncate -s 8G"),
    ] {
        let dir = temp();
        let (path, ids) = spooled(dir.path(), 3);
        let words: Vec<&str> = plant.split(' ').collect();
        make(&words, &path.with_file_name("a.jsonl"));
        let store = open(dir.path());
        assert_once(&store, &ids, what);
        assert_chain(&store, what);
        assert!(!store.is_behind(), "{what} holds nothing back");
    }
}

/// RELIABILITY: what is acknowledged is in a file, and never in a pipe or a device.
#[test]
fn nothing_is_written_to_what_is_no_file() {
    for words in [&["mkfifo"][..], &["ln", "-s", "/dev/null"]] {
        let dir = temp();
        let (path, _) = spooled(dir.path(), 0);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        make(words, &path);
        let (_, ids) = spooled(dir.path(), 2);
        assert_once(&open(dir.path()), &ids, "from the second place");
    }
}

/// RELIABILITY: a first place that is none keeps nobody from the second.
#[test]
fn a_first_place_that_is_none() {
    let dir = temp();
    fs::create_dir_all(dir.path().join("ledger")).unwrap();
    fs::write(dir.path().join("ledger/spool"), "in the way").unwrap();
    let (_, ids) = spooled(dir.path(), 2);
    assert_once(&open(dir.path()), &ids, "from the second place");
}

fn make(words: &[&str], path: &Path) {
    let status = std::process::Command::new(words[0]).args(&words[1..]).arg(path).status();
    assert!(status.unwrap().success(), "{words:?}");
}
