//! Runs that name what failed and only count what passes.

use countersign_domain::qa::Suite;

use super::*;

/// A run of so many tests that passed, and `named` ones as in [`report`].
fn counts(ground: Ground, passed: u64, named: &str) -> Ran {
    skips(ground, (passed, 0), named)
}

fn skips(ground: Ground, (passed, skipped): (u64, u64), named: &str) -> Ran {
    let mut report = report(named);
    let unnamed = Totals { passed, skipped, ..Totals::default() };
    let outcome = if report.totals.bad() > 0 { Outcome::Failed } else { Outcome::Passed };
    report.suites.push(Suite { id: String::new(), outcome, unnamed });
    report.totals += unnamed;
    report.format = Format::Pytest;
    ran(ground, report)
}

fn story(runs: impl IntoIterator<Item = Ran>) -> Story {
    let mut story = Story { runs: runs.into_iter().collect(), ..Story::new("", "") };
    story.edits.reverted = true;
    story
}

use Ground::{Base, Handed, Red, Room, Wrong};

/// LP-12: a test that fails without the work, and isn't named with it, passes with it.
#[test]
fn what_is_not_named_any_more_passes() {
    let runs = [counts(Base, 2, ""), counts(Handed, 3, ""), counts(Room, 2, "")];
    let story_of = |red: Ran| story(runs.clone().into_iter().chain([red]));
    let judged = story_of(counts(Red, 2, "new-")).ends(Verdict::Accepted, "");
    assert_eq!(judged.shown_by, ["new"]);
    story_of(counts(Red, 3, "")).ends(Verdict::Human, "no test fails on the base");
    // What the old code can't even load may be anything.
    story_of(counts(Red, 2, "tests/new.py!")).ends(Verdict::Human, "no test fails on the base");
    // The test that was red.
    let mended = [counts(Base, 2, "b-"), counts(Handed, 3, ""), counts(Room, 3, "")];
    assert_eq!(story(mended).ends(Verdict::Accepted, "").shown_by, ["b"]);
    // One that was red before is another matter.
    let beside = [counts(Base, 2, "b- old-"), counts(Handed, 3, "old-"), counts(Room, 3, "old-")];
    let judged = story(beside).ends(Verdict::Accepted, "failed on the base as well");
    assert_eq!(judged.shown_by, ["b"]);
    let new = [
        counts(Base, 2, "old-"),
        counts(Handed, 3, "old-"),
        counts(Room, 2, "old-"),
        counts(Red, 2, "new- old-"),
    ];
    assert_eq!(story(new).ends(Verdict::Accepted, "").shown_by, ["new"]);
}

/// LP-13, G10: a test that fails on the new code in the base's version passed on the base.
#[test]
fn unnamed_tests_that_were_bent() {
    let bent = || [counts(Base, 2, ""), counts(Handed, 2, ""), counts(Room, 1, "b-")];
    story(bent()).ends(Verdict::Refused, "b passes now, and the base's version of it fails");
    let upkeep = story(bent()).task("Simplify add", Aim::Upkeep);
    upkeep.ends(Verdict::Refused, "G10");
    // The red one stays red by the base's own test.
    let red = [counts(Base, 1, "b-"), counts(Handed, 2, ""), counts(Room, 1, "b-")];
    story(red).ends(Verdict::Refused, "G10");
    // It is gone, and another one is there.
    let gone = [counts(Base, 2, ""), counts(Handed, 1, ""), counts(Room, 1, "b-")];
    story(gone).ends(Verdict::Refused, "");
    let broken = [counts(Base, 2, ""), counts(Handed, 1, "b-"), counts(Room, 1, "b-")];
    story(broken).ends(Verdict::Refused, "passed on the base and fails now: b");
}

/// G01, G02: fewer tests that pass are missed where nobody says which.
#[test]
fn unnamed_tests_that_are_gone() {
    let upkeep = |runs: [Ran; 3]| story(runs).task("Simplify add", Aim::Upkeep);
    let gone = || [counts(Base, 3, ""), counts(Handed, 2, ""), counts(Room, 3, "")];
    upkeep(gone())
        .ends(Verdict::Human, "1 test fewer passes than on the base, and it does not say");
    let skipped = [counts(Base, 3, ""), skips(Handed, (2, 1), ""), counts(Room, 3, "")];
    upkeep(skipped).ends(Verdict::Human, "say which (G02)");
    let more = [counts(Base, 3, ""), counts(Handed, 4, ""), counts(Room, 3, "")];
    upkeep(more).ends(Verdict::Accepted, "");
    let asked = upkeep(gone()).task("Remove the test b", Aim::Upkeep).changed(&["b"]);
    asked.ends(Verdict::Accepted, "1 test fewer passes");
    // With names it is told once, and by name.
    let named = Story::new("a+", "a+ b+").task("Simplify add", Aim::Upkeep).on(Room, "a+ b+");
    named.ends(Verdict::Human, "b was run before and is gone");
}

