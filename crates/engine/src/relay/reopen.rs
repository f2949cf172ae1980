//! LP-14: a story that passed and later breaks is taken up again, as often as the relay allows.

use countersign_domain::Stamp;
use countersign_domain::relay::{Blocked, Relay, RelayEvent, Standing};
use countersign_domain::run::{Reason, RefusedBecause};

use crate::Engine;
use crate::error::Result;

/// What follows from a release that did not hold: stories are taken up again, or the relay ends.
pub(super) fn reopen(engine: &Engine, relay: &Relay, run: Stamp) -> Result<Vec<RelayEvent>> {
    let loaded = engine.load(run)?;
    let reasons = loaded.rulings.last().map(|ruling| &ruling.reasons[..]).unwrap_or_default();
    let mut events = Vec::new();
    for (story, words) in blamed(relay, reasons) {
        if relay.reopened.get(&story).copied().unwrap_or(0) >= relay.opened.max_reopened {
            let outcome = relay.blocked(Blocked::Reopened { story });
            return Ok(vec![RelayEvent::Closed(outcome)]);
        }
        events.push(RelayEvent::Reopened { story, reasons: words });
    }
    if events.is_empty() {
        let because = RefusedBecause::AttemptsExhausted;
        events.push(RelayEvent::Closed(relay.blocked(Blocked::Release { run, because })));
    }
    Ok(events)
}

/// The stories that reasons speak of: by the name of the story, by a command that is theirs alone, or,
/// if nothing tells, the one that landed last.
fn blamed(relay: &Relay, reasons: &[Reason]) -> Vec<(String, Vec<String>)> {
    let landed: Vec<&str> = relay
        .opened
        .stories
        .iter()
        .filter(|terms| matches!(relay.stories.get(&terms.id), Some(Standing::Landed { .. })))
        .map(|terms| terms.id.as_str())
        .collect();
    let last = relay
        .runs
        .iter()
        .rev()
        .find_map(|(leg, _)| landed.iter().find(|story| leg.to_string() == **story).copied())
        // All of them landed in an earlier relay.
        .or(landed.last().copied());
    let mut blamed: Vec<(String, Vec<String>)> = Vec::new();
    for reason in reasons {
        let words = reason.to_string();
        let named = landed.iter().find(|story| words.contains(**story)).copied();
        let owner = reason.criterion().and_then(|command| {
            let owns = |story: &&&str| {
                relay.terms(story).is_some_and(|terms| {
                    terms.checks.iter().any(|check| check == command)
                        || terms.tests.iter().any(|one| one.test == command)
                })
            };
            let mut owners = landed.iter().filter(owns);
            match (owners.next(), owners.next()) {
                (Some(only), None) => Some(*only),
                _ => None,
            }
        });
        let Some(story) = named.or(owner).or(last) else { continue };
        match blamed.iter_mut().find(|(known, _)| known == story) {
            Some((_, all)) => all.push(words),
            None => blamed.push((story.to_owned(), vec![words])),
        }
    }
    blamed
}
