//! The program with the real agents: Claude Code, Codex and the Gemini CLI, driven by a scripted
//! model on this machine.
//!
//! `cargo xtask agents` installs them. Without one, a test of it says NOT TESTED and passes.

#![allow(clippy::unwrap_used)]

mod capture;
mod crew;
mod forging;
mod gate;
mod ground;
mod harmless;
mod recordings;
mod sessions;
mod show;
mod tampering;
mod tokens;
mod worklog;

use countersign_testkit::Project;
use countersign_testkit::agents::{RealAgent, Stage, tours};
use countersign_testkit::model::Script;

/// The program under test.
const PROGRAM: &str = env!("CARGO_BIN_EXE_countersign");

/// A stage on which every session is recorded by the program.
fn stage(agent: RealAgent, script: Script) -> Option<Stage> {
    let stage = bare_stage(agent, script)?;
    install(&stage);
    Some(stage)
}

/// A stage without hooks.
fn bare_stage(agent: RealAgent, script: Script) -> Option<Stage> {
    Stage::new(agent, Project::new(PROGRAM), script)
}

/// Installs the hooks, as a user does.
fn install(stage: &Stage) {
    let call = stage.project.call(["hooks", "install", stage.agent.name(), "--user"]);
    call.env("PATH", stage.search_path()).run().expect(0);
}

/// The stage of a tour after it was played with the hooks installed.
fn played(agent: RealAgent, name: &str) -> Option<Stage> {
    let tour = tours::named(agent, name);
    let stage = stage(agent, (tour.script)())?;
    (tour.play)(&stage, tour.prompt);
    Some(stage)
}
