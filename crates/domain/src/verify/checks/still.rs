//! Tests that fail as they failed on the base, where the work is refused for that.

use super::super::evidence::{Checked, Evidence, Ground};
use super::super::tests_run::{Fate, TestsRun};
use super::super::verdict::{Mark, Result};
use super::MOST_NAMED;

/// The most characters of what one test says.
const MOST_SAID: usize = 200;

/// What failed before and still fails is not held against the work, as long as that is not what it is
/// refused for. Then its criteria did not hold, and whoever takes over must hear of which tests.
pub(in super::super) fn fail(results: &mut [Result], evidence: &Evidence<'_>) {
    for (result, check) in results.iter_mut().zip(evidence.checks) {
        let told = told(check, evidence);
        if !check.is_test() || told.is_empty() {
            continue;
        }
        result.mark = Mark::Fail;
        let known = result.error.take().map(|error| error + "; ").unwrap_or_default();
        result.error = Some(known + &told);
    }
}

/// The tests, with what they say.
fn told(check: &Checked, evidence: &Evidence<'_>) -> String {
    let run = TestsRun::of(check);
    let ids = run.fates(evidence.edits).filter(|(_, fate)| *fate == Fate::FailedBefore);
    let ids: Vec<&str> = ids.map(|(id, _)| id).collect();
    let handed = check.on(Ground::Handed);
    let one = |id: &&str| {
        let message = handed.and_then(|ran| ran.report.case(id)?.message.as_deref());
        let said = message.unwrap_or_default().trim().lines().next().unwrap_or_default();
        let said: String = said.chars().take(MOST_SAID).collect();
        let colon = if said.is_empty() { "" } else { ": " };
        format!("{id} fails as on the base{colon}{said}")
    };
    let mut told: Vec<String> = ids.iter().take(MOST_NAMED).map(one).collect();
    if ids.len() > MOST_NAMED {
        told.push(format!("and {} more", ids.len() - MOST_NAMED));
    }
    told.join("; ")
}
