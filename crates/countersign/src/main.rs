//! `countersign`: the command line. It holds no logic: it parses, calls the engine once, and
//! shows what came back.

mod asked;
mod cli;
mod exit;
mod fast;
mod hook;
mod mcp;
mod narrate;
mod timeline;
mod tui;
mod ui;
mod verified;

use std::process::ExitCode;

fn main() -> ExitCode {
    let mut words = std::env::args_os().skip(1);
    // Started by ourselves around every program that we run: nothing else may happen first.
    if words.next().is_some_and(|word| word == "supervise") && words.next().is_none() {
        return countersign_engine::supervise();
    }
    hook::try_hook().or_else(fast::try_append).unwrap_or_else(cli::main)
}
