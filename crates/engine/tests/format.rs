//! The format on disk: what was stored once can be read for ever.
//!
//! The files in `golden/` are only ever added to. One that stops fitting is a ledger of
//! somebody that can't be read any more: change the code, not the file.

#![allow(clippy::unwrap_used)]

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use countersign_domain::ledger::{Event, Stored as _};
use countersign_domain::relay::RelayEvent;
use countersign_domain::run::{Run, RunEvent};
use countersign_engine::ledger::verify_file;
use serde_json::Value;

fn golden() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden")
}

/// The stored bodies of runs.
fn bodies() -> Vec<(String, String)> {
    bodies_in("events")
}

/// The stored bodies: the files of a folder in `golden`, named `kind` or `kind-what.json`.
fn bodies_in(folder: &str) -> Vec<(String, String)> {
    let mut files: Vec<PathBuf> =
        fs::read_dir(golden().join(folder)).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    files
        .into_iter()
        .map(|path| {
            let stem = path.file_stem().unwrap().to_str().unwrap().to_owned();
            let kind = stem.split('-').next().unwrap_or_default().to_owned();
            (kind, fs::read_to_string(&path).unwrap().trim_end().to_owned())
        })
        .collect()
}

/// The name that an event is stored under. A new kind of event must be added here, and then
/// a golden file is missing until there is one.
fn stored_name(event: &RunEvent) -> &'static str {
    match event {
        RunEvent::Opened(_) => "opened",
        RunEvent::Prepared { .. } => "prepared",
        RunEvent::Launched { .. } => "launched",
        RunEvent::Interrupted { .. } => "interrupted",
        RunEvent::Worked { .. } => "worked",
        RunEvent::Snapshotted { .. } => "snapshotted",
        RunEvent::Checked(_) => "checked",
        RunEvent::Ruled(_) => "ruled",
        RunEvent::Committed { .. } => "committed",
        RunEvent::CancelRequested { .. } => "cancel_requested",
        RunEvent::Closed(_) => "closed",
        RunEvent::Reviewed(_) => "reviewed",
        RunEvent::Claimed { .. } => "claimed",
        RunEvent::Examined(_) => "examined",
        RunEvent::VerifierLaunched { .. } => "verifier_launched",
        RunEvent::Verified(_) => "verified",
        RunEvent::VerifierInterrupted { .. } => "verifier_interrupted",
        RunEvent::Looked { .. } => "looked",
        RunEvent::Waited { .. } => "waited",
        RunEvent::Asked { .. } => "asked",
        RunEvent::Resolved { .. } => "resolved",
    }
}

/// As [`stored_name`], for relays.
fn stored_relay_name(event: &RelayEvent) -> &'static str {
    match event {
        RelayEvent::Opened(_) => "opened",
        RelayEvent::Started { .. } => "started",
        RelayEvent::Ended { .. } => "ended",
        RelayEvent::Landed { .. } => "landed",
        RelayEvent::Collided { .. } => "collided",
        RelayEvent::Reopened { .. } => "reopened",
        RelayEvent::CancelRequested { .. } => "cancel_requested",
        RelayEvent::Closed(_) => "closed",
    }
}

const RELAY_KINDS: [&str; 8] =
    ["opened", "started", "ended", "landed", "collided", "reopened", "cancel_requested", "closed"];

/// PL-01: the events of relays read and write as they always did.
#[test]
fn stored_events_of_relays_are_read_and_written_alike() {
    let mut found = BTreeSet::new();
    for (kind, body) in bodies_in("relay_events") {
        let event = RelayEvent::decode(&format!("relay.{kind}"), &body)
            .unwrap_or_else(|error| panic!("a stored {kind} can't be read: {error}\n{body}"));
        assert_eq!(stored_relay_name(&event), kind);
        assert_eq!(event.encode().unwrap(), (format!("relay.{kind}"), body));
        found.insert(kind);
    }
    assert_eq!(found, RELAY_KINDS.iter().map(|kind| (*kind).to_owned()).collect());
}

