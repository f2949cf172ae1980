//! Settings of test runners: which tests exist, what is loaded before them, how patient they are.

use countersign_domain::gaming::{Finding, Rule, Severity};

use super::command::{filter, partial};
use crate::args::short;
use crate::compare::turned;
use crate::detect::Change;
use crate::role::Role;

/// Keys that say which tests exist.
const DISCOVERY: &[&str] = &[
    "testpaths",
    "python_files",
    "python_functions",
    "python_classes",
    "norecursedirs",
    "collect_ignore",
    "testMatch",
    "testRegex",
    "testPathIgnorePatterns",
    "modulePathIgnorePatterns",
    "roots",
    "testDir",
    "testIgnore",
    "spec_files",
    "testNamePattern",
    "passWithNoTests",
    "includeSource",
    "autotests",
    "harness",
    "test = false",
    "excludes",
    "<exclude>",
    "excludeTestsMatching",
    "<skipTests>",
    "maven.test.skip",
    "useJUnitPlatform",
    "default-filter",
    "excludeGroups",
    "excludedGroups",
];

/// Keys of vitest, mocha and cypress that are too common in other files.
const SHORT: &[&str] = &["include", "exclude", "spec", "ignore", "dir", "files"];

/// Keys that load code before or around the tests.
const LOADS: &[&str] = &[
    "setupFiles",
    "setupFilesAfterEnv",
    "globalSetup",
    "globalTeardown",
    "testResultsProcessor",
    "reporters",
    "testRunner",
    "testSequencer",
    "transform",
    "snapshotSerializers",
    "testEnvironment",
    "require",
    "pytest_plugins",
    "resolver",
    "moduleNameMapper",
];

/// Keys that make failures harmless.
const HARMLESS: &[&str] = &[
    "dangerouslyIgnoreUnhandledErrors",
    "testFailureIgnore",
    "ignoreFailures",
    "haltOnFailure",
    "failOnError",
];

pub(super) fn check(change: &Change<'_>) -> Vec<Finding> {
    let name = change.name().to_ascii_lowercase();
    let manifest = [
        "pyproject.toml",
        "setup.cfg",
        "package.json",
        "cargo.toml",
        "pom.xml",
        "build.gradle",
        "build.gradle.kts",
        "nextest.toml",
    ];
    let is_manifest = manifest.contains(&name.as_str()) || name.starts_with("vite.config.");
    if change.after.is_none()
        || !(change.role == Role::RunnerConfig || is_manifest)
        || change.name().ends_with(".pth")
    {
        return deleted(change);
    }
    let lines = change.lines();
    let mut findings = Vec::new();
    for (number, line) in lines.added.iter().filter(|(_, line)| line.len() < 2_000) {
        let trimmed = line.trim();
        if trimmed.starts_with(['#', ';', '/', '*']) {
            continue;
        }
        let at = |rule, message: &str| {
            change.text(rule, *number, message).change(None, Some(short(trimmed)))
        };
        let is_key = |key: &str| is_key(trimmed, key);
        let in_runner = change.role == Role::RunnerConfig && !name.ends_with(".py");
        if DISCOVERY.iter().any(|key| is_key(key))
            || in_runner && SHORT.iter().any(|key| is_key(key))
        {
            findings.push(at(Rule::G05, "Which tests exist was changed."));
        }
        if in_runner && LOADS.iter().any(|key| is_key(key)) || is_key("pytest_plugins") {
            findings.push(at(
                Rule::G43,
                "Something is loaded before the tests, or in the place of a part of the runner.",
            ));
        }
        if HARMLESS.iter().any(|key| is_key(key))
            && (trimmed.contains("true") || trimmed.contains("failOnError"))
        {
            findings.push(at(Rule::G41, "Failures of tests are made harmless."));
        }
        if is_key("addopts") || is_key("args") && in_runner {
            findings.extend(options(trimmed, &at));
        }
        if is_key("xfail_strict") && trimmed.contains("alse") {
            findings.push(
                at(Rule::G02, "Tests that are expected to fail and pass are fine now.")
                    .graded(Severity::Info),
            );
        }
    }
    for (knob, was, is) in turned(change.old(), change.new()) {
        if change.role == Role::RunnerConfig || is_manifest && name != "cargo.toml" {
            let had = was.map_or_else(String::new, |was| format!(", and was {was}"));
            findings.push(change.text(Rule::G12, 0, format!("{knob} is {is} now{had}.")));
        }
    }
    findings
}

/// Settings that are gone: the runner goes back to what it does by itself.
fn deleted(change: &Change<'_>) -> Vec<Finding> {
    let gone = change.after.is_none() && change.role == Role::RunnerConfig;
    gone.then(|| {
        change.text(Rule::G05, 0, "Settings of a test runner were deleted.").graded(Severity::Info)
    })
    .into_iter()
    .collect()
}

fn options(line: &str, at: &dyn Fn(Rule, &str) -> Finding) -> Vec<Finding> {
    let mut findings = Vec::new();
    if let Some(option) = filter(line) {
        findings
            .push(at(Rule::G05, &format!("Every run gets '{option}', which leaves tests out.")));
    }
    if let Some(option) = partial(line) {
        findings
            .push(at(Rule::G50, &format!("Every run gets '{option}', and may not run all tests.")));
    }
    if line.contains("-p ") || line.contains("-c ") {
        findings.push(
            at(Rule::G43, "Every run loads a plugin or other settings.").graded(Severity::Info),
        );
    }
    findings
}

/// Whether a line sets a key: at its beginning, or in braces.
fn is_key(line: &str, key: &str) -> bool {
    if key.contains(['<', '=']) {
        return line.contains(key);
    }
    crate::args::find_word(line, key).is_some_and(|at| {
        let rest = line[at + key.len()..].trim_start_matches(['"', '\'']).trim_start();
        let starts = line[..at].trim_end();
        let begins = starts.is_empty()
            || starts.ends_with(['{', ',', '"', '\'', '('])
            || starts.ends_with("const");
        begins && rest.starts_with([':', '=', '(', '{'])
    })
}
