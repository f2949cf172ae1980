//! What Codex and the Gemini CLI never did, and hooks were told of: found in their own transcripts.

use std::fs;

use countersign_testkit::{Project, Ran};
use serde_json::{Value, json};

use crate::agent::{STRICT, shown};
use crate::project;
use crate::transcript::{FAR_AHEAD, LONG_AGO, NOT_MADE, expect_doubt, expect_no_doubt};

/// A session of another agent, with the transcript that it keeps.
struct Other<'a> {
    project: &'a Project,
    agent: &'a str,
    lines: Vec<Value>,
}

impl<'a> Other<'a> {
    fn new(project: &'a Project, agent: &'a str) -> Self {
        Self { project, agent, lines: Vec::new() }
    }

    #[track_caller]
    fn tell(&self, event: &str, fields: &Value) -> Ran {
        let path = self.project.outside().join("transcript.jsonl");
        let text: String = self.lines.iter().map(|line| format!("{line}\n")).collect();
        fs::write(&path, text).unwrap();
        let mut payload = json!({
            "session_id": "s1", "transcript_path": path, "cwd": self.project.root(),
            "hook_event_name": event,
        });
        for (name, value) in fields.as_object().unwrap() {
            payload[name] = value.clone();
        }
        self.project.call(["hook", self.agent]).stdin(payload.to_string()).run().expect(0)
    }

    /// What it is told when it wants to stop.
    #[track_caller]
    fn stop(&mut self, event: &str, last: Value) -> String {
        self.lines.push(last);
        let answer: Value =
            serde_json::from_str(&self.tell(event, &json!({})).out()).unwrap_or_default();
        answer["reason"].as_str().unwrap_or_default().to_owned()
    }
}

fn rollout(sort: &str, payload: &Value) -> Value {
    json!({ "timestamp": LONG_AGO, "type": sort, "payload": payload })
}

/// A session of Codex that made one call: a run of tests that ended with `exit`.
fn codex(project: &Project, exit: i32) -> Other<'_> {
    let mut codex = Other::new(project, "codex");
    let asked = json!({ "type": "user_message", "message": STRICT });
    codex.lines.push(rollout("session_meta", &json!({ "id": "s1", "session_id": "s1" })));
    codex.lines.push(rollout("event_msg", &asked));
    codex.tell("UserPromptSubmit", &json!({ "prompt": STRICT }));
    let arguments = json!({ "cmd": "cargo test" }).to_string();
    let call = json!({
        "type": "function_call", "name": "exec_command", "arguments": arguments, "call_id": "call_1",
    });
    codex.lines.push(rollout("response_item", &call));
    told(&codex, "call_1", "cargo test");
    let output = format!("Process exited with code {exit}\nOutput:\n");
    let output = json!({ "type": "function_call_output", "call_id": "call_1", "output": output });
    codex.lines.push(rollout("response_item", &output));
    codex
}

fn told(codex: &Other<'_>, id: &str, command: &str) {
    let fields = json!({
        "tool_name": "Bash", "tool_use_id": id, "tool_input": { "command": command },
        "tool_response": "ok",
    });
    codex.tell("PostToolUse", &fields);
}

fn last_of_codex() -> Value {
    json!({ "timestamp": FAR_AHEAD, "type": "event_msg", "payload": { "type": "agent_message" } })
}

/// WL-22: Codex names calls alike in its rollout: what is not there was not made.
#[test]
fn codex_is_found_out() {
    for id in ["call_2", "exec-2"] {
        let project = project();
        let mut codex = codex(&project, 101);
        told(&codex, id, "cargo test");
        let words = codex.stop("Stop", last_of_codex());
        assert!(words.contains("the last test run failed"), "{id}: {words}");
        expect_doubt(&project, NOT_MADE);
    }
}

/// WL-22: nor does it help to borrow the id of a call that did well.
#[test]
fn codex_with_a_borrowed_id_is_found_out() {
    let project = project();
    let mut codex = codex(&project, 0);
    let call = |name: &str, more: Value| {
        let mut payload = json!({ "type": name, "name": "exec_command", "call_id": "call_2" });
        for (key, value) in more.as_object().unwrap() {
            payload[key] = value.clone();
        }
        rollout("response_item", &payload)
    };
    told(&codex, "call_2", "cargo test --workspace");
    codex.lines.push(call("function_call", json!({ "arguments": "{\"cmd\": \"true\"}" })));
    told(&codex, "call_2", "true");
    let output = json!({ "output": "Process exited with code 0\nOutput:\n" });
    codex.lines.push(call("function_call_output", output));
    let words = codex.stop("Stop", last_of_codex());
    assert!(words.contains("is not known to have passed"), "{words}");
    expect_doubt(&project, NOT_MADE);
}

