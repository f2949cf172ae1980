//! Sessions: how they open, go on and end.

use serde_json::json;

use crate::agent::{Agent, STANDARD, STRICT, count, lines, listed, shown};
use crate::project;

/// WL-01, WL-02, WL-17: a session opens with the first prompt, with its tier and a readable id.
#[test]
fn a_session_opens_with_the_first_prompt() {
    let project = project();
    let agent = Agent::new(&project, "s1");
    agent.tell("SessionStart", &json!({ "source": "startup" }));
    assert!(listed(&project).is_empty(), "nothing was asked for yet");
    let said = agent.prompt(STRICT);
    assert_eq!(said.out(), "", "nothing enters the agent's context");
    let account = shown(&project);
    assert_eq!(account["tier"], "STRICT");
    assert_eq!(account["task"], STRICT);
    assert!(account["ended"].is_null());
    let id = account["session"].as_str().unwrap();
    assert!(id.len() == 19 && id.ends_with("_001"), "{id}");
}

/// WL-02, WL-20: what the person says wins, is recorded, and is no part of the task.
#[test]
fn a_flag_chooses_the_tier() {
    let project = project();
    Agent::new(&project, "s1").prompt("--tier STRICT fix the typo in the README");
    let account = shown(&project);
    assert_eq!(account["tier"], "STRICT");
    assert_eq!(account["overridden"], true);
    assert_eq!(account["task"], "fix the typo in the README");
    assert_eq!(account["flags"], json!(["--tier STRICT"]));
}

/// WL-03: only what the policy counts is an entry; everything is an operation.
#[test]
fn entries_are_what_counts() {
    let project = project();
    let agent = Agent::new(&project, "s1");
    agent.prompt(STANDARD);
    agent.operate("Read", &json!({ "file_path": "a" }), &json!({ "type": "text" }));
    agent.operate("Grep", &json!({ "pattern": "x" }), &json!({ "mode": "content" }));
    agent.bash("ls -la tests", 0);
    agent.bash("cat latest.log", 0);
    agent.bash("cd app && FOO=1 npx vitest run", 0);
    agent.write("src/list.rs");
    let account = shown(&project);
    assert_eq!(account["totals"]["operations"], 6);
    assert_eq!(count(&account, "Bash"), 1, "{:?}", lines(&account));
    assert_eq!(count(&account, "Write"), 1);
    assert_eq!(account["totals"]["entries"], 2);
}

/// WL-03: in the lightest tiers, only todos and sub-agents count.
#[test]
fn little_is_an_entry_in_the_lightest_tiers() {
    let project = project();
    let agent = Agent::new(&project, "s1");
    agent.prompt("--tier LIGHT tidy up");
    agent.write("a.txt");
    agent.bash("cargo test", 0);
    agent.todos(&[("a", "pending")], &[("a", "pending")]);
    let input = json!({ "description": "look", "prompt": "x", "subagent_type": "explore" });
    agent.operate("Agent", &input, &json!({ "status": "completed" }));
    let account = shown(&project);
    assert_eq!(account["totals"]["operations"], 4);
    assert_eq!((count(&account, "TodoWrite"), count(&account, "Task")), (1, 1));
    assert_eq!(account["totals"]["entries"], 2);
}

/// A further prompt can make a session stricter, never laxer: words alone don't lower a check.
#[test]
fn a_further_prompt_never_lowers_the_tier() {
    let project = project();
    let agent = Agent::new(&project, "s1");
    agent.prompt(STANDARD);
    agent.stop();
    assert_eq!(shown(&project)["ended"]["outcome"], "success");
    agent.prompt(STRICT);
    let account = shown(&project);
    assert_eq!(account["tier"], "STRICT");
    assert!(account["ended"].is_null(), "it goes on");
    agent.prompt("thanks, now fix the typo in the comment");
    assert_eq!(shown(&project)["tier"], "STRICT");
    assert_eq!(listed(&project).len(), 1, "it is one session");
}

/// Resume and compaction stay one session.
#[test]
fn resuming_and_compacting_stay_one_session() {
    let project = project();
    let agent = Agent::new(&project, "s1");
    agent.prompt(STANDARD);
    agent.tell("PreCompact", &json!({ "trigger": "auto" }));
    agent.tell("SessionStart", &json!({ "source": "compact" }));
    agent.write("a.txt");
    agent.stop();
    agent.end();
    assert_eq!(shown(&project)["ended"]["is_final"], true);
    agent.tell("SessionStart", &json!({ "source": "resume" }));
    agent.prompt("go on");
    agent.write("b.txt");
    let account = shown(&project);
    assert_eq!(listed(&project).len(), 1);
    assert_eq!(account["compacted"], 1);
    assert_eq!(account["resumed"], 1);
    assert_eq!(account["totals"]["files"].as_array().unwrap().len(), 2);
}

