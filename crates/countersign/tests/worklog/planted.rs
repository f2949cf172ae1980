//! What somebody could plant where our files lie: pipes, devices, folders, links. Nobody waits for
//! them, and the session goes on.

use std::fs;
use std::path::{Path, PathBuf};

use countersign_testkit::Project;
use serde_json::json;

use crate::agent::{Agent, STANDARD, STRICT, listed, shown};
use crate::{PROGRAM, project};

/// All files below these folders, from the project's own.
fn files(project: &Project) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders = vec![project.state(), project.home()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
            let kind = entry.file_type().unwrap();
            if kind.is_dir() {
                folders.push(entry.path());
            } else {
                found.push(entry.path().strip_prefix(project.outside()).unwrap().to_owned());
            }
        }
    }
    found.sort();
    found
}

/// A session with something of everything: entries in the ledger and in the spool, a seal, a blob.
fn begun() -> Project {
    let project = project();
    let agent = Agent::new(&project, "s0");
    agent.prompt(&format!("{STANDARD} --verbose-log"));
    agent.write("a.txt");
    agent.stop();
    agent.end();
    Agent::new(&project, "s1").prompt(STRICT);
    project.expect_no_survivors();
    Agent::new(&project, "s1").write("b.txt");
    project
}

/// Goes on with the session after `plant`; every call must end, and none may stop the agent.
fn go_on(project: &Project, what: &Path, plant: &str) {
    let path = project.outside().join(what);
    project.sh(&format!("rm -f '{0}'; {plant} '{0}'", path.display())).expect(0);
    let agent = Agent::new(project, "s1");
    agent.write("c.txt");
    agent.bash("cargo test", 0);
    agent.stop();
    agent.end();
    for words in
        [&["worklog", "list"][..], &["worklog", "show"], &["ledger", "verify"], &["doctor"]]
    {
        // Whatever they say of it, they say it.
        let ran = project.run(words);
        assert!(
            matches!(ran.code, Some(0..=5)),
            "{words:?} with {plant} at {}: {}",
            what.display(),
            ran.err()
        );
    }
}

/// WL-16: a pipe in the place of any of our files keeps nobody waiting.
#[test]
fn pipes_keep_nobody_waiting() {
    let first = begun();
    // Names with a number or a hash are other ones every time.
    let names: Vec<PathBuf> = files(&first);
    assert!(names.len() > 10, "{names:?}");
    drop(first);
    for at in 0..names.len() {
        let project = begun();
        let names = files(&project);
        let Some(what) = names.get(at) else { continue };
        go_on(&project, what, "mkfifo");
    }
}

/// WL-16: nor do devices and folders in the place of what matters most.
#[test]
fn devices_and_folders_keep_nobody_waiting() {
    let names = ["ledger.db", "ledger.db-wal", "writer.lock", "spool/entries.jsonl", "ledger.id"];
    for name in names {
        for plant in ["mkdir", "ln -s /dev/zero", "ln -s /nowhere/at/all"] {
            let project = begun();
            let state = project.state().strip_prefix(project.outside()).unwrap().to_owned();
            go_on(&project, &state.join(name), plant);
        }
    }
}

/// WL-01: names of sessions that begin alike are names of several sessions, however long they are.
#[test]
fn long_names_are_several_sessions() {
    let project = project();
    let names = ["1", "2"].map(|end| format!("{}{end}", "a".repeat(5_000)));
    for name in &names {
        let agent = Agent::new(&project, name);
        let payload = agent.payload("UserPromptSubmit", &json!({ "prompt": STANDARD })).to_string();
        project.call(["hook", "claude"]).env("CLAUDE_PID", "1").stdin(payload).run().expect(0);
        agent.write("a.txt");
    }
    assert_eq!(listed(&project).len(), 2);
    assert_eq!(shown(&project)["totals"]["operations"], 1);
}

/// What stands at file descriptors 0 to 2 is nobody's business but the caller's: they may be closed.
#[test]
fn closed_descriptors_break_nothing() {
    let project = project();
    let payload =
        Agent::new(&project, "s1").payload("UserPromptSubmit", &json!({ "prompt": STRICT }));
    fs::write(project.outside().join("payload"), payload.to_string()).unwrap();
    for closed in
        ["<&-", "<../payload >&-", "<../payload 2>&-", "<../payload >&- 2>&-", ">&- 2>&- <&-"]
    {
        project.sh(&format!("{PROGRAM} hook claude {closed}")).expect(0);
    }
    assert_eq!(shown(&project)["task"], STRICT);
}
