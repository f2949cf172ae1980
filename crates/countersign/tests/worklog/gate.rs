//! The gate at the end: told why, once, and never for ever.

use serde_json::Value;

use crate::agent::{Agent, STANDARD, STRICT, shown};
use crate::project;

fn reason(out: &str) -> Option<String> {
    let answer: Value = serde_json::from_str(out).ok()?;
    assert_eq!(answer["decision"], "block", "{answer}");
    Some(answer["reason"].as_str().unwrap().to_owned())
}

const OPEN: &[(&str, &str)] = &[("write it", "completed"), ("test it", "pending")];
const DONE: &[(&str, &str)] = &[("write it", "completed"), ("test it", "completed")];

/// An agent that stops with open todos and failing tests is told both, once.
#[test]
fn an_agent_is_told_once_why_it_is_not_done() {
    let project = project();
    let agent = Agent::new(&project, "s1");
    agent.prompt(STRICT);
    agent.todos(OPEN, OPEN);
    agent.bash("cargo test", 101);
    let words = reason(&agent.stop().out()).unwrap();
    assert!(words.contains("the last test run failed"), "{words}");
    assert!(words.contains("1 todo is open: test it"), "{words}");
    let second = agent.stop();
    assert_eq!(second.out(), "", "it may go now");
    let ended = &shown(&project)["ended"];
    assert_eq!(ended["outcome"], "failure");
    // A further prompt is a further chance to be told.
    agent.prompt("go on");
    assert!(reason(&agent.stop().out()).is_some());
    assert_eq!(agent.stop().out(), "");
}

/// Whoever is done may go, without a word.
#[test]
fn an_agent_that_is_done_may_go() {
    let project = project();
    let agent = Agent::new(&project, "s1");
    agent.prompt(STRICT);
    agent.todos(DONE, DONE);
    agent.bash("cargo test", 101);
    agent.bash("cargo test", 0);
    assert_eq!(agent.stop().out(), "");
    let account = shown(&project);
    assert_eq!(account["ended"]["outcome"], "success");
    assert_eq!(account["tokens"], 0);
}

/// The gate stands in STRICT sessions only, unless the settings say more.
#[test]
fn the_gate_stands_where_the_settings_say() {
    let project = project();
    let agent = Agent::new(&project, "s1");
    agent.prompt(STANDARD);
    agent.bash("cargo test", 1);
    assert_eq!(agent.stop().out(), "");
    project.write("countersign.toml", "[worklog]\ngate = [\"STANDARD\", \"STRICT\"]\n");
    let agent = Agent::new(&project, "s2");
    agent.prompt(STANDARD);
    agent.bash("cargo test", 1);
    assert!(reason(&agent.stop().out()).is_some());
}

/// Settings that change midway, perhaps by the agent's hand, change nothing for the session.
#[test]
fn a_session_keeps_its_policy() {
    let project = project();
    let agent = Agent::new(&project, "s1");
    agent.prompt(STRICT);
    project.write("countersign.toml", "[worklog]\ngate = []\ngate_most = 0\nverify = []\n");
    agent.bash("cargo test", 1);
    assert!(reason(&agent.stop().out()).is_some());
}

/// WL-20: a person can switch it off for a session.
#[test]
fn a_person_can_let_the_agent_go() {
    let project = project();
    let agent = Agent::new(&project, "s1");
    agent.prompt(&format!("{STRICT} --skip-compliance"));
    agent.bash("cargo test", 1);
    assert_eq!(agent.stop().out(), "");
    let stats = project.run(["worklog", "stats", "--format", "json"]).expect(0).data();
    assert_eq!(stats["flags"]["--skip-compliance"], 1);
}

/// WL-19: the bound is that of the whole session, however many prompts it has.
#[test]
fn many_turns_keep_to_the_bound() {
    let project = project();
    let agent = Agent::new(&project, "s1");
    agent.prompt(STRICT);
    agent.todos(OPEN, OPEN);
    agent.bash("cargo test", 101);
    let mut words: Vec<String> = Vec::new();
    for _ in 0..12 {
        words.extend(reason(&agent.stop().out()));
        agent.stop();
        agent.prompt("go on");
    }
    assert!(words[0].contains("the last test run failed"), "{words:?}");
    assert!(words.iter().any(|text| text == "Not done yet, as before."), "{words:?}");
    let account = shown(&project);
    let tokens = account["tokens"].as_u64().unwrap();
    assert!(tokens <= account["max_tokens"].as_u64().unwrap(), "{tokens}");
}

/// WL-19: what the gate says is short, however many todos there are.
#[test]
fn the_gate_is_short() {
    let project = project();
    let agent = Agent::new(&project, "s1");
    agent.prompt(STRICT);
    let long = "a todo with a very long name ".repeat(20);
    let names: Vec<String> = (0..40).map(|n| format!("{n} {long}")).collect();
    let todos: Vec<(&str, &str)> = names.iter().map(|name| (name.as_str(), "pending")).collect();
    agent.todos(&todos, &todos);
    agent.bash("pytest", 2);
    agent.stop();
    let tokens = shown(&project)["tokens"].as_u64().unwrap();
    assert!((10..=125).contains(&tokens), "{tokens}");
}
