//! The stored form of verifications: what was written once can be read for ever. The files are only ever
//! added to.

#![allow(clippy::unwrap_used)]

use countersign_domain::ledger::Stored as _;
use countersign_domain::verify::VerifyEvent;

/// The name that an event is stored under. A new kind of event must be added here, and then a file is
/// missing until there is one.
fn stored_name(event: &VerifyEvent) -> &'static str {
    match event {
        VerifyEvent::Opened { .. } => "opened",
        VerifyEvent::Ran { .. } => "ran",
        VerifyEvent::Reused { .. } => "reused",
        VerifyEvent::Judged { .. } => "judged",
        VerifyEvent::Reviewed { .. } => "reviewed",
    }
}

/// PL-01: every kind of event has a stored body that reads and writes as it always did.
#[test]
fn stored_events_are_read_and_written_alike() {
    for (kind, body) in [
        ("opened", include_str!("verify/stored/opened.json")),
        ("ran", include_str!("verify/stored/ran.json")),
        ("ran", include_str!("verify/stored/ran-planted.json")),
        ("ran", include_str!("verify/stored/ran-wrong.json")),
        ("ran", include_str!("verify/stored/ran-mutated.json")),
        ("reused", include_str!("verify/stored/reused.json")),
        ("judged", include_str!("verify/stored/judged.json")),
        ("reviewed", include_str!("verify/stored/reviewed.json")),
    ] {
        let event = VerifyEvent::decode(&format!("verify.{kind}"), body.trim_end()).unwrap();
        assert_eq!(stored_name(&event), kind);
        let (again, written) = event.encode().unwrap();
        assert_eq!((again, written.as_str()), (format!("verify.{kind}"), body.trim_end()));
    }
}

/// PL-01: what was stored before receipts said more is read as it was, and written so.
#[test]
fn older_receipts_stay_what_they_were() {
    let body = include_str!("verify/stored/ran.json").trim_end();
    let mut value: serde_json::Value = serde_json::from_str(body).unwrap();
    value["receipt"].as_object_mut().unwrap().remove("level");
    let execution = value["receipt"]["execution"].as_object_mut().unwrap();
    for name in ["report", "used", "tools"] {
        execution.remove(name);
    }
    let event = VerifyEvent::decode("verify.ran", &value.to_string()).unwrap();
    let (_, written) = event.encode().unwrap();
    assert_eq!(serde_json::from_str::<serde_json::Value>(&written).unwrap(), value);
}
