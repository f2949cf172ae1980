//! The sections about quality, for readers: of workers, verifiers, criteria and tests.

use super::document::{Block, Cell};
use super::lifecycle::{By, Life};
use super::sections::{cited, list, more, none, table};
use super::text::{duration, spent};
use super::{Kept, Report, Share};

pub(super) fn process(report: &Report) -> Vec<Block> {
    let process = &report.process;
    let figures = [
        ("claims that could be used", process.claims, "claimed"),
        ("TDD: claims in which tests came first", process.test_first, "claimed"),
        ("RED: criteria whose tests failed before the work", process.red, "claimed"),
        ("GREEN: criteria whose tests pass after it", process.green, "claimed"),
        ("E2E: claims with a run from end to end", process.e2e, "claimed"),
        ("claimed commands that ended for us as said", process.reproduced, "measured"),
    ];
    let mut rows: Vec<Vec<Cell>> = figures
        .into_iter()
        .map(|(what, share, source)| {
            let cell =
                if share.all == 0 { Cell::plain(share) } else { Cell::good(share, share.is_all()) };
            vec![Cell::plain(what), cell, Cell::plain(source)]
        })
        .collect();
    rows.push(vec![
        Cell::plain("tests that failed before the accepted work and pass after it"),
        Cell::plain(process.shown_by),
        Cell::plain("measured"),
    ]);
    let mut blocks = table(&["what", "figure", "source"], rows, 0);
    for (title, remarks) in [
        ("What was odd about the way of working:", &process.remarks),
        ("Where a worker said what it can't do:", &process.honest),
    ] {
        if !remarks.rows.is_empty() {
            blocks.push(Block::Text(title.into()));
            blocks.extend(list(remarks, ""));
        }
    }
    blocks
}

pub(super) fn judgement(report: &Report) -> Vec<Block> {
    let judgement = &report.judgement;
    if judgement.judges.rows.is_empty() {
        return none("No verifier was started.");
    }
    let rows = judgement.judges.rows.iter().map(|judge| {
        vec![
            Cell::plain(judge.verifier),
            Cell::code(&judge.agent),
            Cell::plain(judge.starts),
            Cell::plain(judge.passes),
            Cell::plain(judge.fails),
            Cell::plain(judge.asks + judge.blocked),
            Cell::good(judge.unusable + judge.interrupted, judge.unusable + judge.interrupted == 0),
            Cell::plain(format!("{} / {} / {}", judge.critical, judge.major, judge.minor)),
            Cell::plain(duration(judge.took_ms)),
            Cell::plain(spent(&judge.used)),
        ]
    });
    let head = [
        "verifier",
        "agent",
        "starts",
        "pass",
        "fail",
        "could not tell",
        "no usable verdict",
        "critical / major / minor",
        "took",
        "used",
    ];
    let mut blocks = table(&head, rows.collect(), judgement.judges.left_out);
    blocks.push(Block::Text(format!(
        "Passes whose work was accepted and not taken up again: {}.",
        judgement.held
    )));
    blocks.push(Block::Text(match judgement.splits.rows.as_slice() {
        [] => "The verifiers never disagreed.".to_owned(),
        splits => format!("They disagreed in {}.", cited(splits)),
    }));
    blocks.extend(list(&judgement.remarks, ""));
    blocks
}

pub(super) fn lives(lives: &Kept<Life>) -> Vec<Block> {
    if lives.rows.is_empty() {
        return none("Nothing was judged yet.");
    }
    let rows = lives.rows.iter().map(|life| {
        let marks = life.marks.iter().map(|mark| {
            let sign = if mark.met { "✓" } else { "✗" };
            format!("{}{sign}", mark.iteration)
        });
        let marks: Vec<String> = marks.collect();
        vec![
            Cell::plain(&life.leg),
            Cell::code(&life.criterion),
            Cell::plain(if life.by == By::Measured { "measured" } else { "judged" }),
            Cell::plain(if marks.is_empty() { "-".to_owned() } else { marks.join(" ") }),
            Cell::good(life.reopened, life.reopened == 0),
            match life.stands {
                Some(true) => Cell::good("met", true),
                Some(false) => Cell::good("not met", false),
                None => Cell::good("not judged", false),
            },
        ]
    });
    let head = ["story", "criterion", "source", "iterations", "reopened", "stands"];
    table(&head, rows.collect(), lives.left_out)
}

pub(super) fn adherence(report: &Report) -> Vec<Block> {
    if report.adherence.rows.is_empty() {
        return none("Nothing was examined yet.");
    }
    let mut blocks = Vec::new();
    for one in &report.adherence.rows {
        let seen = one.tests.saturating_sub(one.missing.len() as u64 + one.unnamed);
        let tests = match one.tests {
            0 => "names no tests; its commands stand for it".to_owned(),
            all if one.unnamed > 0 => format!(
                "names {all} tests, of which {seen} were seen to run and pass; of {} only the exit code \
                 of their command was seen",
                one.unnamed
            ),
            all => format!("names {all} tests, of which {seen} were seen to run and pass"),
        };
        let level = one.level.as_deref().unwrap_or("exit codes");
        let compared = match one.compared {
            0 => String::new(),
            rows => format!("; {rows} say what their command must print, which we compare"),
        };
        let text = format!(
            "{}: the test-spec {tests}{compared}. How hard it is to fool: {level}.",
            one.leg
        );
        blocks.push(Block::Text(text));
        let rows: Vec<Vec<Cell>> = one
            .commands
            .iter()
            .map(|command| {
                let share = Share { part: command.passed, all: command.ran };
                vec![Cell::code(&command.command), Cell::plain(share)]
            })
            .collect();
        if !rows.is_empty() {
            blocks.extend(table(&["command", "passed (measured)"], rows, 0));
        }
        let missing = one.missing.iter().map(|test| Cell::good(format!("not seen: {test}"), false));
        let outside = one
            .out_of_scope
            .iter()
            .map(|path| Cell::good(format!("outside of the story: {path}"), false));
        let other = one.unexpected.iter().map(|text| Cell::good(text.clone(), false));
        let all: Vec<Cell> = missing.chain(other).chain(outside).collect();
        if !all.is_empty() {
            blocks.push(Block::List(all));
        }
    }
    blocks.extend(more(report.adherence.left_out));
    blocks
}
