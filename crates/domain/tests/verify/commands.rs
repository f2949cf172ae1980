//! Commands without tests, and what a machine can't run.

use super::*;

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
        folder: String::new(),
        is_beside: false,
        left_out: BTreeSet::new(),
        runs: vec![ran(Ground::Handed, report("bench!")), ran(Ground::Base, report("bench!"))],
        planted: None,
        exchanged: [].into(),
        mutants: None,
        adding: BTreeSet::new(),
        elsewhere: None,
    });
    let judged = story.ends(Verdict::Accepted, "`lint` failed on the base as well: bench");
    assert_eq!((judged.results[1].mark, judged.failed_before.len()), (Mark::Skipped, 0));
}

/// VC-08: an example beside the project that can't be run here says nothing about it, and is told with its
/// folder. One that can be run counts as any other check.
#[test]
fn examples_that_lie_beside_the_project() {
    let beside = |is_beside: bool, code: i32| {
        let said = |ground| {
            let text = if code == 127 { "sh: 1: jest: not found" } else { "1 failed" };
            saying(plain(ground, code), text)
        };
        let mut runs = vec![said(Ground::Handed)];
        let base = if code == 127 { said(Ground::Base) } else { plain(Ground::Base, 0) };
        runs.push(base);
        let mut story = Story::new("a+ b+", "a+ b-");
        story.beside.push(Checked {
            activity: "unit".into(),
            command: "npm test".into(),
            folder: "examples/jest".into(),
            is_beside,
            left_out: BTreeSet::new(),
            runs,
            planted: None,
            exchanged: [].into(),
            mutants: None,
            adding: BTreeSet::new(),
            elsewhere: None,
        });
        story
    };
    let words = "`npm test` in examples/jest/ can't be run here, on the base neither: jest is not";
    let judged = beside(true, 127).ends(Verdict::Accepted, words);
    assert_eq!((judged.results[1].mark, judged.not_run.len()), (Mark::Skipped, 0));
    assert_eq!(judged.level, Some(Level::Counted));
    beside(false, 127).ends(Verdict::Human, words);
    beside(true, 1).ends(Verdict::Refused, "`npm test` in examples/jest/: exit code 1");
}

/// G20: what there was no time for is told, and changes nothing.
#[test]
fn grounds_that_were_left_out() {
    let mut story = Story::new("a+ b+", "a+ b-");
    story.folder = "packages/a".into();
    story.left_out = [Ground::Worded, Ground::Renamed].into();
    let words =
        "`test` in packages/a/ takes long, so it was not run with other words, with other names";
    story.ends(Verdict::Accepted, words);
}
