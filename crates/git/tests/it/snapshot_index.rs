//! Snapshots whatever state the user's index is in.

use std::fs;

use countersign_domain::ObjectId;

use crate::common::{Lab, put};

/// Takes a snapshot and makes sure that the user's things stay as they are.
pub(crate) fn take(lab: &Lab) -> ObjectId {
    let before = lab.everything();
    let tree = lab.snapshot();
    assert_eq!(lab.everything(), before);
    tree
}

pub(crate) fn check(lab: &Lab, tree: &ObjectId, path: &str, expected: &str) {
    assert_eq!(lab.content(tree, path).as_deref(), Some(expected), "{path}");
}

/// CX-09: what is only staged does not count, what is on disk does.
#[test]
fn the_disk_wins_over_the_stage() {
    let lab = Lab::new();
    lab.write("a.txt", "staged\n");
    lab.write("new", "staged\n");
    lab.git(&lab.root(), &["add", "-A"]);
    check(&lab, &take(&lab), "a.txt", "staged\n");
    lab.write("a.txt", "on disk\n");
    fs::remove_file(lab.file("new")).unwrap();
    lab.git(&lab.root(), &["rm", "-q", "--cached", "b.txt"]);
    let tree = take(&lab);
    check(&lab, &tree, "a.txt", "on disk\n");
    assert_eq!(lab.names(&tree), ["a.txt", "b.txt", "dir/c.txt"]);
}

/// CX-09: edits behind the marks "assume unchanged" and "skip worktree" are seen, in every
/// version of the index.
#[test]
fn marked_files_are_looked_at() {
    for version in ["2", "3", "4"] {
        let lab = Lab::new();
        lab.git(&lab.root(), &["update-index", "--index-version", version]);
        lab.git(&lab.root(), &["update-index", "--assume-unchanged", "a.txt"]);
        lab.git(&lab.root(), &["update-index", "--skip-worktree", "b.txt", "dir/c.txt"]);
        lab.git(&lab.root(), &["update-index", "--assume-unchanged", "dir/c.txt"]);
        for name in ["a.txt", "b.txt", "dir/c.txt"] {
            lab.write(name, "hidden edit\n");
        }
        assert_eq!(lab.git(&lab.root(), &["status", "--porcelain"]), "");
        let tree = take(&lab);
        for name in ["a.txt", "b.txt", "dir/c.txt"] {
            check(&lab, &tree, name, "hidden edit\n");
        }
        fs::remove_file(lab.file("a.txt")).unwrap();
        assert_eq!(lab.names(&take(&lab)), ["b.txt", "dir/c.txt"]);
    }
}

/// CX-09: settings that mark every new entry as unchanged hide nothing.
#[test]
fn ignored_stat_hides_nothing() {
    let lab = Lab::new();
    lab.git(&lab.root(), &["config", "core.ignoreStat", "true"]);
    lab.write("new", "1\n");
    lab.git(&lab.root(), &["add", "new"]);
    lab.write("new", "2\n");
    check(&lab, &take(&lab), "new", "2\n");
}

fn sparse(cone: &[&str]) -> Lab {
    let lab = Lab::new();
    lab.write("in/x", "in\n");
    lab.write("out/y", "out\n");
    lab.write("out/deep/z", "deep\n");
    lab.commit_all("wide");
    lab.git(&lab.root(), &[&["sparse-checkout", "set"], cone, &["in"]].concat());
    assert!(!lab.file("out").exists());
    lab
}

/// CX-09: in a sparse checkout, what is not on disk stays as recorded, and what appears there
/// all the same is recorded.
#[test]
fn a_sparse_checkout_is_whole() {
    let cones: [&[&str]; 3] =
        [&["--no-cone"], &["--cone", "--no-sparse-index"], &["--cone", "--sparse-index"]];
    for cone in cones {
        let lab = sparse(cone);
        assert_eq!(take(&lab), lab.id("HEAD^{tree}"), "{cone:?}");
        lab.write("in/x", "edited\n");
        lab.write("out/y", "back and edited\n");
        lab.write("out/new", "new\n");
        let tree = take(&lab);
        check(&lab, &tree, "in/x", "edited\n");
        check(&lab, &tree, "out/y", "back and edited\n");
        check(&lab, &tree, "out/deep/z", "deep\n");
        check(&lab, &tree, "out/new", "new\n");
        let copy = lab.check_out(&tree, "copy");
        assert_eq!(fs::read(copy.path.join("out/deep/z")).unwrap(), b"deep\n");
        assert_eq!(lab.git(&copy.path, &["status", "--porcelain"]), "");
    }
}

