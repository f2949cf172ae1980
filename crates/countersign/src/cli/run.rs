//! `countersign run`: one goal from contract to ruling; below `run/`, what can be asked about runs.

mod about;
pub mod planned;

use std::collections::BTreeMap;

use countersign_domain::Stamp;
use countersign_domain::checkpoint::CheckpointId;
use countersign_domain::run::{Outcome, Run, RunEvent, phase};
use countersign_domain::verify::Example;
use countersign_engine::run::{CrewWish, Driven, Goal, MAX_GOAL_BYTES};
use countersign_engine::{Engine, Error, Kind};
use serde_json::json;

use super::Context;
use crate::asked::{Asked, ask_in_terminal};
use crate::ui::{self, Format, Reply};
use crate::{exit, fast, narrate};

/// Have a goal worked on, check the result, and countersign it if it holds.
///
/// The worker runs in a checkout of its own. When it ends, its files are recorded as a tree,
/// and each check runs in a fresh checkout of that tree. If all pass, the tree becomes a commit
/// on the branch countersign/RUN; otherwise the worker gets the findings and another attempt.
///
/// A goal that is the name of one of the commands below goes after `--`.
#[derive(Debug, clap::Args)]
#[command(args_conflicts_with_subcommands = true, subcommand_negates_reqs = true)]
#[command(disable_help_subcommand = true)]
#[allow(clippy::struct_excessive_bools)] // each is a flag of its own
pub struct Args {
    #[command(subcommand)]
    about: Option<about::Verb>,

    /// What is to be done, in words; - reads it from standard input.
    #[arg(required_unless_present_any = ["contract", "plan", "task", "continues"])]
    goal: Option<String>,

    /// Carry out this plan, story by story: its slug, or its folder. Each accepted story is a commit on
    /// the branch countersign/RELAY.
    #[arg(long, value_name = "PLAN", conflicts_with_all = ["goal", "checks", "contract", "task"])]
    plan: Option<String>,

    /// Go on from this relay, which was blocked: what landed there stays landed, the rest of its plan is
    /// tried again on top of it.
    #[arg(long = "continue", value_name = "RELAY")]
    #[arg(conflicts_with_all = ["goal", "checks", "contract", "task", "base"])]
    continues: Option<String>,

    /// With --continue: go on also if the plan is another now than in that relay. A worker may have
    /// edited its files, so a person says this after reading them.
    #[arg(long, requires = "continues")]
    changed_plan: bool,

    /// Do what this task file says: its id, or the file.
    #[arg(long, value_name = "TASK", conflicts_with_all = ["goal", "contract"])]
    task: Option<String>,

    /// How many stories of a plan may be worked on at once; only such as touch no common file.
    #[arg(long, value_name = "N", conflicts_with_all = ["goal", "contract", "task"])]
    jobs: Option<u32>,

    /// Work under this contract, which says what is to be done and what is checked: its id, a
    /// beginning of it, or latest. If earlier work under it did not hold, the worker is told why.
    #[arg(long, value_name = "CONTRACT", conflicts_with_all = ["goal", "checks"])]
    contract: Option<String>,

    /// A shell command that must exit with code 0 on the files handed over; may be repeated.
    #[arg(long = "check", value_name = "CMD")]
    checks: Vec<String>,

    /// A command and what it must print, 'CMD => OUTPUT', asked of the files handed over and compared by
    /// us: no test of the worker's can answer for it. May be repeated.
    #[arg(long = "example", value_name = "EXAMPLE", value_parser = super::verify::example)]
    #[arg(conflicts_with_all = ["plan", "continues"])]
    examples: Vec<Example>,

    /// Who does the work: claude, codex, gemini, opencode, goose (with :MODEL and @EFFORT if you
    /// like), acp:COMMAND, or command:SHELL COMMAND, which gets the prompt on standard input and in
    /// $COUNTERSIGN_PROMPT and runs in the worker's checkout: name what is not in the repository by
    /// its full path. Repeated, each further one is stronger and tried when the ones before keep
    /// failing.
    #[arg(long = "worker", value_name = "AGENT", required_unless_present_any = ["plan", "continues"])]
    workers: Vec<String>,

