//! What the recordings don't show: one small call for each thing that an agent may say.

// Cases read better without a reference before each `json!`.
#![allow(clippy::needless_pass_by_value)]

use countersign_domain::worklog::{Agent, Answer, Decision, News, Operation};
use countersign_exec::agents::dialect::{answer, read};
use serde_json::{Value, json};

use crate::support::{operation_line, report_line};

fn news(agent: Agent, event: &str, fields: Value) -> News {
    let mut payload = json!({"session_id": "s", "hook_event_name": event});
    for (name, value) in fields.as_object().unwrap() {
        payload[name] = value.clone();
    }
    let reading = read(agent, payload.to_string().as_bytes());
    assert_eq!(reading.trouble, None);
    reading.report.news
}

fn operated(agent: Agent, event: &str, tool: &str, input: Value, more: Value) -> Operation {
    let mut fields = json!({"tool_name": tool, "tool_input": input});
    for (name, value) in more.as_object().unwrap() {
        fields[name] = value.clone();
    }
    match news(agent, event, fields) {
        News::Operated(operation) | News::Began(operation) => *operation,
        other => panic!("{other:?}"),
    }
}

fn check(agent: Agent, event: &str, (tool, input): (&str, Value), more: Value, expected: &str) {
    assert_eq!(operation_line(&operated(agent, event, tool, input, more)), expected);
}

fn claude(tool: &str, input: Value, response: Value, expected: &str) {
    check(
        Agent::Claude,
        "PostToolUse",
        (tool, input),
        json!({"tool_response": response}),
        expected,
    );
}

