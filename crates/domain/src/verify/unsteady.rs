//! Tests that would show the work, and are not always the same: one that passes by chance shows nothing.

use super::checks::Weighed;
use super::evidence::{Checked, Ground};
use super::verdict::Weight;
use crate::qa::Outcome;

/// Takes back what tests show that another run of the same code contradicts.
pub(super) fn weigh(check: &Checked, weighed: &mut Weighed) {
    let has = |ground: Ground, id: &str, wanted: fn(Outcome) -> bool| {
        let mut runs = check.runs.iter().filter(|ran| ran.ground == ground);
        runs.any(|ran| ran.report.case(id).is_some_and(|case| wanted(case.outcome)))
    };
    let shown = std::mem::take(&mut weighed.shown_by);
    for id in shown {
        let text = if has(Ground::Again, &id, Outcome::is_bad) {
            Some((Weight::Ask, format!("{id} is flaky: it passed and failed with the same code")))
        } else if has(Ground::RedAgain, &id, |outcome| outcome == Outcome::Passed) {
            let text = format!(
                "{id} is flaky: with the base's code it failed and passed, so it shows nothing of the work"
            );
            Some((Weight::Note, text))
        } else {
            None
        };
        let Some((weight, text)) = text else {
            weighed.shown_by.push(id);
            continue;
        };
        weighed.say(weight, text);
        weighed.flaky.push(id);
    }
}
