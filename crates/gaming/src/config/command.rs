//! What a command of a shell does with a failure.

use crate::args::{has_word, squeeze};

/// Programs that run tests or guard the code.
const RUNNERS: &[&str] = &[
    "pytest",
    "py.test",
    "unittest",
    "tox",
    "nox",
    "jest",
    "vitest",
    "mocha",
    "ava",
    "node --test",
    "playwright",
    "cypress",
    "cargo test",
    "cargo nextest",
    "go test",
    "gotestsum",
    "mvn",
    "gradle",
    "gradlew",
    "dotnet test",
    "rspec",
    "rake",
    "phpunit",
    "pest",
    "swift test",
    "xcodebuild",
    "ctest",
    "bats",
    "npm test",
    "npm run test",
    "yarn test",
    "pnpm test",
    "make test",
    "make check",
    "just test",
    "npm t",
    "bun test",
    "deno test",
    "karma",
    "tap",
    "cargo xtask",
    "yarn run test",
    "pnpm run test",
    "npx",
    "ng test",
    "minitest",
    "bazel test",
    "eslint",
    "mypy",
    "clippy",
    "ruff",
    "tsc",
    "flake8",
    "golangci-lint",
];

/// What becomes of a failure.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Fate {
    /// It ends the command.
    Kept,
    /// It is thrown away, and nothing else can come of it.
    ThrownAway,
    /// It may get lost on the way.
    Lost,
    /// No test is run at all.
    NothingRuns,
}

pub(super) fn runs_tests(command: &str) -> bool {
    RUNNERS.iter().any(|runner| has_word(command, runner)) || runs_check(command)
}

/// `npm run typecheck`: a script whose name says that it guards something.
fn runs_check(command: &str) -> bool {
    const CHECKS: &[&str] = &["lint", "typecheck", "type-check", "types", "check", "verify", "e2e"];
    ["npm run ", "pnpm run ", "yarn run ", "yarn ", "make "].iter().any(|start| {
        command.split(start).skip(1).any(|rest| {
            let name = rest.split_whitespace().next().unwrap_or_default();
            CHECKS.iter().any(|check| name == *check || name.starts_with(&format!("{check}:")))
        })
    })
}

/// What becomes of a failure of the tests in this command.
pub(super) fn fate(command: &str) -> Fate {
    let command = command.split(" #").next().unwrap_or("").trim();
    let squeezed = squeeze(command).replace("exit 0", "exit0");
    let tests = runs_tests(command);
    let ends = [
        "||true",
        "||:",
        "||exit0",
        ";exit0",
        ";true",
        ";:",
        "&exit0",
        "||/bin/true",
        "||(exit0)",
        "&true",
    ];
    let thrown = ends.iter().any(|end| squeezed.ends_with(end))
        || squeezed.contains("||true")
        || squeezed.contains("||:;")
        || squeezed.contains("||exit0");
    if tests && thrown {
        return Fate::ThrownAway;
    }
    if tests && squeezed.contains("||echo") {
        return Fate::ThrownAway;
    }
    let empty =
        ["exit0", "true", ":", "/bin/true", "@true", "@:", "@exit0"].contains(&squeezed.as_str());
    let talks = ["echo ", "@echo ", "printf "].iter().any(|start| command.starts_with(start));
    let only_talks = talks
        && !command.contains("exit 1")
        && !command.contains("&&")
        && !command.contains(';')
        && !command.contains('|');
    if !tests && (empty || only_talks) {
        return Fate::NothingRuns;
    }
    let piped = ["| tail", "| head", "| tee", "| cat", "| grep", "|tail", "|tee", "|grep"];
    if tests && piped.iter().any(|pipe| command.contains(pipe)) && !command.contains("pipefail") {
        return Fate::Lost;
    }
    Fate::Kept
}

/// Words that let only some tests run, in a command or in options.
pub(super) fn filter(text: &str) -> Option<&'static str> {
    const FILTERS: &[&str] = &[
        "--deselect",
        "--testNamePattern",
        "--testPathIgnorePatterns",
        "--testPathPattern",
        "--grep",
        "--test-name-pattern",
        "-run=",
        "--ignore=",
        "--ignore-glob",
        "--exclude",
        "--onlyChanged",
        "--lf",
        "--last-failed",
        "--skip",
        "-Dtest=",
        "-DskipTests",
        "-Dmaven.test.skip",
        "-short",
        "--filter",
        "-x test",
        "--findRelatedTests",
        "--passWithNoTests",
        "--if-present",
        "--no-run",
        "--collect-only",
        "--co",
        "--list",
    ];
    let found = FILTERS.iter().find(|filter| {
        text.contains(**filter) && (filter.ends_with('=') || is_whole(text, filter))
    });
    found.copied().or_else(|| {
        let words: Vec<&str> = text
            .split([' ', '"', '\'', ',', '[', ']', '='])
            .filter(|word| !word.is_empty())
            .collect();
        ["-k", "-run", "-t", "-m"].into_iter().find(|wanted| {
            let at = words.iter().position(|word| word == wanted);
            let follows = at.is_some_and(|at| words.get(at + 1).is_some());
            let runner = at.is_some_and(|at| {
                at.checked_sub(1).is_some_and(|before| words[before].starts_with("python"))
            });
            follows && !runner
        })
    })
}

fn is_whole(text: &str, option: &str) -> bool {
    text.match_indices(option).any(|(at, _)| {
        !text[at + option.len()..]
            .starts_with(|letter: char| letter.is_alphanumeric() || letter == '-')
    })
}

/// Words that stop at the first failure or run a part.
pub(super) fn partial(text: &str) -> Option<&'static str> {
    let words: Vec<&str> = text.split([' ', '"', '\'', ',', '[', ']', '=']).collect();
    ["--maxfail", "--shard", "--bail", "-failfast", "--fail-fast", "--exitfirst", "-x"]
        .into_iter()
        .find(|wanted| words.contains(wanted))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// C34: what becomes of a failure.
    #[test]
    fn failures_are_followed() {
        for (command, expected) in [
            ("pytest -q", Fate::Kept),
            ("pytest || true", Fate::ThrownAway),
            ("pytest -q; exit 0", Fate::ThrownAway),
            ("npm test || :", Fate::ThrownAway),
            ("npm run typecheck || true", Fate::ThrownAway),
            ("npm run clean || true", Fate::Kept),
            ("jest || echo failed", Fate::ThrownAway),
            ("echo ok", Fate::NothingRuns),
            ("exit 0", Fate::NothingRuns),
            ("true", Fate::NothingRuns),
            ("echo \"Error: no test specified\" && exit 1", Fate::Kept),
            ("pytest -q 2>&1 | tail -3", Fate::Lost),
            ("set -o pipefail; pytest | tee log", Fate::Kept),
            ("rm -rf build || true", Fate::Kept),
            ("echo start && jest", Fate::Kept),
            ("docker rm x || true && pytest", Fate::ThrownAway),
        ] {
            assert_eq!(fate(command), expected, "{command}");
        }
    }

    #[test]
    fn filters_are_seen() {
        assert_eq!(filter("pytest -k zero"), Some("-k"));
        assert_eq!(filter("python -m pytest"), None);
        assert_eq!(filter("go test ./..."), None);
        assert_eq!(filter("jest --passWithNoTests"), Some("--passWithNoTests"));
        assert_eq!(partial("pytest --maxfail=1"), Some("--maxfail"));
    }
}
