//! `countersign budget`: what agents spent, and what is left.

use countersign_domain::agent::Money;
use countersign_domain::budget::{Amount, Limit, Sums};
use countersign_engine::budget::{BudgetStatus, DayStatus, RunStatus};
use countersign_engine::{Engine, Error, Kind};
use jiff::civil::Date;

use super::Context;
use crate::ui::{self, Reply};

/// Show what agents spent, and what is left.
///
/// Caps are set with [budget] in the settings. A cap that is reached becomes a question
/// (`countersign checkpoint list`); to answer it is how a cap is raised.
#[derive(Debug, clap::Args)]
#[allow(
    rustdoc::broken_intra_doc_links,
    reason = "a table of the settings, as their file names it"
)]
pub struct Args {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Debug, clap::Subcommand)]
enum Verb {
    Show(Show),
}

/// Show a day, and a run.
#[derive(Debug, clap::Args)]
struct Show {
    /// The run: its id, a beginning of it, or latest (the default, if there is one).
    run: Option<String>,
    /// The day, such as 2026-11-16; today, if not given.
    #[arg(long, value_name = "DAY")]
    day: Option<String>,
}

pub fn run(cx: &Context, args: Args) -> Result<Reply, Error> {
    let Verb::Show(Show { run, day }) = args.verb;
    let engine = cx.engine()?;
    let day = day.as_deref().map(parse_day).transpose()?;
    let run = match run {
        Some(run) => Some(engine.find_run(&run)?),
        None => latest(&engine)?,
    };
    let status = engine.budget_status(day, run)?;
    let human = text(&status);
    Reply::new(status, human)
}

fn latest(engine: &Engine) -> Result<Option<countersign_domain::Stamp>, Error> {
    Ok(engine.runs(1)?.first().map(|row| row.run))
}

fn parse_day(text: &str) -> Result<Date, Error> {
    text.parse().map_err(|_| {
        Error::new(Kind::Usage, format!("'{text}' is no day")).hint("write it as 2026-11-16")
    })
}

fn text(status: &BudgetStatus) -> String {
    let day = &status.day;
    let mut text = ui::paint(ui::BOLD, day.day) + "\n" + &of_day(day);
    if let Some(run) = &status.run {
        text += &format!("\n{}\n{}", ui::paint(ui::BOLD, format!("run {}", run.run)), of_run(run));
    }
    text
}

fn of_day(day: &DayStatus) -> String {
    let mut text = ui::table(&figures(day.cap, &day.sums, day.left));
    for line in &day.runs {
        text += &format!("  {}  {}\n", line.run, spent(&line.sums));
    }
    text
}

fn of_run(run: &RunStatus) -> String {
    let mut rows = figures(run.cap, &run.sums, run.left);
    rows.insert(1, vec!["each attempt".to_owned(), cap(run.attempt_cap)]);
    if let Some((purse, all)) = &run.shared {
        let amount = spent(all);
        rows.push(vec!["shared".to_owned(), format!("with all of {purse}, which spent {amount}")]);
    }
    let mut text = ui::table(&rows);
    for id in &run.unsettled {
        text += &format!("  not settled: {id}\n");
    }
    text
}

/// What was spent; with "about", where some of it is the most that it can have been.
fn spent(sums: &Sums) -> String {
    let about = if sums.untold == Amount::default() { "" } else { "about " };
    format!("{about}{}", said(sums.spent.money, sums.spent.tokens))
}

fn said(money: Money, tokens: u64) -> String {
    format!("{money}, {tokens} tokens")
}

fn cap(limit: Limit) -> String {
    let tokens = limit.tokens.map(|tokens| format!("{tokens} tokens"));
    let all: Vec<String> =
        limit.money.map(|money| money.to_string()).into_iter().chain(tokens).collect();
    if all.is_empty() { "no cap".to_owned() } else { all.join(", ") }
}

fn figures(limit: Limit, sums: &Sums, left: Limit) -> Vec<Vec<String>> {
    let mut rows = vec![vec!["cap".to_owned(), cap(limit)], vec!["spent".to_owned(), spent(sums)]];
    let mut row = |name: &str, words: String| rows.push(vec![name.to_owned(), words]);
    if sums.open > 0 {
        let amount = said(sums.reserved.money, sums.reserved.tokens);
        row("reserved", format!("{amount} by {}", ui::count(sums.open, "start")));
    }
    if limit != Limit::default() {
        row("left", cap(left));
    }
    if sums.overshoot != Amount::default() {
        row("beyond what was reserved", said(sums.overshoot.money, sums.overshoot.tokens));
    }
    if sums.untold != Amount::default() {
        let amount = said(sums.untold.money, sums.untold.tokens);
        row("of that an estimate", format!("{amount}: the most that it can have been"));
    }
    for (starts, how) in [
        (sums.unknown, "with all that was reserved"),
        (sums.timed, "with the most that the time it took can cost"),
    ] {
        if starts > 0 {
            row("not told by agents", format!("{}, counted {how}", ui::count(starts, "start")));
        }
    }
    rows
}
