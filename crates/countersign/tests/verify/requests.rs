//! What can be asked for, and what is wrong with a request.

use countersign_testkit::Project;

use crate::{CHECK, PROGRAM, data, greeter, reasons, verify};

/// Bad input gets a clear answer.
#[test]
fn wrong_requests() {
    let outside = Project::without_repository(PROGRAM);
    outside.run(["verify", "--task", "x"]).expect(1).says("no git repository");
    let empty = Project::without_commits(PROGRAM);
    empty.run(["verify", "--task", "x"]).expect(1).says("no commit yet");
    let project = greeter();
    project.run(["verify", "--task", " "]).expect(2).says("the task is empty");
    verify(&project, &["--check", " "]).expect(2).says("a check is empty");
    verify(&project, &["--base", "no-such"]).expect(1).says("no-such");
    verify(&project, &["--example", "no arrow"]).expect(2).says("CMD => OUTPUT");
    verify(&project, &["--timeout", "0"]).expect(2).says("--timeout");
}

/// G61: an agent that did nothing is refused; advice leaves nothing, and is a person's to read.
#[test]
fn nothing_was_handed_over() {
    let project = greeter();
    let ran = project.run(["verify", "--task", "greet.sh must greet by name"]).expect(3);
    ran.says("nothing was changed since the last commit: what was asked for is not there")
        .says("--base HEAD~1");
    let advice = "Explain how greet.sh finds the name";
    let ran = project.run(["verify", "--task", advice]).expect(4);
    ran.prints("only a person can read it").prints("--base HEAD~1");
}

/// D1.8: where nothing was committed yet, the work began with nothing.
#[test]
fn work_without_any_commit_began_with_nothing() {
    let project = Project::without_commits(PROGRAM);
    project.write("greet.sh", "echo \"Hello, $1\"\n");
    let check = ["--check", "sh greet.sh Ada | grep -qx 'Hello, Ada'", "--tier", "LIGHT"];
    let (code, found) = data(&project, &[&check[..], &["--risk", "LOW"]].concat());
    assert_eq!(found["changed"], serde_json::json!(["greet.sh"]), "{found:#}");
    assert_eq!(code, Some(0), "{found:#}");
    let ran = verify(&project, &["--check", "sh greet.sh Ada | grep -qx Ada"]).expect(3);
    ran.prints("no commit yet, so every file in it counts as the work");
    assert!(!project.path(".git/refs/heads/main").exists(), "no branch is made");
}

/// D1.8: a clone without history says what would bring it.
#[test]
fn a_shallow_clone_says_what_is_missing() {
    let origin = greeter();
    origin.write("NOTES.md", "x\n");
    origin.commit("Notes");
    let project = Project::without_repository(PROGRAM);
    let from = format!("git clone --quiet --depth 1 file://{} .", origin.root().display());
    project.sh(&from).expect(0);
    for words in [&["--base", "HEAD~1"][..], &[]] {
        let ran = project.run([&["verify", "--task", "Add notes"], words].concat()).expect(1);
        ran.says("this clone is shallow").says("fetch-depth: 0");
    }
}

/// VC-08: texts that nothing checks are accepted, and that nothing was run is said.
#[test]
fn texts_that_nothing_checks() {
    let project = greeter();
    project.write("README.md", "A greeter\n");
    let ran = project.run(["verify", "--task", "Fix a typo in the README"]).expect(0);
    ran.prints("nothing was run: no code was changed").prints("countersign review list");
}

/// D1.8: recorded trees are compared, whatever was committed meanwhile.
#[test]
fn committed_work_is_compared_with_its_trunk() {
    let project = greeter();
    project.git(["checkout", "--quiet", "-b", "work"]);
    project.write("greet.sh", "echo \"Hello, $1\"\n");
    project.commit("Half");
    project.write("NOTES.md", "x\n");
    project.commit("Rest");
    let (code, found) = data(&project, &["--check", CHECK]);
    assert_eq!((code, found["changed"].as_array().unwrap().len()), (Some(0), 2), "{found:#}");
    let (code, found) = data(&project, &["--check", CHECK, "--base", "HEAD~1"]);
    assert_eq!(found["changed"].as_array().unwrap().len(), 1);
    // Only a document since then: nothing about the code can be shown by it.
    assert_ne!(code, Some(3), "{found:#}");
}

/// D2.1: words don't lower a check when code was changed; D2.5: advice is never verified.
#[test]
fn words_and_what_was_done() {
    let project = greeter();
    project.write("greet.sh", "echo \"Hello, $1\"\n");
    let advice = ["verify", "--task", "Review the greeter and suggest improvements"];
    let (code, out) = {
        let ran = project.run([&advice[..], &["--check", CHECK]].concat());
        (ran.code, ran.out())
    };
    assert!(code == Some(0) || code == Some(4), "{out}");
    assert!(out.contains("sh tests/greets.sh"), "{out}");
    project.git(["checkout", "--quiet", "."]);
    project.write("docs/REVIEW.md", "It should greet by name.\n");
    project.run(advice).expect(4).prints("advisory");
}

/// A project in which nothing says how it is checked.
#[test]
fn nothing_to_run_is_no_pass() {
    let project = Project::new(PROGRAM);
    project.write("main.xyz", "1\n");
    project.commit("Start");
    project.write("main.xyz", "2\n");
    verify(&project, &[]).expect(4).prints("nothing was run");
}

/// Where a report can't be written, that is said before anything runs.
#[test]
fn reports_that_cant_be_written_are_told_first() {
    let project = greeter();
    project.write("greet.sh", "echo \"Hello, $1\"\n");
    let folder = project.outside().display().to_string();
    let nowhere = project.outside().join("no/such").display().to_string();
    for (option, name, why) in [
        ("--summary", &nowhere, "there is no folder"),
        ("--summary", &folder, "it is a folder"),
        ("--sarif", &folder, "it is a folder"),
        ("--sarif", &nowhere, "there is no folder"),
        ("--sarif", &String::new(), "empty"),
        ("--summary", &String::new(), "empty"),
    ] {
        let ran = verify(&project, &["--check", CHECK, option, name]).expect(2);
        let ran = ran.says(option).says(why);
        assert_eq!(ran.out(), "", "{option} {name}: there is no verdict");
    }
    let report = project.outside().join("report.md").display().to_string();
    verify(&project, &["--check", CHECK, "--summary", &report]).expect(0);
    assert!(std::path::Path::new(&report).is_file());
}

/// VC-08: of a task that never ends, the beginning is read for what it states, and that is said.
#[test]
fn the_end_of_a_long_task_is_not_read() {
    let project = greeter();
    project.write("greet.sh", "echo \"Hello, $1\"\n");
    let note = "of the task only the first";
    let task = format!("greet.sh must greet by name.{}Thanks.", "\n".repeat(30_000));
    let ran = project.run(["verify", "--task", &task, "--check", CHECK, "--format", "json"]);
    let found = ran.expect(0).data();
    assert!(reasons(&found).contains(note), "{}", reasons(&found));
    assert_eq!(found["terms"]["task"].as_str().map(str::len), Some(task.len()), "stored whole");
    let (_, short) = data(&project, &["--check", CHECK]);
    assert!(!reasons(&short).contains(note), "{}", reasons(&short));
}
