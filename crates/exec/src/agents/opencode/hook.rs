//! OpenCode's plugin, which is ours: what it tells of OpenCode's events, and how it is answered.
//! It uses Claude Code's names for events; OpenCode's own are understood too.

use countersign_domain::worklog::{Answer, End, News, Operation};

use super::tools::{deed, done, failed};
use crate::agents::claude;
use crate::agents::claude::hook::source;
use crate::agents::payload::Payload;
use crate::agents::said::Said;
use crate::agents::words::{MAX_MESSAGE, briefly};

/// What an event means; `None` for one that our plugin never sends.
pub(crate) fn news(payload: &Payload<'_>) -> Option<News> {
    let news = match payload.event.as_str() {
        "SessionStart" | "session.created" => {
            News::Started { source: source(payload.field("source")) }
        }
        "UserPromptSubmit" | "chat.message" => {
            let text = payload.field("prompt").text_up_to(MAX_MESSAGE).unwrap_or_default();
            // A sub-agent is asked by its agent, and not by a person.
            match payload.lane {
                Some(_) => News::Notified { text, finished: None },
                None => News::Prompted { text },
            }
        }
        "PreToolUse" | "tool.execute.before" => {
            News::Began(Box::new(payload.operation(deed(&payload.call), End::Initiated)))
        }
        "PostToolUse" | "tool.execute.after" => {
            let deed = deed(&payload.call);
            let end = done(&payload.call, &deed);
            News::Operated(Box::new(payload.operation(deed, end)))
        }
        "PostToolUseFailure" => {
            let end = failed(payload.field("error"));
            News::Operated(Box::new(payload.operation(deed(&payload.call), end)))
        }
        "SubagentStart" => News::Delegated,
        "SubagentStop" => News::Returned { transcript: None, message: None },
        "PostCompact" | "session.compacted" => News::Compacted,
        "Stop" | "session.idle" => {
            News::Stopping { again: false, message: None, background: Vec::new() }
        }
        "StopFailure" | "session.error" => News::Broke { why: briefly(payload.field("error")) },
        "SessionEnd" | "session.deleted" => {
            News::Closed { reason: briefly(payload.field("reason")) }
        }
        _ => return None,
    };
    Some(news)
}

/// The plugin takes Claude Code's words, and can refuse a call; nothing else is heard.
pub(crate) fn answer(event: &str, answer: &Answer) -> Said {
    match event {
        "PreToolUse" => claude::hook::answer(event, answer),
        "tool.execute.before" => claude::hook::answer("PreToolUse", answer),
        _ => Said::default(),
    }
}

/// Whether an event of its own tells of the end of such a call: the plugin tells of failures too.
pub(crate) fn expects_hook(operation: &Operation) -> bool {
    !matches!(operation.end, End::Initiated)
}
