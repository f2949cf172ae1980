//! Answers as Anthropic's Messages give them.

use serde_json::{Value, json};

use super::request::Request;
use super::script::Turn;
use super::{Answer, Event, Ids};

pub(super) fn answer(request: &Request, turn: &Turn, ids: &mut Ids) -> Answer {
    let mut blocks = Vec::new();
    blocks.extend(turn.text.iter().map(|text| json!({"type": "text", "text": text})));
    for call in &turn.calls {
        let id = ids.next("toolu_");
        blocks.push(json!({"type": "tool_use", "id": id, "name": call.name, "input": call.input}));
    }
    let reason = if turn.calls.is_empty() { "end_turn" } else { "tool_use" };
    let usage = json!({
        "input_tokens": turn.input_tokens.unwrap_or(100), "output_tokens": 10,
        "cache_creation_input_tokens": 0, "cache_read_input_tokens": 0,
    });
    let mut whole = json!({
        "id": ids.next("msg_"), "type": "message", "role": "assistant", "model": request.model(),
        "content": [], "stop_reason": null, "stop_sequence": null, "usage": usage,
    });
    let mut events = vec![event(json!({"type": "message_start", "message": whole}))];
    for (index, block) in blocks.iter().enumerate() {
        events.extend(block_events(index, block));
    }
    let delta = json!({"stop_reason": reason, "stop_sequence": null});
    events.push(event(json!({"type": "message_delta", "delta": delta, "usage": usage})));
    events.push(event(json!({"type": "message_stop"})));
    whole["content"] = blocks.into();
    whole["stop_reason"] = json!(reason);
    Answer { events, whole }
}

fn block_events(index: usize, block: &Value) -> [Event; 3] {
    let mut start = block.clone();
    let delta = if block["type"] == "text" {
        start["text"] = json!("");
        json!({"type": "text_delta", "text": block["text"]})
    } else {
        start["input"] = json!({});
        json!({"type": "input_json_delta", "partial_json": block["input"].to_string()})
    };
    [
        event(json!({"type": "content_block_start", "index": index, "content_block": start})),
        event(json!({"type": "content_block_delta", "index": index, "delta": delta})),
        event(json!({"type": "content_block_stop", "index": index})),
    ]
}

/// An event bears the name of its type.
fn event(data: Value) -> Event {
    const NAMES: &[&str] = &[
        "message_start",
        "content_block_start",
        "content_block_delta",
        "content_block_stop",
        "message_delta",
        "message_stop",
    ];
    (NAMES.iter().find(|name| data["type"] == **name).copied(), data)
}

pub(super) fn error(status: u16, words: &str) -> Value {
    let kind = match status {
        429 => "rate_limit_error",
        0..500 => "invalid_request_error",
        _ => "api_error",
    };
    json!({"type": "error", "error": {"type": kind, "message": words}})
}
