//! What can be asked about runs, and done with them once they have ended: one file per verb.

mod status;

use countersign_engine::Error;

use crate::cli::Context;
use crate::ui::Reply;

#[derive(Debug, clap::Subcommand)]
pub enum Verb {
    Status(status::Args),
}

pub fn run(cx: &Context, verb: Verb) -> Result<Reply, Error> {
    match verb {
        Verb::Status(args) => status::run(cx, &args),
    }
}
