//! What became of the tests that were there before, and what each fate does to the verdict.

use super::super::aim::Aim;
use super::super::asks;
use super::super::evidence::{Checked, Evidence, Ground, Ran};
use super::super::moved;
use super::super::tests_run::{Fate, TestsRun, Traces, bare, passed};
use super::super::verdict::Weight;
use super::{Weighed, count, names};
use crate::gaming::Rule;
use crate::qa::Outcome;

/// Reasons of ours, beside clauses of the task.
const TOLD: &str = "the task names what is compared with now";
const RETIRED: &str = "what it tries was to go, and is gone";

/// Why a test is another one: in our words, or in those of the task.
fn because(clause: &str) -> String {
    match clause {
        TOLD | RETIRED => clause.to_owned(),
        _ => format!("the task asks for that: \"{clause}\""),
    }
}

/// What became of the tests that were there before.
pub(super) fn fates(
    run: &TestsRun<'_>,
    (check, evidence): (&Checked, &Evidence<'_>),
    weighed: &mut Weighed,
) {
    let of = |wanted: Fate| -> Vec<&str> {
        let all = run.fates(evidence.edits).filter(|(_, fate)| *fate == wanted);
        all.map(|(id, _)| id).collect()
    };
    broken(&of(Fate::Broken), weighed);
    let before = of(Fate::FailedBefore);
    weighed.failed_before.extend(before.iter().map(ToString::to_string));
    if !before.is_empty() && !check.is_test() {
        let text = format!("`{}` failed on the base as well: {}", check.command, names(&before));
        weighed.say(Weight::Note, text);
    } else if !before.is_empty() {
        weighed.say(
            Weight::Note,
            format!(
                "{} on the base as well, run by us: {}",
                count(&before, "test fails, and failed", "tests fail, and failed"),
                names(&before)
            ),
        );
    }
    let flaky = of(Fate::Flaky);
    if !flaky.is_empty() {
        weighed.flaky.extend(flaky.iter().map(ToString::to_string));
        weighed.say(
            Weight::Ask,
            format!(
                "{} with the same code: {}",
                count(
                    &flaky,
                    "test is flaky: it passed and failed",
                    "tests are flaky: they passed and failed"
                ),
                names(&flaky)
            ),
        );
    }
    let always = of(Fate::FlakyBefore);
    if !always.is_empty() {
        weighed.flaky.extend(always.iter().map(ToString::to_string));
        weighed.say(
            Weight::Note,
            format!(
                "{} on the base as well, run by us: {}",
                count(&always, "test is flaky,", "tests are flaky,"),
                names(&always)
            ),
        );
    }
    let (bent_ids, hidden_ids) = (of(Fate::Bent), of(Fate::HiddenFailure));
    // A test with others inside of it fails because of them; they are weighed.
    let is_within =
        |id: &str, inner: &&&str| inner.strip_prefix(id).is_some_and(|rest| rest.starts_with('/'));
    let is_parent =
        |id: &&str| bent_ids.iter().chain(&hidden_ids).any(|inner| is_within(id, &inner));
    let alone: Vec<&str> = bent_ids.iter().filter(|id| !is_parent(id)).copied().collect();
    bent(run, &alone, (evidence, weighed));
    replaced(&of(Fate::Replaced), evidence, weighed);
    hidden(run, &hidden_ids, (evidence, weighed));
    dropped(run, check, (&of(Fate::Dropped), &of(Fate::Lost)), (evidence, weighed));
}

fn broken(ids: &[&str], weighed: &mut Weighed) {
    if ids.is_empty() {
        return;
    }
    weighed.has_failed = true;
    let (one, many) = ("test passed on the base and fails", "tests passed on the base and fail");
    weighed.say(Weight::Refuse, format!("{} now: {}", count(ids, one, many), names(ids)));
}

fn bent(run: &TestsRun<'_>, ids: &[&str], (evidence, weighed): (&Evidence<'_>, &mut Weighed)) {
    for id in ids {
        let was_red = run.tests.get(id).and_then(|traces| traces.base).is_some_and(Outcome::is_bad);
        let text = format!("{id} passes now, and the base's version of it fails on the new code");
        let asked = if was_red { bent_red(run, id, evidence) } else { bent_green(id, evidence) };
        // Who says that tests are to follow has explained one that is as strong and red without the work.
        let asked = asked.or_else(|| {
            let follows = !was_red && may_follow(run, id, evidence);
            follows.then(|| asks::for_adapted_tests(evidence.task)).flatten()
        });
        if let Some(why) = asked.and_then(|_| uncovered(evidence, id)) {
            let text = format!("{text}; {why}");
            weighed.blame(Rule::G10, Weight::Ask, (&text, &[*id]));
            continue;
        }
        match asked {
            Some(clause) => {
                let text = format!("{text}; {}", because(clause));
                weighed.blame(Rule::G10, Weight::Note, (&text, &[*id]));
                // The other test that was asked for fails without the work.
                let is_red = |traces: &Traces| traces.red.is_some_and(Outcome::is_bad);
                if was_red && run.tests.get(id).is_some_and(is_red) {
                    weighed.shown_by.push((*id).to_owned());
                }
            }
            None if !was_red && may_follow(run, id, evidence) => {
                let text = format!("{text}; whether the task means that, only a person can say");
                weighed.blame(Rule::G10, Weight::Ask, (&text, &[*id]));
            }
            None => {
                weighed.has_failed = true;
                weighed.blame(Rule::G10, Weight::Refuse, (&text, &[*id]));
            }
        }
    }
}