/// LP-13: what was not reached, or could not be loaded, did not pass.
#[test]
fn what_may_not_have_been_run_did_not_pass() {
    let shows = |handed: Ran| {
        let runs = [counts(Base, 2, ""), handed, counts(Room, 2, ""), counts(Red, 2, "new-")];
        story(runs).judged().shown_by
    };
    assert_eq!(shows(counts(Handed, 3, "")), ["new"]);
    assert!(shows(counts(Handed, 2, "")).is_empty(), "one test fewer than without the work");
    assert!(shows(skips(Handed, (2, 1), "")).is_empty(), "it may be the one that is skipped");
    assert!(shows(counts(Handed, 3, "tests/a.py!")).is_empty(), "a file was not loaded");
}

/// LP-13: a test that passes whatever it expects is refused, and a flaky one accuses nobody.
#[test]
fn unnamed_tests_are_looked_at_twice() {
    let runs = |handed: Ran, more: Ran| {
        [counts(Base, 2, ""), handed, counts(Room, 2, ""), counts(Red, 2, "b-"), more]
    };
    story(runs(counts(Handed, 3, ""), counts(Wrong, 3, ""))).ends(Verdict::Refused, "G41");
    story(runs(counts(Handed, 3, ""), counts(Wrong, 2, "b-"))).ends(Verdict::Accepted, "");
    let coin = runs(counts(Handed, 2, "b-"), counts(Handed, 3, ""));
    story(coin).ends(Verdict::Human, "flaky");
    let before =
        [counts(Base, 2, "b-"), counts(Base, 3, ""), counts(Handed, 3, ""), counts(Room, 3, "")];
    story(before).ends(Verdict::Human, "flaky, on the base as well");
}

/// LP-12: where there is only an exit code, the new tests on the old code show the work, if they could be run.
#[test]
fn an_exit_code_without_the_work() {
    let said = |lines: &str| Some(Said::of(lines, &|_| true));
    let red = |code: i32, lines: &str| Ran { said: said(lines), ..plain(Red, code) };
    let runs = |red: Ran| [plain(Base, 0), plain(Handed, 0), plain(Room, 0), red];
    let failed = "AssertionError [ERR_ASSERTION]: 'a--b' == 'a-b'";
    let judged = story(runs(red(1, failed))).ends(Verdict::Accepted, "");
    assert_eq!(judged.shown_by, ["test"]);
    let nothing = "no test fails on the base";
    story(runs(red(0, ""))).ends(Verdict::Human, nothing);
    story(runs(red(127, "sh: 1: node: not found"))).ends(Verdict::Human, nothing);
    story(runs(red(1, "ImportError: cannot import name 'x'"))).ends(Verdict::Human, nothing);
    story(runs(Ran { ended: Ended::TimedOut, ..red(1, "") })).ends(Verdict::Human, nothing);
    // Bent: the base's own tests fail on the new code.
    let bent = [plain(Base, 0), plain(Handed, 0), plain(Room, 1), red(1, failed)];
    story(bent).ends(Verdict::Refused, "passes only with the changed tests");
}

/// LP-13, G10: where a package only says that it passed, the base's own test is missed all the same.
#[test]
fn packages_that_only_pass() {
    let passes = |ground: Ground| {
        let mut report = Report { format: Format::GoTest, ..Report::plain(Some(0)) };
        let (id, outcome) = ("example.com/a".to_owned(), Outcome::Passed);
        report.suites.push(Suite { id, outcome, unnamed: Totals::default() });
        ran(ground, report)
    };
    let fails = |ground: Ground| ran(ground, named("example.com/a TestB", Outcome::Failed));
    let bent = story([passes(Base), passes(Handed), fails(Room)]).task("Simplify", Aim::Upkeep);
    bent.ends(
        Verdict::Refused,
        "example.com/a TestB passes now, and the base's version of it fails",
    );
    // It may be skipped there.
    let new = story([passes(Base), passes(Handed), passes(Room), fails(Red)]);
    new.ends(Verdict::Human, "no test fails on the base");
}

fn named(id: &str, outcome: Outcome) -> Report {
    let cases = vec![Case::new(id, outcome)];
    let totals = Totals::of(cases.iter().map(|case| case.outcome));
    Report { format: Format::GoTest, cases, totals, exit_code: Some(1), ..Report::plain(None) }
}
