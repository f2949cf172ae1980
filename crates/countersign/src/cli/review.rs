//! `countersign review`: what waits for a person.

use countersign_domain::verify::{Answer, Weight};
use countersign_engine::Error;
use countersign_engine::verify::{Review, ReviewRow, Reviewing};

use super::Context;
use crate::ui::{self, Reply};

/// List, show and answer what only a person can judge.
///
/// Advice, texts that nobody checked, and verifications that ended with "a human must look" wait here.
/// Each is answered once; who said what, when and why goes on the record.
#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Debug, clap::Subcommand)]
enum Verb {
    List(List),
    Show(Show),
    /// Accept the work.
    Accept(Said),
    /// Reject the work.
    Reject(Said),
}

/// List what waits, the newest first.
#[derive(Debug, clap::Args)]
struct List {
    /// Also what was answered already.
    #[arg(long)]
    all: bool,
}

/// Show why a person must look.
#[derive(Debug, clap::Args)]
struct Show {
    /// The verification: its id, a beginning of it, or latest.
    #[arg(default_value = "latest")]
    verification: String,
    /// Show the work itself, as a patch.
    #[arg(long)]
    diff: bool,
}

#[derive(Debug, clap::Args)]
struct Said {
    /// The verification: its id, a beginning of it, or latest.
    #[arg(default_value = "latest")]
    verification: String,
    /// Why.
    #[arg(long, default_value = "", value_name = "TEXT")]
    note: String,
    /// Who is put on the record as the one who looked.
    #[arg(long, default_value = "user", value_name = "NAME")]
    actor: String,
}

pub fn run(cx: &Context, args: Args) -> Result<Reply, Error> {
    let mut engine = cx.engine()?;
    match args.verb {
        Verb::List(List { all }) => {
            let rows = engine.reviews(all)?;
            let human = if rows.is_empty() {
                "nothing waits for a person".to_owned()
            } else {
                ui::table(&rows.iter().map(row).collect::<Vec<_>>())
            };
            Reply::new(serde_json::json!({ "reviews": rows }), human)
        }
        Verb::Show(Show { verification, diff }) => {
            let review = engine.review(engine.find_review(&verification)?)?;
            if !diff {
                let human = shown(&review);
                return Reply::new(review, human);
            }
            let patch = engine.review_patch(&review)?;
            let patch = String::from_utf8_lossy(&patch).into_owned();
            let human = ui::printable(&patch);
            Reply::new(serde_json::json!({ "id": review.row.id, "diff": patch }), human)
        }
        Verb::Accept(said) => answer(&mut engine, said, Answer::Accepted),
        Verb::Reject(said) => answer(&mut engine, said, Answer::Rejected),
    }
}

fn answer(
    engine: &mut countersign_engine::Engine,
    said: Said,
    answer: Answer,
) -> Result<Reply, Error> {
    let id = engine.find_review(&said.verification)?;
    let said = Reviewing { answer, by: said.actor, note: said.note };
    let review = engine.answer_review(id, &said)?;
    let human = shown(&review);
    Reply::new(review, human)
}

fn state(row: &ReviewRow) -> String {
    match &row.reviewed {
        None => "waits".to_owned(),
        Some(said) => {
            let what = match said.answer {
                Answer::Accepted => "accepted",
                Answer::Rejected => "rejected",
            };
            format!("{what} by {}", ui::printable(&said.by))
        }
    }
}

fn row(row: &ReviewRow) -> Vec<String> {
    vec![row.id.to_string(), row.verdict.to_string(), state(row), ui::printable(&row.task)]
}

fn shown(review: &Review) -> String {
    let row = &review.row;
    let head = format!("review {} ({})", row.id, state(row));
    let mut text = ui::paint(ui::BOLD, head) + "\n";
    text += &format!("{}\n\n", ui::printable(review.whole_task.trim()));
    let mut rows = vec![
        vec!["verdict".to_owned(), row.verdict.to_string()],
        vec!["type".to_owned(), row.contract.to_string()],
        vec!["since".to_owned(), row.since.clone()],
        vec!["tree".to_owned(), review.tree.to_string()],
    ];
    if let Some(said) = &row.reviewed {
        rows.push(vec!["answered".to_owned(), said.at.clone()]);
        rows.push(vec!["note".to_owned(), ui::printable(&said.note)]);
    }
    text += &ui::table(&rows);
    for reason in review.reasons.iter().filter(|reason| reason.weight > Weight::Note) {
        text += &format!("\n- {}", ui::printable(&reason.text));
    }
    text += &format!("\n\n{}\n", ui::count(review.changed.len() as u64, "changed path"));
    for path in review.changed.iter().take(20) {
        text += &format!("  {}\n", ui::printable(path));
    }
    if row.reviewed.is_none() {
        text += &format!(
            "\nThe work: countersign review show {id} --diff\nTo answer: countersign review accept \
             {id} --note WHY, or reject\n",
            id = row.id
        );
    }
    text
}
