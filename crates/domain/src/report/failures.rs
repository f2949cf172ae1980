//! Section 2: what was held against the work, iteration by iteration, and what kept failing.

use serde::Serialize;

use super::text::{MOST, short, tail};
use super::{Cite, Iteration, Kept, Source, Trail};
use crate::run::{Reason, Ruling};

/// The most reasons that are told of one ruling.
const MOST_REASONS: usize = 40;
/// The most different reasons that are followed from ruling to ruling.
const MOST_DISTINCT: usize = 1_000;

#[derive(Debug, Clone, Serialize)]
pub struct Failures {
    pub rulings: Kept<Failure>,
    /// What stood against more than one iteration of a story, most often first.
    pub repeated: Kept<Repeated>,
}

/// A ruling that found the work wanting.
#[derive(Debug, Clone, Serialize)]
pub struct Failure {
    #[serde(flatten)]
    pub cite: Cite,
    pub reasons: Vec<Held>,
    pub left_out: u64,
}

/// One thing that stood against it.
#[derive(Debug, Clone, Serialize)]
pub struct Held {
    pub text: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub criterion: Option<String>,
    /// The end of what was printed.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub excerpt: String,
    /// The first later iteration whose ruling no longer holds it against the work.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub gone_in: Option<u32>,
}

#[derive(Debug, Clone, Serialize)]
pub struct Repeated {
    pub leg: String,
    pub what: String,
    pub iterations: Vec<u32>,
}

pub(super) fn failures(source: &Source) -> Failures {
    let failed: Vec<(&Trail, &Iteration, &Ruling)> = source
        .iterations()
        .flat_map(|(trail, one)| one.rulings.iter().map(move |ruling| (trail, one, ruling)))
        .filter(|(_, _, ruling)| ruling.is_failure())
        .collect();
    let rulings = Kept::made(&failed, |(trail, iteration, ruling)| {
        let leg = trail.leg();
        let held = |reason: &Reason| Held {
            text: short(&reason.to_string(), MOST),
            criterion: reason.criterion().map(|criterion| short(criterion, 160)),
            excerpt: excerpt(iteration, reason),
            gone_in: gone_in(source, &leg, iteration.number, reason),
        };
        Failure {
            cite: Cite::new(trail, iteration),
            reasons: ruling.reasons.iter().take(MOST_REASONS).map(held).collect(),
            left_out: ruling.reasons.len().saturating_sub(MOST_REASONS) as u64,
        }
    });
    Failures { rulings, repeated: Kept::of(repeated(source)) }
}

/// What a reason is known by from ruling to ruling.
pub(super) fn key(reason: &Reason) -> String {
    reason.criterion().map_or_else(|| short(&reason.to_string(), 160), |one| short(one, 160))
}

fn excerpt(iteration: &Iteration, reason: &Reason) -> String {
    match reason {
        Reason::ProofFailed { excerpt, .. } => tail(excerpt),
        Reason::CheckFailed { receipt, .. } => {
            let found = iteration.receipts.iter().find(|one| one.id() == *receipt);
            found.map_or_else(String::new, |one| tail(&one.execution.output.excerpt))
        }
        _ => String::new(),
    }
}

fn gone_in(source: &Source, leg: &str, after: u32, reason: &Reason) -> Option<u32> {
    let key = key(reason);
    let has = |ruling: &Ruling| ruling.reasons.iter().any(|one| self::key(one) == key);
    let later = source.of_leg(leg).map(|(_, one)| one).filter(|one| one.number > after);
    // A ruling that is not about the work says nothing of it.
    let mut judged =
        later.filter(|one| one.is_accepted() || one.rulings.iter().any(Ruling::is_failure));
    judged.find(|one| !one.rulings.iter().any(has)).map(|one| one.number)
}

fn repeated(source: &Source) -> Vec<Repeated> {
    let mut found: Vec<Repeated> = Vec::new();
    for (trail, iteration) in source.iterations() {
        let leg = trail.leg();
        let failed = iteration.rulings.iter().filter(|ruling| ruling.is_failure());
        for reason in failed.flat_map(|ruling| ruling.reasons.iter().take(MOST_REASONS)) {
            let what = key(reason);
            let is_full = found.len() >= MOST_DISTINCT;
            match found.iter_mut().find(|one| one.leg == leg && one.what == what) {
                Some(one) if one.iterations.last() == Some(&iteration.number) => {}
                Some(one) => one.iterations.push(iteration.number),
                None if is_full => {}
                None => {
                    let iterations = vec![iteration.number];
                    found.push(Repeated { leg: leg.clone(), what, iterations });
                }
            }
        }
    }
    found.retain(|one| one.iterations.len() > 1);
    found.sort_by_key(|one| std::cmp::Reverse(one.iterations.len()));
    found
}
