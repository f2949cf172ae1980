//! LP-17: the account of what was tried, for a person who has to decide.

use std::fmt::Write as _;

use super::prompt::one_line;
use super::{AskFor, Most, Reason, Ruling, Run, choices};
use crate::checkpoint::Offer;
use crate::verdict::{Conclusion, Transition};

/// What each attempt did, what kept failing, what may be behind it, and what can be done: each as far as
/// it is true of what is asked.
pub fn escalation(run: &Run, ask_for: AskFor) -> String {
    let mut text = format!("# Run {}: a person is asked ({})\n\n", run.id(), words(ask_for));
    let goal = one_line(run.opened.contract.goal.lines().next().unwrap_or_default());
    let _ = writeln!(text, "Goal: {goal}\n\n## What was tried\n");
    for (ruling, worker) in run.rulings.iter().zip(workers(run)) {
        let tree = ruling.tree.as_ref().map_or("-", |tree| tree.short());
        let _ = writeln!(text, "- attempt {} ({worker}tree {tree}):", ruling.attempt);
        for reason in &ruling.reasons {
            let _ = writeln!(text, "  - {}", one_line(&reason.to_string()));
        }
        if let Some(round) = &ruling.round {
            let _ = writeln!(text, "  - {round}");
        }
        for one in run.reflections.iter().filter(|one| one.attempt == ruling.attempt) {
            let _ =
                writeln!(text, "  - the worker on the attempt before: {}", one_line(&one.words));
        }
        proposals(&mut text, ruling);
    }
    if ask_for == AskFor::Disagreement {
        sides(&mut text, run);
    }
    let repeated = repeated(run);
    let is_about_fixes = ask_for == AskFor::Escalation;
    if is_about_fixes || !repeated.is_empty() {
        let _ = write!(text, "\n## What kept failing\n\n");
    }
    if is_about_fixes && repeated.is_empty() {
        text.push_str("Nothing twice.\n");
    }
    for (what, times) in &repeated {
        let _ = writeln!(text, "- {what}: {times} times");
    }
    let hypothesis = match ask_for {
        AskFor::Escalation => hypothesis(run, !repeated.is_empty()),
        other => behind(other),
    };
    let _ = write!(text, "\n## What may be behind it\n\n{hypothesis}\n\n## What can be done\n\n");
    for choice in choices(run, ask_for, &Offer::default(), Most::default()).options {
        let _ = writeln!(text, "- {}: {}", choice.label.to_lowercase(), choice.description);
    }
    text
}

/// What each verifier says about the work that they disagree about, in its own words.
fn sides(text: &mut String, run: &Run) {
    let _ = write!(text, "\n## What each of them says\n\n");
    // The same files handed in again are not judged again: what was said of them stands.
    let said = if run.verified.is_empty() { &run.apart } else { &run.verified };
    for verified in said {
        let Some(verdict) = verified.verdict() else { continue };
        let said = match verdict.verdict {
            Conclusion::Pass => "passes it",
            Conclusion::Fail => "objects",
            Conclusion::RequestInfo => "asks",
            Conclusion::Blocked => "can't judge it",
        };
        let (number, agent) = (verified.verifier + 1, one_line(&verified.agent.to_string()));
        let summary = one_line(&verdict.summary);
        let _ = writeln!(text, "- verifier {number} ({agent}) {said}: {summary}");
        for issue in &verdict.issues {
            let _ = writeln!(text, "  - {}", one_line(&issue.description));
        }
    }
}

/// Who worked before each ruling, where there is more than one who could.
fn workers(run: &Run) -> impl Iterator<Item = String> {
    let ladder = run.opened.crew.as_ref().filter(|crew| crew.workers.len() > 1);
    let mut rung = 0;
    run.rulings.iter().map(move |ruling| {
        let at = rung;
        rung = ruling.rung.unwrap_or(rung);
        let worker = ladder.and_then(|crew| crew.worker(at));
        worker.map_or_else(String::new, |worker| format!("{}, ", one_line(&worker.to_string())))
    })
}

/// What verifiers recommended after an attempt.
fn proposals(text: &mut String, ruling: &Ruling) {
    for proposed in &ruling.proposed {
        let transition = proposed.transition.map_or("", Transition::name);
        let contract = one_line(proposed.contract.as_deref().unwrap_or_default());
        let parts: Vec<&str> =
            [transition, &contract].into_iter().filter(|part| !part.is_empty()).collect();
        let _ = writeln!(
            text,
            "  - verifier {} recommends: {}",
            proposed.verifier + 1,
            parts.join("; ")
        );
    }
}

/// What may be behind a question that is not about work that keeps failing.
fn behind(ask_for: AskFor) -> &'static str {
    match ask_for {
        AskFor::Escalation | AskFor::Findings => {
            "What was found need not be wrong: whether it is honest can't be told from the files alone."
        }
        AskFor::Impossible => {
            "The worker says itself that the task does not work out as it is asked for."
        }
        AskFor::Budget => {
            "Nothing that is about the work: another start could cost more than is left."
        }
        AskFor::Disagreement => {
            "What is asked for may be read in more than one way, or one of the verifiers is wrong."
        }
        AskFor::NoVerdict => {
            "Nothing that is about the work: our checks hold, and the verifier did not answer in a way \
             that can be used."
        }
        AskFor::Unjudgeable => {
            "Our checks hold. What is asked for may leave open what would show that it is done."
        }
        AskFor::Info => {
            "Our checks hold. The verifier lacks something that neither the files nor what is asked for \
             tell it."
        }
        AskFor::Outside => {
            "Agents work in a checkout of their own, and nothing asks them to write into your repository. \
             Or you did it yourself meanwhile: who it was can't be told from the files."
        }
        AskFor::Agent => "Nothing that is about the work: the agent or its model could not run.",
    }
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
        AskFor::Info => "a verifier asks",
        AskFor::Outside => "your own repository was changed",
    }
}

/// What was held against more than one attempt, most often first.
fn repeated(run: &Run) -> Vec<(String, usize)> {
    let mut counts: Vec<(String, usize)> = Vec::new();
    for ruling in run.rulings.iter().filter(|ruling| ruling.is_failure()) {
        let mut seen: Vec<String> = Vec::new();
        // That nothing was changed is no failing of its own: what the files were refused for is listed.
        let is_own = |reason: &&Reason| !matches!(reason, Reason::SameTree { .. });
        for reason in ruling.reasons.iter().filter(is_own) {
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
    let failed = run.rulings.iter().filter(|ruling| ruling.is_failure()).count();
    if failed < 2 {
        return "Only one attempt was made: nothing can be said from that.";
    }
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
