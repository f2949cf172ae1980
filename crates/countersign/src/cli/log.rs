//! `countersign log`: a run's journal.

use countersign_engine::Error;

use super::Context;
use crate::narrate;
use crate::ui::{self, Reply};

/// Show everything that happened in a run.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The run: its id, the beginning of it, or latest.
    #[arg(default_value = "latest")]
    run: String,

    /// Show what the work changed, as a patch, instead.
    #[arg(long)]
    diff: bool,
}

pub fn run(cx: &Context, args: &Args) -> Result<Reply, Error> {
    let engine = cx.engine()?;
    let run = engine.find_run(&args.run)?;
    if args.diff {
        let patch = engine.run_patch(&engine.load(run)?)?;
        let text = String::from_utf8_lossy(&patch).into_owned();
        let human = ui::printable(&text);
        return Reply::new(serde_json::json!({ "run": run, "patch": text }), human);
    }
    let journal = engine.journal(run)?;
    let rows: Vec<Vec<String>> = journal
        .entries
        .iter()
        .map(|entry| {
            let what = entry.event.as_ref().map_or_else(
                || "(the body was removed by retention; its hash stays)".into(),
                narrate::line,
            );
            let time: String = entry.time.chars().take(23).collect();
            let kind = entry.kind.trim_start_matches("run.").to_owned();
            vec![entry.sequence.to_string(), time, kind, what]
        })
        .collect();
    Reply::new(&journal, ui::table(&rows))
}
