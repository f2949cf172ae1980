//! Fresh checkouts.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::PathBuf;

use countersign_git::{Checkout, Error, Tip};

use crate::common::{Lab, files, make_executable, os, put, put_script};

fn commit_tip(lab: &Lab, into: &str) -> PathBuf {
    let (into, head) = (lab.path(into), lab.id("HEAD"));
    lab.open().checkout(&Checkout { into: &into, tip: Tip::Commit(&head), spares: None }).unwrap();
    into
}

/// CX-09: a checkout of a commit stands on that commit, with its history.
#[test]
fn a_commit_is_checked_out() {
    let lab = Lab::new();
    lab.write("a.txt", "2\n");
    lab.commit_all("second");
    let into = commit_tip(&lab, "copy");
    assert_eq!(files(&into), files(&lab.root()));
    assert_eq!(lab.git(&into, &["rev-parse", "HEAD"]), lab.id("HEAD").as_str());
    assert_eq!(lab.git(&into, &["rev-list", "--count", "HEAD"]), "2");
    assert_eq!(lab.git(&into, &["symbolic-ref", "HEAD"]), "refs/heads/work");
    assert_eq!(lab.git(&into, &["status", "--porcelain", "--ignored"]), "");
    assert_eq!(lab.git(&into, &["stash", "list"]), "");
    let index = fs::read(into.join(".git/index")).unwrap();
    assert_ne!(index[index.len() - 20..], [0; 20], "other programs check the sum of the index");
}

/// CX-09: a checkout of a tree stands on a commit that exists only there.
#[test]
fn a_tree_is_checked_out() {
    let lab = Lab::new();
    lab.write("new", "new\n");
    let (tree, parent, into) = (lab.snapshot(), lab.id("HEAD"), lab.path("copy"));
    let tip = Tip::Tree { tree: &tree, parent: Some(&parent), message: "m", time_seconds: 7 };
    let made = lab.open().checkout(&Checkout { into: &into, tip, spares: None }).unwrap();
    assert_eq!((&made.tree, &made.path), (&tree, &into));
    assert_eq!(lab.git(&into, &["rev-parse", "HEAD"]), made.commit.as_str());
    assert_eq!(lab.git(&into, &["rev-parse", "HEAD~"]), parent.as_str());
    assert_eq!(lab.git(&into, &["rev-parse", "HEAD^{tree}"]), tree.as_str());
    assert_eq!(lab.git(&into, &["status", "--porcelain"]), "");
    let here = lab.try_git(&lab.root(), &["cat-file", "-e", made.commit.as_str()]);
    assert!(!here.status.success());
    lab.git(&into, &["fsck", "--strict"]);
}

/// CX-09: modes, links, line endings and odd names come out right, from a cold start.
#[test]
fn every_kind_of_file_comes_out_right() {
    let lab = Lab::new();
    lab.write(".gitattributes", "*.dos text eol=crlf\n");
    lab.write("x.dos", "1\r\n2\r\n");
    lab.write(os(b"\xff name\n"), [0, 255]);
    lab.write("run.sh", "#!/bin/sh\n");
    make_executable(&lab.file("run.sh"));
    symlink("../nowhere", lab.file("link")).unwrap();
    symlink("dir", lab.file("to-directory")).unwrap();
    lab.commit_all("all kinds");
    assert_eq!(files(&commit_tip(&lab, "copy")), files(&lab.root()));
}

/// CX-09: from a linked worktree, a repository on borrowed objects and one with SHA-256.
#[test]
fn every_kind_of_repository_can_be_checked_out() {
    let lab = Lab::new();
    lab.git(&lab.root(), &["worktree", "add", "-q", "../linked"]);
    lab.git(&lab.path(""), &["clone", "-q", "--shared", "repo", "odd\nplace"]);
    let relative = "../../../repo/.git/objects\n";
    fs::write(lab.path("odd\nplace/.git/objects/info/alternates"), relative).unwrap();
    lab.git(&lab.path(""), &["clone", "-q", "--shared", "repo", "again"]);
    fs::write(
        lab.path("again/.git/objects/info/alternates"),
        "\"../../../odd\\nplace/.git/objects\"\n",
    )
    .unwrap();
    lab.git(&lab.path(""), &["init", "-q", "--object-format=sha256", "long"]);
    put(&lab.path("long/a.txt"), "a\n");
    lab.git(&lab.path("long"), &["add", "-A"]);
    lab.git(&lab.path("long"), &["commit", "-qm", "one"]);
    for name in ["linked", "odd\nplace", "again", "long"] {
        let repository = lab.open_at(&lab.path(name));
        let head = repository.head().unwrap().unwrap();
        let into = lab.path(&format!("copy of {name}"));
        let tip = Tip::Tree {
            tree: &head.tree,
            parent: Some(&head.commit),
            message: "",
            time_seconds: 1,
        };
        repository.checkout(&Checkout { into: &into, tip, spares: None }).unwrap();
        assert_eq!(files(&into), files(&lab.path(name)), "{name:?}");
        assert_eq!(lab.git(&into, &["status", "--porcelain"]), "", "{name:?}");
        assert_eq!(lab.git(&into, &["rev-list", "--count", "HEAD"]), "2", "{name:?}");
    }
}

