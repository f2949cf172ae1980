//! Whether a checkout is as it was handed over, told without a snapshot of it.

use std::fs::{self, File, Permissions};
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::{Path, PathBuf};

use countersign_domain::ObjectId;
use countersign_git::Repository;

use crate::common::Lab;
use crate::spare::{remembered, times_tell, varied};

fn remember(lab: &Lab) -> (Repository, ObjectId, PathBuf) {
    let (one, tree) = (lab.open(), lab.snapshot());
    let known = remembered(&one, lab, &tree);
    (one, tree, known)
}

/// Expects a checkout to be told from what `change` makes of it.
#[track_caller]
fn check(change: impl Fn(&Path), expected: bool) {
    let lab = varied();
    let (one, _, known) = remember(&lab);
    assert_eq!(one.is_as_left(&known), times_tell(&lab), "before");
    change(&known);
    assert_eq!(one.is_as_left(&known), expected && times_tell(&lab));
    assert!(!lab.open().is_as_left(&known), "who did not make it can't tell");
}

/// LP-14: what came besides is no change of the files.
#[test]
fn what_came_besides_is_no_change() {
    check(|_| {}, true);
    check(|top| fs::write(top.join("new.txt"), "new\n").unwrap(), true);
}

/// LP-14: content, also of the same size and with its time set back, permissions, what is gone and what
/// is of another kind.
#[test]
fn whatever_changed_is_seen() {
    let change = |top: &Path, text: &str| {
        let path = top.join("src/b.rs");
        let was = fs::metadata(&path).unwrap().modified().unwrap();
        fs::write(&path, text).unwrap();
        File::options().write(true).open(&path).unwrap().set_modified(was).unwrap();
    };
    check(|top| change(top, "fn x() {}\n"), false);
    check(|top| change(top, "fn longer() {}\n"), false);
    let executable = || Permissions::from_mode(0o755);
    check(|top| fs::set_permissions(top.join("src/b.rs"), executable()).unwrap(), false);
    check(|top| fs::remove_file(top.join("src/b.rs")).unwrap(), false);
    check(|top| fs::remove_dir_all(top).unwrap(), false);
    let replace = |top: &Path| {
        fs::rename(top.join("src/b.rs"), top.join("src/other.rs")).unwrap();
        symlink("other.rs", top.join("src/b.rs")).unwrap();
    };
    check(replace, false);
}
