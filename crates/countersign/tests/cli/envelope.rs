//! What programs get: one JSON object from every verb, and exit codes that mean something.

use std::collections::BTreeSet;

use countersign_testkit::Ran;

use crate::{PROGRAM, project, project_with_run};

/// Expects exactly one object on standard output, of the one shape.
#[track_caller]
fn check_shape(ran: &Ran, args: &[&str]) -> serde_json::Value {
    let reply = ran.json();
    let names: BTreeSet<&str> = reply.as_object().unwrap().keys().map(String::as_str).collect();
    assert_eq!(names, BTreeSet::from(["success", "data", "error"]), "{args:?}");
    assert_eq!(reply["success"], ran.code == Some(0), "{args:?}: {reply}");
    assert_eq!(reply["error"].is_null(), ran.code == Some(0), "{args:?}: {reply}");
    if let Some(error) = reply["error"].as_object() {
        assert!(error["kind"].is_string() && error["message"].is_string(), "{args:?}");
        assert!(error.get("hint").is_none_or(serde_json::Value::is_string), "{args:?}");
        assert!(!error["message"].as_str().unwrap().is_empty(), "{args:?}");
    }
    assert_eq!(ran.out().lines().count(), 1, "{args:?}");
    reply
}

/// PL-06: every verb answers with the same envelope when it succeeds.
#[test]
fn every_verb_replies_in_json() {
    let project = project_with_run();
    let receipt = {
        let log = project.run(["log"]).expect(0).out();
        log.split("receipt ").nth(1).unwrap().lines().next().unwrap().to_owned()
    };
    let (demo, man, export) = ("../demo", "../man", "../export.jsonl");
    let run = ["run", "Do", "--check", "test -f y", "--worker", "command:echo > y"];
    let verbs: &[&[&str]] = &[
        &run,
        &["resume"],
        &["status"],
        &["status", "latest"],
        &["log"],
        &["log", "--diff"],
        &["show", &receipt],
        &["show", &receipt, "--output"],
        &["init"],
        &["doctor"],
        &["config", "show"],
        &["config", "path"],
        &["config", "schema"],
        &["config", "default"],
        &["ledger", "verify"],
        &["ledger", "seal"],
        &["ledger", "rebuild"],
        &["ledger", "retain", "--before", "2001-01-01T00:00:00Z"],
        &["ledger", "key"],
        &["ledger", "export", "--out", export],
        &["ledger", "verify", "--file", export],
        &["demo", "--into", demo],
        &["completions", "bash"],
        &["man"],
        &["man", "--out", man],
    ];
    for args in verbs {
        let ran = project.call(*args).args(["--format", "json"]).run().expect(0);
        let reply = check_shape(&ran, args);
        assert!(reply["error"].is_null() && !reply["data"].is_null(), "{args:?}: {reply}");
    }
    let append = ["ledger", "append", "--stream", "a", "--kind", "b", "--format", "json"];
    check_shape(&project.call(append).stdin("1").run().expect(0), &append);
}

/// PL-06: errors have the same envelope, a kind, and an exit code that goes with it.
#[test]
fn every_error_replies_in_json() {
    let project = project_with_run();
    let cases: &[(&[&str], &str, i32)] = &[
        (&["run", "", "--check", "true", "--worker", "command:true"], "usage", 2),
        (&["run"], "usage", 2),
        (&["run", "x", "--attempts", "many"], "usage", 2),
        (&["frobnicate"], "usage", 2),
        (&["config"], "usage", 2),
        (&["ledger", "append"], "usage", 2),
        (&["resume", "zz"], "not_found", 1),
        (&["cancel", "zz"], "not_found", 1),
        (&["cancel", "latest"], "refused", 1),
        (&["status", "zz"], "not_found", 1),
        (&["log", "zz"], "not_found", 1),
        (&["show", "zz"], "not_found", 1),
        (&["ledger", "verify", "--file", "nowhere"], "not_found", 1),
        (&["ledger", "verify", "--key", "x"], "usage", 2),
        (&["ledger", "retain", "--before", "x"], "usage", 2),
        (&["ledger", "export"], "usage", 2),
        (&["demo", "--into", "."], "refused", 1),
        (&["completions", "cobol"], "usage", 2),
        (&["-C", "nowhere", "status"], "usage", 2),
    ];
    for (args, kind, code) in cases {
        for format in [&["--format", "json"][..], &["--format=json"]] {
            let ran = project.call(format).args(*args).run().expect(*code);
            let reply = check_shape(&ran, args);
            assert_eq!(reply["error"]["kind"], *kind, "{args:?}: {reply}");
            assert!(ran.stderr.is_empty(), "{args:?} also said: {}", ran.err());
        }
    }
    let ran = project.call(["--format", "json", "run", "x"]).run().expect(2);
    let message = ran.error()["message"].as_str().unwrap().to_owned();
    assert!(message.contains("--worker"), "{message}");
    let append = ["ledger", "append", "--stream", "a", "--kind", "b", "--format", "json"];
    check_shape(&project.call(append).stdin("{").run().expect(2), &append);
    project.run(["--format", "yaml", "status"]).expect(2).says("possible values");
}

