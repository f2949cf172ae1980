//! The nine sections of a report, for readers.

use super::document::{Block, Cell, Document, Section};
use super::failures::Failures;
use super::lifecycle::{By, Life};
use super::text::{duration, spent};
use super::{Advice, Cite, Kept, Remark, Report};

impl Document {
    /// `report` for readers.
    pub fn of(report: &Report) -> Self {
        let head = &report.head;
        let ending = head.ending.as_ref();
        let mut facts = vec![(
            "Outcome",
            match ending {
                Some(ending) => Cell::good(&ending.words, ending.is_accepted),
                None => Cell::plain("not ended yet"),
            },
        )];
        if let Some(ending) = ending.filter(|ending| !ending.is_accepted) {
            let recoverable = if ending.is_recoverable == Some(true) { "yes" } else { "no" };
            facts.push(("Kind", Cell::plain(ending.category.unwrap_or_default())));
            facts.push(("Recoverable", Cell::plain(recoverable)));
            facts.push(("What to do", Cell::plain(ending.suggested_action.unwrap_or_default())));
        }
        facts.extend([
            ("Opened", Cell::plain(head.opened_at)),
            ("Took", Cell::plain(duration(super::ms_between(head.opened_at, head.last_at)))),
            ("Iterations", Cell::plain(head.iterations)),
            ("Used", Cell::plain(spent(&head.used))),
            ("Workers", Cell::plain(head.workers.join(", "))),
            (
                "Verifiers",
                Cell::plain(match head.verifiers.as_slice() {
                    [] => "none".to_owned(),
                    all => all.join(", "),
                }),
            ),
            ("Base", Cell::code(&head.base)),
            (if head.kind == "relay" { "Plan" } else { "Contract" }, Cell::code(&head.terms)),
        ]);
        Self {
            title: format!("Self-verification of {} {}", head.kind, head.id),
            goal: head.goal.clone(),
            facts,
            figures: report.figures.clone(),
            sections: sections(report),
            foot: format!(
                "Version {}: made from that many events of the record, and from nothing else. \
                 Measured is what was run by us, claimed is a worker's word, judged a verifier's.",
                head.events
            ),
        }
    }
}

fn sections(report: &Report) -> Vec<Section> {
    let blocks = [
        ("Validation", validation(report)),
        ("Failures", failures(&report.failures)),
        ("Worker process quality", process(report)),
        ("Verifier judgement quality", judgement(report)),
        ("Life of the criteria", lives(&report.lifecycle)),
        ("Adherence to the test-spec", adherence(report)),
        ("Strengths and weaknesses", balance(report)),
        ("Recommendations", advice(&report.recommendations)),
        ("Blind spots", list(&report.blind_spots, "None are known.")),
    ];
    let section = |(number, (title, blocks)): (usize, (&str, Vec<Block>))| Section {
        title: format!("{}. {title}", number + 1),
        blocks,
    };
    blocks.into_iter().enumerate().map(section).collect()
}

