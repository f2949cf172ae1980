//! What the documents of the project must hold, and that they agree with each other.

use super::finding::Finding;
use super::packages::Package;
use super::source::{Source, has_word};

const RULE: &str = "documents";

/// The one command that checks everything.
const TEST: &str = "cargo xtask test";

const MAX_ARCHITECTURE: usize = 250;

/// What can be said about one document alone.
pub(crate) fn check(source: &Source<'_>) -> Vec<Finding> {
    match source.path {
        "ARCHITECTURE.md" => check_architecture(source),
        "CHANGELOG.md" => check_changelog(source),
        "README.md" => check_readme(source),
        ".ci/run" => check_ci(source),
        _ => Vec::new(),
    }
}

/// Which files there must be, whatever is in them.
pub(crate) fn check_presence(paths: &[String], lock_is_committed: Option<bool>) -> Vec<Finding> {
    let mut findings = Vec::new();
    let there = |wanted: &str| paths.iter().any(|path| path == wanted);
    for wanted in ["Cargo.lock", "CHANGELOG.md", "LICENSE-MIT", "LICENSE-APACHE", ".ci/run"] {
        if !there(wanted) {
            findings.push(Finding::new(
                RULE,
                (wanted, 1),
                "the file is missing",
                "restore it; if it is ignored by git, stop ignoring it",
            ));
        }
    }
    if there("Cargo.lock") && lock_is_committed == Some(false) {
        findings.push(Finding::new(
            RULE,
            ("Cargo.lock", 1),
            "the lock file is not committed",
            "git add Cargo.lock: everybody builds the same program",
        ));
    }
    findings
}

/// Every crate of others that a manifest names has its row in docs/DEPENDENCIES.md.
pub(crate) fn check_dependencies(table: &Source<'_>, packages: &[Package]) -> Vec<Finding> {
    let mut findings = Vec::new();
    let mut names: Vec<&str> = Vec::new();
    for package in packages {
        for need in &package.needs {
            let ours = packages.iter().any(|other| other.name == need.name);
            let known = names.contains(&need.name.as_str());
            if !ours && !known && !table.text.contains(&format!("| `{}` |", need.name)) {
                findings.push(Finding::new(
                    RULE,
                    (package.manifest.as_str(), package.line_of(&need.name)),
                    format!("`{}` is not in {}", need.name, table.path),
                    "add its row: which version, who uses it, why, and what we'd do without",
                ));
            }
            names.push(&need.name);
        }
    }
    findings
}

fn check_architecture(source: &Source<'_>) -> Vec<Finding> {
    let count = source.text.lines().count();
    let what = format!("the document has {count} lines; it may have {MAX_ARCHITECTURE}");
    let fix = "keep the bird's eye view; move details next to the code or into docs/";
    fail_if(count > MAX_ARCHITECTURE, Finding::new(RULE, (source.path, count), what, fix))
}

fn check_changelog(source: &Source<'_>) -> Vec<Finding> {
    let heading = |line: &str| matches!(line.trim_end(), "## [Unreleased]" | "## Unreleased");
    let what = "there is no section `## [Unreleased]`";
    let fix = "add it above the newest release; that is where changes are written down";
    fail_if(!source.text.lines().any(heading), Finding::new(RULE, (source.path, 1), what, fix))
}

fn check_readme(source: &Source<'_>) -> Vec<Finding> {
    let second = commands(source.text).into_iter().nth(1);
    let good = second.as_ref().is_some_and(|(_, command)| command == TEST);
    let number = second.map_or(1, |(number, _)| number);
    let what = format!("the second command of the README is not `{TEST}`");
    let fix = "get it, test it: a newcomer's second command checks everything";
    fail_if(!good, Finding::new(RULE, (source.path, number), what, fix))
}

fn check_ci(source: &Source<'_>) -> Vec<Finding> {
    let calls: Vec<(usize, &str)> = source
        .text
        .lines()
        .enumerate()
        .map(|(index, line)| (index + 1, line.trim()))
        .filter(|(_, line)| !line.starts_with('#') && has_word(line, "cargo"))
        .collect();
    let good = matches!(calls.as_slice(), [(_, TEST)]);
    let wrong = calls.iter().find(|(_, line)| *line != TEST).or(calls.last());
    let number = wrong.map_or(1, |(number, _)| *number);
    let what = format!("the script doesn't call exactly `{TEST}`");
    let fix = "what CI checks is what a developer checks: put new steps into xtask/src/test.rs";
    fail_if(!good, Finding::new(RULE, (source.path, number), what, fix))
}

fn fail_if(broken: bool, finding: Finding) -> Vec<Finding> {
    if broken { vec![finding] } else { Vec::new() }
}

/// The commands in the shell blocks of a Markdown document, with their lines.
fn commands(text: &str) -> Vec<(usize, String)> {
    let mut found = Vec::new();
    let mut block: Option<&str> = None;
    for (index, line) in text.lines().enumerate() {
        let line = line.trim();
        if let Some(language) = line.strip_prefix("```") {
            block = if block.is_some() { None } else { Some(language.trim()) };
            continue;
        }
        let command = match block {
            Some("sh" | "bash" | "shell") => Some(line.strip_prefix("$ ").unwrap_or(line)),
            // In a console block everything without a prompt is output.
            Some("console") => line.strip_prefix("$ "),
            _ => None,
        };
        let command = command.map(|text| text.split(" #").next().unwrap_or(text).trim());
        if let Some(command) = command.filter(|text| !text.is_empty() && !text.starts_with('#')) {
            found.push((index + 1, command.to_owned()));
        }
    }
    found
}

#[cfg(test)]
mod tests;
