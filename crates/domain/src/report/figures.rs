//! What the plots show: cost, time and pass rate of each iteration.

use serde::Serialize;

use super::Source;
use crate::agent::Money;

/// The most iterations that one plot can show.
const MOST: usize = 60;

#[derive(Debug, Clone, Serialize)]
pub struct Point {
    /// Such as `US-001 #2`.
    pub label: String,
    pub worker_ms: u64,
    pub checks_ms: u64,
    pub verifiers_ms: u64,
    /// What worker and reviewer cost; absent if nobody knows.
    pub worker_cost: Option<Money>,
    pub verifiers_cost: Option<Money>,
    pub passed: u64,
    pub checks: u64,
    pub is_accepted: bool,
}

/// The newest iterations, oldest first.
#[derive(Debug, Clone, Serialize)]
pub struct Figures {
    pub points: Vec<Point>,
    /// Older iterations that are not among them.
    pub left_out: u64,
}

impl Figures {
    pub(super) fn of(source: &Source) -> Self {
        let count = source.iterations().count();
        let left_out = count.saturating_sub(MOST);
        let points = source.iterations().skip(left_out).map(|(trail, iteration)| {
            let leg = trail.leg();
            let number = iteration.number;
            let (all, verifiers) = (iteration.used(), iteration.used_by_verifiers());
            let passed = iteration.passed();
            Point {
                label: if leg == "GOAL" {
                    format!("#{number}")
                } else {
                    format!("{leg} #{number}")
                },
                worker_ms: iteration.worker_ms(),
                checks_ms: iteration.checks_ms(),
                verifiers_ms: iteration.verifiers_ms(),
                worker_cost: all
                    .cost
                    .map(|cost| cost.saturating_sub(verifiers.cost.unwrap_or_default())),
                verifiers_cost: verifiers.cost,
                passed: passed.part,
                checks: passed.all,
                is_accepted: iteration.is_accepted(),
            }
        });
        Self { points: points.collect(), left_out: left_out as u64 }
    }
}
