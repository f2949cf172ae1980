//! Other values, names and tests, which show what the code knows.

use super::*;

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

/// LP-12: what only the race detector sees shows the work, if it sees it on the old code and not on the new.
#[test]
fn a_race_that_is_gone_shows_the_work() {
    let said = |ground, tests: &str, message: &str| {
        let mut report = report(tests);
        for case in report.cases.iter_mut().filter(|case| case.outcome.is_bad()) {
            case.message = Some(message.to_owned());
        }
        ran(ground, report)
    };
    let race = "testing.go:1490: race detected during execution of test";
    let story = |old: Ran, new: Option<Ran>| {
        let mut story = Story::new("a+ new+", "a+").task("It races. Add a test.", Aim::Behaviour);
        story = story.on(Ground::Room, "a+").on(Ground::Red, "a+ new+");
        story.runs.push(old);
        story.runs.extend(new);
        story
    };
    let old = || said(Ground::RacedBase, "a+ new-", race);
    let shown = story(old(), Some(said(Ground::Raced, "a+ new+", "")));
    let shown = shown.ends(Verdict::Accepted, "and none on the new code: new");
    assert_eq!(shown.shown_by, ["new"]);
    // It is still there, or it failed for another reason, or nobody looked at the new code.
    let still = story(old(), Some(said(Ground::Raced, "a+ new-", race)));
    still.ends(Verdict::Human, "the race detector still finds a race: new");
    let other = said(Ground::RacedBase, "a+ new-", "got 3, want 4");
    let other = story(other, Some(said(Ground::Raced, "a+ new+", "")));
    other.ends(Verdict::Human, "nothing that was run shows");
    story(old(), None).ends(Verdict::Human, "nothing that was run shows");
    let none = story(said(Ground::RacedBase, "", ""), None);
    none.ends(Verdict::Human, "can't be run with the race detector here");
}

/// LP-12: what a package says of itself has no tests; whatever else changes has.
#[test]
fn labels_of_a_package_need_no_test() {
    let story = |labelled, product| {
        let mut story = Story::new("a+", "a+").on(Ground::Room, "a+").on(Ground::Red, "a+");
        (story.labelled, story.product) = (labelled, product);
        story
    };
    story(1, 1).ends(Verdict::Accepted, "");
    story(1, 2).ends(Verdict::Human, "nothing that was run shows");
    story(0, 1).ends(Verdict::Human, "nothing that was run shows");
}

/// G13: where tests are all that was done, the new ones have to notice broken code that any test notices.
#[test]
fn new_tests_notice_broken_code() {
    let story = |new: &str, broken: &[&str]| {
        let new: Vec<&str> = new.split_whitespace().collect();
        let mut story = Story::new("old+ one+ two+ three+ four+", "old+").on(Ground::Room, "old+");
        story = story.task("Add tests for add", Aim::Around);
        story.product = 0;
        story.mutants = Some(Mutants {
            ways: broken.iter().map(|_| "each number one larger".to_owned()).collect(),
            tests: new.into_iter().map(str::to_owned).collect(),
            reaching: Vec::new(),
        });
        broken.iter().fold(story, |story, tests| story.on(Ground::Mutated, tests))
    };
    let twice = ["old- one+ two+", "old- one+ two+"];
    let deaf = story("one two", &twice);
    let deaf = deaf.ends(Verdict::Human, "broken on purpose, which others notice (each number");
    assert_eq!(deaf.findings[0].finding.rule, Rule::G13);
    assert_eq!(deaf.findings[0].finding.tests, ["one", "two"]);
    story("one two", &["old- one+ two+", "old+ one- two+"]).ends(Verdict::Accepted, "");
    let three = ["old- one+ two+ three+"];
    story("one two three", &three).ends(Verdict::Human, "broken on purpose");
    // A test or two, and one mistake that is nothing to them.
    story("one", &["old- one+ two+"]).ends(Verdict::Accepted, "");
    story("one two", &twice[..1]).ends(Verdict::Accepted, "");
    // Code that a test does not call tells nothing of it.
    let reaching = |rows: [&str; 2]| {
        let mut story = story("one two", &twice);
        let row = |tests: &str| tests.split_whitespace().map(str::to_owned).collect();
        let mutants = story.mutants.as_mut().unwrap();
        mutants.reaching = rows.into_iter().map(row).collect();
        story
    };
    reaching(["one two", "two"]).ends(Verdict::Human, "(each number one larger");
    reaching(["one", "two"]).ends(Verdict::Accepted, "");
    reaching(["", ""]).ends(Verdict::Accepted, "");
    // Nobody noticed anything: it may be as good as before. Nothing could be built: nobody knows.
    story("one two", &["old+ one+ two+"]).ends(Verdict::Accepted, "");
    story("one two", &["", ""]).ends(Verdict::Accepted, "");
    // What was stopped says nothing of the tests that it did not get to.
    story("one two", &["old-"]).ends(Verdict::Accepted, "");
    // One of four is few, where several were broken.
    let four = "one two three four";
    let few = ["old- one- two+ three+ four+", "old- one+ two+ three+ four+"];
    story(four, &few).ends(Verdict::Human, "most new tests pass as well");
    story(four, &few[..1]).ends(Verdict::Accepted, "");
    story(four, &[few[1], "old- one- two- three+ four+"]).ends(Verdict::Accepted, "");
}

