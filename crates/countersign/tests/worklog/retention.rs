//! Earlier work, and what becomes of old sessions.

use std::fs;

use serde_json::Value;

use crate::agent::{Agent, STANDARD, STRICT, later, listed, shown};
use crate::project;

const OPEN: &[(&str, &str)] = &[("write it", "completed"), ("test it", "in_progress")];

fn told(out: &str) -> Value {
    serde_json::from_str(out).unwrap_or_else(|error| panic!("{error}: {out}"))
}

/// WL-14, D0.11: earlier work that was left is told to the person, with how to restore it; the
/// agent hears of it only when it is the same task.
#[test]
fn earlier_work_is_told() {
    let project = project();
    Agent::new(&project, "s1").prompt(STRICT);
    let first = shown(&project)["session"].as_str().unwrap().to_owned();
    let other = told(&Agent::new(&project, "s2").prompt(STANDARD).out());
    let message = other["systemMessage"].as_str().unwrap();
    assert!(
        message.contains(&format!("Previous work detected: {STRICT} (in progress)")),
        "{message}"
    );
    assert!(message.contains(&format!("countersign worklog restore {first}")), "{message}");
    assert!(other.get("hookSpecificOutput").is_none(), "{other}");
    let same = told(&Agent::new(&project, "s3").prompt(STRICT).out());
    let words = same["hookSpecificOutput"]["additionalContext"].as_str().unwrap();
    assert!(words.contains(&first), "{words}");
}

/// WL-14: finished work is never offered, and light tasks never look.
#[test]
fn finished_work_is_not_offered() {
    let project = project();
    let agent = Agent::new(&project, "s1");
    agent.prompt(STRICT);
    agent.stop();
    assert_eq!(Agent::new(&project, "s2").prompt(STRICT).out(), "");
    assert_eq!(Agent::new(&project, "s3").prompt("--tier LIGHT fix a typo").out(), "");
}

/// WL-14: restoring really restores: the next session has the todos that were left.
#[test]
fn restoring_carries_the_todos_over() {
    let project = project();
    let agent = Agent::new(&project, "s1");
    agent.prompt(STRICT);
    agent.todos(OPEN, OPEN);
    agent.write("src/login.rs");
    let restored = project.run(["worklog", "restore"]).expect(0);
    restored.prints("go on with: test it").prints("src/login.rs").prints("claude --resume s1");
    Agent::new(&project, "s2").prompt(STRICT);
    let account = shown(&project);
    assert_eq!(account["todos"][0]["content"], "test it");
    assert!(account["from"].is_string(), "{account}");
    // What was taken over is not left any more.
    assert_eq!(listed(&project)[1]["outcome"], "aborted");
    // It is taken over once.
    Agent::new(&project, "s3").prompt(STRICT);
    assert!(shown(&project)["from"].is_null());
}

/// WL-14: the files as the session left them can be had again.
#[test]
fn restoring_brings_the_files_back() {
    let project = project();
    let agent = Agent::new(&project, "s1");
    agent.prompt(STANDARD);
    project.write("src/page.rs", "pages\n");
    agent.write("src/page.rs");
    agent.stop();
    fs::remove_file(project.path("src/page.rs")).unwrap();
    let into = project.outside().join("again");
    project.call(["worklog", "restore", "--files"]).arg(&into).run().expect(0);
    assert_eq!(fs::read_to_string(into.join("src/page.rs")).unwrap(), "pages\n");
    project
        .call(["worklog", "restore", "--files"])
        .arg(&into)
        .run()
        .expect(1)
        .says("already there");
}

/// WL-15, D0.7: a day later sessions are archived: the list keeps them, their entries are still
/// shown, and the ledger proves that it was retention.
#[test]
fn old_sessions_are_archived() {
    let project = project();
    let agent = Agent::new(&project, "s1");
    agent.prompt(STANDARD);
    agent.write("a.txt");
    agent.stop();
    agent.end();
    let before = shown(&project);
    assert_eq!(later(&project, 0).retire_sessions().unwrap().archived, 0);
    assert_eq!(later(&project, 48).retire_sessions().unwrap().archived, 1);
    let row = &listed(&project)[0];
    assert!(row["archived"].is_string(), "{row}");
    assert_eq!(shown(&project)["entries"], before["entries"]);
    let stats = project.run(["worklog", "stats", "--format", "json"]).expect(0).data();
    assert_eq!((&stats["sessions"], &stats["capture"]["captured"]), (&1.into(), &1.into()));
    project.run(["ledger", "verify"]).expect(0).prints("intact");
    project.run(["ledger", "rebuild"]).expect(0);
    assert_eq!(shown(&project)["entries"], before["entries"]);
    // And once its time is over, it is gone but for its hashes.
    assert_eq!(later(&project, 2400).retire_sessions().unwrap().discarded, 1);
    assert!(listed(&project).is_empty());
    project.run(["ledger", "verify"]).expect(0).prints("intact");
}

/// WL-15: a session that nothing ended is abandoned after a day, and then offered as such.
#[test]
fn forgotten_sessions_are_abandoned() {
    let project = project();
    Agent::new(&project, "s1").prompt(STANDARD);
    let retired = later(&project, 48).retire_sessions().unwrap();
    assert_eq!(retired.abandoned, 1);
    assert_eq!(listed(&project)[0]["outcome"], "abandoned");
    let again = later(&project, 49).retire_sessions().unwrap();
    assert_eq!(again.abandoned, 0, "once is enough");
    let said = told(&Agent::new(&project, "s2").prompt(STRICT).out());
    let message = said["systemMessage"].as_str().unwrap();
    assert!(message.contains(&format!("{STANDARD} (abandoned)")), "{message}");
}

/// WL-15: at most so many sessions are at hand; the least recently used goes first.
#[test]
fn the_least_recently_used_session_is_archived_first() {
    let project = project();
    project.write("countersign.toml", "[worklog]\nsessions = 2\n");
    for name in ["s1", "s2", "s3"] {
        let agent = Agent::new(&project, name);
        agent.prompt(STANDARD);
        agent.stop();
    }
    later(&project, 0).retire_sessions().unwrap();
    let archived: Vec<(String, bool)> = listed(&project)
        .iter()
        .map(|row| (row["agent_session"].to_string(), row["archived"].is_string()))
        .collect();
    let expected = [("\"s3\"", false), ("\"s2\"", false), ("\"s1\"", true)];
    assert_eq!(archived, expected.map(|(name, is)| (name.to_owned(), is)));
}
