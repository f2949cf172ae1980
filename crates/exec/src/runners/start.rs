//! The command line of a runner, made to report in a form that we read.

use std::path::{Path, PathBuf};

use countersign_domain::project::Runner;
use countersign_domain::qa::Format;

/// Python's own runner writes no report, so it gets a part that does.
const UNITTEST: &str = include_str!("../../data/unittest_report.py");

/// How a suite of tests is started.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Start {
    /// For the shell: what the project says is text for a shell as well.
    pub command: String,
    pub runner: Option<Runner>,
    pub format: Option<Format>,
    /// Where the report is, if not in the output.
    pub report: Option<PathBuf>,
    /// A file of ours that the command needs, with its content.
    pub needs: Option<(PathBuf, &'static str)>,
    /// What the runner is to see besides.
    pub environment: Vec<(&'static str, &'static str)>,
}

/// How `command`, which uses `runner`, is started. Reports that are files go into `folder`.
pub fn start(runner: Option<Runner>, command: &str, folder: &Path) -> Start {
    let plain = Start {
        command: command.to_owned(),
        runner,
        format: None,
        report: None,
        needs: None,
        // Nothing about colours: programs under test heed such words, too, and their tests may be about it.
        environment: vec![("CI", "true"), ("PYTHONDONTWRITEBYTECODE", "1")],
    };
    let file = |name: &str| folder.join(name);
    let told = |format, text: String, report: Option<PathBuf>| Start {
        command: text,
        format: Some(format),
        report,
        ..plain.clone()
    };
    match runner {
        Some(Runner::Pytest) => {
            let report = file("pytest.xml");
            // Its report counts parts of tests that it does not list; so it is told to print how many.
            let asked = format!(
                "-p no:cacheprovider -o junit_family=xunit1 -o verbosity_subtests=1 --continue-on-collection-errors --junitxml={}",
                quoted(&report)
            );
            told(Format::Junit, with(command, "pytest", &asked), Some(report))
        }
        Some(Runner::Unittest) => {
            let (report, script) = (file("unittest.xml"), file("unittest_report.py"));
            let command = command.replacen(
                "-m unittest",
                &format!("{} {}", quoted(&script), quoted(&report)),
                1,
            );
            let begun = told(Format::Junit, command, Some(report));
            Start { needs: Some((script, UNITTEST)), ..begun }
        }
        Some(Runner::NodeTest) => {
            let report = file("node.xml");
            let asked = format!(
                "--test-reporter=junit --test-reporter-destination={} --test-reporter=spec --test-reporter-destination=stdout",
                quoted(&report)
            );
            told(Format::Junit, with(command, "--test", &asked), Some(report))
        }
        Some(Runner::Jest) => {
            let report = file("jest.json");
            let asked = format!("--ci --json --outputFile={}", quoted(&report));
            told(Format::JestJson, with(command, "jest", &asked), Some(report))
        }
        Some(Runner::Vitest) => {
            let report = file("vitest.json");
            let asked =
                format!("--reporter=default --reporter=json --outputFile.json={}", quoted(&report));
            told(Format::VitestJson, with(command, "vitest", &asked), Some(report))
        }
        Some(Runner::CargoTest) => {
            let loud = aloud(command);
            told(Format::Cargo, with(&loud, "test", "--no-fail-fast --color=never"), None)
        }
        Some(Runner::GoTest) => told(Format::GoJson, with(command, "test", "-json -count=1"), None),
        _ => {
            let environment = [&plain.environment[..], &NAMES].concat();
            Start { environment, ..plain }
        }
    }
}

/// What makes runners name their tests that something else starts, such as a script, tox or nox. Pytest does at
/// its end, those that passed as well: a file could only hold the last of several runs, and words on its own
/// command line come behind these, and win. Go's other commands say a little more on their second channel; with
/// `-json`, some would end otherwise. What else could be said to others in such a way fails where they are old.
const NAMES: [(&str, &str); 2] = [("PYTEST_ADDOPTS", "-rfExXp"), ("GOFLAGS", "-v")];

/// Whether a variable is one whose words are added to those that are there.
pub fn is_added_to(name: &str) -> bool {
    NAMES.iter().any(|(known, _)| *known == name)
}

/// `command`, which tests code in Go, with the race detector; nothing if it has it already, or if it is
/// something else that starts the tests.
pub fn raced(command: &str) -> Option<String> {
    let words: Vec<&str> = command.split_whitespace().collect();
    let is_plain = words.windows(2).any(|pair| pair == ["go", "test"]);
    let is_raced = words.iter().any(|word| word.starts_with("-race") || word.starts_with("--race"));
    (is_plain && !is_raced).then(|| with(command, "test", "-race"))
}

