//! What makes us ask, and how soon an answer is needed.

use std::fmt;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

/// Why a person is asked. The list is closed: every trigger has options of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Trigger {
    /// Fixes were tried and the work still doesn't hold.
    Escalation,
    /// A breaker has stopped the run.
    Breaker,
    /// There is not enough left for the next start.
    BudgetReached,
    /// The work needs an exception from a rule that has none by itself.
    Waiver,
    /// The work looks as if a check was gamed, and only a person can say.
    Gaming,
    /// The user's own repository was changed while an agent was at work.
    Outside,
    /// Nothing speaks against the work, and what was run doesn't decide it.
    Evidence,
    /// Two verifiers judge differently.
    Disagreement,
    /// A worker says that the task can't be done as it is.
    Impossible,
    /// A verifier can't judge without an answer.
    InfoWanted,
    /// The base has moved, and the work doesn't fit onto it.
    BaseMoved,
    /// One step would cost much.
    CostSingle,
    /// All steps together have come to cost much.
    CostCumulative,
    /// The work changes what users see.
    UxChange,
    /// The work changes how the product is built.
    Architecture,
    /// The work goes beyond what was asked for.
    ScopeChange,
    /// Something went wrong that is neither the work's nor a check's.
    Hiccup,
    /// The next step may do harm that is hard to undo.
    HighRisk,
    /// A milestone is reached.
    Milestone,
    /// What was looked at before the start speaks against it.
    Preflight,
    /// A person wanted to be asked from time to time.
    Interval,
}

impl Trigger {
    pub const ALL: [Self; 21] = [
        Self::Escalation,
        Self::Breaker,
        Self::BudgetReached,
        Self::Waiver,
        Self::Gaming,
        Self::Outside,
        Self::Evidence,
        Self::Disagreement,
        Self::Impossible,
        Self::InfoWanted,
        Self::BaseMoved,
        Self::CostSingle,
        Self::CostCumulative,
        Self::UxChange,
        Self::Architecture,
        Self::ScopeChange,
        Self::Hiccup,
        Self::HighRisk,
        Self::Milestone,
        Self::Preflight,
        Self::Interval,
    ];
}

impl fmt::Display for Trigger {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Escalation => "fixes keep failing",
            Self::Breaker => "a breaker stopped the run",
            Self::BudgetReached => "the budget is reached",
            Self::Waiver => "an exception is needed",
            Self::Gaming => "a check may have been gamed",
            Self::Outside => "your own repository was changed",
            Self::Evidence => "what was run doesn't decide it",
            Self::Disagreement => "the verifiers disagree",
            Self::Impossible => "the worker can't do it as asked",
            Self::InfoWanted => "a verifier asks",
            Self::BaseMoved => "the base has moved",
            Self::CostSingle => "one step is expensive",
            Self::CostCumulative => "costs have added up",
            Self::UxChange => "users will notice",
            Self::Architecture => "the design changes",
            Self::ScopeChange => "the scope changes",
            Self::Hiccup => "something got in the way",
            Self::HighRisk => "the next step is risky",
            Self::Milestone => "a milestone is reached",
            Self::Preflight => "something speaks against the start",
            Self::Interval => "time for a look",
        })
    }
}

/// How soon an answer is needed.
#[derive(
    Debug, Clone, Copy, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize,
)]
#[serde(rename_all = "snake_case")]
pub enum Urgency {
    /// Nothing waits for it.
    Low,
    /// The run waits for it.
    #[default]
    Normal,
    /// Others wait as well, or it gets worse meanwhile.
    High,
}

impl Urgency {
    /// The urgency at `now` of a question whose answer was wanted by `expires_at`: one more after that
    /// moment. It never answers.
    pub fn at(self, expires_at: Option<Timestamp>, now: Timestamp) -> Self {
        match (expires_at.is_some_and(|end| end <= now), self) {
            (false, urgency) => urgency,
            (true, Self::Low) => Self::Normal,
            (true, Self::Normal | Self::High) => Self::High,
        }
    }
}

impl fmt::Display for Urgency {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Low => "low",
            Self::Normal => "normal",
            Self::High => "high",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// CO-12: time that passes makes a question more urgent, and does nothing else.
    #[test]
    fn expiry_raises_urgency() {
        let moment = |text: &str| text.parse::<Timestamp>().unwrap();
        let (before, end) = (moment("2026-11-16T10:00:00Z"), moment("2026-11-16T11:00:00Z"));
        for urgency in [Urgency::Low, Urgency::Normal, Urgency::High] {
            assert_eq!(urgency.at(None, end), urgency);
            assert_eq!(urgency.at(Some(end), before), urgency);
            let later = urgency.at(Some(end), end);
            assert!(later > urgency || later == Urgency::High);
        }
    }

    /// CO-12: the stored names of triggers are fixed.
    #[test]
    fn stored_names_are_fixed() {
        let names: Vec<String> =
            Trigger::ALL.iter().map(|one| serde_json::to_string(one).unwrap()).collect();
        assert_eq!(
            names.join(" ").replace('"', ""),
            "escalation breaker budget_reached waiver gaming outside evidence disagreement impossible \
             info_wanted base_moved cost_single cost_cumulative ux_change architecture scope_change \
             hiccup high_risk \
             milestone preflight interval"
        );
    }
}
