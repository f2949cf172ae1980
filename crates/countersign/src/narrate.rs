//! A run told as it happens, and the lines of a journal.

mod outside;
mod relay;

use countersign_domain::agent::{AgentEnd, Heard, Usage};
use countersign_domain::claim::{Claimed, Stand};
use countersign_domain::receipt::Execution;
use countersign_domain::run::{
    AskFor, Decision, Examined, Lands, Outcome, Reason, Recovery, RefusedBecause, Review, Ruling,
    Run, RunEvent, Said, Verified,
};
use countersign_domain::verdict::Conclusion;
use countersign_engine::run::Progress;
use countersign_engine::{Error, Kind};

pub use outside::outside_lines;
pub use relay::{relay_ended, relay_line, relay_problem};

use crate::ui::{BAD, BOLD, DIM, GOOD, duration, paint, printable};

/// What to tell a person about an event as it happens; empty for what is of no interest.
pub fn progress(progress: &Progress<'_>) -> String {
    match progress.event {
        RunEvent::Opened(opened) => {
            let contract = &opened.contract;
            let mut text = format!("{} {}\n", paint(BOLD, "run"), contract.run);
            text += &format!("  goal      {}\n", first_line(&contract.goal));
            text += &format!(
                "  base      {}{}\n",
                opened.base.commit.short(),
                opened
                    .base
                    .branch
                    .as_ref()
                    .map_or(String::new(), |b| format!(" ({})", printable(b)))
            );
            text += &format!("  contract  {}", opened.contract_hash.short());
            for check in &contract.checks {
                text += &format!("\n  check     {}", first_line(&check.command));
            }
            text
        }
        RunEvent::Prepared { attempt, .. } => paint(BOLD, format!("attempt {attempt}")),
        RunEvent::Worked { execution, heard, outside, .. } => {
            let heard = heard.as_deref();
            worked(execution, heard, &beyond(progress.run, heard)) + &outside_lines(outside)
        }
        RunEvent::Snapshotted { is_gone: true, .. } => {
            "  handed over nothing: the worker's folder is gone".to_owned()
        }
        RunEvent::Snapshotted { tree, .. } => format!("  handed over tree {}", tree.short()),
        RunEvent::Ruled(ruling) => format!("  {}", ruled(ruling)),
        RunEvent::Checked(_) | RunEvent::Interrupted { .. } | RunEvent::Committed { .. } => {
            format!("  {}", line(progress.event, progress.run.opened.lands()))
        }
        RunEvent::CancelRequested { .. } => "  cancelled by request".into(),
        RunEvent::Launched { agent, .. } => {
            let agent = agent.as_ref().map(ToString::to_string);
            let worker = agent.as_ref().unwrap_or(&progress.run.opened.worker);
            format!("  working: {}", paint(DIM, first_line(worker)))
        }
        _ if is_dull(progress) => String::new(),
        RunEvent::Reviewed(_)
        | RunEvent::Claimed { .. }
        | RunEvent::Examined(_)
        | RunEvent::VerifierLaunched { .. }
        | RunEvent::Verified(_)
        | RunEvent::VerifierInterrupted { .. }
        | RunEvent::Looked { .. }
        | RunEvent::Asked { .. }
        | RunEvent::Resolved { .. } => {
            format!("  {}", line(progress.event, progress.run.opened.lands()))
        }
        RunEvent::Waited { .. } | RunEvent::Closed(_) => String::new(),
    }
}

/// What nobody needs to be told as it happens.
fn is_dull(progress: &Progress<'_>) -> bool {
    match progress.event {
        RunEvent::Reviewed(reviewed) => {
            let crew = progress.run.opened.crew.as_ref();
            // Who is named and has not looked is worth a line, once.
            let is_due = reviewed.attempt == 1 && crew.is_some_and(|crew| crew.reviewer.is_some());
            matches!(reviewed.review, Review::Skipped { .. }) && !is_due
        }
        RunEvent::Claimed { claimed, .. } => *claimed == Claimed::None,
        RunEvent::Looked { outside, .. } => outside.is_empty(),
        _ => false,
    }
}

fn worked(execution: &Execution, heard: Option<&Heard>, beyond: &str) -> String {
    let took = duration(execution.duration_ms);
    if let Some(heard) = heard {
        let used = used(&heard.usage);
        let mut text = format!("  worker {} after {took}{used}{beyond}", end(&heard.end));
        // What stands in a fence is for us, such as its claim.
        let said = heard.said.split("```").step_by(2).collect::<Vec<_>>().join("\n");
        let last = said.lines().rfind(|line| !line.trim().is_empty());
        let is_told = |last: &&str| heard.end.to_string().contains(last.trim());
        if let Some(last) = last.filter(|last| !is_told(last)) {
            text += &format!("\n  worker's last words: {}", paint(DIM, first_line(last)));
        }
        return text;
    }
    let mut text = format!("  worker ended: {} after {took}", execution.ended);
    if let Some(last) = execution.output.excerpt.trim().lines().last() {
        text += &format!("\n  worker's last words: {}", paint(DIM, first_line(last)));
    }
    text
}

