//! Tests that could not even be called without the work: that they fail there says that something is new, and
//! not that what was there does something else now.

use super::super::aim::Aim;
use super::super::asks;
use super::super::evidence::{Checked, Evidence, Ground};
use super::super::tests_run::{TestsRun, bare};
use super::super::verdict::Weight;
use super::{Weighed, names};
use crate::gaming::Rule;
use crate::qa::Outcome;
use crate::receipt::Ended;

/// What runners say of names, parameters and modules that are not there.
const MISSING: &[&str] = &[
    "ImportError",
    "cannot import name",
    "ModuleNotFoundError",
    "has no attribute",
    "unexpected keyword argument",
    "NameError",
    "positional arguments but",
    "positional argument but",
    "is not a function",
    "is not defined",
    "is not a constructor",
    "does not provide an export named",
    "Cannot find module",
    "is not iterable",
];

/// Where the task asks for nothing new, at least one test has to fail without the work for what comes out.
pub(super) fn weigh(
    check: &Checked,
    (run, shown): (&TestsRun<'_>, &[&str]),
    (evidence, weighed): (&Evidence<'_>, &mut Weighed),
) {
    let task = evidence.task;
    let is_meant = evidence.aim == Aim::Behaviour && run.has_red && evidence.product > 0;
    // A run that was stopped says nothing of the tests that it did not come to.
    let has_ended =
        check.on(Ground::Red).is_some_and(|red| matches!(red.ended, Ended::Exited { .. }));
    if !is_meant || !has_ended || shown.is_empty() || asks::wants_new(task) {
        return;
    }
    let mut said: Vec<&str> = Vec::new();
    for id in shown {
        let Some(traces) = run.tests.get(id) else { return };
        let case = check.on(Ground::Red).and_then(|red| red.report.case(id));
        let was_there = traces.base.is_some();
        match (traces.red, case.and_then(|case| case.message.as_deref())) {
            _ if was_there => return,
            // It was left out, since it could not be built, or never came to its first line.
            (None, _) | (Some(Outcome::Errored), None) => {}
            (Some(outcome), Some(message)) if outcome.is_bad() && is_missing(message) => {
                said.push(message);
            }
            _ => return,
        }
    }
    // What is to be tried again is tried with a pause that a test hands in, and that was not there; that it goes
    // through what the task names shows that this does something else now.
    let is_through = |id: &&&str| evidence.edits.through.contains(bare(id));
    if asks::takes_its_time(task) && shown.iter().any(|id| is_through(&id)) {
        return;
    }
    let gained = evidence.edits.gained.iter().map(String::as_str);
    let is_named = |name: &str| name.len() > 2 && asks::says_word(task, name);
    if gained.into_iter().any(is_named) || said.iter().flat_map(|text| quoted(text)).any(is_named) {
        return;
    }
    let text = format!(
        "without the work {} could not even be called, and the task asks for nothing new: nothing shows that what was there does something else now",
        names(shown)
    );
    weighed.blame(Rule::G26, Weight::Ask, (&text, shown));
}

/// Whether a failure is about something that isn't there.
fn is_missing(message: &str) -> bool {
    MISSING.iter().any(|words| message.contains(words))
}

/// The names in a message: what stands in quotes or before "is not a function".
fn quoted(message: &str) -> Vec<&str> {
    let mut found: Vec<&str> = message.split(['\'', '"', '`']).skip(1).step_by(2).collect();
    found.extend(message.split(" is not ").next().and_then(|head| head.rsplit([' ', '.']).next()));
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_there() {
        assert!(is_missing("TypeError: split() got an unexpected keyword argument 'fair'"));
        assert!(is_missing("TypeError: fairSplit is not a function"));
        assert!(!is_missing("AssertionError: assert 333 == 334"));
        assert_eq!(quoted("TypeError: money.fairSplit is not a function"), ["fairSplit"]);
        assert_eq!(quoted("cannot import name 'fair_split' from 'shop'")[..1], ["fair_split"]);
    }
}
