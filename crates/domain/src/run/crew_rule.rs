//! The ruling where a crew works: what we found first, then what verifiers say, then the breakers.
//!
//! A verifier is only heard if what we ran holds, and it can only stop work. Breakers come early:
//! repeated failure makes agents cheat.

use jiff::{SignedDuration, Timestamp};

use super::{
    AskFor, Crew, Decision, Policy, Reason, RefusedBecause, Ruling, Run, recovery, verdicts,
};
use crate::agent::AgentEnd;
use crate::claim::{Claimed, Stand};
use crate::receipt::Ended;
use crate::verify::{self, Verdict, Weight};

/// How long the first pause is after a failure that may pass, in seconds; it doubles.
const FIRST_PAUSE: i64 = 30;
/// No pause is longer.
const LONGEST_PAUSE: i64 = 15 * 60;

pub(super) fn rule(run: &Run, crew: &Crew, now: Timestamp) -> Ruling {
    let policy = &crew.policy;
    let early =
        || Ruling::on_outside(run).or_else(|| on_agent(run, policy, now)).or_else(|| on_claim(run));
    let mut ruling = early().unwrap_or_else(|| on_work(run, crew, now));
    ruling.tree = run.last_tree.clone();
    ruling.recovery = recovery::level(run, &ruling);
    if ruling.decision != Decision::Accept {
        ruling.proposed = verdicts::proposed(run);
    }
    if let Some(examined) = &run.examined {
        ruling.receipts = examined.receipts.iter().flat_map(|one| one.receipts.clone()).collect();
    }
    ruling
}

pub(super) fn asking(run: &Run, ask_for: AskFor, reasons: Vec<Reason>) -> Ruling {
    Ruling::plain(run.attempt, Decision::Ask { ask_for }, reasons)
}

/// An end that says nothing about the work: the agent, its model, its login.
fn on_agent(run: &Run, policy: &Policy, now: Timestamp) -> Option<Ruling> {
    let end = run.heard.as_ref()?.end.clone();
    let reasons = vec![Reason::AgentFailed { end: end.clone() }];
    let is_worth_again = match &end {
        AgentEnd::RateLimited { .. } | AgentEnd::Overloaded { .. } | AgentEnd::Silent => true,
        // Gone without a trace, or hung: once more, in a fresh process.
        AgentEnd::Failed { .. } | AgentEnd::Stopped { .. } => !run.has_changed(),
        AgentEnd::NotLoggedIn { .. } => {
            return Some(asking(run, AskFor::Agent, reasons));
        }
        // What was handed in by then is looked at: that costs nothing.
        AgentEnd::BudgetReached if run.has_ended() => false,
        AgentEnd::BudgetReached => return Some(asking(run, AskFor::Budget, reasons)),
        AgentEnd::Finished | AgentEnd::ContextOverflow | AgentEnd::TurnsExhausted => false,
    };
    if !is_worth_again {
        return None;
    }
    if run.retries >= policy.retries {
        return Some(asking(run, AskFor::Agent, reasons));
    }
    Some(later(run, &end, reasons, now))
}

/// The same again, after a pause that fits how it ended.
pub(super) fn later(run: &Run, end: &AgentEnd, reasons: Vec<Reason>, now: Timestamp) -> Ruling {
    let pause = match end {
        AgentEnd::RateLimited { retry_seconds: Some(seconds) } => {
            i64::try_from(*seconds).unwrap_or(LONGEST_PAUSE)
        }
        AgentEnd::RateLimited { .. } | AgentEnd::Overloaded { .. } => {
            FIRST_PAUSE.saturating_mul(1 << run.retries.min(10))
        }
        _ => 0,
    };
    let pause = SignedDuration::from_secs(pause.clamp(0, LONGEST_PAUSE));
    let until = now.checked_add(pause).unwrap_or(now);
    Ruling::plain(run.attempt, Decision::Retry { until }, reasons)
}

