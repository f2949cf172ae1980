//! `countersign log`: a run's journal.

use countersign_domain::Stamp;
use countersign_domain::run::phases;
use countersign_engine::relay::Undertaking;
use countersign_engine::{Engine, Error};

use super::Context;
use crate::narrate;
use crate::ui::{self, Reply};

/// Show everything that happened in a run, or in a relay.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The run or relay: its id, the beginning of it, or latest.
    #[arg(default_value = "latest")]
    run: String,

    /// Show what the work changed, as a patch, instead.
    #[arg(long)]
    diff: bool,

    /// Show the phases of a run, a line each, in words that programs can search, instead.
    #[arg(long, conflicts_with = "diff")]
    phases: bool,
}

pub fn run(cx: &Context, args: &Args) -> Result<Reply, Error> {
    let engine = cx.engine()?;
    let run = match engine.find_undertaking(&args.run)? {
        Undertaking::Run(run) => run,
        Undertaking::Relay(relay) if args.diff => {
            let patch = engine.relay_patch(relay)?;
            let text = String::from_utf8_lossy(&patch).into_owned();
            let human = ui::printable(&text);
            return Reply::new(serde_json::json!({ "relay": relay, "patch": text }), human);
        }
        Undertaking::Relay(relay) => return relay_log(&engine, relay),
    };
    if args.diff {
        let patch = engine.run_patch(&engine.load(run)?)?;
        let text = String::from_utf8_lossy(&patch).into_owned();
        let human = ui::printable(&text);
        return Reply::new(serde_json::json!({ "run": run, "patch": text }), human);
    }
    let journal = engine.journal(run)?;
    if args.phases {
        let events =
            || journal.entries.iter().filter_map(|entry| Some((entry, entry.event.as_ref()?)));
        let lines = phases(events().map(|(_, event)| event));
        let times: Vec<&str> = events().map(|(entry, _)| &entry.time[..]).collect();
        let told: Vec<(&str, &str)> =
            lines.iter().map(|(number, line)| (times[*number], &line[..])).collect();
        let human = told.iter().map(|(time, line)| format!("{time} {}\n", ui::printable(line)));
        let human = human.collect::<String>();
        return Reply::new(serde_json::json!({ "run": run, "phases": told }), human);
    }
    let lands = narrate::lands(journal.entries.iter().filter_map(|entry| entry.event.as_ref()));
    let rows: Vec<Vec<String>> = journal
        .entries
        .iter()
        .map(|entry| {
            let what = entry.event.as_ref().map_or_else(
                || "(the body was removed by retention; its hash stays)".into(),
                |event| narrate::line(event, lands),
            );
            let time: String = entry.time.chars().take(23).collect();
            let kind = entry.kind.trim_start_matches("run.").to_owned();
            vec![entry.sequence.to_string(), time, kind, what]
        })
        .collect();
    Reply::new(&journal, ui::table(&rows))
}

/// What happened in a relay itself; each of its runs has a journal of its own.
fn relay_log(engine: &Engine, relay: Stamp) -> Result<Reply, Error> {
    let (folded, entries) = (engine.load_relay(relay)?, engine.relay_journal(relay)?);
    let rows: Vec<Vec<String>> = entries
        .iter()
        .map(|entry| {
            let what = entry.event.as_ref().map_or_else(
                || "(the body was removed by retention; its hash stays)".into(),
                |event| narrate::relay_line(&folded, event),
            );
            let time: String = entry.time.chars().take(23).collect();
            let kind = entry.kind.trim_start_matches("relay.").to_owned();
            vec![entry.sequence.to_string(), time, kind, what]
        })
        .collect();
    Reply::new(serde_json::json!({ "relay": relay, "entries": entries }), ui::table(&rows))
}
