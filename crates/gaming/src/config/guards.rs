//! Numbers and switches that guard the code: coverage, strictness, lints.

use countersign_domain::gaming::{Finding, Rule};

use crate::args::{find_word, number, short, squeeze};
use crate::detect::Change;
use crate::role::Role;

/// Numbers that must not fall.
const FLOORS: &[&str] = &[
    "fail_under",
    "cov-fail-under",
    "branches",
    "functions",
    "lines",
    "statements",
    "minimum_coverage",
    "check-coverage",
    "min_coverage",
    "threshold",
    "target",
    "<minimum>",
    "minimum",
    "coverage_threshold",
    "break",
];

/// Numbers that must not grow.
const CEILINGS: &[&str] =
    &["max-warnings", "max_warnings", "maxWarnings", "max-complexity", "max_complexity"];

/// Switches that must stay on.
const STRICT: &[&str] = &[
    "strict",
    "noImplicitAny",
    "strictNullChecks",
    "noUnusedLocals",
    "noUncheckedIndexedAccess",
    "disallow_untyped_defs",
    "check_untyped_defs",
    "warn_return_any",
    "forbidOnly",
    "failOnStdErr",
    "deny_warnings",
    "warnings_as_errors",
    "TreatWarningsAsErrors",
];

pub(super) fn check(change: &Change<'_>) -> Vec<Finding> {
    if !matches!(change.role, Role::BuildConfig | Role::RunnerConfig | Role::Ci)
        || change.after.is_none()
        || change.is_binary
    {
        return Vec::new();
    }
    let lines = change.lines();
    let is_coverage =
        change.current().to_lowercase().contains("coverage") || change.name().contains("codecov");
    let keys: Vec<&&str> =
        FLOORS.iter().filter(|key| is_coverage || !COMMON.contains(key)).collect();
    let told = |text: &str| {
        text.len() < 2_000 && FLOORS.iter().chain(CEILINGS).any(|key| value_of(text, key).is_some())
    };
    let removed: Vec<&str> =
        lines.removed.iter().map(|(_, text)| *text).filter(|text| told(text)).take(MOST).collect();
    let switched: Vec<&str> = lines.removed.iter().map(|(_, text)| *text).take(MOST).collect();
    let mut findings = Vec::new();
    for (line, text) in lines.added.iter().filter(|(_, text)| text.len() < 2_000).take(MOST) {
        let at = |message: String, before: &str| {
            change.text(Rule::G44, *line, message).change(Some(short(before)), Some(short(text)))
        };
        let old = |key: &str| removed.iter().find_map(|old| Some((*old, value_of(old, key)?)));
        for key in &keys {
            if let (Some((old, was)), Some(is)) = (old(key), value_of(text, key))
                && is < was
            {
                findings.push(at(format!("'{key}' is lower than before."), old));
                break;
            }
        }
        for key in CEILINGS {
            if let (Some((old, was)), Some(is)) = (old(key), value_of(text, key))
                && is > was
            {
                findings.push(at(format!("'{key}' is higher than before."), old));
            }
        }
        findings.extend(relaxed(change, *line, text, &switched));
        let lost = switched.iter().find_map(|old| Some((*old, unflagged(old, text)?)));
        if let Some((old, flag)) = lost {
            findings.push(at(format!("'{flag}' is no longer handed to what checks."), old));
        }
    }
    findings
}

/// Names of floors that mean something else outside of coverage.
const COMMON: &[&str] =
    &["target", "threshold", "lines", "break", "minimum", "functions", "branches", "statements"];

/// Settings have fewer new lines than this.
const MOST: usize = 1_000;

/// What a command is handed so that it finds more, or fails more readily.
const FLAGS: &[&str] = &[
    "-race",
    "-Werror",
    "-Wall",
    "--strict",
    "-D warnings",
    "--deny warnings",
    "--max-warnings=0",
    "--max-warnings 0",
    "-W error",
    "--workspace",
    "--all-features",
    "--all-targets",
    "--forbid-only",
    "--strict-markers",
    "--error-on-warnings",
];

/// The flag without which a command of a check is what it was.
fn unflagged(old: &str, new: &str) -> Option<&'static str> {
    const CHECKS: &[&str] =
        &["test", "lint", "clippy", "eslint", "mypy", "vet", "ruff", "tsc", "check", "pytest"];
    let close = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    let (old, new) = (close(old), close(new));
    let is_check = old.len() < 1_000 && CHECKS.iter().any(|word| find_word(&old, word).is_some());
    let is_lost = |flag: &&&str| {
        let without = close(&old.replacen(**flag, "", 1));
        old.contains(**flag) && without.trim_end_matches(" --") == new.trim_end_matches(" --")
    };
    FLAGS.iter().filter(|_| is_check).find(is_lost).copied()
}

/// The number behind a key, which may be written in capital letters.
fn value_of(text: &str, key: &str) -> Option<f64> {
    let lower = text.to_ascii_lowercase();
    let at = find_word(&lower, &key.to_ascii_lowercase())?;
    let rest = &text[at + key.len()..];
    let rest = rest.trim_start_matches(['"', '\'', ' ', ':', '=', '<', '>']);
    rest.starts_with(|letter: char| letter.is_ascii_digit() || letter == '-')
        .then(|| number(rest))?
}

/// A switch that was on, or a lint that is off now.
fn relaxed(change: &Change<'_>, line: u32, text: &str, removed: &[&str]) -> Option<Finding> {
    let squeezed = squeeze(text).to_lowercase().replace(['"', '\''], "");
    let off = |key: &str| {
        let key = key.to_lowercase();
        [format!("{key}:false"), format!("{key}=false"), format!("{key}>false")]
            .iter()
            .any(|word| squeezed.contains(word))
    };
    let was_on = |key: &str| {
        removed.iter().any(|old| {
            let old = squeeze(old).to_lowercase();
            old.contains(&key.to_lowercase()) && old.contains("true")
        })
    };
    if let Some(key) = STRICT.iter().find(|key| off(key) && was_on(key)) {
        return Some(
            change
                .text(Rule::G44, line, format!("'{key}' was on, and is off."))
                .change(None, Some(short(text))),
        );
    }
    let name = change.name();
    let of_lints = name.contains("eslint")
        || matches!(
            name,
            "ruff.toml"
                | ".flake8"
                | ".pylintrc"
                | "biome.json"
                | "mypy.ini"
                | ".golangci.yml"
                | ".golangci.yaml"
                | ".rubocop.yml"
                | "clippy.toml"
                | "pyproject.toml"
                | "setup.cfg"
                | "Cargo.toml"
        );
    let offs = [
        ":off",
        ":0,",
        "ignore_errors=true",
        "per-file-ignores",
        "=allow",
        "level=allow",
        "enabled:false",
    ];
    let ignores =
        ["ignore=[", "disable=", "extend-ignore"].iter().any(|word| squeezed.starts_with(word));
    (of_lints && (offs.iter().any(|word| squeezed.contains(word)) || ignores))
        .then(|| change.text(Rule::G44, line, "A lint is off now.").change(None, Some(short(text))))
}
