//! A relay told as it happens, and the lines of its journal.

use countersign_domain::relay::{Blocked, Leg, Relay, RelayEvent, RelayOutcome};
use countersign_domain::run::Outcome;
use countersign_engine::{Error, Kind};

use super::{first_line, one_line, why};
use crate::ui::{BAD, BOLD, GOOD, paint, printable};

/// One event in a line or a few.
pub fn relay_line(relay: &Relay, event: &RelayEvent) -> String {
    match event {
        RelayEvent::Opened(opened) => {
            let mut text = format!("{} {}\n", paint(BOLD, "relay"), opened.relay);
            text += &format!("  plan      {} ({})\n", printable(&opened.slug), opened.plan.short());
            text += &format!("  objective {}\n", printable(&opened.headline(100)));
            text += &format!("  base      {}\n", opened.base.commit.short());
            if let Some(before) = &opened.continues {
                let landed: Vec<&str> = before.landed.iter().map(|one| &*one.story).collect();
                let landed =
                    if landed.is_empty() { "nothing".to_owned() } else { landed.join(", ") };
                text += &format!(
                    "  goes on   from {}; landed there: {}\n",
                    before.relay,
                    printable(&landed)
                );
            }
            text += &format!("  stories   {}", opened.stories.len());
            for story in &opened.stories {
                text += &format!("\n    {}  {}", printable(&story.id), first_line(&story.title));
            }
            text
        }
        RelayEvent::Started { leg, run, .. } => match leg {
            Leg::Story(story) => format!("{} is begun: run {run}", printable(story)),
            Leg::Release => format!("all stories together are judged: run {run}"),
        },
        RelayEvent::Ended { leg, run, outcome } => match outcome {
            Outcome::Accepted { .. } => {
                format!("{} {}: run {run}", paint(GOOD.bold(), leg), paint(GOOD, "accepted"))
            }
            Outcome::Refused { because } => format!(
                "{} {}: {} (run {run})",
                paint(BAD.bold(), leg),
                paint(BAD, "not accepted"),
                why(*because)
            ),
        },
        RelayEvent::Landed { story, commit, verification, .. } => {
            let again = if verification.is_some() {
                ", verified again with what landed before"
            } else {
                ""
            };
            let landed = relay.opened.stories.iter().filter(|terms| {
                matches!(
                    relay.stories.get(&terms.id),
                    Some(countersign_domain::relay::Standing::Landed { .. })
                )
            });
            let done = landed.count();
            let all = relay.opened.stories.len();
            format!("{} is commit {}{again} ({done} of {all})", printable(story), commit.short())
        }
        RelayEvent::Collided { story, reasons, .. } => {
            format!("{} is done again: {}", printable(story), one_line(&reasons.join("; ")))
        }
        RelayEvent::Reopened { story, reasons } => format!(
            "{} no longer holds and is taken up again: {}",
            printable(story),
            one_line(&reasons.join("; "))
        ),
        RelayEvent::CancelRequested { by } => format!("cancelled by {}", printable(by)),
        RelayEvent::Closed(outcome) => relay_ended(outcome),
    }
}

/// How a relay ended, in one line.
pub fn relay_ended(outcome: &RelayOutcome) -> String {
    match outcome {
        RelayOutcome::Complete { commit, branch } => format!(
            "{}: {} on branch {}",
            paint(GOOD.bold(), "complete"),
            commit.short(),
            printable(branch)
        ),
        RelayOutcome::Blocked { blocked, waiting, .. } => {
            let mut text = format!("{}: {}", paint(BAD.bold(), "blocked"), reason(blocked));
            if !waiting.is_empty() {
                text += &format!("; not begun: {}", printable(&waiting.join(", ")));
            }
            text
        }
    }
}

fn reason(blocked: &Blocked) -> String {
    match blocked {
        Blocked::Story { story, because, .. } => format!("{}: {}", printable(story), why(*because)),
        Blocked::Release { because, .. } => {
            format!("all stories together don't hold: {}", why(*because))
        }
        Blocked::Reopened { story } => {
            format!("{} was taken up again too often", printable(story))
        }
        Blocked::Cancelled => "it was cancelled".to_owned(),
    }
}

/// The outcome as an error, if it is one.
pub fn relay_problem(outcome: &RelayOutcome) -> Option<Error> {
    let RelayOutcome::Blocked { blocked, .. } = outcome else { return None };
    let hint = match blocked {
        Blocked::Story { because, .. } | Blocked::Release { because, .. } => {
            because.suggested_action()
        }
        Blocked::Reopened { .. } => "stories break each other: change the plan, or their order",
        Blocked::Cancelled => "a person ended it",
    };
    let message = format!("blocked: {}", reason(blocked));
    Some(
        Error::new(Kind::NotAccepted, message)
            .hint(format!("{hint}; `countersign log` tells what happened")),
    )
}
