//! The worklog at a memory backend: sent in batches, aside, and told once when it is away.

use std::fs;

use countersign_testkit::{Project, wait_until};
use serde_json::Value;

use crate::agent::{Agent, STANDARD, STRICT, shown};
use crate::project;

const HELLO: &str = r#"{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-06-18","capabilities":{},"serverInfo":{"name":"s","version":"1"}}}"#;
const DONE: &str = r#"{"jsonrpc":"2.0","id":2,"result":{"content":[{"type":"text","text":"written"}],"isError":false}}"#;

/// A project whose backend is a shell script outside of it. It notes every call in `heard`.
fn with_backend(server: &str) -> Project {
    let project = project();
    let script = project.outside().join("server.sh");
    let cd = format!("cd '{}'", project.outside().display());
    fs::write(&script, format!("#!/bin/sh\n{cd}\n{server}\n")).unwrap();
    let command = format!("[\"sh\", {:?}]", script.to_str().unwrap());
    fs::create_dir_all(project.home()).unwrap();
    let settings = format!(
        "[memory]\nbackend = \"serena\"\nserena_command = {command}\ntimeout_seconds = 5\n"
    );
    fs::write(project.home().join("config.toml"), settings).unwrap();
    project
}

fn working() -> Project {
    with_backend(&format!(
        "read -r a; echo '{HELLO}'; read -r b; read -r c; printf '%s\\n' \"$c\" >>heard; echo '{DONE}'; cat >/dev/null"
    ))
}

/// What the backend was sent.
fn heard(project: &Project) -> Vec<Value> {
    let text = fs::read_to_string(project.outside().join("heard")).unwrap_or_default();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// WL-05: entries are durable at once, and the backend gets them in batches: at ten, at a failure,
/// at the end of a turn. That is at least 80 % less than one by one.
#[test]
fn the_backend_gets_batches() {
    let project = working();
    let agent = Agent::new(&project, "s1");
    agent.prompt(&format!("{STANDARD} --no-checkpoints"));
    for n in 0..25 {
        agent.write(&format!("f{n}.txt"));
    }
    agent.stop();
    let sent = wait_until("the last batch", || {
        let heard = heard(&project);
        let text = heard.last()?["params"]["arguments"]["content"].as_str()?.to_owned();
        text.contains("f24.txt").then_some(heard)
    });
    assert!(sent.len() <= 5, "{} calls for 25 entries", sent.len());
    let name = sent[0]["params"]["arguments"]["memory_name"].as_str().unwrap();
    let id = shown(&project)["session"].as_str().unwrap().to_owned();
    assert_eq!(name, format!("_worklog/{id}"));
    project.expect_no_survivors();
}

/// WL-05: a failure is sent at once, the failing entry included.
#[test]
fn a_failure_is_sent_at_once() {
    let project = working();
    let agent = Agent::new(&project, "s1");
    agent.prompt(&format!("{STANDARD} --no-checkpoints"));
    agent.write("a.txt");
    agent.bash("cargo test", 101);
    wait_until("the failure at the backend", || {
        let text = heard(&project).last()?["params"]["arguments"]["content"].as_str()?.to_owned();
        (text.contains("a.txt") && text.contains("exit 101")).then_some(())
    });
}

/// WL-16: when the backend is away the work goes on, the worklog is kept here, and the person is
/// told once, as the tier asks for; `--retry-memory` tries again.
#[test]
fn a_backend_that_is_away_is_told_once() {
    let project = with_backend("exit 3");
    let agent = Agent::new(&project, "s1");
    agent.prompt(STRICT);
    agent.bash("cargo test", 1);
    let is_away = || {
        let export = project.run(["ledger", "export"]).expect(0).out();
        export.contains("memory.unavailable").then_some(())
    };
    wait_until("the failed attempt on the record", is_away);
    let told = agent.write("a.txt").out();
    let answer: Value = serde_json::from_str(&told).unwrap();
    let message = answer["systemMessage"].as_str().unwrap();
    assert!(message.contains("compliance is compromised"), "{message}");
    assert!(answer.get("hookSpecificOutput").is_none(), "the model is told nothing: {answer}");
    assert_eq!(agent.write("b.txt").out(), "", "once is enough");
    let account = shown(&project);
    assert_eq!(account["totals"]["entries"], 3, "everything is here: {account}");
    // Light sessions hear nothing of it.
    let light = Agent::new(&project, "s2");
    light.prompt("--tier LIGHT fix a typo");
    light.todos(&[("a", "pending")], &[("a", "pending")]);
    assert_eq!(light.todos(&[("a", "completed")], &[("a", "completed")]).out(), "");
}
