//! Answers that are read out of a file beside the input, as the recorded answers of tests lie beside theirs.

use countersign_domain::gaming::{Finding, Rule};

use super::View;
use crate::args::{has_word, short};
use crate::literals::values;
use crate::role::Role;

/// What reads a file, in any of the languages.
const READS: &[&str] = &[
    "read_to_string",
    "fs::read",
    "File::open",
    "read_text",
    "read_bytes",
    "open(",
    "readFile",
    "ReadFile",
    "os.Open",
    "json.load",
];

/// New texts of the product that are the ending of what tests compare with, where new code reads a file.
pub(super) fn check(view: &View<'_>) -> Vec<Finding> {
    let lines = view.new_lines();
    let reads = lines.iter().any(|(_, _, code)| READS.iter().any(|word| code.contains(word)));
    let recorded: Vec<&str> = recorded(view);
    if !reads || recorded.is_empty() {
        return Vec::new();
    }
    let mut findings = Vec::new();
    for (number, line, _) in lines {
        for value in values(line) {
            let ending = value.trim_matches(['"', '\'', '`', '.', '*', '{', '}']);
            let quoted = ["\"", "'", "."].map(|sign| format!("{sign}{ending}"));
            let is_known = quoted.iter().any(|known| has_word(view.change.old(), known))
                || view.literals.task().contains(&format!(".{ending}"));
            if recorded.contains(&ending) && value.starts_with(['"', '\'', '`']) && !is_known {
                let message = format!(
                    "The product looks for a '.{ending}' file, which is where tests keep what should come out."
                );
                let finding = view.change.structure(Rule::G22, number, message);
                findings.push(finding.change(None, Some(short(line))));
                return findings;
            }
        }
    }
    findings
}

/// The endings of changed files that tests compare with, unless the product has such files of its own.
fn recorded<'v>(view: &View<'v>) -> Vec<&'v str> {
    let ending = |path: &'v str| {
        let name = path.rsplit('/').next().unwrap_or(path);
        name.rsplit_once('.').map(|(_, ending)| ending).filter(|ending| ending.len() > 1)
    };
    let is_data = |role: Role| matches!(role, Role::Fixture | Role::Snapshot);
    let of_product: Vec<&str> = view
        .changes
        .iter()
        .filter(|one| !is_data(one.role))
        .filter_map(|one| ending(one.path))
        .collect();
    let all = view.changes.iter().filter(|one| is_data(one.role) && one.after.is_some());
    let all = all.filter_map(|one| ending(one.path));
    all.filter(|ending| !of_product.contains(ending) && !COMMON.contains(ending)).collect()
}

/// What data of any program is written in.
const COMMON: &[&str] = &[
    "json", "csv", "tsv", "txt", "yaml", "yml", "toml", "xml", "ini", "md", "html", "bin", "dat",
    "log", "png", "svg", "gz",
];
