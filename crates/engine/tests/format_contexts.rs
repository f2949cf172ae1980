//! The format of contexts on disk: what was stored once can be read for ever.
//!
//! The files in `golden/context_events/` are only ever added to. One that stops fitting is a
//! context of somebody that can't be read any more: change the code, not the file.

#![allow(clippy::unwrap_used)]

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use countersign_domain::context::{Context, ContextEvent};
use countersign_domain::ledger::Stored as _;
use jiff::Timestamp;

/// The stored bodies: files named `kind.json` or `kind-what.json`.
fn bodies() -> Vec<(String, String)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden/context_events");
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
fn stored_name(event: &ContextEvent) -> &'static str {
    match event {
        ContextEvent::Opened(_) => "opened",
        ContextEvent::Updated(_) => "updated",
        ContextEvent::Blocked { .. } => "blocked",
        ContextEvent::Cleared { .. } => "cleared",
        ContextEvent::Handed(_) => "handed",
        ContextEvent::Drifted(_) => "drifted",
        ContextEvent::Resolved(_) => "resolved",
        ContextEvent::Adopted(_) => "adopted",
        ContextEvent::Measured(_) => "measured",
        ContextEvent::Attached(_) => "attached",
        ContextEvent::Rebuilt(_) => "rebuilt",
        ContextEvent::Tampered { .. } => "tampered",
        ContextEvent::Purged { .. } => "purged",
        ContextEvent::Released {} => "released",
    }
}

const KINDS: &str = "opened updated blocked cleared handed drifted resolved adopted measured \
                     attached rebuilt tampered purged released";

/// PL-01: every stored event is read, and written again as it was, to the byte.
#[test]
fn every_stored_event_still_reads() {
    let mut seen = BTreeSet::new();
    for (kind, body) in bodies() {
        let event = ContextEvent::decode(&format!("context.{kind}"), &body).unwrap();
        assert_eq!(stored_name(&event), kind);
        assert_eq!(event.encode().unwrap(), (format!("context.{kind}"), body), "{kind}");
        seen.insert(kind);
    }
    let all: BTreeSet<String> = KINDS.split_whitespace().map(str::to_owned).collect();
    assert_eq!(seen, all, "a kind of event has no golden file");
}

/// PL-01: the fold takes every one of them in.
#[test]
fn every_stored_event_still_folds() {
    let decoded: Vec<ContextEvent> = bodies()
        .into_iter()
        .map(|(kind, body)| ContextEvent::decode(&format!("context.{kind}"), &body).unwrap())
        .collect();
    let is_opening = |event: &&ContextEvent| matches!(event, ContextEvent::Opened(_));
    let opening = decoded.iter().find(is_opening).unwrap().clone();
    let events = std::iter::once(opening).chain(decoded.iter().filter(|e| !is_opening(e)).cloned());
    let timed = events
        .zip(1_000..)
        .map(|(event, second)| (Timestamp::from_second(second).unwrap(), "user".to_owned(), event));
    let context = Context::replay("TASK-0824", timed).unwrap();
    assert!(context.purged.is_some() && context.is_released);
    // One opening was taken in, however many are kept.
    let others = decoded.iter().filter(|event| !is_opening(event)).count();
    assert_eq!(usize::try_from(context.updates).unwrap(), others);
}