fn table(head: &[&'static str], rows: Vec<Vec<Cell>>, left_out: u64) -> Vec<Block> {
    let mut blocks = vec![Block::Table { head: head.to_vec(), rows }];
    blocks.extend(more(left_out));
    blocks
}

fn more(left_out: u64) -> Option<Block> {
    let text = format!("{left_out} more are left out here; the journal has all of them.");
    (left_out > 0).then(|| Block::Text(text))
}

fn none(words: &str) -> Vec<Block> {
    vec![Block::Text(words.to_owned())]
}

fn validation(report: &Report) -> Vec<Block> {
    if report.validation.rows.is_empty() {
        return none("Nobody has worked yet.");
    }
    let rows = report.validation.rows.iter().map(|row| {
        vec![
            Cell::plain(&row.cite),
            Cell::code(&row.worker),
            Cell::plain(format!("{}; claims: {}", row.ended, row.claim)),
            Cell::good(row.checks, row.checks.is_all()),
            Cell::plain(row.examined.as_deref().unwrap_or("-")),
            Cell::plain(if row.verdicts.is_empty() { "-".into() } else { row.verdicts.join(", ") }),
            Cell::good(&row.ruling, row.is_accepted),
            Cell::plain(duration(row.took_ms)),
            Cell::plain(spent(&row.used)),
        ]
    });
    let head = [
        "iteration",
        "worker",
        "ended",
        "checks (measured)",
        "examined",
        "verdicts (judged)",
        "ruling",
        "took",
        "used",
    ];
    table(&head, rows.collect(), report.validation.left_out)
}

fn failures(failures: &Failures) -> Vec<Block> {
    if failures.rulings.rows.is_empty() {
        return none("No ruling found the work wanting.");
    }
    let mut blocks = Vec::new();
    if !failures.repeated.rows.is_empty() {
        blocks.push(Block::Text("What kept failing:".into()));
        let rows = failures.repeated.rows.iter().map(|one| {
            let at: Vec<String> = one.iterations.iter().take(20).map(ToString::to_string).collect();
            vec![Cell::plain(&one.leg), Cell::code(&one.what), Cell::plain(at.join(", "))]
        });
        let head = ["story", "what", "in iterations"];
        blocks.extend(table(&head, rows.collect(), failures.repeated.left_out));
    }
    for failure in &failures.rulings.rows {
        blocks.push(Block::Text(format!("{}:", failure.cite)));
        for held in &failure.reasons {
            let gone = match held.gone_in {
                Some(iteration) => format!(" (gone in iteration {iteration})"),
                None => " (not seen to be resolved)".to_owned(),
            };
            let text = format!("{}{gone}", held.text);
            blocks.push(Block::List(vec![Cell::good(text, held.gone_in.is_some())]));
            if !held.excerpt.is_empty() {
                blocks.push(Block::Quote(held.excerpt.clone()));
            }
        }
        blocks.extend(more(failure.left_out));
    }
    blocks.extend(more(failures.rulings.left_out));
    blocks
}

fn process(report: &Report) -> Vec<Block> {
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

fn judgement(report: &Report) -> Vec<Block> {
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
    let held =
        format!("Passes whose work was accepted and not taken up again: {}.", judgement.held);
    blocks.push(Block::Text(held));
    blocks.push(Block::Text(match judgement.splits.rows.as_slice() {
        [] => "The verifiers never disagreed.".to_owned(),
        splits => format!("They disagreed in {}.", cited(splits)),
    }));
    blocks.extend(list(&judgement.remarks, ""));
    blocks
}

fn lives(lives: &Kept<Life>) -> Vec<Block> {
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

fn adherence(report: &Report) -> Vec<Block> {
    if report.adherence.rows.is_empty() {
        return none("Nothing was examined yet.");
    }
    let mut blocks = Vec::new();
    for one in &report.adherence.rows {
        let seen = one.tests.saturating_sub(one.missing.len() as u64);
        let tests = match one.tests {
            0 => "names no tests; its commands stand for it".to_owned(),
            all => format!("names {all} tests, of which {seen} were seen to run and pass"),
        };
        let level = one.level.as_deref().unwrap_or("exit codes");
        let text = format!("{}: the test-spec {tests}. How hard it is to fool: {level}.", one.leg);
        blocks.push(Block::Text(text));
        let rows: Vec<Vec<Cell>> = one
            .commands
            .iter()
            .map(|command| {
                let share = super::Share { part: command.passed, all: command.ran };
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
        let both: Vec<Cell> = missing.chain(outside).collect();
        if !both.is_empty() {
            blocks.push(Block::List(both));
        }
    }
    blocks.extend(more(report.adherence.left_out));
    blocks
}

fn balance(report: &Report) -> Vec<Block> {
    let mut blocks = vec![Block::Text("Strengths:".into())];
    blocks.extend(list(&report.strengths, "None that the record shows."));
    blocks.push(Block::Text("Weaknesses:".into()));
    blocks.extend(list(&report.weaknesses, "None that the record shows."));
    blocks
}

fn advice(advice: &Kept<Advice>) -> Vec<Block> {
    if advice.rows.is_empty() {
        return none("Nothing on the record asks for a change.");
    }
    let rows = advice.rows.iter().map(|one| {
        vec![Cell::plain(one.about.words()), Cell::plain(&one.text), Cell::plain(cited(&one.cites))]
    });
    table(&["for", "recommendation", "because of"], rows.collect(), advice.left_out)
}

fn list(remarks: &Kept<Remark>, none_at_all: &str) -> Vec<Block> {
    if remarks.rows.is_empty() {
        return if none_at_all.is_empty() { Vec::new() } else { none(none_at_all) };
    }
    let cells = remarks.rows.iter().map(|remark| {
        if remark.cites.is_empty() {
            return Cell::plain(&remark.text);
        }
        Cell::plain(format!("{}: {}", cited(&remark.cites), remark.text))
    });
    let mut blocks = vec![Block::List(cells.collect())];
    blocks.extend(more(remarks.left_out));
    blocks
}

fn cited(cites: &[Cite]) -> String {
    let mut all: Vec<String> = cites.iter().take(8).map(ToString::to_string).collect();
    if cites.len() > 8 {
        all.push(format!("and {} more", cites.len() - 8));
    }
    all.join("; ")
}
