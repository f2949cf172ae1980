//! A database replaced or removed while other processes have it open, and replacements that
//! are cut off.

#![allow(clippy::unwrap_used, clippy::expect_used)]

mod support;

use std::fs::{self, File};
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::process::Child;
use std::time::Duration;

use countersign_store::{Appended, Expected, Notice, SetAside, Store};
use support::{Random, acknowledge, acknowledged, assert_chain, assert_once, counts, fill};
use support::{finish, new_draft, open, play, role, stream, temp};

/// The parts that children of these tests play.
#[test]
fn child() {
    let Some((role, dir)) = role() else { return };
    match role.as_str() {
        "open" => {
            drop(open(&dir));
        }
        "append" => {
            let mut store = open(&dir);
            for n in 0..150 {
                let draft = new_draft("text");
                let id = draft.id;
                let name = stream(&format!("s/{}", n % 3));
                store.append(&name, Expected::Any, &[draft], &[]).unwrap();
                acknowledge(id);
            }
        }
        _ => unreachable!(),
    }
}

fn file(dir: &Path, name: &str) -> std::path::PathBuf {
    dir.join("ledger").join(name)
}

fn overwrite(dir: &Path, name: &str) {
    let file = File::options().write(true).open(file(dir, name)).unwrap();
    file.write_all_at(&[0xa5; 4096], 0).unwrap();
}

fn asides(store: &mut Store) -> Vec<SetAside> {
    let notices = store.take_notices().into_iter();
    notices
        .filter_map(|notice| match notice {
            Notice::SetAside(aside) => Some(aside),
            _ => None,
        })
        .collect()
}

/// Puts everything into the database file.
fn checkpoint(dir: &Path) {
    let plain = rusqlite::Connection::open(file(dir, "ledger.db")).unwrap();
    plain.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(())).unwrap();
}

/// RELIABILITY: one process replaces a damaged database; another, that had it open, follows
/// before it writes, and reads the new one after a refresh.
#[test]
fn others_follow() {
    let dir = temp();
    let (mut a, mut b, mut reader) = (open(dir.path()), open(dir.path()), open(dir.path()));
    let mut ids = fill(&mut a, "s/a", 20);
    drop(a);
    checkpoint(dir.path());
    overwrite(dir.path(), "ledger.db");
    // A new process meets the damage and replaces.
    let mut c = open(dir.path());
    assert_eq!(asides(&mut c).len(), 1);
    ids.extend(fill(&mut c, "s/a", 1));
    ids.extend(fill(&mut b, "s/a", 1));
    assert_eq!(asides(&mut b), [], "it was not b that replaced it");
    assert_once(&c, &ids, "c sees what b wrote");
    assert_once(&b, &ids, "b sees what c wrote");
    reader.refresh().unwrap();
    assert_once(&reader, &ids, "the reader after its refresh");
    assert_eq!(open(dir.path()).set_asides().len(), 1);
    assert_chain(&c, "followed");
}

/// RELIABILITY: the files removed under an open store: it puts everything back.
#[test]
fn removed_while_open() {
    for names in [
        &["ledger.db"][..],
        &["ledger.db", "ledger.db-wal", "ledger.db-shm"],
        &["ledger.db-wal"],
        &["ledger.db-wal", "ledger.db-shm"],
        &["ledger.db", "ledger.id"],
    ] {
        for checkpointed in [false, true] {
            let dir = temp();
            let mut store = open(dir.path());
            let mut ids = fill(&mut store, "s/a", 20);
            if checkpointed {
                checkpoint(dir.path());
                ids.extend(fill(&mut store, "s/b", 3));
            }
            for name in names {
                fs::remove_file(file(dir.path(), name)).unwrap();
            }
            ids.extend(fill(&mut store, "s/a", 2));
            let mut other = open(dir.path());
            assert_eq!(asides(&mut other), [], "{names:?}");
            assert_once(&other, &ids, &format!("{names:?}"));
            assert_chain(&other, &format!("{names:?}"));
        }
    }
}

/// RELIABILITY: the log removed under two open stores that both go on: nothing that either
/// acknowledged is lost.
#[test]
fn log_removed_under_two() {
    let dir = temp();
    let (mut a, mut b) = (open(dir.path()), open(dir.path()));
    let mut ids = fill(&mut a, "s/a", 10);
    ids.extend(fill(&mut b, "s/b", 10));
    fs::remove_file(file(dir.path(), "ledger.db-wal")).unwrap();
    let mut c = open(dir.path());
    ids.extend(fill(&mut c, "s/a", 1));
    ids.extend(fill(&mut b, "s/b", 2));
    ids.extend(fill(&mut a, "s/a", 2));
    for store in [&a, &b, &open(dir.path())] {
        assert_once(store, &ids, "after the log was removed");
        assert_chain(store, "after the log was removed");
    }
}

