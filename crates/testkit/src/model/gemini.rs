//! Answers as Gemini's `generateContent` gives them.

use serde_json::{Value, json};

use super::script::Turn;
use super::{Answer, Ids};

pub(super) fn answer(turn: &Turn, ids: &mut Ids) -> Answer {
    let mut parts: Vec<Value> = turn.text.iter().map(|text| json!({"text": text})).collect();
    for call in &turn.calls {
        let id = ids.next("call_");
        parts.push(json!({"functionCall": {"id": id, "name": call.name, "args": call.input}}));
    }
    let input = turn.input_tokens.unwrap_or(100);
    let whole = json!({
        "candidates": [{
            "index": 0, "finishReason": "STOP", "content": {"role": "model", "parts": parts},
        }],
        "usageMetadata": {
            "promptTokenCount": input, "candidatesTokenCount": 10, "totalTokenCount": input + 10,
        },
        "modelVersion": "scripted", "responseId": ids.next("resp_"),
    });
    Answer { events: vec![(None, whole.clone())], whole }
}

pub(super) fn error(status: u16, words: &str) -> Value {
    json!({"error": {"code": status, "message": words, "status": "INTERNAL"}})
}
