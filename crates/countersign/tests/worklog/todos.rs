//! Todos: one list for every tool that keeps one, read back from the agent's own.

use std::fs;

use serde_json::json;

use crate::agent::{Agent, STANDARD, STRICT, lines, shown};
use crate::project;

const DONE: &[(&str, &str)] = &[("write it", "completed"), ("test it", "completed")];
const HALF: &[(&str, &str)] = &[("write it", "completed"), ("test it", "pending")];

fn verified(account: &serde_json::Value) -> (u64, u64, u64, u64) {
    let counts = &account["verified"];
    let count = |name: &str| counts[name].as_u64().unwrap();
    (count("passed"), count("failed"), count("skipped"), count("user_accepted"))
}

/// WL-07: in STRICT every change of the list is read back; a list that matches passes.
#[test]
fn a_list_that_matches_passes() {
    let project = project();
    let agent = Agent::new(&project, "s1");
    agent.prompt(STRICT);
    agent.todos(HALF, HALF);
    let said = agent.todos(DONE, DONE);
    assert_eq!(said.out(), "");
    assert_eq!(verified(&shown(&project)), (2, 0, 0, 0));
}

/// WL-07: the other tiers don't pay for it.
#[test]
fn only_strict_sessions_verify() {
    let project = project();
    let agent = Agent::new(&project, "s1");
    agent.prompt(STANDARD);
    agent.todos(DONE, HALF);
    assert_eq!(verified(&shown(&project)), (0, 0, 0, 0));
}

/// WL-07, WL-08: a mismatch is tried twice, both are logged, and a person is asked.
#[test]
fn a_mismatch_is_tried_twice_and_escalated() {
    let project = project();
    let agent = Agent::new(&project, "s1");
    agent.prompt(STRICT);
    let said = agent.todos(DONE, HALF);
    let answer: serde_json::Value = serde_json::from_str(&said.out()).unwrap();
    let message = answer["systemMessage"].as_str().unwrap();
    assert!(message.contains("test it: completed expected, pending found"), "{message}");
    assert!(message.contains("accept | abort | continue-at-risk"), "{message}");
    assert!(answer.get("hookSpecificOutput").is_none(), "the model is told nothing: {answer}");
    let account = shown(&project);
    assert_eq!(verified(&account), (0, 2, 0, 0));
    let attempts: Vec<String> =
        lines(&account).into_iter().filter(|line| line.starts_with("Verify")).collect();
    assert!(attempts[0].starts_with("Verify retried"), "{attempts:?}");
    assert!(attempts[1].starts_with("Verify failed"), "{attempts:?}");
}

/// WL-08: what the person chooses is on the record, and the session goes on.
#[test]
fn a_person_can_accept() {
    let project = project();
    let agent = Agent::new(&project, "s1");
    agent.prompt(STRICT);
    agent.todos(DONE, HALF);
    project.run(["worklog", "resolve", "latest", "perhaps"]).expect(2).says("is no decision");
    project.run(["worklog", "resolve", "latest", "accept"]).expect(0);
    let account = shown(&project);
    assert_eq!(verified(&account).3, 1);
    let accepted = "Verify completed a person accepted the list as it is";
    assert!(lines(&account).iter().any(|line| line == accepted), "{account}");
    project.run(["worklog", "resolve", "latest", "accept"]).expect(1).says("waits for no decision");
}

/// WL-08: aborting ends the session as aborted.
#[test]
fn a_person_can_abort() {
    let project = project();
    let agent = Agent::new(&project, "s1");
    agent.prompt(STRICT);
    agent.todos(DONE, HALF);
    project.run(["worklog", "resolve", "latest", "abort"]).expect(0);
    assert_eq!(shown(&project)["ended"]["outcome"], "aborted");
}

/// WL-09: after three failed attempts nothing is retried until a person chooses; this survives
/// every process, as each call is one.
#[test]
fn the_breaker_opens_after_three_attempts() {
    let project = project();
    let agent = Agent::new(&project, "s1");
    agent.prompt(STRICT);
    agent.todos(DONE, HALF);
    project.run(["worklog", "verify"]).expect(0);
    let before = verified(&shown(&project));
    agent.todos(DONE, HALF);
    let after = verified(&shown(&project));
    assert_eq!(before.1, after.1, "no further attempt was made");
    assert_eq!(after.2, before.2 + 1, "and that is said");
}

/// D0.8: tasks that are kept one by one feed the same list, and are read back from the files of
/// the agent.
#[test]
fn tasks_are_read_back_from_the_agents_files() {
    let project = project();
    let agent = Agent::new(&project, "s1");
    agent.prompt(STRICT);
    let folder = agent.config().join("tasks/s1");
    fs::create_dir_all(&folder).unwrap();
    let keep = |id: &str, subject: &str, status: &str| {
        let task = json!({ "id": id, "subject": subject, "status": status, "blocks": [] });
        fs::write(folder.join(format!("{id}.json")), task.to_string()).unwrap();
    };
    let create = |id: &str, subject: &str| {
        let input = json!({ "subject": subject, "description": "" });
        agent.operate("TaskCreate", &input, &json!({ "task": { "id": id, "subject": subject } }))
    };
    let update = |id: &str, status: &str| {
        let input = json!({ "taskId": id, "status": status });
        let response = json!({
            "success": true, "taskId": id, "updatedFields": ["status"],
            "statusChange": { "from": "pending", "to": status },
        });
        agent.operate("TaskUpdate", &input, &response)
    };
    keep("1", "write it", "pending");
    create("1", "write it");
    keep("2", "test it", "pending");
    create("2", "test it");
    keep("1", "write it", "completed");
    update("1", "completed");
    let account = shown(&project);
    assert_eq!(verified(&account), (3, 0, 0, 0));
    assert_eq!(account["todos"][0]["status"], "completed");
    // The program says that it did, and did not.
    update("2", "completed");
    assert_eq!(verified(&shown(&project)), (3, 2, 0, 0));
}

