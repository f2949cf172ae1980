//! Claude Code's hooks: what its events mean, and how it is answered.

use countersign_domain::worklog::{
    Answer, Decision, Deed, End, Finished, News, Operation, Seen, Source,
};
use serde_json::json;

use super::tools::{deed, done, failed, told};
use crate::agents::json::Json;
use crate::agents::payload::{Call, Payload};
use crate::agents::said::{Said, Words, reason};
use crate::agents::words::{MAX_MESSAGE, between, brief, briefly, ends, leading_number};

/// What an event means; `None` for one that no version we know has.
pub(crate) fn news(payload: &Payload<'_>) -> Option<News> {
    let news = match payload.event.as_str() {
        "SessionStart" => News::Started { source: source(payload.field("source")) },
        "UserPromptSubmit" => prompted(payload),
        "PreToolUse" => {
            News::Began(Box::new(payload.operation(deed(&payload.call), End::Initiated)))
        }
        "PostToolUse" => {
            let deed = deed(&payload.call);
            let end = done(&payload.call, &deed);
            News::Operated(Box::new(payload.operation(deed, end)))
        }
        "PostToolUseFailure" => News::Operated(Box::new(failure(payload))),
        "PermissionDenied" => {
            let end = End::Denied { why: briefly(payload.field("reason")) };
            News::Operated(Box::new(payload.operation(deed(&payload.call), end)))
        }
        "PostToolBatch" => News::Batch(batch(payload)),
        "SubagentStart" => News::Delegated,
        // A compaction ends like a sub-agent that never started and is of no sort.
        "SubagentStop" if payload.is_nameless => News::Other,
        "SubagentStop" => {
            let [transcript, message] =
                payload.pick(["agent_transcript_path", "last_assistant_message"]);
            let message = message.text_up_to(MAX_MESSAGE);
            News::Returned { transcript: transcript.text(), message }
        }
        "PreCompact" => News::Compacting,
        "PostCompact" => News::Compacted,
        "Stop" => stopping(payload),
        "StopFailure" => {
            let [error, message] = payload.pick(["error", "last_assistant_message"]);
            News::Broke { why: brief(&format!("{}: {}", briefly(error), briefly(message))) }
        }
        "ConfigChange" => {
            let [scope, file] = payload.pick(["source", "file_path"]);
            let scope = scope.text().unwrap_or_default();
            News::SettingsChanged { scope, file: file.text().unwrap_or_default() }
        }
        "SessionEnd" => News::Closed { reason: briefly(payload.field("reason")) },
        event if UNUSED.contains(&event) => News::Other,
        _ => return None,
    };
    Some(news)
}

/// Events that we know of and have no use for: what they tell, others tell too.
const UNUSED: [&str; 18] = [
    "CwdChanged",
    "DirectoryAdded",
    "Elicitation",
    "ElicitationResult",
    "FileChanged",
    "InstructionsLoaded",
    "MessageDisplay",
    "Notification",
    "PermissionRequest",
    "PostModelSwitch",
    "PreModelSwitch",
    "Setup",
    "TaskCompleted",
    "TaskCreated",
    "TeammateIdle",
    "UserPromptExpansion",
    "WorktreeCreate",
    "WorktreeRemove",
];

pub(crate) fn source(word: Json<'_>) -> Source {
    match word.text().as_deref() {
        Some("startup") => Source::Startup,
        Some("resume") => Source::Resume,
        Some("compact") => Source::Compact,
        Some("clear") => Source::Clear,
        _ => Source::Other,
    }
}

/// The end of a background command comes as if a person had typed it. What a sub-agent is asked
/// comes from its agent: it sets no flags.
fn prompted(payload: &Payload<'_>) -> News {
    let text = payload.field("prompt").text_up_to(MAX_MESSAGE).unwrap_or_default();
    if is_notification(&text) || payload.lane.is_some() {
        return News::Notified { finished: finished(&text), text };
    }
    News::Prompted { text }
}

pub(crate) fn is_notification(text: &str) -> bool {
    text.trim_start().starts_with("<task-notification>")
}

