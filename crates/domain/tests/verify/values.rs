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
