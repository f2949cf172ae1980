//! What the program says about sessions, read as a script would.

use countersign_testkit::agents::Stage;
use serde_json::Value;

/// All sessions of the project, as `worklog list` has them.
pub(crate) fn sessions(stage: &Stage) -> Vec<Value> {
    let data = stage.project.run(["worklog", "list", "--format", "json"]).expect(0).data();
    data.as_array().unwrap_or_else(|| panic!("no list: {data}")).clone()
}

/// The one session there is.
#[track_caller]
pub(crate) fn only_session(stage: &Stage) -> Value {
    let mut all = sessions(stage);
    assert_eq!(all.len(), 1, "{all:#?}");
    all.remove(0)
}

/// A session, whole.
pub(crate) fn shown(stage: &Stage, session: &Value) -> Value {
    let id = session["session"].as_str().unwrap();
    stage.project.run(["worklog", "show", id, "--format", "json"]).expect(0).data()
}

/// Expects the transcript to confirm what is on the record: an agent that did nothing wrong is
/// accused of nothing.
#[track_caller]
pub(crate) fn expect_confirmed(stage: &Stage, session: &Value) {
    let shown = shown(stage, session);
    let doubts = [&shown["incomplete"], &shown["unconfirmed"]];
    assert!(doubts.iter().all(|doubt| doubt.is_null()), "{doubts:?} {shown:#}");
}

/// The entries of a session.
pub(crate) fn entries(stage: &Stage, session: &Value) -> Vec<Value> {
    let shown = shown(stage, session);
    shown["entries"].as_array().unwrap_or_else(|| panic!("no entries: {shown}")).clone()
}

/// The actions of the entries that an agent's operations became, in order; what the program did
/// itself is left out.
pub(crate) fn actions(entries: &[Value]) -> Vec<String> {
    const OURS: &[&str] = &["Checkpoint", "Verify", "CheckpointDetection"];
    let actions = entries.iter().filter_map(|entry| entry["action"].as_str());
    actions.filter(|action| !OURS.contains(action)).map(str::to_owned).collect()
}
