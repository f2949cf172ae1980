//! `countersign cancel`: ask for the end of a run.

use countersign_engine::{Error, Kind};
use serde_json::json;

use super::Context;
use crate::ui::Reply;

/// End a run. Whatever it is doing is stopped; what was handed over so far is kept.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The run: its id, the beginning of it, or latest.
    run: String,
}

pub fn run(cx: &Context, args: &Args) -> Result<Reply, Error> {
    let mut engine = cx.engine()?;
    let run = engine.find_run(&args.run)?;
    engine.cancel(run, "user")?;
    // If its process is gone, nobody else will end it; if not, it holds the lease and will.
    let ended = match engine.drive(run, &mut |_| {}) {
        Ok(_) => true,
        Err(error) if error.kind == Kind::Refused => false,
        Err(error) => return Err(error),
    };
    let human = if ended {
        format!("run {run} is cancelled")
    } else {
        format!("run {run} is asked to end; its process will do so in a moment")
    };
    Reply::new(json!({ "run": run, "ended": ended }), human)
}
