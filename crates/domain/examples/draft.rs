//! Drafts one contract for the repository whose paths it reads, one a line, as the benchmarks
//! measure it: classification, detection, prediction from a history of 500 commits, rules, criteria.
//! Says how many criteria there are.

use std::error::Error;
use std::io::Read as _;

use countersign_domain::classify::{Knowledge, classify};
use countersign_domain::contract::{
    Drafting, GeneratedFrom, History, Rules, Scope, draft, predict,
};
use countersign_domain::project::{Without, detect};

const TASK: &str = "Fix the rounding of totals in src/module42/file7.ts and in InvoiceTotal";

fn main() -> Result<(), Box<dyn Error>> {
    let mut text = String::new();
    std::io::stdin().lock().read_to_string(&mut text)?;
    let paths: Vec<&str> = text.lines().collect();
    let manifest = br#"{"scripts": {"test": "jest", "lint": "eslint .", "typecheck": "tsc"}}"#;
    let read = |path: &str| path.ends_with("package.json").then(|| manifest.to_vec());
    let commits = paths.iter().cycle().take(500).enumerate().map(|(number, path)| {
        (format!("invoice: change {number} of how totals are rounded"), vec![(*path).to_owned()])
    });
    let history = History { commits: commits.collect() };
    let contract = draft(Drafting {
        task: TASK,
        classified: &classify(Knowledge::shipped(), TASK),
        expected: predict(TASK, &paths, &history),
        project: &detect(paths.iter().copied(), &read),
        rules: Rules::shipped(),
        without: &Without::default(),
        generated_from: GeneratedFrom::Auto,
        scope: Scope { task: "T-1".to_owned(), attempt: 1, tree: None, commit: None },
        now: jiff::Timestamp::UNIX_EPOCH,
    });
    println!("{}", contract.criteria.len());
    Ok(())
}
