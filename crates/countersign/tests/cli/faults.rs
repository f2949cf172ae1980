//! A ledger that is damaged, full, read-only or busy: said clearly, and nothing is lost.

use std::fs;

use countersign_testkit::{Project, Ran};

use crate::{PROGRAM, project_with_run};

/// Overwrites the database and expects the program to keep the bytes and go on.
fn survive(project: &Project, damage: &[u8]) {
    let database = project.state().join("ledger.db");
    for name in ["ledger.db-wal", "ledger.db-shm"] {
        let _ = fs::remove_file(project.state().join(name));
    }
    fs::write(&database, damage).unwrap();
    let ran = project.run(["status"]).expect(0);
    let ran = ran.says("note: the ledger was damaged").says("Its files are kept as they are in");
    let place = ran.err().split("kept as they are in ").nth(1).unwrap().to_owned();
    let place = place.split(';').next().unwrap().to_owned();
    assert_eq!(fs::read(format!("{place}/ledger.db")).unwrap(), damage, "the bytes are kept");
    let again = project.run(["status"]).expect(0);
    assert!(!again.err().contains("damaged"), "told once: {}", again.err());
    project.goal("echo > after", "test -f after").run().expect(0);
    project.run(["ledger", "seal"]).expect(0);
    // That the record of before is gone is a finding and stays one.
    let ran = project.run(["ledger", "verify"]);
    assert_eq!(ran.code, Some(1), "{}", ran.out());
    ran.prints("NOT INTACT");
}

/// PL-02: a database overwritten with garbage is set aside, and a fresh one is started.
#[test]
fn a_garbage_database_is_set_aside() {
    let project = project_with_run();
    survive(&project, &b"not a database at all ".repeat(1000));
    // And a second time.
    survive(&project, b"x");
}

/// PL-02: a database that was cut to nothing is noticed as well.
#[test]
fn an_empty_database_is_set_aside() {
    survive(&project_with_run(), b"");
}

/// PL-02: damage in the middle loses what was there and keeps what can be read.
#[test]
fn a_partly_damaged_database_is_salvaged() {
    let project = project_with_run();
    for n in 0..200 {
        let args = ["ledger", "append", "--stream", "a", "--kind", "note"];
        if n % 50 == 0 {
            project.call(args).stdin(format!("\"{n} {}\"", "x".repeat(2000))).run().expect(0);
        }
    }
    project.run(["ledger", "rebuild"]).expect(0);
    let database = project.state().join("ledger.db");
    let script = format!("sqlite3 {database:?} 'PRAGMA wal_checkpoint(TRUNCATE)' >/dev/null");
    if project.sh(&script).code != Some(0) {
        eprintln!("SKIPPED: there is no sqlite3 to write the database out with");
        return;
    }
    let mut bytes = fs::read(&database).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle..middle + 8192].fill(0xaa);
    fs::write(&database, &bytes).unwrap();
    // Whether a command meets the damage depends on where it is; verification always does.
    let ran = project.run(["ledger", "verify"]);
    assert_eq!(ran.code, Some(1), "{}{}", ran.out(), ran.err());
    assert!(!ran.err().contains("mistake of ours"), "{}", ran.err());
    project.goal("echo > after", "test -f after").run().expect(0);
}

/// PL-02: a ledger of a newer version is left alone.
#[test]
fn a_newer_ledger_is_left_alone() {
    let project = project_with_run();
    let database = project.state().join("ledger.db");
    let script = format!("sqlite3 {database:?} 'PRAGMA user_version = 99' >/dev/null");
    if project.sh(&script).code != Some(0) {
        eprintln!("SKIPPED: there is no sqlite3 to make a newer ledger with");
        return;
    }
    project.run(["status"]).expect(1).says("newer version").says("this one changes nothing");
    assert!(!project.state().join("damaged-1").exists());
}

/// Runs `script` where it may mount; `None`, said loudly, where nobody may.
pub fn mounting(project: &Project, script: &str) -> Option<Ran> {
    if project.sh("unshare -rm mount -t tmpfs none /mnt").code != Some(0) {
        eprintln!("SKIPPED: this machine lets nobody mount, so no disk can be filled");
        return None;
    }
    let script = format!("set -e\ncountersign() {{ {PROGRAM} \"$@\"; }}\n{script}");
    fs::write(project.outside().join("script"), script).unwrap();
    Some(project.sh("unshare -rm sh ../script"))
}

