//! The recordings that dialects are tested with are what the agents send today.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use countersign_testkit::agents::{RealAgent, record, tours};
use serde_json::Value;

/// How often each event was told of each tool, and with which fields.
fn shape(folder: &Path) -> BTreeMap<String, usize> {
    let mut counts = BTreeMap::new();
    for file in fs::read_dir(folder).unwrap().flatten() {
        if file.path().extension().is_none_or(|end| end != "json") {
            continue;
        }
        let payload: Value = serde_json::from_slice(&fs::read(file.path()).unwrap()).unwrap();
        let fields: Vec<&str> = payload.as_object().unwrap().keys().map(String::as_str).collect();
        let (event, tool) = (&payload["hook_event_name"], &payload["tool_name"]);
        *counts.entry(format!("{event} {tool} {}", fields.join(","))).or_default() += 1;
    }
    counts
}

#[track_caller]
fn check(agent: RealAgent, name: &str) {
    let tour = tours::named(agent, name);
    let folder = tempfile::tempdir().unwrap();
    let fresh = folder.path().join(name);
    if record(&tour, &fresh).is_none() {
        return;
    }
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../exec/tests/payloads");
    assert_eq!(shape(&fresh), shape(&root.join(agent.label()).join(name)), "{agent:?}/{name}");
}

/// D0.8: todos as one list, and as tasks one by one.
#[test]
fn claude_tells_what_was_recorded() {
    check(RealAgent::Claude, "todos");
    check(RealAgent::Claude, "resume");
}

/// WL-22: what the dialect of Codex is tested with.
#[test]
fn codex_tells_what_was_recorded() {
    check(RealAgent::Codex, "work");
    check(RealAgent::Codex, "code-mode");
}
