//! Gemini CLI's transcripts: lines that are messages, or changes of what was said before. A
//! message is written again when its calls are done, with the same id.

use std::io::{self, BufRead};

use countersign_domain::worklog::{End, Seen};

use super::hook::is_ours;
use super::tools::{deed, failed_in_words, told};
use crate::agents::json::Json;
use crate::agents::payload::Call;
use crate::agents::transcript::{Draft, Transcript, What, read_lines};
use crate::agents::words::{MAX_MESSAGE, briefly, content};

/// Reads a chat.
pub(crate) fn read(input: impl BufRead) -> io::Result<Transcript> {
    let mut last_prompt = None;
    read_lines(input, |draft, line| take(draft, line, &mut last_prompt))
}

fn take(draft: &mut Draft, line: Json<'_>, last_prompt: &mut Option<String>) -> bool {
    let [session, id, at, sort, body, calls] =
        line.pick(["sessionId", "id", "timestamp", "type", "content", "toolCalls"]);
    if let Some(session) = session.id() {
        if draft.transcript.session.is_some() {
            draft.add(&at.text().unwrap_or_default(), What::Resumed);
        }
        draft.transcript.session = Some(session);
        return true;
    }
    let at = at.text().unwrap_or_default();
    draft.reach(&at);
    match sort.text().as_deref() {
        Some("user") => {
            let id = id.id();
            let text = content(body, MAX_MESSAGE).filter(|_| id != *last_prompt);
            // Results of calls come as a person's words too, and have no text.
            let is_by_person =
                |text: &String| !text.starts_with("<session_context>") && !is_ours(text);
            if let Some(text) = text.filter(is_by_person) {
                draft.add(&at, What::Prompt(text));
            }
            *last_prompt = id;
        }
        Some("gemini") => calls.items().for_each(|call| called(draft, &at, call)),
        _ => return false,
    }
    true
}

fn called(draft: &mut Draft, at: &str, item: Json<'_>) {
    let [id, name, args, result, status, own_time, display] =
        item.pick(["id", "name", "args", "result", "status", "timestamp", "resultDisplay"]);
    let call = Call {
        tool: name.text().unwrap_or_default(),
        input: args,
        response: Json::NONE,
        id: id.id(),
        duration_ms: None,
    };
    let mut deed = deed(&call, display);
    let response = result.items().next().unwrap_or(Json::NONE);
    let [output, error] =
        response.field("functionResponse").field("response").pick(["output", "error"]);
    let end = match status.text().as_deref() {
        Some("success") => told(output, &mut deed),
        Some("error") => failed_in_words(briefly(error)),
        Some("cancelled") => End::Interrupted,
        _ => End::Initiated,
    };
    let at = own_time.text().unwrap_or_else(|| at.to_owned());
    let operation = call.operation(deed, end, None, Seen::Transcript);
    match operation.call.as_deref().and_then(|id| draft.call(id)) {
        Some(known) => *known = operation,
        None => draft.begin(&at, operation),
    }
}
