//! Nothing that an agent did is missing from its worklog.

use countersign_testkit::agents::{RealAgent, Stage};

use crate::worklog::{actions, entries, expect_confirmed, sessions};
use crate::{ground, played};

/// Expects every significant operation of the transcripts to be an entry, and nothing besides.
#[track_caller]
fn expect_everything(stage: &Stage) {
    for session in sessions(stage) {
        expect_confirmed(stage, &session);
    }
    let found: Vec<String> =
        sessions(stage).iter().flat_map(|session| actions(&entries(stage, session))).collect();
    let expected = ground::significant(stage);
    assert!(!expected.is_empty(), "the tour did nothing significant");
    assert_eq!(ground::grouped(&found), expected);
    let stats = stage.project.run(["worklog", "stats", "--format", "json"]).expect(0).data();
    let capture = &stats["capture"];
    assert_eq!(capture["significant"], expected.len(), "{stats}");
    assert_eq!(capture["captured"], expected.len(), "{stats}");
    assert_eq!(capture["rate"].as_f64(), Some(1.0), "{stats}");
}

/// WL-22: everything that Claude Code can do: todos, edits, tests, a rejected edit, an unknown
/// tool, parallel calls, another agent, a command in the background, a refused command.
#[test]
fn claude_work() {
    let Some(stage) = played(RealAgent::Claude, "work") else { return };
    assert_eq!(stage.model.left(), 0);
    expect_everything(&stage);
}

/// WL-22: the same with an older version.
#[test]
fn older_claude_work() {
    let Some(stage) = played(RealAgent::OlderClaude, "work") else { return };
    expect_everything(&stage);
}

/// WL-22, D0.8: a list of todos that is written as a whole.
#[test]
fn claude_todos() {
    let Some(stage) = played(RealAgent::Claude, "todos") else { return };
    expect_everything(&stage);
}

/// WL-22: patches that fit and one that doesn't, tests that fail and pass, parallel calls.
#[test]
fn codex_work() {
    let Some(stage) = played(RealAgent::Codex, "work") else { return };
    assert_eq!(stage.model.left(), 0);
    expect_everything(&stage);
}

/// WL-22: calls that a program makes which the model wrote.
#[test]
fn codex_code_mode() {
    let Some(stage) = played(RealAgent::Codex, "code-mode") else { return };
    expect_everything(&stage);
}

/// WL-22: what another agent did, that was started by the first one.
#[test]
fn codex_side_agent() {
    let Some(stage) = played(RealAgent::Codex, "side-agent") else { return };
    expect_everything(&stage);
}
