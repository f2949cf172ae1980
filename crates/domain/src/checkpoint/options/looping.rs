//! The options of what comes up while agents work and are judged.

use super::{Offer, Standard, choice, key, stop};
use crate::checkpoint::{Choice, Trigger};

/// The options of a trigger of this sort.
pub(super) fn of(trigger: Trigger, offer: &Offer<'_>) -> Option<Standard> {
    Some(match trigger {
        Trigger::Escalation => escalation(),
        Trigger::Breaker => breaker(offer),
        Trigger::BudgetReached => budget_reached(offer),
        Trigger::Waiver => waiver(),
        Trigger::Gaming => gaming(),
        Trigger::Outside => outside(),
        Trigger::Evidence => evidence(),
        Trigger::Disagreement => disagreement(offer),
        Trigger::Impossible => impossible(),
        Trigger::InfoWanted => info_wanted(offer),
        Trigger::BaseMoved => base_moved(offer),
        _ => return None,
    })
}

fn escalation() -> Standard {
    let split = choice(
        key::SPLIT,
        "Split the story",
        "You say into which parts; the worker does them one after the other, in this story.",
    )
    .pro("Small steps are done more surely.")
    .con("It stays one story: to make several of it, block it and change the plan.")
    .with_reason();
    let simplify = choice(
        key::SIMPLIFY,
        "Simplify the story",
        "You say what may be left out; the worker gets a fresh start with that.",
    )
    .pro("The shortest way to something that holds.")
    .con("Less is delivered than was planned.")
    .with_reason();
    let refactor = choice(
        key::REFACTOR,
        "Refactor first",
        "The worker first makes room for the change, with the same checks, and then tries again.",
    )
    .pro("Helps where the code stands in the way.")
    .con("Costs at least one more attempt, and changes more files.");
    let block = choice(
        key::BLOCK,
        "Block the story",
        "The story is left as it is, with its findings; those that don't need it go on.",
    )
    .pro("Nothing more is spent on it.")
    .con("What depends on it waits.");
    Standard::new(
        [Some(split.best()), Some(simplify), Some(refactor), Some(block)],
        "the same fix failed more than once, and repeated failure tempts agents to game their checks",
    )
}

fn breaker(offer: &Offer<'_>) -> Standard {
    let stronger = offer.stronger.map(|name| {
        choice(
            key::RETRY_STRONGER,
            "Retry with a stronger model",
            &format!("{name} gets a fresh start with the findings so far."),
        )
        .pro("Often enough where a smaller model turns in circles.")
        .con("Costs more for each attempt.")
        .costing(offer.cost)
        .best()
    });
    let change = choice(
        key::CHANGE_PLAN,
        "Change the plan",
        "You edit the plan; the run goes on with it once it has been checked.",
    )
    .pro("Helps where the task itself is what doesn't hold together.")
    .con("Takes your time.");
    let change = if stronger.is_none() { change.best() } else { change };
    let why = if stronger.is_some() {
        "the attempts differ little, and another model has not been tried"
    } else {
        "the attempts differ little, and no stronger model is there to try"
    };
    Standard::new([stronger, Some(change), Some(stop())], why)
}

fn budget_reached(offer: &Offer<'_>) -> Standard {
    let (money, tokens) = offer.raise;
    let by = match (money, tokens) {
        (Some(money), Some(tokens)) => Some(format!("{money} and {tokens} tokens")),
        (Some(money), None) => Some(money.to_string()),
        (None, Some(tokens)) => Some(format!("{tokens} tokens")),
        (None, None) => None,
    };
    let raise = by.map(|by| Choice {
        cost: money,
        tokens,
        ..choice(
            key::RAISE,
            &format!("Raise it by {by}"),
            "The cap is raised once, and the run goes on.",
        )
        .pro("What was spent so far is not in vain.")
        .con("It may not be the last time that you are asked.")
    });
    let cheaper = offer.cheaper.map(|name| {
        choice(
            key::CHEAPER,
            "Go on with a cheaper model",
            &format!("{name} takes over within what is left."),
        )
        .pro("Stays within the budget.")
        .con("May need more attempts.")
    });
    let adjust = (raise.is_none() && cheaper.is_none()).then(|| {
        choice(
            key::ADJUST,
            "Change the settings first",
            "Set [budget] as you want it; it is then tried again.",
        )
        .pro("You choose the amount.")
        .con("Nothing goes on until you have.")
    });
    Standard::new(
        [Some(stop().best()), raise, cheaper, adjust],
        "a budget is what you said you would spend; only you can say that it is worth more",
    )
}

fn waiver() -> Standard {
    let keep =
        choice(key::KEEP, "Keep the rule", "The work goes back with the rule and its reason.")
            .pro("What the rule protects stays protected.")
            .con("May take another attempt.");
    let waive = choice(
        key::WAIVE,
        "Grant an exception",
        "The rule is waived for this one time; your reason goes on the record.",
    )
    .pro("The work goes on at once.")
    .con("What the rule protects is not protected here.")
    .with_reason();
    Standard::new(
        [Some(keep.best()), Some(waive), Some(stop())],
        "rules without exceptions are those whose breach is seen too late",
    )
}

