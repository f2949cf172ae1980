//! `cargo xtask test`: everything that must hold before a change is shared.
//!
//! The steps are data, made by [`plan()`] from what is installed; [`run`] performs them in order
//! and stops at the first that fails.

mod plan;
mod tools;

use std::path::Path;
use std::process::{Command, ExitCode, Stdio};
use std::time::{Duration, Instant};

use anyhow::Context as _;

use plan::{Step, Work, plan};

pub(crate) const VERB: crate::Verb = crate::Verb {
    name: "test",
    about: "Check everything: format, tidy, lints, tests, documents, supply chain",
    run: |root, words| match crate::refuse_words("test", words) {
        Some(code) => Ok(code),
        None => run(root),
    },
};

enum Outcome {
    Passed(Duration),
    Failed(Duration),
    Skipped,
    NotRun,
}

/// A documentation warning is an error, as every other warning is.
const RUSTDOCFLAGS: (&str, &str) = ("RUSTDOCFLAGS", "-D warnings");

fn run(root: &Path) -> anyhow::Result<ExitCode> {
    tools::provide();
    crate::gaming::provide(root);
    let steps = plan(|name| is_installed(root, name));
    let mut outcomes = Vec::new();
    let mut failed = None;
    for (index, step) in steps.iter().enumerate() {
        if failed.is_some() {
            outcomes.push(Outcome::NotRun);
            continue;
        }
        println!("\n=== {}/{} {} ===", index + 1, steps.len(), step.name);
        let start = Instant::now();
        let passed = perform(root, &step.work)?;
        outcomes.push(match (&step.work, passed) {
            (Work::Skip(_), _) => Outcome::Skipped,
            (_, true) => Outcome::Passed(start.elapsed()),
            (_, false) => Outcome::Failed(start.elapsed()),
        });
        if !passed {
            failed = Some(step);
        }
    }
    println!("\n{}", summary(&steps, &outcomes));
    let Some(step) = failed else {
        println!("Everything passed.");
        return Ok(ExitCode::SUCCESS);
    };
    println!("The step `{}` failed. What to do: {}.", step.name, step.advice());
    Ok(ExitCode::FAILURE)
}

/// What the property tests draw from, unless the caller says otherwise: a change is judged by what it changed, and the
/// same tree gives the same answer everywhere. CONTRIBUTING.md says how to look further.
const SEED: (&str, &str) = ("PROPTEST_RNG_SEED", "20260211");

fn perform(root: &Path, work: &Work) -> anyhow::Result<bool> {
    match work {
        Work::Cargo(calls) => {
            for args in *calls {
                println!("$ cargo {}", args.join(" "));
                let mut command = Command::new(crate::root::cargo());
                command.args(*args).current_dir(root);
                if std::env::var_os(SEED.0).is_none() {
                    command.env(SEED.0, SEED.1);
                }
                if args.first() == Some(&"doc") {
                    command.env(RUSTDOCFLAGS.0, RUSTDOCFLAGS.1);
                }
                if !command.status().context("cargo can't be started")?.success() {
                    return Ok(false);
                }
            }
            Ok(true)
        }
        Work::Tidy => crate::tidy::run(root),
        Work::Agents => crate::agents::provide(root).map(|_| true),
        Work::Missing(component) => {
            println!("The toolchain has no {component}.");
            Ok(false)
        }
        Work::Skip(why) => {
            println!("Skipped: {why}.");
            Ok(true)
        }
    }
}

/// Whether Cargo has this command. Rustup has a stand-in for parts that are missing, so it
/// must be started to find out.
fn is_installed(root: &Path, name: &str) -> bool {
    Command::new(crate::root::cargo())
        .args([name, "--version"])
        .current_dir(root)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .is_ok_and(|status| status.success())
}

fn summary(steps: &[Step], outcomes: &[Outcome]) -> String {
    let row = |name, word, seconds: &str| format!("{name:<10}  {word:<8}  {seconds:>9}\n");
    let mut total = Duration::ZERO;
    let mut text = row("step", "outcome", "seconds");
    for (step, outcome) in steps.iter().zip(outcomes) {
        let (word, taken) = match outcome {
            Outcome::Passed(taken) => ("passed", Some(*taken)),
            Outcome::Failed(taken) => ("FAILED", Some(*taken)),
            Outcome::Skipped => ("skipped", None),
            Outcome::NotRun => ("not run", None),
        };
        total += taken.unwrap_or_default();
        text += &row(step.name, word, &taken.map_or("-".to_owned(), seconds));
    }
    text + &row("total", "", &seconds(total))
}

fn seconds(taken: Duration) -> String {
    format!("{:.1}", taken.as_secs_f64())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_summary_has_a_line_for_every_step() {
        let steps = plan(|_| true);
        let second = Duration::from_secs(1);
        let mut outcomes = vec![Outcome::Passed(second), Outcome::Failed(second)];
        outcomes.extend([Outcome::Skipped, Outcome::NotRun]);
        let text = summary(&steps[..4], &outcomes);
        assert_eq!(text.lines().count(), 6);
        assert!(text.contains("tidy        FAILED          1.0\n"), "{text}");
        assert!(text.contains("total                       2.0\n"), "{text}");
    }
}