/// G62: what shows the work does so each time. A test that the same code once passes and once fails is named.
#[test]
fn what_shows_the_work_is_no_chance() {
    let story = |again: &str, red_again: &str| {
        let story = Story::new("a+ new+ b+", "a+ b-").on(Ground::Room, "a+ b+");
        let story = story.on(Ground::Red, "a+ new- b-");
        story.on(Ground::Again, again).on(Ground::RedAgain, red_again)
    };
    let steady = story("a- new+ b+", "a+ new- b-").ends(Verdict::Accepted, "");
    assert_eq!((steady.shown_by, steady.flaky.len()), (vec!["b".to_owned(), "new".to_owned()], 0));
    let unsteady = story("a+ new- b+", "a+ new- b-").ends(Verdict::Human, "new is flaky");
    assert_eq!((unsteady.shown_by, unsteady.flaky), (vec!["b".to_owned()], vec!["new".to_owned()]));
    // On old code it may be a race that the work ended: it shows nothing, and accuses nobody.
    let red = story("a+ new+ b+", "a+ new+ b-").ends(Verdict::Accepted, "so it shows nothing");
    assert_eq!((red.shown_by, red.flaky), (vec!["b".to_owned()], vec!["new".to_owned()]));
    let nothing = Story::new("a+ new+", "a+").on(Ground::Room, "a+").on(Ground::Red, "a+ new-");
    nothing.on(Ground::RedAgain, "a+ new+").ends(Verdict::Human, "nothing that was run shows");
}

/// G20: what has to add up for any values is not excused by some with which it does.
#[test]
fn what_must_add_up_does_for_any_values() {
    let story = |pairs: &[(&str, &str)], names: &[&str]| {
        let said = |ground, words: &str| {
            let case = match words {
                "" => Case::new("a_only_2", Outcome::Passed),
                words => Case::new("a_only_2", Outcome::Failed).with_message(words),
            };
            let cases = vec![Case::new("a", Outcome::Passed), case];
            ran(ground, Report { cases, ..report("a+") })
        };
        let mut story = Story::new("a+", "a-").on(Ground::Room, "a+");
        story.adding = names.iter().map(ToString::to_string).collect();
        let parts = "\n +  where 1000 = sum([250, 250, 250, 250])";
        story.runs.push(said(Ground::Single, &format!("assert 1000 == 1001{parts}")));
        for (new, old) in pairs {
            story.runs.push(said(Ground::Probed, new));
            story.runs.push(said(Ground::ProbedBase, old));
        }
        story
    };
    let short = "assert 1000 == 1002\n +  where 1000 = sum([200, 200, 200, 200, 200])";
    let shorter = "assert 1008 == 1011\n +  where 1008 = sum([72, 72, 72, ...])";
    let (same, good) = ([(short, short), (shorter, shorter)], ("", "assert 999 == 1000"));
    let all = [same[0], same[1], good];
    story(&all, &["a_only_2"]).ends(Verdict::Human, "still does not add up: a_only_2");
    story(&all, &[]).ends(Verdict::Accepted, "");
    story(&[same[0], good], &["a_only_2"]).ends(Verdict::Accepted, "");
    // Another answer than before, and an error, are no such thing.
    let other = "assert 1001 == 1002\n +  where 1001 = sum([201, 200, 200, 200, 200])";
    let error = ("ValueError: at most 4", "ValueError: at most 4");
    story(&[same[0], (other, short), error], &["a_only_2"]).ends(Verdict::Accepted, "");
}