    /// Who judges the work after everything that is run has passed; each must pass it. A second one
    /// (best of another maker) is a consensus. Named as workers are.
    #[arg(long = "verifier", value_name = "AGENT")]
    verifiers: Vec<String>,

    /// How often verifiers may disagree about the work, each time with another attempt that is told what
    /// both say, before you are asked: 1 to 20. Otherwise as the plan or the settings say
    /// (run.consensus_rounds).
    #[arg(long, value_name = "N", value_parser = rounds)]
    consensus_rounds: Option<u32>,

    /// Who looks at the assignment before anybody works on it.
    #[arg(long, value_name = "AGENT")]
    reviewer: Option<String>,

    /// Examine the work of a command as that of an agent is: with the old tests on the new code, the
    /// new tests on the old code, and gaming. Agents' work always is.
    #[arg(long)]
    examine: bool,

    /// The most that this run may cost, in dollars. What one attempt may cost stays as the settings
    /// say (budget.attempt_dollars).
    #[arg(long, value_name = "DOLLARS")]
    budget: Option<f64>,

    /// Don't ask in the terminal: what a person has to decide waits (exit code 4).
    #[arg(long)]
    no_input: bool,

    /// Also tell the phases on standard error, a line each, in words that programs can search;
    /// `countersign log --phases` has them afterwards.
    #[arg(long)]
    pub debug: bool,

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

impl Args {
    /// Whether a report is asked for, which has forms of its own.
    pub fn is_report(&self) -> bool {
        matches!(self.about, Some(about::Verb::Report(_)))
    }
}

pub fn run(cx: &Context, args: Args) -> Result<Reply, Error> {
    if let Some(verb) = args.about {
        return about::run(cx, verb);
    }
    if args.plan.is_some() || args.continues.is_some() {
        return planned::run(cx, &args);
    }
    let crew = crew(&args)?;
    let mut check_seconds = args.check_timeout;
    let mut own_seconds = BTreeMap::new();
    let (words, checks) = match (&args.goal, &args.task) {
        (Some(goal), _) if goal == "-" => (read_goal()?, args.checks),
        (Some(goal), _) => (goal.clone(), args.checks),
        (None, Some(task)) => {
            let asked = cx.engine()?.task_goal(task)?;
            check_seconds = check_seconds.or(asked.check_seconds);
            own_seconds = asked.own_seconds;
            for note in &asked.notes {
                ui::say(&format!("{}: {}", ui::paint(ui::BOLD, "note"), ui::printable(note)));
            }
            (asked.goal, if args.checks.is_empty() { asked.checks } else { args.checks })
        }
        (None, None) => (String::new(), args.checks),
    };
    let goal = Goal {
        goal: words,
        contract: args.contract,
        checks,
        crew,
        worker: args.workers.first().cloned().unwrap_or_default(),
        base: args.base,
        attempts: args.attempts,
        worker_seconds: args.worker_timeout,
        check_seconds,
        own_seconds,
    };
    goal.check()?;
    let mut engine = cx.engine()?;
    if goal.base.is_none() && engine.has_uncommitted_changes()? {
        ui::say(&format!(
            "{}: the run starts from the last commit; your uncommitted changes are not part of it",
            ui::paint(ui::BOLD, "note")
        ));
    }
    let run = engine.open_run(&goal, &mut |progress| tell(cx, progress))?;
    drive(cx, &mut engine, run, !args.no_input)
}

/// The crew that is asked for, where more is wanted than a command and its checks.
/// How many rounds; whether so many are allowed is known where they are fixed.
fn rounds(text: &str) -> Result<u32, String> {
    text.trim().parse().map_err(|_| "it is a whole number from 1 to 20".to_owned())
}

fn crew(args: &Args) -> Result<Option<CrewWish>, Error> {
    let is_command = |worker: &String| worker.starts_with("command:");
    let is_plain = args.workers.iter().all(is_command) && args.workers.len() == 1;
    if args.consensus_rounds.is_some() && args.verifiers.len() < 2 {
        let message = "rounds of consensus are asked for, and there are no two verifiers";
        return Err(Error::new(Kind::Usage, message)
            .hint("name a second one, best of another maker: --verifier claude --verifier codex"));
    }
    let is_examined = args.examine || !args.examples.is_empty();
    if is_plain && args.verifiers.is_empty() && args.reviewer.is_none() && !is_examined {
        if args.budget.is_some() {
            return Err(Error::new(Kind::Usage, "a command costs nothing that could be counted")
                .hint("leave --budget out, or take an agent as the worker"));
        }
        return Ok(None);
    }
    let reviewer = args.reviewer.as_deref();
    let wish = CrewWish::parse(&args.workers, &args.verifiers, reviewer, args.budget)?;
    Ok(Some(CrewWish { examples: args.examples.clone(), rounds: args.consensus_rounds, ..wish }))
}

/// Drives `run` to its end, telling a person what happens.
pub fn drive(cx: &Context, engine: &mut Engine, run: Stamp, may_ask: bool) -> Result<Reply, Error> {
    let human = cx.format == Format::Human;
    // Nothing needs saving: the journal has it all, and the supervisor of whatever runs ends
    // its tree when we are gone. Without the handler only the message would be missing.
    let _ = ctrlc::set_handler(move || {
        if human {
            ui::say(&format!("\ninterrupted; go on with: countersign resume {run}"));
        }
        std::process::exit(exit::INTERRUPTED);
    });
    let outcome = loop {
        match engine.drive(run, &mut |progress| tell(cx, progress))? {
            Driven::Ended(outcome) => break outcome,
            Driven::Waiting { checkpoint, .. } => {
                if may_ask && answered(engine, checkpoint)? {
                    continue;
                }
                return waiting(engine, run, checkpoint);
            }
        }
    };
    let summary = engine.summary(run)?;
    let mut human = format!("{}\n", narrate::ended(&outcome, engine.load(run)?.opened.lands()));
    human += &match &outcome {
        Outcome::Accepted { .. } => {
            format!("  take it over:  countersign accept {run} --merge\n")
        }
        Outcome::Refused { because } => {
            format!("  what to do:    {}\n", because.suggested_action())
        }
    };
    human += &format!("  what happened: countersign log {run}\n");
    let reply = Reply::new(json!({ "run": summary, "outcome": outcome }), human)?;
    Ok(reply.problem(narrate::problem(&outcome)))
}

/// Asks a person who is there; whether there is an answer now.
fn answered(engine: &mut Engine, id: CheckpointId) -> Result<bool, Error> {
    let asked = Asked::of(engine, engine.checkpoint(id)?)?;
    let mut said = Vec::new();
    let answer = ask_in_terminal(&asked, &mut |words| {
        said.push(words.to_owned());
        Ok(())
    });
    for words in said {
        engine.discuss(id, &words, "user")?;
    }
    let Some((choice, words)) = answer else { return Ok(false) };
    engine.answer(id, &choice, &words, "user")?;
    Ok(true)
}

/// A run that waits for a person.
fn waiting(engine: &Engine, run: Stamp, checkpoint: CheckpointId) -> Result<Reply, Error> {
    let summary = engine.summary(run)?;
    let human = format!(
        "{}: a person has to decide\n  read it:  countersign checkpoint show {checkpoint}\n  \
         answer:   countersign checkpoint answer {checkpoint} CHOICE\n  then:     countersign resume {run}\n",
        ui::paint(ui::BOLD, "waiting")
    );
    let data = json!({ "run": summary, "waiting": checkpoint.to_string() });
    let problem = Error::new(Kind::Human, format!("run {run} waits for an answer to {checkpoint}"))
        .hint(format!("countersign checkpoint show {checkpoint}"));
    Ok(Reply::new(data, human)?.problem(Some(problem)))
}

pub fn tell(cx: &Context, progress: &countersign_engine::run::Progress<'_>) {
    let text = narrate::progress(progress);
    if cx.format == Format::Human && !text.is_empty() {
        ui::say(&text);
    }
    tell_phase(cx, progress.run, progress.event);
}

/// Tells the phase of a run, if that is asked for, whatever the format: it goes to standard error.
pub fn tell_phase(cx: &Context, run: &Run, event: &RunEvent) {
    if cx.debug
        && let Some(line) = phase(run, event)
    {
        ui::say(&ui::printable(&line));
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
