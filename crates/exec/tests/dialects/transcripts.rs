//! Every recorded transcript, and what it tells.

use countersign_domain::worklog::{Agent, End};
use countersign_exec::agents::dialect::{Transcript, expects_hook, transcript, would_tell};
use serde_json::{Value, json};

use crate::support::{operation_line, tour, tours, transcript_lines};

fn only(name: &str) -> Transcript {
    let tour = tour(name);
    transcript(tour.agent, tour.transcripts()[0].1.as_slice()).unwrap()
}

/// WL-22: what the agents wrote down themselves, which the capture rate is measured against.
#[test]
fn every_recorded_transcript_is_understood() {
    for tour in tours() {
        for (name, bytes) in tour.transcripts() {
            let read = transcript(tour.agent, bytes.as_slice()).unwrap();
            assert_eq!((read.damaged, read.is_cut), (0, false), "{} {name}", tour.name);
            assert!(read.session.is_some(), "{} {name}", tour.name);
            let name = name.trim_end_matches(".jsonl");
            insta::assert_snapshot!(format!("{name}-{}", tour.name), transcript_lines(&read));
        }
    }
}

#[test]
fn resuming_and_compacting_are_marked() {
    assert!(only("claude-resume").was_resumed());
    assert!(!only("claude-work").was_resumed());
    assert!(only("claude-compaction").was_compacted());
    assert!(only("codex-compaction").was_compacted());
    assert!(!only("codex-work").was_compacted());
}

/// A call that was cut off has only begun.
#[test]
fn a_killed_agent_leaves_a_call_without_an_end() {
    let read = only("claude-killed");
    assert_eq!(read.operations().last().unwrap().end, End::Initiated);
}

/// Codex doesn't tell its hooks how a command ended; its transcript does, by the id of the call.
#[test]
fn exit_codes_are_in_the_transcript_of_codex() {
    let read = only("codex-work");
    let exits: Vec<_> = read.operations().filter_map(|operation| operation.end.exit()).collect();
    assert!(exits.contains(&0) && exits.iter().any(|exit| *exit > 0), "{exits:?}");
    // The same in code mode, whose calls are made from within a script.
    let read = only("codex-code-mode");
    assert!(read.operations().any(|o| o.tool == "Bash" && o.end.exit() == Some(0)));
}

/// Whatever becomes of the file: cut anywhere, no panic, and nothing is told that isn't there.
#[test]
fn a_transcript_that_is_still_written_is_read_as_far_as_it_goes() {
    for tour in tours() {
        let (_, bytes) = tour.transcripts().swap_remove(0);
        let whole = transcript(tour.agent, bytes.as_slice()).unwrap();
        for cut in (0..bytes.len()).step_by(997) {
            let part = transcript(tour.agent, &bytes[..cut]).unwrap();
            assert!(part.moments.len() <= whole.moments.len() + 1, "{} {cut}", tour.name);
            let at_line_end = cut == 0 || bytes[cut - 1] == b'\n';
            assert!(!at_line_end || !part.is_cut, "{} {cut}", tour.name);
        }
    }
}

#[test]
fn lines_that_make_no_sense_are_counted() {
    let text = "\n{\"type\":\"new-thing\"}\nnot json\n{\"type\":\"user\",\"message\":{\"content\":\"go\"},\"timestamp\":\"T\",}\n{\"type\":\"user\",\"mess";
    let read = transcript(Agent::Claude, text.as_bytes()).unwrap();
    assert_eq!((read.skipped, read.damaged, read.is_cut), (1, 2, true));
    assert_eq!(read.prompts().collect::<Vec<_>>(), ["go"]);
}

