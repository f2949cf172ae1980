//! `countersign hook`: only its help is here; calls go the fast way (see `crate::hook`).

use countersign_engine::{Error, Kind};

use crate::ui::Reply;

/// Take in one event of an agent from standard input and answer it.
///
/// Agents call this; `countersign hooks install` tells them to. It never ends with an error that
/// would stop an agent.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// claude, codex, gemini or opencode.
    agent: String,
}

pub fn run(args: &Args) -> Result<Reply, Error> {
    Err(Error::new(Kind::Bug, format!("the hook of {} was not taken the fast way", args.agent)))
}
