//! What a worker does in its checkout stays there.

use std::fs;

use crate::common::{Lab, put, put_script};

/// CX-09: commits, branches, stash, settings, hooks and collection of garbage in a checkout
/// leave the user's repository as it is.
#[test]
fn whatever_a_worker_does_stays_there() {
    let lab = Lab::new();
    lab.write("a.txt", "the user's edit\n");
    let tree = lab.snapshot();
    lab.open().keep("t", &tree).unwrap();
    let work = lab.check_out(&tree, "work").path;
    let before = lab.everything();
    let objects = lab.git(&lab.root(), &["count-objects", "-v"]);

    put(&work.join("a.txt"), "worker\n");
    lab.git(&work, &["commit", "-qam", "worker"]);
    lab.git(&work, &["checkout", "-qb", "other"]);
    lab.git(&work, &["branch", "-f", "main"]);
    lab.git(&work, &["tag", "v1"]);
    put(&work.join("b.txt"), "stashed\n");
    lab.git(&work, &["stash", "-q", "-u"]);
    lab.git(&work, &["config", "user.name", "Worker"]);
    lab.git(&work, &["config", "core.hooksPath", "/nowhere"]);
    put_script(&work.join(".git/hooks/pre-commit"), "exit 1");
    lab.git(&work, &["update-ref", "refs/countersign/forged", "HEAD"]);
    lab.git(&work, &["update-ref", "-d", "refs/heads/work"]);
    lab.git(&work, &["reflog", "expire", "--expire=now", "--all"]);
    lab.git(&work, &["gc", "-q", "--prune=now"]);
    lab.git(&work, &["worktree", "add", "-q", "../worker-tree"]);
    lab.git(&work, &["reset", "-q", "--hard", "main"]);
    lab.git(&work, &["clean", "-qfdx"]);

    assert_eq!(lab.everything(), before);
    assert_eq!(lab.git(&lab.root(), &["count-objects", "-v"]), objects);
    lab.git(&lab.root(), &["fsck", "--strict"]);
}

/// CX-09: a worker that removes everything, its repository included, removes nothing of ours.
#[test]
fn a_worker_that_removes_everything_harms_nobody() {
    let lab = Lab::new();
    let work = lab.check_out(&lab.id("HEAD^{tree}"), "work").path;
    let before = lab.everything();
    fs::remove_dir_all(&work).unwrap();
    assert_eq!(lab.everything(), before);
    lab.git(&lab.root(), &["fsck", "--strict"]);
}

/// CX-09: a worker's commit never asks for a passphrase, and its git leaves nothing running.
#[test]
fn a_worker_s_git_is_left_alone() {
    let lab = Lab::new();
    for (name, value) in [
        ("commit.gpgSign", "true"),
        ("gpg.program", "/nowhere"),
        ("core.fsmonitor", "true"),
        ("core.splitIndex", "true"),
        ("core.ignoreStat", "true"),
        ("gc.auto", "1"),
    ] {
        lab.git(&lab.root(), &["config", "--global", name, value]);
    }
    let work = lab.check_out(&lab.id("HEAD^{tree}"), "work").path;
    put(&work.join("a.txt"), "worker\n");
    assert_eq!(lab.git(&work, &["ls-files", "-v", "a.txt"]), "H a.txt");
    lab.git(&work, &["commit", "-qam", "worker"]);
    assert_eq!(lab.git(&work, &["config", "core.fsmonitor"]), "false");
    let names = fs::read_dir(work.join(".git")).unwrap();
    let names = names.map(|found| found.unwrap().file_name().into_string().unwrap());
    assert!(!names.into_iter().any(|name| name.starts_with("sharedindex")));
}
