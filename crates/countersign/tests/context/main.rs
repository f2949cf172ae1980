//! Tasks and contexts as people and agents use them: real repositories, real git, the real
//! program.

#![allow(clippy::unwrap_used)]

mod desk;
mod drift;
mod evidence;
mod exact;
mod export;
mod faults;
mod files;
mod forged;
mod large;
mod leftovers;
mod measured;
mod moved;
mod parallel;
mod purge;
mod secrets;
mod story;
mod tasks;
mod torture;
mod unfinished;

use countersign_testkit::Project;

/// The program under test.
const PROGRAM: &str = env!("CARGO_BIN_EXE_countersign");

fn project() -> Project {
    Project::new(PROGRAM)
}
