//! `countersign run logs`: what agents wrote.

use std::io::Write as _;

use clap::ValueEnum;
use countersign_domain::agent::Role;
use countersign_engine::report::{Heard, Wanted, Written};
use countersign_engine::{Engine, Error, Kind};
use serde_json::{Value, json};

use crate::cli::Context;
use crate::narrate::{first_line, one_line};
use crate::passing::Passing;
use crate::ui::{self, Format, Reply};

/// The most bytes of one agent's output in a JSON reply.
const MOST_JSON: u64 = 1 << 20;

/// Show what the agents of a run or a relay wrote.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The run or the relay: its id, the beginning of it, or latest.
    #[arg(default_value = "latest")]
    id: String,

    /// Go on until it has ended: tell when an agent starts and what it is doing, and show what it
    /// wrote when it has ended, not as it comes.
    #[arg(long, short)]
    follow: bool,

    /// Only of this attempt.
    #[arg(long, value_name = "N")]
    attempt: Option<u32>,

    /// Only of this role.
    #[arg(long, value_enum, value_name = "ROLE")]
    role: Option<RoleName>,

    /// Show what agents were told, instead of what they wrote.
    #[arg(long)]
    prompts: bool,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum RoleName {
    Worker,
    Verifier,
    Reviewer,
}

pub fn run(cx: &Context, args: &Args) -> Result<Reply, Error> {
    let engine = cx.engine()?;
    let it = engine.find_undertaking(&args.id)?;
    let wanted = Wanted {
        attempt: args.attempt,
        role: args.role.map(|role| match role {
            RoleName::Worker => Role::Worker,
            RoleName::Verifier => Role::Verifier,
            RoleName::Reviewer => Role::Reviewer,
        }),
        prompts: args.prompts,
    };
    if cx.format == Format::Json {
        if args.follow {
            return Err(Error::new(Kind::Usage, "--follow has no JSON form").hint(
                "leave one of them out; `countersign run status --format json` can be polled",
            ));
        }
        let starts = engine.logs(it, &wanted)?;
        let all: Result<Vec<Value>, Error> =
            starts.iter().map(|start| as_json(&engine, start, args.prompts)).collect();
        return Reply::new(all?, "");
    }
    let mut out = Passing::new();
    if args.follow {
        engine
            .follow_logs(it, &wanted, &mut |heard| tell(&engine, &mut out, heard, args.prompts))?;
        return Ok(Reply::streamed(None));
    }
    let starts = engine.logs(it, &wanted)?;
    if starts.is_empty() {
        ui::say("nothing of that kind was written yet");
    }
    for start in &starts {
        say_head(start);
        if !show(&engine, &mut out, start, args.prompts)? {
            break;
        }
    }
    Ok(Reply::streamed(None))
}

/// Shows what a follower hears; `false` when nobody reads any more.
fn tell(
    engine: &Engine,
    out: &mut Passing,
    heard: &Heard<'_>,
    prompts: bool,
) -> Result<bool, Error> {
    match heard {
        Heard::Began(start) => {
            say_head(start);
            if prompts { show(engine, out, start, true) } else { Ok(true) }
        }
        Heard::Ended(_) if prompts => Ok(true),
        Heard::Ended(start) => {
            let ended = start.ended.as_deref().unwrap_or_default();
            let shown = show(engine, out, start, false)?;
            ui::say(&ui::paint(ui::DIM, format!("-- {}: {}", start.role, one_line(ended))));
            Ok(shown)
        }
        Heard::Doing(_, live) => {
            let doing = live.doing.as_deref().map(|doing| format!("doing: {}", one_line(doing)));
            let said = live.said.as_deref().map(|said| format!("said: {}", one_line(said)));
            for line in said.into_iter().chain(doing) {
                ui::say(&ui::paint(ui::DIM, format!("-- {} {line}", live.role)));
            }
            Ok(true)
        }
    }
}

fn say_head(start: &Written) {
    let leg = if start.leg == "GOAL" { String::new() } else { format!("{} ", start.leg) };
    let which = start.verifier.map_or_else(String::new, |number| format!(" {number}"));
    let ended = match &start.ended {
        Some(ended) => one_line(ended),
        None => "at work".to_owned(),
    };
    ui::say(&ui::paint(
        ui::BOLD,
        format!(
            "== {leg}iteration {} (attempt {}), {}{which} {}: {ended}",
            start.iteration,
            start.attempt,
            start.role,
            first_line(&start.agent)
        ),
    ));
}

/// Copies what an agent wrote, or was told; `false` when nobody reads any more.
fn show(engine: &Engine, out: &mut Passing, start: &Written, prompts: bool) -> Result<bool, Error> {
    let blob = if prompts { Some(start.prompt) } else { start.output };
    let Some(blob) = blob else { return Ok(true) };
    let copied = engine.copy_blob(&blob, out);
    let ended = out.end_line().and_then(|()| out.flush());
    if out.is_closed() || ended.is_err() {
        return Ok(false);
    }
    match copied {
        Err(error) if error.kind == Kind::NotFound => {
            ui::say("(retention has removed it; its digest stays on the record)");
            Ok(true)
        }
        Err(error) => Err(error),
        Ok(_) => Ok(true),
    }
}

fn as_json(engine: &Engine, start: &Written, prompts: bool) -> Result<Value, Error> {
    let mut value = serde_json::to_value(start)?;
    let blob = if prompts { Some(start.prompt) } else { start.output };
    let read = blob.map(|blob| engine.blob_beginning(&blob, MOST_JSON));
    match read {
        None => value["text"] = Value::Null,
        Some(Err(error)) if error.kind == Kind::NotFound => value["text"] = Value::Null,
        Some(read) => {
            let (text, is_cut) = read?;
            value["text"] = json!(text);
            value["is_cut"] = json!(is_cut);
        }
    }
    Ok(value)
}
