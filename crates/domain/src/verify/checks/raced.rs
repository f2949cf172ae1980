//! What the race detector said, where a task speaks of races.

use super::super::evidence::{Checked, Ground};
use super::{Weighed, names};
use crate::qa::{Case, Outcome};
use crate::verify::verdict::Weight;

/// What Go says of a test in which goroutines got into each other's way.
const SIGNS: [&str; 3] = ["DATA RACE", "race detected during execution", "concurrent map"];

/// Whether a test failed because of a race.
pub fn race_found(case: &Case) -> bool {
    let message = case.message.as_deref().unwrap_or_default();
    case.outcome.is_bad() && SIGNS.iter().any(|sign| message.contains(sign))
}

/// The tests in which the detector found a race on the old code, and none on the new one.
pub(in crate::verify) fn ended(check: &Checked) -> Vec<&str> {
    let (Some(new), Some(old)) = (check.on(Ground::Raced), check.on(Ground::RacedBase)) else {
        return Vec::new();
    };
    let passes = |id: &str| new.report.case(id).is_some_and(|one| one.outcome == Outcome::Passed);
    let found = old.report.cases.iter().filter(|case| race_found(case));
    found.filter(|case| passes(&case.id)).map(|case| case.id.as_str()).collect()
}

/// Says what the detector found, or that it could not look.
pub(super) fn weigh(check: &Checked, weighed: &mut Weighed) {
    let command = &check.command;
    if check.on(Ground::RacedBase).is_some_and(|old| old.report.cases.is_empty()) {
        let text = format!(
            "`{command}` can't be run with the race detector here, so what the task says of races was not tried"
        );
        weighed.say(Weight::Note, text);
    }
    let ended = ended(check);
    if !ended.is_empty() {
        let text = format!(
            "on the base's code the race detector finds a race, and none on the new code: {}",
            names(&ended)
        );
        weighed.say(Weight::Note, text);
    }
    let now = check.on(Ground::Raced).into_iter().flat_map(|ran| &ran.report.cases);
    let still: Vec<&str> =
        now.filter(|case| race_found(case)).map(|case| case.id.as_str()).collect();
    if !still.is_empty() {
        let text = format!("the race detector still finds a race: {}", names(&still));
        weighed.say(Weight::Ask, text);
    }
}
