//! The hook never gets in an agent's way, not even when it is broken.

use std::fs;

use countersign_testkit::agents::{RealAgent, Stage, tours};

use crate::{PROGRAM, bare_stage, stage};

/// What a tour leaves behind: how the agent ended, what it asked the model for, and the files.
fn outcome(stage: &Stage, name: &str) -> (Vec<Option<i32>>, usize, Vec<String>) {
    let tour = tours::named(stage.agent, name);
    let codes = (tour.play)(stage, tour.prompt).iter().map(|ran| ran.code).collect();
    let names = stage.project.git(["ls-files", "--cached", "--others", "--exclude=__pycache__"]);
    let files = names.lines().map(|name| format!("{name}:\n{}", stage.project.read(name)));
    (codes, stage.model.left(), files.collect())
}

fn expect_the_same(agent: RealAgent, name: &str) {
    let script = || (tours::named(agent, name).script)();
    let Some(bare) = bare_stage(agent, script()) else { return };
    let Some(hooked) = stage(agent, script()) else { return };
    assert_eq!(outcome(&hooked, name), outcome(&bare, name), "{agent:?}");
}

/// WL-16: agents end as they would without us, and leave the same files.
#[test]
fn agents_work_as_without_hooks() {
    for agent in [RealAgent::Claude, RealAgent::Codex, RealAgent::Gemini] {
        expect_the_same(agent, "work");
    }
}

/// WL-16: the same when the ledger can't be opened, since something else has its place.
#[test]
fn a_broken_ledger_breaks_no_agent() {
    for agent in [RealAgent::Claude, RealAgent::Codex] {
        let script = (tours::named(agent, "work").script)();
        let Some(stage) = stage(agent, script) else { return };
        let ledger = stage.project.state();
        // What `hooks install` may have made there has done its duty.
        let _ = fs::remove_dir_all(&ledger);
        fs::write(&ledger, "This is no folder.\n").unwrap();
        let (codes, left, files) = outcome(&stage, "work");
        assert_eq!((codes, left), (vec![Some(0)], 0), "{agent:?}");
        assert!(files.iter().any(|file| file.contains("return b + a") || file.contains("a + b")));
    }
}

/// WL-16: settings of a newer version, with words that this one doesn't know, break no agent:
/// an exit code of 2 would keep it from every call.
#[test]
fn words_of_a_newer_version_break_no_agent() {
    for agent in [RealAgent::Claude, RealAgent::Codex] {
        let script = (tours::named(agent, "work").script)();
        let Some(stage) = bare_stage(agent, script) else { return };
        stage.hook(&format!("{PROGRAM} hook {} --of-a-newer-version", agent.name()));
        let (codes, left, files) = outcome(&stage, "work");
        assert_eq!((codes, left), (vec![Some(0)], 0), "{agent:?}");
        assert!(files.iter().any(|file| file.starts_with("test_calc.py")), "{files:?}");
    }
}
