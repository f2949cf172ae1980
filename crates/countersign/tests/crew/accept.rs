//! `countersign accept` where the branch is still where the work began, and what it refuses.

use std::fs;

use countersign_testkit::Project;

use crate::{CHECK, GOAL, greeter, mended};

fn head(project: &Project) -> String {
    project.git(["rev-parse", "HEAD"]).trim().to_owned()
}

/// LP-14: the branch moves to the work, files and all, and what is beside it stays; a second time there
/// is nothing to do.
#[test]
fn a_branch_that_did_not_move_is_taken_along() {
    let (project, run) = mended();
    project.write("other.txt", "mine\n");
    project.write("untracked.txt", "mine\n");
    let start = head(&project);
    let ran = project.run(["accept", &run, "--merge"]).expect(0);
    let ran = ran.prints("accepted").prints("fast-forward").prints("1 changed path");
    assert!(ran.out().contains(&format!("git reset --keep {}", &start[..12])));
    let branch = project.git(["rev-parse", &format!("countersign/{run}")]);
    assert_eq!(head(&project), branch.trim());
    assert_eq!(project.git(["symbolic-ref", "HEAD"]).trim(), "refs/heads/main");
    let status = project.git(["status", "--porcelain"]);
    assert_eq!(status, " M other.txt\n?? untracked.txt\n");
    project.sh(CHECK).expect(0);
    project.run(["accept", "--merge"]).expect(0).prints("main has this work already");
    project.run(["accept", "--squash"]).expect(0).prints("has this work already");
    project.run(["ledger", "verify"]).expect(0).prints("intact");
}

/// LP-14: one commit with the trailers of all, on top of what is there.
#[test]
fn work_becomes_one_commit() {
    let (project, run) = mended();
    let start = head(&project);
    let data = project.run(["accept", &run, "--squash", "--format", "json"]).expect(0).data();
    assert_eq!((&data["acceptance"], &data["how"]), (&"done".into(), &"squashed".into()));
    assert_eq!(data["to"], head(&project));
    assert_eq!(project.git(["rev-parse", "HEAD~"]).trim(), start);
    let message = project.git(["log", "-1", "--format=%B"]);
    assert!(message.starts_with(GOAL), "{message}");
    for trailer in
        [&format!("Countersign-Run: {run}"), "Countersign-Contract: ", "Countersign-Receipt: "]
    {
        assert!(message.contains(trailer), "{trailer} is not in: {message}");
    }
    assert_eq!(project.git(["status", "--porcelain"]), "");
    project.run(["accept", &run, "--squash"]).expect(0).prints("has this work already");
}

/// LP-14: `run accept` is the same; one of the three ways must be said.
#[test]
fn the_way_must_be_said() {
    let (project, run) = mended();
    let before = project.fingerprint();
    project.run(["accept", &run]).expect(2).says("--merge");
    project.run(["accept", &run, "--merge", "--squash"]).expect(2);
    project.run(["accept", "nonsense", "--merge"]).expect(1);
    project.run(["accept", &run, "--merge", "--looked", " "]).expect(2).says("why");
    before.expect_same(&project.fingerprint());
    project.run(["run", "accept", &run, "--merge"]).expect(0).prints("fast-forward");
}