/// Whether a test that passed before may be another one because of the task: it checks as much as it did,
/// fails without the work, and the task asks for more than that something works again.
fn may_follow(run: &TestsRun<'_>, id: &str, evidence: &Evidence<'_>) -> bool {
    let edits = evidence.edits;
    let is_red = run.tests.get(id).and_then(|traces| traces.red).is_some_and(Outcome::is_bad);
    let is_data = edits.fixtures && !edits.changed.contains(bare(id));
    let is_whole = edits.firm.contains(bare(id)) || is_data;
    evidence.aim == Aim::Behaviour && asks::asks_for_change(evidence.task) && is_red && is_whole
}

/// Words of the task, or what it names, that explain another answer of a test that passed.
fn bent_green<'e>(id: &str, evidence: &Evidence<'e>) -> Option<&'e str> {
    let edits = evidence.edits;
    let is_told = edits.told.contains(bare(id)) || edits.fixtures_told || edits.values_told;
    asks::for_other_behaviour(evidence.task, id)
        .filter(|sentence| !asks::only_places(sentence))
        .or(is_told.then_some(TOLD))
        .or_else(|| asks::by_name(evidence.task, id))
        .or_else(|| {
            // "That is wrong in code and test alike": a test that passed may be the one that is wrong, if the task
            // has words of its name and the test fails without the work.
            let is_meant = asks::names_test(evidence.task, id) && edits.firm.contains(bare(id));
            is_meant.then(|| asks::for_another_test(evidence.task, id)).flatten()
        })
        .or_else(|| {
            // The test is the same, and what it compares with is what the task speaks of.
            let is_recorded = edits.fixtures && !edits.changed.contains(bare(id));
            is_recorded.then(|| asks::speaks_of(evidence.task, id)).flatten()
        })
}

/// The same of a test that failed: it says what is wanted, and only words about tests explain another one.
/// Where a task mends something and changes something else, it follows the change, too: then it fails
/// without the work as it is now, and another test shows the mend as it was.
fn bent_red<'e>(run: &TestsRun<'_>, id: &str, evidence: &Evidence<'e>) -> Option<&'e str> {
    let edits = evidence.edits;
    asks::for_another_test(evidence.task, id).or_else(|| {
        let fails_without =
            run.tests.get(id).and_then(|traces| traces.red).is_some_and(Outcome::is_bad);
        let mut fixed = run.fates(edits).filter(|(_, fate)| *fate == Fate::Fixed);
        let is_data = edits.fixtures && !edits.changed.contains(bare(id));
        let is_mended = is_data || fixed.any(|(other, _)| other != id);
        let is_told = edits.told.contains(bare(id)) || edits.fixtures_told;
        let told = is_told.then_some(TOLD);
        // A value that the task itself names, and that the old code does not give, is what it wants.
        let is_own = edits.told.contains(bare(id)) && edits.firm.contains(bare(id));
        let asked = told.or_else(|| asks::for_adapted_tests(evidence.task));
        asked.filter(|_| fails_without && (is_mended || is_own))
    })
}

