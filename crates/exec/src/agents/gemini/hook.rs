//! Gemini CLI's hooks: what its events mean, and how it is answered. It has no ids of calls.

use countersign_domain::worklog::{Answer, Decision, End, News, Operation};
use serde_json::json;

use super::tools::{deed, error, told};
use crate::agents::claude::hook::{informed, source};
use crate::agents::json::Json;
use crate::agents::payload::Payload;
use crate::agents::said::{Said, Words, reason};
use crate::agents::words::{MAX_MESSAGE, briefly};

/// What an event means; `None` for one that no version we know has.
pub(crate) fn news(payload: &Payload<'_>) -> Option<News> {
    let news = match payload.event.as_str() {
        "SessionStart" => News::Started { source: source(payload.field("source")) },
        "BeforeAgent" => {
            let text = payload.field("prompt").text_up_to(MAX_MESSAGE).unwrap_or_default();
            if is_ours(&text) {
                return Some(News::Notified { text, finished: None });
            }
            News::Prompted { text }
        }
        "BeforeTool" => {
            let deed = deed(&payload.call, Json::NONE);
            News::Began(Box::new(payload.operation(deed, End::Initiated)))
        }
        "AfterTool" => News::Operated(Box::new(operated(payload))),
        "AfterAgent" => {
            let [again, message] = payload.pick(["stop_hook_active", "prompt_response"]);
            let message = message.text_up_to(MAX_MESSAGE);
            News::Stopping { again: again.is_true(), message, background: Vec::new() }
        }
        "SessionEnd" => News::Closed { reason: briefly(payload.field("reason")) },
        // Before every call of the model, whether anything is compressed or not.
        "PreCompress" | "BeforeModel" | "AfterModel" | "BeforeToolSelection" | "Notification" => {
            News::Other
        }
        _ => return None,
    };
    Some(news)
}

fn operated(payload: &Payload<'_>) -> Operation {
    let [said, display] = payload.call.response.pick(["llmContent", "returnDisplay"]);
    let mut deed = deed(&payload.call, display);
    let end = error(payload.call.response).unwrap_or_else(|| told(said, &mut deed));
    payload.operation(deed, end)
}

/// What is put before the reason why the agent may not stop: Gemini CLI takes the reason for the
/// next prompt, and tells its hooks of it as if a person had typed it.
const OURS: &str = "[countersign] ";

/// Whether it was us who said this.
pub(crate) fn is_ours(text: &str) -> bool {
    text.starts_with(OURS)
}

/// The answer to an event. To go on after `AfterAgent` is to deny it.
pub(crate) fn answer(event: &str, answer: &Answer) -> Said {
    let words = Words::default().and_to_user(answer);
    match (answer.decision, event) {
        (Decision::Block, "AfterAgent") => deny(words, &format!("{OURS}{}", reason(answer))),
        (Decision::Block, "BeforeTool" | "BeforeAgent" | "AfterTool") => {
            deny(words, reason(answer))
        }
        (_, "BeforeAgent" | "SessionStart" | "AfterTool") => informed(words, event, answer),
        _ => words.said(),
    }
}

fn deny(words: Words, why: &str) -> Said {
    words.with("decision", json!("deny")).with("reason", json!(why)).said()
}

/// Whether an event of its own tells of the end of such a call.
pub(crate) fn expects_hook(operation: &Operation) -> bool {
    operation.end.ran() && !matches!(operation.end, End::Initiated | End::Interrupted)
}
