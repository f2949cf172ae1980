//! `countersign accept` where the branch has moved on, and where it was killed in the middle.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;

use countersign_testkit::Project;

use crate::stage::planted;
use crate::{CHECK, mended};

fn commit(project: &Project, path: &str, content: &str) {
    project.write(path, content);
    project.commit("Meanwhile");
}

fn parents(project: &Project) -> usize {
    project.git(["log", "-1", "--format=%P"]).split_whitespace().count()
}

/// LP-14: work and branch go together, and what they come to is verified before the branch moves.
#[test]
fn a_branch_that_moved_is_merged_and_verified_again() {
    let (project, run) = mended();
    commit(&project, "other.txt", "2\n");
    let data = project.run(["accept", &run, "--merge", "--format", "json"]).expect(0).data();
    assert_eq!(data["how"], "merge_commit", "{data:#}");
    let verification = data["verification"].as_str().unwrap();
    assert_eq!(parents(&project), 2);
    let message = project.git(["log", "-1", "--format=%B"]);
    assert!(message.contains(&format!("Countersign-Verification: {verification}")), "{message}");
    assert!(message.contains(&format!("Countersign-Run: {run}")), "{message}");
    assert_eq!(project.git(["status", "--porcelain"]), "");
    assert_eq!(fs::read_to_string(project.path("other.txt")).unwrap(), "2\n");
    project.sh(CHECK).expect(0);
    project.run(["ledger", "verify"]).expect(0).prints("intact");
}

/// LP-14: the same as one commit.
#[test]
fn a_branch_that_moved_gets_one_commit() {
    let (project, run) = mended();
    commit(&project, "other.txt", "2\n");
    project
        .run(["accept", &run, "--squash"])
        .expect(0)
        .prints("one commit")
        .prints("verified again");
    assert_eq!(parents(&project), 1);
    project.sh(CHECK).expect(0);
    assert_eq!(fs::read_to_string(project.path("other.txt")).unwrap(), "2\n");
}

/// LP-14: conflicts are named by their paths, and nothing is changed.
#[test]
fn conflicts_are_told_and_nothing_is_changed() {
    let (project, run) = mended();
    commit(&project, "greet.sh", "echo Good morning\n");
    let before = project.fingerprint();
    let ran = project.run(["accept", &run, "--merge"]).expect(1);
    ran.prints("greet.sh (contents)")
        .prints("both changed the same places")
        .prints("nothing was changed")
        .prints(&format!("git merge countersign/{run}"));
    before.expect_same(&project.fingerprint());
    let data = project.run(["accept", &run, "--squash", "--format", "json"]).expect(1).data();
    assert_eq!(data["conflicts"][0]["path"], "greet.sh", "{data:#}");
    before.expect_same(&project.fingerprint());
}

/// LP-18: where a merge has to be computed, a git that can't do it is named, and nothing is changed.
#[test]
fn an_old_git_is_named() {
    let (project, run) = mended();
    commit(&project, "other.txt", "2\n");
    let real = project.sh("command -v git").expect(0).out();
    let script = format!(
        "case \"$*\" in *merge-tree*) exit 129;; *version*) echo 'git version 2.39.5';; \
         *) exec {} \"$@\";; esac",
        real.trim()
    );
    let path = planted(&project, "git", &script);
    let before = project.fingerprint();
    let ran = project.call(["accept", &run, "--merge"]).env("PATH", &path).run();
    assert_eq!(ran.code, Some(5), "{}{}", ran.out(), ran.err());
    assert!(ran.err().contains("git 2.39.5 is too old"), "{}", ran.err());
    before.expect_same(&project.fingerprint());
}

/// LP-14: what merges cleanly and does not hold together is refused, and nothing is changed.
#[test]
fn what_does_not_hold_together_is_refused() {
    let (project, run) = mended();
    commit(&project, "tests/greets.sh", "sh greet.sh Ada | grep -qx 'Hello, Ada!'\n");
    let before = project.fingerprint();
    project
        .run(["accept", &run, "--merge"])
        .expect(3)
        .prints("does not hold")
        .prints("nothing was changed");
    project.run(["accept", &run, "--merge", "--looked", "it is fine"]).expect(3);
    before.expect_same(&project.fingerprint());
}

/// LP-14, VC-08: work and branch together are verified under all that was agreed on: an example that
/// has become false is a reason to refuse, and a pull request names it.
#[test]
fn an_example_that_became_false_is_refused() {
    let project = Project::new(crate::PROGRAM);
    project.write("lib.sh", "word() { echo Hello; }\n");
    project.write("greet.sh", ". ./lib.sh; word\n");
    project.write("tests/greets.sh", "sh greet.sh Ada | grep -qx 'Hello, Ada'\n");
    project.commit("A greeter");
    let worker = "command:echo '. ./lib.sh; echo \"$(word \"$1\"), $1\"' > greet.sh";
    let words = ["run", crate::GOAL, "--check", CHECK, "--no-input", "--worker", worker];
    let example = "sh greet.sh Grace => Hello, Grace";
    project.call(words).args(["--example", example]).run().expect(0);
    let body = project.run(["accept", "--pr-body"]).expect(0).out();
    assert!(body.contains(&format!("--example '{example}'")), "{body}");

    let moved = "word() { if [ \"$1\" = Grace ]; then echo Bye; else echo Hello; fi; }\n";
    commit(&project, "lib.sh", moved);
    let before = project.fingerprint();
    project
        .run(["accept", "--merge"])
        .expect(3)
        .prints("sh greet.sh Grace")
        .prints("nothing was changed");
    project.run(["accept", "--squash", "--looked", "it is fine"]).expect(3);
    before.expect_same(&project.fingerprint());

    commit(&project, "lib.sh", "word() { printf 'Hello\\n'; }\n");
    project.run(["accept", "--merge"]).expect(0).prints("verified again");
}

