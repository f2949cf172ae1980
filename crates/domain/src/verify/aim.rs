//! What a task wants of the code: another behaviour, which has to show, or the same as before.

use serde::{Deserialize, Serialize};

/// What a task wants of the code.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Aim {
    /// Something that was not so before: some test must fail on the base and pass now.
    Behaviour,
    /// The same behaviour in another shape, or nothing of the code at all.
    Upkeep,
    /// Tests, documents, what a server runs: if the code does something else afterwards, that has
    /// to show as well.
    Around,
}

/// Words that ask for the same behaviour, wherever they lead a sentence.
const UPKEEP: &[&str] = &[
    "refactor",
    "refactoring",
    "rename",
    "move",
    "extract",
    "split",
    "inline",
    "reorganise",
    "reorganize",
    "restructure",
    "clean",
    "cleanup",
    "tidy",
    "reformat",
    "format",
    "lint",
    "document",
    "docs",
    "doc",
    "chore",
    "style",
    "test",
    "tests",
    "bump",
    "upgrade",
    "simplify",
    "deduplicate",
    "parametrise",
    "parametrize",
    "parameterise",
    "parameterize",
    "merge",
    "consolidate",
    "regenerate",
    "ci",
    "build",
    "typo",
    "comment",
    "mark",
    "skip",
    "quarantine",
    "migrate",
    "convert",
    "port",
    "delete",
    "remove",
    "drop",
    "perf",
    "speed",
    "optimise",
    "optimize",
    "modernise",
    "modernize",
    "pin",
    "reword",
    "annotate",
    "vendor",
    "snapshot",
];

/// What these verbs do to such things changes no behaviour of the code.
const UPKEEP_OBJECTS: &[&str] = &[
    "formatting",
    "lint",
    "lints",
    "warning",
    "warnings",
    "typing",
    "types",
    "type",
    "logging",
    "dependency",
    "dependencies",
    "lockfile",
    "typo",
    "typos",
];

/// What is around the code.
const AROUND: &[&str] = &[
    "test",
    "tests",
    "comment",
    "comments",
    "docs",
    "documentation",
    "readme",
    "changelog",
    "snapshot",
    "snapshots",
    "fixture",
    "fixtures",
    "ci",
    "workflow",
    "pipeline",
    "docstring",
    "docstrings",
    "coverage",
    "suite",
    "golden",
    "goldens",
    "benchmark",
    "conftest",
    "mock",
    "mocks",
    "expectation",
    "expectations",
    "makefile",
];
/// Verbs that are about what is around the code.
const AROUND_VERBS: &[&str] = &[
    "document",
    "docs",
    "doc",
    "test",
    "tests",
    "ci",
    "snapshot",
    "comment",
    "quarantine",
    "skip",
];

/// Between a verb and what it is about.
const FILLERS: &[&str] = &[
    "the",
    "a",
    "an",
    "all",
    "some",
    "our",
    "more",
    "missing",
    "unit",
    "integration",
    "new",
    "old",
    "flaky",
    "slow",
    "failing",
    "broken",
    "existing",
    "regression",
    "property",
    "few",
    "up",
    "for",
    "in",
    "of",
    "stale",
    "outdated",
    "ui",
    "to",
    "and",
    "jest",
    "vitest",
    "pytest",
    "go",
    "cargo",
];

/// What says, anywhere in a task, that the code is to do the same as before.
const SAME: &[&str] = &[
    "behaviour must not change",
    "behavior must not change",
    "behaviour stays",
    "behavior stays",
    "same behaviour",
    "same behavior",
    "no behaviour change",
    "no behavior change",
    "no functional change",
    "without changing behaviour",
    "without changing behavior",
    "without changing what it does",
    "must behave as before",
    "behaves as before",
    "no change of the code",
    "no code change",
    "no change in behaviour",
    "no change in behavior",
    "stays the same",
    "nothing else changes",
    "nothing else is to change",
    "test only",
    "tests only",
    "only the test",
    "refactor",
];

/// What the words ask for. Not knowing is taken for another behaviour: that is the stricter one.
pub fn aim(task: &str) -> Aim {
    let all = task.to_lowercase();
    if SAME.iter().any(|words| all.contains(words)) {
        return Aim::Upkeep;
    }
    let first = task.lines().find(|line| !line.trim().is_empty()).unwrap_or_default();
    let lower = first.to_lowercase();
    let mut words = lower
        .split(|letter: char| !(letter.is_alphanumeric() || letter == '-' || letter == '_'))
        .filter(|word| !word.is_empty())
        .skip_while(|word| {
            matches!(*word, "please" | "we" | "should" | "can" | "you" | "now" | "just")
        });
    let Some(verb) = words.next() else { return Aim::Behaviour };
    if AROUND_VERBS.contains(&verb) {
        return Aim::Around;
    }
    if UPKEEP.contains(&verb) {
        return Aim::Upkeep;
    }
    // "Add missing tests for the parser" is about tests, "add a test mode" is not: what a verb is
    // about is the first noun that is followed by no other.
    let mut rest = words.skip_while(|word| FILLERS.contains(word));
    let object = rest.next().unwrap_or_default();
    let next = rest.next().unwrap_or_default();
    let ends_there = next.is_empty()
        || matches!(
            next,
            "for"
                | "in"
                | "of"
                | "to"
                | "on"
                | "with"
                | "so"
                | "that"
                | "and"
                | "after"
                | "about"
                | "from"
                | "around"
                | "file"
                | "files"
                | "suite"
                | "warnings"
                | "errors"
        );
    match object {
        _ if !ends_there => Aim::Behaviour,
        object if UPKEEP_OBJECTS.contains(&object) => Aim::Upkeep,
        object if AROUND.contains(&object) => Aim::Around,
        _ => Aim::Behaviour,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// LP-12: what has to be red before it is green.
    #[test]
    fn what_is_to_change_and_what_is_not() {
        let behaviour = [
            "Fix add: it must return the sum",
            "add a retry to the client",
            "Implement slugify(text)",
            "feat: support negative numbers",
            "fix: rounding",
            "The parser should accept tabs",
            "Add a test mode to the client",
            "",
            "¿Qué?",
            "Make the tests pass",
        ];
        let upkeep = [
            "Refactor the parser",
            "refactor(core): split utils",
            "Add tests for the parser",
            "Add missing unit tests",
            "Update the snapshots after the new layout",
            "Fix typo in README",
            "Rename foo to bar",
            "test: cover edge cases",
            "Fix the flaky tests",
            "Please move the helpers into their own module",
            "Improve documentation of the API",
            "allow and left do the same. Put that into one method; behaviour must not change.",
        ];
        for task in behaviour {
            assert_eq!(aim(task), Aim::Behaviour, "{task}");
        }
        assert_eq!(aim("Add tests for the parser"), Aim::Around);
        assert_eq!(aim("Fix the lint warnings"), Aim::Upkeep);
        for task in upkeep {
            assert_ne!(aim(task), Aim::Behaviour, "{task}");
        }
    }
}
