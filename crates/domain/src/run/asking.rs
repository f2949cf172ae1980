//! What a run asks a person, and what follows from the answer.

use serde::{Deserialize, Serialize};

use super::RefusedBecause;

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
}

impl AskFor {
    /// How a run ends if a person says so then.
    pub fn stopped(self) -> RefusedBecause {
        match self {
            Self::Escalation => RefusedBecause::Escalated,
            Self::Findings => RefusedBecause::FindingsRejected,
            Self::Impossible => RefusedBecause::Impossible,
            Self::Budget => RefusedBecause::BudgetReached,
            Self::Disagreement => RefusedBecause::NoConsensus,
            Self::NoVerdict | Self::Unjudgeable => RefusedBecause::NotJudged,
            Self::Agent => RefusedBecause::AgentUnavailable,
        }
    }

    /// Whether a person may take the work as it is, over what stands against it.
    pub fn may_accept(self) -> bool {
        matches!(self, Self::Findings | Self::Disagreement | Self::NoVerdict | Self::Unjudgeable)
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