const KINDS: [&str; 21] = [
    "looked",
    "reviewed",
    "claimed",
    "examined",
    "verifier_launched",
    "verified",
    "verifier_interrupted",
    "waited",
    "asked",
    "resolved",
    "opened",
    "prepared",
    "launched",
    "interrupted",
    "worked",
    "snapshotted",
    "checked",
    "ruled",
    "committed",
    "cancel_requested",
    "closed",
];

/// PL-01: every kind of event has a stored body that reads and writes as it always did.
#[test]
fn stored_events_are_read_and_written_alike() {
    let mut found = BTreeSet::new();
    for (kind, body) in bodies() {
        let event = RunEvent::decode(&format!("run.{kind}"), &body)
            .unwrap_or_else(|error| panic!("a stored {kind} can't be read: {error}\n{body}"));
        assert_eq!(stored_name(&event), kind);
        let (again, written) = event.encode().unwrap();
        assert_eq!((again, written), (format!("run.{kind}"), body));
        found.insert(kind);
    }
    assert_eq!(found, KINDS.iter().map(|kind| (*kind).to_owned()).collect());
}

/// PL-01: every value that a stored field can have is among the stored bodies.
#[test]
fn every_stored_word_has_an_example() {
    let all: String = bodies().into_iter().map(|(_, body)| body + "\n").collect();
    let words = [
        ("how", "exited signalled timed_out flooded cancelled not_started lost"),
        ("reason", "worker_failed nothing_changed check_failed no_checks"),
        ("decision", "accept revise block"),
        ("because", "attempts_exhausted nothing_to_check cancelled"),
        ("outcome", "accepted refused"),
        ("sort", "setting hook file replaced own hidden pushed reference index files"),
    ];
    for (name, values) in words {
        for value in values.split(' ') {
            let field = format!("\"{name}\":\"{value}\"");
            assert!(all.contains(&field), "no stored body has {field}");
        }
    }
}

fn export() -> String {
    fs::read_to_string(golden().join("export-1.jsonl")).unwrap()
}

/// The key that sealed the stored export.
const KEY: &str = include_str!("golden/export-1.key");

/// SE-01: an export of the first version is intact for ever, and lists what it always did.
#[test]
fn a_stored_export_stays_intact() {
    let key = KEY.trim().parse().unwrap();
    let verification = verify_file(&mut export().as_bytes(), Some(key)).unwrap();
    assert!(verification.intact, "{:#?}", verification.report);
    assert_eq!(verification.report.unsealed_events, 0);
    assert_eq!(verification.report.retained_bodies, 1);
    let types: Vec<String> = export()
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap()["type"].as_str().unwrap().into())
        .collect();
    assert_eq!(types.first().unwrap(), "header");
    assert_eq!(types.last().unwrap(), "end");
    assert_eq!(
        types.iter().filter(|name| *name == "event").count() as u64,
        verification.report.events
    );
}

/// PL-01: the run in the stored export still folds to the end it had.
#[test]
fn a_stored_run_replays() {
    let mut events = Vec::new();
    for line in export().lines() {
        let line: Value = serde_json::from_str(line).unwrap();
        let Ok(event) = serde_json::from_value::<Event>(line["event"].clone()) else { continue };
        if event.stream.as_str().starts_with("run/") {
            events.push(RunEvent::decode(&event.kind, event.body.as_ref().unwrap()).unwrap());
        }
    }
    let run = Run::replay(events).unwrap().unwrap();
    assert_eq!((run.attempt, run.rulings.len()), (2, 2));
    assert!(run.outcome().is_some());
}

/// SE-01: any single byte of the stored export that is changed is noticed, or changes nothing
/// that is vouched for (when it was exported, and the key that the file names itself).
#[test]
fn every_change_of_a_stored_export_is_noticed() {
    let text = export();
    let key = KEY.trim().parse().unwrap();
    let header = text.find('\n').unwrap();
    for at in (header + 1..text.len()).step_by(97) {
        let mut bytes = text.clone().into_bytes();
        bytes[at] = if bytes[at] == b'7' { b'8' } else { b'7' };
        let intact = verify_file(&mut bytes.as_slice(), Some(key)).is_ok_and(|found| found.intact);
        let near = &text[at.saturating_sub(30)..(at + 30).min(text.len())];
        assert!(!intact, "byte {at} changed unnoticed: {near}");
    }
}
