//! Files that take the place of a tool or are loaded before it.

use countersign_domain::gaming::{Finding, Rule, Severity};

use crate::args::short;
use crate::detect::Change;
use crate::language::Language;
use crate::role::Role;

/// Modules of Python that a file in the working directory hides.
const PYTHON: &[&str] =
    &["pytest", "_pytest", "unittest", "pluggy", "nose", "hypothesis", "doctest"];

/// Packages that a folder or file of the same name may hide.
const SCRIPT: &[&str] = &["vitest", "jest", "mocha", "chai", "node:test", "@jest", "playwright"];

/// Variables that load code before a program or change which program runs.
const PRELOADS: &[&str] = &[
    "PYTHONPATH=",
    "PYTHONSTARTUP=",
    "PYTEST_ADDOPTS=",
    "PYTEST_PLUGINS=",
    "NODE_OPTIONS=",
    "LD_PRELOAD=",
    "RUSTC_WRAPPER=",
    "RUSTC_WORKSPACE_WRAPPER=",
    "DYLD_INSERT_LIBRARIES=",
    "PERL5OPT=",
    "RUBYOPT=",
    "JAVA_TOOL_OPTIONS=",
    "node-options",
    "script-shell",
    "-toolexec",
    "PYTHONOPTIMIZE=",
    "BASH_ENV=",
];

pub(super) fn check(change: &Change<'_>) -> Vec<Finding> {
    if change.after.is_none() {
        return Vec::new();
    }
    let mut findings = Vec::new();
    if change.role == Role::Vendored {
        let message = if change.is_new {
            "A file was put among the installed dependencies."
        } else {
            "An installed dependency was changed."
        };
        let is_installed = change.path.contains("node_modules/");
        findings.extend(is_installed.then(|| change.text(Rule::G42, 0, message)));
        return findings;
    }
    findings.extend(loaded_first(change));
    findings.extend(same_name(change));
    findings.extend(preloads(change));
    findings
}

/// What Python loads before every program.
fn loaded_first(change: &Change<'_>) -> Option<Finding> {
    let name = change.name();
    let custom = matches!(name, "sitecustomize.py" | "usercustomize.py");
    // Weights of models have the same extension, and are no text.
    let path_file = name.ends_with(".pth")
        && !change.is_binary
        && change
            .current()
            .lines()
            .take(50)
            .any(|line| line.starts_with("import ") || line.starts_with("import\t"));
    if !custom && !path_file {
        return None;
    }
    let finding = change.text(Rule::G42, 0, format!("Python loads '{name}' before every program."));
    Some(if change.is_new { finding.graded(Severity::Block) } else { finding })
}

/// A file or folder that is found in the place of the runner.
fn same_name(change: &Change<'_>) -> Option<Finding> {
    if !change.is_new {
        return None;
    }
    let parts: Vec<&str> = change.path.split('/').collect();
    // Where Python looks first: the root, and roots of source and tests.
    let place =
        parts.iter().position(|part| !matches!(*part, "src" | "lib" | "tests" | "test" | "."))?;
    let first = parts[place];
    let stem = first.split('.').next().unwrap_or(first);
    let is_last = place + 1 == parts.len();
    let of_python = change.language == Language::Python
        && PYTHON.contains(&stem)
        && (is_last || parts.get(place + 1) == Some(&"__init__.py"));
    let of_script = change.language.is_script()
        && SCRIPT.contains(&stem)
        && is_last
        && !change.name().contains(".config.")
        && !change.name().contains(".setup.")
        && first.matches('.').count() == 1;
    if of_python {
        let message = format!("'{first}' hides the module of the same name that runs the tests.");
        return Some(change.text(Rule::G42, 0, message).graded(Severity::Block));
    }
    let message = format!("'{first}' has the name of the tool that runs the tests.");
    of_script.then(|| change.text(Rule::G42, 0, message))
}

fn preloads(change: &Change<'_>) -> Vec<Finding> {
    if !matches!(change.role, Role::BuildConfig | Role::RunnerConfig | Role::Ci) {
        return Vec::new();
    }
    let lines = change.lines();
    let bad = |line: &str| {
        let line = line.replace(" = ", "=").replace(": ", "=");
        PRELOADS.iter().any(|word| line.contains(word)) && !line.contains("max-old-space-size")
    };
    let found = lines.added.iter().filter(|(_, line)| line.len() < 2_000 && bad(line));
    found
        .map(|(number, line)| {
            let message =
                "A variable or setting loads code before the tests, or changes what runs them.";
            change.text(Rule::G42, *number, message).change(None, Some(short(line)))
        })
        .collect()
}
