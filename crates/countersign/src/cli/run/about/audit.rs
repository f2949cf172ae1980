//! `countersign run audit`: the audit trail as files.

use std::path::PathBuf;

use countersign_engine::Error;

use crate::cli::Context;
use crate::ui::{self, Reply};

/// Write the audit trail of a run or a relay as files: for every iteration the prompts, what we and
/// git measured, the claim, the verdicts, and a manifest of what was shown, by digest.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The run or the relay: its id, the beginning of it, or latest.
    #[arg(default_value = "latest")]
    id: String,

    /// The folder to write, which must be new or empty.
    #[arg(long, value_name = "FOLDER")]
    out: PathBuf,
}

pub fn run(cx: &Context, args: &Args) -> Result<Reply, Error> {
    let engine = cx.engine()?;
    let it = engine.find_undertaking(&args.id)?;
    let audited = engine.write_audit(it, &cx.host.cwd.join(&args.out))?;
    let human = format!(
        "{} of {} are in {}",
        ui::count(audited.files, "file"),
        ui::count(audited.iterations, "iteration"),
        audited.folder.display()
    );
    Reply::new(audited, ui::printable(&human))
}
