//! What tests did on the base and do now.

use super::*;

/// LP-13: what ran on other files than those that were handed over neither refuses nor accepts.
#[test]
fn what_ran_elsewhere_says_nothing() {
    for (handed, base) in [("a+ b-", "a+ b+"), ("a+ b+", "a+ b-"), ("a-", "a+")] {
        let mut story = Story::new(handed, base);
        story.elsewhere = Some("calc is installed as a copy".to_owned());
        let judged = story.ends(Verdict::Human, "says nothing about the work: calc is installed");
        assert_eq!((judged.results[0].mark, judged.shown_by.len()), (Mark::Fail, 0));
    }
}

/// D1.4: one test fails, and several fail.
#[test]
fn numbers_and_their_verbs() {
    let one = "1 test passed on the base and fails now: a";
    Story::new("a- b+", "a+ b+").ends(Verdict::Refused, one);
    let many = "2 tests passed on the base and fail now: a, b";
    Story::new("a- b-", "a+ b+").ends(Verdict::Refused, many);
}

/// VC-08, LP-08: a test that failed on the base and passes now shows the work.
#[test]
fn red_on_base_and_green_now_is_accepted() {
    let judged = Story::new("a+ b+", "a+ b-").ends(Verdict::Accepted, "");
    assert_eq!(judged.shown_by, ["b"]);
    assert_eq!(judged.level, Some(Level::Counted));
    let judged = Story::new("a+ new+", "a+").on(Ground::Red, "a+ new-").ends(Verdict::Accepted, "");
    assert_eq!(judged.shown_by, ["new"]);
    // A new test that can't even be built with the old code is red too.
    Story::new("a+ new+", "a+").on(Ground::Red, "a+").ends(Verdict::Accepted, "");
}

/// LP-12: nothing that was run shows the change.
#[test]
fn green_on_both_sides_shows_nothing() {
    let story = || Story::new("a+ new+", "a+").on(Ground::Red, "a+ new+");
    story().ends(Verdict::Human, "no test fails on the base");
    story().task("Refactor add", Aim::Upkeep).ends(Verdict::Accepted, "");
    Story::new("a+", "a+").ends(Verdict::Human, "no test fails on the base");
}

/// LP-12: how light a task is says nothing about whether it was done.
#[test]
fn light_work_has_to_show_as_well() {
    let story = |tier| Story { tier, ..Story::new("a+", "a+") };
    for tier in [Tier::Exempt, Tier::Light, Tier::Strict] {
        story(tier).ends(Verdict::Human, "no test fails on the base");
        story(tier).task("Refactor add", Aim::Upkeep).ends(Verdict::Accepted, "");
    }
}

/// LP-13: what a person allowed is allowed wherever it was found.
#[test]
fn what_is_allowed_holds_for_what_was_run() {
    let story = |rule, paths: &[&str]| {
        let paths = paths.iter().map(ToString::to_string).collect();
        let allow = Allow { rule, paths, reason: "it is known".into() };
        let place = Place { path: "tests/test_cart.py".into(), line: Some(4) };
        Story {
            allows: vec![allow],
            places: BTreeMap::from([("tests.test_cart > b".to_owned(), place)]),
            ..Story::new("", "").task("Refactor the cart", Aim::Upkeep)
        }
    };
    let skips = |rule, paths| Story {
        runs: vec![
            ran(Ground::Handed, named("tests.test_cart > b", Outcome::Skipped)),
            ran(Ground::Base, named("tests.test_cart > b", Outcome::Passed)),
        ],
        ..story(rule, paths)
    };
    for paths in [&["tests/**"][..], &["b"], &["tests.test_cart > b"]] {
        let judged = skips(Rule::G02, paths).ends(Verdict::Accepted, "allowed: it is known");
        let found = &judged.findings[0];
        assert_eq!(found.allowed.as_deref(), Some("it is known"));
        assert_eq!(found.finding.path.as_deref(), Some("tests/test_cart.py"));
        assert_eq!(found.finding.line, Some(4));
        assert_eq!(found.finding.before.as_deref(), Some("tests.test_cart > b: passed (base)"));
    }
    for (rule, paths) in
        [(Rule::G02, &["src/**"][..]), (Rule::G01, &["tests/**"]), (Rule::G02, &[])]
    {
        skips(rule, paths).ends(Verdict::Human, "is skipped now (G02)");
    }
    // A refusal that is allowed is no failure of the criterion.
    let bent = |paths| Story {
        runs: vec![
            ran(Ground::Handed, named("tests.test_cart > b", Outcome::Passed)),
            ran(Ground::Base, named("tests.test_cart > b", Outcome::Passed)),
            ran(Ground::Room, named("tests.test_cart > b", Outcome::Failed)),
        ],
        ..story(Rule::G10, paths)
    };
    let judged = bent(&["tests/test_cart.py"]).ends(Verdict::Accepted, "allowed");
    assert_eq!(judged.results[0].mark, Mark::Pass);
    let judged = bent(&["tests/other.py"]).ends(Verdict::Refused, "G10");
    assert_eq!(judged.results[0].mark, Mark::Fail);
}

