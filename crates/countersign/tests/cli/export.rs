//! Exports, and what a third party finds out about one with the public key alone.

use std::fs;
use std::path::PathBuf;

use countersign_testkit::Project;

use crate::{PROGRAM, project_with_run};

/// An export with two runs, and the key that sealed it.
fn exported() -> (Project, PathBuf, String) {
    let project = project_with_run();
    project.goal("echo 2 > two", "test -f two").run().expect(0);
    let file = project.outside().join("export.jsonl");
    let ran = project.run(["ledger", "export", "--out", file.to_str().unwrap()]).expect(0);
    let key = project.run(["ledger", "key"]).expect(0).out().trim().to_owned();
    ran.prints("18 events").prints(&format!("--key {key}"));
    (project, file, key)
}

/// A place that has nothing to do with where the export comes from.
fn third_party() -> Project {
    Project::without_repository(PROGRAM)
}

/// SE-01: a third party checks an export with the public key, on any machine.
#[test]
fn an_export_verifies_elsewhere() {
    let (_project, file, key) = exported();
    let other = third_party();
    let path = file.to_str().unwrap();
    let ran = other.run(["ledger", "verify", "--file", path, "--key", &key]).expect(0);
    let ran = ran.prints("intact").prints("18 events in 2 streams").prints("everything is sealed");
    assert!(!ran.out().contains("note:"), "{}", ran.out());
    // Without a key it can only be said that it fits together.
    let ran = other.run(["ledger", "verify", "--file", path]).expect(0);
    ran.prints("intact").prints("give the key you trust");
    let bytes = fs::read(&file).unwrap();
    let call = other.call(["ledger", "verify", "--file", "-", "--key", &key]);
    call.stdin(bytes).run().expect(0).prints("intact");
}

/// SE-01: everything that can be done to an export is noticed.
#[test]
fn a_changed_export_is_not_intact() {
    let (_project, file, key) = exported();
    let other = third_party();
    let text = fs::read_to_string(&file).unwrap();
    let lines: Vec<&str> = text.lines().collect();
    let events: Vec<usize> = (0..lines.len()).filter(|n| lines[*n].contains("\"event\"")).collect();
    let seals: Vec<usize> =
        (0..lines.len()).filter(|n| lines[*n].starts_with("{\"type\":\"seal\"")).collect();
    let without = |at: usize| {
        let kept = lines.iter().enumerate().filter(|(n, _)| *n != at);
        kept.map(|(_, line)| format!("{line}\n")).collect::<String>()
    };
    let swapped = |a: usize, b: usize| {
        let mut lines = lines.clone();
        lines.swap(a, b);
        lines.join("\n") + "\n"
    };
    let doubled = {
        let mut lines = lines.clone();
        lines.insert(events[3], lines[events[3]]);
        lines.join("\n") + "\n"
    };
    let cases = [
        ("a body edited", text.replacen("exit code", "exit c0de", 1)),
        ("a goal edited", text.replacen("Do it", "Do no", 1)),
        ("an actor edited", text.replacen("\"actor\":\"engine\"", "\"actor\":\"user\"", 1)),
        ("a time edited", text.replacen("\"time\":\"20", "\"time\":\"19", 2)),
        ("the first event removed", without(events[0])),
        ("an event removed", without(events[4])),
        ("the last event removed", without(events[17])),
        ("a seal removed", without(seals[0])),
        ("the last seal removed", without(*seals.last().unwrap())),
        ("the end removed", without(lines.len() - 1)),
        ("events swapped", swapped(events[3], events[4])),
        ("an event twice", doubled),
        ("cut in the middle of a line", text[..text.len() / 2].to_owned()),
        ("cut after a line", lines[..10].join("\n") + "\n"),
        ("something added", text.clone() + lines[events[1]] + "\n"),
    ];
    for (what, changed) in cases {
        if changed == text {
            continue;
        }
        let call = other.call(["ledger", "verify", "--file", "-", "--key", &key]);
        let ran = call.stdin(changed).run();
        assert_eq!(ran.code, Some(1), "{what}: {}{}", ran.out(), ran.err());
        let said = ran.out() + &ran.err();
        assert!(said.contains("NOT INTACT") || said.contains("error: line "), "{what}: {said}");
    }
    let wrong = project_with_run().run(["ledger", "key"]).expect(0).out();
    let path = file.to_str().unwrap();
    let ran = other.run(["ledger", "verify", "--file", path, "--key", wrong.trim()]).expect(1);
    ran.prints("NOT INTACT");
}

/// SE-01: what is no export is told by its line.
#[test]
fn garbage_is_no_export() {
    let other = third_party();
    let cases: [(&[u8], &str); 6] = [
        (b"", "line 1: it does not begin with the header"),
        (b"garbage\n", "line 1: this is no line of an export"),
        (b"{}\n", "line 1: this is no line of an export"),
        (b"\xff\xfe\x00\n", "line 1: this is no line of an export"),
        (b"{\"type\":\"end\",\"events\":0,\"seals\":0}\n", "line 1: it does not begin"),
        (b"[[[[[[[[", "line 1: this is no line of an export"),
    ];
    for (bytes, said) in cases {
        let call = other.call(["ledger", "verify", "--file", "-"]).stdin(bytes);
        call.run().expect(1).says(said);
    }
    other.run(["ledger", "verify", "--file", "nowhere"]).expect(1).says("can't read nowhere");
    other.run(["ledger", "verify", "--file", "."]).expect(1);
    let json = ["--format", "json"];
    let call = other.call(["ledger", "verify", "--file", "-"]).args(json).stdin("x");
    assert_eq!(call.run().expect(1).error()["kind"], "tampered");
}

/// PL-01: an export goes to standard output as it is, or to a file; never mixed with a reply.
#[test]
fn an_export_is_nothing_but_lines() {
    let (project, file, _) = exported();
    let ran = project.run(["ledger", "export"]).expect(0).says("18 events");
    let drop_first = |text: &str| text.lines().skip(1).map(str::to_owned).collect::<Vec<_>>();
    assert_eq!(drop_first(&ran.out()), drop_first(&fs::read_to_string(&file).unwrap()));
    let ran = project.run(["ledger", "export", "--format", "json"]).expect(2);
    assert_eq!(ran.error()["kind"], "usage");
    let ran = project.run(["ledger", "export", "--out", "no/such/file"]).expect(1);
    ran.says("can't write no/such/file");
}
