//! What an agent did, by its own transcript: the ground that worklogs are measured on.
//!
//! Read here once more, on purpose, with nothing of the program's own reading of transcripts.

use std::collections::BTreeSet;
use std::fs;

use countersign_testkit::agents::{RealAgent, Stage};
use serde_json::Value;

/// The significant operations of all transcripts, as the actions that they are to become.
/// Edits and whole files are both changes: a patch can be either.
pub(crate) fn significant(stage: &Stage) -> Vec<&'static str> {
    let mut known = BTreeSet::new();
    let mut found = Vec::new();
    for path in stage.transcripts() {
        let text = fs::read_to_string(path).unwrap();
        let lines = text.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
        for line in lines {
            match stage.agent {
                RealAgent::Codex => found.extend(codex(&line)),
                _ => found.extend(claude(&line, &mut known)),
            }
        }
    }
    found.sort_unstable();
    found
}

/// Actions as [`significant`] groups them.
pub(crate) fn grouped(actions: &[String]) -> Vec<&str> {
    let group = |action: &str| match action {
        "Edit" | "MultiEdit" | "Write" => CHANGE,
        "TodoWrite" => TODO,
        "Task" => DELEGATION,
        "Bash" => TEST_RUN,
        other => panic!("`{other}` is no action of an agent"),
    };
    let mut groups: Vec<&str> = actions.iter().map(|action| group(action)).collect();
    groups.sort_unstable();
    groups
}

const CHANGE: &str = "change";
const TODO: &str = "todo";
const DELEGATION: &str = "delegation";
const TEST_RUN: &str = "test run";

fn claude(line: &Value, known: &mut BTreeSet<String>) -> Vec<&'static str> {
    let blocks = line["message"]["content"].as_array().into_iter().flatten();
    let calls = blocks.filter(|block| block["type"] == "tool_use");
    let mut found = Vec::new();
    for call in calls {
        // A message that is told in several lines may repeat what it holds.
        if !known.insert(call["id"].to_string()) {
            continue;
        }
        found.extend(match call["name"].as_str().unwrap_or_default() {
            "Edit" | "MultiEdit" | "Write" | "NotebookEdit" => Some(CHANGE),
            "TodoWrite" | "TaskCreate" | "TaskUpdate" => Some(TODO),
            "Agent" | "Task" => Some(DELEGATION),
            "Bash" => runs_tests(&call["input"]["command"]).then_some(TEST_RUN),
            _ => None,
        });
    }
    found
}

fn codex(line: &Value) -> Vec<&'static str> {
    let item = &line["payload"];
    let calls = ["function_call", "custom_tool_call"];
    if line["type"] != "response_item" || !calls.iter().any(|kind| item["type"] == *kind) {
        return Vec::new();
    }
    match item["name"].as_str().unwrap_or_default() {
        "apply_patch" => vec![CHANGE],
        "update_plan" => vec![TODO],
        "spawn_agent" => vec![DELEGATION],
        "exec_command" if runs_tests(&item["arguments"]) => vec![TEST_RUN],
        // A program that calls tools itself.
        "exec" => {
            let text = item["input"].as_str().unwrap_or_default();
            let patches = text.matches("tools.apply_patch(").map(|_| CHANGE);
            let commands = text.split("tools.exec_command(").skip(1);
            let runs = commands.filter(|rest| rest.contains(RUNNER)).map(|_| TEST_RUN);
            patches.chain(runs).collect()
        }
        _ => Vec::new(),
    }
}

/// What the tours run their tests with.
const RUNNER: &str = "unittest";

fn runs_tests(command: &Value) -> bool {
    command.as_str().is_some_and(|command| command.contains(RUNNER))
}