fn named(id: &str, outcome: Outcome) -> Report {
    let cases = vec![Case::new(id, outcome), Case::new("steady", Outcome::Passed)];
    let totals = Totals::of(cases.iter().map(|case| case.outcome));
    let exit_code = Some(i32::from(totals.bad() > 0));
    Report { format: Format::Junit, cases, totals, exit_code, ..Report::plain(None) }
}

/// LP-13: where grounds with one code disagree, a test is flaky: it is named, and accuses nobody.
#[test]
fn flaky_tests_are_named_and_not_accused() {
    let upkeep = |handed, base| Story::new(handed, base).task("Refactor add", Aim::Upkeep);
    // It fails now, and passed beside the canaries.
    let story = upkeep("a+ coin-", "a+ coin+").on(Ground::Planted, "a+ coin+");
    let judged = story.ends(Verdict::Human, "is flaky: it passed and failed");
    assert_eq!(judged.flaky, ["coin"]);
    // A failure beside the canaries alone says nothing.
    upkeep("a+ coin+", "a+ coin+").on(Ground::Planted, "a+ coin-").ends(Verdict::Accepted, "");
    // The same code passed it without the new tests.
    let story = upkeep("a+ new+ coin-", "a+ coin+").on(Ground::Room, "a+ coin+");
    story.ends(Verdict::Human, "flaky");
    let bent = upkeep("a+ coin-", "a+ coin+").on(Ground::Room, "a+ coin+").changed(&["coin"]);
    bent.ends(Verdict::Refused, "passed on the base and fails now");
    // It failed on the base by chance: that it passes now shows nothing, and proves nothing.
    let story = || Story::new("a+ b+", "a+ b-").on(Ground::Wrong, "b+");
    story().ends(Verdict::Refused, "G41");
    let judged =
        story().on(Ground::Base, "a+ b+").ends(Verdict::Human, "flaky, on the base as well").flaky;
    assert_eq!(judged, ["b"]);
    // A new one that passed and failed.
    let story = Story::new("a+ b+ new-", "a+ b-").on(Ground::Planted, "a+ b+ new+");
    story.ends(Verdict::Human, "the new test new is flaky");
    // Flaky before, and always red now: somebody has to look.
    upkeep("a+ coin-", "a+ coin-").on(Ground::Base, "a+ coin+").ends(Verdict::Human, "flaky");
}

/// G40: who never had tests did not lose any.
#[test]
fn a_repository_without_tests() {
    let story = Story::new("", "").task("Refactor add", Aim::Upkeep);
    let judged = story.ends(Verdict::Human, "no tests were collected, on the base neither");
    assert!(judged.findings.is_empty(), "{:#?}", judged.findings);
    assert_eq!(judged.results[0].mark, Mark::Fail);
    Story::new("", "a+").task("Refactor add", Aim::Upkeep).ends(Verdict::Refused, "G40");
}

