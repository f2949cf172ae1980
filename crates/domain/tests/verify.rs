//! The judge of a verification, on evidence made by hand.

#![allow(clippy::unwrap_used)]

use std::collections::BTreeMap;

use countersign_domain::classify::{ContractType, Tier};
use countersign_domain::gaming::{Allow, Basis, Finding, Rule, Severity, allowed};
use countersign_domain::qa::{Case, Doubt, DoubtKind, Format, Outcome, Report, Totals};
use countersign_domain::receipt::Ended;
use countersign_domain::verify::{
    Aim, Answered, Checked, Evidence, Example, Ground, Judgement, Level, Mark, Place, Planted, Ran,
    Said, TestEdits, Verdict, judge,
};
use countersign_domain::{Digest, ObjectId};

/// `name+` passed, `name-` failed, `name!` errored, `name~` was skipped.
fn report(tests: &str) -> Report {
    let cases: Vec<Case> = tests
        .split_whitespace()
        .map(|test| {
            let (name, mark) = test.split_at(test.len() - 1);
            let outcome = match mark {
                "+" => Outcome::Passed,
                "-" => Outcome::Failed,
                "!" => Outcome::Errored,
                "~" => Outcome::Skipped,
                other => panic!("{other}"),
            };
            Case::new(name, outcome)
        })
        .collect();
    let totals = Totals::of(cases.iter().map(|case| case.outcome));
    let exit_code = Some(i32::from(totals.bad() > 0));
    Report { format: Format::Junit, cases, totals, exit_code, ..Report::plain(None) }
}

fn ran(ground: Ground, report: Report) -> Ran {
    let code = report.exit_code.unwrap_or_default();
    Ran {
        ground,
        tree: ObjectId::try_from("1".repeat(40)).unwrap(),
        receipt: Digest::of(b"receipt"),
        ended: Ended::Exited { code },
        report,
        reused: false,
        said: None,
    }
}

fn plain(ground: Ground, code: i32) -> Ran {
    ran(ground, Report::plain(Some(code)))
}

/// One story: what the task says, and what ran.
struct Story {
    task: &'static str,
    aim: Aim,
    runs: Vec<Ran>,
    edits: TestEdits,
    findings: Vec<Finding>,
    undone: Vec<String>,
    allows: Vec<Allow>,
    places: BTreeMap<String, Place>,
    tier: Tier,
    product: usize,
    examples: Vec<Answered>,
    planted: bool,
    elsewhere: Option<String>,
    /// Checks beside the tests.
    beside: Vec<Checked>,
}

impl Story {
    fn new(handed: &str, base: &str) -> Self {
        Self {
            task: "Fix add: it must return the sum",
            aim: Aim::Behaviour,
            runs: vec![ran(Ground::Handed, report(handed)), ran(Ground::Base, report(base))],
            edits: TestEdits::default(),
            findings: Vec::new(),
            undone: Vec::new(),
            allows: Vec::new(),
            places: BTreeMap::new(),
            tier: Tier::Standard,
            product: 1,
            examples: Vec::new(),
            planted: false,
            elsewhere: None,
            beside: Vec::new(),
        }
    }

    fn on(mut self, ground: Ground, tests: &str) -> Self {
        self.runs.push(ran(ground, report(tests)));
        self
    }

    fn task(mut self, task: &'static str, aim: Aim) -> Self {
        (self.task, self.aim) = (task, aim);
        self
    }

    fn changed(mut self, names: &[&str]) -> Self {
        self.edits.changed = names.iter().map(ToString::to_string).collect();
        self
    }

    fn equivalent(mut self, names: &[&str]) -> Self {
        self.edits.equivalent = names.iter().map(ToString::to_string).collect();
        self.changed(names)
    }

    fn found(mut self, rule: Rule, severity: Severity) -> Self {
        self.findings.push(Finding::new(rule, Basis::Text, "looks odd").graded(severity));
        self
    }

    fn example(mut self, printed: &str) -> Self {
        let example = Example { command: "add 20 22".into(), prints: "42".into() };
        let ended = Ended::Exited { code: 0 };
        let receipt = Digest::of(b"example");
        self.examples.push(Answered { example, printed: printed.into(), ended, receipt });
        self
    }

