//! `countersign run --plan`: a plan, story by story.

use std::io::IsTerminal as _;

use countersign_domain::Stamp;
use countersign_domain::checkpoint::CheckpointId;
use countersign_domain::relay::{RelayEvent, RelayOutcome};
use countersign_domain::report::Ending;
use countersign_engine::relay::{RelayDriven, RelayRequest, Told};
use countersign_engine::{Engine, Error, Kind};
use serde_json::json;

use super::{Args, answered};
use crate::cli::Context;
use crate::ui::{self, Format, Reply};
use crate::{exit, narrate};

pub fn run(cx: &Context, args: &Args) -> Result<Reply, Error> {
    let mut request = RelayRequest {
        plan: args.plan.clone().unwrap_or_default(),
        continues: args.continues.clone(),
        workers: args.workers.clone(),
        verifiers: args.verifiers.clone(),
        reviewer: args.reviewer.clone(),
        base: args.base.clone(),
        attempts: args.attempts,
        worker_seconds: args.worker_timeout,
        check_seconds: args.check_timeout,
        budget: args.budget,
        rounds: args.consensus_rounds,
        jobs: args.jobs,
        takes_changed_plan: args.changed_plan,
    };
    let mut engine = cx.engine()?;
    let is_fresh = request.base.is_none() && request.continues.is_none();
    if is_fresh && engine.has_uncommitted_changes()? {
        ui::say(&format!(
            "{}: the work starts from the last commit; your uncommitted changes are not part of it",
            ui::paint(ui::BOLD, "note")
        ));
    }
    let may_ask = !args.no_input && !args.changed_plan;
    if may_ask && let Some(words) = engine.changed_plan(&request)? {
        request.takes_changed_plan = agrees(&words);
    }
    let relay = engine.open_relay(&request, &mut |told| tell(cx, told))?;
    drive(cx, &mut engine, relay, !args.no_input)
}

/// Whether a person at the terminal wants to go on with a plan that was changed.
fn agrees(words: &str) -> bool {
    let (input, output) = (std::io::stdin(), std::io::stderr());
    if !input.is_terminal() || !output.is_terminal() {
        return false;
    }
    ui::say(&ui::printable(words));
    ui::say("Go on with the plan as it is now? y or n");
    let mut line = String::new();
    input.read_line(&mut line).is_ok() && matches!(line.trim(), "y" | "yes")
}

/// Drives a relay to its end, telling a person what happens.
pub fn drive(
    cx: &Context,
    engine: &mut Engine,
    relay: Stamp,
    may_ask: bool,
) -> Result<Reply, Error> {
    let human = cx.format == Format::Human;
    let _ = ctrlc::set_handler(move || {
        if human {
            ui::say(&format!("\ninterrupted; go on with: countersign resume {relay}"));
        }
        std::process::exit(exit::INTERRUPTED);
    });
    let outcome = loop {
        match engine.drive_relay(relay, &mut |told| tell(cx, told))? {
            RelayDriven::Ended(outcome) => break outcome,
            RelayDriven::Waiting(waiting) => {
                let mut has_answer = false;
                for checkpoint in waiting.iter().filter(|_| may_ask) {
                    has_answer |= answered(engine, *checkpoint)?;
                }
                if !has_answer {
                    return wait(engine, relay, &waiting);
                }
            }
        }
    };
    let summary = engine.relay_summary(relay)?;
    let mut human = format!("{}\n", narrate::relay_ended(&outcome));
    human += &match &outcome {
        RelayOutcome::Complete { .. } => {
            format!("  take it over:  countersign accept {relay} --merge\n")
        }
        RelayOutcome::Blocked { branch, .. } => after_blocked(relay, &outcome, branch.as_deref()),
    };
    human += &format!("  what happened: countersign log {relay}\n");
    let reply = Reply::new(json!({ "relay": summary, "outcome": outcome }), human)?;
    Ok(reply.problem(narrate::relay_problem(&outcome)))
}

/// What can be done with a relay that was blocked.
fn after_blocked(relay: Stamp, outcome: &RelayOutcome, branch: Option<&str>) -> String {
    let mut text = String::new();
    let ending = Ending::of_relay(outcome);
    if let Some(action) = ending.suggested_action {
        text += &format!("  what to do:    {action}\n");
    }
    let is_for_us = ending.is_recoverable == Some(true);
    let name = if is_for_us { "try the rest: " } else { "take it up all the same:" };
    text += &format!("  {name} countersign run --continue {relay}\n");
    if let Some(branch) = branch {
        text += &format!("  what landed is on {}\n", ui::printable(branch));
        text += &format!("  take that over: countersign accept {relay} --landed --merge\n");
    }
    text
}

/// A relay that waits for people.
fn wait(engine: &Engine, relay: Stamp, waiting: &[CheckpointId]) -> Result<Reply, Error> {
    let summary = engine.relay_summary(relay)?;
    let mut human = format!("{}: a person has to decide\n", ui::paint(ui::BOLD, "waiting"));
    for checkpoint in waiting {
        human += &format!("  read it:  countersign checkpoint show {checkpoint}\n");
        human += &format!("  answer:   countersign checkpoint answer {checkpoint} CHOICE\n");
    }
    human += &format!("  then:     countersign resume {relay}\n");
    let ids: Vec<String> = waiting.iter().map(ToString::to_string).collect();
    let message = format!("relay {relay} waits for an answer to {}", ids.join(", "));
    let problem =
        Error::new(Kind::Human, message).hint("countersign checkpoint list shows what is asked");
    Ok(Reply::new(json!({ "relay": summary, "waiting": ids }), human)?.problem(Some(problem)))
}

fn tell(cx: &Context, told: &Told<'_>) {
    if let Told::Run { run, event, .. } = told {
        super::tell_phase(cx, run, event);
    }
    if cx.format != Format::Human {
        return;
    }
    let text = match told {
        Told::Note(words) => format!("{}: {}", ui::paint(ui::BOLD, "note"), ui::printable(words)),
        // Its run tells what is begun, and the answer of the command how it ended.
        Told::Relay { event: RelayEvent::Started { .. } | RelayEvent::Closed(_), .. } => {
            String::new()
        }
        Told::Relay { relay, event } => narrate::relay_line(relay, event),
        Told::Run { leg, run, event } => {
            let progress = countersign_engine::run::Progress { run, sequence: run.sequence, event };
            let text = narrate::progress(&progress);
            let mark = ui::paint(ui::DIM, format!("{leg} │ "));
            text.lines().map(|line| format!("{mark}{line}")).collect::<Vec<_>>().join("\n")
        }
    };
    if !text.is_empty() {
        ui::say(&text);
    }
}