/// CX-09: an index in two files.
#[test]
fn a_split_index_is_read() {
    let lab = Lab::new();
    lab.git(&lab.root(), &["config", "core.splitIndex", "true"]);
    lab.git(&lab.root(), &["update-index", "--split-index"]);
    lab.write("new", "new\n");
    lab.git(&lab.root(), &["add", "new"]);
    lab.git(&lab.root(), &["update-index", "--assume-unchanged", "a.txt"]);
    lab.write("a.txt", "hidden\n");
    let tree = take(&lab);
    check(&lab, &tree, "a.txt", "hidden\n");
    assert_eq!(lab.names(&tree), ["a.txt", "b.txt", "dir/c.txt", "new"]);
}

/// CX-09: caches of a file-system monitor or of untracked files are not believed.
#[test]
fn caches_are_not_believed() {
    let lab = Lab::new();
    put(&lab.path("monitor"), "#!/bin/sh\nprintf 'token\\0'\n");
    crate::common::make_executable(&lab.path("monitor"));
    let monitor = lab.path("monitor");
    lab.git(&lab.root(), &["config", "core.fsmonitor", monitor.to_str().unwrap()]);
    lab.git(&lab.root(), &["config", "core.untrackedCache", "true"]);
    lab.git(&lab.root(), &["update-index", "--fsmonitor", "--force-untracked-cache"]);
    lab.git(&lab.root(), &["status"]);
    lab.write("a.txt", "unseen by the monitor\n");
    lab.write("dir/new", "new\n");
    assert_eq!(lab.git(&lab.root(), &["diff", "--name-only"]), "", "the monitor is at work");
    let tree = take(&lab);
    check(&lab, &tree, "a.txt", "unseen by the monitor\n");
    check(&lab, &tree, "dir/new", "new\n");
}

/// CX-09: entries that only announce a file.
#[test]
fn announced_files_are_recorded() {
    let lab = Lab::new();
    lab.write("soon", "content\n");
    lab.write("gone", "content\n");
    lab.git(&lab.root(), &["add", "-N", "soon", "gone"]);
    fs::remove_file(lab.file("gone")).unwrap();
    let tree = take(&lab);
    check(&lab, &tree, "soon", "content\n");
    assert_eq!(lab.names(&tree), ["a.txt", "b.txt", "dir/c.txt", "soon"]);
}

fn conflict(how: &str) -> Lab {
    let lab = Lab::new();
    lab.git(&lab.root(), &["checkout", "-qb", "side"]);
    lab.write("a.txt", "side\n");
    lab.write("b.txt", "side\n");
    lab.commit_all("side");
    lab.git(&lab.root(), &["checkout", "-q", "main"]);
    lab.write("a.txt", "main\n");
    lab.git(&lab.root(), &["rm", "-q", "b.txt"]);
    lab.commit_all("main");
    assert!(!lab.try_git(&lab.root(), &[how, "side"]).status.success());
    lab
}

/// CX-09: in the middle of a merge, a rebase or a pick, with conflicts, the files on disk are
/// recorded and the operation can go on.
#[test]
fn conflicts_are_recorded_as_they_lie() {
    for how in ["merge", "rebase", "cherry-pick"] {
        let lab = conflict(how);
        let tree = take(&lab);
        let content = lab.content(&tree, "a.txt").unwrap();
        assert!(content.contains("<<<<<<<") && content.contains(">>>>>>>"), "{how}: {content}");
        assert_eq!(lab.content(&tree, "b.txt").as_deref(), Some("side\n"), "{how}");
        assert_ne!(lab.git(&lab.root(), &["ls-files", "-u"]), "", "{how}");
        lab.git(&lab.root(), &[how, "--abort"]);
    }
}

/// CX-09: a deleted or empty index is no obstacle.
#[test]
fn a_missing_index_is_no_obstacle() {
    let lab = Lab::new();
    fs::remove_file(lab.file(".git/index")).unwrap();
    assert_eq!(take(&lab), lab.id("HEAD^{tree}"));
    assert!(!lab.file(".git/index").exists());
}

/// CX-09: a damaged index is an error with git's words, not a wrong tree.
#[test]
fn a_damaged_index_is_an_error() {
    let lab = Lab::new();
    lab.write(".git/index", "DIRC but not really");
    assert!(lab.open().snapshot(&lab.root(), &lab.path("scratch")).is_err());
}

/// CX-17: a lock that another git holds on the user's index is no obstacle.
#[test]
fn a_locked_index_is_no_obstacle() {
    let lab = Lab::new();
    lab.write(".git/index.lock", "");
    lab.write("a.txt", "edited\n");
    check(&lab, &take(&lab), "a.txt", "edited\n");
}
