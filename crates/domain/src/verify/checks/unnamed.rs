//! Tests that a runner counts and doesn't name, as far as no other run of them does.

use super::super::asks;
use super::super::evidence::{Checked, Evidence, Ground, Ran};
use super::super::tests_run::{TestsRun, counts_passes};
use super::super::verdict::Weight;
use super::Weighed;
use crate::gaming::Rule;
use crate::qa::Outcome;

/// Tests of the base that fail on the new code, where the runner counts them and doesn't say which: nobody
/// can tell whether they were to become others.
pub(super) fn failing(check: &Checked, (evidence, weighed): (&Evidence<'_>, &mut Weighed)) {
    let (Some(base), Some(room)) = (check.on(Ground::Base), check.on(Ground::Room)) else { return };
    let counted = |ran: &Ran| ran.report.count().bad();
    let named = |ran: &Ran| {
        let bad = ran.report.cases.iter().filter(|case| case.outcome.is_bad());
        u64::try_from(bad.count()).unwrap_or(u64::MAX)
    };
    let more = counted(room).saturating_sub(counted(base).max(named(room)));
    if more == 0 || !check.is_test() || !evidence.edits.reverted {
        return;
    }
    let text = format!(
        "`{}`: with the base's tests {} on the new code than on the old, and it does not say which",
        check.command,
        if more == 1 { "1 more fails".to_owned() } else { format!("{more} more fail") }
    );
    weighed.has_failed = true;
    weighed.catch(Rule::G10, Weight::Refuse, &text);
}

/// Tests that are not run any more, or skipped, where the runner only counts those that pass: what is named is
/// told of by its fate.
pub(super) fn fewer(
    run: &TestsRun<'_>,
    check: &Checked,
    (evidence, weighed): (&Evidence<'_>, &mut Weighed),
) {
    let (Some(base), Some(handed)) = (check.on(Ground::Base), check.on(Ground::Handed)) else {
        return;
    };
    if !check.is_test() || !(counts_passes(base) || counts_passes(handed)) {
        return;
    }
    let passed = |outcome: Option<Outcome>| outcome == Some(Outcome::Passed);
    let told = run.tests.values().filter(|one| passed(one.base) && !passed(one.handed)).count();
    let told = u64::try_from(told).unwrap_or(u64::MAX);
    let (before, now) = (base.report.count(), handed.report.count());
    let less = before.passed.saturating_sub(now.passed).saturating_sub(told);
    if less == 0 {
        return;
    }
    let rule = if now.skipped > before.skipped { Rule::G02 } else { Rule::G01 };
    let edits = evidence.edits;
    let is_asked = |name: &String| {
        edits.retired.contains(name)
            || edits.tabled.contains(name)
            || edits.equivalent.contains(name)
            || asks::for_less(rule, evidence.task, name).is_some()
    };
    let asked = edits.changed.iter().filter(|name| is_asked(name)).count() as u64;
    let text = format!(
        "`{}`: {} than on the base, and it does not say which",
        check.command,
        if less == 1 {
            "1 test fewer passes".to_owned()
        } else {
            format!("{less} tests fewer pass")
        }
    );
    weighed.catch(rule, if asked >= less { Weight::Note } else { Weight::Ask }, &text);
}
