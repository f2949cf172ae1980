//! `countersign`: the command line. It holds no logic: it parses, calls the engine once, and
//! shows what came back.

mod asked;
mod cli;
mod exit;
mod fast;
mod hook;
mod mcp;
mod narrate;
mod passing;
mod timeline;
mod tui;
mod ui;
mod verified;

use std::ffi::OsStr;
use std::process::ExitCode;

fn main() -> ExitCode {
    let mut words = std::env::args_os().skip(1);
    // Started by ourselves around every program that we run: nothing else may happen first.
    match words.next().as_deref().and_then(OsStr::to_str) {
        Some("supervise") if words.len() == 0 => return countersign_engine::supervise(),
        Some(countersign_engine::ACP_BRIDGE) => return countersign_engine::acp_bridge(words),
        _ => {}
    }
    hook::try_hook().or_else(fast::try_append).unwrap_or_else(cli::main)
}
