//! `countersign resume`: go on with a run whose process is gone.

use countersign_engine::Error;

use super::{Context, run as verb_run};
use crate::ui::Reply;

/// Go on with a run that was interrupted, where it was.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The run: its id, the beginning of it, or latest.
    #[arg(default_value = "latest")]
    run: String,

    /// Don't ask in the terminal: what a person has to decide waits (exit code 4).
    #[arg(long)]
    no_input: bool,
}

pub fn run(cx: &Context, args: &Args) -> Result<Reply, Error> {
    let mut engine = cx.engine()?;
    let run = engine.find_run(&args.run)?;
    verb_run::drive(cx, &mut engine, run, !args.no_input)
}
