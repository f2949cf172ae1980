//! The server for agents, spoken to as agents speak: frames of our own making in the shapes that
//! real clients send.

#![allow(clippy::unwrap_used)]

mod calls;
mod checkpoints;
mod contexts;
mod faults;
mod handshakes;
mod publish;

use countersign_testkit::{Call, Project, Ran};
use serde_json::{Value, json};

/// The program under test.
const PROGRAM: &str = env!("CARGO_BIN_EXE_countersign");

fn project() -> Project {
    Project::new(PROGRAM)
}

/// What a client that speaks `version` opens with.
fn hello(version: &str) -> Vec<Value> {
    let params = json!({
        "protocolVersion": version,
        "capabilities": { "roots": { "listChanged": true } },
        "clientInfo": { "name": "some-agent", "version": "1.0" },
    });
    vec![
        json!({ "jsonrpc": "2.0", "id": "hello", "method": "initialize", "params": params }),
        json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }),
    ]
}

fn tool(id: u64, name: &str, arguments: &Value) -> Value {
    let params = json!({ "name": name, "arguments": arguments, "_meta": { "progressToken": id } });
    json!({ "jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params })
}

fn lines(frames: &[Value]) -> Vec<u8> {
    frames.iter().flat_map(|frame| format!("{frame}\n").into_bytes()).collect()
}

/// The answers of a server that was told `input` and then nothing more. Nothing but frames may
/// be on its standard output, nothing at all on its standard error, and it ends by itself.
#[track_caller]
fn answers(call: Call, input: impl Into<Vec<u8>>) -> Vec<Value> {
    let ran: Ran = call.stdin(input).run().expect(0);
    assert_eq!(ran.err(), "");
    let out = ran.out();
    out.lines()
        .map(|line| {
            let frame: Value = serde_json::from_str(line).unwrap();
            assert_eq!(frame["jsonrpc"], "2.0", "{line}");
            frame
        })
        .collect()
}

/// The answer to `id`, of which there is exactly one.
#[track_caller]
fn answer(answers: &[Value], id: impl Into<Value>) -> &Value {
    let id = id.into();
    let found: Vec<&Value> = answers.iter().filter(|frame| frame["id"] == id).collect();
    assert_eq!(found.len(), 1, "{id} in {answers:?}");
    found[0]
}

/// Calls tools one after the other in one session; the results.
#[track_caller]
fn call_tools(project: &Project, calls: &[(&str, Value)]) -> Vec<Value> {
    let mut frames = hello("2025-06-18");
    frames.extend((1..).zip(calls).map(|(id, (name, arguments))| tool(id, name, arguments)));
    let answers = answers(project.call(["mcp"]), lines(&frames));
    let results = (1..=calls.len() as u64).map(|id| answer(&answers, id)["result"].clone());
    results.collect()
}

/// The text of a result that is an error, or is none, as `is_error` says.
#[track_caller]
fn text(result: &Value, is_error: bool) -> String {
    assert_eq!(result["isError"], is_error, "{result}");
    result["content"][0]["text"].as_str().unwrap().to_owned()
}
