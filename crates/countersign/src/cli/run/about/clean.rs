//! `countersign run clean`: removing what ended runs have left.

use countersign_engine::Error;

use crate::cli::Context;
use crate::ui::{self, Reply};

/// Remove the working folders of runs that have ended. The record, what was handed over and reports
/// stay; what has not ended is left alone.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The run or the relay: its id, the beginning of it, or latest; all that have ended if none is
    /// named.
    id: Option<String>,

    /// Cancel it first, if it has not ended.
    #[arg(long, requires = "id")]
    kill: bool,
}

pub fn run(cx: &Context, args: &Args) -> Result<Reply, Error> {
    let mut engine = cx.engine()?;
    let it = args.id.as_ref().map(|id| engine.find_undertaking(id)).transpose()?;
    let cleaned = engine.clean(it, args.kill)?;
    let mut human = String::new();
    for run in &cleaned.cancelled {
        human += &format!("{run} is cancelled\n");
    }
    human += &format!("{} removed\n", ui::count(cleaned.removed.len() as u64, "working folder"));
    for left in &cleaned.left {
        human += &format!("{} is left alone: {}\n", left.run, ui::printable(&left.why));
    }
    Reply::new(cleaned, human)
}
