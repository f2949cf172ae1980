//! The supervisor as a program of its own, for tests that have no `countersign` to re-enter; and
//! the bridge to agents that speak ACP, for the same reason.

use std::process::ExitCode;

use countersign_exec::agents::acp;

fn main() -> ExitCode {
    let mut words = std::env::args_os().skip(1);
    match words.next() {
        Some(word) if word == acp::SUBCOMMAND => acp::bridge::run(words),
        _ => countersign_exec::supervise(),
    }
}
