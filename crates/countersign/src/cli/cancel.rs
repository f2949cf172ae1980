//! `countersign cancel`: ask for the end of a run.

use countersign_domain::Stamp;
use countersign_engine::relay::{Told, Undertaking};
use countersign_engine::{Engine, Error, Kind};
use serde_json::json;

use super::Context;
use crate::ui::{self, Reply};

/// End a run. Whatever it is doing is stopped; what was handed over so far is kept.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The run or relay: its id, the beginning of it, or latest.
    run: String,
}

pub fn run(cx: &Context, args: &Args) -> Result<Reply, Error> {
    let mut engine = cx.engine()?;
    let run = match engine.find_undertaking(&args.run)? {
        Undertaking::Run(run) => run,
        Undertaking::Relay(relay) => return cancel_relay(&mut engine, relay),
    };
    engine.cancel(run, "user")?;
    // If its process is gone, nobody else will end it; if not, it holds the lease and will.
    let ended = match engine.drive(run, &mut |_| {}) {
        Ok(_) => true,
        Err(error) if error.kind == Kind::Refused => {
            let is_at_work = engine.is_at_work(Undertaking::Run(run));
            // It may have let go of it just now; else the reason is another.
            if !is_at_work {
                engine.drive(run, &mut |_| {})?;
            }
            !is_at_work
        }
        Err(error) => return Err(error),
    };
    let human = if ended {
        format!("run {run} is cancelled")
    } else {
        format!("run {run} is asked to end; its process will do so in a moment")
    };
    Reply::new(json!({ "run": run, "ended": ended }), human)
}

fn cancel_relay(engine: &mut Engine, relay: Stamp) -> Result<Reply, Error> {
    engine.cancel_relay(relay, "user")?;
    let mut note = |told: &Told<'_>| {
        if let Told::Note(words) = told {
            ui::say(words);
        }
    };
    let ended = match engine.drive_relay(relay, &mut note) {
        Ok(_) => true,
        Err(error) if error.kind == Kind::Refused => {
            let is_at_work = engine.is_at_work(Undertaking::Relay(relay));
            if !is_at_work {
                engine.drive_relay(relay, &mut note)?;
            }
            !is_at_work
        }
        Err(error) => return Err(error),
    };
    let human = if ended {
        format!("relay {relay} is cancelled")
    } else {
        format!("relay {relay} is asked to end; its process will do so in a moment")
    };
    Reply::new(json!({ "relay": relay, "ended": ended }), human)
}
