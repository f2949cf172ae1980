//! How ambiguous an acceptance criterion is: six dimensions, by rules and words that are data, with
//! a reason for each. It says the same for the same text on every machine; whoever else judges may
//! only lower it.

mod dimensions;
mod text;
mod words;

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize};

use super::types::{AcceptanceCriterion, alike, words as closed};
use crate::mistake::suggestion;

pub(super) use words::is_agent;

closed! {
    /// What is looked at.
    Dimension "dimension" {
        /// Exactly one behaviour that can be tested.
        Single = "single" | "single behaviour" | "single behavior",
        /// The words of those who need it, and not of the code.
        Domain = "domain" | "domain language",
        /// Who it is for.
        Stakeholder = "stakeholder" | "stakeholder clarity",
        /// It would mean the same with other tools.
        Portability = "portability",
        /// Exact values, and what comes of them.
        Concrete = "concrete" | "concrete example",
        /// No other criterion must have passed before.
        Independence = "independence",
    }
}

/// The points of one dimension: 0, 1 or 2.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Rated {
    pub dimension: Dimension,
    pub points: u8,
    pub reason: String,
}

/// The points of a criterion in all dimensions.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Score {
    pub rated: Vec<Rated>,
}

closed! {
    /// What a score means for a plan.
    Gate "gate" {
        /// Below 6: the plan can't be used.
        Reject = "reject",
        /// From 6 on: it can, and what is low is told.
        Warn = "warn",
        /// From 10 on.
        Pass = "pass",
    }
}

impl Score {
    pub fn total(&self) -> u8 {
        self.rated.iter().map(|one| one.points.min(2)).sum()
    }

    pub fn points(&self, dimension: Dimension) -> u8 {
        let found = self.rated.iter().find(|one| one.dimension == dimension);
        found.map_or(0, |one| one.points.min(2))
    }

    pub fn gate(&self) -> Gate {
        match self.total() {
            0..=5 => Gate::Reject,
            6..=9 => Gate::Warn,
            _ => Gate::Pass,
        }
    }

    /// What could be better, the worst first.
    pub fn low(&self) -> Vec<&Rated> {
        let mut low: Vec<&Rated> = self.rated.iter().filter(|one| one.points < 2).collect();
        low.sort_by_key(|one| one.points);
        low
    }
}

/// The score of a criterion.
pub fn score(criterion: &AcceptanceCriterion) -> Score {
    let clauses = text::Clauses::read(&criterion.given, &criterion.when, &criterion.then);
    let rated = Dimension::ALL.iter().map(|dimension| {
        let (points, reason) = dimensions::rate(*dimension, &clauses);
        Rated { dimension: *dimension, points, reason }
    });
    Score { rated: rated.collect() }
}

/// Our score, lowered where somebody else's is lower. It is never raised, and a dimension that the
/// other one leaves out stays as it is.
pub fn lower(ours: &Score, other: &Score) -> Score {
    let rated = ours.rated.iter().map(|one| {
        let lower = other
            .rated
            .iter()
            .filter(|theirs| theirs.dimension == one.dimension && theirs.points < one.points)
            .min_by_key(|theirs| theirs.points);
        lower.unwrap_or(one).clone()
    });
    Score { rated: rated.collect() }
}

#[cfg(test)]
#[path = "ambiguity_tests.rs"]
mod tests;