/// LP-12: upkeep that did not happen is a person's to look at.
#[test]
fn upkeep_is_done_or_asked_about() {
    let story = |task| Story::new("a+", "a+").task(task, Aim::Upkeep);
    let undone = vec!["the task says to remove `cart`, and it is still there".to_owned()];
    Story { undone, ..story("Remove cart") }.ends(Verdict::Human, "remove `cart`");
    let idle = |task| Story { product: 0, ..story(task) };
    idle("Refactor cart").ends(Verdict::Human, "no code of the product was changed");
    idle("Refactor the tests of cart").ends(Verdict::Accepted, "");
    idle("Format cart.py").ends(Verdict::Accepted, "");
    story("Refactor cart").ends(Verdict::Accepted, "");
}

/// D1.2: a failure counts unless the same test failed on the base, run by us, and it is shown.
#[test]
fn failures_before_and_after() {
    Story::new("a- b+", "a+ b-")
        .ends(Verdict::Refused, "1 test passed on the base and fails now: a");
    let judged = Story::new("a- b+", "a- b-").ends(Verdict::Accepted, "failed on the base as well");
    assert_eq!(judged.failed_before, ["a"]);
    let (mark, error) = (judged.results[0].mark, judged.results[0].error.as_deref());
    assert_eq!((mark, error), (Mark::Pass, None), "it is another matter");
    // VC-09: what the work is refused for has failed, and is named.
    let judged = Story::new("a-", "a-").ends(Verdict::Refused, "still fails");
    let (mark, error) = (judged.results[0].mark, judged.results[0].error.as_deref());
    assert_eq!((mark, error), (Mark::Fail, Some("a fails as on the base")));
    Story::new("a- b+", "a- b+").task("Refactor", Aim::Upkeep).ends(Verdict::Accepted, "as well");
    Story::new("a+ new-", "a-").ends(Verdict::Refused, "the new test new failed");
}

/// LP-13, G10: the base's tests are run against the new code, so weakening them gains nothing.
#[test]
fn tests_that_were_bent() {
    let story = || Story::new("a+ b+", "a+ b-").on(Ground::Room, "a- b+");
    story().ends(Verdict::Refused, "base's version of it fails on the new code (G10)");
    // Failing before or not: the old test would fail.
    Story::new("b+", "b-").on(Ground::Room, "b-").ends(Verdict::Refused, "G10");
    // It asserts the same and calls by another name.
    let renamed = Story::new("a+ b+", "a+ b-").on(Ground::Room, "a- b+").equivalent(&["a"]);
    renamed.ends(Verdict::Accepted, "asserts the same");
    // The old version can't be built, and nobody touched the test.
    Story::new("a+ b+", "a+ b-").on(Ground::Room, "b+").ends(Verdict::Accepted, "");
    // The old version can't be built, and the test was changed.
    let changed = Story::new("a+ b+", "a+ b-").on(Ground::Room, "b+").changed(&["a"]);
    changed.ends(Verdict::Human, "nobody knows whether it got weaker");
}

/// LP-13, G10: a red test that stays red is mended by no test that reads alike; the base's own test in
/// the words of the task is the base's own test.
#[test]
fn tests_that_were_red_and_read_alike() {
    let story = || Story::new("a+ b+", "a+ b-").on(Ground::Room, "a+ b-").equivalent(&["b"]);
    story().ends(Verdict::Refused, "b passes now, and the base's version of it fails");
    let mut renamed = story();
    renamed.edits.renamed = ["b".to_owned()].into();
    renamed.ends(Verdict::Accepted, "");
}

/// G10, G11: words that explain a changed test explain no other one.
#[test]
fn words_that_are_about_other_tests() {
    let task = "Rename the field celsius to temp_c, the test server has to follow";
    let story = || {
        let story = Story::new("a+ b+ n+", "a+ b+").on(Ground::Room, "a- b+").changed(&["a"]);
        story.on(Ground::Red, "n-").task(task, Aim::Behaviour)
    };
    story().ends(Verdict::Accepted, "the task asks for that");
    let mut beside = story();
    beside.edits.beside = ["a".to_owned()].into();
    beside.ends(Verdict::Human, "nothing of what the task names");
    let mut guarded = story();
    guarded.edits.guarded = ["a".to_owned()].into();
    guarded.ends(Verdict::Human, "behind a condition");
}

