//! Answers as OpenAI's Responses give them.

use serde_json::{Value, json};

use super::request::Request;
use super::script::{ToolCall, Turn};
use super::{Answer, Event, Ids};

pub(super) fn answer(request: &Request, turn: &Turn, ids: &mut Ids) -> Answer {
    let mut items = Vec::new();
    if let Some(text) = &turn.text {
        let content = json!([{"type": "output_text", "text": text, "annotations": []}]);
        items.push(json!({
            "type": "message", "id": ids.next("msg_"), "role": "assistant",
            "status": "completed", "content": content,
        }));
    }
    items.extend(turn.calls.iter().map(|call| item(call, ids)));
    let input = turn.input_tokens.unwrap_or(100);
    let mut whole = json!({
        "id": ids.next("resp_"), "object": "response", "created_at": 0, "error": null,
        "model": request.model(), "status": "in_progress", "output": [], "usage": null,
    });
    let mut events: Vec<Event> =
        vec![(Some("response.created"), json!({"type": "response.created", "response": whole}))];
    for (index, item) in items.iter().enumerate() {
        events.extend(item_events(index, item));
    }
    whole["status"] = json!("completed");
    whole["output"] = items.into();
    whole["usage"] = json!({
        "input_tokens": input, "input_tokens_details": {"cached_tokens": 0}, "output_tokens": 10,
        "output_tokens_details": {"reasoning_tokens": 0}, "total_tokens": input + 10,
    });
    let done = json!({"type": "response.completed", "response": whole});
    events.push((Some("response.completed"), done));
    Answer { events, whole }
}

fn item(call: &ToolCall, ids: &mut Ids) -> Value {
    let call_id = ids.next("call_");
    if call.is_text {
        return json!({
            "type": "custom_tool_call", "id": ids.next("ctc_"), "call_id": call_id,
            "status": "completed", "name": call.name, "input": call.input,
        });
    }
    let mut item = json!({
        "type": "function_call", "id": ids.next("fc_"), "call_id": call_id,
        "status": "completed", "name": call.name, "arguments": call.input.to_string(),
    });
    if let Some(namespace) = &call.namespace {
        item["namespace"] = json!(namespace);
    }
    item
}

fn item_events(index: usize, item: &Value) -> Vec<Event> {
    let mut start = item.clone();
    start["status"] = json!("in_progress");
    let mut events = Vec::new();
    let mut push = |name: &'static str, mut data: Value| {
        data["type"] = json!(name);
        data["output_index"] = json!(index);
        events.push((Some(name), data));
    };
    let is_message = item["type"] == "message";
    if is_message {
        start["content"] = json!([]);
    }
    push("response.output_item.added", json!({"item": start}));
    if is_message {
        let text = &item["content"][0]["text"];
        let place = json!({"item_id": item["id"], "content_index": 0, "delta": text});
        push("response.output_text.delta", place);
    }
    push("response.output_item.done", json!({"item": item}));
    events
}

pub(super) fn error(status: u16, words: &str) -> Value {
    let kind = if status < 500 { "invalid_request_error" } else { "server_error" };
    json!({"error": {"message": words, "type": kind, "param": null, "code": kind}})
}