/// `cargo test` without what keeps it from naming its tests.
fn aloud(command: &str) -> String {
    let Some(at) = command.find("cargo ") else { return command.to_owned() };
    let (before, own) = command.split_at(at);
    let end = own.find(['&', '|', ';', '>']).unwrap_or(own.len());
    let (own, rest) = own.split_at(end);
    let words = own.split_inclusive(' ').filter(|word| !matches!(word.trim(), "-q" | "--quiet"));
    format!("{before}{}{rest}", words.collect::<String>()).trim_end().to_owned()
}

/// `command` with `words` behind the first word that is `after`, or ends in it as a path does.
fn with(command: &str, after: &str, words: &str) -> String {
    let mut at = 0;
    for word in command.split_inclusive(' ') {
        at += word.len();
        let name = word.trim_end().trim_matches(['"', '\'']);
        let is_path = name.strip_suffix(after).is_some_and(|rest| rest.ends_with('/'));
        if name == after || is_path {
            // `vitest` alone watches for ever; `vitest run` does not.
            let next = command[at..].split(' ').next().unwrap_or_default();
            if after == "vitest" && next != "run" {
                return format!("{} run {words} {}", command[..at].trim_end(), &command[at..])
                    .trim_end()
                    .to_owned();
            }
            let at = if after == "vitest" { at + next.len() } else { at };
            return format!("{} {words} {}", command[..at].trim_end(), command[at..].trim_start())
                .trim_end()
                .to_owned();
        }
    }
    command.to_owned()
}

fn quoted(path: &Path) -> String {
    format!("'{}'", path.to_string_lossy().replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn command(runner: Runner, command: &str) -> String {
        start(Some(runner), command, Path::new("/r")).command
    }

    /// LP-12: the race detector is asked for once, and only of what is known to have it.
    #[test]
    fn the_race_detector_is_asked_for() {
        let check = |given: &str, expected: Option<&str>| {
            assert_eq!(raced(given).as_deref(), expected, "{given}");
        };
        check("go test ./...", Some("go test -race ./..."));
        check("go vet ./... && go test -v", Some("go vet ./... && go test -race -v"));
        check("go test -race ./...", None);
        check("make test", None);
        check("", None);
    }

    /// VC-05: the project's own command, with our way of reporting.
    #[test]
    fn commands_keep_their_words() {
        let check = |runner, given: &str, expected: &str| {
            assert_eq!(command(runner, given), expected, "{given}");
        };
        check(Runner::GoTest, "go test ./...", "go test -json -count=1 ./...");
        check(Runner::CargoTest, "cargo test", "cargo test --no-fail-fast --color=never");
        check(
            Runner::CargoTest,
            "cargo test --workspace -- --nocapture",
            "cargo test --no-fail-fast --color=never --workspace -- --nocapture",
        );
        for quiet in ["cargo test -q --test a", "cargo --quiet test --test a"] {
            check(Runner::CargoTest, quiet, "cargo test --no-fail-fast --color=never --test a");
        }
        check(
            Runner::CargoTest,
            "make -q && cargo test --quiet && ls",
            "make -q && cargo test --no-fail-fast --color=never && ls",
        );
        check(Runner::Vitest, "npx vitest", &format!("npx vitest run {VITEST}"));
        check(Runner::Vitest, "vitest run src", &format!("vitest run {VITEST} src"));
        check(
            Runner::Jest,
            "node_modules/.bin/jest a",
            "node_modules/.bin/jest --ci --json --outputFile='/r/jest.json' a",
        );
        assert!(
            command(Runner::Pytest, "python3 -m pytest tests").ends_with("'/r/pytest.xml' tests")
        );
        assert!(command(Runner::NodeTest, "node --test test/").ends_with("stdout test/"));
        check(
            Runner::Unittest,
            "python3 -m unittest discover -s tests",
            "python3 '/r/unittest_report.py' '/r/unittest.xml' discover -s tests",
        );
        let start = start(Some(Runner::NodeTest), "node --test", Path::new("/r"));
        assert!(!start.environment.iter().any(|(name, _)| name.contains("COLOR")));
        check(Runner::Rspec, "bundle exec rspec", "bundle exec rspec");
    }

    /// VC-05: a pytest that something else starts names its tests, and one that we start has a report.
    #[test]
    fn pytest_behind_others_names_its_tests() {
        let check = |runner, is_told: bool| {
            let environment = start(runner, "sh ci.sh", Path::new("/r")).environment;
            let found = environment.iter().find(|(name, _)| *name == "PYTEST_ADDOPTS");
            assert_eq!(found.map(|(_, value)| *value), is_told.then_some("-rfExXp"), "{runner:?}");
        };
        check(None, true);
        check(Some(Runner::Tox), true);
        check(Some(Runner::Pytest), false);
        check(Some(Runner::CargoTest), false);
    }

    const VITEST: &str = "--reporter=default --reporter=json --outputFile.json='/r/vitest.json'";
}
