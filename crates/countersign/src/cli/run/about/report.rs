//! `countersign run report`: the self-verification report.

use std::path::PathBuf;

use countersign_engine::Error;
use countersign_engine::report::{Shape, file_report, value, written};
use serde_json::json;

use crate::cli::Context;
use crate::ui::{self, Format, Reply};

/// Report on a run or a relay from its record alone: what was validated, what failed and why, how
/// workers worked and verifiers judged, what became of each criterion, and what to do better.
///
/// `--format` takes html here as well: one page with plots that needs nothing else. The same record
/// gives the same report, to the byte.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The run or the relay: its id, the beginning of it, or latest.
    #[arg(default_value = "latest")]
    id: String,

    /// Write it to this file, in the form of its name (.html, .json, else Markdown) unless --format
    /// says otherwise; in a folder, every version gets a number.
    #[arg(long, value_name = "PATH")]
    out: Option<PathBuf>,

    /// Replace a file that says something else.
    #[arg(long, requires = "out")]
    force: bool,
}

pub fn run(cx: &Context, args: &Args) -> Result<Reply, Error> {
    let engine = cx.engine()?;
    let report = engine.report(engine.find_undertaking(&args.id)?)?;
    let Some(out) = &args.out else {
        let text = written(&report, Shape::Markdown)?;
        let reply = Reply::new(value(&report)?, ui::printable(&text))?.markdown(&text);
        return Ok(match cx.format {
            Format::Html => reply.html(written(&report, Shape::Html)?),
            _ => reply,
        });
    };
    let out = cx.host.cwd.join(out);
    let shape = match (cx.format, out.extension().and_then(|end| end.to_str())) {
        (Format::Html, _) | (Format::Human, Some("html" | "htm")) => Shape::Html,
        (Format::Json, _) | (Format::Human, Some("json")) => Shape::Json,
        _ => Shape::Markdown,
    };
    let filed = file_report(&out, shape, &written(&report, shape)?, args.force)?;
    let version = report.head.events;
    let what = if filed.is_unchanged { "is there already" } else { "is written to" };
    let human = format!("version {version} {what}: {}", filed.path.display());
    let human = ui::printable(&human);
    let data = json!({ "report": filed, "shape": shape, "version": version });
    Ok(Reply::new(data, &human)?.markdown(&human).html(human))
}
