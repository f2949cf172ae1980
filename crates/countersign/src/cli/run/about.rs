//! What can be asked about runs, and done with them once they have ended: one file per verb.

mod audit;
mod clean;
mod logs;
mod report;
mod status;

use countersign_engine::Error;

use crate::cli::{Context, accept};
use crate::ui::Reply;

#[derive(Debug, clap::Subcommand)]
pub enum Verb {
    Accept(accept::Args),
    Status(status::Args),
    Logs(logs::Args),
    Report(report::Args),
    Audit(audit::Args),
    Clean(clean::Args),
}

pub fn run(cx: &Context, verb: Verb) -> Result<Reply, Error> {
    match verb {
        Verb::Accept(args) => accept::run(cx, args),
        Verb::Status(args) => status::run(cx, &args),
        Verb::Logs(args) => logs::run(cx, &args),
        Verb::Report(args) => report::run(cx, &args),
        Verb::Audit(args) => audit::run(cx, &args),
        Verb::Clean(args) => clean::run(cx, &args),
    }
}
