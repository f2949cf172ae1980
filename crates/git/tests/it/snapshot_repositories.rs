//! Snapshots in every kind of repository.

use std::fs;
use std::path::PathBuf;

use countersign_git::{Checkout, Error, Repository, Tip};

use crate::common::Lab;
use crate::snapshot::check_truth;

/// CX-09: before the first commit, with and without files.
#[test]
fn an_unborn_branch_has_a_tree() {
    let lab = Lab::empty();
    assert_eq!(lab.snapshot().as_str(), "4b825dc642cb6eb9a060e54bf8d69288fbee4904");
    lab.write("first", "x\n");
    check_truth(&lab);
}

/// CX-09: a repository with SHA-256 object names.
#[test]
fn longer_object_names_are_fine() {
    let lab = Lab::bare();
    lab.git(&lab.path(""), &["init", "-q", "--object-format=sha256", "repo"]);
    lab.write("a", "1\n");
    lab.commit_all("first");
    lab.git(&lab.root(), &["update-index", "--assume-unchanged", "a"]);
    lab.write("a", "2\n");
    lab.write("b", "3\n");
    check_truth(&lab);
    let tree = lab.snapshot();
    assert_eq!(tree.as_str().len(), 64);
    let repository = lab.open();
    repository.keep("t", &tree).unwrap();
    assert_eq!(repository.diff(&lab.id("HEAD^{tree}"), &tree).unwrap().len(), 2);
    repository.patch(&lab.id("HEAD^{tree}"), &tree).unwrap();
}

/// CX-09: a linked worktree is recorded through its own index.
#[test]
fn a_linked_worktree_is_recorded() {
    let lab = Lab::new();
    lab.git(&lab.root(), &["worktree", "add", "-q", "../linked"]);
    let linked = lab.path("linked");
    fs::write(linked.join("a.txt"), "in the linked one\n").unwrap();
    fs::write(linked.join("new"), "new\n").unwrap();
    lab.git(&linked, &["add", "new"]);
    let before = lab.everything();
    let by_main = lab.snapshot_of(&linked);
    let scratch = lab.path("scratch");
    let by_itself = lab.open_at(&linked).snapshot(&linked, &scratch).unwrap().tree;
    assert_eq!(by_main, by_itself);
    assert_eq!(lab.everything(), before);
    assert_eq!(lab.content(&by_main, "a.txt").as_deref(), Some("in the linked one\n"));
    assert_eq!(lab.snapshot(), lab.id("HEAD^{tree}"));
}

/// CX-09: submodules are recorded as the commit they stand on, dirty or not.
#[test]
fn submodules_are_recorded_by_commit() {
    let lab = Lab::new();
    lab.git(&lab.path(""), &["clone", "-q", "repo", "other"]);
    lab.git(&lab.root(), &["submodule", "--quiet", "add", "../other", "sub"]);
    lab.commit_all("a submodule");
    lab.write("sub/a.txt", "dirty\n");
    assert_eq!(lab.snapshot(), lab.id("HEAD^{tree}"));
    lab.git(&lab.file("sub"), &["commit", "-qam", "moved"]);
    lab.write("a.txt", "edited\n");
    let tree = lab.snapshot();
    let moved = lab.git(&lab.file("sub"), &["rev-parse", "HEAD"]);
    assert_eq!(lab.git(&lab.root(), &["rev-parse", &format!("{tree}:sub")]), moved);
    assert_eq!(lab.content(&tree, "a.txt").as_deref(), Some("edited\n"));
    fs::remove_dir_all(lab.file("sub")).unwrap();
    assert_eq!(lab.names(&lab.snapshot()), [".gitmodules", "a.txt", "b.txt", "dir/c.txt"]);
}

/// CX-09: nested repositories: with a commit they are recorded by it, without one they are
/// left out and named.
#[test]
fn nested_repositories_are_told() {
    let lab = Lab::new();
    for name in ["with", "without one", "without two"] {
        lab.git(&lab.root(), &["init", "-q", name]);
        lab.write(PathBuf::from(name).join("file"), "x\n");
    }
    lab.git(&lab.file("with"), &["commit", "-q", "--allow-empty", "-m", "one"]);
    lab.write("new", "new\n");
    let snapshot = lab.open().snapshot(&lab.root(), &lab.path("scratch")).unwrap();
    assert_eq!(lab.mode(&snapshot.tree, "with"), "160000");
    assert_eq!(lab.names(&snapshot.tree), ["a.txt", "b.txt", "dir/c.txt", "new", "with"]);
    assert_eq!(snapshot.left_out, [PathBuf::from("without one"), PathBuf::from("without two")]);
}

/// CX-09, LP-08: names that git takes for its own are left out and named, and the rest is recorded.
#[test]
fn paths_that_git_cannot_hold_are_told() {
    let lab = Lab::new();
    for path in [".GIT/x", ".GIT/y/z", "dir/.Git/q", "git~1", "line\nbreak/.gIT/x"] {
        lab.write(path, "x\n");
    }
    for number in 0..60 {
        lab.write(format!("dir/GIT~1/{number}"), "x\n");
    }
    lab.write("new", "new\n");
    let snapshot = lab.open().snapshot(&lab.root(), &lab.path("scratch")).unwrap();
    assert_eq!(lab.names(&snapshot.tree), ["a.txt", "b.txt", "dir/c.txt", "new"]);
    let mut unheld = snapshot.unheld.clone();
    unheld.sort();
    let expected = [".GIT", "dir/.Git", "dir/GIT~1", "git~1", "line\nbreak/.gIT"];
    assert_eq!(unheld, expected.map(PathBuf::from));
    assert!(snapshot.left_out.is_empty());
}

/// CX-09: a directory that is no repository at all can be recorded too.
#[test]
fn a_plain_directory_is_recorded() {
    let lab = Lab::new();
    fs::create_dir(lab.path("plain")).unwrap();
    fs::write(lab.path("plain/x"), "x\n").unwrap();
    let before = lab.everything();
    assert_eq!(lab.names(&lab.snapshot_of(&lab.path("plain"))), ["x"]);
    assert_eq!(lab.everything(), before);
}

/// CX-09: a shallow clone is recorded and checked out like any other.
#[test]
fn a_shallow_clone_is_fine() {
    let lab = Lab::new();
    lab.write("a.txt", "2\n");
    lab.commit_all("second");
    let url = format!("file://{}", lab.root().display());
    lab.git(&lab.path(""), &["clone", "-q", "--depth=1", &url, "shallow"]);
    let repository = lab.open_at(&lab.path("shallow"));
    let tree = repository.snapshot(&lab.path("shallow"), &lab.path("scratch")).unwrap().tree;
    assert_eq!(tree, lab.id("HEAD^{tree}"));
    let head = lab.id("HEAD");
    let tip = Tip::Commit(&head);
    let into = lab.path("copy");
    repository.checkout(&Checkout { into: &into, tip, spares: None }).unwrap();
    assert_eq!(lab.git(&into, &["rev-list", "--count", "HEAD"]), "1");
}

/// CX-09: a place that is not there is named.
#[test]
fn a_missing_place_is_named() {
    let lab = Lab::new();
    let gone = lab.open().snapshot(&lab.path("gone"), &lab.path("scratch"));
    assert!(matches!(gone, Err(Error::Io { path, .. }) if path == lab.path("gone")));
    let unopened = Repository::open_with(&lab.path("home"), lab.env());
    assert!(matches!(unopened, Err(Error::NotARepository { .. })));
}
