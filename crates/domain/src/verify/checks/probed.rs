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
    let numbers: Vec<(&Ran, &Ran)> = of(Ground::Probed).zip(of(Ground::ProbedBase)).collect();
    let words: Vec<(&Ran, &Ran)> = of(Ground::Worded).zip(of(Ground::WordedBase)).collect();
    let is_same = |pairs: &[(&Ran, &Ran)], id: &str, keeps_words: bool| {
        // Values that break something else than what was broken say nothing.
        let was = form(single, id, keeps_words);
        let is_told = |old: &Ran| {
            let is_same_check = line(old, id) == line(single, id);
            was.is_some()
                && form(old, id, keeps_words) == was
                && is_same_check
                && !says_nothing(old, id)
        };
        let told: Vec<_> = pairs.iter().filter(|(_, old)| is_told(old)).collect();
        // Two answers to one question that nobody asked before are as good as any.
        let differs = |(new, old): &(&Ran, &Ran)| {
            let now = form(new, id, keeps_words);
            now.is_some() && now == form(old, id, keeps_words) && !said_the_same(new, old, id)
        };
        // Where most values break something else, such as "2023-13-42", the one that is left may be beside the
        // point: a bug that shows at the end of a month shows on few other days.
        let is_broken = |(_, old): &&(&Ran, &Ran)| {
            let case = old.report.case(id);
            case.is_some_and(|case| case.outcome.is_bad()) && !is_told(old)
        };
        let least = if pairs.iter().filter(is_broken).count() > FEW { 2 } else { 1 };
        told.len() >= least
            && told.iter().all(|(new, old)| said_the_same(new, old, id))
            && !pairs.iter().any(differs)
    };
    let red = single.report.cases.iter().filter(|case| is_red(single, &case.id));
    let (same, others): (Vec<_>, Vec<_>) = red.partition(|case| {
        let is_met = is_same(&numbers, &case.id, true) || is_same(&words, &case.id, false);
        is_met && stands_alone(runs, &case.id)
    });
    // Of most values something is rightly not true: where other checks tell new code from old, a bare
    // yes or no accuses nobody.
    // One whose values nobody changed tells nothing.
    let is_varied = |id: &str| {
        let pairs = numbers.iter().chain(&words);
        pairs.into_iter().any(|(_, old)| !said_the_same(old, single, id))
    };
    let tells = others.iter().any(|case| is_varied(&case.id));
    if tells && same.iter().all(|case| is_truth(case.message.as_deref())) {
        return BTreeSet::new();
    }
    same.into_iter().map(|case| case.id.clone()).collect()
}

/// Whether a failed check says only that something is not true, or not false.
fn is_truth(message: Option<&str>) -> bool {
    const TRUTHS: &[&str] = &[
        "falsy value",
        "false !== true",
        "true !== false",
        "false == true",
        "expected false to be true",
        "expected true to be false",
        "assert false",
        "assert not true",
        "false is not true",
        "true is not false",
    ];
    let Some(message) = message.map(str::to_lowercase) else { return false };
    let is_bare = message.contains("assertion failed:") && !message.contains("left:");
    is_bare || TRUTHS.iter().any(|words| message.contains(words))
}

/// Whether a check passes on the new code when it stands alone. One that fails there needed what stood
/// before it.
fn stands_alone(runs: &[Ran], id: &str) -> bool {
    let alone = runs.iter().find(|ran| ran.ground == Ground::SingleHanded);
    let case = alone.and_then(|ran| ran.report.case(id));
    case.is_none_or(|case| case.outcome == Outcome::Passed)
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
    let cases = single.report.cases.iter();
    let red = cases.filter(|case| is_red(single, &case.id) && stands_alone(runs, &case.id));
    let passes = |id: &str| old.report.case(id).is_some_and(|case| case.outcome == Outcome::Passed);
    let turned = red.filter(|case| {
        passes(&case.id) && form(new, &case.id, false) == form(single, &case.id, false)
    });
    turned.map(|case| case.id.clone()).collect()
}

