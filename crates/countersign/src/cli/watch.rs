//! `countersign watch`: what all runs and relays are doing, live.

use std::io::IsTerminal as _;

use countersign_engine::{Error, Kind};

use super::Context;
use crate::tui::{self, Size};
use crate::ui::{Format, Reply};

/// Watch runs and relays as they work, and answer their questions.
///
/// Shows who works on what since when and at what cost, what the agents of the selected one did last
/// and its journal, and the questions that wait, which can be answered there. It only looks: closing it stops nothing.
/// Press ? for the keys.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Only this run or relay: its id, the beginning of it, or latest.
    id: Option<String>,

    /// Print one frame as plain text, and end.
    #[arg(long)]
    once: bool,

    /// How large that frame is.
    #[arg(long, value_name = "COLUMNSxROWS", requires = "once")]
    size: Option<Size>,

    /// How many runs to show that have ended; those that go on are always shown.
    #[arg(long, default_value_t = 100, value_name = "N",
        value_parser = clap::value_parser!(u32).range(1..))]
    most: u32,
}

pub fn run(cx: &Context, args: &Args) -> Result<Reply, Error> {
    let watch = tui::Watch::new(cx.host.clone(), args.id.as_deref(), args.most as usize)?;
    if args.once {
        let (shown, frame) = watch.once(args.size)?;
        return Reply::new(shown, frame);
    }
    if cx.format != Format::Human {
        return Err(Error::new(Kind::Usage, "a live view has no form for programs")
            .hint("`countersign watch --once --format json` tells what it shows"));
    }
    if !std::io::stdout().is_terminal() || !std::io::stdin().is_terminal() {
        return Err(Error::new(Kind::Usage, "watch needs a terminal to draw on").hint(
            "`countersign watch --once` prints one frame, `countersign run status` tells how a run stands",
        ));
    }
    watch.live()?;
    Reply::new(serde_json::Value::Null, "")
}
