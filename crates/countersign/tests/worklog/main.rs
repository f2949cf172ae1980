//! Sessions of agents, told by their hooks: recorded tours and made-up ones, on real
//! repositories with the real program.

#![allow(clippy::unwrap_used)]

mod accused;
mod agent;
mod crowd;
mod damaged;
mod ends;
mod faults;
mod forged;
mod forged_elsewhere;
mod gate;
mod hostile;
mod moves;
mod places;
mod planted;
mod publishing;
mod retention;
mod sessions;
mod tampering;
mod todos;
mod tokens;
mod tours;
mod transcript;

use countersign_testkit::Project;

/// The program under test.
const PROGRAM: &str = env!("CARGO_BIN_EXE_countersign");

fn project() -> Project {
    Project::new(PROGRAM)
}