/// The checks that were red on the old code and add up what comes out, which with so many sets of unseen
/// values does still not add up on the new code, and in the very same words. What has to add up for any
/// values is not excused by others with which it does.
pub fn still_short(check: (&[Ran], &BTreeSet<String>), least: usize) -> BTreeSet<String> {
    let (runs, adding) = check;
    let of = |ground| runs.iter().filter(move |ran| ran.ground == ground);
    let Some(single) = of(Ground::Single).next().filter(|_| !adding.is_empty()) else {
        return BTreeSet::new();
    };
    let is_short = |(new, old): &(&Ran, &Ran), id: &str| {
        let was = summed(single, id);
        was.is_some() && summed(old, id) == was && said_the_same(new, old, id)
    };
    let red = single.report.cases.iter().filter(|case| {
        adding.contains(bare(&case.id)) && is_red(single, &case.id) && stands_alone(runs, &case.id)
    });
    let short = red.filter(|case| {
        let pairs = of(Ground::Probed).zip(of(Ground::ProbedBase));
        pairs.filter(|pair| is_short(pair, &case.id)).count() >= least
    });
    short.map(|case| case.id.clone()).collect()
}

/// The form of a failed comparison of a sum, without the parts that pytest says it is made of: how many there
/// are is another thing with other values.
fn summed(ran: &Ran, id: &str) -> Option<String> {
    let case = ran.report.case(id).filter(|case| case.outcome.is_bad())?;
    let lines = case.message.as_deref()?.lines().take_while(|line| !line.trim().starts_with('+'));
    form_of(&lines.collect::<Vec<_>>().join("\n"), true)
}

/// Whether a failed comparison heard that there is no answer, or an empty list. With values beyond what there is, right code
/// says so as well as wrong code.
fn says_nothing(ran: &Ran, id: &str) -> bool {
    const NOTHING: &[&str] = &["null", "none", "undefined", "nil"];
    let message = ran.report.case(id).and_then(|case| case.message.as_deref()).unwrap_or_default();
    let mut words = message.split(|letter: char| !letter.is_alphanumeric());
    words.any(|word| NOTHING.contains(&word.to_lowercase().as_str()))
        || ["[]", "{}"].iter().any(|empty| message.contains(empty))
}

/// Where a check stands, as far as its message says: values of one check are no answer to another.
fn line<'r>(ran: &'r Ran, id: &str) -> Option<&'r str> {
    let message = ran.report.case(id)?.message.as_deref()?;
    let place = message.split_once("panicked at ").map(|(_, rest)| rest).or_else(|| {
        let words = message.split_whitespace();
        words.into_iter().find(|word| word.contains("_test.go:"))
    })?;
    let (_, behind) = place.split_once(':')?;
    behind.split(|letter: char| !letter.is_ascii_digit()).next().filter(|line| !line.is_empty())
}

/// The form of a failed comparison: what is left of its message where runs of digits are one sign, and runs
/// of letters as well unless words stay. Two of one form are the same check with other values.
fn form(ran: &Ran, id: &str, keeps_words: bool) -> Option<String> {
    let case = ran.report.case(id).filter(|case| case.outcome.is_bad())?;
    form_of(case.message.as_deref()?, keeps_words)
}

fn form_of(message: &str, keeps_words: bool) -> Option<String> {
    let message = without_counts(message);
    let lower = message.to_lowercase();
    // An error that is thrown may as well be one of the test's own values.
    if !COMPARES.iter().any(|word| lower.contains(word)) {
        return None;
    }
    let mut form = String::new();
    for letter in message.chars().take(LONGEST) {
        let sign = match letter {
            '-' if form.ends_with(' ') => continue,
            letter if letter.is_numeric() => '0',
            letter if letter.is_alphabetic() && !keeps_words => 'a',
            letter if letter.is_whitespace() => ' ',
            letter => letter,
        };
        let is_run = matches!(sign, '0' | ' ') || sign == 'a' && !keeps_words;
        if !(is_run && form.ends_with(sign)) {
            form.push(sign);
        }
    }
    Some(form)
}

/// Words of a comparison that failed.
const COMPARES: &[&str] = &["assert", "expected", "got", "want", "left:", " != ", "equal", "match"];

/// So many sets of values may break something else before a single one that does not says too little.
const FEW: usize = 2;

/// With so many sets of unseen values something has to be short before anybody is asked.
const SHORT: usize = 2;

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
            let text = format!("{text}: {}", names(&ids));
            weighed.blame(Rule::G20, Weight::Ask, (&text, &ids));
        }
    };
    let same = "with values that nobody has seen, the new code answers as the old one did";
    tell(answers_as_before(&check.runs), same, weighed);
    let short = "with values that nobody has seen, what comes out still does not add up";
    let missed = still_short((&check.runs, &check.adding), SHORT);
    // One word about a check is enough.
    let told = answers_as_before(&check.runs);
    tell(missed.difference(&told).cloned().collect(), short, weighed);
    let named = "with other names in the test, the old code passes and the new one fails";
    tell(hangs_on_names(&check.runs), named, weighed);
}
