//! What is one session to a person is one session to us.

use countersign_testkit::agents::{RealAgent, tours};
use countersign_testkit::model::{Script, Turn};
use countersign_testkit::wait_until;
use serde_json::json;

use crate::worklog::{actions, entries, expect_confirmed, only_session, sessions};
use crate::{ground, played, stage};

#[track_caller]
fn expect_one(agent: RealAgent, name: &str) {
    let tour = tours::named(agent, name);
    let Some(stage) = stage(agent, (tour.script)()) else { return };
    // The same tier from the first operation to the last: others have other entries.
    (tour.play)(&stage, "Fix the SQL injection in the login handler");
    assert_eq!(stage.model.left(), 0);
    let session = only_session(&stage);
    let found = actions(&entries(&stage, &session));
    assert_eq!(ground::grouped(&found), ground::significant(&stage), "{agent:?}");
    assert_eq!(session["agent"], agent.name());
    assert_eq!(session["outcome"], "success", "{session}");
    expect_confirmed(&stage, &session);
}

/// WL-01: a session that is taken up again stays one.
#[test]
fn resumed_sessions_stay_one() {
    expect_one(RealAgent::Claude, "resume");
    expect_one(RealAgent::Codex, "resume");
}

/// WL-01: forgetting its conversation does not make it another session.
#[test]
fn compacted_sessions_stay_one() {
    expect_one(RealAgent::Claude, "compaction");
    expect_one(RealAgent::Codex, "compaction");
}

/// WL-15: an agent that is killed has not ended its session; what it did is there all the same.
#[test]
fn a_killed_agent_leaves_its_worklog() {
    let Some(stage) = played(RealAgent::Claude, "killed") else { return };
    let session = only_session(&stage);
    assert!(session["outcome"].is_null(), "{session}");
    assert_eq!(actions(&entries(&stage, &session)), ["Write"]);
}

/// WL-12: an agent whose model fails ends its session as failed.
#[test]
fn a_failing_model_fails_the_session() {
    let Some(stage) = played(RealAgent::Claude, "api-error") else { return };
    let session = only_session(&stage);
    assert_ne!(session["outcome"], "success", "{session}");
    assert_eq!(actions(&entries(&stage, &session)), ["Write"]);
}

/// WL-01: the Gemini CLI is followed too.
#[test]
fn gemini_has_a_session() {
    let Some(stage) = played(RealAgent::Gemini, "work") else { return };
    let all = sessions(&stage);
    assert_eq!(all.len(), 1, "{all:#?}");
    expect_confirmed(&stage, &all[0]);
    let found = actions(&entries(&stage, &all[0]));
    assert_eq!(found, ["Write", "Write", "Bash", "Edit", "Bash", "Edit"]);
}

/// WL-12: an agent that a person interrupts has been stopped, and has not succeeded.
#[test]
fn an_interrupted_agent_did_not_succeed() {
    let script = (tours::named(RealAgent::Claude, "killed").script)();
    let Some(stage) = stage(RealAgent::Claude, script) else { return };
    stage.project.write("wait.py", "open('begun', 'w').close()\nwhile True:\n    pass\n");
    let mut running = stage.work("Fix the SQL injection in the login handler").start();
    let begun = stage.project.path("begun");
    wait_until("the command to begin", || begun.exists().then_some(()));
    stage.project.sh(&format!("kill -INT {}", running.id())).expect(0);
    wait_until("the end of the agent", || running.has_ended().then_some(()));
    let session = only_session(&stage);
    assert_eq!(session["outcome"], "aborted", "{session}");
}

/// WL-17: two agents in one project at the same time are two sessions, each with its own work.
#[test]
fn two_agents_at_once_are_two_sessions() {
    let file = |name: &str| {
        let input = json!({"file_path": format!("{{{{CWD}}}}/{name}"), "content": "new\n"});
        Turn::tool("Write", input)
    };
    let turns = |folder: &str| {
        let files = (0..5).map(|number| file(&format!("{folder}/{number}.txt")));
        files.chain([Turn::text("Done.")]).collect::<Vec<_>>()
    };
    let script = Script::new().lane("the left", turns("left")).lane("the right", turns("right"));
    let Some(stage) = stage(RealAgent::Claude, script) else { return };
    let sides = ["left", "right"];
    let running = sides.map(|side| stage.work(&format!("Fix the login on the {side}")).start());
    for mut agent in running {
        wait_until("the end of the agents", || agent.has_ended().then_some(()));
    }
    let all = sessions(&stage);
    assert_eq!(all.len(), 2, "{all:#?}");
    for session in &all {
        let task = session["task"].as_str().unwrap();
        let side = if task.contains("left") { "left/" } else { "right/" };
        let entries = entries(&stage, session);
        assert_eq!(actions(&entries), ["Write"; 5]);
        let mut files = entries.iter().filter(|entry| entry["action"] == "Write");
        assert!(files.all(|entry| entry.to_string().contains(side)), "{entries:#?}");
    }
}
