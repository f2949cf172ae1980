//! The format of sessions on disk: what was stored once can be read for ever.
//!
//! The files in `golden/session_events/` are only ever added to. One that stops fitting is a
//! worklog of somebody that can't be read any more: change the code, not the file.

#![allow(clippy::unwrap_used)]

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use countersign_domain::ledger::Stored as _;
use countersign_domain::worklog::SessionEvent;

/// The stored bodies: files named `kind.json` or `kind-what.json`.
fn bodies() -> Vec<(String, String)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden/session_events");
    let mut files: Vec<PathBuf> =
        fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    let body = |path: PathBuf| {
        let stem = path.file_stem().unwrap().to_str().unwrap().to_owned();
        let kind = stem.split('-').next().unwrap_or_default().to_owned();
        (kind, fs::read_to_string(&path).unwrap().trim_end().to_owned())
    };
    files.into_iter().map(body).collect()
}

/// The name that an event is stored under. A new kind of event must be added here and below, and
/// then a golden file is missing until there is one.
fn stored_name(event: &SessionEvent) -> &'static str {
    match event {
        SessionEvent::Opened(_) => "opened",
        SessionEvent::Prompted { .. } => "prompted",
        SessionEvent::Resumed { .. } => "resumed",
        SessionEvent::Compacted => "compacted",
        SessionEvent::Operated(_) => "operated",
        SessionEvent::Corrected { .. } => "corrected",
        SessionEvent::Notified { .. } => "notified",
        SessionEvent::Delegated { .. } => "delegated",
        SessionEvent::Returned { .. } => "returned",
        SessionEvent::Verified { .. } => "verified",
        SessionEvent::Resolved { .. } => "resolved",
        SessionEvent::Summarised(_) => "summarised",
        SessionEvent::Detected { .. } => "detected",
        SessionEvent::Told { .. } => "told",
        SessionEvent::Silenced { .. } => "silenced",
        SessionEvent::Incomplete { .. } => "incomplete",
        SessionEvent::Snapshotted { .. } => "snapshotted",
        SessionEvent::Troubled { .. } => "troubled",
        SessionEvent::Spent { .. } => "spent",
        SessionEvent::Skipped { .. } => "skipped",
        SessionEvent::Reconciled { .. } => "reconciled",
        SessionEvent::Compared { .. } => "compared",
        SessionEvent::Unconfirmed { .. } => "unconfirmed",
        SessionEvent::Published { .. } => "published",
        SessionEvent::Stopped { .. } => "stopped",
        SessionEvent::Ended(_) => "ended",
    }
}

const KINDS: &str = "opened prompted resumed compacted operated corrected notified delegated \
                     returned verified resolved summarised detected told silenced incomplete \
                     snapshotted troubled spent skipped reconciled compared unconfirmed \
                     published stopped ended";

/// WL-04, PL-01: every kind of event has a stored body that reads and writes as it always did.
#[test]
fn stored_events_are_read_and_written_alike() {
    let mut found = BTreeSet::new();
    for (kind, body) in bodies() {
        let event = SessionEvent::decode(&format!("session.{kind}"), &body)
            .unwrap_or_else(|error| panic!("a stored {kind} can't be read: {error}\n{body}"));
        assert_eq!(stored_name(&event), kind);
        let (again, written) = event.encode().unwrap();
        assert_eq!((again, written), (format!("session.{kind}"), body));
        found.insert(kind);
    }
    assert_eq!(found, KINDS.split_whitespace().map(str::to_owned).collect());
}

/// WL-04, PL-01: every value that a stored field can have is among the stored bodies.
#[test]
fn every_stored_word_has_an_example() {
    let all: String = bodies().into_iter().map(|(_, body)| body + "\n").collect();
    let words = [
        ("end", "initiated completed failed timed_out interrupted denied rejected"),
        ("kind", "todo edit write command delegate look"),
        ("kind", "todo_incomplete todo_dropped"),
        ("result", "pass mismatch timeout skipped"),
        ("resolution", "user_accepted aborted bypassed"),
        ("outcome", "success failure aborted abandoned"),
        ("seen", "hook batch transcript"),
        ("phase", "planning_complete execution_complete verification_complete"),
        ("tier", "STRICT STANDARD LIGHT"),
    ];
    for (name, values) in words {
        for value in values.split(' ') {
            let field = format!("\"{name}\":\"{value}\"");
            assert!(all.contains(&field), "no stored body has {field}");
        }
    }
}