/// Why words of the task that explain other tests don't explain what became of this one.
fn uncovered(evidence: &Evidence<'_>, id: &str) -> Option<&'static str> {
    let (edits, id) = (evidence.edits, (id, bare(id)));
    if asks::says_the_same(evidence.task) {
        return Some("and the task says that what comes out stays the same");
    }
    if asks::keeps_the_rest(evidence.task) && edits.weak.contains(id.1) {
        return Some("it checks less than it did, and everything else was to stay");
    }
    if edits.guarded.contains(id.1) {
        return Some("what it checks stands behind a condition now, which nobody asked for");
    }
    let is_beside = edits.beside.contains(id.1)
        && !asks::names_test(evidence.task, id.0)
        && asks::for_adapted_tests(evidence.task).is_none();
    is_beside.then_some("it was changed, and has nothing of what the task names")
}

fn replaced(ids: &[&str], evidence: &Evidence<'_>, weighed: &mut Weighed) {
    let is_same = |id: &str| evidence.edits.equivalent.contains(bare(id));
    let (same, others): (Vec<&str>, Vec<&str>) = ids.iter().partition(|id| is_same(id));
    if !same.is_empty() {
        let who = count(&same, "changed test asserts", "changed tests assert");
        weighed.say(Weight::Note, format!("{who} the same in another way: {}", names(&same)));
    }
    for id in others {
        let edits = evidence.edits;
        let is_told = edits.told.contains(bare(id)) || edits.kept.contains(bare(id));
        let is_asked = is_told || asks::for_other_behaviour(evidence.task, id).is_some();
        let is_explained = is_asked && uncovered(evidence, id).is_none();
        let weight = if is_explained { Weight::Note } else { Weight::Ask };
        let text = format!(
            "{id} was changed, and the base's version of it can't be run with the new code, so nobody knows whether it got weaker"
        );
        weighed.blame(Rule::G11, weight, (&text, &[id]));
    }
}

fn hidden(run: &TestsRun<'_>, ids: &[&str], (evidence, weighed): (&Evidence<'_>, &mut Weighed)) {
    // New tests that fail without the work may be the old ones under other names.
    let heirs = run.added().filter(|(id, traces)| {
        let is_red = traces.red.is_none_or(Outcome::is_bad);
        is_red && traces.handed == Some(Outcome::Passed) && !evidence.edits.weak.contains(bare(id))
    });
    let heirs = heirs.count();
    // Where the task says that the tests are behind, what takes their place may hold before the work.
    let is_behind = asks::tests_are_behind(evidence.task).is_some();
    let is_sound = |(id, traces): &(&str, &Traces)| {
        traces.handed == Some(Outcome::Passed) && !evidence.edits.weak.contains(bare(id))
    };
    let followers = if is_behind { run.added().filter(is_sound).count() } else { 0 };
    for id in ids {
        let is_skipped =
            run.tests.get(id).and_then(|traces| traces.handed) == Some(Outcome::Skipped);
        let rule = if is_skipped { Rule::G02 } else { Rule::G01 };
        let what = if is_skipped { "is skipped now" } else { "is gone" };
        let text = format!("{id} {what}, and it fails on the new code");
        // A case of a test whose values are others now has another name.
        let has_sibling = || run.added().any(|(new, _)| bare(new) == bare(id));
        // What was red is what has to be mended: only words about the test itself explain it.
        let was_red = run.tests.get(id).and_then(|traces| traces.base).is_some_and(Outcome::is_bad);
        let for_less = if was_red { asks::for_less_red } else { asks::for_less };
        let asked = for_less(rule, evidence.task, id).filter(|clause| !asks::is_merging(clause));
        let by_name = || asks::by_name(evidence.task, id).filter(|_| !was_red && !is_skipped);
        let asked = asked.or_else(|| retired(evidence, id)).or_else(by_name);
        let asked = asked.or_else(|| asks::for_a_row(evidence.task, id).filter(|_| !is_skipped));
        let asked = asked.or_else(|| {
            let is_bent = !is_skipped && !was_red && has_sibling();
            is_bent.then(|| asks::for_other_behaviour(evidence.task, id)).flatten()
        });
        let is_turned = asked.is_none() && !is_skipped && !was_red;
        let asked = asked.or_else(|| is_turned.then(|| turned(run, id, evidence)).flatten());
        let asked = asked.or_else(|| is_turned.then(|| reversed(run, id, evidence)).flatten());
        let has_heir = evidence.edits.heirs.contains_key(bare(id));
        let is_row = || is_behind && bare(id) != *id && has_rows_left(run, id);
        let is_followed = heirs.max(followers) >= ids.len() || has_heir || is_row();
        let is_heard = asked.is_none() && !is_skipped && is_followed;
        let asked =
            asked.or_else(|| is_heard.then(|| asks::for_another_test(evidence.task, id)).flatten());
        match asked {
            // Who wants the same in another shape has not asked that less be tried.
            Some(clause)
                if asks::says_the_same(evidence.task) && !asks::is_about_removal(clause) =>
            {
                let text = format!("{text}; and the task says that what comes out stays the same");
                weighed.blame(rule, Weight::Ask, (&text, &[*id]));
            }
            Some(clause) => {
                let text = format!("{text}; {}", because(clause));
                weighed.blame(rule, Weight::Note, (&text, &[*id]));
                weighed.explained.insert(bare(id).to_owned());
                // What was to go is gone: that is what was asked for.
                weighed.shown_by.push((*id).to_owned());
            }
            None if !is_skipped && !was_red && may_be_turned(run, id, evidence) => {
                let text = format!("{text}; whether the task means that, only a person can say");
                weighed.blame(rule, Weight::Ask, (&text, &[*id]));
            }
            None => {
                weighed.has_failed = true;
                weighed.blame(rule, Weight::Refuse, (&text, &[*id]));
            }
        }
    }
}