/// PL-06: the documented exit codes, each by a way to get it.
#[test]
fn exit_codes_are_as_documented() {
    let project = project();
    let done = ["--attempts=1"];
    project.goal("echo > x", "test -f x").args(done).run().expect(0);
    project.run(["log", "zz"]).expect(1);
    project.run(["frobnicate"]).expect(2);
    project.run::<&str>([]).expect(2).says("Usage: countersign");
    project.goal("echo > x", "false").args(done).run().expect(3);
    project.goal("true", "true").env("PATH", "/nowhere").run().expect(5);
    let help = project.run(["--help"]).expect(0).out();
    for line in ["0  done", "1  refused", "2  wrong usage", "3  a run ended", "5  an agent"] {
        assert!(help.contains(line), "{line} is not in {help}");
    }
    project.run(["--version"]).expect(0).prints("countersign 0.");
}

/// PL-06: no colour where no terminal is, and never when it is not wanted.
#[test]
fn colour_is_for_terminals() {
    let project = project();
    let escape = |ran: &Ran| ran.out().contains('\x1b') || ran.err().contains('\x1b');
    let goal = || project.goal("true", "false").arg("--attempts=1");
    assert!(!escape(&goal().run()));
    assert!(!escape(&goal().env("TERM", "xterm-256color").run()));
    assert!(!escape(&project.run(["frobnicate"])));
    assert!(!escape(&project.run(["doctor"])));
    let forced = |call: countersign_testkit::Call| call.env("CLICOLOR_FORCE", "1").run();
    assert!(escape(&forced(goal())), "there is colour to leave out");
    assert!(!escape(&forced(goal().env("NO_COLOR", "1"))));
    assert!(!escape(&forced(goal().args(["--format", "json"]))));
    if project.sh("command -v script").code != Some(0) {
        eprintln!("SKIPPED: there is no script to make a terminal with");
        return;
    }
    let terminal = format!("script -qec '{PROGRAM} doctor' /dev/null");
    let ran = project.sh(&format!("export TERM=xterm; {terminal}"));
    assert!(escape(&ran), "{}", ran.out());
    assert!(!escape(&project.sh(&format!("export TERM=xterm NO_COLOR=1; {terminal}"))));
    assert!(!escape(&project.sh(&format!("export TERM=dumb; {terminal}"))));
}

/// PL-06: a reader that goes away is no error of the program.
#[test]
fn a_closed_pipe_is_no_error() {
    let project = project_with_run();
    for verb in ["log", "config default", "man", "ledger export", "--help"] {
        let script = format!("{{ {PROGRAM} {verb}; echo \"code $?\" >&2; }} | true");
        let ran = project.sh(&script).expect(0);
        assert!(!ran.err().contains("panicked"), "{verb}: {}", ran.err());
    }
}

/// PL-06: a reply that could not be written is not passed off as given.
#[test]
fn a_lost_reply_is_an_error() {
    let project = project_with_run();
    for verb in ["status", "log --diff", "status --format json", "ledger export"] {
        let ran = project.sh(&format!("{PROGRAM} {verb} > /dev/full")).expect(1);
        ran.says("No space left on device");
    }
}
