//! What new tests said of code that was broken on purpose, where tests are all that was done.

use std::collections::{BTreeMap, BTreeSet};

use super::{Weighed, names};
use crate::gaming::{Rule, name};
use crate::qa::{Case, Outcome};
use crate::verify::evidence::{Checked, Ground, Mutants, Ran};
use crate::verify::verdict::Weight;

/// So many tests may be asked for more than that one of them notices something.
const SEVERAL: usize = 3;

/// So many versions have to count for a test before its silence says something. Where there are several tests
/// that say nothing, one is enough.
const ENOUGH: usize = 2;

/// Which broken versions count, and which tests noticed one.
#[derive(Debug, PartialEq, Eq)]
pub struct Noticed<'a> {
    /// What was broken, where a check of some test failed that passes otherwise.
    pub counted: Vec<&'a str>,
    /// The new tests that have a check which failed on a broken version.
    pub noticed: BTreeSet<&'a str>,
    /// Those that passed where one counts that they call, and failed nowhere.
    pub deaf: Vec<&'a str>,
    /// On how many of these versions one of them passed, at most.
    deafest: usize,
}

impl<'a> Noticed<'a> {
    /// What the runs on broken code say. One that could not be built says nothing, and neither does a test
    /// that broken code only stopped: it would stop one without any check as well.
    pub fn of(runs: &'a [Ran], mutants: &'a Mutants) -> Self {
        let handed: Vec<&Ran> = runs.iter().filter(|ran| ran.ground == Ground::Handed).collect();
        let passes = |id: &str| {
            let is_good = |ran: &&Ran| {
                ran.report.case(id).is_some_and(|case| case.outcome == Outcome::Passed)
            };
            !handed.is_empty() && handed.iter().all(is_good)
        };
        let broken = runs.iter().filter(|ran| ran.ground == Ground::Mutated);
        let (mut counted, mut noticed) = (Vec::new(), BTreeSet::new());
        let mut unheard: BTreeMap<&str, usize> = BTreeMap::new();
        for (index, (ran, way)) in broken.zip(&mutants.ways).enumerate() {
            let heard: Vec<&str> = ran
                .report
                .cases
                .iter()
                .filter(|case| is_heard(case) && passes(&case.id))
                .map(|case| case.id.as_str())
                .collect();
            if heard.is_empty() {
                continue;
            }
            counted.push(way.as_str());
            // Of code that a test does not call it has nothing to say.
            let reaching = mutants.reaching.get(index).unwrap_or(&mutants.tests);
            let cases = ran.report.cases.iter();
            let good = cases.filter(|case| case.outcome == Outcome::Passed);
            for case in good.filter(|case| reaching.contains(&case.id)) {
                *unheard.entry(&case.id).or_default() += 1;
            }
            noticed.extend(heard.into_iter().filter(|id| mutants.tests.contains(*id)));
        }
        let is_deaf = |id: &&str| {
            !noticed.contains(id) && unheard.contains_key(id) && passes(id) && !may_be_deaf(id)
        };
        let deaf: Vec<&str> = mutants.tests.iter().map(String::as_str).filter(is_deaf).collect();
        let deafest = deaf.iter().filter_map(|id| unheard.get(id).copied()).max().unwrap_or(0);
        Self { counted, noticed, deaf, deafest }
    }

    /// Whether the tests noticed as much as is asked of them, so that nothing more has to be broken.
    pub fn is_enough(&self) -> bool {
        let all = self.noticed.len() + self.deaf.len();
        let is_some = !self.noticed.is_empty();
        is_some && (all < SEVERAL || self.noticed.len() * 3 >= all)
    }

    /// Whether the tests say too little of broken code to be believed.
    fn is_too_little(&self) -> bool {
        let has_several = self.deafest >= ENOUGH;
        // A test or two that one mistake is nothing to may be about something else.
        let is_firm = has_several || self.deaf.len() >= SEVERAL;
        let is_none = self.noticed.is_empty() && is_firm && !self.counted.is_empty();
        !self.deaf.is_empty() && (is_none || has_several && !self.is_enough())
    }
}

