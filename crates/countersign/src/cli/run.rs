//! `countersign run`: one goal from contract to ruling.

use countersign_domain::Stamp;
use countersign_engine::run::{Goal, MAX_GOAL_BYTES};
use countersign_engine::{Engine, Error, Kind};
use serde_json::json;

use super::Context;
use crate::ui::{self, Format, Reply};
use crate::{exit, fast, narrate};

/// Have a goal worked on, check the result, and countersign it if it holds.
///
/// The worker runs in a checkout of its own. When it ends, its files are recorded as a tree,
/// and each check runs in a fresh checkout of that tree. If all pass, the tree becomes a commit
/// on the branch countersign/RUN; otherwise the worker gets the findings and another attempt.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// What is to be done, in words; - reads it from standard input.
    #[arg(required_unless_present = "contract")]
    goal: Option<String>,

    /// Work under this contract, which says what is to be done and what is checked: its id, a
    /// beginning of it, or latest. If earlier work under it did not hold, the worker is told why.
    #[arg(long, value_name = "CONTRACT", conflicts_with_all = ["goal", "checks"])]
    contract: Option<String>,

    /// A shell command that must exit with code 0 on the files handed over; may be repeated.
    #[arg(long = "check", value_name = "CMD")]
    checks: Vec<String>,

    /// Who does the work: command:SHELL COMMAND. It gets the prompt on standard input and in
    /// $COUNTERSIGN_PROMPT.
    #[arg(long, value_name = "WORKER")]
    worker: String,

    /// How many attempts the worker has.
    #[arg(long, value_name = "N")]
    attempts: Option<u32>,

    /// What to start from, instead of what is checked out.
    #[arg(long, value_name = "REVISION")]
    base: Option<String>,

    /// How long one attempt may take, in seconds.
    #[arg(long, value_name = "SECONDS")]
    worker_timeout: Option<u64>,

    /// How long one check may take, in seconds.
    #[arg(long, value_name = "SECONDS")]
    check_timeout: Option<u64>,
}

pub fn run(cx: &Context, args: Args) -> Result<Reply, Error> {
    let goal = Goal {
        goal: match args.goal {
            Some(goal) if goal == "-" => read_goal()?,
            goal => goal.unwrap_or_default(),
        },
        contract: args.contract,
        checks: args.checks,
        worker: args.worker,
        base: args.base,
        attempts: args.attempts,
        worker_seconds: args.worker_timeout,
        check_seconds: args.check_timeout,
    };
    goal.check()?;
    let mut engine = cx.engine()?;
    if goal.base.is_none() && engine.has_uncommitted_changes()? {
        ui::say(&format!(
            "{}: the run starts from the last commit; your uncommitted changes are not part of it",
            ui::paint(ui::BOLD, "note")
        ));
    }
    let run = engine.open_run(&goal, &mut |progress| tell(cx.format, progress))?;
    drive(cx, &mut engine, run)
}

/// Drives `run` to its end, telling a person what happens.
pub fn drive(cx: &Context, engine: &mut Engine, run: Stamp) -> Result<Reply, Error> {
    let human = cx.format == Format::Human;
    // Nothing needs saving: the journal has it all, and the supervisor of whatever runs ends
    // its tree when we are gone. Without the handler only the message would be missing.
    let _ = ctrlc::set_handler(move || {
        if human {
            ui::say(&format!("\ninterrupted; go on with: countersign resume {run}"));
        }
        std::process::exit(exit::INTERRUPTED);
    });
    let outcome = engine.drive(run, &mut |progress| tell(cx.format, progress))?;
    let summary = engine.summary(run)?;
    let mut human = format!("{}\n", narrate::ended(&outcome));
    human += &match &outcome {
        countersign_domain::run::Outcome::Accepted { branch, .. } => {
            format!("  take it over:  git merge {branch}\n")
        }
        countersign_domain::run::Outcome::Refused { .. } => String::new(),
    };
    human += &format!("  what happened: countersign log {run}\n");
    let reply = Reply::new(json!({ "run": summary, "outcome": outcome }), human)?;
    Ok(reply.problem(narrate::problem(&outcome)))
}

pub fn tell(format: Format, progress: &countersign_engine::run::Progress<'_>) {
    let text = narrate::progress(progress);
    if format == Format::Human && !text.is_empty() {
        ui::say(&text);
    }
}

fn read_goal() -> Result<String, Error> {
    let bytes = fast::read_input(MAX_GOAL_BYTES)?;
    String::from_utf8(bytes).map_err(|error| {
        let at = error.utf8_error().valid_up_to();
        Error::new(Kind::Usage, format!("the goal is not UTF-8 (byte {at})"))
            .hint("save it as UTF-8 text")
    })
}
