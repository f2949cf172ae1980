//! Where the program is started: each place works, or is refused in words that help.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;

use countersign_testkit::Project;

use crate::{PROGRAM, project, project_with_run};

const RUN: [&str; 7] =
    ["run", "Do it", "--check", "test -f x", "--worker", "command:echo > x", "--attempts=1"];

/// PL-02: outside of a repository, the program says what to do.
#[test]
fn without_a_repository() {
    let project = Project::without_repository(PROGRAM);
    for verb in [&RUN[..], &["status"], &["log"], &["ledger", "verify"], &["init"]] {
        project.run(verb).expect(1).says("no git repository at").says("git init");
    }
    let append = project.call(["ledger", "append", "--stream", "a", "--kind", "b"]).stdin("1");
    append.run().expect(1).says("no git repository at");
    // What needs no repository works.
    project.run(["config", "show"]).expect(0).prints("run.attempts");
    project.run(["config", "path"]).expect(0).prints("(not in a repository)");
    project.run(["doctor"]).expect(1).prints("no git repository at");
}

/// PL-02: a bare repository has no files to work on.
#[test]
fn in_a_bare_repository() {
    let project = Project::without_repository(PROGRAM);
    project.git(["init", "--quiet", "--bare"]);
    project.run(RUN).expect(1).says("has no working tree");
}

/// PL-02: a repository without commits has nothing to start from; everything else works.
#[test]
fn in_a_repository_without_commits() {
    let project = Project::without_commits(PROGRAM);
    project.write("a.txt", "a\n");
    let ran = project.run(RUN).expect(1).says("no commit yet").says("make a first commit");
    assert!(!ran.err().contains("the last commit"), "there is none: {}", ran.err());
    project.run(["init"]).expect(0);
    project.run(["status"]).expect(0).prints("no run yet");
    project.call(["ledger", "append", "--stream", "a", "--kind", "b"]).stdin("1").run().expect(0);
    project.run(["ledger", "seal"]).expect(0).prints("seal 1 over 1 event in 1 stream");
    project.run(["ledger", "verify"]).expect(0).prints("intact");
    project.commit("Start");
    project.run(RUN).expect(0);
}

/// PL-02: an unborn branch in a repository with commits is the same, and a base can be named.
#[test]
fn on_an_unborn_branch() {
    let project = project();
    project.git(["switch", "--quiet", "--orphan", "empty"]);
    project.run(RUN).expect(1).says("no commit yet");
    project.call(RUN).args(["--base", "main"]).run().expect(0);
}

/// PL-02: a branch that stands where accepted work is to go is told of before the work.
#[test]
fn beside_a_branch_of_our_name() {
    let project = project();
    project.git(["branch", "countersign"]);
    let ran = project.goal("touch $HOME/worked; echo > x", "true").run().expect(1);
    ran.says("there is a branch 'countersign'").says("git branch -m countersign");
    assert!(!project.outside().join("home/worked").exists());
    project.git(["branch", "-m", "countersign", "mine"]);
    project.run(RUN).expect(0);
}

/// PL-02: a detached HEAD is a place like any other.
#[test]
fn on_a_detached_head() {
    let project = project();
    project.git(["checkout", "--quiet", "--detach"]);
    let before = project.fingerprint();
    project.run(RUN).expect(0);
    before.expect_same(&project.fingerprint());
}

/// PL-02: a subdirectory and `-C` mean the repository around them.
#[test]
fn in_a_subdirectory() {
    let project = project();
    project.write("a/b/c.txt", "c\n");
    project.commit("Deep");
    project.call(RUN).at(project.path("a/b")).run().expect(0);
    assert!(project.state().join("ledger.db").exists());
    project.run(["status", "latest"]).expect(0).prints("accepted");
    let root = project.root();
    let root = root.to_str().unwrap();
    let elsewhere = project.outside();
    project.call(["-C", root, "status"]).at(&elsewhere).run().expect(0).prints("accepted");
    project.call(["status", "-C", "project/a"]).at(&elsewhere).run().expect(0).prints("accepted");
    project.run(["-C", "nowhere", "status"]).expect(2).says("is not a folder");
    project.run(["-C", "README.md", "status"]).expect(2).says("is not a folder");
}

/// CX-09: a linked worktree shares the ledger of its repository.
#[test]
fn in_a_linked_worktree() {
    let project = project_with_run();
    let linked = project.outside().join("linked");
    project.git(["worktree", "add", "--quiet", "-b", "other", linked.to_str().unwrap()]);
    fs::write(linked.join("only-here.txt"), "x\n").unwrap();
    project.git_in(&linked, ["add", "."]);
    project.git_in(&linked, ["commit", "-qm", "Only here"]);
    let before = project.fingerprint();
    let check = ["--check", "test -f only-here.txt"];
    project.call(RUN).args(check).at(&linked).run().expect(0).says("(other)");
    before.expect_same(&project.fingerprint());
    for folder in [&linked, &project.root()] {
        let call = project.call(["status", "--format", "json"]).at(folder);
        assert_eq!(call.run().expect(0).data().as_array().unwrap().len(), 2);
    }
    project.git(["worktree", "remove", "--force", linked.to_str().unwrap()]);
    project.run(["ledger", "verify"]).expect(0).prints("intact");
}

