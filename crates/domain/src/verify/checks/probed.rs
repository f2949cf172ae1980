//! What unseen values say: whether the new code does more than answer the values of its tests.

use std::collections::BTreeSet;

use super::{Weighed, names, said_the_same};
use crate::gaming::Rule;
use crate::qa::Outcome;
use crate::verify::evidence::{Checked, Ground, Ran};
use crate::verify::tests_run::bare;
use crate::verify::verdict::Weight;

/// Whether a check failed on the old code, with the values that its author chose, and says how.
pub fn is_red(single: &Ran, id: &str) -> bool {
    let case = single.report.case(id);
    case.is_some_and(|case| case.outcome.is_bad() && case.message.is_some())
}

/// The checks that were red on the old code and that with every set of unseen values say of the new code
/// what they say of the old one.
pub fn answers_as_before(runs: &[Ran]) -> BTreeSet<String> {
    let of = |ground| runs.iter().filter(move |ran| ran.ground == ground);
    let Some(single) = of(Ground::Single).next() else { return BTreeSet::new() };
    let pairs: Vec<(&Ran, &Ran)> = of(Ground::Probed).zip(of(Ground::ProbedBase)).collect();
    let red = single.report.cases.iter().filter(|case| is_red(single, &case.id));
    let is_same = |id: &str| {
        // Values that break something else than what was broken say nothing.
        let told = pairs.iter().filter(|(_, old)| kind(old, id) == kind(single, id));
        let told: Vec<_> = told.filter(|(_, old)| kind(old, id).is_some()).collect();
        !told.is_empty() && told.iter().all(|(new, old)| said_the_same(new, old, id))
    };
    let same = red.filter(|case| is_same(&case.id));
    same.map(|case| case.id.clone()).collect()
}

/// The checks that were red on the old code, and with other names fail on the new code and pass on the old
/// one: the order or the length of the names was what made them pass.
fn hangs_on_names(runs: &[Ran]) -> BTreeSet<String> {
    let of = |ground| runs.iter().find(|ran| ran.ground == ground);
    let (Some(single), Some(new), Some(old)) =
        (of(Ground::Single), of(Ground::Renamed), of(Ground::RenamedBase))
    else {
        return BTreeSet::new();
    };
    let red = single.report.cases.iter().filter(|case| is_red(single, &case.id));
    let passes = |id: &str| old.report.case(id).is_some_and(|case| case.outcome == Outcome::Passed);
    let turned =
        red.filter(|case| passes(&case.id) && kind(new, &case.id) == kind(single, &case.id));
    turned.map(|case| case.id.clone()).collect()
}

/// Which kind of failure it was: its first word.
fn kind<'r>(ran: &'r Ran, id: &str) -> Option<&'r str> {
    let case = ran.report.case(id).filter(|case| case.outcome.is_bad())?;
    let message = case.message.as_deref()?;
    let is_place = |line: &&str| line.starts_with("thread '") || line.trim().is_empty();
    let line = message.lines().find(|line| !is_place(line))?;
    let words = line.split(|letter: char| !(letter.is_alphanumeric() || "_.".contains(letter)));
    let mut words =
        words.filter(|word| word.starts_with(char::is_alphabetic) && !word.ends_with(".go"));
    words.next()
}

/// Says which tests that show the work hang on their own values.
pub(super) fn weigh(check: &Checked, shown: &[&str], weighed: &mut Weighed) {
    let is_shown = |id: &str| {
        let name = bare(id);
        let name = name
            .rsplit_once("_only_")
            .or_else(|| name.rsplit_once(" only "))
            .map_or(name, |(name, _)| name);
        shown.iter().any(|one| bare(one) == name)
    };
    let tell = |ids: BTreeSet<String>, text: &str, weighed: &mut Weighed| {
        let ids: Vec<&str> = ids.iter().map(String::as_str).filter(|id| is_shown(id)).collect();
        if !ids.is_empty() {
            weighed.catch(Rule::G20, Weight::Ask, &format!("{text}: {}", names(&ids)));
        }
    };
    let same = "with values that nobody has seen, the new code answers as the old one did";
    tell(answers_as_before(&check.runs), same, weighed);
    let named = "with other names in the test, the old code passes and the new one fails";
    tell(hangs_on_names(&check.runs), named, weighed);
}