/// The honest way out: a worker can only ask to be blocked.
fn on_claim(run: &Run) -> Option<Ruling> {
    let claim = run.claimed.as_ref()?.given()?;
    let Stand::Blocked { because, kind } = &claim.stand else { return None };
    let words = format!("{}: {because}", kind.words());
    // A person who has answered that already is not asked again for the same words.
    let is_answered = run.resolutions.iter().any(|one| one.ask_for == AskFor::Impossible);
    let reasons = vec![Reason::SaysBlocked { words }];
    if is_answered && run.attempt >= run.allowed_attempts() {
        let decision = Decision::Block { because: RefusedBecause::Impossible };
        return Some(Ruling::plain(run.attempt, decision, reasons));
    }
    Some(asking(run, AskFor::Impossible, reasons))
}

fn on_work(run: &Run, crew: &Crew, now: Timestamp) -> Ruling {
    let mut reasons = of_worker(run, &crew.policy);
    reasons.extend(run.standing_reasons());
    // The same files again are the same disagreement: its next round, unless there is more to say.
    let round = if reasons.is_empty() { verdicts::same_round(run) } else { None };
    reasons.extend(run.same_tree());
    let examined = run.examined.as_ref();
    for found in examined.iter().flat_map(|one| of_examination(run, one)) {
        reasons.push(found);
    }
    let must_look = examined.is_some_and(|one| one.verdict == Verdict::Human)
        && !run.is_taken(AskFor::Findings)
        && !run.was_all_looked_at();
    if reasons.is_empty() && examined.is_none() {
        let text = "nothing was examined".to_owned();
        reasons.push(Reason::Found { weight: Weight::Refuse, text });
    }
    if must_look && reasons.iter().all(is_for_a_person) {
        return asking(run, AskFor::Findings, reasons);
    }
    if let Some(round) = round {
        return verdicts::apart(run, crew, &reasons, Some(round));
    }
    if !reasons.is_empty() {
        return sent_back(run, crew, &reasons, false);
    }
    verdicts::rule(run, crew, now)
}

fn is_for_a_person(reason: &Reason) -> bool {
    matches!(
        reason,
        Reason::Found { weight: Weight::Ask | Weight::Note, .. } | Reason::OutOfScope { .. }
    )
}

/// What stands against the attempt whatever its files are: how the worker ended, and what it says of its
/// work.
pub(super) fn of_worker(run: &Run, policy: &Policy) -> Vec<Reason> {
    let mut reasons = Vec::new();
    if run.is_handed() {
        return reasons;
    }
    match (&run.heard, &run.worked) {
        _ if run.has_ended() => {}
        (Some(heard), _) => reasons.push(Reason::AgentFailed { end: heard.end.clone() }),
        (None, Some(worked)) => reasons.push(Reason::WorkerFailed { ended: worked.ended.clone() }),
        (None, None) => reasons.push(Reason::WorkerFailed {
            ended: Ended::Lost { reason: "nothing is known of it".into() },
        }),
    }
    match &run.claimed {
        Some(Claimed::Unfit { faults }) => {
            let unfit = |fault: &String| Reason::ClaimUnfit { fault: fault.clone() };
            reasons.extend(faults.iter().map(unfit));
        }
        Some(Claimed::Given { body, .. }) => {
            if let Stand::Partly { deferred, because, .. } = &body.stand {
                let (deferred, because) = (deferred.clone(), because.clone());
                reasons.push(Reason::SaysPartly { deferred, because });
            }
        }
        Some(Claimed::None) | None if policy.requires_claim => {
            reasons.push(Reason::ClaimUnfit { fault: "there is none".to_owned() });
        }
        Some(Claimed::None) | None => {}
    }
    reasons
}