/// That a worker used more than any start of it may.
fn beyond(run: &Run, heard: Option<&Heard>) -> String {
    let caps = run.opened.crew.as_ref().map(|crew| crew.policy.caps).unwrap_or_default();
    let most = [caps.attempt.money, caps.run.money].into_iter().flatten().min();
    match (heard.and_then(|heard| heard.usage.cost), most) {
        (Some(cost), Some(most)) if cost > most => format!(", more than the {most} it may cost"),
        _ => String::new(),
    }
}

/// How an agent ended, told apart by what that means.
fn end(end: &AgentEnd) -> String {
    if end.is_finished() { end.to_string() } else { paint(BAD, printable(&end.to_string())) }
}

/// What an agent used, if it said so.
fn used(usage: &Usage) -> String {
    let mut parts = Vec::new();
    if usage.tokens() > 0 {
        parts.push(format!("{} tokens", usage.tokens()));
    }
    if let Some(cost) = usage.cost {
        let about = if usage.is_priced_by_us { "about " } else { "" };
        parts.push(format!("{about}{cost}"));
    }
    if parts.is_empty() { String::new() } else { format!(" ({})", parts.join(", ")) }
}

fn ruled(ruling: &Ruling) -> String {
    let mut text = match &ruling.decision {
        Decision::Accept => paint(GOOD.bold(), "countersigned"),
        Decision::Revise if is_question(ruling) => {
            paint(BOLD, "not judged yet; the worker gets the question")
        }
        Decision::Revise => paint(BAD.bold(), format!("refused; {}", sent_back(ruling))),
        Decision::Retry { .. } => "the agent is started again".to_owned(),
        Decision::Ask { ask_for: AskFor::Outside } => {
            paint(BOLD, "a person has to look at what was changed in your own repository")
        }
        Decision::Ask { .. } => paint(BOLD, "a person has to decide"),
        Decision::Block { because } => paint(BAD.bold(), format!("refused: {}", why(*because))),
    };
    if let Some(round) = &ruling.round {
        text += &format!("\n    - {round}");
    }
    // What happened in the user's repository was told when it was seen.
    let is_news = |reason: &&Reason| !matches!(reason, Reason::Outside { .. });
    for reason in ruling.reasons.iter().filter(is_news) {
        text += &format!("\n    - {}", one_line(&reason.to_string()));
    }
    text
}

/// Whether nothing is held against the work, and a verifier only asks.
fn is_question(ruling: &Ruling) -> bool {
    let asks = |reason: &Reason| matches!(reason, Reason::InfoWanted { .. });
    !ruling.reasons.is_empty() && ruling.reasons.iter().all(asks)
}

/// Who goes on, and how.
fn sent_back(ruling: &Ruling) -> &'static str {
    match ruling.recovery {
        Some(Recovery::Stronger) => "a stronger worker gets the findings",
        Some(Recovery::Reflection) => "the worker gets the findings, and first says why it failed",
        _ => "the worker gets the findings",
    }
}

/// When the commit of a run with this journal lands.
pub fn lands<'a>(mut events: impl Iterator<Item = &'a RunEvent>) -> Lands {
    let opened = events.find_map(|event| match event {
        RunEvent::Opened(opened) => Some(opened.lands()),
        _ => None,
    });
    opened.unwrap_or_default()
}

/// One event in one line, for a journal; what happened outside of it meanwhile in further ones.
pub fn line(event: &RunEvent, lands: Lands) -> String {
    own_line(event, lands) + &outside_lines(event.outside())
}

