//! The story of three roles and a person in between.

use countersign_testkit::{Project, Ran};

use crate::desk::{begin, context, data, desk, statuses};

/// What differs from machine to machine and run to run, taken out.
fn settings(project: &Project) -> insta::Settings {
    let mut settings = insta::Settings::clone_current();
    settings.set_snapshot_path("snapshots");
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    let outside = project.outside().display().to_string();
    let outside: String = outside
        .chars()
        .flat_map(|c| if c.is_alphanumeric() { vec![c] } else { vec!['\\', c] })
        .collect();
    settings.add_filter(&outside, "[outside]");
    settings.add_filter(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(\.\d+)?Z?", "[time]");
    settings.add_filter(r"\b[0-9a-f]{40}([0-9a-f]{24})?\b", "[object]");
    settings.add_filter(r"\b[0-9a-f]{12}\b", "[short]");
    // Digits of hashes are tokens too.
    settings
        .add_filter(r"\d+ tokens as Markdown, \d+ as JSON", "[n] tokens as Markdown, [n] as JSON");
    settings.add_filter(r" +\n", "\n");
    settings
}

#[track_caller]
fn check(project: &Project, name: &str, ran: &Ran) {
    let text = format!(
        "exit code: {}\n----- standard output\n{}----- standard error\n{}",
        ran.code.unwrap_or(-1),
        ran.out(),
        ran.err()
    );
    settings(project).bind(|| insta::assert_snapshot!(name, text));
}

/// CX-01 to CX-11: an implementer hands over, a person edits a file, the reviewer is refused, the
/// drift is explained, the reviewer edits the same lines, the validator goes on from there.
#[test]
fn three_roles_and_a_person() {
    let project = desk();
    check(&project, "story-01-init", &project.run(["context", "init", "TASK-0824"]));
    check(
        &project,
        "story-02-export",
        &context(&project, &["export", "--role", "implementer", "--format", "markdown"]),
    );

    project.write("src/theme.txt", "one\nTWO two\nthree\nfour\nfive\n");
    project.write("src/store.txt", "new\n");
    check(&project, "story-03-handed", &context(&project, &["snapshot", "--role", "implementer"]));

    // A person mends something by hand.
    project.write("src/theme.txt", "one\nTWO two\nthree\nFOUR\nfive\n");
    check(&project, "story-04-refused", &begin(&project, "reviewer"));
    check(&project, "story-05-verify", &context(&project, &["verify", "--hunks"]));
    check(&project, "story-06-still-refused", &begin(&project, "reviewer"));
    check(
        &project,
        "story-07-resolved",
        &context(&project, &["resolve-drift", "--note", "I mended a typo in line 4"]),
    );

    check(&project, "story-08-begun", &begin(&project, "reviewer"));
    // The same lines that the implementer and the person have changed.
    project.write("src/theme.txt", "one\nTwo, two\nthree\nFour\nfive\n");
    check(&project, "story-09-handed", &context(&project, &["snapshot", "--role", "reviewer"]));
    check(&project, "story-10-diff", &context(&project, &["diff", "--role", "reviewer"]));
    check(
        &project,
        "story-11-diff-back",
        &context(&project, &["diff", "--from", "reviewer", "--to", "implementer"]),
    );

    begin(&project, "validator").expect(0);
    check(
        &project,
        "story-12-export",
        &context(&project, &["export", "--role", "validator", "--format", "markdown"]),
    );
    context(&project, &["snapshot", "--role", "validator"]).expect(0);
    check(&project, "story-13-show", &context(&project, &["show"]));
    assert_eq!(statuses(&project), ["done", "done", "done"]);
    check(&project, "story-14-complete", &project.run(["task", "complete", "TASK-0824"]));
    project.run(["ledger", "verify"]).expect(0).prints("intact");
}

/// CX-09: whatever a command does, nothing of the user's is touched by it.
#[test]
fn nothing_of_the_users_is_touched() {
    let project = desk();
    let quiet = |words: &[&str], code: i32| {
        let before = project.fingerprint();
        context(&project, words).expect(code);
        before.expect_same(&project.fingerprint());
    };
    project.sh("echo staged > src/staged.txt && git add src/staged.txt && git stash -q").expect(0);
    project.sh("echo staged > src/staged.txt && git add src/staged.txt").expect(0);
    quiet(&["init"], 0);
    project.write("src/theme.txt", "changed\n");
    quiet(&["snapshot", "--role", "implementer"], 0);
    quiet(&["verify"], 0);
    quiet(&["update", "--role", "reviewer", "--status", "in_progress"], 0);
    quiet(&["diff", "--from", "start", "--to", "now"], 0);
    quiet(&["block", "--role", "reviewer", "--finding", "x"], 0);
    project.write("src/theme.txt", "changed again\n");
    quiet(&["verify", "--hunks"], 1);
    quiet(&["resolve-drift", "--note", "mine"], 0);
    let into = project.outside().join("restored");
    quiet(&["restore", "--role", "implementer", "--into", into.to_str().unwrap()], 0);
    quiet(&["rebuild"], 0);
    quiet(&["purge"], 0);
}

/// CX-08: what overlaps is no limit: the sum of all incremental diffs is the whole.
#[test]
fn diffs_add_up() {
    let project = desk();
    project.run(["context", "init", "TASK-0824"]).expect(0);
    for (role, text) in [
        ("implementer", "a\ntwo\nthree\nfour\nfive\n"),
        ("reviewer", "a b\ntwo\nthree\nfour\nfive\nsix\n"),
        ("validator", "b\ntwo\nthree\nfive\nsix\n"),
    ] {
        begin(&project, role).expect(0);
        project.write("src/theme.txt", text);
        context(&project, &["snapshot", "--role", role]).expect(0);
    }
    let patch = |words: &[&str]| data(&project, words)["patch"].as_str().unwrap().to_owned();
    let outside = project.outside();
    let folder = outside.join("start");
    let into = folder.to_str().unwrap();
    context(&project, &["restore", "--role", "start", "--into", into]).expect(0);
    for role in ["implementer", "reviewer", "validator"] {
        let file = outside.join(format!("{role}.patch"));
        std::fs::write(&file, patch(&["diff", "--role", role])).unwrap();
        project.git_in(&folder, ["apply", file.to_str().unwrap()]);
    }
    let text = std::fs::read_to_string(folder.join("src/theme.txt")).unwrap();
    assert_eq!(text, "b\ntwo\nthree\nfive\nsix\n");
    // And back again, in one go.
    let file = outside.join("back.patch");
    std::fs::write(&file, patch(&["diff", "--from", "validator", "--to", "start"])).unwrap();
    project.git_in(&folder, ["apply", file.to_str().unwrap()]);
    let text = std::fs::read_to_string(folder.join("src/theme.txt")).unwrap();
    assert_eq!(text, "one\ntwo\nthree\nfour\nfive\n");
}

/// CX-06: what a reviewer finds goes back to the implementer, and is looked at again.
#[test]
fn a_finding_goes_back() {
    let project = crate::desk::handed_over();
    begin(&project, "reviewer").expect(0);
    let finding = ["block", "--role", "reviewer", "--finding", "the theme is never written"];
    context(&project, &finding).expect(0).prints("finding 1: the theme is never written");
    assert_eq!(statuses(&project), ["done", "blocked", "pending"]);
    begin(&project, "validator").expect(1).says("reviewer is blocked");
    begin(&project, "reviewer").expect(1).says("unblock TASK-0824 --role reviewer --finding 1");
    begin(&project, "implementer").expect(0);
    project.write("src/store.txt", "written\n");
    context(&project, &["snapshot", "--role", "implementer"]).expect(0);
    begin(&project, "reviewer").expect(1).says("finding 1");
    let clear = ["unblock", "--role", "reviewer", "--finding", "1", "--note", "it is now"];
    context(&project, &clear).expect(0);
    context(&project, &clear).expect(1).says("no open finding 1");
    begin(&project, "reviewer").expect(0);
    assert_eq!(statuses(&project), ["done", "in_progress", "pending"]);
}

/// CX-08: every step can be named, also where several have one name, and those of an earlier
/// context of the task.
#[test]
fn every_step_can_be_named() {
    let project = crate::desk::handed_over();
    for text in ["first\n", "second\n"] {
        project.write("src/theme.txt", text);
        context(&project, &["verify"]).expect(1);
        context(&project, &["resolve-drift", "--note", text.trim()]).expect(0);
    }
    let patch = |from: &str, to: &str| {
        let diff = data(&project, &["diff", "--from", from, "--to", to]);
        diff["patch"].as_str().unwrap().to_owned()
    };
    assert!(patch("resolution#1", "resolution#2").contains("+second"));
    assert!(patch("resolution", "resolution#1").contains("+first"));
    context(&project, &["purge"]).expect(0);
    context(&project, &["init"]).expect(0);
    let into = project.outside().join("earlier");
    let words = ["restore", "--role", "1/implementer", "--into", into.to_str().unwrap()];
    context(&project, &words).expect(0);
    assert_eq!(std::fs::read_to_string(into.join("src/store.txt")).unwrap(), "new\n");
    let words = ["restore", "--role", "implementer", "--into", "x"];
    context(&project, &words).expect(1).says("1/implementer");
}

/// CX-10: who is at work is told what changed, and not to undo it.
#[test]
fn who_is_at_work_has_no_drift() {
    let project = desk();
    project.run(["context", "init", "TASK-0824"]).expect(0);
    project.write("src/theme.txt", "work\n");
    let ran = context(&project, &["verify"]).expect(0);
    let said = ran.out();
    assert!(said.contains("implementer is at work") && said.contains("src/theme.txt"), "{said}");
    assert!(!said.contains("undo"), "{said}");
}

/// CX-06: what a blocked role had changed by then is on the record, and no drift.
#[test]
fn a_blocked_role_loses_nothing() {
    let project = crate::desk::handed_over();
    begin(&project, "reviewer").expect(0);
    project.write("src/half.txt", "half\n");
    let finding = ["block", "--role", "reviewer", "--finding", "this can't be right"];
    context(&project, &finding).expect(0);
    context(&project, &["verify"]).expect(0).prints("is what reviewer left");
    begin(&project, "implementer").expect(0);
    let into = project.outside().join("half");
    let words = ["restore", "--role", "reviewer", "--into", into.to_str().unwrap()];
    context(&project, &words).expect(0);
    assert!(into.join("src/half.txt").exists());
}