/// CX-09: a submodule is a repository of its own, with its own ledger.
#[test]
fn in_a_submodule() {
    let project = project();
    let inner = Project::new(PROGRAM);
    let from = inner.root();
    let from = from.to_str().unwrap();
    project.git(["-c", "protocol.file.allow=always", "submodule", "add", "--quiet", from, "sub"]);
    project.commit("A submodule");
    project.call(RUN).at(project.path("sub")).run().expect(0);
    assert!(project.path(".git/modules/sub/countersign/ledger.db").exists());
    project.run(["status"]).expect(0).prints("no run yet");
    // The outer project has a commit of the submodule in its tree; a run there works as well.
    project.run(RUN).expect(0);
}

/// PL-02: a current folder that is gone is told, not guessed.
#[test]
fn in_a_folder_that_is_gone() {
    let project = project();
    let script = format!("mkdir gone && cd gone && rmdir ../gone && exec {PROGRAM} status");
    let ran = project.sh(&script).expect(1);
    ran.says("the current folder can't be used").says("change into a folder that exists");
    let append = "ledger append --stream a --kind b";
    let script = format!("mkdir gone && cd gone && rmdir ../gone && echo 1 | {PROGRAM} {append}");
    project.sh(&script).expect(1).says("the current folder can't be used");
}

/// PL-02: without HOME, or without a home of its own, there is a place for the key. What happens without both
/// is no test's to try: it is the user's own home then.
#[test]
fn without_a_home() {
    let project = project();
    project.call(RUN).without_env("HOME").run().expect(0);
    let call = project.call(["status"]).without_env("COUNTERSIGN_HOME");
    call.run().expect(0);
    let home = project.outside().join("home");
    project.call(RUN).without_env("COUNTERSIGN_HOME").run().expect(0);
    assert!(home.join(".local/share/countersign/key").exists());
    let data = project.outside().join("data");
    let call = project.call(RUN).without_env("COUNTERSIGN_HOME").env("XDG_DATA_HOME", &data);
    call.run().expect(0);
    assert!(data.join("countersign/key").exists());
}

/// PL-02: a home that can't be written is told, with its path.
#[test]
fn with_a_home_that_can_not_be_written() {
    let project = project();
    // A file where the folder should be: no permission bits stop root, which tests may be.
    let home = project.outside().join("home/file");
    fs::write(&home, "").unwrap();
    let ran = project.call(RUN).env("COUNTERSIGN_HOME", &home).run().expect(1);
    ran.says(home.to_str().unwrap());
    let before = project.run(["status", "--format", "json"]).expect(0).data();
    assert_eq!(before, serde_json::json!([]), "nothing was started");
}

/// CX-09: a folder whose name is no text, or full of what shells care about, is a folder.
#[test]
fn in_a_folder_with_an_odd_name() {
    let names: [&[u8]; 2] = [b"caf\xe9 'n\n $(false)", "日本 \u{1f980}".as_bytes()];
    for name in names {
        let project = project();
        let folder = project.outside().join(OsStr::from_bytes(name));
        fs::rename(project.root(), &folder).unwrap();
        let at = |args: &[&str]| project.call(args).at(&folder).run();
        at(&["init"]).expect(0);
        at(&RUN).expect(0);
        let verbs: [&[&str]; 9] = [
            &["init"],
            &["config", "show"],
            &["config", "path"],
            &["status"],
            &["log", "--diff"],
            &["doctor"],
            &["ledger", "verify"],
            &["demo", "--into", "demo"],
            &["man", "--out", "man"],
        ];
        for verb in verbs {
            let call = project.call(verb).at(&folder).args(["--format", "json"]);
            assert_eq!(call.run().expect(0).json()["success"], true, "{verb:?}");
        }
    }
}

/// CX-09: variables that point git elsewhere, as in a hook, change nothing.
#[test]
fn inside_of_a_git_hook() {
    let project = project();
    let before = project.fingerprint();
    let stray = project.outside().join("stray-index");
    let call = project.call(RUN).env("GIT_DIR", "/nowhere").env("GIT_WORK_TREE", "/");
    let call = call.env("GIT_INDEX_FILE", &stray).env("GIT_OBJECT_DIRECTORY", "/nowhere");
    call.env("GIT_CEILING_DIRECTORIES", project.root()).run().expect(0);
    assert!(!stray.exists());
    before.expect_same(&project.fingerprint());
}