/// What a notification says about a task: its status, and the exit code in the summary's words.
pub(crate) fn finished(text: &str) -> Option<Finished> {
    let tag = |name: &str| between(text, &format!("<{name}>"), &format!("</{name}>"));
    let summary = tag("summary").unwrap_or_default();
    let exit = summary.rsplit_once("exit code ").and_then(|(_, rest)| leading_number(rest));
    let end = match (tag("status").unwrap_or_default(), exit) {
        ("completed", exit @ (None | Some(0))) => End::Completed { exit },
        ("killed" | "stopped", _) => End::Interrupted,
        ("running" | "pending", _) => return None,
        (_, exit) => End::Failed { exit, why: brief(summary) },
    };
    Some(Finished {
        task: tag("task-id")?.to_owned(),
        call: tag("tool-use-id").map(str::to_owned),
        end,
    })
}

fn failure(payload: &Payload<'_>) -> Operation {
    let deed = deed(&payload.call);
    let [error, interrupt] = payload.pick(["error", "is_interrupt"]);
    let end = if interrupt.is_true() { End::Interrupted } else { failed(&ends(error), &deed) };
    payload.operation(deed, end)
}

fn batch(payload: &Payload<'_>) -> Vec<Operation> {
    let operation = |item| {
        let call = Call::of(item);
        let deed = deed(&call);
        let end = told(&call, &deed);
        call.operation(deed, end, payload.lane.as_ref(), Seen::Batch)
    };
    payload.field("tool_calls").items().map(operation).collect()
}

fn stopping(payload: &Payload<'_>) -> News {
    let [again, message, tasks] =
        payload.pick(["stop_hook_active", "last_assistant_message", "background_tasks"]);
    let is_over = |task: &Json<'_>| {
        let status = task.field("status").text().unwrap_or_default();
        matches!(status.as_str(), "completed" | "failed" | "killed" | "stopped")
    };
    let running = tasks.items().filter(|task| !is_over(task));
    News::Stopping {
        again: again.is_true(),
        message: message.text_up_to(MAX_MESSAGE),
        background: running.filter_map(|task| task.field("id").id()).collect(),
    }
}

/// The answer to an event. What an event has no words for is left out: on `Stop`, words for the
/// model would keep it from stopping.
pub(crate) fn answer(event: &str, answer: &Answer) -> Said {
    let words = Words::default().and_to_user(answer);
    match (answer.decision, event) {
        (Decision::Block, "ConfigChange") => {
            Said { stderr: reason(answer).to_owned(), exit: 2, ..Said::default() }
        }
        (Decision::Block, "PreToolUse") => denied(words, event, answer),
        (Decision::Block, "PermissionRequest") => {
            let decision = json!({"behavior": "deny", "message": reason(answer)});
            words.specific(event, "decision", decision).said()
        }
        (
            Decision::Block,
            "Stop" | "SubagentStop" | "UserPromptSubmit" | "PostToolUse" | "PostToolUseFailure",
        ) => blocked(words, answer),
        (_, "UserPromptSubmit" | "SessionStart" | "PreToolUse" | "PostToolUse") => {
            informed(words, event, answer)
        }
        _ => words.said(),
    }
}

pub(crate) fn denied(words: Words, event: &str, answer: &Answer) -> Said {
    let decision = json!({
        "hookEventName": event,
        "permissionDecision": "deny",
        "permissionDecisionReason": reason(answer),
    });
    words.with("hookSpecificOutput", decision).said()
}

pub(crate) fn blocked(words: Words, answer: &Answer) -> Said {
    words.with("decision", json!("block")).with("reason", json!(reason(answer))).said()
}

pub(crate) fn informed(words: Words, event: &str, answer: &Answer) -> Said {
    match &answer.to_agent {
        Some(text) => words.specific(event, "additionalContext", json!(text)).said(),
        None => words.said(),
    }
}

/// The end of a call that is in a turn's list and of which no event of its own told. If its text
/// reads like a success, it may still be a refusal in words that we don't know, or a success
/// whose event was lost: only the transcript can say.
pub(crate) fn unheard(operation: &Operation) -> End {
    match &operation.end {
        End::Completed { .. } => End::Initiated,
        end => end.clone(),
    }
}

/// Whether an event of its own tells of the end of such a call.
pub(crate) fn expects_hook(operation: &Operation) -> bool {
    match (&operation.end, &operation.deed) {
        (End::Denied { .. } | End::Rejected { .. }, _) => false,
        // Of what goes into the background the event tells at once; the rest was cut off.
        (End::Initiated, deed) => matches!(deed, Deed::Command { background: Some(_), .. }),
        _ => true,
    }
}
