//! `countersign run status`: where a run stands.

use countersign_engine::Error;

use crate::cli::Context;
use crate::cli::status;
use crate::ui::Reply;

/// Show where a run stands.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The run: its id, the beginning of it, or latest.
    #[arg(default_value = "latest")]
    run: String,
}

pub fn run(cx: &Context, args: &Args) -> Result<Reply, Error> {
    status::one(cx, &args.run)
}