/// The end of a background command may be told in the middle of a turn, and ends its call.
#[test]
fn transcripts_tell_when_background_commands_end() {
    let call = json!({"type": "assistant", "timestamp": "T1Z", "message": {"content": [
        {"type": "tool_use", "id": "t1", "name": "Bash", "input": {"command": "c"}}]}});
    let result = json!({"type": "user", "timestamp": "T2Z", "toolUseResult": {"backgroundTaskId": "b1"},
        "message": {"content": [{"type": "tool_result", "tool_use_id": "t1", "content": "x"}]}});
    let notice = "<task-notification><task-id>b1</task-id><status>failed</status><summary>\
                  failed with exit code 5</summary></task-notification>";
    let queued = json!({"type": "attachment", "timestamp": "T3Z",
        "attachment": {"type": "queued_command", "prompt": notice}});
    let asked = json!({"type": "attachment", "timestamp": "T4Z",
        "attachment": {"type": "queued_command", "prompt": "and this"}});
    let text = [call, result, queued, asked].map(|line: Value| format!("{line}\n")).concat();
    let read = transcript(Agent::Claude, text.as_bytes()).unwrap();
    let lines: Vec<_> = read.operations().map(operation_line).collect();
    assert_eq!(lines, [r#"Bash command "c" & → failed 5 "failed with exit code 5" (transcript)"#]);
    assert_eq!(read.prompts().collect::<Vec<_>>(), ["and this"]);
}

/// What Codex ended itself because the turn was over has no exit code, whatever it writes.
#[test]
fn a_command_that_codex_cut_off_has_no_end() {
    let call = json!({"timestamp": "T1Z", "type": "response_item", "payload": {"type": "function_call",
        "name": "exec_command", "arguments": "{\"cmd\": \"sleep 9\"}", "call_id": "c1"}});
    let item = json!({"type": "CommandExecution", "id": "c1", "status": "failed", "exit_code": -1});
    let cut = json!({"timestamp": "T2Z", "type": "event_msg",
        "payload": {"type": "item_completed", "item": item}});
    let text = format!("{call}\n{cut}\n");
    let read = transcript(Agent::Codex, text.as_bytes()).unwrap();
    let operation = read.operations().next().unwrap();
    assert_eq!(operation.end, End::Initiated);
    assert!(!expects_hook(Agent::Codex, operation));
}

/// WL-22: a transcript says up to when it tells everything.
#[test]
fn the_newest_time_is_known() {
    for tour in tours() {
        let read = transcript(tour.agent, tour.transcripts()[0].1.as_slice()).unwrap();
        assert!(!read.newest.is_empty(), "{}", tour.name);
        assert!(read.moments.iter().all(|moment| moment.at <= read.newest), "{}", tour.name);
    }
    let text = "{\"type\":\"user\",\"message\":{\"content\":\"go\"}}\n";
    assert_eq!(transcript(Agent::Claude, text.as_bytes()).unwrap().newest, "");
}

/// WL-22: what a transcript lacks proves something only where it would have had it.
#[test]
fn what_a_transcript_would_have() {
    let check = |name: &str, lane: bool, call: &str, expected: bool| {
        let tour = tour(name);
        let all = tour.transcripts();
        let (_, bytes) = all.iter().find(|(file, _)| file == "transcript.jsonl").unwrap();
        let main = transcript(tour.agent, bytes.as_slice()).unwrap();
        let mut operation = main.operations().next().unwrap().clone();
        operation.lane = lane.then(|| "a1".to_owned());
        operation.call = Some(call.to_owned());
        operation.deed = countersign_domain::worklog::Deed::Command {
            command: "cargo test".into(),
            background: None,
            runner: Some("cargo".into()),
        };
        let told = would_tell(tour.agent, &main, &operation);
        assert_eq!(told, expected, "{name} {lane} {call}");
    };
    check("claude-resume", false, "toolu_1", true);
    check("claude-resume", true, "toolu_1", true);
    check("claude-work", true, "toolu_1", false);
    check("codex-work", false, "call_1", true);
    check("codex-work", false, "exec-1", true);
    check("codex-code-mode", false, "exec-1", true);
    check("codex-side-agent", true, "call_1", false);
    check("gemini-work", false, "", true);
}
