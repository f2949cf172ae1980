//! LP-17: the account of what was tried, for a person who has to decide.

use std::fmt::Write as _;

use super::prompt::one_line;
use super::{AskFor, Reason, Run};

/// What each attempt did, what kept failing, and what may be behind it.
pub fn escalation(run: &Run, ask_for: AskFor) -> String {
    let mut text = format!("# Run {}: a person is asked ({})\n\n", run.id(), words(ask_for));
    let goal = one_line(run.opened.contract.goal.lines().next().unwrap_or_default());
    let _ = writeln!(text, "Goal: {goal}\n\n## What was tried\n");
    for ruling in &run.rulings {
        let tree = ruling.tree.as_ref().map_or("-", |tree| tree.short());
        let _ = writeln!(text, "- attempt {} (tree {tree}):", ruling.attempt);
        for reason in &ruling.reasons {
            let _ = writeln!(text, "  - {}", one_line(&reason.to_string()));
        }
    }
    let repeated = repeated(run);
    let _ = write!(text, "\n## What kept failing\n\n");
    if repeated.is_empty() {
        text.push_str("Something else each time.\n");
    }
    for (what, times) in &repeated {
        let _ = writeln!(text, "- {what}: {times} times");
    }
    let _ =
        write!(text, "\n## What may be behind it\n\n{}\n", hypothesis(run, !repeated.is_empty()));
    text.push_str(
        "\n## What can be done\n\n- refactor what is in the way first, as work of its own\n- \
         simplify what is asked for\n- split it\n- stop here\n",
    );
    text
}

fn words(ask_for: AskFor) -> &'static str {
    match ask_for {
        AskFor::Escalation => "fixes don't hold",
        AskFor::Findings => "something has to be looked at",
        AskFor::Impossible => "the worker says that it can't be done",
        AskFor::Budget => "the budget is reached",
        AskFor::Disagreement => "the verifiers don't agree",
        AskFor::NoVerdict => "there is no verdict",
        AskFor::Unjudgeable => "a verifier says that it can't be judged",
        AskFor::Agent => "an agent can't run",
    }
}

/// What was held against more than one attempt, most often first.
fn repeated(run: &Run) -> Vec<(String, usize)> {
    let mut counts: Vec<(String, usize)> = Vec::new();
    for ruling in &run.rulings {
        let mut seen: Vec<String> = Vec::new();
        for reason in &ruling.reasons {
            let name = reason.criterion().map_or_else(|| one_line(&reason.to_string()), one_line);
            if seen.contains(&name) {
                continue;
            }
            seen.push(name.clone());
            match counts.iter_mut().find(|(known, _)| *known == name) {
                Some((_, count)) => *count += 1,
                None => counts.push((name, 1)),
            }
        }
    }
    counts.retain(|(_, count)| *count > 1);
    counts.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    counts
}

/// From what is on the record, and no more than that.
fn hypothesis(run: &Run, has_repeated: bool) -> &'static str {
    let all = || run.rulings.iter().flat_map(|ruling| &ruling.reasons);
    if all().any(|reason| matches!(reason, Reason::SaysBlocked { .. })) {
        "The worker says itself that the task does not work out as it is asked for."
    } else if all().any(|reason| matches!(reason, Reason::SameTree { .. })) {
        "The worker handed in the same files again: it does not know what else to do."
    } else if has_repeated {
        "The same thing fails whatever is changed: what is asked for may not fit the design that is \
         there, or the check may ask for something else than the words."
    } else {
        "Each fix breaks something else: the parts that are touched may depend on each other too much."
    }
}
