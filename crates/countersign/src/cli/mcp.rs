//! `countersign mcp`: the tools for agents.

use countersign_engine::Error;

use super::Context;
use crate::mcp;
use crate::ui::Reply;

/// Serve agents over the Model Context Protocol, on standard input and output.
///
/// Agents start this themselves, once they know of it: `claude mcp add countersign -- countersign
/// mcp`, or `codex mcp add countersign -- countersign mcp`. The tools read and write memories by
/// name and show the worklog.
#[derive(Debug, clap::Args)]
pub struct Args {}

pub fn run(cx: &Context, _args: &Args) -> Result<Reply, Error> {
    mcp::serve(cx)?;
    Ok(Reply::streamed(None))
}