    fn judged(self) -> Judgement {
        let planted =
            self.planted.then(|| Planted { fails: "canary_a".into(), passes: "canary_b".into() });
        let check = Checked {
            activity: "unit".into(),
            command: "test".into(),
            runs: self.runs,
            planted,
            exchanged: ["b".to_owned()].into(),
            elsewhere: self.elsewhere,
        };
        judge(&Evidence {
            task: self.task,
            aim: self.aim,
            contract: ContractType::Verifiable,
            tier: self.tier,
            changed: 2,
            code: 1,
            product: self.product,
            touched: 1,
            built: 0,
            cut: 0,
            checks: &[vec![check], self.beside].concat(),
            examples: &self.examples,
            heard: &[],
            findings: &allowed(self.findings, &[]),
            undone: &self.undone,
            allows: &self.allows,
            places: &self.places,
            edits: &self.edits,
        })
    }

    #[track_caller]
    fn ends(self, verdict: Verdict, words: &str) -> Judgement {
        let judged = self.judged();
        assert_eq!(judged.verdict, verdict, "{judged:#?}");
        let texts: Vec<&str> = judged.reasons.iter().map(|reason| reason.text.as_str()).collect();
        assert!(texts.join("\n").contains(words), "{words:?} in {texts:#?}");
        judged
    }
}

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
    Story::new("a-", "a-").ends(Verdict::Refused, "still fails");
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
}

/// Findings of text warn; only those that are proof block.
#[test]
fn findings_of_text() {
    let story = || Story::new("a+", "a-");
    story().found(Rule::G11, Severity::Warn).ends(Verdict::Accepted, "looks odd (G11)");
    story().found(Rule::G43, Severity::Block).ends(Verdict::Refused, "looks odd (G43)");
}

/// D2.5, unknown is never pass: commands without tests, and no command at all.
#[test]
fn commands_without_tests() {
    let story = |handed: i32, base: i32| {
        let mut story = Story::new("", "");
        story.runs = vec![plain(Ground::Handed, handed), plain(Ground::Base, base)];
        story
    };
    let judged = story(0, 1).ends(Verdict::Accepted, "");
    assert_eq!(judged.level, Some(Level::ExitCode));
    story(1, 0).ends(Verdict::Refused, "exit code 1");
    story(1, 1).ends(Verdict::Refused, "failed on the base as well");
    story(0, 0).ends(Verdict::Human, "no test fails on the base");
    let mut only = story(0, 1);
    only.runs.push(plain(Ground::Room, 1));
    only.edits.reverted = true;
    only.ends(Verdict::Refused, "passes only with the changed tests");
    let mut none = story(0, 1);
    none.runs.clear();
    none.ends(Verdict::Refused, "was not run");
}

/// VC-05, D2.5: what this machine can't run, on the base neither, says nothing about the work: its
/// criterion fails, and a person is asked.
#[test]
fn checks_that_cannot_be_run_here() {
    let story = |handed: Ran, base: Ran| {
        let mut story = Story::new("", "");
        story.runs = vec![handed, base];
        story
    };
    let exits = |handed, base| story(plain(Ground::Handed, handed), plain(Ground::Base, base));
    let judged = exits(127, 127).ends(Verdict::Human, "can't be run here, on the base neither");
    assert_eq!(judged.results[0].mark, Mark::Fail);
    assert!(judged.results[0].error.as_deref().unwrap().contains("is not installed"));
    exits(127, 0).ends(Verdict::Refused, "exit code 127");
    exits(127, 1).ends(Verdict::Refused, "exit code 127");
    let says = |ground, tests: &str, message: &str| {
        let mut said = report(tests);
        said.cases[0].message = Some(message.to_owned());
        ran(ground, said)
    };
    let fetch = "error: failed to get `serde` as a dependency of package `p`";
    story(says(Ground::Handed, "cargo!", fetch), says(Ground::Base, "cargo!", fetch))
        .ends(Verdict::Human, "failed to get `serde`");
    // Where a test ran, the words are the work's own.
    story(says(Ground::Handed, "a! b-", fetch), says(Ground::Base, "a! b-", fetch))
        .ends(Verdict::Refused, "still fails");
    story(says(Ground::Handed, "cargo!", "error: expected `;`"), says(Ground::Base, "a-", ""))
        .ends(Verdict::Refused, "");
}

