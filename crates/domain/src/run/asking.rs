//! What a run asks a person, and what follows from the answer.

use serde::{Deserialize, Serialize};

use super::{RefusedBecause, Run};
use crate::agent::Money;
use crate::checkpoint::{Offer, Standard, Trigger, key};

/// Why a person is asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AskFor {
    /// Several fixes in a row did not hold: the problem may lie deeper.
    Escalation,
    /// What we found needs a person's eye.
    Findings,
    /// The worker says that the task can't be done as it is.
    Impossible,
    /// The next start could cost more than is left.
    Budget,
    /// The verifiers don't agree.
    Disagreement,
    /// No verifier came to a verdict that could be used.
    NoVerdict,
    /// A verifier says that this can't be judged.
    Unjudgeable,
    /// An agent can't run: it is missing, not logged in, or its model fails again and again.
    Agent,
    /// A verifier can't judge without an answer that no attempt gave.
    Info,
    /// The user's own repository was changed while an agent was at work.
    Outside,
}

impl AskFor {
    /// How a run ends if a person says so then.
    pub fn stopped(self) -> RefusedBecause {
        match self {
            Self::Escalation => RefusedBecause::Escalated,
            Self::Findings | Self::Outside => RefusedBecause::FindingsRejected,
            Self::Impossible => RefusedBecause::Impossible,
            Self::Budget => RefusedBecause::BudgetReached,
            Self::Disagreement => RefusedBecause::NoConsensus,
            Self::NoVerdict | Self::Unjudgeable | Self::Info => RefusedBecause::NotJudged,
            Self::Agent => RefusedBecause::AgentUnavailable,
        }
    }

    /// Whether a person may take the work as it is, over what stands against it.
    pub fn may_accept(self) -> bool {
        matches!(self, Self::Findings | Self::Outside) || Self::OF_VERDICTS.contains(&self)
    }

    /// What is asked about verdicts: who takes the work then has judged it.
    pub(super) const OF_VERDICTS: [Self; 4] =
        [Self::Disagreement, Self::NoVerdict, Self::Unjudgeable, Self::Info];

    /// What makes us ask, as checkpoints name it.
    pub fn trigger(self, run: &Run) -> Trigger {
        let has_findings = || run.examined.as_ref().is_some_and(|one| !one.findings.is_empty());
        match self {
            Self::Escalation => Trigger::Escalation,
            Self::Outside => Trigger::Outside,
            // Only where something was found: that nothing decides it is no sign of gaming.
            Self::Findings if has_findings() => Trigger::Gaming,
            Self::Findings => Trigger::Evidence,
            Self::Impossible => Trigger::Impossible,
            Self::Budget => Trigger::BudgetReached,
            Self::Disagreement => Trigger::Disagreement,
            Self::Info => Trigger::InfoWanted,
            Self::NoVerdict | Self::Unjudgeable | Self::Agent => Trigger::Hiccup,
        }
    }

    /// What follows from an answer. A choice that is not known here sends the work back: that loses
    /// nothing.
    pub fn consequence(self, choice: &str) -> Consequence {
        match (self, choice) {
            (_, key::STOP | key::BLOCK | key::SKIP | key::REJECT) => Consequence::Stop,
            (_, key::ACCEPT | key::WAIVE) => Consequence::Accept,
            (Self::Budget | Self::Agent, _) | (_, key::RETRY | key::ROUND | key::ANSWER) => {
                Consequence::Again
            }
            _ => Consequence::GoOn,
        }
    }

    /// What may go wrong if it is answered lightly.
    pub fn risk(self) -> &'static str {
        match self {
            Self::Escalation => {
                "Another attempt may fail alike, and repeated failure tempts agents to game their checks."
            }
            Self::Findings => {
                "Work that only looks done may be accepted, or honest work be done a second time."
            }
            Self::Impossible => "What is impossible and asked for all the same gets gamed.",
            Self::Budget => "What is raised may be spent without anything coming of it.",
            Self::Disagreement => "What one of the verifiers saw may go in with the work.",
            Self::NoVerdict | Self::Unjudgeable => {
                "Our checks hold, and nobody has judged what checks can't see."
            }
            Self::Info => {
                "A wrong answer may let wrong work pass: our checks hold, and the rest is its judgement."
            }
            Self::Outside => {
                "What was left in your repository may run with your rights at your next git command, or \
                 hide a change from you."
            }
            Self::Agent => "None for the work: nothing was changed since it was handed over.",
        }
    }
}

/// What follows from an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Consequence {
    /// The work is sent back with the person's words.
    GoOn,
    /// The same again.
    Again,
    /// What was asked about no longer stands in the way.
    Accept,
    Stop,
}

/// What may be spent at most by going on.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Most {
    /// By another attempt and its judging.
    pub attempt: Option<Money>,
    /// By another judging of what is there.
    pub judging: Option<Money>,
}

/// The answers that a person can choose from here: those that this run can carry out, each with what the
/// agents that start then may spend at most, and about how long it took the last time.
pub fn choices(run: &Run, ask_for: AskFor, offer: &Offer<'_>, most: Most) -> Standard {
    let mut standard = Standard::of(ask_for.trigger(run), offer);
    let has_story = run.opened.crew.as_ref().is_some_and(|crew| crew.story.is_some());
    // Where there is one goal, nothing goes on without it.
    standard.options.retain(|choice| has_story || choice.key != key::SKIP);
    for choice in &mut standard.options {
        let consequence = ask_for.consequence(&choice.key);
        if run.is_handed() && consequence == Consequence::GoOn {
            choice.description = "The story that it is about is taken up again, with what was \
                                  found; then all of them are judged again."
                .to_owned();
        }
        if !matches!(consequence, Consequence::GoOn | Consequence::Again) {
            continue;
        }
        // A raise names its own price.
        if choice.key != key::RAISE {
            let is_judging = is_judging(run, ask_for, consequence);
            let most = if is_judging { most.judging } else { most.attempt };
            choice.cost = choice.cost.or(most);
        }
        choice.seconds = choice.seconds.or_else(|| took(run, ask_for, consequence));
    }
    standard
}

/// About how long an attempt, or the judging of one, took the last time.
fn took(run: &Run, ask_for: AskFor, consequence: Consequence) -> Option<u64> {
    let judged = run.verified.iter().map(|one| one.execution.duration_ms);
    let worked = run.worked.as_ref().map(|worked| worked.duration_ms);
    let worked = worked.filter(|_| !is_judging(run, ask_for, consequence));
    let all: u64 = judged.chain(worked).fold(0, u64::saturating_add);
    (all >= 1000).then_some(all / 1000)
}

/// Whether to go on is to have what is there judged again.
fn is_judging(run: &Run, ask_for: AskFor, consequence: Consequence) -> bool {
    consequence == Consequence::Again && (run.examined.is_some() || ask_for == AskFor::Disagreement)
}