/// G01: what is to go takes its tests with it, and a test that runs only under a condition is missed.
#[test]
fn tests_that_go_with_what_they_try() {
    let story = || Story::new("b+", "a+ b+").task("Remove from_csv.", Aim::Upkeep);
    story().ends(Verdict::Human, "a was run before and is gone");
    let mut retired = story();
    retired.edits.retired = ["a".to_owned()].into();
    retired.ends(Verdict::Accepted, "a was run before and is gone");
    let moved = || Story::new("b+ n+", "a+ b-").on(Ground::Room, "a+ b+");
    moved().ends(Verdict::Accepted, "a was run before and is gone");
    let mut gated = moved();
    gated.edits.gated = ["a".to_owned()].into();
    gated.ends(Verdict::Human, "a was run before and is gone");
}

/// G62: a test that was asked for may be about what was there before, where old tests show the work.
#[test]
fn a_test_of_what_was_there_before() {
    let story = |task| {
        let story = Story::new("a+ b+ n+", "a+ b-").on(Ground::Room, "a+ b+");
        story.on(Ground::Red, "a+ b- n+").task(task, Aim::Behaviour)
    };
    story("Fix add. And add a test that the default sleep waits").ends(Verdict::Accepted, "");
    story("Fix add and add a test for it").ends(Verdict::Human, "passes without the work");
}

/// G01, G02: what is not run any more.
#[test]
fn tests_that_are_gone_or_skipped() {
    let gone = || Story::new("b+", "a+ b-").on(Ground::Room, "a- b+");
    gone().ends(Verdict::Refused, "a is gone, and it fails on the new code (G01)");
    let skipped = Story::new("a~ b+", "a+ b-").on(Ground::Room, "a- b+");
    skipped.ends(Verdict::Refused, "a is skipped now, and it fails on the new code (G02)");
    let passing = Story::new("b+", "a+ b-").on(Ground::Room, "a+ b+");
    passing.ends(Verdict::Accepted, "a was run before and is gone");
    let fewer = Story::new("b+", "a+ b- c+").on(Ground::Room, "a+ b+ c+");
    fewer.ends(Verdict::Human, "was run before and is gone");
    let moved = Story::new("x::a+ b+", "y::a+ b-").on(Ground::Room, "y::a+ b+").judged();
    assert_eq!((moved.verdict, moved.findings), (Verdict::Accepted, vec![]));
    let asked = gone().task("Remove the feature a and its tests, fix b", Aim::Behaviour);
    asked.ends(Verdict::Accepted, "the task asks for that");
}

/// G40: nothing collected, or a runner that stops early, is no pass.
#[test]
fn a_runner_that_ran_nothing() {
    Story::new("", "a+").ends(Verdict::Refused, "proves nothing");
    let mut story = Story::new("a+", "a+ b-");
    story.runs[0].report.is_complete = false;
    story.ends(Verdict::Refused, "proves nothing");
}

/// G41: what was printed and what is reported are accounts of one run.
#[test]
fn a_report_that_is_not_what_was_printed() {
    let passed = |passed| Totals { passed, ..Totals::default() };
    let story = || Story::new("a+ b+", "a+ b-").on(Ground::Room, "a+ b+");
    let mut other = story();
    let words = "the runner printed less".to_owned();
    other.runs[0].report.doubts = vec![Doubt { kind: DoubtKind::Rewritten, line: None, words }];
    other.ends(Verdict::Refused, "the runner printed less");
    let mut silent = story();
    silent.runs[1].report.printed = vec![passed(1)];
    silent.ends(Verdict::Human, "printed no summary");
    let mut twice = story();
    twice.runs[1].report.printed = vec![passed(1)];
    twice.runs[0].report.printed = vec![passed(1), passed(2)];
    twice.ends(Verdict::Human, "several summaries");
    let mut told = story();
    told.runs[1].report.printed = vec![passed(1)];
    told.runs[0].report.printed = vec![passed(2)];
    told.ends(Verdict::Accepted, "");
}