/// VC-08: a suite in which nothing passed shows nothing, whatever failed before and whatever was asked.
#[test]
fn a_suite_in_which_nothing_passes() {
    let upkeep = |story: Story| story.task("Refactor add", Aim::Upkeep);
    let failed = |judged: Judgement| assert_eq!(judged.results[0].mark, Mark::Fail);
    let words = "no test passes, on the base neither";
    failed(upkeep(Story::new("a!", "a!")).ends(Verdict::Human, words));
    failed(upkeep(Story::new("a- b~", "a- b~")).ends(Verdict::Human, words));
    failed(Story::new("a!", "a!").ends(Verdict::Refused, words));
    // What passed before was there to be kept.
    failed(
        upkeep(Story::new("a!", "a+")).ends(Verdict::Refused, "passed on the base and fails now"),
    );
    // G40: a project without tests has none that were dropped.
    let judged = upkeep(Story::new("", "")).ends(Verdict::Human, "no tests were collected");
    assert!(judged.findings.is_empty(), "{judged:#?}");
    failed(judged);
    failed(upkeep(Story::new("", "a-")).ends(Verdict::Refused, ""));
}

fn saying(run: Ran, text: &str) -> Ran {
    Ran { said: Some(Said::of(text, &|name| name == "shop.cart")), ..run }
}

/// VC-08: packages that are missing on both sides are a person's to install, and are named.
#[test]
fn packages_that_are_missing() {
    let story = |tests: &str, text: &str| {
        let mut story = Story::new(tests, tests);
        story.runs = story.runs.into_iter().map(|run| saying(run, text)).collect();
        story
    };
    let python = "E   ModuleNotFoundError: No module named 'text_unidecode'";
    let judged =
        story("a!", python).ends(Verdict::Human, "No module named 'text_unidecode'; install");
    assert_eq!(judged.results[0].mark, Mark::Fail);
    story("a- b-", "Error: Cannot find module 'left-pad'").ends(Verdict::Human, "npm install");
    story("a+ b!", python).ends(Verdict::Refused, "still fails");
    story("a!", "E   ModuleNotFoundError: No module named 'shop.cart'")
        .ends(Verdict::Refused, "still fails");
    let mut script = story("", "sh: 1: xo: not found");
    for run in &mut script.runs {
        (run.ended, run.report) = (Ended::Exited { code: 127 }, Report::plain(Some(127)));
    }
    script.ends(Verdict::Human, "on the base neither: xo is not installed; install it");
}

/// D1.2: a command that fails on both sides with the same words fails for the same reason.
#[test]
fn a_command_that_says_the_same_on_both_sides() {
    let story = |task: &'static str, handed: &str, base: &str| {
        let mut story = Story::new("", "").task(task, Aim::Behaviour);
        let said = |ground, text: &str| saying(plain(ground, 1), text);
        story.runs = vec![said(Ground::Handed, handed), said(Ground::Base, base)];
        story
    };
    let add = "Add a function mean";
    let judged = story(add, "3:4 no semicolon, 12ms", "3:4 no semicolon, 9ms")
        .ends(Verdict::Human, "was there before");
    assert_eq!(judged.results[0].mark, Mark::Fail);
    story(add, "3:4 no semicolon", "3:4 no comma").ends(Verdict::Refused, "as well");
    story(add, "", "").ends(Verdict::Refused, "does not say whether");
    // What was to be mended is as it was.
    story("Fix add", "sum is 3", "sum is 3").ends(Verdict::Refused, "still fails");
}

/// D2.5: what a lint said before and says now is told, and holds nobody up.
#[test]
fn lints_that_failed_before() {
    let mut story =
        Story::new("a+ b+", "a+ b+").task("Rename b, nothing else changes", Aim::Upkeep);
    story.beside.push(Checked {
        activity: "lint".into(),
        command: "lint".into(),
        runs: vec![ran(Ground::Handed, report("bench!")), ran(Ground::Base, report("bench!"))],
        planted: None,
        exchanged: [].into(),
        elsewhere: None,
    });
    let judged = story.ends(Verdict::Accepted, "`lint` failed on the base as well: bench");
    assert_eq!((judged.results[1].mark, judged.failed_before.len()), (Mark::Skipped, 0));
}

/// G20: with other values, code that knows its tests does what it did before.
#[test]
fn other_values_show_whether_the_code_knows_its_tests() {
    let said = |ground, message: &str| {
        let mut report = report("a-");
        report.cases[0].message = Some(message.to_owned());
        ran(ground, report)
    };
    let story = |new: &str, old: &str| {
        let mut story = Story::new("a+", "a-").on(Ground::Room, "a+");
        story.runs.push(said(Ground::Varied, new));
        story.runs.push(said(Ground::VariedBase, old));
        story
    };
    let same = story("thread 'a' (12) panicked: 499", "thread 'a' (77) panicked: 499");
    same.ends(Verdict::Human, "answers as the old one did");
    story("assert 549 == 550", "assert 499 == 550").ends(Verdict::Accepted, "");
    story("", "").ends(Verdict::Accepted, "");
    // Values further off show what those close by did not.
    let mut further = story("left: V", "left: V");
    further.runs.push(said(Ground::Varied, "left: XIV"));
    further.runs.push(said(Ground::VariedBase, "left: XIIII"));
    further.ends(Verdict::Accepted, "");
}

