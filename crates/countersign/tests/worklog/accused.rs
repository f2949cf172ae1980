//! Nobody is accused of telling what was not done whose transcript is late, elsewhere or gone.

use std::fs;

use serde_json::json;

use crate::agent::{Agent, STRICT, later, shown};
use crate::project;
use crate::transcript::{
    FAR_AHEAD, LONG_AGO, NOT_MADE, ended, expect_doubt, expect_no_doubt, stop,
};

/// WL-22: what is not in the transcript yet is neither dropped nor confirmed; once it is, or will
/// never be, that is known.
#[test]
fn a_transcript_that_is_behind_accuses_nobody() {
    for forged in [true, false] {
        let project = project();
        let agent = Agent::new(&project, "s1");
        agent.prompt(STRICT);
        let before = agent.lines.borrow().clone();
        agent.bash("cargo test", 0);
        let honest = agent.lines.replace(before.clone());
        agent.write_down(LONG_AGO);
        assert_eq!(agent.stop().out(), "");
        let account = shown(&project);
        assert!(account["incomplete"].is_null(), "{account}");
        assert_eq!(account["unconfirmed"], "its transcript is behind");
        assert_eq!(ended(&project).1, "nothing was left, by its hooks alone");
        agent.lines.replace(if forged { before } else { honest });
        agent.write_down(FAR_AHEAD);
        let id = account["session"].as_str().unwrap().parse().unwrap();
        let account = later(&project, 1).account(id).unwrap();
        assert_eq!(account.incomplete.is_some(), forged);
        assert_eq!(account.unconfirmed, None);
        let expected = if forged { "failure" } else { "success" };
        assert_eq!(ended(&project).0, expected);
    }
}

/// WL-22: a call that was missed and is found after all counts again.
#[test]
fn a_call_that_is_found_after_all_counts_again() {
    let project = project();
    let agent = Agent::new(&project, "s1");
    agent.prompt(STRICT);
    let before = agent.lines.borrow().clone();
    agent.bash("cargo test", 0);
    let honest = agent.lines.replace(before);
    assert!(stop(&agent).contains("is not known to have passed"));
    agent.lines.replace(honest);
    assert_eq!(stop(&agent), "");
    assert_eq!(ended(&project).0, "success");
    expect_no_doubt(&project);
}

/// WL-22: without a transcript nothing is dropped, and it is said that nobody confirms it.
#[test]
fn without_a_transcript_the_doubt_is_shown() {
    let cases = [
        ("true", "its transcript can't be read"),
        ("mkdir FILE", "its transcript can't be read"),
        ("mkfifo FILE", "its transcript can't be read"),
        ("echo nonsense > FILE", "its transcript has damaged lines (1)"),
        (": > FILE", "its transcript tells of no prompt"),
        ("truncate -s 1G FILE", "its transcript has 1073741824 bytes; at most 536870912 are read"),
    ];
    for (plant, doubt) in cases {
        let project = project();
        let agent = Agent::new(&project, "s1");
        agent.prompt(STRICT);
        agent.bash("cargo test", 0);
        let path = agent.transcript();
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        project.sh(&plant.replace("FILE", &path.to_string_lossy())).expect(0);
        assert_eq!(agent.stop().out(), "", "{plant}");
        let account = shown(&project);
        assert_eq!(account["unconfirmed"], doubt, "{plant}");
        assert!(account["incomplete"].is_null(), "{plant}: {account}");
        assert_eq!(account["ended"]["because"], "nothing was left, by its hooks alone", "{plant}");
        project.run(["worklog", "show"]).expect(0).prints("by hooks alone");
    }
}

/// WL-22: a transcript that was cut after it had been read says nothing about what it had.
#[test]
fn a_transcript_that_was_cut_accuses_nobody() {
    let project = project();
    let agent = Agent::new(&project, "s1");
    agent.prompt(STRICT);
    agent.bash("cargo test", 0);
    assert_eq!(stop(&agent), "");
    agent.lines.borrow_mut().truncate(1);
    assert_eq!(stop(&agent), "");
    let account = shown(&project);
    assert_eq!(account["unconfirmed"], "its transcript is shorter than it was");
    assert!(account["incomplete"].is_null(), "{account}");
}

/// What a sub-agent did, as hooks are told.
fn in_lane(agent: &Agent<'_>, lane: &str, id: &str) {
    let fields = json!({
        "tool_name": "Bash", "tool_input": { "command": "cargo test" }, "tool_use_id": id,
        "tool_response": { "stdout": "ok", "stderr": "", "interrupted": false },
        "agent_id": lane, "agent_type": "tester",
    });
    agent.tell("PostToolUse", &fields);
}

/// WL-22: the calls of a sub-agent are looked for in its own transcript.
#[test]
fn calls_of_sub_agents_are_in_their_own_transcripts() {
    for forged in [true, false] {
        let project = project();
        let agent = Agent::new(&project, "s1");
        agent.prompt(STRICT);
        let input = json!({ "description": "test", "prompt": "x", "subagent_type": "tester" });
        agent.operate("Agent", &input, &json!({ "status": "completed", "agentId": "a1" }));
        in_lane(&agent, "a1", "toolu_side_1");
        let side = Agent::new(&project, "s1/subagents/agent-a1");
        side.note_prompt("run the tests");
        if !forged {
            side.note_call("toolu_side_1", "Bash", &json!({ "command": "cargo test" }));
            side.note_result("toolu_side_1", &json!({ "stdout": "ok" }), None);
        }
        side.write_down(FAR_AHEAD);
        assert_eq!(stop(&agent).is_empty(), !forged);
        assert_eq!(shown(&project)["incomplete"].is_null(), !forged);
    }
}

/// WL-22: a sub-agent that nobody started has run no tests.
#[test]
fn a_sub_agent_that_nobody_started_did_nothing() {
    let project = project();
    let agent = Agent::new(&project, "s1");
    agent.prompt(STRICT);
    agent.write("a.txt");
    in_lane(&agent, "a1", "toolu_side_1");
    assert!(stop(&agent).contains("is not known to have passed"));
    expect_doubt(&project, NOT_MADE);
}

/// WL-22: one whose transcript is not to be found may have.
#[test]
fn a_sub_agent_without_a_transcript_is_not_accused() {
    let project = project();
    let agent = Agent::new(&project, "s1");
    agent.prompt(STRICT);
    let input = json!({ "description": "test", "prompt": "x", "subagent_type": "tester" });
    agent.operate("Agent", &input, &json!({ "status": "completed", "agentId": "a1" }));
    in_lane(&agent, "a1", "toolu_side_1");
    assert_eq!(stop(&agent), "");
    expect_no_doubt(&project);
}