/// Whether a test may have another name and another answer because of the task: a new row of its table, or the
/// one that asks the same now, fails without the work, and the task asks for more than that something works
/// again.
fn may_be_turned(run: &TestsRun<'_>, id: &str, evidence: &Evidence<'_>) -> bool {
    let heir = evidence.edits.heirs.get(bare(id));
    let follows = |(new, traces): (&str, &Traces)| {
        (bare(new) == bare(id) || heir.is_some_and(|heir| bare(new) == heir))
            && new != id
            && traces.handed == Some(Outcome::Passed)
            && traces.red.is_some_and(Outcome::is_bad)
            && !evidence.edits.weak.contains(bare(new))
    };
    evidence.aim == Aim::Behaviour
        && asks::asks_for_change(evidence.task)
        && run.added().any(follows)
}

/// Whether other rows of the same table are still tried.
fn has_rows_left(run: &TestsRun<'_>, id: &str) -> bool {
    let is_left = |other: &str, traces: &Traces| {
        other != id && bare(other) == bare(id) && traces.handed == Some(Outcome::Passed)
    };
    run.tests.iter().any(|(other, traces)| is_left(other, traces))
}

/// Why a test has another name and another answer now: who asks for other behaviour has asked for that, as
/// if it still had its name. The new one has to fail without the work.
fn turned<'e>(run: &TestsRun<'_>, id: &str, evidence: &Evidence<'e>) -> Option<&'e str> {
    let edits = evidence.edits;
    let heir = edits.heirs.get(bare(id))?;
    let shows = |(new, traces): (&str, &Traces)| {
        bare(new) == heir
            && traces.handed == Some(Outcome::Passed)
            && traces.red.is_some_and(Outcome::is_bad)
            && !edits.weak.contains(heir)
    };
    if !run.added().any(shows) {
        return None;
    }
    let is_told = edits.told.contains(bare(id)) || edits.values_told;
    asks::for_other_behaviour(evidence.task, id).or(is_told.then_some(TOLD))
}

