//! Comparing recorded trees.

use std::fs;
use std::io::Write as _;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::{Command, Stdio};

use countersign_git::{Change, DiffStat, Status};

use crate::common::{Lab, files, make_executable, os, put_script};

fn find<'c>(changes: &'c [Change], path: &[u8]) -> &'c Change {
    changes.iter().find(|change| change.path == Path::new(os(path))).unwrap()
}

/// CX-08: every kind of change is told apart.
#[test]
fn every_kind_of_change_is_told_apart() {
    let lab = Lab::new();
    lab.write("old name", "one\ntwo\nthree\nfour\n");
    lab.write("run.sh", "#!/bin/sh\n");
    lab.write("turns", "file\n");
    lab.commit_all("more");
    let from = lab.snapshot();
    lab.write("a.txt", "edited\n");
    fs::remove_file(lab.file("b.txt")).unwrap();
    fs::rename(lab.file("old name"), lab.file("new\nname")).unwrap();
    make_executable(&lab.file("run.sh"));
    fs::remove_file(lab.file("turns")).unwrap();
    symlink("a.txt", lab.file("turns")).unwrap();
    lab.write(os(b"\xff\xfe"), "new\n");
    let to = lab.snapshot();

    let changes = lab.open().diff(&from, &to).unwrap();
    assert_eq!(changes.len(), 6);
    assert_eq!(find(&changes, b"a.txt").status, Status::Modified);
    assert_eq!(find(&changes, b"b.txt").status, Status::Deleted);
    assert_eq!(find(&changes, b"b.txt").new, None);
    let renamed = Status::Renamed { from: "old name".into() };
    assert_eq!(find(&changes, b"new\nname").status, renamed);
    let mode = find(&changes, b"run.sh");
    assert_eq!(mode.status, Status::ModeChanged);
    assert_eq!(mode.old.as_ref().unwrap().mode, 0o100_644);
    assert_eq!(mode.new.as_ref().unwrap().mode, 0o100_755);
    assert_eq!(find(&changes, b"turns").status, Status::TypeChanged);
    assert_eq!(find(&changes, b"\xff\xfe").status, Status::Added);
    assert_eq!(find(&changes, b"\xff\xfe").old, None);
    assert_eq!(lab.open().diff(&to, &to).unwrap(), []);
}

/// CX-08: the patch leads from one tree to the other, binary files included.
#[test]
fn the_patch_can_be_applied() {
    let lab = Lab::new();
    lab.write("blob.bin", [0, 1, 2, 255]);
    lab.write("no-newline", "x");
    lab.commit_all("more");
    let from = lab.snapshot();
    let before = lab.check_out(&from, "before");
    lab.write("blob.bin", [0, 9, 8, 7, 6]);
    lab.write("no-newline", "y");
    lab.write("with\r\n", "crlf\r\n");
    fs::rename(lab.file("a.txt"), lab.file("dir/a b")).unwrap();
    make_executable(&lab.file("b.txt"));
    let to = lab.snapshot();

    let patch = lab.open().patch(&from, &to).unwrap();
    let mut git = Command::new("git");
    git.args(["apply", "--whitespace=nowarn"]).current_dir(&before.path);
    let mut child = git.stdin(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(&patch).unwrap();
    assert!(child.wait().unwrap().success());
    assert_eq!(files(&before.path), files(&lab.root()));
}

/// CX-08: attributes, drivers and settings cannot hide a change or run a program.
#[test]
fn nothing_hides_a_change() {
    let lab = Lab::new();
    let from = lab.snapshot();
    let marker = lab.path("ran");
    put_script(&lab.path("driver"), &format!("touch '{}'; cat \"$1\"", marker.display()));
    let driver = lab.path("driver");
    let driver = driver.to_str().unwrap();
    for (name, value) in [
        ("diff.external", driver),
        ("diff.x.command", driver),
        ("diff.x.textconv", driver),
        ("diff.noprefix", "true"),
        ("diff.mnemonicPrefix", "true"),
        ("diff.relative", "true"),
        ("diff.ignoreSubmodules", "all"),
        ("diff.renames", "false"),
        ("color.ui", "always"),
        // Named like this, git finds the attributes from wherever it is started.
        ("core.worktree", lab.root().to_str().unwrap()),
    ] {
        lab.git(&lab.root(), &["config", name, value]);
    }
    lab.write(".gitattributes", "a.txt -diff\nb.txt diff=x\n");
    lab.write("a.txt", "shown\n");
    lab.write("b.txt", "also\n");
    let to = lab.snapshot();
    let patch = String::from_utf8(lab.open().patch(&from, &to).unwrap()).unwrap();
    assert!(patch.contains("+shown\n") && patch.contains("+also\n"), "{patch}");
    assert!(patch.contains("--- a/a.txt\n+++ b/a.txt\n"), "{patch}");
    assert!(!marker.exists());
}

/// CX-08: files and lines are counted; a binary file has no lines, a rename is one file.
#[test]
fn files_and_lines_are_counted() {
    let lab = Lab::new();
    lab.write("moved", "1\n2\n3\n4\n5\n");
    lab.commit_all("more");
    let from = lab.snapshot();
    lab.write("a.txt", "x\ny\n");
    fs::remove_file(lab.file("b.txt")).unwrap();
    fs::rename(lab.file("moved"), lab.file("tab\there")).unwrap();
    lab.write("bin", [0, 1, 0]);
    let to = lab.snapshot();
    let stat = lab.open().stat(&from, &to).unwrap();
    assert_eq!(stat, DiffStat { files: 4, insertions: 2, deletions: 2 });
    assert_eq!(lab.open().stat(&to, &to).unwrap(), DiffStat::default());
}

/// CX-09: a moved submodule is a change of its commit.
#[test]
fn a_moved_submodule_is_a_change() {
    let lab = Lab::new();
    lab.git(&lab.path(""), &["clone", "-q", "repo", "other"]);
    lab.git(&lab.root(), &["submodule", "--quiet", "add", "../other", "sub"]);
    let from = lab.snapshot();
    lab.git(&lab.file("sub"), &["commit", "-q", "--allow-empty", "-m", "next"]);
    let to = lab.snapshot();
    let changes = lab.open().diff(&from, &to).unwrap();
    let new = find(&changes, b"sub").new.clone().unwrap();
    assert_eq!(new.mode, 0o160_000);
    assert_eq!(new.object.as_str(), lab.git(&lab.file("sub"), &["rev-parse", "HEAD"]));
}
