//! Merges and the like that were not brought to an end before a role handed over: a finding, and
//! no refusal.

use countersign_testkit::Project;

use crate::desk::{begin, begun, context, data, desk};

/// Two branches that change the same line.
const SIDES: &str = "git checkout -q -b other && echo theirs > src/theme.txt && \
     git commit -qam theirs && git checkout -q main && echo ours > src/theme.txt && \
     git commit -qam ours";

#[track_caller]
fn expect_told(project: &Project, expected: &[&str]) {
    let handed = context(project, &["snapshot", "--role", "implementer"]).expect(0);
    let show = context(project, &["show"]).expect(0);
    let verify = context(project, &["verify"]).expect(0);
    let export = context(project, &["export", "--role", "reviewer"]).expect(0);
    for words in expected {
        for ran in [&handed, &show, &verify, &export] {
            assert!(ran.out().contains(words), "'{words}' is not in:\n{}", ran.out());
        }
    }
    begin(project, "reviewer").expect(0);
}

/// CX-10: whatever git is in the middle of, with the markers that it left.
#[test]
fn what_was_not_finished_is_told() {
    for (script, named) in [
        ("git merge -q other", "a merge was not finished"),
        ("git rebase -q other", "a rebase was not finished"),
        ("git cherry-pick other > /dev/null", "a cherry-pick was not finished"),
    ] {
        let project = desk();
        project.sh(SIDES).expect(0);
        project.run(["context", "init", "TASK-0824"]).expect(0);
        project.sh(&format!("! {script} 2> /dev/null")).expect(0);
        if script.contains("rebase") {
            // A rebase stands elsewhere, which a person has to explain.
            context(&project, &["verify"]).expect(1);
            context(&project, &["resolve-drift", "--note", "a rebase is under way"]).expect(0);
        }
        expect_told(&project, &[named, "markers of a conflict are in src/theme.txt"]);
    }
}

/// CX-10: markers that remain when git is in the middle of nothing.
#[test]
fn markers_are_told() {
    let project = begun();
    project.write("src/theme.txt", "mine\n");
    project.git(["stash", "--quiet"]);
    project.write(
        "src/theme.txt",
        "<<<<<<< Updated upstream\na\n=======\nb\n>>>>>>> Stashed changes\n",
    );
    expect_told(&project, &["markers of a conflict are in src/theme.txt"]);
    let steps = data(&project, &["show"])["steps"].clone();
    assert_eq!(steps[1]["unfinished"].as_array().unwrap().len(), 1, "{steps:#}");
    assert!(steps[0]["unfinished"].is_null(), "{steps:#}");
}

/// CX-10: what is brought to an end is no finding any more.
#[test]
fn what_was_finished_is_not_told() {
    let project = begun();
    project.write("src/theme.txt", "Title\n=======\n\n<<<<<<< is what git writes\n");
    context(&project, &["snapshot", "--role", "implementer"]).expect(0);
    let show = context(&project, &["show"]).expect(0);
    assert!(!show.out().contains("finding"), "{}", show.out());
}

/// CX-09: work that is only staged is not on disk, and so it is not what is handed over; it is told and
/// kept. What is staged as it lies on disk is nobody's concern.
#[test]
fn what_is_only_staged_is_told_and_kept() {
    let project = begun();
    project.sh("echo staged > src/theme.txt && git add src/theme.txt").expect(0);
    project.sh("git show HEAD:src/theme.txt > src/theme.txt").expect(0);
    let ran = context(&project, &["snapshot", "--role", "implementer"]).expect(1);
    assert!(ran.err().contains("only staged"), "{}", ran.err());
    project.sh("echo work > src/work.txt && git add src/work.txt").expect(0);
    let ran = context(&project, &["snapshot", "--role", "implementer"]).expect(0);
    let said = ran.out();
    assert!(said.contains("src/theme.txt is staged with another content than on disk"), "{said}");
    let command = said.split("is kept: ").nth(1).and_then(|rest| rest.split('\n').next()).unwrap();
    project.sh("git reset -q --hard && git gc -q --prune=now").expect(0);
    assert_eq!(project.sh(command).expect(0).out(), "staged\n");
}
