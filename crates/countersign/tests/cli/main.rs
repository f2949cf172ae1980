//! The program as its users meet it: every verb, in a project of its own, with nothing of the
//! machine but its programs.

#![allow(clippy::unwrap_used)]

mod budget;
mod cancel;
mod checkpoint;
mod classify;
mod clock;
mod config;
mod crew_resume;
mod demo;
mod doctor;
mod envelope;
mod export;
mod faults;
mod goals;
mod hooks;
mod hooks_status;
mod hostile;
#[path = "../killing/mod.rs"]
mod killing;
mod ledger;
mod lookout;
mod memory;
mod parallel;
mod places;
mod resume;
mod run;
mod sealing;
mod setup;
mod texts;
mod tree;
mod watch;

use countersign_testkit::Project;

/// The program under test.
const PROGRAM: &str = env!("CARGO_BIN_EXE_countersign");

fn project() -> Project {
    Project::new(PROGRAM)
}

/// A project in which one run was accepted.
fn project_with_run() -> Project {
    let project = project();
    project.goal("echo done > done.txt", "test -f done.txt").run().expect(0);
    project
}
