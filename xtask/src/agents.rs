//! `cargo xtask agents`: the real agents, driven by a scripted model.
//!
//! Installs the pinned versions into the user's cache and runs the live tests with them. Where
//! they can't be had, says what was not tested, and that is no failure; what is there must pass.

mod install;

use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use anyhow::Context as _;

use install::Pinned;

pub(crate) const VERB: crate::Verb = crate::Verb {
    name: "agents",
    about: "Install the real agents and run the live tests with them; `--help` says how",
    run,
};

const HELP: &str = "\
Usage: cargo xtask agents [--install-only | --record [WORD...]]

  --install-only  Install the agents, and run nothing
  --record        Record what the agents tell their hooks, in place of the recordings in
                  crates/exec/tests/payloads; with words, only tours with one in their name

The agents are installed into the folder that COUNTERSIGN_AGENTS names, or else into
countersign-agents in the user's cache.
";

/// What is asked for.
#[derive(Debug, PartialEq, Eq)]
enum Task {
    Help,
    Install,
    Test,
    Record(Vec<String>),
}

fn parse(words: &[String]) -> Result<Task, String> {
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    match words[..] {
        [] => Ok(Task::Test),
        ["--help" | "-h", ..] => Ok(Task::Help),
        ["--install-only"] => Ok(Task::Install),
        ["--record", ref rest @ ..] if !rest.iter().any(|word| word.starts_with('-')) => {
            Ok(Task::Record(rest.iter().map(|word| (*word).to_owned()).collect()))
        }
        _ => Err(format!("`agents` does not know `{}`", words.join(" "))),
    }
}

fn run(root: &Path, words: &[String]) -> anyhow::Result<ExitCode> {
    let calls = match parse(words) {
        Ok(Task::Help) => {
            print!("{HELP}");
            return Ok(ExitCode::SUCCESS);
        }
        Err(error) => {
            eprintln!("xtask: {error}\n\n{HELP}");
            return Ok(ExitCode::from(crate::USAGE));
        }
        Ok(Task::Install) => Vec::new(),
        Ok(Task::Test) => {
            let packages = ["--package", "countersign", "--package", "countersign-exec"];
            let tests = ["--test", "agents", "--test", "engines"];
            let words = ["test", "--locked"].into_iter().chain(packages).chain(tests);
            words.map(str::to_owned).collect()
        }
        Ok(Task::Record(words)) => {
            let run = ["run", "--locked", "--package", "countersign-testkit", "--example"];
            let rest = ["record_agents", "--", "crates/exec/tests/payloads"];
            run.into_iter().chain(rest).map(str::to_owned).chain(words).collect()
        }
    };
    let folder = provide(root)?;
    if calls.is_empty() {
        return Ok(ExitCode::SUCCESS);
    }
    println!("$ cargo {}", calls.join(" "));
    let mut command = Command::new(crate::root::cargo());
    command.args(calls).current_dir(root).env(FOLDER, folder);
    let passed = command.status().context("cargo can't be started")?.success();
    Ok(if passed { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Installs what is missing, and says in one line which agents can't be had and so aren't tested.
/// Returns the folder that holds them.
pub(crate) fn provide(root: &Path) -> anyhow::Result<PathBuf> {
    let folder = folder().context("there is no cache folder; COUNTERSIGN_AGENTS may name one")?;
    let mut missing = Vec::new();
    let mut reason = None;
    for agent in Pinned::read(root)? {
        match install::provide(&agent, &folder) {
            Ok(()) => println!("{} is there", agent.folder),
            Err(error) => {
                missing.push(agent.folder);
                reason.get_or_insert(error);
            }
        }
    }
    if let Some(reason) = reason {
        println!("\n*** NOT TESTED with {}: {reason:#} ***\n", missing.join(", "));
    }
    Ok(folder)
}

/// Where the agents are; the tests look there too.
const FOLDER: &str = "COUNTERSIGN_AGENTS";

fn folder() -> Option<PathBuf> {
    let given = |name| std::env::var_os(name).filter(|path| !path.is_empty()).map(PathBuf::from);
    given(FOLDER).or_else(|| {
        let user = given("XDG_CACHE_HOME").or_else(|| Some(given("HOME")?.join(".cache")))?;
        Some(user.join("countersign-agents"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(words: &[&str], task: Option<&Task>) {
        let words: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
        assert_eq!(parse(&words).ok().as_ref(), task, "{words:?}");
    }

    #[test]
    fn the_words_are_understood_or_refused() {
        check(&[], Some(&Task::Test));
        check(&["-h"], Some(&Task::Help));
        check(&["--install-only"], Some(&Task::Install));
        check(&["--record"], Some(&Task::Record(Vec::new())));
        check(&["--record", "codex"], Some(&Task::Record(vec!["codex".to_owned()])));
        check(&["--record", "--install-only"], None);
        check(&["claude"], None);
    }
}
