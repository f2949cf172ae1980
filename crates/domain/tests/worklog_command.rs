//! D0.10: which command lines run tests, and with what. One line per case.

#![allow(clippy::unwrap_used)]

use countersign_domain::worklog::command::{Runner, runner_of};
use proptest::prelude::*;

fn of(command: &str) -> Option<Runner> {
    runner_of(command, &[])
}

/// `runner  command`, one case per line.
const TESTS: &str = include_str!("worklog_command/tests.txt");
/// One command per line.
const OTHERS: &str = include_str!("worklog_command/others.txt");

fn lines(text: &'static str) -> impl Iterator<Item = &'static str> {
    text.lines().filter(|line| !line.is_empty() && !line.starts_with("##"))
}

/// D0.10, WL-03: runners are known, however they are called.
#[test]
fn commands_that_run_tests() {
    let cases: Vec<(&str, &str)> =
        lines(TESTS).map(|line| line.split_once(char::is_whitespace).unwrap()).collect();
    assert!(cases.len() >= 200, "{}", cases.len());
    let wrong: Vec<String> = cases
        .iter()
        .map(|(expected, command)| (expected, command.trim().replace("\\n", "\n")))
        .filter(|(expected, command)| of(command).is_none_or(|runner| runner.name != **expected))
        .map(|(expected, command)| format!("{command}: {expected}, but {:?}", of(&command)))
        .collect();
    assert!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), cases.len(), wrong.join("\n"));
}

/// D0.10, WL-03: the word alone is no test.
#[test]
fn commands_that_run_none() {
    let cases: Vec<String> = lines(OTHERS).map(|line| line.replace("\\n", "\n")).collect();
    assert!(cases.len() >= 120, "{}", cases.len());
    let wrong: Vec<String> = cases
        .iter()
        .filter_map(|command| of(command).map(|runner| format!("{command}: {runner:?}")))
        .collect();
    assert!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), cases.len(), wrong.join("\n"));
}

/// WL-11: an exit code of 0 is a pass only where it is the runner's own.
#[test]
fn whose_exit_code_it_is() {
    for own in [
        "pytest",
        "cd a && pytest",
        "cd a; pytest",
        "pytest > out.txt 2>&1",
        "pytest && echo ok",
        "pytest && echo ok | cat",
        "(cd a && pytest)",
        "{ cd a; pytest; }",
        "pytest;",
        "set -o pipefail; pytest | tail -5",
        "set -euo pipefail\npytest | tail\necho done",
        "bash -c 'cd a && pytest'",
        "bash -eo pipefail -c 'pytest | tail; echo'",
        "CI=1 timeout 60 pytest",
        "cat a | pytest -",
        "pytest $(cat list) && echo $(date)",
        "(cd a && pytest) && (cd b && ls)",
    ] {
        assert!(of(own).unwrap().exit_counts, "{own}");
    }
    for other in [
        "pytest | tail -20",
        "pytest 2>&1 | tee log",
        "pytest || true",
        "pytest; echo $?",
        "pytest\necho done",
        "pytest &",
        "! pytest",
        "if pytest; then echo ok; fi",
        "if [ -f a ]; then pytest; fi",
        "[ -f a ] || pytest",
        "(cd a && pytest) | tail",
        "(pytest) || true",
        "{ pytest; } | tail",
        "echo $(pytest)",
        "out=`pytest`",
        "for a in b c; do pytest $a; done",
        "bash -c 'pytest | tail'",
        "bash -c pytest | tail",
        "pytest && echo ok || echo no",
        "diff <(pytest) a",
    ] {
        assert!(!of(other).unwrap().exit_counts, "{other}");
    }
}

/// WL-03: users name runners of their own.
#[test]
fn settings_add_runners() {
    let extra = ["make verify".to_owned(), "acme-qa".to_owned(), "./ci 'all of it'".to_owned()];
    for (command, name) in [
        ("cd a && make verify X=1", Some("make verify")),
        ("/opt/acme-qa --fast", Some("acme-qa")),
        ("sudo acme-qa", Some("acme-qa")),
        ("./ci \"all of it\" now", Some("./ci all of it")),
        ("make", None),
        ("echo make verify", None),
        ("./ci some", None),
    ] {
        let found = runner_of(command, &extra);
        assert_eq!(found.as_ref().map(|runner| runner.name.as_str()), name, "{command}");
        assert!(found.is_none_or(|runner| runner.line == 0), "{command}");
    }
    let empty = [String::new(), " ".to_owned(), "\"".to_owned(), "''".to_owned()];
    assert_eq!((runner_of("a", &empty), runner_of("/;", &empty)), (None, None));
}

/// D0.10: the reason can be looked up.
#[test]
fn a_runner_says_which_line_knows_it() {
    let data = include_str!("../data/worklog/runners.txt");
    for (command, begins) in [("cargo test", "cargo:"), ("npx vitest run", "vitest:")] {
        let line = of(command).unwrap().line;
        assert!(data.lines().nth(line - 1).unwrap().starts_with(begins), "{command}");
    }
    assert_eq!(of("./run_tests.sh").unwrap().line, 0);
}

/// Long and deep texts are read in one pass, and what is at their beginning is found.
#[test]
fn long_commands_are_bounded() {
    for (unit, hit) in [
        ("a ", false),
        ("a;", false),
        ("(", false),
        ("$(", false),
        ("`", false),
        ("\"$(", false),
        ("sudo ", false),
        ("bash -c '", false),
        ("<<A ", false),
        ("'", false),
        ("\\", false),
        ("npx ", false),
        ("make ", false),
        ("a=(", false),
        ("pytest;", true),
    ] {
        let text = unit.repeat(1_000_000 / unit.len());
        assert_eq!(of(&text).is_some(), hit, "{unit}");
        let first = format!("cargo test\n{text}");
        assert_eq!(of(&first).unwrap().name, "cargo", "{unit}");
    }
    let document = format!("cat > a <<'EOF'\n{}EOF\npytest", "npm test\n".repeat(100_000));
    assert_eq!(of(&document).unwrap().name, "pytest");
}

proptest! {
    /// No text makes it panic.
    #[test]
    fn any_text_is_read(text in "\\PC{0,80}", extra in "\\PC{0,20}") {
        let found = runner_of(&text, &[extra]);
        prop_assert!(found.is_none_or(|runner| !runner.name.is_empty()));
    }

    /// Nor does any mixture of what shells give a meaning to.
    #[test]
    fn any_syntax_is_read(parts in prop::collection::vec(prop::sample::select(vec![
        "pytest", " ", "'", "\"", "\\", "$(", ")", "(", "`", "<<E", "\n", "E\n", "|", "&", ";", "<",
        ">", "#", "=", "a=(", "bash -c ", "sudo ", "npx", "--", "-c", "é", "{", "}", "docker run",
    ]), 0..30)) {
        let text: String = parts.concat();
        prop_assert_eq!(of(&text), of(&text));
    }

    /// What stands before a command with `&&` or `;` doesn't hide it.
    #[test]
    fn words_before_hide_nothing(word in "[a-z]{1,8}", joint in "&&|;|\\|\\||\n|\\|") {
        prop_assume!(of(&word).is_none() && !["then", "case", "for"].contains(&word.as_str()));
        let text = format!("{word} {joint} cargo test");
        prop_assert_eq!(of(&text).unwrap().name, "cargo");
    }
}
