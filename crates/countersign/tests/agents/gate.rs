//! An agent that wants to stop too early is told so, once.

use countersign_testkit::agents::{RealAgent, Stage, finish};
use countersign_testkit::model::{Script, Turn};
use serde_json::json;

use crate::stage;

/// Words that make a session STRICT.
const STRICT: &str = "Fix the SQL injection in the login handler";

/// An agent whose last test run failed, and that wants to stop again and again.
fn failing(run_tests: Turn) -> Script {
    Script::new().turn(run_tests).finally(Turn::text("It is done."))
}

/// How often the agent was asked to go on: requests after the first wish to stop.
#[track_caller]
fn asked_to_go_on(stage: &Stage) -> usize {
    let ran = finish(stage.work(STRICT));
    assert_eq!(ran.code, Some(0), "{}\n{}", ran.out(), ran.err());
    let requests = stage.model.requests();
    requests.iter().filter(|request| request.offers_tools()).count() - 2
}

/// WL-11: Claude Code with a failing test is told once, and may stop then.
#[test]
fn claude_is_told_once() {
    let command = json!({"command": "python3 -m unittest no_such_test", "description": "Test"});
    let script = failing(Turn::tool("Bash", command));
    let Some(stage) = stage(RealAgent::Claude, script) else { return };
    assert_eq!(asked_to_go_on(&stage), 1);
}

/// WL-11: Codex, which has no cap of its own, is told once too.
#[test]
fn codex_is_told_once() {
    let command = json!({"cmd": "python3 -m unittest no_such_test"});
    let script = failing(Turn::tool("exec_command", command));
    let Some(stage) = stage(RealAgent::Codex, script) else { return };
    assert_eq!(asked_to_go_on(&stage), 1);
}

/// WL-11: an agent whose tests pass is left alone.
#[test]
fn an_agent_that_is_done_may_stop() {
    let command = json!({"command": "python3 -m unittest --help", "description": "Test"});
    let script = failing(Turn::tool("Bash", command));
    let Some(stage) = stage(RealAgent::Claude, script) else { return };
    assert_eq!(asked_to_go_on(&stage), 0);
}