/// G20: a check that says the same of both codes with every unseen value was met for its own values only.
#[test]
fn unseen_values_show_a_wrong_rule() {
    let said = |ground, message: &str| {
        let mut report = report("a_only_1- a_only_2+");
        report.cases[0].message = Some(message.to_owned());
        ran(ground, report)
    };
    let check = |probes: &[(&str, &str)], alone: &str, expected: Verdict| {
        let mut story = Story::new("a+", "a-").on(Ground::Room, "a+");
        story.runs.push(said(Ground::Single, "assert 449 == 549"));
        for (new, old) in probes {
            story.runs.push(said(Ground::Probed, new));
            story.runs.push(said(Ground::ProbedBase, old));
        }
        story.runs.push(ran(Ground::SingleHanded, report(alone)));
        let said = if expected == Verdict::Human { "nobody has seen" } else { "" };
        story.ends(expected, said);
    };
    let same = ("assert 449 == 550", "assert 449 == 550");
    let other = ("assert 559 == 560", "assert 449 == 560");
    check(&[same], "a_only_1+", Verdict::Human);
    check(&[same, same], "a_only_1+", Verdict::Human);
    check(&[same, other], "a_only_1+", Verdict::Accepted);
    // Alone it fails on the new code, too: it needed what stood before it.
    check(&[same], "a_only_1-", Verdict::Accepted);
    // Values that can't be read break something else.
    check(&[("ValueError: month", "ValueError: month")], "a_only_1+", Verdict::Accepted);
}

/// G20: where names decide about a check, other names turn it round.
#[test]
fn other_names_show_a_wrong_order() {
    let check = |new: &str, old: &str, expected: Verdict| {
        let mut story = Story::new("a+", "a-").on(Ground::Room, "a+");
        let told = |ground, tests: &str| {
            let mut report = report(tests);
            report.cases[0].message = Some("assert [x] == [y]".to_owned());
            ran(ground, report)
        };
        story.runs.push(told(Ground::Single, "a-"));
        story.runs.push(told(Ground::Renamed, new));
        story.runs.push(told(Ground::RenamedBase, old));
        story.ends(expected, if expected == Verdict::Human { "other names" } else { "" });
    };
    check("a-", "a+", Verdict::Human);
    check("a+", "a-", Verdict::Accepted);
    check("a-", "a-", Verdict::Accepted);
}

/// G62: a new test that was asked for and passes without the work is about something else.
#[test]
fn new_tests_that_pass_without_the_work() {
    let task = "Fix add, and add a test for it.";
    let story = |red| {
        let story = Story::new("a+ new+", "a-").on(Ground::Room, "a+").on(Ground::Red, red);
        story.task(task, Aim::Behaviour)
    };
    story("a- new+").ends(Verdict::Human, "passes without the work");
    story("a- new-").ends(Verdict::Accepted, "");
}

/// D1.2: a test that was to be changed may have another name afterwards, if it fails without the work.
#[test]
fn a_changed_test_under_another_name() {
    let task = "Please change add and its tests: twelve letters are enough.";
    let story = |red, task| {
        let story = Story::new("kept+ twelve+", "kept+ eight-").task(task, Aim::Behaviour);
        story.on(Ground::Room, "kept+ eight-").on(Ground::Red, red)
    };
    story("kept+ twelve-", task).ends(Verdict::Accepted, "asks for that");
    story("kept+ twelve+", task).ends(Verdict::Refused, "eight is gone");
    story("kept+ twelve-", "Fix add.").ends(Verdict::Refused, "eight is gone");
}

/// G62: that something ends well shows nothing of what can't be built without the work.
#[test]
fn a_test_that_only_asserts_that_something_ends_well() {
    let story = |red| {
        let mut story = Story::new("a+ new+", "a+").on(Ground::Room, "a+").on(Ground::Red, red);
        story.edits.faint.insert("new".to_owned());
        story
    };
    story("a+ new-").ends(Verdict::Accepted, "");
    story("a+").ends(Verdict::Human, "nothing that was run shows");
}
