//! Codex' hooks: what its events mean, and how it is answered.

use countersign_domain::worklog::{Answer, Decision, Deed, End, News, Operation};

use super::tools::{deed, told};
use crate::agents::claude::hook::{blocked, denied, informed, source};
use crate::agents::payload::Payload;
use crate::agents::said::{Said, Words};
use crate::agents::words::{MAX_MESSAGE, MAX_RESULT, briefly};

/// What an event means; `None` for one that no version we know has.
pub(crate) fn news(payload: &Payload<'_>) -> Option<News> {
    let news = match payload.event.as_str() {
        "SessionStart" => News::Started { source: source(payload.field("source")) },
        "UserPromptSubmit" => {
            let text = payload.field("prompt").text_up_to(MAX_MESSAGE).unwrap_or_default();
            // A sub-agent is asked by its agent, and not by a person.
            match payload.lane {
                Some(_) => News::Notified { text, finished: None },
                None => News::Prompted { text },
            }
        }
        "PreToolUse" => {
            News::Began(Box::new(payload.operation(deed(&payload.call), End::Initiated)))
        }
        "PostToolUse" => {
            let deed = deed(&payload.call);
            let end = done(payload, &deed);
            News::Operated(Box::new(payload.operation(deed, end)))
        }
        "PreCompact" => News::Compacting,
        "PostCompact" => News::Compacted,
        "SubagentStart" => News::Delegated,
        "SubagentStop" => {
            let [transcript, message] =
                payload.pick(["agent_transcript_path", "last_assistant_message"]);
            let message = message.text_up_to(MAX_MESSAGE);
            News::Returned { transcript: transcript.text(), message }
        }
        "Stop" => {
            let [again, message] = payload.pick(["stop_hook_active", "last_assistant_message"]);
            let message = message.text_up_to(MAX_MESSAGE);
            News::Stopping { again: again.is_true(), message, background: Vec::new() }
        }
        "Interrupt" => News::Interrupted,
        "SessionEnd" => News::Closed { reason: briefly(payload.field("reason")) },
        "PermissionRequest" | "PreModelRequest" | "PostModelRequest" => News::Other,
        _ => return None,
    };
    Some(news)
}

/// The response to a command is its bare output, which says nothing about its exit code.
fn done(payload: &Payload<'_>, deed: &Deed) -> End {
    match deed {
        Deed::Edit { .. } | Deed::Write { .. } => {
            told(&payload.call.response.text_up_to(MAX_RESULT).unwrap_or_default(), deed)
        }
        _ => End::Completed { exit: None },
    }
}

/// The answer to an event, in the same words as Claude Code's where Codex has them.
pub(crate) fn answer(event: &str, answer: &Answer) -> Said {
    let words = Words::default().and_to_user(answer);
    match (answer.decision, event) {
        (Decision::Block, "PreToolUse") => denied(words, event, answer),
        (Decision::Block, "Stop" | "SubagentStop" | "UserPromptSubmit" | "PostToolUse") => {
            blocked(words, answer)
        }
        (_, "UserPromptSubmit" | "SessionStart" | "PreToolUse" | "PostToolUse") => {
            informed(words, event, answer)
        }
        _ => words.said(),
    }
}

/// Whether an event of its own tells of the end of such a call. Codex tells of commands, patches,
/// calls over MCP and new agents, and only if they succeeded or were commands.
pub(crate) fn expects_hook(operation: &Operation) -> bool {
    match (&operation.deed, &operation.end) {
        (_, End::Denied { .. } | End::Rejected { .. } | End::Initiated | End::Interrupted) => false,
        // Told of only if a later look at it saw it end.
        (Deed::Command { background, .. }, _) => background.is_none(),
        (Deed::Edit { .. } | Deed::Write { .. } | Deed::Delegate { .. }, End::Completed { .. }) => {
            true
        }
        (Deed::Other { .. }, End::Completed { .. }) => operation.tool.starts_with("mcp__"),
        _ => false,
    }
}