fn own_line(event: &RunEvent, lands: Lands) -> String {
    match event {
        RunEvent::Opened(opened) => first_line(&opened.contract.goal),
        RunEvent::Prepared { attempt, tree, .. } => {
            format!("attempt {attempt}: checkout of tree {}", tree.short())
        }
        RunEvent::Launched { attempt, prompt, agent, .. } => {
            let agent = agent.as_ref().map(|agent| format!(" {}", first_line(&agent.to_string())));
            let agent = agent.unwrap_or_default();
            format!("attempt {attempt}: worker{agent} started with prompt {}", prompt.short())
        }
        RunEvent::Interrupted { attempt, tree, .. } => {
            let kept = tree.as_ref().map_or("nothing was left".into(), |tree| {
                format!("what it left is tree {}", tree.short())
            });
            format!("attempt {attempt} was cut off; {kept}")
        }
        RunEvent::Worked { attempt, execution, .. } => format!(
            "attempt {attempt}: worker ended, {}, after {}",
            execution.ended,
            duration(execution.duration_ms)
        ),
        RunEvent::Snapshotted { attempt, is_gone: true, .. } => {
            format!("attempt {attempt}: nothing handed over, the worker's folder is gone")
        }
        RunEvent::Snapshotted { attempt, tree, .. } => {
            format!("attempt {attempt}: handed over tree {}", tree.short())
        }
        RunEvent::Checked(receipt) => {
            let command = receipt.execution.argv.last().map(String::as_str).unwrap_or_default();
            let (style, word) = if receipt.passed() { (GOOD, "pass") } else { (BAD, "FAIL") };
            format!(
                "{} `{}`: {} after {}, receipt {}",
                paint(style, word),
                first_line(command),
                receipt.execution.ended,
                duration(receipt.execution.duration_ms),
                receipt.id().short()
            )
        }
        RunEvent::Ruled(ruling) => ruled(ruling).replace("\n    - ", "; "),
        RunEvent::Waited { attempt } => format!("attempt {attempt}: the pause is over"),
        RunEvent::Reviewed(reviewed) => review(&reviewed.review),
        RunEvent::Claimed { claimed, .. } => claim(claimed),
        RunEvent::Examined(examined) => examination(examined),
        RunEvent::VerifierLaunched { verifier, .. } => format!("verifier {} started", verifier + 1),
        RunEvent::VerifierInterrupted { verifier, .. } => {
            format!("verifier {} was cut off", verifier + 1)
        }
        RunEvent::Verified(verified) => verdict(verified),
        RunEvent::Looked { fingerprint: Some(_), .. } => {
            "your own repository was looked at before the checks".to_owned()
        }
        RunEvent::Looked { .. } => "your own repository was looked at again".to_owned(),
        RunEvent::Asked { checkpoint, .. } => {
            format!("a person is asked: countersign checkpoint show {checkpoint}")
        }
        RunEvent::Resolved { choice, by, words, .. } => {
            let words =
                if words.is_empty() { String::new() } else { format!(": {}", one_line(words)) };
            format!("{} decided: {}{words}", printable(by), printable(choice))
        }
        RunEvent::Committed { commit, branch } => committed(commit.short(), branch, lands),
        RunEvent::CancelRequested { by } => format!("cancelled by {}", printable(by)),
        RunEvent::Closed(outcome) => ended(outcome, lands),
    }
}

fn committed(commit: &str, branch: &str, lands: Lands) -> String {
    match lands {
        Lands::InTurn => format!("commit {commit}; it lands when its turn comes"),
        Lands::AtOnce => format!("commit {commit} on branch {}", printable(branch)),
    }
}

fn review(review: &Review) -> String {
    match review {
        Review::Skipped { because } => format!("assignment not reviewed: {}", one_line(because)),
        Review::Sufficient => "assignment reviewed: sufficient".to_owned(),
        Review::Concerns { concerns } => {
            format!("assignment reviewed: {}", one_line(&concerns.join("; ")))
        }
    }
}

fn claim(claimed: &Claimed) -> String {
    match claimed {
        Claimed::None => "the worker made no claim".to_owned(),
        Claimed::Unfit { faults } => {
            format!("{}: {}", paint(BAD, "claim can't be used"), one_line(&faults.join("; ")))
        }
        Claimed::Given { body, .. } => match &body.stand {
            Stand::Done => format!(
                "claims to be done, in {}",
                crate::ui::count(body.execution_steps.len() as u64, "step")
            ),
            Stand::Partly { deferred, because, .. } => format!(
                "claims a part; left out: {} ({})",
                one_line(&deferred.join(", ")),
                one_line(because)
            ),
            Stand::Blocked { because, kind } => {
                format!("says that {}: {}", kind.words(), one_line(because))
            }
        },
    }
}

fn examination(examined: &Examined) -> String {
    let mut text = String::new();
    for proof in &examined.receipts {
        // To end well is not enough where it had to print something.
        let is_other = examined.unexpected.iter().any(|one| one.command == proof.command);
        let (style, word) = match (proof.passed, is_other) {
            (true, false) => (GOOD, "pass"),
            (true, true) => (BAD, "other output"),
            (false, _) => (BAD, "FAIL"),
        };
        let receipt = proof
            .receipts
            .last()
            .map_or_else(String::new, |id| format!(", receipt {}", id.short()));
        text += &format!("{} `{}`{receipt}\n  ", paint(style, word), first_line(&proof.command));
    }
    let level = examined.level.map_or_else(String::new, |level| format!(", level: {level}"));
    text +=
        &format!("examined: {}{level} (verification {})", examined.verdict, examined.verification);
    for finding in examined.findings.iter().take(10) {
        text += &format!("\n    - {}", one_line(finding));
    }
    text
}