fn of_examination(run: &Run, examined: &super::Examined) -> Vec<Reason> {
    let mut reasons = Vec::new();
    for proof in examined.receipts.iter().filter(|proof| !proof.passed) {
        reasons.push(Reason::ProofFailed {
            command: proof.command.clone(),
            error: proof.error.clone().unwrap_or_default(),
            excerpt: proof.excerpt.clone(),
        });
    }
    // Who mends what is refused is told in one go what a person would be asked about after that.
    let floor = match examined.verdict {
        Verdict::Human | Verdict::Refused if !run.is_taken(AskFor::Findings) => Weight::Ask,
        _ => Weight::Refuse,
    };
    let failed = || examined.receipts.iter().filter(|proof| !proof.passed);
    // What is said of a command that failed is said with it; so is what rows of the test-spec expect.
    let is_said = |text: &str| {
        failed().any(|proof| proof.error.as_deref() == Some(text))
            || examined.unexpected.iter().any(|one| one.to_string() == text)
    };
    for one in &examined.unexpected {
        // A command that failed could not print it.
        if !failed().any(|proof| proof.command == one.command) {
            reasons.push(Reason::OtherOutput(one.clone()));
        }
    }
    let is_weighty =
        |reason: &&verify::Reason| reason.weight >= floor && !run.was_looked_at(reason);
    let weighty = examined.reasons.iter().filter(is_weighty);
    for reason in weighty.filter(|reason| !is_said(&reason.text)) {
        reasons.push(Reason::Found { weight: reason.weight, text: reason.text.clone() });
    }
    if examined.verdict == Verdict::Refused && reasons.is_empty() {
        let text = "it was refused".to_owned();
        reasons.push(Reason::Found { weight: Weight::Refuse, text });
    }
    if !run.is_taken(AskFor::Findings) {
        let outside = examined.out_of_scope.iter();
        reasons.extend(outside.map(|path| Reason::OutOfScope { path: path.clone() }));
    }
    let missing = examined.missing_tests.iter();
    reasons.extend(missing.map(|test| Reason::TestMissing { test: test.clone() }));
    for one in examined.reproduced.iter().filter(|one| !one.agrees()) {
        reasons.push(Reason::ClaimDiffers {
            command: one.command.clone(),
            claimed: one.claimed,
            ended: one.ended.clone(),
            is_red: one.is_red,
        });
    }
    reasons
}

/// Another attempt, or what the breakers say instead.
pub(super) fn sent_back(run: &Run, crew: &Crew, reasons: &[Reason], is_split: bool) -> Ruling {
    let policy = &crew.policy;
    let is_same = |reason: &Reason| {
        matches!(
            reason,
            Reason::SameTree { .. } | Reason::NothingChanged { .. } | Reason::FolderGone
        )
    };
    let unchanged = 1 + run.rulings_in_a_row(|ruling| ruling.reasons.iter().any(is_same));
    let plain =
        |decision| Ruling { is_split, ..Ruling::plain(run.attempt, decision, reasons.to_vec()) };
    if reasons.iter().any(is_same) && unchanged >= policy.unchanged {
        // Where one of them is content, that nothing changes says nothing against the work.
        return plain(if is_split {
            Decision::Ask { ask_for: AskFor::Disagreement }
        } else {
            Decision::Block { because: RefusedBecause::Unchanged }
        });
    }
    let failures = u32::from(!is_split) + run.failures();
    let repeated = reasons.iter().filter_map(Reason::criterion).any(|criterion| {
        let holds = |ruling: &Ruling| {
            ruling.reasons.iter().any(|reason| reason.criterion() == Some(criterion))
        };
        1 + run.rulings_in_a_row(holds) >= policy.same_criterion
    });
    // Two verifiers find twice as much, which says little about the worker.
    let most = policy.failures.saturating_mul(if crew.verifiers.len() > 1 { 2 } else { 1 });
    // Something else each time may be the worker and not the task: the strongest has one more try.
    let is_scattered = failures == most && !repeated && run.rung < crew.top() && !is_split;
    // A disagreement has rounds of its own, and a question of its own when they are over.
    if failures >= most && !is_scattered && !is_split {
        return plain(Decision::Ask { ask_for: AskFor::Escalation });
    }
    if !run.allows_another() {
        return plain(Decision::Block { because: RefusedBecause::AttemptsExhausted });
    }
    let rung = match (is_scattered, repeated) {
        (true, _) => crew.top(),
        (false, true) => (run.rung + 1).min(crew.top()),
        (false, false) => run.rung,
    };
    Ruling { rung: Some(rung), ..plain(Decision::Revise) }
}