/// LP-14: what no check can decide waits for a person, who says why; an agent can't say it.
#[test]
fn what_a_person_must_look_at_waits() {
    let (project, run) = mended();
    commit(&project, "tests/greets.sh", "test -s greet.sh\n");
    let before = project.fingerprint();
    project.run(["accept", &run, "--merge"]).expect(4).prints("--looked");
    let words = ["accept", &run, "--merge", "--looked", "read it"];
    project.call(words).env("CLAUDECODE", "1").run().expect(1).says("a person is asked");
    before.expect_same(&project.fingerprint());
    project.run(words).expect(0).prints("merge commit");
    let id = project.run(["review", "list", "--all", "--format", "json"]).expect(0).data();
    let said = id["reviews"].as_array().unwrap().iter().find(|one| !one["reviewed"].is_null());
    assert_eq!(said.unwrap()["reviewed"]["note"], "read it", "{id:#}");
}

/// LP-14: the answer may also be given in the queue of reviews, for exactly these files.
#[test]
fn an_answer_in_the_review_queue_counts() {
    let (project, run) = mended();
    commit(&project, "tests/greets.sh", "test -s greet.sh\n");
    project.run(["accept", &run, "--merge"]).expect(4);
    project.run(["review", "accept", "--note", "read it"]).expect(0);
    project.run(["accept", &run, "--merge"]).expect(0).prints("merge commit");

    let (project, run) = mended();
    commit(&project, "tests/greets.sh", "test -s greet.sh\n");
    project.run(["accept", &run, "--merge"]).expect(4);
    project.run(["review", "accept", "--note", "read it"]).expect(0);
    commit(&project, "other.txt", "3\n");
    project.run(["accept", &run, "--merge"]).expect(4);
}

/// A `git` that does what `instead` says where the branch is moved, and else what git does.
fn treacherous(project: &Project, instead: &str) -> String {
    let folder = project.outside().join("bin");
    fs::create_dir_all(&folder).unwrap();
    let real = project.sh("command -v git").out();
    let script = format!(
        "#!/bin/sh\nreal={}\ncase \"$*\" in *'update-ref -m countersign accept'*)\n{instead}\n;;\nesac\n\
         exec $real \"$@\"\n",
        real.trim()
    );
    let file = folder.join("git");
    fs::write(&file, script).unwrap();
    fs::set_permissions(&file, fs::Permissions::from_mode(0o755)).unwrap();
    let path = std::env::var("PATH").unwrap();
    format!("{}:{path}", folder.display())
}

/// LP-14, PL-02: killed before the branch moved, or right after, it is completed by accepting again.
#[test]
fn killed_in_the_middle_it_is_completed() {
    for (way, instead) in [
        ("--merge", "kill -9 $PPID; exit 1"),
        ("--squash", "kill -9 $PPID; exit 1"),
        ("--merge", "$real \"$@\"; kill -9 $PPID; exit 1"),
        ("--squash", "$real \"$@\"; kill -9 $PPID; exit 1"),
    ] {
        let (project, run) = mended();
        project.write("untracked.txt", "mine\n");
        let path = treacherous(&project, instead);
        let killed = project.call(["accept", &run, way]).env("PATH", path).run();
        assert_eq!(killed.code, None, "{way} {instead}: {}", killed.err());
        project.run(["accept", &run, way]).expect(0);
        assert_eq!(project.git(["status", "--porcelain"]), "?? untracked.txt\n", "{way} {instead}");
        assert_eq!(project.git(["rev-list", "--count", "HEAD"]).trim(), "3", "{way} {instead}");
        project.sh(CHECK).expect(0);
        project.run(["ledger", "verify"]).expect(0).prints("intact");
        project.expect_no_survivors();
    }
}

/// LP-14: a branch that somebody else moves at the last moment is not moved by us, and files go back.
#[test]
fn a_branch_that_moves_at_the_last_moment_is_left_alone() {
    let (project, run) = mended();
    let meanwhile = project.git(["commit-tree", "HEAD^{tree}", "-p", "HEAD", "-m", "Meanwhile"]);
    let instead = format!("$real update-ref refs/heads/main {}", meanwhile.trim());
    let path = treacherous(&project, &instead);
    let ran = project.call(["accept", &run, "--merge"]).env("PATH", path).run().expect(1);
    ran.says("moved by someone else");
    assert_eq!(project.git(["rev-parse", "HEAD"]).trim(), meanwhile.trim());
    assert_eq!(project.git(["status", "--porcelain"]), "");
    project.run(["accept", &run, "--merge"]).expect(0).prints("merge commit");
}