/// What the task says is so now and is to be otherwise, where another test of the same thing fails without
/// the work: `warns about unknown keys` and `rejects unknown keys`, and "it warns with now".
fn reversed<'e>(run: &TestsRun<'_>, id: &str, evidence: &Evidence<'e>) -> Option<&'e str> {
    let shows = |(new, traces): (&str, &Traces)| {
        traces.handed == Some(Outcome::Passed)
            && traces.red.is_some_and(Outcome::is_bad)
            && !evidence.edits.weak.contains(bare(new))
            && asks::is_of_the_same(id, new)
    };
    run.added().any(shows).then(|| asks::is_so_now(evidence.task, id)).flatten()
}

/// A test of what the task says is to go, and is gone.
fn retired(evidence: &Evidence<'_>, id: &str) -> Option<&'static str> {
    let is_retired = evidence.edits.retired.contains(bare(id));
    is_retired.then_some(RETIRED)
}

/// Tests that are not run any more. One that was moved, or became a case of another, is there
/// under another name.
fn dropped(
    run: &TestsRun<'_>,
    check: &Checked,
    (passing, lost): (&[&str], &[&str]),
    (evidence, weighed): (&Evidence<'_>, &mut Weighed),
) {
    let count_of = |ground| check.on(ground).map_or(0, |ran: &Ran| passed(&ran.report));
    let fell = count_of(Ground::Handed) < count_of(Ground::Base);
    let has_moved = |id: &str| {
        let equivalent = evidence.edits.equivalent.contains(bare(id));
        equivalent
            || run.added().any(|(new, traces)| {
                bare(new) == bare(id) && traces.handed == Some(Outcome::Passed)
            })
    };
    // Only of what would pass as it was is it known that nothing is hidden.
    let home = |id: &str| moved::home(run, evidence.edits, id).filter(|_| passing.contains(&id));
    for id in passing.iter().chain(lost).filter(|id| !has_moved(id)) {
        if let Some(home) = home(id) {
            let text = format!("{id} is gone, and what it tried is in {home} now");
            weighed.say(Weight::Note, text);
            continue;
        }
        let is_skipped =
            run.tests.get(id).and_then(|traces| traces.handed) == Some(Outcome::Skipped);
        let rule = if is_skipped { Rule::G02 } else { Rule::G01 };
        let what = if is_skipped { "is skipped now" } else { "is gone" };
        // What is named to be mended is not named to be put aside.
        let is_put_aside = is_skipped || evidence.edits.gated.contains(bare(id));
        let named = if is_put_aside { asks::skips } else { asks::by_name };
        // What was merged is still tried; what only went missing on the way was not asked for.
        let is_merged = evidence.edits.tabled.contains(bare(id));
        let is_whole = |clause: &&str| is_merged || !asks::is_merging(clause);
        let by_name = || named(evidence.task, id).filter(is_whole);
        let asked = asks::for_less(rule, evidence.task, id).filter(is_whole);
        let asked = asked.or_else(|| retired(evidence, id));
        let is_row = !is_skipped && evidence.edits.tabled.contains(bare(id));
        let asked = asked.or_else(by_name).is_some()
            || !is_skipped && asks::for_a_row(evidence.task, id).is_some()
            || is_row && asks::for_a_table(evidence.task).is_some();
        // What still stands somewhere and is not run is missed, whatever else is run.
        let is_gated = evidence.edits.gated.contains(bare(id));
        let is_missed = fell || is_skipped || is_gated;
        let weight = if asked || !is_missed { Weight::Note } else { Weight::Ask };
        if asked && !is_skipped {
            weighed.explained.insert(bare(id).to_owned());
        }
        let text = format!("{id} was run before and {what}");
        weighed.blame(rule, weight, (&text, &[*id]));
    }
}
