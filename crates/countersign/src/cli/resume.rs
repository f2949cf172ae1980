//! `countersign resume`: go on with a run whose process is gone.

use countersign_engine::Error;
use countersign_engine::relay::Undertaking;

use super::{Context, run as verb_run};
use crate::ui::Reply;

/// Go on with a run or a relay that was interrupted or waited for an answer, where it was.
///
/// The run of a story goes on with its relay.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The run or relay: its id, the beginning of it, or latest.
    #[arg(default_value = "latest")]
    run: String,

    /// Don't ask in the terminal: what a person has to decide waits (exit code 4).
    #[arg(long)]
    no_input: bool,

    /// Also tell the phases on standard error, a line each.
    #[arg(long)]
    pub debug: bool,
}

pub fn run(cx: &Context, args: &Args) -> Result<Reply, Error> {
    let mut engine = cx.engine()?;
    let undertaking = match engine.find_undertaking(&args.run)? {
        Undertaking::Run(run) => engine.undertaking_of(run)?,
        relay @ Undertaking::Relay(_) => relay,
    };
    match undertaking {
        Undertaking::Run(run) => verb_run::drive(cx, &mut engine, run, !args.no_input),
        Undertaking::Relay(relay) => {
            verb_run::planned::drive(cx, &mut engine, relay, !args.no_input)
        }
    }
}
