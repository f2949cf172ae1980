//! `countersign hook AGENT`: started by an agent for every event, so it goes straight from its
//! arguments to the engine. It never ends with an error of its own: agents stop for those.

use std::io::Write as _;
use std::process::ExitCode;

use countersign_engine::Host;
use countersign_engine::worklog::{Input, hook, receive};

use crate::ui;

/// A code that every agent takes for a failure of ours and goes on; 2 would block it.
const FAILED: u8 = 1;

/// Answers the call, if the command line is one of a hook. Words that only a newer version
/// knows are left alone: the hook of an older program must not stop an agent.
pub fn try_hook() -> Option<ExitCode> {
    let mut words = std::env::args_os().skip(1);
    if words.next()? != "hook" {
        return None;
    }
    let name = words.next().unwrap_or_default();
    if name == "--help" || name == "-h" {
        return None;
    }
    let received = receive();
    let agent = match name.to_string_lossy().parse() {
        Ok(agent) => agent,
        Err(error) => {
            ui::say(&format!("countersign hook: {}", ui::printable(&format!("{error}"))));
            return Some(ExitCode::from(FAILED));
        }
    };
    let Ok(host) = Host::of_process_anywhere() else { return Some(ExitCode::SUCCESS) };
    let input = Input { bytes: &received.bytes, trouble: received.trouble.as_deref() };
    let said = hook(&host, agent, &input);
    // An agent that no longer listens has lost nothing: what it reported is on the record.
    let _ = std::io::stdout().write_all(said.stdout.as_bytes());
    let _ = std::io::stderr().write_all(said.stderr.as_bytes());
    Some(ExitCode::from(said.exit))
}
