//! Scripts of the project's own that let work through or stop it.

use countersign_domain::gaming::{Finding, Rule};

use crate::detect::Change;

/// Words of the names of such scripts.
const NAMES: &[&str] =
    &["lint", "check", "verify", "typecheck", "validate", "audit", "guard", "ci"];

/// Folders in which scripts lie.
const FOLDERS: &[&str] = &["scripts", "script", "tools", "tool", "bin", "ci", "hack", "dev"];

/// What ends a script with a failure.
const FAILS: &[&str] = &[
    "exit(1",
    "exit(2",
    "exit 1",
    "exit 2",
    "exitCode = 1",
    "exitCode=1",
    "Exit(1",
    "SystemExit",
    "sys.exit(",
    "exit(main",
    "throw ",
    "raise ",
    "set -e",
    "ExitCode::FAILURE",
    "log.Fatal",
    "panic",
];

/// A script that could stop work before, and can't any more.
pub(super) fn check(change: &Change<'_>) -> Vec<Finding> {
    let mut folders = change.path.split('/').rev().skip(1);
    let stem = change.name().split('.').next().unwrap_or("").to_lowercase();
    let is_named = stem.split(['-', '_']).any(|word| NAMES.contains(&word));
    let is_script = is_named && folders.any(|folder| FOLDERS.contains(&folder));
    let fails = |text: &str| FAILS.iter().any(|word| text.contains(word));
    if !is_script || change.after.is_none() || !fails(change.old()) || fails(change.current()) {
        return Vec::new();
    }
    let message = "A script that could stop work can't fail any more.";
    vec![change.text(Rule::G44, 1, message)]
}
