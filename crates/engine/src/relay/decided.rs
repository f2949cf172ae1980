//! What people decided in earlier runs of a relay, for the runs that come after: their words are part of
//! what is asked for, whichever run they were said in.

use countersign_domain::relay::{Leg, Relay};
use countersign_domain::run::DECIDED;

use crate::Engine;
use crate::error::Result;
use crate::query::stream_of;

/// Appends to the goal of a leg what people decided before it is opened.
pub(super) fn add(engine: &Engine, relay: &Relay, leg: &Leg, goal: &mut String) -> Result<()> {
    let mut lines = Vec::new();
    if let Some(before) = &relay.opened.continues {
        gather(engine, &engine.load_relay(before.relay)?, (relay, leg), &mut lines)?;
    }
    gather(engine, relay, (relay, leg), &mut lines)?;
    if !lines.is_empty() {
        *goal += &format!("\n\n{DECIDED}\n{}\n", lines.join("\n"));
    }
    Ok(())
}

/// What was decided in the runs of `from` that concerns `leg` of `of`.
fn gather(
    engine: &Engine,
    from: &Relay,
    (of, leg): (&Relay, &Leg),
    lines: &mut Vec<String>,
) -> Result<()> {
    for (other, run) in &from.runs {
        let is_seen = *leg == Leg::Release || *other == Leg::Release || other == leg;
        // A run that is about to be opened has said nothing yet.
        if !is_seen || engine.store.head(&stream_of(*run)?)?.is_none() {
            continue;
        }
        for line in engine.load(*run)?.decisions() {
            if concerns(of, leg, other, &line) {
                lines.push(format!("- {other}: {line}"));
            }
        }
    }
    Ok(())
}

/// What is said about all stories concerns each of them, unless it names others and not this one.
fn concerns(relay: &Relay, leg: &Leg, said_in: &Leg, line: &str) -> bool {
    let Leg::Story(story) = leg else { return true };
    let mut named = relay.named_in(line);
    *said_in != Leg::Release || named.clone().next().is_none() || named.any(|one| one == story)
}
