//! Finding the repository of a directory.

use std::fs;
use std::os::unix::fs::symlink;

use countersign_git::{Error, discover};

use crate::common::{Lab, make_pipe, put};

/// CX-09: a repository is found from any depth.
#[test]
fn a_repository_is_found_from_below() {
    let lab = Lab::new();
    for start in ["", "dir"] {
        let layout = discover(&lab.file(start)).unwrap();
        assert_eq!(layout.worktree, lab.root());
        assert_eq!(layout.git_dir, lab.file(".git"));
        assert_eq!(layout.common_dir, lab.file(".git"));
    }
}

/// CX-09: a linked worktree has its own git directory and the common one.
#[test]
fn a_linked_worktree_is_found() {
    let lab = Lab::new();
    lab.git(&lab.root(), &["worktree", "add", "-q", "../linked"]);
    let layout = discover(&lab.path("linked/dir")).unwrap();
    assert_eq!(layout.worktree, lab.path("linked"));
    assert_eq!(layout.git_dir, lab.file(".git/worktrees/linked"));
    assert_eq!(layout.common_dir, lab.file(".git"));
}

/// CX-09: a submodule is a repository of its own.
#[test]
fn a_submodule_is_found() {
    let lab = Lab::new();
    lab.git(&lab.path(""), &["clone", "-q", "repo", "other"]);
    lab.git(&lab.root(), &["submodule", "--quiet", "add", "../other", "sub"]);
    let layout = discover(&lab.file("sub/dir")).unwrap();
    assert_eq!(layout.worktree, lab.file("sub"));
    assert_eq!(layout.git_dir, lab.file(".git/modules/sub"));
}

/// CX-09: what we find is what git finds.
#[test]
fn git_agrees() {
    let lab = Lab::new();
    lab.git(&lab.root(), &["worktree", "add", "-q", "../linked"]);
    symlink(lab.root(), lab.path("by-link")).unwrap();
    for start in ["repo/dir", "linked", "by-link/dir"] {
        let start = lab.path(start);
        let layout = discover(&start).unwrap();
        let asked = ["rev-parse", "--path-format=absolute", "--show-toplevel", "--git-dir"];
        let said = lab.git(&start, &asked);
        let ours = format!("{}\n{}", layout.worktree.display(), layout.git_dir.display());
        assert_eq!(said, ours);
    }
}

/// CX-09: a repository that keeps its files elsewhere.
#[test]
fn a_configured_worktree_is_respected() {
    let lab = Lab::new();
    fs::create_dir(lab.path("files")).unwrap();
    lab.git(&lab.root(), &["config", "core.worktree", "../../files"]);
    assert_eq!(discover(&lab.root()).unwrap().worktree, lab.path("files"));
}

/// CX-09: a bare repository has no working tree to record.
#[test]
fn a_bare_repository_is_recognised() {
    let lab = Lab::new();
    lab.git(&lab.path(""), &["clone", "-q", "--bare", "repo", "bare.git"]);
    put(&lab.path("hub/.git"), "gitdir: ../bare.git\n");
    lab.git(&lab.path("bare.git"), &["worktree", "add", "-q", "../tree", "main"]);
    for start in ["bare.git", "bare.git/refs", "repo/.git", "hub"] {
        assert!(matches!(discover(&lab.path(start)), Err(Error::Bare { .. })), "{start}");
    }
    assert_eq!(discover(&lab.path("tree")).unwrap().worktree, lab.path("tree"));
}

/// CX-09: no repository at all, or only something that looks like one.
#[test]
fn nothing_is_not_a_repository() {
    let lab = Lab::bare();
    put(&lab.path("empty/.git/HEAD"), "ref: refs/heads/main\n");
    put(&lab.path("broken/.git"), "gitdir: nowhere\n");
    fs::create_dir(lab.path("pipe")).unwrap();
    make_pipe(&lab.path("pipe/.git"));
    for start in ["home", "empty", "broken", "pipe"] {
        let found = discover(&lab.path(start));
        assert!(matches!(found, Err(Error::NotARepository { .. })), "{start}: {found:?}");
    }
    assert!(matches!(discover(&lab.path("gone")), Err(Error::Io { .. })));
}