fn verdict(verified: &Verified) -> String {
    let who =
        format!("verifier {} ({})", verified.verifier + 1, first_line(&verified.agent.to_string()));
    let took = duration(verified.execution.duration_ms);
    let spent = used(&verified.heard.usage);
    match (verified.verdict(), &verified.said) {
        (Some(verdict), _) => {
            let (style, word) = match verdict.verdict {
                Conclusion::Pass => (GOOD, "pass"),
                Conclusion::Fail => (BAD, "fail"),
                Conclusion::RequestInfo => (BOLD, "asks for more"),
                Conclusion::Blocked => (BAD, "can't judge it"),
            };
            let summary = one_line(&verdict.summary);
            let mut text = format!("{who}: {} after {took}{spent}: {summary}", paint(style, word));
            if let Some(transition) = verdict.recommended_transition {
                text += &format!("; recommends: {}", transition.name());
            }
            if let Some(contract) = &verdict.next_contract {
                text += &format!("; next: {}", first_line(contract));
            }
            text
        }
        (None, Said::Unfit { faults }) if verified.heard.end.is_finished() => {
            format!(
                "{who}: {} after {took}{spent}: {}",
                paint(BAD, "no usable verdict"),
                one_line(&faults.join("; "))
            )
        }
        (None, _) if !verified.touched.is_empty() => {
            format!(
                "{who}: {}: {}",
                paint(BAD, "it changed files"),
                one_line(&verified.touched.join(", "))
            )
        }
        (None, _) => format!("{who}: {} after {took}{spent}", end(&verified.heard.end)),
    }
}

/// How a run ended, in one line.
pub fn ended(outcome: &Outcome, lands: Lands) -> String {
    match outcome {
        Outcome::Accepted { commit, .. } if lands == Lands::InTurn => {
            format!("{}: {}, to land in its turn", paint(GOOD.bold(), "accepted"), commit.short())
        }
        Outcome::Accepted { branch, commit, .. } => {
            format!("{}: {} on branch {branch}", paint(GOOD.bold(), "accepted"), commit.short())
        }
        Outcome::Refused { because } => {
            format!("{}: {}", paint(BAD.bold(), "not accepted"), why(*because))
        }
    }
}

/// The outcome as an error, if it is one.
pub fn problem(outcome: &Outcome) -> Option<Error> {
    match outcome {
        Outcome::Accepted { .. } => None,
        Outcome::Refused { because } => {
            let message = format!("not accepted: {}", why(*because));
            let hint = match because {
                RefusedBecause::AttemptsExhausted
                | RefusedBecause::NothingToCheck
                | RefusedBecause::Cancelled => "`countersign log` tells what happened".to_owned(),
                other => {
                    format!("{}; `countersign log` tells what happened", other.suggested_action())
                }
            };
            Some(Error::new(Kind::NotAccepted, message).hint(hint))
        }
    }
}

pub fn why(because: RefusedBecause) -> &'static str {
    match because {
        RefusedBecause::AttemptsExhausted => "every attempt was refused",
        RefusedBecause::NothingToCheck => "there is nothing to check",
        RefusedBecause::Cancelled => "it was cancelled",
        RefusedBecause::Unchanged => "attempt after attempt changed nothing",
        RefusedBecause::Escalated => "fixes did not hold, and it was stopped",
        RefusedBecause::FindingsRejected => "what was found was not taken",
        RefusedBecause::Impossible => "it can't be done as asked",
        RefusedBecause::BudgetReached => "the budget is reached",
        RefusedBecause::NoConsensus => "the verifiers did not agree",
        RefusedBecause::NotJudged => "nobody came to a verdict",
        RefusedBecause::AgentUnavailable => "an agent could not run",
    }
}

/// All of `text` in one line, so that nothing in it can look like a line of ours.
pub fn one_line(text: &str) -> String {
    printable(&text.split_whitespace().collect::<Vec<_>>().join(" "))
}

/// The first line of `text`, shortened, safe to print.
pub fn first_line(text: &str) -> String {
    let line = text.trim().lines().next().unwrap_or_default();
    let mut short: String = line.chars().take(100).collect();
    if short.len() < line.len() {
        short.push('…');
    }
    printable(&short)
}
