//! An agent that switches its hooks off is found out.

use std::fs;

use countersign_testkit::agents::{RealAgent, Stage, tours};
use serde_json::Value;

use crate::worklog::{actions, entries, only_session};
use crate::{ground, played, stage};

#[track_caller]
fn expect_everything(stage: &Stage, session: &Value) {
    let found = actions(&entries(stage, session));
    assert_eq!(ground::grouped(&found), ground::significant(stage));
}

/// WL-22: an agent that writes `disableAllHooks` into the project's settings is kept from it, and
/// nothing is missing.
#[test]
fn hooks_are_not_switched_off() {
    let Some(stage) = played(RealAgent::Claude, "tampering") else { return };
    let session = only_session(&stage);
    assert!(session["incomplete"].is_null(), "{session}");
    expect_everything(&stage, &session);
}

/// WL-22: where nothing keeps it from that, the session is marked as incomplete, and what the
/// transcript tells is there.
#[test]
fn hooks_that_were_switched_off_are_noticed() {
    let tour = tours::named(RealAgent::Claude, "tampering");
    let Some(stage) = stage(RealAgent::Claude, (tour.script)()) else { return };
    let path = stage.home().join(".claude/settings.json");
    let mut settings: Value = serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
    // As in versions that tell nobody about changed settings.
    settings["hooks"].as_object_mut().unwrap().remove("ConfigChange");
    fs::write(&path, settings.to_string()).unwrap();
    (tour.play)(&stage, tour.prompt);
    stage.project.run(["worklog", "retire"]).expect(0);
    let session = only_session(&stage);
    assert!(session["incomplete"].is_string(), "{session}");
    expect_everything(&stage, &session);
}