/// WL-08: going on at risk is said where the session is read.
#[test]
fn a_person_can_go_on_at_risk() {
    let project = project();
    let agent = Agent::new(&project, "s1");
    agent.prompt(STRICT);
    agent.todos(DONE, HALF);
    project.run(["worklog", "resolve", "latest", "continue-at-risk"]).expect(0);
    project.run(["worklog", "show"]).expect(0).prints("goes on at risk with a list in doubt");
}

/// WL-07, WL-14: todos that were taken over are no part of the agent's own list: they are neither
/// missing in it nor confused with its own.
#[test]
fn todos_that_were_taken_over_do_not_differ() {
    let project = project();
    let create = |agent: &Agent<'_>, subject: &str| {
        let folder = agent.config().join("tasks").join(agent.name);
        fs::create_dir_all(&folder).unwrap();
        let task = json!({ "id": "1", "subject": subject, "status": "pending", "blocks": [] });
        fs::write(folder.join("1.json"), task.to_string()).unwrap();
        let input = json!({ "subject": subject, "description": "" });
        agent.operate("TaskCreate", &input, &json!({ "task": { "id": "1", "subject": subject } }))
    };
    let first = Agent::new(&project, "s1");
    first.prompt(STRICT);
    create(&first, "write the migration");
    project.run(["worklog", "restore"]).expect(0);
    let second = Agent::new(&project, "s2");
    second.prompt(STRICT);
    create(&second, "look at the login page");
    let account = shown(&project);
    assert_eq!(account["todos"].as_array().unwrap().len(), 2, "{}", account["todos"]);
    assert_eq!(verified(&account), (1, 0, 0, 0));
}

/// WL-20: verification can be switched off for a session.
#[test]
fn verification_can_be_switched_off() {
    let project = project();
    let agent = Agent::new(&project, "s1");
    agent.prompt(&format!("--skip-verify {STRICT}"));
    agent.todos(DONE, HALF);
    assert_eq!(verified(&shown(&project)), (0, 0, 0, 0));
}

/// WL-11: an open todo that vanishes from the list is told of, and keeps a strict session from its
/// end until it is done or given up in so many words.
#[test]
fn a_todo_that_vanishes_is_not_done() {
    let project = project();
    let agent = Agent::new(&project, "s1");
    agent.prompt(STRICT);
    agent.write("login.rs");
    agent.todos(HALF, HALF);
    let short = &HALF[..1];
    agent.todos(short, short);
    let said = agent.stop().out();
    assert!(said.contains("1 todo was dropped undone: test it"), "{said}");
    let account = shown(&project);
    assert_eq!(account["dropped"][0]["content"], "test it");
    let deviations = account["summaries"].as_array().unwrap().last().unwrap()["deviations"].clone();
    let expected = json!({ "kind": "todo_dropped", "severity": "high", "items": ["test it"] });
    assert!(deviations.as_array().unwrap().contains(&expected), "{deviations}");
    project.run(["worklog", "show"]).expect(0).prints("[!] test it (dropped)");
    agent.stop();
    assert_eq!(shown(&project)["ended"]["outcome"], "failure");
    agent.prompt("and now?");
    let given_up = [("write it", "completed"), ("test it", "cancelled")];
    agent.todos(&given_up, &given_up);
    assert_eq!(agent.stop().out(), "");
    assert_eq!(shown(&project)["ended"]["outcome"], "success");
}

/// WL-11: other words for the same todo are no other todo.
#[test]
fn a_todo_in_other_words_is_not_dropped() {
    let project = project();
    let agent = Agent::new(&project, "s1");
    agent.prompt(STRICT);
    let first = [("write the migration", "in_progress"), ("test the migration", "pending")];
    let second = [("write migration 42", "completed"), ("test it on a copy", "completed")];
    agent.todos(&first, &first);
    agent.todos(&second, &second);
    assert_eq!(agent.stop().out(), "");
    assert_eq!(shown(&project)["dropped"], json!([]));
}

/// D0.8: the list of a sub-agent is its own affair: it neither replaces that of its agent nor is
/// it checked against it.
#[test]
fn the_list_of_a_sub_agent_is_its_own() {
    let project = project();
    let agent = Agent::new(&project, "s1");
    agent.prompt(STRICT);
    agent.todos(HALF, HALF);
    let todos = json!([{ "content": "look around", "status": "completed", "activeForm": "x" }]);
    let fields = json!({
        "tool_name": "TodoWrite", "tool_use_id": "toolu_side", "tool_input": { "todos": todos },
        "tool_response": { "oldTodos": [], "newTodos": todos },
        "agent_id": "a1", "agent_type": "scout",
    });
    agent.tell("PostToolUse", &fields);
    let account = shown(&project);
    assert_eq!(account["todos"].as_array().unwrap().len(), 2, "{}", account["todos"]);
    assert_eq!((verified(&account), &account["dropped"]), ((1, 0, 0, 0), &json!([])));
}

/// WL-14: what vanished is taken over like what is open.
#[test]
fn todos_that_vanished_are_restored() {
    let project = project();
    let agent = Agent::new(&project, "s1");
    agent.prompt(STRICT);
    agent.todos(HALF, HALF);
    agent.todos(&HALF[..1], &HALF[..1]);
    project.run(["worklog", "restore"]).expect(0).prints("begin: test it");
    Agent::new(&project, "s2").prompt(STRICT);
    assert_eq!(shown(&project)["todos"][0]["content"], "test it");
}
