//! The record itself: appending, sealing, verifying, retention, rebuilding.

use std::collections::BTreeSet;
use std::fs;

use countersign_engine::Engine;
use countersign_testkit::{Project, Running};

use crate::resume::{goal, host};
use crate::{project, project_with_run};

fn append(project: &Project, stream: &str, body: &str) -> countersign_testkit::Ran {
    let args = ["ledger", "append", "--stream", stream, "--kind", "note"];
    project.call(args).stdin(body).run()
}

/// The bodies of all notes in the ledger, in order.
fn notes(project: &Project) -> Vec<String> {
    let export = project.run(["ledger", "export"]).expect(0).out();
    export
        .lines()
        .map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap())
        .filter(|line| line["event"]["stream"].as_str().is_some_and(|s| s.starts_with("note/")))
        .map(|line| line["event"]["body"].as_str().unwrap_or("(gone)").to_owned())
        .collect()
}

/// PL-01: an entry is acknowledged by its id, and the next command takes it in once.
#[test]
fn entries_are_appended() {
    let project = project();
    let first = append(&project, "agent", r#"{"b": 1, "a": "é"}"#).expect(0).out();
    let second = append(&project, "agent", "[1, 2.50, null]").expect(0).out();
    assert_eq!((first.trim().len(), second.trim().len()), (36, 36));
    assert!(first < second, "ids sort by time");
    let actor = ["--actor", "codex:1", "--format", "json"];
    let args = ["ledger", "append", "--stream", "agent", "--kind", "tool.call"];
    let third = project.call(args).args(actor).stdin("true").run().expect(0).data();
    assert_eq!(third["id"].as_str().unwrap().len(), 36);
    let ran = project.run(["ledger", "seal"]).expect(0).prints("seal 1 over 3 events in 1 stream");
    assert!(ran.stderr.is_empty(), "the fast path is nothing to tell of: {}", ran.err());
    assert_eq!(notes(&project), [r#"{"a":"é","b":1}"#, "[1,2.5,null]", "true"]);
    project.run(["ledger", "verify"]).expect(0).prints("3 events in 1 stream");
}

/// PL-01: many lines at once, each acknowledged.
#[test]
fn lines_are_appended() {
    let project = project();
    let lines: String = (0..500).map(|n| format!("{{\"n\":{n}}}\n\n")).collect();
    let args = ["ledger", "append", "--stream", "many", "--kind", "note", "--lines"];
    let ids = project.call(args).stdin(lines).run().expect(0).out();
    assert_eq!(ids.lines().collect::<BTreeSet<_>>().len(), 500);
    let found = notes(&project);
    assert_eq!(found.len(), 500);
    assert_eq!(found[499], "{\"n\":499}");
    // What came before a bad line is kept, and the line is named by what is wrong with it.
    let ran = project.call(args).stdin("1\n{\n2\n").run().expect(2);
    assert_eq!(ran.out().lines().count(), 1);
    ran.says("the entry is not JSON");
    assert_eq!(notes(&project).len(), 501);
    let json = project.call(args).args(["--format", "json"]).stdin("1\n2\n").run().expect(0).data();
    assert_eq!(json["ids"].as_array().unwrap().len(), 2);
}

/// PL-01: what is no entry is refused, and nothing of it is kept.
#[test]
fn bad_entries_are_refused() {
    let project = project();
    let long = "s".repeat(300);
    let huge = format!("\"{}\"", "x".repeat(8 * 1024 * 1024));
    let deep = "[".repeat(100_000);
    let cases = [
        ("a", "note", "", "the entry is not JSON"),
        ("a", "note", "{", "the entry is not JSON"),
        ("a", "note", "1 2", "the entry is not JSON"),
        ("a", "note", &deep, "the entry is not JSON"),
        ("a", "note", &huge, "at most 8388608 fit"),
        ("a", "", "1", "'' is not a kind"),
        ("a", "a b", "1", "'a b' is not a kind"),
        ("a", "run.ruled\n", "1", "is not a kind"),
        ("", "note", "1", "the stream"),
        ("a b", "note", "1", "the stream"),
        ("../run/x", "note", "1", "the stream"),
        (&long, "note", "1", "the stream"),
    ];
    for (stream, kind, body, said) in cases {
        let args = ["ledger", "append", "--stream", stream, "--kind", kind];
        let ran = project.call(args).stdin(body).run();
        assert_eq!(ran.code, Some(2), "{stream:?} {kind:?}: {}", ran.err());
        let ran = ran.says(said);
        assert!(ran.out().is_empty(), "{}", ran.out());
    }
    project.run(["ledger", "append"]).expect(2).says("--stream");
    assert!(notes(&project).is_empty());
    // An entry from outside can't speak for the program.
    append(&project, "run", "1").expect(0);
    let export = project.run(["ledger", "export"]).expect(0).out();
    assert!(export.contains("\"note/run\"") && export.contains("\"note.note\""), "{export}");
}

/// PL-01: many processes append at once; every acknowledged entry is there, once.
#[test]
fn many_append_at_once() {
    let project = project();
    let writers: Vec<Running> = (0..24)
        .map(|n| {
            let args = ["ledger", "append", "--stream", "all", "--kind", "note"];
            let call = project.call(args).stdin(n.to_string());
            // Half of them go through the database.
            if n % 2 == 0 { call } else { call.arg("--lines") }.start()
        })
        .collect();
    for writer in writers {
        writer.wait().expect(0);
    }
    let found: BTreeSet<String> = notes(&project).into_iter().collect();
    assert_eq!(found, (0..24).map(|n| n.to_string()).collect());
    project.run(["ledger", "verify"]).expect(0);
}

/// SE-01: sealing twice makes one seal, and everything up to it is vouched for.
#[test]
fn sealing_covers_everything() {
    let project = project_with_run();
    append(&project, "a", "1").expect(0);
    let verify = project.run(["ledger", "verify"]).expect(0);
    verify.prints("with nothing to vouch for it yet: 1 event");
    project.run(["ledger", "seal"]).expect(0).prints("seal 7 over 10 events in 2 streams");
    project.run(["ledger", "seal"]).expect(0).prints("nothing new to seal");
    project.run(["ledger", "verify"]).expect(0).prints("everything is sealed");
    let refs = project.git(["for-each-ref", "refs/countersign/seals/"]);
    assert_eq!(refs.lines().count(), 1);
    assert!(!project.git(["log", "--all", "--format=%s", "--branches"]).is_empty());
}

/// SE-01: a blob that was changed or removed is named, with exit code 1 and kind and place in JSON.
#[test]
fn changed_blobs_are_named() {
    let project = project_with_run();
    let blobs: Vec<_> = files_below(&project.state().join("blobs"));
    assert_eq!(
        blobs.len(),
        3,
        "a prompt, a fingerprint, and what worker and check printed: {blobs:?}"
    );
    let (kept, bytes) = (&blobs[0], fs::read(&blobs[0]).unwrap());
    fs::write(kept, b"something else").unwrap();
    let ran = project.run(["ledger", "verify"]).expect(1).prints("NOT INTACT: 1 finding");
    ran.prints("blob_changed");
    fs::remove_file(kept).unwrap();
    let ran = project.run(["ledger", "verify", "--format", "json"]).expect(1);
    assert_eq!(ran.error()["kind"], "tampered");
    let data = ran.data();
    assert_eq!(data["intact"], false);
    assert_eq!(data["findings"][0]["kind"], "blob_removed");
    fs::write(kept, bytes).unwrap();
    project.run(["ledger", "verify"]).expect(0);
}

/// SE-01: an anchor that was removed or moved is named.
#[test]
fn changed_anchors_are_named() {
    let project = project_with_run();
    let name = project.git(["for-each-ref", "--format=%(refname)", "refs/countersign/seals/"]);
    let name = name.trim();
    let tip = project.git(["rev-parse", name]);
    project.git(["update-ref", "-d", name]);
    project.run(["ledger", "verify"]).expect(1).prints("NOT INTACT");
    project.git(["update-ref", name, tip.trim()]);
    project.run(["ledger", "verify"]).expect(0);
    // An anchor that is behind may also be one whose writing was cut off; the next seal mends it.
    project.git(["update-ref", name, &format!("{}~1", tip.trim())]);
    project.run(["ledger", "verify"]).expect(0).prints("note: seal 6 is not anchored in");
    project.run(["ledger", "seal"]).expect(0);
    assert_eq!(project.git(["rev-parse", name]), tip);
    // A second repository's whole ledger in place of this one.
    let other = project_with_run();
    fs::rename(project.state(), project.outside().join("aside")).unwrap();
    fs::rename(other.state(), project.state()).unwrap();
    project.run(["ledger", "verify"]).expect(1).prints("NOT INTACT").prints("ledger_replaced");
}

/// SE-01: a key that is not the one who sealed vouches for nothing.
#[test]
fn another_key_is_told_apart() {
    let project = project_with_run();
    let other = project_with_run().run(["ledger", "key"]).expect(0).out();
    project.run(["ledger", "verify", "--key", other.trim()]).expect(1).prints("NOT INTACT");
    let own = project.run(["ledger", "key"]).expect(0).out();
    project.run(["ledger", "verify", "--key", own.trim()]).expect(0).prints("intact");
    project.run(["ledger", "verify", "--key", "abc"]).expect(2).says("--key");
}

/// SE-01: retention removes bodies, keeps hashes, and is shown as what it is.
#[test]
fn retention_is_no_tampering() {
    let project = project_with_run();
    append(&project, "old", "\"a secret to forget\"").expect(0);
    let now = "2100-01-01T00:00:00Z";
    let ran = project.run(["ledger", "retain", "--before", now]).expect(2);
    ran.says("is in the future");
    project.run(["ledger", "retain", "--before", "yesterday"]).expect(2).says("is not a time");
    let args = ["ledger", "retain", "--before", "2001-01-01T00:00:00Z"];
    project.run(args).expect(0).prints("removed: the bodies of 0 events, and 0 blobs");
    let past = project.sh("date -u -d '+0 seconds' +%Y-%m-%dT%H:%M:%S.%NZ").expect(0).out();
    append(&project, "new", "\"to be kept\"").expect(0);
    let args = ["ledger", "retain", "--before", past.trim(), "--stream", "note/"];
    let ran = project.run(args).expect(0);
    ran.prints("removed: the bodies of 1 event, and 0 blobs");
    assert_eq!(notes(&project), ["(gone)", "\"to be kept\""]);
    let ran = project.run(["ledger", "verify"]).expect(0);
    ran.prints("intact").prints("removed by retention: the bodies of 1 event");
    let args = ["ledger", "retain", "--before", past.trim(), "--reason", "asked to"];
    project.run(args).expect(0).prints("removed: the bodies of 9 events, and 3 blobs");
    project
        .run(["ledger", "verify"])
        .expect(0)
        .prints("removed by retention: the bodies of 10 events");
    let found = project.sh("grep -rl 'a secret to forget' .git/countersign");
    assert!(found.out().is_empty(), "still in {}", found.out());
    project.run(["status"]).expect(0);
    project.goal("echo > y", "test -f y").run().expect(0);
    project.run(["ledger", "verify"]).expect(0);
}

/// SE-01: retention spares what happened at the given moment and after it.
#[test]
fn retention_is_exact() {
    let project = project();
    let second = project.sh("date -u +%Y-%m-%dT%H:%M:%SZ").expect(0).out();
    append(&project, "a", "1").expect(0);
    project.run(["ledger", "seal"]).expect(0);
    let args = ["ledger", "retain", "--before", second.trim()];
    project.run(args).expect(0).prints("the bodies of 0 events");
}

/// PL-01: views are remade from the events.
#[test]
fn views_are_rebuilt() {
    let project = project_with_run();
    let before = project.run(["status", "--format", "json"]).expect(0).data();
    project.run(["ledger", "rebuild"]).expect(0).prints("2 rows remade from the events");
    assert_eq!(project.run(["status", "--format", "json"]).expect(0).data(), before);
    let database = project.state().join("ledger.db");
    let script =
        format!("command -v sqlite3 >/dev/null && sqlite3 {database:?} 'DELETE FROM views'");
    if project.sh(&script).code != Some(0) {
        eprintln!("SKIPPED: there is no sqlite3 to delete views with");
        return;
    }
    project.run(["status"]).expect(0).prints("no run yet");
    project.run(["ledger", "verify"]).expect(1).prints("view_wrong: the view of run");
    project.run(["ledger", "rebuild"]).expect(0).prints("2 rows");
    project.run(["ledger", "verify"]).expect(0).prints("intact");
    assert_eq!(project.run(["status", "--format", "json"]).expect(0).data(), before);
}

/// SE-01: what lists and seals are made from is checked too, and is named when it lies.
#[test]
fn changed_views_are_named() {
    let changes = [
        ("UPDATE views SET body = replace(body, 'accepted', 'refused')", "the view of run"),
        ("DELETE FROM views WHERE kind = 'receipt'", "the view of receipt"),
        ("INSERT INTO views VALUES ('run', '20200101_000000_001', '{}')", "the view of run"),
        ("UPDATE streams SET sequence = sequence - 1", "the head of run/"),
        ("UPDATE streams SET hash = zeroblob(32)", "the head of run/"),
        ("DELETE FROM streams", "the head of run/"),
    ];
    for (change, said) in changes {
        let project = project_with_run();
        let database = project.state().join("ledger.db");
        let script = format!("command -v sqlite3 >/dev/null && sqlite3 {database:?} \"{change}\"");
        if project.sh(&script).code != Some(0) {
            eprintln!("SKIPPED: there is no sqlite3 to change views with");
            return;
        }
        let ran = project.run(["ledger", "verify"]).expect(1);
        ran.prints("view_wrong").prints(said);
        project.run(["ledger", "rebuild"]).expect(0);
        project.run(["ledger", "verify"]).expect(0).prints("intact");
    }
}

fn files_below(folder: &std::path::Path) -> Vec<std::path::PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() { found.extend(files_below(&path)) } else { found.push(path) }
    }
    found.sort();
    found
}

/// SE-01: retention never takes the journal of a run that has not ended.
#[test]
fn open_runs_are_spared() {
    let project = project();
    let stopped = std::panic::catch_unwind(|| {
        let mut engine = Engine::open(host(&project)).unwrap();
        let run = engine.open_run(&goal("echo > x", &["test -f x"]), &mut |_| {}).unwrap();
        let _ = engine.drive(run, &mut |progress| assert!(progress.sequence < 4, "on purpose"));
    });
    assert!(stopped.is_err());
    let now = project.sh("date -u +%Y-%m-%dT%H:%M:%S.%NZ").expect(0).out();
    let args = ["ledger", "retain", "--before", now.trim()];
    project.run(args).expect(0).prints("the bodies of 0 events");
    project.run(["resume"]).expect(0).prints("accepted");
}

/// SE-01: numbers that canonical JSON can't carry are refused, not altered.
#[test]
fn notes_are_kept_exactly_or_not_at_all() {
    let project = project();
    for inexact in ["9007199254740993", "{\"a\": [-9007199254740992]}", "18446744073709551615"] {
        append(&project, "n", inexact).expect(2).says("too large to be kept exactly");
    }
    for exact in ["9007199254740991", "-9007199254740991", "1.5", "\"9007199254740993\""] {
        append(&project, "n", exact).expect(0);
    }
    assert_eq!(notes(&project)[0], "9007199254740991");
}

/// SE-01: a ledger that vanishes with all its anchors is missed.
#[test]
fn a_vanished_ledger_is_missed() {
    let project = project_with_run();
    fs::remove_dir_all(project.state()).unwrap();
    let refs = project.git(["for-each-ref", "--format=%(refname)", "refs/countersign/"]);
    for name in refs.lines() {
        project.git(["update-ref", "-d", name]);
    }
    project.run(["ledger", "verify"]).expect(0).prints("was kept at this place before and is gone");
}
