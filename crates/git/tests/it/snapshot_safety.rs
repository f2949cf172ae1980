//! Snapshots do no harm: nothing of the user's changes, nothing planted runs, nothing is
//! half done.

use std::fs::{self, File, Permissions};
use std::io::Read as _;
use std::os::unix::fs::PermissionsExt as _;
use std::path::PathBuf;

use countersign_git::{Error, Repository, discard};

use crate::common::{Lab, again, look, make_pipe, put_script, unprivileged};

const HOOKS: &[&str] = &[
    "post-checkout",
    "post-commit",
    "post-index-change",
    "pre-auto-gc",
    "pre-commit",
    "reference-transaction",
];

/// CX-09: hooks and monitors, planted in the repository or set by the user, do not run, and
/// no gentle upkeep is started.
#[test]
fn nothing_planted_runs() {
    let lab = Lab::new();
    let marker = lab.path("ran");
    let script = format!("echo \"$0\" >> '{}'", marker.display());
    for hook in HOOKS {
        put_script(&lab.file(".git/hooks").join(hook), &script);
        put_script(&lab.path("home/hooks").join(hook), &script);
    }
    put_script(&lab.path("monitor"), &script);
    let monitor = lab.path("monitor");
    lab.git(&lab.root(), &["config", "core.fsmonitor", monitor.to_str().unwrap()]);
    lab.git(&lab.root(), &["config", "gc.auto", "1"]);
    lab.write("a.txt", "edited\n");
    let repository = lab.open();
    let tree = lab.snapshot();
    repository.keep("t", &tree).unwrap();
    let copy = lab.check_out(&tree, "copy");
    lab.snapshot_of(&copy.path);
    repository.is_dirty().unwrap();
    discard(&copy.path).unwrap();
    assert!(!marker.exists(), "{}", fs::read_to_string(&marker).unwrap());
    lab.git(&lab.root(), &["config", "--global", "core.hooksPath", "~/hooks"]);
    lab.snapshot();
    assert!(!marker.exists(), "{}", fs::read_to_string(&marker).unwrap());
}

/// CX-09: stash, configuration, references, index and files stay byte for byte as they are,
/// whatever operations run.
#[test]
fn the_user_s_things_stay_as_they_are() {
    let lab = Lab::new();
    lab.write("a.txt", "stashed\n");
    lab.git(&lab.root(), &["stash", "-q"]);
    lab.write("a.txt", "staged\n");
    lab.git(&lab.root(), &["add", "a.txt"]);
    lab.write("a.txt", "edited\n");
    lab.write("new", "new\n");
    let index_time = fs::metadata(lab.file(".git/index")).unwrap().modified().unwrap();
    let before = lab.everything();
    let repository = lab.open();
    let tree = lab.snapshot();
    let head = repository.head().unwrap().unwrap();
    repository.diff(&head.tree, &tree).unwrap();
    repository.patch(&head.tree, &tree).unwrap();
    repository.stat(&head.tree, &tree).unwrap();
    repository.is_dirty().unwrap();
    repository.kept("").unwrap();
    discard(&lab.check_out(&tree, "copy").path).unwrap();
    assert_eq!(lab.everything(), before);
    let after = fs::metadata(lab.file(".git/index")).unwrap().modified().unwrap();
    assert_eq!(after, index_time);
    assert_eq!(fs::read_dir(lab.path("scratch")).unwrap().count(), 0);
}

