//! Memories on the command line: written, read, listed and deleted, with everything that they
//! were still on the record.

use std::thread;

use countersign_testkit::Project;
use serde_json::{Value, json};

use crate::{PROGRAM, project};

fn names(project: &Project, prefix: &str) -> Vec<String> {
    let data = project.run(["memory", "list", prefix, "--format", "json"]).expect(0).data();
    let all = data["memories"].as_array().unwrap();
    all.iter().map(|memory| memory["name"].as_str().unwrap().to_owned()).collect()
}

fn read(project: &Project, name: &str) -> Value {
    project.run(["memory", "read", name, "--format", "json"]).expect(0).data()
}

/// What the ledger holds of the memory `name`: the kinds of its events, and their bodies.
fn record(project: &Project, name: &str) -> Vec<(String, String)> {
    let export = project.run(["ledger", "export"]).expect(0).out();
    let lines = export.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    lines
        .filter(|line| line["event"]["stream"] == format!("memory/{name}"))
        .map(|line| {
            let text = |key: &str| line["event"][key].as_str().unwrap_or_default().to_owned();
            (text("kind"), text("body"))
        })
        .collect()
}

/// WL-13: what is written can be read and listed, by people and programs, until it is deleted;
/// what it was stays on the record.
#[test]
fn a_memory_from_its_writing_to_its_end() {
    let project = project();
    project.run(["memory", "list"]).expect(0).prints("nothing is remembered here");
    project.run(["memory", "write", "design/api", "Use REST."]).expect(0).prints("written: design");
    project.run(["memory", "write", "design/api", "Use REST.\nNot SOAP."]).expect(0);
    project.run(["memory", "write", "todo", ""]).expect(0);
    assert_eq!(
        project.run(["memory", "read", "design/api"]).expect(0).out(),
        "Use REST.\nNot SOAP.\n"
    );
    let memory = read(&project, "design/api");
    assert_eq!((&memory["text"], &memory["bytes"]), (&json!("Use REST.\nNot SOAP."), &json!(19)));
    assert_eq!((&memory["actor"], &memory["is_derived"]), (&json!("user"), &json!(false)));
    assert_eq!(read(&project, "todo")["text"], "");
    assert_eq!(names(&project, ""), ["design/api", "todo"]);
    assert_eq!(names(&project, "des"), ["design/api"]);
    assert_eq!(names(&project, "x"), [""; 0]);
    project.run(["memory", "list"]).expect(0).prints("design/api  19 bytes");

    project.run(["memory", "delete", "design/api"]).expect(0).prints("deleted: design/api");
    project.run(["memory", "read", "design/api"]).expect(1).says("there is no memory 'design/api'");
    project.run(["memory", "delete", "design/api"]).expect(1).says("there is no memory");
    assert_eq!(names(&project, ""), ["todo"]);
    let record = record(&project, "design/api");
    let kinds: Vec<&str> = record.iter().map(|(kind, _)| kind.as_str()).collect();
    assert_eq!(kinds, ["memory.written", "memory.written", "memory.deleted"]);
    assert_eq!(record[0].1, r#"{"text":"Use REST."}"#);
    // It may come again.
    project.run(["memory", "write", "design/api", "GraphQL"]).expect(0);
    assert_eq!(read(&project, "design/api")["text"], "GraphQL");
}

/// WL-13: a text can come from standard input, whatever it holds, as long as it is text.
#[test]
fn texts_come_from_standard_input() {
    let project = project();
    let text = "ünï\u{0}\u{1b}[31m\u{202e}\"quoted\"\r\n";
    project.call(["memory", "write", "a", "-"]).stdin(text).run().expect(0);
    project.call(["memory", "write", "b"]).stdin(text).run().expect(0);
    assert_eq!(read(&project, "a")["text"], text);
    assert_eq!(read(&project, "b")["text"], text);
    let shown = project.run(["memory", "read", "a"]).expect(0).out();
    assert!(!shown.contains('\u{1b}') && !shown.contains('\u{202e}'), "{shown:?}");
    let wrong = project.call(["memory", "write", "c"]).stdin(b"ab\xff".to_vec()).run().expect(2);
    wrong.says("byte 2 of the text is not UTF-8");
}

/// WL-13: a memory holds 1 MiB, and one byte more is refused and changes nothing.
#[test]
fn texts_have_a_limit() {
    let project = project();
    let most = "x".repeat(1024 * 1024);
    project.call(["memory", "write", "a"]).stdin(most.clone()).run().expect(0);
    let over = project.call(["memory", "write", "a"]).stdin(most.clone() + "y").run().expect(2);
    over.says("the text has 1048577 bytes; at most 1048576 fit").says("hint: keep large data");
    assert_eq!(read(&project, "a")["text"], most);
    project.call(["memory", "write", "a"]).stdin(vec![b'x'; 20 << 20]).run().expect(2);
}

/// WL-13: names are plain, and ours are not to be written or deleted.
#[test]
fn wrong_names_are_refused() {
    let project = project();
    let long = "n".repeat(200);
    for name in ["", "../x", "a/../b", "/a", "a/", "a b", "ä", &long] {
        let ran = project.run(["memory", "write", name, "x"]).expect(2);
        ran.says("is not the name of a memory").says("hint: use a name such as design/api");
        project.run(["memory", "read", name]).expect(2);
    }
    for name in ["_worklog/20261116_101500_001", "_progress/x", "_backend", "_"] {
        for words in [&["memory", "write", name, "x"][..], &["memory", "delete", name]] {
            let ran = project.run(words).expect(1).says("worked out from the ledger");
            ran.says("goes only by retention");
        }
        project.run(["memory", "read", name]).expect(1).says("there is no memory");
    }
    let error = project.run(["memory", "write", "_x", "x", "--format", "json"]).expect(1).error();
    assert_eq!(error["kind"], "refused");
    assert_eq!(names(&project, ""), [""; 0]);
}

/// WL-13: the list follows from the events: it can be remade, and a changed one is noticed.
#[test]
fn the_list_follows_from_the_events() {
    let project = project();
    for words in [
        &["write", "a", "1"][..],
        &["write", "b", "1"],
        &["write", "a", "2"],
        &["delete", "b"],
        &["write", "c", "1"],
        &["delete", "c"],
        &["write", "c", "2"],
    ] {
        project.run(["memory"].iter().chain(words)).expect(0);
    }
    let before = project.run(["memory", "list"]).expect(0).out();
    project.run(["ledger", "verify"]).expect(0);
    project.run(["ledger", "rebuild"]).expect(0);
    assert_eq!(project.run(["memory", "list"]).expect(0).out(), before);
    assert_eq!(names(&project, ""), ["a", "c"]);
    let database = project.state().join("ledger.db");
    let script = format!("sqlite3 {database:?} \"DELETE FROM views WHERE key = 'a'\"");
    if project.sh(&script).code != Some(0) {
        eprintln!("SKIPPED: there is no sqlite3 to change a view with");
        return;
    }
    project.run(["ledger", "verify"]).expect(1).prints("the view of memory a is not what");
    project.run(["ledger", "rebuild"]).expect(0);
    project.run(["ledger", "verify"]).expect(0);
    assert_eq!(read(&project, "a")["text"], "2");
}

/// WL-13: many writers of one name: each text is on the record, and the newest is read.
#[test]
fn many_write_one_memory() {
    let project = project();
    thread::scope(|scope| {
        for writer in 0..6 {
            let project = &project;
            scope.spawn(move || {
                for n in 0..4 {
                    let text = format!("{writer}-{n}");
                    project.run(["memory", "write", "shared", &text]).expect(0);
                }
            });
        }
    });
    let record = record(&project, "shared");
    assert_eq!(record.len(), 24);
    let (_, newest) = record.last().unwrap();
    let text = read(&project, "shared")["text"].as_str().unwrap().to_owned();
    assert_eq!(*newest, json!({ "text": text }).to_string());
    project.run(["ledger", "verify"]).expect(0);
}

/// WL-13, WL-15: retention takes a text away and leaves its hash; the memory is gone then.
#[test]
fn retention_takes_memories_away() {
    let project = project();
    project.run(["memory", "write", "old/a", "secret"]).expect(0);
    let past = project.sh("date -u +%Y-%m-%dT%H:%M:%S.%NZ").expect(0).out();
    let args = ["ledger", "retain", "--before", past.trim(), "--stream", "memory/"];
    project.run(args).expect(0).prints("removed: the bodies of 1 event");
    assert_eq!(names(&project, ""), [""; 0]);
    project.run(["memory", "read", "old/a"]).expect(1).says("there is no memory");
    let export = project.run(["ledger", "export"]).expect(0).out();
    assert!(export.contains("memory/old/a") && !export.contains("secret"));
    project.run(["ledger", "verify"]).expect(0);
}

/// WL-16: a ledger that is busy stops nobody: the text waits in the spool, and is there
/// afterwards.
#[test]
fn a_busy_ledger_loses_no_memory() {
    let project = project();
    project.run(["memory", "write", "a", "1"]).expect(0);
    if project.sh("command -v flock").code != Some(0) {
        eprintln!("SKIPPED: there is no flock to hold a lock with");
        return;
    }
    let lock = project.state().join("writer.lock");
    let script = format!(
        "exec 9>{lock:?}; flock 9; COUNTERSIGN_LEDGER_BUSY_SECONDS=1 {PROGRAM} memory write a 2"
    );
    project.sh(&script).expect(0).prints("written: a, in the spool");
    assert_eq!(read(&project, "a")["text"], "2");
    project.run(["ledger", "verify"]).expect(0);
}

/// WL-13: outside of a repository there is nothing to remember.
#[test]
fn memories_belong_to_a_repository() {
    let project = Project::without_repository(PROGRAM);
    project.run(["memory", "list"]).expect(1).says("no git repository");
    project.run(["memory", "write", "a", "x"]).expect(1).says("no git repository");
}