/// RELIABILITY: another database renamed into place (a backup put back) while it was open.
#[test]
fn backup_put_back() {
    let dir = temp();
    let mut store = open(dir.path());
    let mut ids = fill(&mut store, "s/a", 5);
    checkpoint(dir.path());
    fs::copy(file(dir.path(), "ledger.db"), file(dir.path(), "backup")).unwrap();
    ids.extend(fill(&mut store, "s/a", 5));
    checkpoint(dir.path());
    fs::rename(file(dir.path(), "backup"), file(dir.path(), "ledger.db")).unwrap();
    ids.extend(fill(&mut store, "s/a", 1));
    let other = open(dir.path());
    assert_once(&other, &ids, "newer than the backup");
    assert_chain(&other, "newer than the backup");
}

/// RELIABILITY: eight processes append while the database is damaged under them, again and
/// again: what was acknowledged is there, or counted as lost.
#[test]
fn damaged_under_many() {
    let dir = temp();
    drop(open(dir.path()));
    let children: Vec<Child> =
        (0..8).map(|_| play("append", dir.path()).spawn().unwrap()).collect();
    let mut random = Random(5);
    for _ in 0..6 {
        std::thread::sleep(Duration::from_millis(5 + random.below(20))); // tidy: polling, the moment of the kill is what is tried
        let Ok(file) = File::options().write(true).open(file(dir.path(), "ledger.db")) else {
            continue;
        };
        let pages = file.metadata().unwrap().len() / 4096;
        let page = random.below(pages.max(1));
        file.write_all_at(&[0xa5; 4096], page * 4096).unwrap();
    }
    let ids: Vec<_> = children.into_iter().flat_map(|child| acknowledged(&finish(child))).collect();
    assert_eq!(ids.len(), 8 * 150);
    let mut store = open(dir.path());
    if let Err(error) = store.scan(0, |_| Ok(())) {
        store.set_aside(&error).unwrap();
    }
    let found = counts(&store);
    let missing = ids.iter().filter(|id| !found.contains_key(id)).count() as u64;
    let told: u64 = store.set_asides().iter().map(|aside| aside.lost).sum();
    assert!(missing <= told, "{missing} are missing, {told} were told");
    assert!(found.values().all(|count| *count == 1));
}

/// RELIABILITY: kill -9 at any moment of a replacement: the next opening takes it up, and in
/// the end everything that can be read is there.
#[test]
fn replacement_cut_off() {
    let dir = temp();
    let mut random = Random(31);
    let mut ids = Vec::new();
    let mut replaced = 0;
    for round in 0..60 {
        let mut store = open(dir.path());
        ids.extend(fill(&mut store, "s/a", 10));
        drop(store);
        checkpoint(dir.path());
        overwrite(dir.path(), "ledger.db");
        for _ in 0..2 {
            let mut child = play("open", dir.path()).spawn().unwrap();
            std::thread::sleep(Duration::from_micros(random.below(9000))); // tidy: polling, the moment of the kill is what is tried
            child.kill().unwrap();
            child.wait().unwrap();
        }
        let store = open(dir.path());
        assert_once(&store, &ids, &format!("round {round}"));
        let all = store.set_asides();
        assert!(all.len() > replaced, "round {round}: {all:?}");
        assert!(all.iter().all(|aside| aside.lost == 0), "round {round}: {all:?}");
        replaced = all.len();
    }
    assert_chain(&open(dir.path()), "cut off");
}

/// RELIABILITY: the same, at the places where a cut would hurt most.
#[test]
fn replacement_left_half_way() {
    let dir = temp();
    let mut store = open(dir.path());
    let ids = fill(&mut store, "s/a", 10);
    drop(store);
    let kept = file(dir.path(), "damaged-1");
    fs::create_dir(&kept).unwrap();
    let note = r#"{"previous":null,"reason":"a test","kept_in":"damaged-1","salvaged":0,"lost":0,"finished":false}"#;
    fs::write(kept.join("note.json"), note).unwrap();
    // Only the database was moved.
    fs::rename(file(dir.path(), "ledger.db"), kept.join("ledger.db")).unwrap();
    let mut store = open(dir.path());
    let told = asides(&mut store);
    assert_eq!((told.len(), told[0].salvaged, told[0].lost), (1, 10, 0), "{told:?}");
    assert_eq!(told[0].reason, "a test");
    assert_once(&store, &ids, "half-way");
    let done = store.append(&stream("s/a"), Expected::Sequence(10), &[new_draft("on")], &[]);
    assert!(matches!(done, Ok(Appended::Written(_))), "{done:?}");
}