/// LP-14: a person's files are never written over: changed, staged, untracked or ignored ones are named,
/// and nothing is touched.
#[test]
fn files_in_the_way_are_named_and_left_alone() {
    let project = greeter();
    project.write(".gitignore", "*.log\n");
    project.commit("Ignore");
    let worker = "command:echo 'echo \"Hello, $1\"' > greet.sh; echo n > new.txt; \
                  echo l > kept.log; git add -f kept.log";
    let words = ["run", GOAL, "--check", CHECK, "--worker", worker];
    project.run(words).expect(0);
    let spoil: [(&str, &str); 3] =
        [("greet.sh", "mine\n"), ("new.txt", "mine\n"), ("kept.log", "m\n")];
    for (path, content) in spoil {
        let old = fs::read(project.path(path)).ok();
        project.write(path, content);
        let before = project.fingerprint();
        project.run(["accept", "--merge"]).expect(1).says(path).says("git stash");
        before.expect_same(&project.fingerprint());
        project.git(["stash", "list"]);
        match old {
            Some(old) => project.write(path, old),
            None => fs::remove_file(project.path(path)).unwrap(),
        }
    }
    project.run(["accept", "--merge"]).expect(0);
    assert_eq!(fs::read_to_string(project.path("kept.log")).unwrap(), "l\n");
}

/// LP-14: work that was not accepted can't be taken over, and neither into a repository in the middle of
/// something; a branch without a commit has no place for it.
#[test]
fn what_can_not_be_accepted_is_said() {
    let project = greeter();
    project.run(["accept", "--merge"]).expect(1).says("there is no run yet");
    let words = ["run", GOAL, "--check", CHECK, "--worker", "command:true", "--attempts", "1"];
    project.run(words).expect(3);
    let before = project.fingerprint();
    project.run(["accept", "--merge"]).expect(1).says("ended without acceptance");
    project.run(["accept", "--pr-body"]).expect(1).says("ended without acceptance");
    before.expect_same(&project.fingerprint());

    let (project, _) = mended();
    project.write(".git/MERGE_HEAD", project.git(["rev-parse", "HEAD"]));
    let before = project.fingerprint();
    project.run(["accept", "--merge"]).expect(1).says("in the middle of a merge");
    before.expect_same(&project.fingerprint());
}

/// LP-14: a `HEAD` on no branch moves alone; a worktree of its own gets the work, and the others don't.
#[test]
fn only_what_is_checked_out_here_moves() {
    let (project, _) = mended();
    let start = head(&project);
    let linked = project.outside().join("linked");
    project.git(["worktree", "add", "-q", "-b", "topic", linked.to_str().unwrap()]);
    project.call(["accept", "--merge"]).at(&linked).run().expect(0).prints("topic has the work");
    assert_eq!(project.git_in(&linked, ["status", "--porcelain"]), "");
    assert_eq!(
        (head(&project), project.git(["status", "--porcelain"])),
        (start.clone(), "".into())
    );
    project.git(["checkout", "-q", "--detach"]);
    project.run(["accept", "--merge"]).expect(0).prints("HEAD has the work");
    assert_eq!(project.git(["rev-parse", "main"]).trim(), start);
    assert_eq!(head(&project), project.git(["rev-parse", "topic"]).trim());
}

/// LP-14: what a pull request says comes from the record, and changes nothing.
#[test]
fn a_pull_request_is_told_from_the_record() {
    let (project, run) = mended();
    let before = project.fingerprint();
    let ran = project.run(["accept", "--pr-body"]).expect(0);
    for part in [GOAL, "`sh tests/greets.sh` | passed", "## What it cost", "## Verify it again"] {
        assert!(ran.out().contains(part), "{part} is not in:\n{}", ran.out());
    }
    let base = project.git(["rev-parse", "main"]);
    assert!(ran.out().contains(&format!("countersign verify --base {}", base.trim())));
    before.expect_same(&project.fingerprint());
    let data = project.run(["accept", "--pr-body", "--format", "json"]).expect(0).data();
    let body = data["body"].as_str().unwrap().to_owned();
    let receipt = body.lines().find_map(|line| line.strip_prefix("countersign show ")).unwrap();
    project.run(["show", receipt]).expect(0);
    // The command that it gives does what it says.
    project.git(["checkout", "-q", &format!("countersign/{run}")]);
    let command = body.split("```sh\n").nth(1).unwrap().split("\n```").next().unwrap();
    project.sh(&command.replacen("countersign", crate::PROGRAM, 1)).expect(0);
}
