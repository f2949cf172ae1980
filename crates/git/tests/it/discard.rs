//! Removing checkouts.

use std::fs::{self, Permissions};
use std::os::unix::fs::{PermissionsExt as _, symlink};

use countersign_git::{Error, discard};

use crate::common::{Lab, make_pipe, put, unprivileged};

/// CX-17: a checkout is removed with all that lies in it, and removing it twice is fine.
#[test]
fn a_checkout_is_removed() {
    unprivileged("discard::a_checkout_is_removed", check_removal);
}

fn check_removal() {
    let lab = Lab::new();
    put(&lab.path("outside/file"), "mine\n");
    let work = lab.check_out(&lab.id("HEAD^{tree}"), "work").path;
    symlink(lab.path("outside"), work.join("link")).unwrap();
    symlink(lab.path("outside/file"), work.join("dir/link")).unwrap();
    make_pipe(&work.join("pipe"));
    put(&work.join("locked/deep/file"), "x");
    put(&work.join("locked/deep/deeper/file"), "x");
    for (name, mode) in
        [("locked/deep/file", 0o000), ("locked/deep", 0o500), ("locked", 0o000), ("dir", 0o400)]
    {
        fs::set_permissions(work.join(name), Permissions::from_mode(mode)).unwrap();
    }
    fs::set_permissions(&work, Permissions::from_mode(0o500)).unwrap();
    discard(&work).unwrap();
    assert!(!work.exists());
    assert_eq!(fs::read(lab.path("outside/file")).unwrap(), b"mine\n");
    discard(&work).unwrap();
}

/// CX-09: what is not ours is refused and left as it is.
#[test]
fn what_is_not_ours_is_refused() {
    let lab = Lab::new();
    let work = lab.check_out(&lab.id("HEAD^{tree}"), "work").path;
    symlink(&work, lab.path("link")).unwrap();
    put(&lab.path("borrowed/file"), "x");
    symlink(work.join(".git"), lab.path("borrowed/.git")).unwrap();
    put(&lab.path("just/file"), "x");
    let before = lab.everything();
    for name in ["repo", "link", "borrowed", "just", "just/file", "repo/.git"] {
        let refused = discard(&lab.path(name));
        assert!(matches!(refused, Err(Error::NotOurs { .. })), "{name}: {refused:?}");
    }
    assert_eq!(lab.everything(), before);
    assert!(work.join("a.txt").exists() && lab.path("borrowed/file").exists());
}

/// CX-17: a removal that was interrupted can be done again, at whatever point it stopped.
#[test]
fn an_interrupted_removal_can_be_done_again() {
    let lab = Lab::new();
    let tree = lab.id("HEAD^{tree}");
    let work = lab.check_out(&tree, "work").path;
    fs::remove_dir_all(work.join("dir")).unwrap();
    fs::remove_dir_all(work.join(".git/objects")).unwrap();
    fs::remove_file(work.join(".git/HEAD")).unwrap();
    discard(&work).unwrap();
    fs::create_dir_all(work.join(".git")).unwrap();
    discard(&work).unwrap();
    fs::create_dir(&work).unwrap();
    discard(&work).unwrap();
    assert!(!work.exists());
}
