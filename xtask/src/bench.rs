//! `cargo xtask bench`: how fast the program is, as ratios to floors measured in the same run.
//!
//! Whole processes are measured, in turns with their floor, in an almost empty environment. A
//! ratio of medians says the same on a quick machine and on a busy one; milliseconds don't.

mod arena;
mod build;
mod context;
mod contract;
mod crowd;
mod gaming;
mod hook;
mod ledger;
mod measure;
mod options;
mod record;
mod report;
mod run;
mod secrets;
mod snapshot;
mod start;
mod tree;
mod verify;

use std::path::Path;
use std::process::ExitCode;

use anyhow::Context as _;

use arena::Arena;
use options::Options;
use report::Row;

pub(crate) const VERB: crate::Verb = crate::Verb {
    name: "bench",
    about: "Measure the program against its floors; `--help` says how",
    run,
};

/// Rows that are measured together.
struct Group {
    name: &'static str,
    measure: fn(&Arena) -> anyhow::Result<Vec<Row>>,
}

const GROUPS: &[Group] = &[
    Group { name: "start", measure: start::measure },
    Group { name: "hook", measure: hook::measure },
    Group { name: "snapshot", measure: snapshot::measure },
    Group { name: "record", measure: record::measure },
    Group { name: "context", measure: context::measure },
    Group { name: "contract", measure: contract::measure },
    Group { name: "crowd", measure: crowd::measure },
    Group { name: "ledger", measure: ledger::measure },
    Group { name: "secrets", measure: secrets::measure },
    Group { name: "gaming", measure: gaming::measure },
    Group { name: "verify", measure: verify::measure },
    Group { name: "run", measure: run::measure },
    Group { name: "build", measure: build::measure },
];

fn run(root: &Path, words: &[String]) -> anyhow::Result<ExitCode> {
    let options = match Options::parse(root, words) {
        Ok(Some(options)) => options,
        Ok(None) => {
            print!("{}", options::HELP);
            return Ok(ExitCode::SUCCESS);
        }
        Err(error) => {
            eprintln!("xtask: {error}\n\n{}", options::HELP);
            return Ok(ExitCode::from(crate::USAGE));
        }
    };
    let arena = Arena::new(root, options.quick)?;
    let mut rows = Vec::new();
    for group in GROUPS.iter().filter(|group| options.wants(group.name)) {
        eprintln!("measuring: {}", group.name);
        let measured = (group.measure)(&arena);
        rows.extend(measured.with_context(|| format!("`{}` failed", group.name))?);
    }
    println!("{}", report::table(&rows));
    let text = serde_json::to_string_pretty(&report::json(&rows, options.quick))?;
    std::fs::write(&options.json, text + "\n")
        .with_context(|| format!("{} can't be written", options.json.display()))?;
    eprintln!("also in {}", options.json.display());
    let is_over = rows.iter().any(Row::is_over);
    Ok(if is_over { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}