/// WL-22: calls of scripts, where the version doesn't write them down, accuse nobody.
#[test]
fn codex_that_writes_little_is_not_accused() {
    let project = project();
    let mut codex = codex(&project, 0);
    let script =
        json!({ "type": "custom_tool_call", "name": "exec", "call_id": "call_2", "input": "x" });
    codex.lines.push(rollout("response_item", &script));
    told(&codex, "exec-1", "ls");
    assert_eq!(codex.stop("Stop", last_of_codex()), "");
    expect_no_doubt(&project);
}

/// A session of the Gemini CLI that made one call: a run of tests that ended with `exit`.
fn gemini(project: &Project, exit: i32) -> Other<'_> {
    let mut gemini = Other::new(project, "gemini");
    gemini.lines.push(json!({ "sessionId": "s1", "kind": "main" }));
    gemini.lines.push(json!({
        "id": "m1", "timestamp": LONG_AGO, "type": "user", "content": [{ "text": STRICT }],
    }));
    gemini.tell("BeforeAgent", &json!({ "prompt": STRICT }));
    ran(&gemini, exit);
    let said = said(exit);
    let result = json!([{ "functionResponse": { "response": { "output": said } } }]);
    gemini.lines.push(json!({
        "id": "m2", "timestamp": LONG_AGO, "type": "gemini", "content": "", "toolCalls": [{
            "id": "call_1", "name": "run_shell_command", "args": { "command": "cargo test" },
            "status": "success", "result": result,
        }],
    }));
    gemini
}

fn said(exit: i32) -> String {
    match exit {
        0 => "Output: ok\nProcess Group PGID: 1".to_owned(),
        code => format!("Output: no\nExit Code: {code}\nProcess Group PGID: 1"),
    }
}

fn ran(gemini: &Other<'_>, exit: i32) {
    let fields = json!({
        "tool_name": "run_shell_command", "tool_input": { "command": "cargo test" },
        "tool_response": { "llmContent": said(exit), "returnDisplay": "" },
    });
    gemini.tell("AfterTool", &fields);
}

fn last_of_gemini() -> Value {
    json!({ "id": "m3", "timestamp": FAR_AHEAD, "type": "gemini", "content": "Done." })
}

/// WL-22: the Gemini CLI gives hooks no ids; what is told more often than its chat has it was not
/// made.
#[test]
fn gemini_is_found_out() {
    let project = project();
    let mut gemini = gemini(&project, 1);
    ran(&gemini, 0);
    let words = gemini.stop("AfterAgent", last_of_gemini());
    assert!(words.contains("the last test run failed"), "{words}");
    expect_doubt(&project, NOT_MADE);
    assert_eq!(shown(&project)["totals"]["operations"], 1);
}

/// WL-22: what was made is found; and where other agents may be at work, nobody is accused.
#[test]
fn gemini_that_works_is_not_accused() {
    for delegates in [false, true] {
        let project = project();
        let mut gemini = gemini(&project, 0);
        if delegates {
            gemini.lines.push(json!({
                "id": "m4", "timestamp": LONG_AGO, "type": "gemini", "content": "", "toolCalls": [{
                    "id": "call_2", "name": "generalist", "args": {}, "status": "success",
                }],
            }));
            let fields =
                json!({ "tool_name": "generalist", "tool_input": {}, "tool_response": {} });
            gemini.tell("AfterTool", &fields);
            ran(&gemini, 0);
        }
        assert_eq!(gemini.stop("AfterAgent", last_of_gemini()), "", "{delegates}");
        expect_no_doubt(&project);
    }
}

/// WL-22: OpenCode keeps no transcript, which is said.
#[test]
fn opencode_is_not_confirmed() {
    let project = project();
    let opencode = Other::new(&project, "opencode");
    let told = |event: &str, fields: Value| {
        let mut payload = json!({
            "session_id": "s1", "cwd": project.root(), "hook_event_name": event,
        });
        for (name, value) in fields.as_object().unwrap() {
            payload[name] = value.clone();
        }
        project.call(["hook", opencode.agent]).stdin(payload.to_string()).run().expect(0)
    };
    told("UserPromptSubmit", json!({ "prompt": STRICT }));
    told("Stop", json!({}));
    assert_eq!(shown(&project)["unconfirmed"], "its agent keeps no transcript");
}
