//! A run told as it happens, and the lines of a journal.

use countersign_domain::receipt::Execution;
use countersign_domain::run::{Decision, Outcome, RefusedBecause, Ruling, RunEvent};
use countersign_engine::run::Progress;
use countersign_engine::{Error, Kind};

use crate::ui::{BAD, BOLD, DIM, GOOD, duration, paint, printable};

/// What to tell a person about an event as it happens; empty for what is of no interest.
pub fn progress(progress: &Progress<'_>) -> String {
    match progress.event {
        RunEvent::Opened(opened) => {
            let contract = &opened.contract;
            let mut text = format!("{} {}\n", paint(BOLD, "run"), contract.run);
            text += &format!("  goal      {}\n", first_line(&contract.goal));
            text += &format!(
                "  base      {}{}\n",
                opened.base.commit.short(),
                opened
                    .base
                    .branch
                    .as_ref()
                    .map_or(String::new(), |b| format!(" ({})", printable(b)))
            );
            text += &format!("  contract  {}", opened.contract_hash.short());
            for check in &contract.checks {
                text += &format!("\n  check     {}", first_line(&check.command));
            }
            text
        }
        RunEvent::Prepared { attempt, .. } => paint(BOLD, format!("attempt {attempt}")),
        RunEvent::Worked { execution, .. } => worked(execution),
        RunEvent::Snapshotted { tree, .. } => format!("  handed over tree {}", tree.short()),
        RunEvent::Ruled(ruling) => format!("  {}", ruled(ruling)),
        RunEvent::Checked(_) | RunEvent::Interrupted { .. } | RunEvent::Committed { .. } => {
            format!("  {}", line(progress.event))
        }
        RunEvent::CancelRequested { .. } => "  cancelled by request".into(),
        RunEvent::Launched { .. } => {
            let worker = &progress.run.opened.worker;
            format!("  working: {}", paint(DIM, first_line(worker)))
        }
        RunEvent::Closed(_) => String::new(),
    }
}

fn worked(execution: &Execution) -> String {
    let mut text =
        format!("  worker ended: {} after {}", execution.ended, duration(execution.duration_ms));
    if let Some(last) = execution.output.excerpt.trim().lines().last() {
        text += &format!("\n  worker's last words: {}", paint(DIM, first_line(last)));
    }
    text
}

fn ruled(ruling: &Ruling) -> String {
    let mut text = match &ruling.decision {
        Decision::Accept => paint(GOOD.bold(), "countersigned"),
        Decision::Revise => paint(BAD.bold(), "refused; the worker gets the findings"),
        Decision::Block { because } => paint(BAD.bold(), format!("refused: {}", why(*because))),
    };
    for reason in &ruling.reasons {
        text += &format!("\n    - {}", one_line(&reason.to_string()));
    }
    text
}

/// One event in one line, for a journal.
pub fn line(event: &RunEvent) -> String {
    match event {
        RunEvent::Opened(opened) => first_line(&opened.contract.goal),
        RunEvent::Prepared { attempt, tree } => {
            format!("attempt {attempt}: checkout of tree {}", tree.short())
        }
        RunEvent::Launched { attempt, prompt } => {
            format!("attempt {attempt}: worker started with prompt {}", prompt.short())
        }
        RunEvent::Interrupted { attempt, tree } => {
            let kept = tree.as_ref().map_or("nothing was left".into(), |tree| {
                format!("what it left is tree {}", tree.short())
            });
            format!("attempt {attempt} was cut off; {kept}")
        }
        RunEvent::Worked { attempt, execution } => format!(
            "attempt {attempt}: worker ended, {}, after {}",
            execution.ended,
            duration(execution.duration_ms)
        ),
        RunEvent::Snapshotted { attempt, tree, .. } => {
            format!("attempt {attempt}: handed over tree {}", tree.short())
        }
        RunEvent::Checked(receipt) => {
            let command = receipt.execution.argv.last().map(String::as_str).unwrap_or_default();
            let (style, word) = if receipt.passed() { (GOOD, "pass") } else { (BAD, "FAIL") };
            format!(
                "{} `{}`: {} after {}, receipt {}",
                paint(style, word),
                first_line(command),
                receipt.execution.ended,
                duration(receipt.execution.duration_ms),
                receipt.id().short()
            )
        }
        RunEvent::Ruled(ruling) => ruled(ruling).replace("\n    - ", "; "),
        RunEvent::Committed { commit, branch } => {
            format!("commit {} on branch {}", commit.short(), printable(branch))
        }
        RunEvent::CancelRequested { by } => format!("cancelled by {}", printable(by)),
        RunEvent::Closed(outcome) => ended(outcome),
    }
}

/// How a run ended, in one line.
pub fn ended(outcome: &Outcome) -> String {
    match outcome {
        Outcome::Accepted { branch, commit, .. } => {
            format!("{}: {} on branch {branch}", paint(GOOD.bold(), "accepted"), commit.short())
        }
        Outcome::Refused { because } => {
            format!("{}: {}", paint(BAD.bold(), "not accepted"), why(*because))
        }
    }
}

/// The outcome as an error, if it is one.
pub fn problem(outcome: &Outcome) -> Option<Error> {
    match outcome {
        Outcome::Accepted { .. } => None,
        Outcome::Refused { because } => {
            let message = format!("not accepted: {}", why(*because));
            Some(
                Error::new(Kind::NotAccepted, message)
                    .hint("`countersign log` tells what happened"),
            )
        }
    }
}

fn why(because: RefusedBecause) -> &'static str {
    match because {
        RefusedBecause::AttemptsExhausted => "every attempt was refused",
        RefusedBecause::NothingToCheck => "there is nothing to check",
        RefusedBecause::Cancelled => "it was cancelled",
    }
}

/// All of `text` in one line, so that nothing in it can look like a line of ours.
fn one_line(text: &str) -> String {
    printable(&text.split_whitespace().collect::<Vec<_>>().join(" "))
}

/// The first line of `text`, shortened, safe to print.
pub fn first_line(text: &str) -> String {
    let line = text.trim().lines().next().unwrap_or_default();
    let mut short: String = line.chars().take(100).collect();
    if short.len() < line.len() {
        short.push('…');
    }
    printable(&short)
}