/// A session that is met in its middle is taken seriously, not left out.
#[test]
fn a_session_met_in_its_middle_is_recorded() {
    let project = project();
    let agent = Agent::new(&project, "s1");
    agent.write("a.txt");
    let account = shown(&project);
    assert_eq!(account["tier"], "STANDARD");
    assert_eq!(account["task"], "");
    assert_eq!(count(&account, "Write"), 1);
}

/// A lost pointer is remade from the ledger: the session goes on as one.
#[test]
fn a_lost_pointer_is_remade() {
    let project = project();
    let agent = Agent::new(&project, "s1");
    agent.prompt(STRICT);
    std::fs::remove_dir_all(project.state().join("sessions")).unwrap();
    agent.write("a.txt");
    agent.write("b.txt");
    assert_eq!(listed(&project).len(), 1);
    let account = shown(&project);
    assert_eq!(account["tier"], "STRICT");
    assert_eq!(count(&account, "Write"), 2);
}

/// WL-12: the end has outcome, duration and totals.
#[test]
fn the_end_is_on_the_record() {
    let project = project();
    let agent = Agent::new(&project, "s1");
    agent.prompt(STANDARD);
    agent.write("src/page.rs");
    agent.bash("cargo test", 0);
    agent.stop();
    agent.end();
    let ended = &shown(&project)["ended"];
    assert_eq!(ended["outcome"], "success");
    assert_eq!(ended["is_final"], true);
    assert_eq!(ended["totals"]["operations"], 2);
    assert_eq!(ended["totals"]["files"].as_array().unwrap().len(), 1);
    project.run(["ledger", "verify"]).expect(0).prints("everything is sealed");
}

/// WL-12: an agent that is ended before it stopped was cut off.
#[test]
fn an_agent_that_never_stopped_was_aborted() {
    let project = project();
    let agent = Agent::new(&project, "s1");
    agent.prompt(STANDARD);
    agent.end();
    assert_eq!(shown(&project)["ended"]["outcome"], "aborted");
}

/// WL-12: a turn that broke off ends as a failure, with the reason.
#[test]
fn a_broken_turn_is_a_failure() {
    let project = project();
    let agent = Agent::new(&project, "s1");
    agent.prompt(STANDARD);
    agent.tell("StopFailure", &json!({ "error": "server_error", "last_assistant_message": "" }));
    let ended = &shown(&project)["ended"];
    assert_eq!(ended["outcome"], "failure");
    assert!(ended["because"].as_str().unwrap().contains("server_error"), "{ended}");
}

/// Two sessions in one repository, told alternately, stay apart.
#[test]
fn two_sessions_stay_apart() {
    let project = project();
    let (one, two) = (Agent::new(&project, "s1"), Agent::new(&project, "s2"));
    one.prompt(STANDARD);
    two.prompt(STRICT);
    for n in 0..5 {
        one.write(&format!("one/{n}.txt"));
        two.write(&format!("two/{n}.txt"));
    }
    let sessions = listed(&project);
    assert_eq!(sessions.len(), 2);
    for session in sessions {
        let id = session["session"].as_str().unwrap();
        let account = project.run(["worklog", "show", id, "--format", "json"]).expect(0).data();
        assert_eq!(account["totals"]["operations"], 5, "{id}");
    }
}

/// WL-20: what a person switches off is off, and counted.
#[test]
fn a_session_without_a_worklog_has_none() {
    let project = project();
    let agent = Agent::new(&project, "s1");
    agent.prompt(&format!("{STRICT} --no-worklog"));
    agent.write("a.txt");
    agent.stop();
    let account = shown(&project);
    assert_eq!(account["totals"]["operations"], 0);
    let stats = project.run(["worklog", "stats", "--format", "json"]).expect(0).data();
    assert_eq!(stats["skips"]["rate"], 1.0);
    assert_eq!(stats["flags"]["--no-worklog"], 1);
}

/// WL-20: with the whole results, the report itself is kept, and the ledger knows its bytes.
#[test]
fn a_verbose_log_keeps_the_reports() {
    let project = project();
    let agent = Agent::new(&project, "s1");
    agent.prompt(&format!("{STANDARD} --verbose-log"));
    agent.write("a.txt");
    project.run(["worklog", "list"]).expect(0);
    project.run(["ledger", "verify"]).expect(0).prints("1 blob");
}
