//! What several runs on one tree prove together. A test that failed once is no clean pass, however
//! often it passes later.

use std::collections::BTreeMap;

use super::conclusion::{Conclusion, names, tests};
use super::report::{Outcome, Report};
use crate::worklog::deviation::Tested;

/// What runs on one tree prove together, oldest first. `None` without any.
pub fn conclude(runs: &[Report]) -> Option<Conclusion> {
    let (last, earlier) = runs.split_last()?;
    let mut conclusion = last.conclusion();
    for (number, run) in earlier.iter().enumerate() {
        let before = run.conclusion();
        if before.tested == Tested::Passed {
            continue;
        }
        conclusion.tested = worse(conclusion.tested, before.tested);
        let which = format!("run {} of {} on this tree", number + 1, runs.len());
        conclusion.reasons.push(format!("{which}: {}", before.reasons.join("; ")));
    }
    let flaky = flaky(runs);
    if !flaky.is_empty() {
        conclusion.tested = worse(conclusion.tested, Tested::Unknown);
        let count = tests(flaky.len() as u64);
        let ids = names(flaky.into_iter());
        conclusion.reasons.insert(0, format!("{count} passed and failed on the same tree: {ids}"));
    }
    Some(conclusion)
}

/// The tests that passed and failed, within one run or in different ones.
fn flaky(runs: &[Report]) -> Vec<&str> {
    let mut seen: BTreeMap<&str, (bool, bool)> = BTreeMap::new();
    for case in runs.iter().flat_map(|run| &run.cases) {
        let (passed, failed) = seen.entry(&case.id).or_default();
        for outcome in case.attempts.iter().chain([&case.outcome]) {
            *passed |= *outcome == Outcome::Passed;
            *failed |= outcome.is_bad();
        }
    }
    seen.into_iter().filter(|(_, both)| *both == (true, true)).map(|(id, _)| id).collect()
}

fn worse(one: Tested, other: Tested) -> Tested {
    match (one, other) {
        (Tested::Failed, _) | (_, Tested::Failed) => Tested::Failed,
        (Tested::Unknown, _) | (_, Tested::Unknown) => Tested::Unknown,
        (Tested::Passed, Tested::Passed) => Tested::Passed,
    }
}

#[cfg(test)]
#[path = "together_tests.rs"]
mod tests;
