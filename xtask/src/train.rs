//! `cargo xtask train CORPUS`: fits the weights of the classifier and writes `weights.tsv`.
//!
//! The same input gives the same file. Training data is the corpus and the project's own made-up `examples.txt`.

mod corpus;
mod fit;
mod minimize;

use std::fmt::Write as _;
use std::path::Path;
use std::process::ExitCode;

use anyhow::{Result, bail};
use countersign_domain::classify::{Knowledge, Row, label_names};

pub(crate) use corpus::{FIELD_NAMES, Statement, corpus, data_file, examples};
pub(crate) use fit::fit;

pub(crate) const VERB: crate::Verb =
    crate::Verb { name: "train", about: "Fit the weights of the classifier on a corpus", run };

fn table(rows: &[(String, Row)]) -> String {
    let mut out = String::from(
        "# Weights of the classifier: feature, then one weight per label. Written by `cargo xtask train`; don't edit.\n",
    );
    let _ = writeln!(out, "# feature\t{}", label_names().join("\t"));
    for (name, row) in rows {
        let cells: Vec<String> =
            row.iter().map(|w| if *w == 0.0 { String::new() } else { format!("{w}") }).collect();
        let _ = writeln!(out, "{name}\t{}", cells.join("\t"));
    }
    out
}

fn run(_root: &Path, args: &[String]) -> Result<ExitCode> {
    let [path] = args else { bail!("usage: cargo xtask train CORPUS") };
    let mut all = corpus(path)?;
    all.extend(examples()?);
    let mut rows = fit(Knowledge::shipped(), &all.iter().collect::<Vec<_>>());
    // The program looks a name up by halving.
    rows.sort_by(|one, other| one.0.cmp(&other.0));
    std::fs::write(data_file("weights.tsv"), table(&rows))?;
    println!("{} statements, {} rows", all.len(), rows.len());
    Ok(ExitCode::SUCCESS)
}