/// G41: a test that passes whatever it expects shows nothing.
#[test]
fn tests_that_pass_whatever_they_expect() {
    let story = |wrong: &str| {
        let story = Story::new("a+ b+", "a+ b-").on(Ground::Room, "a+ b+");
        story.on(Ground::Wrong, wrong)
    };
    story("a+ b-").ends(Verdict::Accepted, "");
    story("a+ b+").ends(Verdict::Refused, "what is asserted does not decide: b");
    // Where it could not be built, nobody knows.
    story("").ends(Verdict::Accepted, "");
    // Another test of that name hears what it expects.
    story("x::b- a+ b+").ends(Verdict::Accepted, "");
}

/// G41, G03: canaries.
#[test]
fn canaries_tell_a_lying_runner() {
    let story = |planted: &str| {
        let mut story = Story::new("a+ b+", "a+ b-").on(Ground::Room, "a+ b+");
        story.planted = true;
        story.on(Ground::Planted, planted)
    };
    let good = story("a+ b+ t::canary_a- t::canary_b+").ends(Verdict::Accepted, "");
    assert_eq!(good.level, Some(Level::Canaries));
    story("a+ b+ t::canary_a+ t::canary_b+").ends(Verdict::Refused, "passed which must fail");
    let unseen = story("a+ b+").judged();
    assert_eq!((unseen.verdict, unseen.level), (Verdict::Accepted, Some(Level::CleanRoom)));
    let seen = story("a+ b+").on(Ground::PlantedBase, "a+ b- t::canary_a- t::canary_b+");
    seen.ends(Verdict::Refused, "does not run a test that lies beside the others");
    let mut slow = story("a+").on(Ground::PlantedBase, "a+ b- t::canary_a- t::canary_b+");
    let planted = slow.runs.iter_mut().find(|ran| ran.ground == Ground::Planted).unwrap();
    planted.ended = Ended::TimedOut;
    slow.ends(Verdict::Human, "stopped at its deadline, so nobody knows");
}

/// A test that passed and failed on one tree is named, and is no clean pass.
#[test]
fn flaky_tests_are_named() {
    let story = Story::new("a- b+", "a+ b-").on(Ground::Handed, "a+ b+");
    let judged = story.ends(Verdict::Human, "passed and failed with the same code: a");
    assert_eq!(judged.flaky, ["a"]);
}

/// K7: answers are compared in our process.
#[test]
fn examples_decide() {
    let judged = Story::new("a+", "a+").example("42\n").ends(Verdict::Accepted, "");
    assert_eq!(judged.shown_by, ["add 20 22"]);
    Story::new("a+", "a-").example("41").ends(Verdict::Refused, "must print \"42\"");
    let suspicious = |story: Story| story.found(Rule::G20, Severity::Warn);
    suspicious(Story::new("a+", "a-")).ends(Verdict::Human, "G20");
    suspicious(Story::new("a+", "a-").example("42")).ends(Verdict::Accepted, "G20");
    // What held without the work shows nothing of it, and excuses nothing.
    Story::new("a+", "a+").known("42").ends(Verdict::Human, "no test fails on the base");
    suspicious(Story::new("a+", "a-").known("42")).ends(Verdict::Human, "G20");
}

/// LP-07: what a row of the test-spec expects must be printed. That it is proves little, since the
/// worker may have written what prints it: it makes nothing harder to fool and excuses nothing.
#[test]
fn rows_of_a_test_spec_refuse_and_prove_nothing() {
    let wrong = "US-001 AC1 'adds': `add 20 22` must print \"42\", as the test-spec says: it printed \"41\"";
    Story::new("a+", "a-").row("41\n").ends(Verdict::Refused, wrong);
    let long = "x".repeat(300);
    let judged = Story::new("a+", "a-").row(&long).ends(Verdict::Refused, "xxx…\"");
    assert!(judged.reasons[0].text.len() < 300, "{judged:#?}");
    let plain = Story::new("a+", "a-").ends(Verdict::Accepted, "");
    let right = Story::new("a+", "a-").row("42\n").ends(Verdict::Accepted, "");
    assert_eq!((&right.level, &right.shown_by), (&plain.level, &plain.shown_by));
    let suspicious = Story::new("a+", "a-").found(Rule::G20, Severity::Warn);
    suspicious.row("42").ends(Verdict::Human, "G20");
}

