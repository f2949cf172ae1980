//! As much of a client of the Model Context Protocol as writing a memory takes: initialise, and
//! call one tool. Everything else that a server says is answered politely or left alone.

use std::time::{Duration, Instant};

use countersign_domain::memory::Cause;
use serde_json::{Value, json};

use super::conversation::{Conversation, Failure, Partner};

/// A version that every server knows; a server may answer with another.
const VERSION: &str = "2025-06-18";
/// How much of a server's words is kept.
const MAX_DETAIL: usize = 500;

/// A server that starts gets this many times the patience for its first answer: an interpreter
/// that loads a language server takes seconds on a busy machine, and is not down for it.
pub(super) const START: u32 = 3;

/// Writes `text` as the memory `name` of the server behind `partner`. Each answer must come
/// within `patience`, once the server has started.
pub(super) fn write_memory(
    partner: Partner,
    patience: Duration,
    (name, text): (&str, &str),
) -> Result<(), Failure> {
    let starting = patience.saturating_mul(START);
    let mut conversation = Conversation::start(partner, Instant::now() + starting)?;
    let hello = json!({
        "protocolVersion": VERSION,
        "capabilities": {},
        "clientInfo": { "name": "countersign", "version": env!("CARGO_PKG_VERSION") },
    });
    ask(&mut conversation, (1, "initialize"), &hello, starting)?;
    let deadline = Instant::now() + patience;
    let ready = json!({ "jsonrpc": "2.0", "method": "notifications/initialized" });
    conversation.say(&ready.to_string(), deadline)?;
    // The names of the arguments are Serena's, and ours too.
    let call = json!({
        "name": "write_memory",
        "arguments": { "memory_name": name, "content": text },
    });
    let done = ask(&mut conversation, (2, "tools/call"), &call, patience)?;
    if done["isError"] == true {
        let words = done["content"][0]["text"].as_str().unwrap_or("it gave no reason");
        return Err(Failure::new(Cause::Refused, shortened(words)));
    }
    Ok(())
}

/// Asks for something and waits for the answer to it.
fn ask(
    conversation: &mut Conversation,
    (id, method): (u32, &str),
    params: &Value,
    patience: Duration,
) -> Result<Value, Failure> {
    let deadline = Instant::now() + patience;
    let request = json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params });
    conversation.say(&request.to_string(), deadline)?;
    let mut noise = None;
    loop {
        let line = match conversation.hear(deadline) {
            Ok(line) => line,
            Err(Failure { cause: Cause::NoAnswer, detail }) => {
                return Err(match noise {
                    None => Failure::new(Cause::NoAnswer, format!("{method}: {detail}")),
                    Some(noise) => Failure::new(Cause::Garbled, noise),
                });
            }
            Err(failure) => return Err(failure),
        };
        let Ok(message) = serde_json::from_slice::<Value>(&line) else {
            // Some programs greet before they speak the protocol.
            noise = Some(shortened(&String::from_utf8_lossy(&line)));
            continue;
        };
        if let Some(answer) = polite(&message) {
            conversation.say(&answer.to_string(), deadline)?;
        }
        if message["id"] != id || message.get("method").is_some() {
            continue;
        }
        if let Some(error) = message.get("error") {
            let words = error["message"].as_str().unwrap_or("it gave no reason");
            return Err(Failure::new(Cause::Refused, shortened(words)));
        }
        return match message.get("result") {
            Some(result) if result.is_object() => Ok(result.clone()),
            _ => Err(Failure::new(Cause::Garbled, shortened(&message.to_string()))),
        };
    }
}

/// The answer to what a server asks of its client.
fn polite(message: &Value) -> Option<Value> {
    let (id, method) = (message.get("id")?, message.get("method")?.as_str()?);
    Some(match method {
        "ping" => json!({ "jsonrpc": "2.0", "id": id, "result": {} }),
        _ => json!({
            "jsonrpc": "2.0", "id": id,
            "error": { "code": -32601, "message": "this client only writes a memory" },
        }),
    })
}

fn shortened(text: &str) -> String {
    text.trim().chars().take(MAX_DETAIL).collect()
}
