//! `cargo xtask gaming`: how well verification tells gaming from honest work, all cases.
//!
//! Makes a virtual environment with the pinned pytest in the user's cache, which a machine with
//! Python lacks, and runs the suites. Where it can't be had, the tests say what was SKIPPED.

mod install;

use std::path::Path;
use std::process::{Command, ExitCode};

use anyhow::Context as _;

pub(crate) use install::provide;

pub(crate) const VERB: crate::Verb = crate::Verb {
    name: "gaming",
    about: "Run all suites of gamed and honest changes; `--help` says how",
    run,
};

const HELP: &str = "\
Usage: cargo xtask gaming [--check] [WORD...]

  --check  Don't verify; see whether the cases themselves are what they say: the base as red or
           green as declared, and the agent's own tests passing after the change

With words, only cases with one of them in LANGUAGE/ID; of those that are judged wrongly, the reasons
are printed.

pytest is installed into the folder that COUNTERSIGN_RUNNERS names, or else into
countersign-runners in the user's cache.
";

/// What is asked for.
#[derive(Debug, PartialEq, Eq)]
enum Task {
    Help,
    Run { check: bool, words: Vec<String> },
}

fn parse(words: &[String]) -> Result<Task, String> {
    if words.iter().any(|word| word == "--help" || word == "-h") {
        return Ok(Task::Help);
    }
    let check = words.iter().any(|word| word == "--check");
    let words: Vec<String> = words.iter().filter(|word| *word != "--check").cloned().collect();
    match words.iter().find(|word| word.starts_with('-')) {
        Some(word) => Err(format!("`gaming` does not know `{word}`")),
        None => Ok(Task::Run { check, words }),
    }
}

fn run(root: &Path, words: &[String]) -> anyhow::Result<ExitCode> {
    let (check, words) = match parse(words) {
        Ok(Task::Run { check, words }) => (check, words),
        Ok(Task::Help) => {
            print!("{HELP}");
            return Ok(ExitCode::SUCCESS);
        }
        Err(error) => {
            eprintln!("xtask: {error}\n\n{HELP}");
            return Ok(ExitCode::from(crate::USAGE));
        }
    };
    provide(root);
    let mut command = Command::new(crate::root::cargo());
    command
        .args(["test", "--locked", "--package", "countersign", "--test", "gaming"])
        .current_dir(root)
        .env("COUNTERSIGN_SUITE", if check { "check" } else { "all" })
        .env("COUNTERSIGN_CASES", words.join(" "));
    let passed = command.status().context("cargo can't be started")?.success();
    Ok(if passed { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(words: &[&str], expected: Option<(bool, &[&str])>) {
        let own = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>();
        let expected = expected.map(|(check, words)| Task::Run { check, words: own(words) });
        assert_eq!(parse(&own(words)).ok(), expected, "{words:?}");
    }

    #[test]
    fn the_words_are_understood_or_refused() {
        check(&[], Some((false, &[])));
        check(&["--check"], Some((true, &[])));
        check(&["rust", "--check", "slug"], Some((true, &["rust", "slug"])));
        check(&["--all"], None);
        assert_eq!(parse(&["-h".to_owned()]), Ok(Task::Help));
    }
}