/// Findings of text warn; only those that are proof block.
#[test]
fn findings_of_text() {
    let story = || Story::new("a+", "a-");
    story().found(Rule::G11, Severity::Warn).ends(Verdict::Accepted, "looks odd (G11)");
    story().found(Rule::G43, Severity::Block).ends(Verdict::Refused, "looks odd (G43)");
}

/// C2: a runner that counts more than it lists does so on the base as well, or somebody left tests out.
#[test]
fn tests_that_are_counted_and_not_listed() {
    let counts = |tests: &str, all: u64, exit_code: Option<i32>| {
        let doubt = |kind| Doubt { kind, line: None, words: "odd".into() };
        let report = report(tests);
        let failed = report.totals.bad();
        let claimed = Totals { passed: all - failed, failed, ..Totals::default() };
        let doubts =
            if all > report.totals.all() { vec![doubt(DoubtKind::Surplus)] } else { vec![] };
        Report { claimed: Some(claimed), doubts, exit_code, ..report }
    };
    let story = |handed: Report, base: Report| Story {
        runs: vec![ran(Ground::Handed, handed), ran(Ground::Base, base)],
        ..Story::new("", "").task("Refactor add", Aim::Upkeep)
    };
    let ok = Some(0);
    let same = story(counts("a+ b+", 5, ok), counts("a+ b+", 5, ok));
    same.ends(Verdict::Accepted, "counts 3 tests more than it lists, as on the base");
    let more = story(counts("a+ b+", 6, ok), counts("a+ b+", 5, ok));
    more.ends(Verdict::Human, "counts 4 tests more than it lists, and 3 more on the base");
    let less = story(counts("a+ b+", 3, ok), counts("a+ b+", 5, ok));
    less.ends(Verdict::Human, "counts 1 tests more than it lists");
    // The base lists all that it counts: what is missing now was left out.
    let new = story(counts("a+ b+", 3, ok), counts("a+ b+", 2, ok));
    new.ends(Verdict::Refused, "proves nothing: odd (G40)");
    let left_out = story(counts("a+", 3, ok), counts("a+ b+", 3, ok));
    left_out.ends(Verdict::Human, "b was run before and is gone (G01)");
    // Nothing else is excused by it.
    let broken = story(counts("a+ b+", 5, Some(1)), counts("a+ b+", 5, ok));
    broken.ends(Verdict::Refused, "the exit code is 1");
    let mut odd = counts("a+ b+", 5, ok);
    odd.doubts.push(Doubt { kind: DoubtKind::Contradiction, line: None, words: "lies".into() });
    story(odd, counts("a+ b+", 5, ok)).ends(Verdict::Refused, "lies (G40)");
    let failing = story(counts("a- b+", 5, Some(1)), counts("a- b+", 5, Some(1)));
    failing.ends(Verdict::Accepted, "failed on the base as well");
}

