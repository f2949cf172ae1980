//! Build scripts and settings of Cargo, and test programs without the usual harness.

use countersign_domain::gaming::{Finding, Rule, Severity};

use crate::args::{short, squeeze};
use crate::detect::Change;

pub(super) fn check(change: &Change<'_>) -> Vec<Finding> {
    if change.after.is_none() || change.is_binary {
        return Vec::new();
    }
    let path = change.path;
    if path.ends_with(".cargo/config.toml") || path.ends_with(".cargo/config") {
        return cargo_settings(change);
    }
    if change.name() == "build.rs" {
        return build_script(change);
    }
    Vec::new()
}

fn cargo_settings(change: &Change<'_>) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (number, line) in &change.lines().added {
        let squeezed = squeeze(line);
        let at = |message: &str| {
            change.text(Rule::G43, *number, message).change(None, Some(short(line)))
        };
        if let Some(runner) = squeezed.strip_prefix("runner=") {
            let program = runner
                .trim_matches(['"', '\'', '[', ']'])
                .split([' ', '"', ','])
                .next()
                .unwrap_or("");
            let nothing =
                ["true", "/bin/true", "/usr/bin/true", "echo", "/bin/echo", ":"].contains(&program);
            let finding = at("Cargo starts test programs through another program.");
            findings.push(if nothing {
                at("Cargo starts no test program at all.").graded(Severity::Block)
            } else {
                finding
            });
        } else if ["rustc-wrapper=", "rustc=", "rustc-workspace-wrapper="]
            .iter()
            .any(|key| squeezed.starts_with(key))
        {
            findings.push(at("Cargo uses another compiler."));
        } else if squeezed.starts_with("rustflags=") || squeezed.starts_with("test=") {
            findings.push(at("How Cargo builds and tests was changed.").graded(Severity::Info));
        }
    }
    findings
}

fn build_script(change: &Change<'_>) -> Vec<Finding> {
    let mut findings = Vec::new();
    let code = change.new();
    for (number, line) in &change.lines().added {
        let writes = [
            "fs::write(",
            "File::create(",
            "fs::copy(",
            "fs::remove_file(",
            "fs::rename(",
            "OpenOptions",
        ];
        if !writes.iter().any(|word| line.contains(word)) || line.trim_start().starts_with("//") {
            continue;
        }
        let at = |message: &str| {
            change.text(Rule::G43, *number, message).change(None, Some(short(line)))
        };
        let inner = line.split('"').nth(1).unwrap_or("");
        if inner.starts_with("tests/") || inner.contains("/tests/") || inner.starts_with("./tests/")
        {
            findings.push(at("The build script writes tests.").graded(Severity::Block));
        } else if inner.starts_with("src/") || inner.starts_with("../") || !code.contains("OUT_DIR")
        {
            findings.push(at("The build script writes outside of the build folder."));
        }
    }
    if findings.is_empty() && !change.lines().added.is_empty() {
        findings
            .push(change.text(Rule::G43, 0, "A build script was changed.").graded(Severity::Info));
    }
    findings
}
