//! The options of what comes up around the work: costs, changes that people notice, risk, rhythm.

use super::{Offer, Standard, choice, key, stop};
use crate::checkpoint::{Choice, Trigger};

/// The options of `trigger`.
pub(super) fn of(trigger: Trigger, offer: &Offer<'_>) -> Standard {
    match trigger {
        Trigger::CostSingle => cost_single(offer),
        Trigger::CostCumulative => cost_cumulative(offer),
        Trigger::UxChange => ux_change(),
        Trigger::Architecture => architecture(),
        Trigger::ScopeChange => scope_change(),
        Trigger::HighRisk => high_risk(offer),
        Trigger::Milestone => milestone(),
        Trigger::Preflight => preflight(),
        Trigger::Interval => interval(),
        _ => hiccup(offer),
    }
}

fn cheaper(offer: &Offer<'_>) -> Option<Choice> {
    offer.cheaper.map(|name| {
        choice(key::CHEAPER, "Use a cheaper model", &format!("{name} does it instead."))
            .pro("Costs less.")
            .con("May do it less well.")
    })
}

fn cost_single(offer: &Offer<'_>) -> Standard {
    let go = choice(key::CONTINUE, "Do it", "This one step is done at its price.")
        .pro("The work goes on as planned.")
        .con("Much of what is left is spent at once.")
        .costing(offer.cost);
    let skip =
        choice(key::SKIP, "Leave it out", "The run goes on without this step, where it can.")
            .pro("Costs nothing.")
            .con("What the step was for is missing.");
    let less = cheaper(offer).map(Choice::best);
    let skip = if less.is_none() { skip.best() } else { skip };
    Standard::new([less, Some(skip), Some(go)], "a step that costs this much should be wanted")
}

fn cost_cumulative(offer: &Offer<'_>) -> Standard {
    let go =
        choice(key::CONTINUE, "Go on", "The run goes on; you are asked again after as much more.")
            .pro("What was spent so far is not in vain.")
            .con("The sum grows.")
            .costing(offer.cost);
    Standard::new(
        [Some(go.best()), cheaper(offer), Some(stop())],
        "the budget is not reached; the sum is only larger than you may expect",
    )
}

fn ux_change() -> Standard {
    let approve = choice(key::APPROVE, "Approve", "The change stays as it is.")
        .pro("The work goes on at once.")
        .con("Users meet it as it is.");
    let revise =
        choice(key::REVISE, "Change it", "You say how it should look; the worker changes it.")
            .pro("Users meet what you want.")
            .con("Costs another attempt.")
            .with_reason();
    let reject =
        choice(key::REJECT, "Take it out", "The worker goes without what users would notice.")
            .pro("Nothing changes for users.")
            .con("The goal may not be reached without it.");
    Standard::new(
        [Some(approve.best()), Some(revise), Some(reject)],
        "the task asks for something that users notice",
    )
}

fn architecture() -> Standard {
    let approve = choice(key::APPROVE, "Approve the design", "The work goes on with it.")
        .pro("The work goes on at once.")
        .con("Costly to take back later.");
    let other = choice(key::ALTERNATIVE, "Another design", "You name it; the worker follows it.")
        .pro("The code stays as you want it.")
        .con("What was done on the other is left.")
        .with_reason();
    let defer = choice(key::DEFER, "Decide later", "The story waits; others go on.")
        .pro("Time to think.")
        .con("What depends on it waits.");
    Standard::new(
        [Some(defer.best()), Some(approve), Some(other)],
        "a design is cheap to change before it is built on, and only then",
    )
}

fn scope_change() -> Standard {
    let keep = choice(key::KEEP, "Keep to the scope", "The worker takes out what goes beyond it.")
        .pro("You get what you asked for.")
        .con("What was found on the way is not done.");
    let extend = choice(key::EXTEND, "Extend the scope", "The wider scope holds from now on.")
        .pro("What was found on the way is done at once.")
        .con("More changes than you planned to look at.");
    let split = choice(key::SPLIT, "A task of its own", "The rest is noted as a task for later.")
        .pro("Nothing is forgotten, and each change is judged by itself.")
        .con("Takes another run.");
    Standard::new(
        [Some(keep.best()), Some(extend), Some(split)],
        "the scope is what was agreed on before the work",
    )
}

fn hiccup(offer: &Offer<'_>) -> Standard {
    let retry = choice(key::RETRY, "Try again", "The same step is done once more.")
        .pro("What got in the way has often passed.")
        .con("If not, it fails again.")
        .costing(offer.cost);
    let skip = choice(key::SKIP, "Go on without it", "What doesn't depend on it goes on.")
        .pro("The rest gets done.")
        .con("The step stays undone.");
    Standard::new(
        [Some(retry.best()), Some(skip), Some(stop())],
        "neither the work nor its checks are the cause",
    )
}

fn high_risk(offer: &Offer<'_>) -> Standard {
    let safer = choice(key::SAFER, "A safer way", "The worker looks for one that can be undone.")
        .pro("What goes wrong can be put right.")
        .con("Takes longer.");
    let go = choice(key::CONTINUE, "Do it", "The step is done; your reason goes on the record.")
        .pro("The work goes on as planned.")
        .con("What goes wrong may be hard to undo.")
        .costing(offer.cost)
        .with_reason();
    Standard::new(
        [Some(safer.best()), Some(go), Some(stop())],
        "what can't be undone should not be the first thing that is tried",
    )
}

fn milestone() -> Standard {
    let go = choice(key::CONTINUE, "Go on to the next", "The milestone counts as seen.")
        .pro("The work goes on at once.")
        .con("What you don't look at now is built upon.");
    let adjust =
        choice(key::ADJUST, "Change what comes next", "You say what; the plan is made anew.")
            .pro("What was learned so far is used.")
            .con("Planning takes time.")
            .with_reason();
    Standard::new(
        [Some(go.best()), Some(adjust), Some(stop())],
        "everything that the milestone asked for is proven",
    )
}

fn preflight() -> Standard {
    let fix =
        choice(key::FIX_FIRST, "Put it right first", "Nothing starts; you are asked again then.")
            .pro("Nothing is spent on what is bound to fail.")
            .con("The work waits for you.");
    let go = choice(key::CONTINUE, "Start all the same", "Your reason goes on the record.")
        .pro("The work starts at once.")
        .con("It may fail for what was known before.")
        .with_reason();
    Standard::new(
        [Some(fix.best()), Some(go), Some(stop())],
        "nothing has been spent yet, and that is the cheapest moment to put things right",
    )
}

fn interval() -> Standard {
    let go = choice(key::CONTINUE, "Go on", "You are asked again after the next interval.")
        .pro("The work goes on at once.")
        .con("A wrong way is followed further.");
    let adjust = choice(key::ADJUST, "Say something", "Your words reach the next worker.")
        .pro("Small corrections early are cheap.")
        .con("Takes a moment.")
        .with_reason();
    Standard::new([Some(go.best()), Some(adjust), Some(stop())], "nothing unusual has happened")
}
