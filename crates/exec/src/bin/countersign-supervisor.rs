//! The supervisor as a program of its own, for tests that have no `countersign` to re-enter.

use std::process::ExitCode;

fn main() -> ExitCode {
    countersign_exec::supervise()
}
