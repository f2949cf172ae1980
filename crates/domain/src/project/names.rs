//! What the names of scripts, targets and recipes say about what they do, and what their text does.

use super::types::Activity;
use crate::worklog::command::{can_fail, runner_of};

/// How much a way to do something is preferred, the lowest first: what the user said, the
/// project's own scripts, the tools of a stack, the targets of a task runner, the words of CI. CI
/// that runs a command speaks for it.
pub(super) const SETTINGS: u32 = 0;
pub(super) const SCRIPT: u32 = 20;
pub(super) const STACK: u32 = 30;
pub(super) const TASK: u32 = 40;
pub(super) const CI: u32 = 50;
pub(super) const RUN_BY_CI: u32 = 15;
/// What builds environments of its own, from the network, around a runner that can be called
/// without: the last choice, also where CI runs it.
pub(super) const ENVIRONMENTS: u32 = 70;
/// What is there, but would rather change files or wait for them than judge them.
pub(super) const UNFIT: u32 = 15;

/// Names by activity, the plainest last: where several are there, the first is the best.
const NAMES: &[(Activity, &[&str])] = &[
    (Activity::Build, &["build", "compile", "build:all", "build-all"]),
    (
        Activity::Typecheck,
        &[
            "typecheck",
            "type-check",
            "type_check",
            "check-types",
            "check:types",
            "types:check",
            "tsc",
            "types",
            "test:types",
            "mypy",
            "pyright",
            "check:type",
            "phpstan",
            "psalm",
        ],
    ),
    (
        Activity::Lint,
        &[
            "lint:check",
            "lint:ci",
            "lint",
            "eslint",
            "check:lint",
            "lint:all",
            "lint:js",
            "lint:ts",
            "clippy",
            "ruff",
            "cs",
            "analyse",
            "analyze",
            "rubocop",
            "vet",
        ],
    ),
    (
        Activity::Format,
        &[
            "format:check",
            "format-check",
            "fmt:check",
            "fmt-check",
            "check-format",
            "check:format",
            "check-fmt",
            "prettier:check",
            "lint:format",
            "format:ci",
            "format",
            "fmt",
            "prettier",
        ],
    ),
    (
        Activity::Unit,
        &[
            "test:unit",
            "unit",
            "test-unit",
            "test_unit",
            "unit-test",
            "unittest",
            "test:ci",
            "test-ci",
            "test",
            "tests",
            "test:all",
            "check",
        ],
    ),
    (
        Activity::Integration,
        &[
            "test:integration",
            "test-integration",
            "test_integration",
            "integration",
            "integration-test",
            "test:int",
            "it",
        ],
    ),
    (
        Activity::E2e,
        &[
            "test:e2e",
            "e2e",
            "test-e2e",
            "test_e2e",
            "e2e:ci",
            "e2e:run",
            "cy:run",
            "cypress:run",
            "playwright",
            "test:playwright",
            "e2e-test",
            "acceptance",
        ],
    ),
    (
        Activity::Coverage,
        &["test:coverage", "coverage", "test-coverage", "test:cov", "cov", "cover"],
    ),
    (
        Activity::Mutation,
        &["test:mutation", "mutation", "mutants", "stryker", "mutate", "infection"],
    ),
];

/// The activity that a name stands for, and its place among the names for it.
pub(super) fn activity_of(name: &str) -> Option<(Activity, u32)> {
    NAMES.iter().find_map(|(activity, names)| {
        let at = names.iter().position(|known| *known == name)?;
        Some((*activity, u32::try_from(at).unwrap_or(0)))
    })
}

/// What is to be known about a script before it is believed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Fitness {
    Fit,
    /// It can't fail, so that its success says nothing.
    Hollow,
    /// It stands in for tests that nobody wrote.
    Placeholder,
    /// It changes files instead of judging them.
    Changes,
    /// It goes on until somebody ends it.
    Waits,
}

/// Whether the text of a script can do what its name says. `shells` are the texts that it hands to a
/// shell, each of which has to end well.
pub(super) fn fitness(activity: Activity, text: &str, shells: &[String]) -> Fitness {
    let text = text.trim();
    if text.contains("no test specified") || text.contains("No tests yet") {
        return Fitness::Placeholder;
    }
    let words: Vec<&str> = text.split_whitespace().collect();
    if !shells.iter().any(|shell| can_fail(shell)) {
        return Fitness::Hollow;
    }
    let runners: Vec<_> = shells.iter().filter_map(|shell| runner_of(shell, &[])).collect();
    let is_lost = !runners.is_empty() && !runners.iter().any(|runner| runner.exit_counts);
    if activity.is_test() && is_lost {
        return Fitness::Hollow;
    }
    let watches = words.iter().any(|word| {
        matches!(*word, "--watch" | "--watchAll" | "--watch=true" | "--watchAll=true" | "--ui")
    });
    let opens =
        words.windows(2).any(|pair| pair == ["cypress", "open"] || pair == ["vitest", "watch"]);
    if watches || opens {
        return Fitness::Waits;
    }
    let changes = words.iter().any(|word| matches!(*word, "--fix" | "--write" | "-w" | "--apply"));
    if matches!(activity, Activity::Lint | Activity::Format) && changes {
        return Fitness::Changes;
    }
    let checks =
        ["--check", "-c", "check", "--list-different", "-l", "--dry-run", "--diff", "--verify"];
    if activity == Activity::Format
        && !words.iter().any(|word| checks.iter().any(|c| word.starts_with(c)))
    {
        return Fitness::Changes;
    }
    Fitness::Fit
}