/// PL-02: on a full disk, entries go to the second spool and are taken in exactly once.
#[test]
fn a_full_disk_loses_nothing() {
    let project = project_with_run();
    let script = r#"
        cp -a .git/countersign ../copy
        mount -t tmpfs -o size=2m tmpfs .git/countersign
        cp -a ../copy/. .git/countersign/
        dd if=/dev/zero of=.git/countersign/filler bs=4k 2>/dev/null || true
        for n in 1 2 3; do echo "$n" | countersign ledger append --stream full --kind note; done
        echo "run:"
        countersign run 'Do it' --check true --worker 'command:echo > x' || echo "code $?"
        rm .git/countersign/filler
        countersign status >/dev/null
        countersign ledger export | grep '^{"type":"event"' | grep -c '"note/full"'
        countersign run 'Do it' --check true --worker 'command:echo > x' >/dev/null
        countersign ledger verify
    "#;
    let Some(ran) = mounting(&project, script) else { return };
    let ran = ran.expect(0);
    let out = ran.out();
    let acknowledged = out.lines().take_while(|line| *line != "run:").count();
    assert_eq!(acknowledged, 3, "{out}{}", ran.err());
    assert!(out.contains("\ncode 1\n"), "{out}{}", ran.err());
    assert!(out.contains("\n3\nintact"), "{out}{}", ran.err());
    let ran = ran.says("error: ");
    assert!(!ran.err().contains("mistake of ours"), "{}", ran.err());
}

/// PL-02: a state folder that can't be written: entries wait in the second spool.
#[test]
fn a_read_only_ledger_loses_nothing() {
    let project = project_with_run();
    let script = r#"
        mount --bind .git/countersign .git/countersign
        mount -o remount,ro,bind .git/countersign
        echo 1 | countersign ledger append --stream ro --kind note
        echo "run:"
        countersign run 'Do it' --check true --worker 'command:echo > x' || echo "code $?"
        countersign status >/dev/null || echo "status $?"
        mount -o remount,rw,bind .git/countersign
        countersign ledger export | grep '^{"type":"event"' | grep -c '"note/ro"'
        countersign ledger verify
    "#;
    let Some(ran) = mounting(&project, script) else { return };
    let ran = ran.expect(0);
    let out = ran.out();
    assert!(out.contains("\ncode 1\n"), "{out}{}", ran.err());
    assert!(out.contains("1\nintact"), "{out}{}", ran.err());
    assert!(!ran.err().contains("mistake of ours"), "{}", ran.err());
}

/// PL-02: a writer that is stuck makes others wait and then say so; entries go to the spool.
#[test]
fn a_held_lock_is_waited_for() {
    let project = project_with_run();
    let lock = project.state().join("writer.lock");
    let script = format!(
        "exec 9>{lock:?}; flock 9; echo 1 | COUNTERSIGN_LEDGER_BUSY_SECONDS=1 {PROGRAM} ledger \
         append --stream a --kind note && COUNTERSIGN_LEDGER_BUSY_SECONDS=1 {PROGRAM} run 'Do it' \
         --check true --worker 'command:echo > x'"
    );
    if project.sh("command -v flock").code != Some(0) {
        eprintln!("SKIPPED: there is no flock to hold a lock with");
        return;
    }
    let ran = project.sh(&script).expect(1);
    assert!(!ran.err().contains("locked"), "{}", ran.err());
    let ran = ran.says("error: the ledger is not available: other programs kept it busy");
    assert_eq!(ran.out().lines().count(), 1, "one acknowledged entry: {}", ran.out());
    let export = project.run(["ledger", "export"]).expect(0).out();
    let events = export.lines().filter(|line| line.starts_with("{\"type\":\"event\""));
    assert_eq!(events.filter(|line| line.contains("\"note/a\"")).count(), 1);
    project.run(["ledger", "verify"]).expect(0);
    // What was spooled of the run is a run that can be gone on with or ended.
    let runs = project.run(["status", "--format", "json"]).expect(0).data();
    if runs.as_array().unwrap().len() == 2 {
        project.run(["resume"]).expect(0);
    }
}
