//! Warnings that were switched off in source code.

use countersign_domain::gaming::{Finding, Rule, Severity};

use crate::args::short;
use crate::detect::Change;
use crate::role::Role;

/// How a line or a file asks a tool to say nothing.
const MARKS: &[&str] = &[
    "# type: ignore",
    "# noqa",
    "# pylint: disable",
    "# pyright: ignore",
    "# mypy: ignore",
    "# pragma: no cover",
    "# nosec",
    "@ts-ignore",
    "@ts-nocheck",
    "@ts-expect-error",
    "eslint-disable",
    "biome-ignore",
    "tslint:disable",
    "istanbul ignore",
    "c8 ignore",
    "v8 ignore",
    "#[allow(",
    "#![allow(",
    "#[expect(",
    "//nolint",
    "// nolint",
    "@SuppressWarnings",
    "@Suppress(",
    "rubocop:disable",
    "#pragma warning disable",
    "NOSONAR",
    "NOLINT",
    "phpstan-ignore",
    "@phpstan-ignore",
    "swiftlint:disable",
    "shellcheck disable",
    "tarpaulin::skip",
    "coverage(off)",
    "@codeCoverageIgnore",
    "# ruff: noqa",
    "# flake8: noqa",
    "prettier-ignore",
];

/// For a whole file or more.
const WIDE: &[&str] = &[
    "@ts-nocheck",
    "#![allow(",
    "# mypy: ignore-errors",
    "# ruff: noqa",
    "# flake8: noqa",
    "nolint:all",
    "pylint: disable=all",
    "NOLINTBEGIN",
];

pub(crate) fn check(change: &Change<'_>) -> Vec<Finding> {
    let looked_at =
        matches!(change.role, Role::Product | Role::Test | Role::RunnerConfig | Role::BuildConfig);
    if !looked_at || !change.language.is_code() || change.after.is_none() {
        return Vec::new();
    }
    let lines = change.lines();
    // A test of types says what must not compile.
    let is_test = change.role == Role::Test;
    let marked = |line: &str| {
        let expected = is_test && line.contains("@ts-expect-error");
        line.len() < 4_000 && !expected && MARKS.iter().any(|mark| is_mark(line, mark))
    };
    let added: Vec<&(u32, &str)> = lines.added.iter().filter(|(_, line)| marked(line)).collect();
    let removed = lines.removed.iter().filter(|(_, line)| marked(line)).count();
    let Some((number, line)) = added.first().filter(|_| added.len() > removed) else {
        return Vec::new();
    };
    let grown = added.len() - removed;
    let wide = added.iter().any(|(_, line)| is_wide(line));
    let message = match grown {
        1 => "A warning is switched off.".to_owned(),
        more => format!("{more} warnings are switched off."),
    };
    let finding = change.text(Rule::G44, *number, message).change(None, Some(short(line)));
    let is_said = |number: u32| {
        let above = number.checked_sub(2).and_then(|at| usize::try_from(at).ok());
        above.and_then(|at| change.current().lines().nth(at)).is_some_and(is_reason)
    };
    let mut fine = added.iter().map(|(number, line)| has_reason(line) || is_said(*number));
    let fine = grown <= 3 && !wide && fine.all(|is_fine| is_fine);
    vec![if fine { finding.graded(Severity::Info) } else { finding }]
}

/// Whether a mark stands there as one, and not in a text.
fn is_mark(line: &str, mark: &str) -> bool {
    line.find(mark).is_some_and(|at| {
        let before = &line[..at];
        let quotes = before.matches('"').count();
        quotes.is_multiple_of(2) && !before.ends_with('`')
    })
}

fn is_wide(line: &str) -> bool {
    let whole = line.contains("eslint-disable") && !line.contains("-line");
    whole || WIDE.iter().any(|mark| line.contains(mark))
}

/// Whether a line is a comment of several words that says why: it names where that is known, or a cause.
fn is_reason(line: &str) -> bool {
    let line = line.trim_start();
    let is_comment = line.starts_with("//") || line.starts_with("# ");
    let lower = line.to_lowercase();
    let says =
        ["because", "since ", "issue", "see ", "until ", " so that ", "http", "#1", "kept for"];
    is_comment
        && !MARKS.iter().any(|mark| line.contains(mark))
        && line.split_whitespace().count() > 5
        && says.iter().any(|word| lower.contains(word))
}

/// A reason in words, or at least the name of the one thing that is meant.
fn has_reason(line: &str) -> bool {
    let told = [
        "reason =",
        "reason=",
        " -- ",
        "because",
        "untyped",
        "third-party",
        "no stubs",
        "import-",
        "see #",
    ];
    let words = line.rsplit(['#', '/']).next().unwrap_or("").split_whitespace().count();
    let named = ["ignore[", "noqa: ", "disable=", "nolint:", "clippy::", "-line "];
    told.iter().chain(&named).any(|word| line.contains(word)) || words > 5
}