/// CX-09: ignore rules, attributes and filters of the repository hold in a checkout; its
/// remotes, hooks and other settings do not come along.
#[test]
fn a_checkout_inherits_what_shapes_files() {
    let lab = Lab::new();
    lab.write(".git/info/exclude", "secret\n");
    lab.write(".git/info/attributes", "*.up filter=up\n");
    put_script(&lab.file(".git/hooks/pre-commit"), "exit 1");
    for (name, value) in [
        ("filter.up.clean", "tr A-Z a-z"),
        ("filter.up.smudge", "tr \"a-z\" 'A-Z'"),
        ("remote.origin.url", "https://example.com/x.git"),
        ("alias.st", "status"),
        ("core.hooksPath", "/nowhere"),
    ] {
        lab.git(&lab.root(), &["config", name, value]);
    }
    lab.write("x.up", "LOUD\n");
    lab.commit_all("filtered");
    let into = commit_tip(&lab, "copy");
    assert_eq!(fs::read(into.join("x.up")).unwrap(), b"LOUD\n");
    put(&into.join("secret"), "x");
    put(&into.join("x.up"), "LOUD\n");
    assert_eq!(lab.git(&into, &["status", "--porcelain"]), "");
    assert_eq!(lab.git(&into, &["remote"]), "");
    assert!(!into.join(".git/hooks").exists());
    assert!(!lab.try_git(&into, &["config", "alias.st"]).status.success());
    assert!(!lab.try_git(&into, &["config", "core.hooksPath"]).status.success());
}

/// CX-09: a submodule is an empty directory in a checkout, and the status is clean.
#[test]
fn submodules_are_left_empty() {
    let lab = Lab::new();
    lab.git(&lab.path(""), &["clone", "-q", "repo", "other"]);
    lab.git(&lab.root(), &["submodule", "--quiet", "add", "../other", "sub"]);
    lab.commit_all("a submodule");
    lab.git(&lab.root(), &["config", "submodule.recurse", "true"]);
    let before = lab.everything();
    let into = commit_tip(&lab, "copy");
    assert_eq!(lab.everything(), before);
    assert_eq!(fs::read_dir(into.join("sub")).unwrap().count(), 0);
    assert_eq!(lab.git(&into, &["status", "--porcelain"]), "");
    assert_eq!(lab.snapshot_of(&into), lab.id("HEAD^{tree}"));
}

/// CX-09: only an empty place is used, and an occupied one is left as it is.
#[test]
fn an_occupied_place_is_refused() {
    let lab = Lab::new();
    put(&lab.path("full/file"), "mine\n");
    put(&lab.path("file"), "mine\n");
    fs::create_dir(lab.path("empty")).unwrap();
    symlink(lab.path("empty"), lab.path("link")).unwrap();
    let head = lab.id("HEAD");
    for name in ["full", "file", "link"] {
        let into = lab.path(name);
        let refused =
            lab.open().checkout(&Checkout { into: &into, tip: Tip::Commit(&head), spares: None });
        assert!(matches!(refused, Err(Error::Occupied { .. })), "{name}");
    }
    assert_eq!(fs::read(lab.path("full/file")).unwrap(), b"mine\n");
    commit_tip(&lab, "empty");
    commit_tip(&lab, "not/yet/there");
}

/// CX-17: a checkout that cannot be made leaves nothing behind.
#[test]
fn a_failed_checkout_leaves_nothing() {
    let lab = Lab::new();
    let (into, missing) = (lab.path("copy"), "1".repeat(40).parse().unwrap());
    let refused =
        lab.open().checkout(&Checkout { into: &into, tip: Tip::Commit(&missing), spares: None });
    assert!(matches!(refused, Err(Error::UnknownRevision { .. })));
    assert!(!into.exists());
    lab.write(".gitattributes", "a.txt filter=bad\n");
    lab.commit_all("a filter");
    lab.git(&lab.root(), &["config", "filter.bad.smudge", "false"]);
    lab.git(&lab.root(), &["config", "filter.bad.required", "true"]);
    let head = lab.id("HEAD");
    let failed =
        lab.open().checkout(&Checkout { into: &into, tip: Tip::Commit(&head), spares: None });
    assert!(matches!(failed, Err(Error::Failed { .. })), "{failed:?}");
    assert!(!into.exists());
}

/// G24: a plain checkout bears no mark and no name of ours, and its removal writes through no link.
#[test]
fn a_plain_checkout_does_not_say_whose_it_is() {
    let lab = Lab::new();
    let (tree, into) = (lab.snapshot(), lab.path("copy"));
    let tip = Tip::Tree { tree: &tree, parent: None, message: "m", time_seconds: 7 };
    lab.open().checkout_plain(&Checkout { into: &into, tip, spares: None }).unwrap();
    let said = lab.git(&into, &["log", "-1", "--format=%an %ae %cn %ce"]).to_lowercase();
    assert!(!said.contains("countersign"), "{said}");
    let marker = into.join(".git/countersign-checkout");
    assert!(!marker.exists());
    assert!(matches!(countersign_git::discard(&into), Err(Error::NotOurs { .. })));
    let outside = lab.path("outside");
    put(&outside, "kept\n");
    symlink(&outside, &marker).unwrap();
    countersign_git::discard_plain(&into).unwrap();
    assert!(!into.exists());
    assert_eq!(fs::read_to_string(&outside).unwrap(), "kept\n");
}