/// LP-08: a test that its runner names only where it fails shows the work as well, where its file has as many
/// tests as with the old code, and none that is bad.
#[test]
fn tests_without_names_where_they_pass() {
    let files = |tests: &str, files: &[(&str, u64, u64)]| {
        let mut report = report(tests);
        for (id, passed, skipped) in files {
            let unnamed = Totals { passed: *passed, skipped: *skipped, ..Totals::default() };
            let is_bad = report.cases.iter().any(|case| case.id.starts_with(id));
            let outcome = if is_bad { Outcome::Failed } else { Outcome::Passed };
            report.suites.push(Suite { id: (*id).to_owned(), outcome, unnamed });
        }
        Report { format: Format::Vitest, totals: report.count(), ..report }
    };
    let story = |handed: Report| Story {
        runs: vec![
            ran(Ground::Handed, handed),
            ran(Ground::Base, files("", &[("a.ts", 4, 1), ("b.ts", 2, 0)])),
            ran(Ground::Red, files("a.ts::adds-", &[("a.ts", 4, 1), ("b.ts", 2, 0)])),
        ],
        ..Story::new("", "")
    };
    let judged = story(files("", &[("a.ts", 5, 1), ("b.ts", 2, 0)])).ends(Verdict::Accepted, "");
    assert_eq!(judged.shown_by, ["a.ts::adds"]);
    let nothing = "no test fails on the base";
    for other in [
        // Left out, skipped, and another file that has one more.
        files("", &[("a.ts", 4, 1), ("b.ts", 2, 0)]),
        files("", &[("a.ts", 4, 2), ("b.ts", 2, 0)]),
        files("", &[("a.ts", 4, 1), ("b.ts", 3, 0)]),
        files("", &[("b.ts", 2, 0)]),
    ] {
        story(other).ends(Verdict::Human, nothing);
    }
    let mut odd = files("", &[("a.ts", 5, 1), ("b.ts", 2, 0)]);
    odd.doubts.push(Doubt { kind: DoubtKind::Stray, line: None, words: "odd".into() });
    assert!(story(odd).judged().shown_by.is_empty());
    // Whatever it expects, it passes.
    let mut deaf = story(files("", &[("a.ts", 5, 1), ("b.ts", 2, 0)]));
    deaf.runs[2].report.cases[0].id = "a.ts::b".into();
    deaf.runs.push(ran(Ground::Wrong, files("", &[("a.ts", 5, 1), ("b.ts", 2, 0)])));
    deaf.ends(Verdict::Refused, "what is asserted does not decide: a.ts::b");
}

/// G01: tests that are gone and stand in a new one, which passes, are not lost; those that would fail are.
#[test]
fn tests_that_were_put_together() {
    let story = |handed: &str, room: &str| {
        let mut story = Story::new(handed, "a+ b+ c+").on(Ground::Room, room);
        story.edits.moved = [("a".to_owned(), "ab".to_owned()), ("b".into(), "ab".into())].into();
        story.edits.changed = ["a".to_owned(), "b".into()].into();
        story.edits.reverted = true;
        story.on(Ground::Red, "ab+ c+")
    };
    let task = "Relocate comparator parse testing";
    let mut both = story("ab+ c+", "a+ b+ c+").task(task, Aim::Behaviour);
    (both.product, both.untouched) = (0, true);
    both.ends(Verdict::Accepted, "a is gone, and what it tried is in ab now");
    let upkeep = |handed, room| story(handed, room).task("Refactor add", Aim::Upkeep);
    upkeep("ab+ c+", "a+ b+ c+").ends(Verdict::Accepted, "what it tried is in ab now");
    upkeep("ab~ c+", "a+ b+ c+").ends(Verdict::Human, "a was run before and is gone");
    upkeep("c+", "a+ b+ c+").ends(Verdict::Human, "a was run before and is gone");
    upkeep("ab+ c+", "a- b+ c+").ends(Verdict::Refused, "a is gone, and it fails on the new code");
    upkeep("ab+ c+", "b+ c+").ends(Verdict::Human, "a was run before and is gone");
    // Nobody asked for it, or something else was done besides.
    let mut other = story("ab+ c+", "a+ b+ c+").task("Make add faster", Aim::Behaviour);
    (other.product, other.untouched) = (0, true);
    other.ends(Verdict::Human, "no code of the product was changed");
    let mut more = story("ab+ c+", "a+ b+ c+").task(task, Aim::Behaviour);
    (more.product, more.untouched) = (0, true);
    more.edits.changed.insert("c".to_owned());
    more.ends(Verdict::Human, "no code of the product was changed");
}

/// D1.4: our own words are not told as if the task had said them.
#[test]
fn our_own_words_are_no_quotes() {
    let mut story =
        Story::new("a+", "a+").on(Ground::Room, "a-").on(Ground::Red, "a-").changed(&["a"]);
    story.edits.told = ["a".to_owned()].into();
    story.edits.reverted = true;
    let judged = story.task("Make add return 3", Aim::Behaviour).judged();
    let texts: Vec<&str> = judged.reasons.iter().map(|reason| reason.text.as_str()).collect();
    let all = texts.join("\n");
    assert!(all.contains("the task names what is compared with now"), "{all}");
    assert!(!all.contains("\"it names"), "{all}");
}
