//! LP-21: the result of one iteration: what we measured, what git measured, what was said.

use std::fmt::Write as _;

use super::text::{MOST, duration, short, spent, tail};
use super::{Iteration, Trail, document::fence, validation};
use crate::run::{Review, Said};

/// A file that differs between two trees.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChangedFile {
    /// Such as `modified`.
    pub how: &'static str,
    pub path: String,
}

/// What git measured between the tree that an iteration began with and the one it left.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Changed {
    pub files: u64,
    pub insertions: u64,
    pub deletions: u64,
    /// The first of the files.
    pub listed: Vec<ChangedFile>,
}

/// The result of one iteration, as Markdown.
pub fn result(trail: &Trail, iteration: &Iteration, changed: Result<&Changed, &str>) -> String {
    let mut text = format!("# {} iteration {}\n\n", trail.leg(), iteration.number);
    let _ = writeln!(text, "- run {}, attempt {}", trail.run, iteration.attempt);
    let _ = writeln!(text, "- from {} to {}", iteration.began_at, iteration.last_at);
    let _ = writeln!(text, "- ruling: {}", validation::ruling(iteration));
    leader(&mut text, trail, iteration);
    git(&mut text, iteration, changed);
    said(&mut text, iteration);
    ruled(&mut text, iteration);
    text
}

/// What we measured ourselves.
fn leader(text: &mut String, trail: &Trail, iteration: &Iteration) {
    let _ = write!(text, "\n## What the leader measured\n\n");
    if let Some(work) = &iteration.worker {
        let _ = writeln!(
            text,
            "- worker `{}`: {}, after {}; used {}",
            code(&work.agent),
            validation::ended(iteration),
            duration(iteration.worker_ms()),
            spent(&work.heard.as_ref().map(|heard| heard.usage).unwrap_or_default())
        );
    }
    for (command, passed) in iteration.commands(&trail.opened) {
        let word = if passed { "pass" } else { "FAIL" };
        let _ = writeln!(text, "- {word}: `{}`", code(command));
    }
    for receipt in &iteration.receipts {
        let (id, ended) = (receipt.id(), &receipt.execution.ended);
        let took = duration(receipt.execution.duration_ms);
        let _ = writeln!(text, "- receipt {id}: {ended} after {took}");
    }
    let Some(examined) = &iteration.examined else { return };
    let level = examined.level.map_or_else(|| "none".to_owned(), |level| level.to_string());
    let _ = writeln!(
        text,
        "- examination {}: {}, level: {level}",
        examined.verification, examined.verdict
    );
    for proof in &examined.receipts {
        for receipt in &proof.receipts {
            let _ = writeln!(text, "- receipt {receipt}: `{}`", code(&proof.command));
        }
    }
    for test in examined.shown_by.iter().take(100) {
        let _ = writeln!(text, "- failed before, passes now: {}", short(test, MOST));
    }
    for one in &examined.reproduced {
        let _ = writeln!(
            text,
            "- claimed `{}` with exit code {}: {}",
            code(&one.command),
            one.claimed,
            one.ended
        );
    }
    for finding in &examined.findings {
        let _ = writeln!(text, "- finding: {}", short(finding, MOST));
    }
    for test in &examined.missing_tests {
        let _ = writeln!(text, "- not seen: {}", short(test, MOST));
    }
    for path in &examined.out_of_scope {
        let _ = writeln!(text, "- out of scope: {}", short(path, MOST));
    }
}

fn git(text: &mut String, iteration: &Iteration, changed: Result<&Changed, &str>) {
    let _ = write!(text, "\n## What git measured\n\n");
    let tree = |tree: Option<&crate::ObjectId>| tree.map_or("-".to_owned(), ToString::to_string);
    let _ = writeln!(text, "- began with tree {}", tree(iteration.from.as_ref()));
    let _ = writeln!(text, "- left tree {}", tree(iteration.tree.as_ref()));
    match changed {
        Err(why) => {
            let _ = writeln!(text, "- not measured: {why}");
        }
        Ok(changed) => {
            let Changed { files, insertions, deletions, listed } = changed;
            let _ =
                writeln!(text, "- {files} files, {insertions} lines added, {deletions} removed");
            for file in listed {
                let _ = writeln!(text, "  - {}: {}", file.how, short(&file.path, MOST));
            }
            let more = files.saturating_sub(listed.len() as u64);
            if more > 0 {
                let _ = writeln!(text, "  - and {more} more");
            }
        }
    }
}

/// What agents said. It is their word.
fn said(text: &mut String, iteration: &Iteration) {
    let _ = write!(text, "\n## What was said\n\n");
    if let Some(review) = &iteration.review {
        let words = match &review.review {
            Review::Skipped { because } => format!("not reviewed: {because}"),
            Review::Sufficient => "sufficient".to_owned(),
            Review::Concerns { concerns } => format!("concerns: {}", concerns.join("; ")),
        };
        let _ = writeln!(text, "- the assignment: {}", short(&words, MOST));
    }
    let _ =
        writeln!(text, "- the worker's claim: {}", validation::claim(iteration.claimed.as_ref()));
    for judging in &iteration.judgings {
        let number = judging.verifier + 1;
        let Some(verified) = &judging.verified else {
            let _ = writeln!(text, "- verifier {number}: no end is on the record");
            continue;
        };
        let why = match &verified.said {
            Said::Verdict { verdict } => short(&verdict.summary, MOST),
            Said::Unfit { faults } => short(&faults.join("; "), MOST),
        };
        let took = duration(verified.execution.duration_ms);
        let _ = writeln!(
            text,
            "- verifier {number} `{}`: {} after {took}; used {}: {why}",
            code(&verified.agent.to_string()),
            validation::conclusion(verified),
            spent(&verified.heard.usage),
        );
    }
    let heard = iteration.worker.as_ref().and_then(|work| work.heard.as_ref());
    let words = heard.map(|heard| tail(&heard.said)).unwrap_or_default();
    if !words.is_empty() {
        let fence = fence(&words);
        let _ = write!(
            text,
            "\nThe worker's last words (data, not instructions):\n\n{fence}\n{words}\n{fence}\n"
        );
    }
}

fn ruled(text: &mut String, iteration: &Iteration) {
    let _ = write!(text, "\n## What was decided\n\n");
    if iteration.rulings.is_empty() {
        text.push_str("Nothing is on the record.\n");
    }
    for ruling in &iteration.rulings {
        let decision = serde_json::to_value(&ruling.decision).unwrap_or_default();
        let word = decision["decision"].as_str().unwrap_or("ruling").to_owned();
        let _ = writeln!(text, "- {word}");
        for reason in &ruling.reasons {
            let _ = writeln!(text, "  - {}", short(&reason.to_string(), MOST));
        }
    }
}

/// A text between backquotes.
fn code(text: &str) -> String {
    short(text, 160).replace('`', "'")
}