fn gaming() -> Standard {
    let accept = choice(
        key::ACCEPT,
        "Accept it all the same",
        "The findings count as looked at; your reason goes on the record.",
    )
    .pro("Right where the finding is wrong.")
    .con("What only looks like work is accepted for good.")
    .with_reason();
    let back = choice(
        key::SEND_BACK,
        "Send it back",
        "The worker gets the findings and another attempt; it may also say that the task can't be done.",
    )
    .pro("An honest worker can show what it meant.")
    .con("Costs another attempt.");
    Standard::new(
        [Some(accept), Some(back.best()), Some(stop())],
        "another attempt costs less than a check that proves nothing",
    )
}

/// Nobody undoes by answering what was changed in the user's own repository.
fn outside() -> Standard {
    let accept = choice(
        key::ACCEPT,
        "Accept it all the same",
        "You did it yourself, or have put it right: it no longer stands in the way of the work, which is \
         judged as ever.",
    )
    .pro("Right where it was you, or where you have looked at it.")
    .con("What is still there stays, and is not told again.")
    .with_reason();
    let back = choice(
        key::SEND_BACK,
        "Send it back",
        "Undo it in your repository first: nobody does that for you. The work is then done once more, with \
         your words.",
    )
    .pro("What is taken in the end was made without it.")
    .con("Costs another attempt.");
    Standard::new(
        [Some(accept), Some(back.best()), Some(stop())],
        "who writes into your repository was not asked to",
    )
}

fn evidence() -> Standard {
    let accept = choice(
        key::ACCEPT,
        "Accept it after a look",
        "What you looked at decides; your reason goes on the record.",
    )
    .pro("What was run holds, and nothing was found against it.")
    .con("Takes your time: read the difference first.")
    .with_reason();
    let back = choice(
        key::SEND_BACK,
        "Send it back",
        "The worker gets another attempt, with what is missing and your words.",
    )
    .pro("Right where a test could show it.")
    .con("Costs another attempt, and you are asked again where no test can.");
    Standard::new(
        [Some(accept.best()), Some(back), Some(stop())],
        "all that was run holds; what is missing is somebody who looks",
    )
}

fn disagreement(offer: &Offer<'_>) -> Standard {
    let back = choice(
        key::SEND_BACK,
        "Send it back",
        "The worker gets what the refusing verifier found, and another attempt.",
    )
    .pro("One judge has found something; it is looked into.")
    .con("Costs another attempt.");
    let round = choice(
        key::ROUND,
        "Another round of judging",
        "Both verifiers judge afresh; each gets the other's reasons.",
    )
    .pro("The work itself is not touched.")
    .con("They may disagree again.")
    .costing(offer.cost);
    let accept = choice(key::ACCEPT, "Accept it", "You decide; your reason goes on the record.")
        .pro("The work is done.")
        .con("What one of them saw goes in with it.")
        .with_reason();
    Standard::new(
        [Some(back.best()), Some(round), Some(accept), Some(stop())],
        "a refusal names something that can be looked at; an approval doesn't",
    )
}

fn impossible() -> Standard {
    let amend = choice(
        key::AMEND,
        "Change the task",
        "You say what is to hold instead; the worker gets a fresh start with that.",
    )
    .pro("Right where the task contradicts itself.")
    .con("Takes your time.")
    .with_reason();
    let insist = choice(
        key::INSIST,
        "Insist",
        "The worker gets the same task again, with your words if you have any.",
    )
    .pro("Right where the worker gave up too soon.")
    .con("What is impossible and asked for all the same gets gamed.");
    Standard::new(
        [Some(amend.best()), Some(insist), Some(stop())],
        "a worker that says so has usually met something that the task leaves open",
    )
}

fn info_wanted(offer: &Offer<'_>) -> Standard {
    let answer = choice(
        key::ANSWER,
        "Answer it",
        "The verifier judges the same work again, with your words.",
    )
    .pro("The work itself is not touched.")
    .con("It may ask again.")
    .costing(offer.cost)
    .with_reason();
    let back = choice(
        key::SEND_BACK,
        "Send it back",
        "The worker gets the question, and another attempt to make the answer plain.",
    )
    .pro("Who reads the work later may ask the same.")
    .con("Costs another attempt.");
    let accept = choice(key::ACCEPT, "Accept it", "You decide; your reason goes on the record.")
        .pro("The work is done.")
        .con("Nobody but you has judged it.")
        .with_reason();
    Standard::new(
        [Some(answer.best()), Some(back), Some(accept), Some(stop())],
        "what the verifier lacks is usually known to you",
    )
}

fn base_moved(offer: &Offer<'_>) -> Standard {
    let rebase = choice(
        key::REBASE,
        "Carry it over",
        "A worker carries the change over to the new base, and everything is verified again there.",
    )
    .pro("What is merged is what was verified.")
    .con("Costs another attempt.")
    .costing(offer.cost);
    let keep = choice(
        key::KEEP,
        "Leave it on its branch",
        "The work stays accepted on the base that it was made for; merging is yours.",
    )
    .pro("Costs nothing.")
    .con("What you merge has not been verified as it then is.");
    Standard::new(
        [Some(rebase.best()), Some(keep), Some(stop())],
        "work that was verified elsewhere proves nothing about the new base",
    )
}