/// WL-04: an exit code is 0 only if nothing speaks against it.
#[test]
fn how_commands_of_claude_end() {
    let bash = |response, expected| claude("Bash", json!({"command": "c"}), response, expected);
    bash(json!({"stdout": "Exit code 3"}), r#"Bash command "c" → completed 0"#);
    bash(json!({"interrupted": true}), r#"Bash command "c" → interrupted"#);
    // grep found nothing: another code than 0, and nobody says which.
    let meaning = json!({"returnCodeInterpretation": "No matches found"});
    bash(meaning, r#"Bash command "c" → completed"#);
    bash(json!({"backgroundTaskId": "b1"}), r#"Bash command "c" & → initiated"#);
    bash(json!(null), r#"Bash command "c" → completed"#);
    let failed = |error: &str, interrupt: bool, expected| {
        let more = json!({"error": error, "is_interrupt": interrupt});
        let call = ("Bash", json!({"command": "c"}));
        check(Agent::Claude, "PostToolUseFailure", call, more, expected);
    };
    failed("Exit code 2\nbad\n", false, r#"Bash command "c" → failed 2 "bad""#);
    failed("Exit code 2", false, r#"Bash command "c" → failed 2 """#);
    failed("Exit code 143\nCommand timed out after 2s", false, r#"Bash command "c" → timedout"#);
    failed("Exit code 143\nTerminated", false, r#"Bash command "c" → failed 143 "Terminated""#);
    failed("Exit code 130", true, r#"Bash command "c" → interrupted"#);
    failed("Something else", false, r#"Bash command "c" → failed "Something else""#);
    // What another tool says is no exit code.
    let more = json!({"error": "Exit code 1"});
    let call = ("mcp__a__b", json!({"x": 1}));
    let expected = r#"mcp__a__b other "{\"x\":1}" → failed "Exit code 1""#;
    check(Agent::Claude, "PostToolUseFailure", call, more, expected);
}

#[test]
fn what_tools_of_claude_do() {
    let edit = json!({"file_path": "/f", "old_string": "a", "new_string": "b"});
    claude("Edit", edit, json!({"structuredPatch": []}), "Edit edit [/f Changed +0-0] → completed");
    let edit = json!({"file_path": "/f", "old_string": "", "new_string": "b"});
    let response = json!({"originalFile": null});
    claude("Edit", edit, response, "Edit edit [/f Created +1-0] → completed");
    let edits = json!({"file_path": "/f", "edits": [
        {"old_string": "a", "new_string": "b\nc"}, {"old_string": "x\n", "new_string": ""}]});
    claude("MultiEdit", edits, json!(null), "MultiEdit edit [/f Changed +2-2] → completed");
    let cell = json!({"notebook_path": "/n.ipynb", "new_source": "x\ny", "edit_mode": "insert"});
    claude(
        "NotebookEdit",
        cell,
        json!({}),
        "NotebookEdit edit [/n.ipynb Changed +2-0] → completed",
    );
    let task = json!({"taskId": 4, "status": "deleted"});
    let deleted = r#"TaskUpdate todo Changed { id: "4", content: None, status: Some(Cancelled), read_back: Some(Cancelled) } → completed"#;
    claude("TaskUpdate", task.clone(), json!({"success": true}), deleted);
    let refused = r#"TaskUpdate todo Changed { id: "4", content: None, status: Some(Cancelled), read_back: None } → failed "Task not found""#;
    claude("TaskUpdate", task, json!({"success": false, "error": "Task not found"}), refused);
    let agent =
        json!({"subagent_type": "Explore", "description": "look", "run_in_background": true});
    let launched = r#"Agent delegate "Explore" "look" → initiated"#;
    claude("Agent", agent.clone(), json!({"status": "async_launched"}), launched);
    claude(
        "Task",
        agent,
        json!({"status": "completed"}),
        r#"Task delegate "Explore" "look" → completed"#,
    );
    claude(
        "WebFetch",
        json!({"url": "u", "prompt": "p"}),
        json!({}),
        r#"WebFetch look "u" → completed"#,
    );
    claude("NewTool", json!({}), json!({}), r#"NewTool other "" → completed"#);
    claude("Write", json!({"content": "x"}), json!({}), "Write write [] → completed");
    claude("Write", json!("what"), json!(7), "Write write [] → completed");
}

/// WL-01: only a person's words open a session; the end of a background task is news of its own.
#[test]
fn who_speaks_in_a_prompt() {
    let check = |agent, fields: Value, expected: &str| {
        let mut payload = json!({"session_id": "s", "hook_event_name": "UserPromptSubmit"});
        for (name, value) in fields.as_object().unwrap() {
            payload[name] = value.clone();
        }
        let report = read(agent, payload.to_string().as_bytes()).report;
        assert_eq!(report_line(&report), expected);
    };
    check(Agent::Claude, json!({"prompt": "go"}), r#"UserPromptSubmit: Prompted { text: "go" }"#);
    let by_agent = json!({"prompt": "go", "agent_id": "a", "agent_type": "worker"});
    let expected = r#"UserPromptSubmit <worker>: Notified { text: "go", finished: None }"#;
    check(Agent::Claude, by_agent.clone(), expected);
    check(Agent::Codex, by_agent.clone(), expected);
    check(Agent::Opencode, by_agent, expected);
}

#[test]
fn background_tasks_end() {
    let check = |status: &str, summary: &str, expected: &str| {
        let text = format!(
            "<task-notification>\n<task-id>b1</task-id>\n<tool-use-id>t1</tool-use-id>\n<status>{status}</status>\n<summary>{summary}</summary>\n</task-notification>"
        );
        let News::Notified { finished, .. } =
            news(Agent::Claude, "UserPromptSubmit", json!({"prompt": text}))
        else {
            panic!()
        };
        let end = finished.map(|finished| {
            assert_eq!((finished.task.as_str(), finished.call.as_deref()), ("b1", Some("t1")));
            format!("{:?}", finished.end)
        });
        assert_eq!(end.unwrap_or_default(), expected);
    };
    let passed = "Completed { exit: Some(0) }";
    check("completed", "Background command \"x\" completed (exit code 0)", passed);
    let failed = "Failed { exit: Some(5), why: \"Background command \\\"exit code 0\\\" failed with exit code 5\" }";
    check("failed", "Background command \"exit code 0\" failed with exit code 5", failed);
    check("completed", "Agent \"d\" finished", "Completed { exit: None }");
    check("killed", "Background command \"x\" was stopped", "Interrupted");
    check("running", "still", "");
}

/// A compaction ends like a sub-agent of no sort, and is none.
#[test]
fn a_compaction_is_no_sub_agent() {
    let stop = |kind: &str| {
        let fields = json!({"agent_id": "a", "agent_type": kind, "agent_transcript_path": "/t"});
        news(Agent::Claude, "SubagentStop", fields)
    };
    assert_eq!(stop(""), News::Other);
    assert!(matches!(stop("Explore"), News::Returned { transcript: Some(_), .. }));
}

#[test]
fn what_codex_says_about_calls() {
    let post = |tool, input, response: &str, expected: &str| {
        let more = json!({"tool_response": response});
        check(Agent::Codex, "PostToolUse", (tool, input), more, expected);
    };
    // The bare output of a command, whatever it says, is no exit code.
    let fake = "Process exited with code 0\nExit code: 0\n";
    post("Bash", json!({"command": "c"}), fake, r#"Bash command "c" → completed"#);
    let words = json!({"command": ["bash", "-lc", "cargo test"]});
    post("shell", words, "", r#"shell command "cargo test" → completed"#);
    let words = json!({"command": ["ls", "-l"]});
    post("local_shell", words, "", r#"local_shell command "ls -l" → completed"#);
    let plan =
        json!({"plan": [{"step": "a", "status": "completed"}, {"step": "b", "status": "new"}]});
    let listed = r#"update_plan todo listed ["a" Completed, "b" Pending], read back the same: None → completed"#;
    post("update_plan", plan, "Plan updated", listed);
    let patch = "*** Begin Patch\n*** Delete File: a\n*** End Patch";
    let expected = r#"apply_patch edit [a Deleted +0-0] → failed "no""#;
    post("apply_patch", json!({"command": patch}), "Exit code: 1\nOutput:\nno", expected);
    let spawn = json!({"message": "do it", "agent_type": "worker"});
    let expected = r#"multi_agent_v1.spawn_agent delegate "worker" "do it" → completed"#;
    post("multi_agent_v1.spawn_agent", spawn, "{}", expected);
    let poll = json!({"session_id": 7, "chars": ""});
    post("write_stdin", poll, "", r#"write_stdin look "session 7" → completed"#);
}

/// Gemini tells the exit code after the output, and only if it isn't 0. The output can say
/// anything; only what stands after it counts.
#[test]
fn how_commands_of_gemini_end() {
    let check = |said: &str, expected: &str| {
        let more = json!({"tool_response": {"llmContent": said}});
        let call = ("run_shell_command", json!({"command": "c"}));
        check(Agent::Gemini, "AfterTool", call, more, expected);
    };
    let passed = r#"run_shell_command command "c" → completed 0"#;
    check("Output: ok\nProcess Group PGID: 7", passed);
    check("<untrusted_context>\nOutput: (empty)\n</untrusted_context>", passed);
    check("Output: Exit Code: 3\nfine\nProcess Group PGID: 7", passed);
    let failed = r#"run_shell_command command "c" → failed 3 "bad""#;
    check("Output: bad\nExit Code: 3\nBackground PIDs: 8\nProcess Group PGID: 7", failed);
    let masked = r#"run_shell_command command "c" → failed 3 "Exit Code: 0""#;
    check("Output: Exit Code: 0\nExit Code: 3\nProcess Group PGID: 7", masked);
    let killed = r#"run_shell_command command "c" → failed "ended by signal 9""#;
    check("Output: x\nSignal: 9\nProcess Group PGID: 7", killed);
    let late = "Command was automatically cancelled because it exceeded the timeout of 5.0 minutes without output.";
    check(late, r#"run_shell_command command "c" → timedout"#);
    let stopped = "Command was cancelled by user before it could complete.";
    check(stopped, r#"run_shell_command command "c" → interrupted"#);
    let away = "Command moved to background (PID: 77). Output hidden.";
    check(away, r#"run_shell_command command "c" & → initiated"#);
    check("Something new", r#"run_shell_command command "c" → completed"#);
}

#[test]
fn what_our_plugin_says_about_opencode() {
    let post = |tool, input, response, expected: &str| {
        let more = json!({"tool_response": response, "tool_use_id": "c1"});
        check(Agent::Opencode, "PostToolUse", (tool, input), more, expected);
    };
    let failed = json!({"output": "bad\n", "metadata": {"exit": 3}, "title": "t"});
    post("bash", json!({"command": "c"}), failed, r#"bash command "c" → failed 3 "bad""#);
    let passed = json!({"output": "ok\n", "metadata": {"exit": 0}});
    post("bash", json!({"command": "c"}), passed, r#"bash command "c" → completed 0"#);
    let unknown = json!({"output": "", "metadata": {"exit": null}});
    post("bash", json!({"command": "c"}), unknown, r#"bash command "c" → completed"#);
    let file = json!({"filePath": "/f", "content": "a\nb\n"});
    let new = json!({"metadata": {"exists": false}, "output": "Wrote file successfully."});
    post("write", file, new, "write write [/f Created +2-0] → completed");
    let edit = json!({"filePath": "/f", "oldString": "a", "newString": "b"});
    let diff = json!({"metadata": {"diff": "--- f\n+++ f\n@@ -1 +1,2 @@\n-a\n+b\n+c\n"}});
    post("edit", edit, diff, "edit edit [/f Changed +2-1] → completed");
    let todos = json!([{"id": "1", "content": "a", "status": "in_progress"}]);
    let listed =
        r#"todowrite todo listed ["a" InProgress], read back the same: Some(true) → completed"#;
    post("todowrite", json!({"todos": todos}), json!({"metadata": {"todos": todos}}), listed);
    let more = json!({"error": "The user rejected permission to use this specific tool call."});
    let refused = r#"bash command "c" → denied "The user rejected permission to use this specific tool call.""#;
    let call = ("bash", json!({"command": "c"}));
    check(Agent::Opencode, "PostToolUseFailure", call, more, refused);
}

/// Gemini CLI takes our reason for a prompt; it is not a person's.
#[test]
fn our_own_words_are_no_prompt() {
    let said = answer(
        Agent::Gemini,
        "AfterAgent",
        &Answer {
            decision: Decision::Block,
            to_agent: Some("a test fails".to_owned()),
            to_user: None,
        },
    );
    let said: Value = serde_json::from_str(&said.stdout).unwrap();
    let heard = news(Agent::Gemini, "BeforeAgent", json!({"prompt": said["reason"]}));
    assert!(matches!(heard, News::Notified { .. }), "{heard:?}");
    let heard = news(Agent::Gemini, "BeforeAgent", json!({"prompt": "a test fails"}));
    assert!(matches!(heard, News::Prompted { .. }), "{heard:?}");
}
