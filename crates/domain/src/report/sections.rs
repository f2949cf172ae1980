//! The nine sections of a report, for readers.

use super::document::{Block, Cell, Document, Section};
use super::failures::Failures;
use super::quality::{adherence, judgement, lives, process};
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
        if !head.goes_on_from.is_empty() {
            let all: Vec<String> = head.goes_on_from.iter().map(ToString::to_string).collect();
            let text = format!("relay {}; its runs are part of this", all.join(", "));
            facts.push(("Goes on from", Cell::plain(text)));
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

pub(super) fn table(head: &[&'static str], rows: Vec<Vec<Cell>>, left_out: u64) -> Vec<Block> {
    let mut blocks = vec![Block::Table { head: head.to_vec(), rows }];
    blocks.extend(more(left_out));
    blocks
}

pub(super) fn more(left_out: u64) -> Option<Block> {
    let text = format!("{left_out} more are left out here; the journal has all of them.");
    (left_out > 0).then_some(Block::Text(text))
}

pub(super) fn none(words: &str) -> Vec<Block> {
    vec![Block::Text(words.to_owned())]
}

fn validation(report: &Report) -> Vec<Block> {
    if report.validation.rows.is_empty() {
        return none("Nobody has worked yet.");
    }
    let rows = report.validation.rows.iter().map(|row| {
        vec![
            Cell::plain(row.cite.short()),
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
            blocks.push(Block::List(vec![Cell::plain(text)]));
            if !held.excerpt.is_empty() {
                blocks.push(Block::Quote(held.excerpt.clone()));
            }
        }
        blocks.extend(more(failure.left_out));
    }
    blocks.extend(more(failures.rulings.left_out));
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

pub(super) fn list(remarks: &Kept<Remark>, none_at_all: &str) -> Vec<Block> {
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

pub(super) fn cited(cites: &[Cite]) -> String {
    let mut all: Vec<String> = cites.iter().take(8).map(ToString::to_string).collect();
    if cites.len() > 8 {
        all.push(format!("and {} more", cites.len() - 8));
    }
    all.join("; ")
}
