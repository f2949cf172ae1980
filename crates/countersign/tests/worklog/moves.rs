//! Agents that move about: their session stays where it was begun.

use std::fs;
use std::path::Path;

use countersign_testkit::{Project, Ran};
use serde_json::{Value, json};

use crate::agent::{Agent, STRICT, count, listed, shown};
use crate::project;

/// Calls the hook as an agent does that was started in the project and is in `cwd` now.
#[track_caller]
fn tell_from(project: &Project, cwd: &Path, (event, fields): (&str, &Value)) -> Ran {
    let mut payload = Agent::new(project, "s1").payload(event, fields);
    payload["cwd"] = json!(cwd);
    let call = project.call(["hook", "claude"]).env("CLAUDE_PID", "1");
    call.stdin(payload.to_string()).run().expect(0)
}

fn write(id: &str) -> Value {
    json!({
        "tool_name": "Write", "tool_input": { "file_path": "a" }, "tool_use_id": id,
        "tool_response": { "type": "create", "filePath": "a" },
    })
}

/// A repository of the agent's own making.
fn repository(project: &Project, folder: &Path) {
    fs::create_dir_all(folder).unwrap();
    project.git_in(folder, ["init", "--quiet"]);
}

/// Issue "gate at Stop": who goes into another repository, or into none, is still at the gate of
/// its session, with all that is on its record.
#[test]
fn another_folder_is_no_way_out() {
    let project = project();
    let (inner, outer) = (project.path("inner"), project.outside().join("outer"));
    let nowhere = project.outside().join("nowhere");
    repository(&project, &inner);
    repository(&project, &outer);
    fs::create_dir(&nowhere).unwrap();
    let agent = Agent::new(&project, "s1");
    agent.prompt(STRICT);
    agent.bash("cargo test", 101);
    for (at, place) in [&inner, &outer, &nowhere].into_iter().enumerate() {
        tell_from(&project, place, ("PostToolUse", &write(&format!("toolu_{at}"))));
        agent.prompt("go on");
        let said = tell_from(&project, place, ("Stop", &json!({ "stop_hook_active": false })));
        said.prints("the last test run failed");
    }
    assert_eq!(listed(&project).len(), 1);
    assert_eq!(count(&shown(&project), "Write"), 3);
    for place in [&inner, &outer] {
        assert!(!place.join(".git/countersign").exists(), "{}", place.display());
    }
}

/// Where the program that calls the hook stands elsewhere too, it says where its project is.
#[test]
fn the_project_of_the_agent_is_where_it_began() {
    let project = project();
    let inner = project.path("inner");
    repository(&project, &inner);
    Agent::new(&project, "s1").prompt(STRICT);
    let mut payload = Agent::new(&project, "s1").payload("PostToolUse", &write("toolu_1"));
    payload["cwd"] = json!(inner);
    let call = project.call(["hook", "claude"]).at(&inner).stdin(payload.to_string());
    call.env("CLAUDE_PROJECT_DIR", project.root()).run().expect(0);
    assert_eq!(count(&shown(&project), "Write"), 1);
}

/// A session that is begun in another repository belongs there, wherever the program was started.
#[test]
fn a_session_begins_where_the_agent_says() {
    let project = project();
    let inner = project.path("inner");
    repository(&project, &inner);
    tell_from(&project, &inner, ("UserPromptSubmit", &json!({ "prompt": STRICT })));
    tell_from(&project, &inner, ("PostToolUse", &write("toolu_1")));
    assert!(listed(&project).is_empty());
    let show = project.call(["worklog", "show", "--format", "json"]).at(&inner);
    assert_eq!(count(&show.run().expect(0).data(), "Write"), 1);
}