/// CX-17: many snapshots at once agree and leave nothing behind.
#[test]
fn snapshots_can_run_side_by_side() {
    let lab = Lab::new();
    for number in 0..200 {
        lab.write(format!("dir/{number}"), format!("{number}\n"));
    }
    let before = lab.everything();
    let repository = lab.open();
    let trees: Vec<_> = std::thread::scope(|scope| {
        let take = || repository.snapshot(&lab.root(), &lab.path("scratch")).unwrap().tree;
        let running: Vec<_> = (0..8).map(|_| scope.spawn(take)).collect();
        running.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    assert!(trees.iter().all(|tree| *tree == trees[0]));
    assert_eq!(lab.everything(), before);
    assert_eq!(fs::read_dir(lab.path("scratch")).unwrap().count(), 0);
    lab.git(&lab.root(), &["fsck", "--strict"]);
}

/// CX-17: a git that is killed in the middle is an error, and nothing is half done.
#[test]
fn a_killed_git_is_an_error() {
    let lab = Lab::new();
    lab.git(&lab.root(), &["config", "filter.deadly.clean", "kill -9 $PPID"]);
    lab.write(".gitattributes", "*.deadly filter=deadly\n");
    lab.write("x.deadly", "x\n");
    let before = lab.everything();
    let failed = lab.open().snapshot(&lab.root(), &lab.path("scratch"));
    assert!(matches!(failed, Err(Error::Failed { code: None, .. })), "{failed:?}");
    assert_eq!(lab.everything(), before);
    assert_eq!(fs::read_dir(lab.path("scratch")).unwrap().count(), 0);
}

const LAB_VARIABLE: &str = "COUNTERSIGN_TEST_LAB";

/// CX-17: when the whole program is killed in the middle of a snapshot, only scratch files
/// are left, and the next snapshot works.
#[test]
fn a_killed_snapshot_leaves_only_scratch() {
    let lab = Lab::new();
    make_pipe(&lab.path("started"));
    make_pipe(&lab.path("go-on"));
    let wait = format!(
        "echo x > '{}'; cat '{}'",
        lab.path("started").display(),
        lab.path("go-on").display()
    );
    lab.git(&lab.root(), &["config", "filter.slow.clean", &wait]);
    lab.write(".gitattributes", "*.slow filter=slow\n");
    lab.commit_all("attributes");
    lab.write("a.txt", "edited\n");
    lab.write("x.slow", "x\n");
    let before = lab.everything();
    let program = std::env::current_exe().unwrap();
    let mut child = again(&program, "snapshot_safety::killed_child")
        .env(LAB_VARIABLE, lab.path(""))
        .spawn()
        .unwrap();
    // The filter runs now: git is in the middle of its work.
    File::open(lab.path("started")).unwrap().read_to_end(&mut Vec::new()).unwrap();
    child.kill().unwrap();
    child.wait().unwrap();
    assert_eq!(lab.everything(), before);
    assert_eq!(fs::read_dir(lab.path("scratch")).unwrap().count(), 1);
    // The orphaned git may end.
    drop(File::options().write(true).open(lab.path("go-on")).unwrap());
    lab.git(&lab.root(), &["config", "filter.slow.clean", "cat"]);
    let tree = lab.snapshot();
    assert_eq!(lab.content(&tree, "a.txt").as_deref(), Some("edited\n"));
}

/// The process that `a_killed_snapshot_leaves_only_scratch` kills; by itself it does nothing.
#[test]
fn killed_child() {
    let Some(lab) = std::env::var_os(LAB_VARIABLE).map(PathBuf::from) else {
        return;
    };
    let env = std::env::vars_os().map(|(name, value)| {
        let value = if name == "HOME" { lab.join("home").into() } else { value };
        (name, value)
    });
    let repository = Repository::open_with(&lab.join("repo"), env).unwrap();
    repository.snapshot(&lab.join("repo"), &lab.join("scratch")).unwrap();
}

/// CX-09: a file or directory that cannot be read is named, and nothing is recorded.
#[test]
fn what_cannot_be_read_is_named() {
    unprivileged("snapshot_safety::what_cannot_be_read_is_named", check_unreadable);
}

fn check_unreadable() {
    for (name, locked) in [
        ("a.txt", "a.txt"),
        ("new file", "new file"),
        ("new dir/inside", "new dir"),
        ("dir/c.txt", "dir"),
    ] {
        let lab = Lab::new();
        lab.write(name, "secret\n");
        fs::set_permissions(lab.file(locked), Permissions::from_mode(0o000)).unwrap();
        let index = look(&lab.file(".git"), &["objects".as_ref()]);
        let failed = lab.open().snapshot(&lab.root(), &lab.path("scratch"));
        let Err(Error::Unreadable { path }) = failed else { panic!("{locked}: {failed:?}") };
        assert!(path.starts_with(locked), "{} for {locked}", path.display());
        assert_eq!(look(&lab.file(".git"), &["objects".as_ref()]), index);
        fs::set_permissions(lab.file(locked), Permissions::from_mode(0o755)).unwrap();
        lab.snapshot();
    }
}
