//! What unseen values say: whether the new code does more than answer the values of its tests.

use std::collections::BTreeSet;

use super::{Weighed, names, said_the_same, without_counts};
use crate::gaming::Rule;
use crate::qa::Outcome;
use crate::verify::evidence::{Checked, Ground, Ran};
use crate::verify::tests_run::bare;
use crate::verify::verdict::Weight;

/// Whether a check failed on the old code, with the values that its author chose, and says how.
pub fn is_red(single: &Ran, id: &str) -> bool {
    let case = single.report.case(id);
    case.is_some_and(|case| case.outcome.is_bad() && case.message.is_some())
        && !has_parts(single, id)
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
        let was = form(single, id);
        let told = pairs.iter().filter(|(_, old)| was.is_some() && form(old, id) == was);
        let told: Vec<_> = told.collect();
        !told.is_empty() && told.iter().all(|(new, old)| said_the_same(new, old, id))
    };
    // What fails on the new code as well when it stands alone needed what stood before it.
    let stands = |id: &str| {
        let whole = of(Ground::SingleHanded).next().and_then(|ran| ran.report.case(id));
        whole.is_none_or(|case| case.outcome == Outcome::Passed)
    };
    let same = red.filter(|case| is_same(&case.id) && stands(&case.id));
    same.map(|case| case.id.clone()).collect()
}

/// The checks that were red on the old code, and with other names fail on the new code and pass on the old
/// one: the order or the length of the names was what made them pass.
pub fn hangs_on_names(runs: &[Ran]) -> BTreeSet<String> {
    let of = |ground| runs.iter().find(|ran| ran.ground == ground);
    let (Some(single), Some(new), Some(old)) =
        (of(Ground::Single), of(Ground::Renamed), of(Ground::RenamedBase))
    else {
        return BTreeSet::new();
    };
    let stands = |id: &str| {
        let whole = of(Ground::SingleHanded).and_then(|ran| ran.report.case(id));
        whole.is_none_or(|case| case.outcome == Outcome::Passed)
    };
    let cases = single.report.cases.iter();
    let red = cases.filter(|case| is_red(single, &case.id) && stands(&case.id));
    let passes = |id: &str| old.report.case(id).is_some_and(|case| case.outcome == Outcome::Passed);
    let turned =
        red.filter(|case| passes(&case.id) && form(new, &case.id) == form(single, &case.id));
    turned.map(|case| case.id.clone()).collect()
}

/// The form of a failure: what is left of its message where runs of digits and of letters are one sign
/// each. Two of one form are the same check with other values.
fn form(ran: &Ran, id: &str) -> Option<String> {
    let case = ran.report.case(id).filter(|case| case.outcome.is_bad())?;
    let message = without_counts(case.message.as_deref()?);
    let mut form = String::new();
    for letter in message.chars().take(LONGEST) {
        let sign = match letter {
            '-' if form.ends_with(' ') => continue,
            letter if letter.is_numeric() => '0',
            letter if letter.is_alphabetic() => 'a',
            letter if letter.is_whitespace() => ' ',
            letter => letter,
        };
        if !(matches!(sign, '0' | 'a' | ' ') && form.ends_with(sign)) {
            form.push(sign);
        }
    }
    Some(form)
}

/// So much of a message is compared by its form.
const LONGEST: usize = 2_000;

/// Whether a check of a test that has several was taken out of it: then the whole says nothing.
fn has_parts(ran: &Ran, id: &str) -> bool {
    let begins = [format!("{id}_only_"), format!("{id} only ")];
    ran.report.cases.iter().any(|case| begins.iter().any(|begin| case.id.starts_with(begin)))
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
