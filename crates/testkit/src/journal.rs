//! Journals as tests compare them: what happened, without what differs from run to run.

use serde_json::{Value, json};

/// The kinds of a journal's events, in order, without their prefix.
pub fn kinds(journal: &Value) -> Vec<String> {
    entries(journal)
        .iter()
        .map(|entry| {
            let kind = entry["kind"].as_str().unwrap_or_default();
            kind.strip_prefix("run.").unwrap_or(kind).to_owned()
        })
        .collect()
}

/// Every event's kind and body without names, times, hashes and durations.
pub fn normalised(journal: &Value) -> Vec<Value> {
    entries(journal)
        .iter()
        .map(|entry| {
            let mut event = entry["event"].clone();
            erase(&mut event);
            json!({ "kind": entry["kind"], "event": event })
        })
        .collect()
}

/// A journal without what was cut off: each `Interrupted` with all of its attempt before it, and each
/// `VerifierInterrupted` with the launch before it.
pub fn without_interruptions(journal: Vec<Value>) -> Vec<Value> {
    let mut kept: Vec<Value> = Vec::new();
    let begun_by = |event: &Value| match event["kind"].as_str() {
        Some("run.interrupted") => Some("run.prepared"),
        Some("run.verifier_interrupted") => Some("run.verifier_launched"),
        _ => None,
    };
    for event in journal {
        match begun_by(&event) {
            Some(first) => while kept.pop().is_some_and(|last| last["kind"] != first) {},
            None => kept.push(event),
        }
    }
    kept
}

fn entries(journal: &Value) -> &[Value] {
    journal["entries"].as_array().map_or(&[], Vec::as_slice)
}

/// Fields that hold what differs from one run to the next. Trees are kept: the same work gives
/// the same tree.
const DIFFERING: &[&str] = &[
    "run",
    "relay",
    "purse",
    // It names the commits of the project, and when its files were written.
    "fingerprint",
    // The commit that a leg starts from; where a base is described in full, its tree is kept.
    "base",
    "contract_hash",
    "contract",
    "signature",
    "prompt",
    "started_at",
    "duration_ms",
    // Whether the last of a confined tree is gone a moment sooner or later is the machine's affair.
    "stragglers",
    "cpu_ms",
    "peak_bytes",
    "environment",
    "blob",
    "receipt",
    "receipts",
    "commit",
    "base_commit",
    "branch",
    "verification",
    "checkpoint",
    "report",
    "at",
];

fn erase(value: &mut Value) {
    match value {
        Value::Object(map) => {
            for (name, inner) in map {
                // A contract is named by its hash in receipts, and there in full when opened.
                if DIFFERING.contains(&name.as_str()) && (inner.is_string() || inner.is_number()) {
                    *inner = json!("…");
                } else if name == "receipts" {
                    *inner = json!(inner.as_array().map_or(0, Vec::len));
                } else {
                    erase(inner);
                }
            }
        }
        Value::Array(all) => all.iter_mut().for_each(erase),
        _ => {}
    }
}
