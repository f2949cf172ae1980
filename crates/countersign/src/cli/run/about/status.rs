//! `countersign run status`: where a run or a relay stands.

use countersign_domain::agent::Usage;
use countersign_domain::report::{LegStatus, ms_between};
use countersign_engine::Error;
use countersign_engine::report::StatusView;

use crate::cli::Context;
use crate::narrate::{first_line, one_line, outside_lines};
use crate::ui::{self, Reply};

/// Show where a run or a relay stands: each story, who works on it since when, what it cost so far,
/// what waits for what, and what to do.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The run or the relay: its id, the beginning of it, or latest.
    #[arg(default_value = "latest")]
    id: String,
}

pub fn run(cx: &Context, args: &Args) -> Result<Reply, Error> {
    let engine = cx.engine()?;
    let view = engine.standing(engine.find_undertaking(&args.id)?)?;
    let human = told(&view, engine.host().now());
    Reply::new(view, human)
}

fn told(view: &StatusView, now: jiff::Timestamp) -> String {
    let status = &view.status;
    let mut rows = vec![
        vec![status.kind.to_owned(), status.id.to_string()],
        vec!["goal".into(), first_line(&status.goal)],
        vec!["state".into(), status.state.to_owned()],
        vec!["opened".into(), status.opened_at.to_string()],
        vec!["used".into(), used(&status.used)],
    ];
    if let Some(ending) = &status.ending {
        let style = if ending.is_accepted { ui::GOOD } else { ui::BAD };
        rows.push(vec!["ended".into(), ui::paint(style, ui::printable(&ending.words))]);
        rows.push(vec!["took".into(), ui::duration(ms_between(status.opened_at, status.last_at))]);
        if let (Some(category), Some(action)) = (ending.category, ending.suggested_action) {
            let again = if ending.is_recoverable == Some(true) { "yes" } else { "no" };
            rows.push(vec!["kind".into(), category.to_owned()]);
            rows.push(vec!["recoverable".into(), again.to_owned()]);
            rows.push(vec!["what to do".into(), action.to_owned()]);
            if status.kind == "relay" {
                let again = format!("countersign run --continue {}", status.id);
                let is_for_us = ending.is_recoverable == Some(true);
                let name = if is_for_us { "try the rest" } else { "take it up all the same" };
                rows.push(vec![name.into(), again]);
            }
        }
        if let Some(branch) = &ending.branch {
            rows.push(vec!["branch".into(), ui::printable(branch)]);
        }
    }
    let mut text = ui::table(&rows);
    text.push('\n');
    let mut table = vec![
        ["STORY", "STANDS", "ATTEMPT", "STEP", "USED", "WAITS FOR"].map(String::from).to_vec(),
    ];
    table.extend(status.legs.iter().map(leg));
    text += &ui::table(&table);
    for one in &status.legs {
        if let Some(round) = one.round.as_ref().filter(|_| one.ending.is_none()) {
            text += &format!("\n{}: the verifiers disagreed, {round}", ui::printable(&one.leg));
        }
        text += &at_work(view, one, now);
        text += &outside_lines(&one.outside);
    }
    for question in &view.questions {
        text += &format!(
            "\nquestion {}: {}\n  answer: countersign checkpoint answer {} {}",
            question.id,
            first_line(&question.question),
            question.id,
            question.options.join("|")
        );
    }
    let is_left = view.is_driven != Some(true) && view.live.is_empty();
    if status.ending.is_none() && is_left {
        text += &format!("\ngo on: countersign resume {}", status.id);
    }
    text
}

/// Who works on a leg, and what is heard of it; or who did when its driver ended.
fn at_work(view: &StatusView, leg: &LegStatus, now: jiff::Timestamp) -> String {
    let Some(work) = &leg.at_work else { return String::new() };
    let (story, agent) = (ui::printable(&leg.leg), first_line(&work.agent));
    let live = view.live.iter().find(|live| Some(live.run) == leg.run);
    if live.is_none() && view.is_driven == Some(false) {
        return format!("\n{story}: {} {agent} was at work when its driver ended", work.role);
    }
    let since = ui::duration(ms_between(work.since, now));
    let mut text = format!("\n{story}: {} {agent} is at work for {since}", work.role);
    let Some(live) = live else { return text };
    let doing = live.doing.as_deref().map(|doing| format!("doing: {}", one_line(doing)));
    let said = live.said.as_deref().map(|said| format!("said: {}", one_line(said)));
    for line in doing.into_iter().chain(said) {
        text += &format!("\n  {line}");
    }
    text + &format!("\n  silent for {} s, used {}", live.silent_seconds, used(&live.used))
}

fn leg(leg: &LegStatus) -> Vec<String> {
    let attempt = match leg.run {
        Some(_) => format!("{} of {}", leg.attempt, leg.attempts),
        None => "-".to_owned(),
    };
    let reopened = match leg.reopened {
        0 => String::new(),
        times => format!(" (taken up again {times}x)"),
    };
    vec![
        ui::printable(&leg.leg),
        format!("{}{reopened}", leg.standing),
        attempt,
        if leg.step.is_empty() { "-".to_owned() } else { leg.step.clone() },
        used(&leg.used),
        if leg.waits_for.is_empty() {
            "-".into()
        } else {
            ui::printable(&leg.waits_for.join(", "))
        },
    ]
}

fn used(usage: &Usage) -> String {
    let tokens = format!("{} tokens", usage.tokens());
    match usage.cost {
        None if usage.tokens() == 0 => "not told".to_owned(),
        None => tokens,
        Some(cost) => {
            let about = if usage.is_priced_by_us { "about " } else { "" };
            let more = if usage.is_partial { " or more" } else { "" };
            format!("{about}{cost}{more}, {tokens}")
        }
    }
}
