//! `countersign show`: one receipt.

use countersign_engine::{Error, ReceiptView};

use super::Context;
use crate::ui::{self, Reply};

/// Show a receipt: what was run, on which tree, under which contract, and how it ended.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The receipt's id, or the beginning of it: `verify` names those of checks that failed, `log`
    /// those of a run, and --format json of both has them all.
    receipt: String,

    /// Show the whole output, instead of its beginning and end.
    #[arg(long)]
    output: bool,
}

pub fn run(cx: &Context, args: &Args) -> Result<Reply, Error> {
    let engine = cx.engine()?;
    let receipt = engine.receipt(&args.receipt)?;
    if args.output {
        let bytes = engine.output(&receipt.receipt.execution.output.blob)?;
        let text = String::from_utf8_lossy(&bytes).into_owned();
        let human = ui::printable(&text);
        return Reply::new(serde_json::json!({ "id": receipt.id, "output": text }), human);
    }
    let human = describe(&receipt);
    Reply::new(receipt, human)
}

fn describe(view: &ReceiptView) -> String {
    let (receipt, execution) = (&view.receipt, &view.receipt.execution);
    let command = execution.argv.last().map(String::as_str).unwrap_or_default();
    let verdict =
        if view.passed { ui::paint(ui::GOOD, "passed") } else { ui::paint(ui::BAD, "failed") };
    let rows = [
        ("receipt", view.id.to_string()),
        ("result", format!("{verdict}: {}", execution.ended)),
        ("command", ui::printable(command)),
        ("folder", ui::printable(&execution.cwd)),
        ("started", execution.started_at.to_string()),
        ("took", ui::duration(execution.duration_ms)),
        (
            "run",
            format!("{}, attempt {}, check {}", receipt.run, receipt.attempt, receipt.check + 1),
        ),
        ("tree", receipt.tree.to_string()),
        ("contract", receipt.contract.to_string()),
        ("environment", execution.environment.to_string()),
        ("sandbox", execution.sandbox.clone()),
        ("output", format!("{} bytes, blob {}", execution.output.bytes, execution.output.blob)),
    ];
    let mut rows: Vec<Vec<String>> =
        rows.into_iter().map(|(name, value)| vec![name.to_owned(), value]).collect();
    if let Some(level) = receipt.level {
        rows.push(vec!["level".into(), level.to_string()]);
    }
    if let Some(used) = execution.used {
        let (cpu, peak) = (ui::duration(used.cpu_ms), used.peak_bytes >> 20);
        rows.push(vec!["used".into(), format!("{cpu} of processors, at most {peak} MiB")]);
    }
    for tool in &execution.tools {
        let said = if tool.version.is_empty() { "" } else { ", " };
        let text = format!("{}{said}{}", tool.path, tool.version);
        rows.push(vec!["tool".into(), ui::printable(&text)]);
    }
    if execution.stragglers > 0 {
        let left = format!("{} processes, which we ended", execution.stragglers);
        rows.push(vec!["left behind".into(), left]);
    }
    let excerpt = execution.output.excerpt.trim_end();
    format!("{}\n{}", ui::table(&rows), ui::printable(excerpt))
}
