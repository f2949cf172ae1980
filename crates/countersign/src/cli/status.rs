//! `countersign status`: the runs.

use countersign_domain::Stamp;
use countersign_domain::run::Lands;
use countersign_engine::relay::Undertaking;
use countersign_engine::{Error, RunSummary};

use super::Context;
use crate::narrate;
use crate::ui::{self, Reply};

/// List the runs, newest first, or show one.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// One run: its id, the beginning of it, or latest.
    run: Option<String>,

    /// How many to list.
    #[arg(long, default_value_t = 20, value_name = "N",
        value_parser = clap::value_parser!(u32).range(1..))]
    most: u32,
}

pub fn run(cx: &Context, args: &Args) -> Result<Reply, Error> {
    if let Some(run) = &args.run {
        return one(cx, run);
    }
    let engine = cx.engine()?;
    let mut runs = engine.runs(args.most.saturating_add(1))?;
    let is_cut = runs.len() > args.most as usize;
    runs.truncate(args.most as usize);
    let human = if runs.is_empty() {
        "no run yet; start one: countersign run \"GOAL\" --check 'CMD' --worker 'command:CMD'"
            .into()
    } else {
        let mut rows = vec![["RUN", "STATE", "ATTEMPT", "GOAL"].map(String::from).to_vec()];
        rows.extend(runs.iter().map(|run| {
            vec![
                run.run.to_string(),
                state(run),
                format!("{} of {}", run.attempt, run.attempts),
                narrate::first_line(&run.goal),
            ]
        }));
        let older = if is_cut { "there are older ones: --most N lists more\n" } else { "" };
        ui::table(&rows) + older
    };
    Reply::new(runs, human)
}

fn state(run: &RunSummary) -> String {
    match &run.outcome {
        Some(outcome) => countersign_engine::run::outcome_word(outcome).into(),
        None => format!("open ({})", run.at),
    }
}

/// Shows one run.
pub fn one(cx: &Context, run: &str) -> Result<Reply, Error> {
    let engine = cx.engine()?;
    let summary = engine.summary(engine.find_run(run)?)?;
    let go_on = engine.undertaking_of(summary.run).map_or(summary.run, Undertaking::id);
    let lands = engine.load(summary.run).map(|run| run.opened.lands()).unwrap_or_default();
    let human = ui::table(&rows(&summary, go_on, lands));
    Reply::new(summary, human)
}

fn rows(run: &RunSummary, go_on: Stamp, lands: Lands) -> Vec<Vec<String>> {
    let mut rows = vec![
        vec!["run".into(), run.run.to_string()],
        vec!["goal".into(), narrate::first_line(&run.goal)],
        vec!["state".into(), state(run)],
        vec!["attempt".into(), format!("{} of {}", run.attempt, run.attempts)],
        vec!["checks".into(), run.checks.to_string()],
        vec!["worker".into(), narrate::first_line(&run.worker)],
        vec!["opened".into(), run.opened_at.clone()],
        vec!["updated".into(), run.updated_at.clone()],
    ];
    match &run.outcome {
        Some(outcome) => rows.push(vec!["ended".into(), narrate::ended(outcome, lands)]),
        None => rows.push(vec!["go on".into(), format!("countersign resume {go_on}")]),
    }
    rows
}
