//! What can be asked about runs: real repositories, the real program, agents that are shell commands.

#![allow(clippy::unwrap_used)]

mod audit;
mod clean;
mod logs;
mod relay;
mod report;
mod stage;
mod status;
mod tasks;
mod words;

/// The program under test.
const PROGRAM: &str = env!("CARGO_BIN_EXE_countersign");