/// Whether a test waits for an error, of which broken code has more, or takes a value there and back again,
/// where two mistakes make up for each other.
fn may_be_deaf(id: &str) -> bool {
    const ERRORS: &[&str] = &[
        "err",
        "error",
        "errors",
        "bad",
        "invalid",
        "refuse",
        "refuses",
        "refused",
        "reject",
        "rejects",
        "rejected",
        "malformed",
        "unknown",
        "missing",
        "fails",
        "broken",
    ];
    const BACK: &[&str] = &["trip", "roundtrip", "inverse", "survive", "survives"];
    let words = name::words(id);
    words.iter().any(|word| ERRORS.contains(&word.as_str()) || BACK.contains(&word.as_str()))
}

/// Whether a check of a test failed, as far as the runner's words say: not only the code under test.
fn is_heard(case: &Case) -> bool {
    const CHECKS: [&str; 12] = [
        "assert", "expect", "equal", "match", "left:", "!=", "!==", "raise", "should", "got",
        "want", "missing",
    ];
    if case.outcome != Outcome::Failed {
        return false;
    }
    let Some(message) = case.message.as_deref().filter(|message| !message.trim().is_empty()) else {
        return true;
    };
    let lower = message.to_lowercase();
    if ["panic: ", "called `", "stack overflow"].iter().any(|sign| lower.contains(sign)) {
        return false;
    }
    // Tests of Go and Rust may say of a failed check whatever they like.
    let is_of_test = ["_test.go:", "panicked at tests/"].iter().any(|sign| lower.contains(sign));
    let first = message.trim_start().split(':').next().unwrap_or_default();
    let is_name = !first.contains(char::is_whitespace) && !lower.contains("expect(");
    let is_thrown = is_name
        && (first.ends_with("Error") || first.ends_with("Exception"))
        && !first.ends_with("AssertionError");
    is_of_test || !is_thrown && CHECKS.iter().any(|word| lower.contains(word))
}

/// Says which new tests pass on broken code as well.
pub(super) fn weigh(check: &Checked, weighed: &mut Weighed) {
    let Some(mutants) = &check.mutants else { return };
    let noticed = Noticed::of(&check.runs, mutants);
    if !noticed.is_too_little() {
        return;
    }
    let ways = noticed.counted.join("; ");
    let some = if noticed.noticed.is_empty() { "" } else { "most " };
    let text = format!(
        "{some}new tests pass as well on code that was broken on purpose, which others notice ({ways}): {}",
        names(&noticed.deaf)
    );
    weighed.blame(Rule::G13, Weight::Ask, (&text, &noticed.deaf));
}

#[cfg(test)]
mod tests {
    use super::*;

    /// G13: a failed check tells of the code; code that stops tells of no test.
    #[test]
    fn failed_checks_and_stops() {
        let check = |message: &str, is: bool| {
            let case = Case::new("a", Outcome::Failed).with_message(message);
            assert_eq!(is_heard(&case), is, "{message}");
        };
        check("assert 1 == 2", true);
        check("AssertionError: Regex pattern did not match.", true);
        check("Failed: DID NOT RAISE <class 'ValueError'>", true);
        check("knitrow.parse.PatternError: row 1 expected", false);
        check("KeyError: 'xa'", false);
        check("Expected values to be strictly equal:1 !== 2", true);
        check("Missing expected rejection.", true);
        check("Cannot read properties of undefined (reading '0')", false);
        check("Error: expect(received).toBe(expected)", true);
        check("thread 'a' (1) panicked at tests/a.rs:3:5:\nno sheet", true);
        check("thread 'a' (1) panicked at src/a.rs:3:5:\nattempt to subtract with overflow", false);
        check(
            "thread 'a' (1) panicked at tests/a.rs:3:5:\ncalled `Result::unwrap()` on an `Err`",
            false,
        );
        check("    a_test.go:7: 4 lines", true);
        check("    a_test.go:7: x\npanic: runtime error: index out of range", false);
        check("", true);
        assert!(!is_heard(&Case::new("a", Outcome::Errored)));
    }
}
