//! Checkouts that are made of what an earlier one left.

use std::fs::{self, File, Permissions};
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, symlink};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, SystemTime};

use countersign_domain::id::ObjectId;
use countersign_git::{Checkout, Repository, Tip, remove_spares, retire};

use crate::common::{Lab, files, make_executable, os};

pub(crate) fn check_out(lab: &Lab, tree: &ObjectId, name: &str) -> PathBuf {
    check_out_by(&lab.open(), lab, (tree, name))
}

pub(crate) fn check_out_by(
    repository: &Repository,
    lab: &Lab,
    (tree, name): (&ObjectId, &str),
) -> PathBuf {
    let (into, spares) = (lab.path(name), lab.path("spares"));
    let tip = Tip::Tree { tree, parent: None, message: "recorded", time_seconds: 1 };
    repository.checkout(&Checkout { into: &into, tip, spares: Some(&spares) }).unwrap();
    into
}

fn spares(lab: &Lab) -> usize {
    fs::read_dir(lab.path("spares")).map_or(0, Iterator::count)
}

/// A repository with every kind of file.
pub(crate) fn varied() -> Lab {
    let lab = Lab::new();
    lab.write("src/deep/a.rs", "fn a() {}\n");
    lab.write("src/b.rs", "fn b() {}\n");
    lab.write("src/c.rs", "fn c() {}\n");
    lab.write(os(b"\xff name\n"), [0, 255]);
    lab.write("run.sh", "#!/bin/sh\n");
    make_executable(&lab.file("run.sh"));
    symlink("src/b.rs", lab.file("link")).unwrap();
    lab.commit_all("varied");
    lab
}

/// Checks a tree out where `before` has left a spare, and compares with a checkout made from nothing:
/// by a process that never saw the spare, and by one that made it, whether it believes times or not.
#[track_caller]
pub(crate) fn check(lab: &Lab, before: impl Fn(&Path)) {
    let tree = lab.snapshot();
    let used = check_out(lab, &tree, "used");
    before(&used);
    assert!(retire(&used, &lab.path("spares")), "it is kept");
    assert!(!used.exists());
    let again = check_out(lab, &tree, "again");
    expect_fresh(lab, &tree, &again);

    let one = lab.open();
    let known = remembered(&one, lab, &tree);
    before(&known);
    assert!(retire(&known, &lab.path("spares")), "it is kept");
    let last = check_out_by(&one, lab, (&tree, "last"));
    expect_fresh(lab, &tree, &last);

    settle();
    let loose = one.let_loose();
    before(&last);
    drop(loose);
    assert!(one.retire(&last, &lab.path("spares")), "it is kept");
    one.read_ahead(&lab.path("spares"));
    let last = check_out_by(&one, lab, (&tree, "last"));
    expect_fresh(lab, &tree, &last);
}

/// A checkout that `repository` has read whole, and remembers.
pub(crate) fn remembered(repository: &Repository, lab: &Lab, tree: &ObjectId) -> PathBuf {
    for name in ["made", "read"] {
        let made = check_out_by(repository, lab, (tree, name));
        settle();
        assert!(retire(&made, &lab.path("spares")), "it is kept");
    }
    let known = check_out_by(repository, lab, (tree, "known"));
    settle();
    known
}

/// Whether the files of `lab` are where no content changes without a time.
pub(crate) fn times_tell(lab: &Lab) -> bool {
    let kind = Command::new("stat").args(["-f", "-c", "%T"]).arg(lab.root()).output();
    let kind = kind.map(|said| String::from_utf8_lossy(&said.stdout).trim().to_owned());
    kind.is_ok_and(|kind| ["ext2/ext3", "btrfs"].contains(&kind.as_str()))
}

/// Lets the clock of the file system tick, so that times tell.
pub(crate) fn settle() {
    // tidy: polling, nothing tells when the clock of the file system has ticked.
    std::thread::sleep(Duration::from_millis(50));
}

#[track_caller]
pub(crate) fn expect_fresh(lab: &Lab, tree: &ObjectId, again: &Path) {
    assert_eq!(spares(lab), 0, "the spare was taken");
    let fresh = lab.path("fresh");
    if fresh.exists() {
        fs::remove_dir_all(&fresh).unwrap();
    }
    let fresh = lab.check_out(tree, "fresh").path;
    assert_eq!(files(again), files(&fresh));
    assert_eq!(modes(again), modes(&fresh));
    assert_eq!(lab.git(again, &["status", "--porcelain", "--ignored"]), "");
    assert_eq!(lab.snapshot_of(again), *tree);
    lab.git(again, &["fsck", "--strict"]);
    let index = fs::read(again.join(".git/index")).unwrap();
    assert_ne!(index[index.len() - 20..], [0; 20], "other programs check the sum of the index");
}

/// Permissions, owners and links of everything but `.git`, and the folders that are empty.
fn modes(top: &Path) -> Vec<(PathBuf, u32, u64)> {
    let (mut found, mut waiting) = (Vec::new(), vec![top.to_owned()]);
    while let Some(folder) = waiting.pop() {
        for entry in fs::read_dir(folder).unwrap().flatten() {
            let (path, meta) = (entry.path(), entry.metadata().unwrap());
            if path == top.join(".git") {
                continue;
            }
            if meta.is_dir() {
                waiting.push(path.clone());
            }
            let links = if meta.is_dir() { 0 } else { meta.nlink() };
            found.push((path.strip_prefix(top).unwrap().to_owned(), meta.mode(), links));
        }
    }
    found.sort();
    found
}

/// VC-06: a spare that nobody touched is a checkout as good as a fresh one, without a file being
/// written, and as young.
#[test]
fn an_untouched_spare_is_used_as_it_is() {
    let lab = varied();
    let (tree, start) = (lab.snapshot(), SystemTime::now() - Duration::from_hours(1));
    let used = check_out(&lab, &tree, "used");
    let inode = |top: &Path| fs::symlink_metadata(top.join("src/b.rs")).unwrap().ino();
    let before = inode(&used);
    File::options().write(true).open(used.join("src/b.rs")).unwrap().set_modified(start).unwrap();
    assert!(retire(&used, &lab.path("spares")));
    let again = check_out(&lab, &tree, "again");
    assert_eq!(inode(&again), before);
    let age = fs::metadata(again.join("src/b.rs")).unwrap().modified().unwrap();
    assert!(age > start + Duration::from_mins(30), "a build must not take it for old");
}

/// VC-06: whatever was done to a spare, the next checkout has exactly the tree.
#[test]
fn nothing_of_an_earlier_use_is_left() {
    check(&varied(), |top| {
        fs::write(top.join("src/b.rs"), "fn b() { cheat() }\n").unwrap();
        fs::remove_file(top.join("src/c.rs")).unwrap();
        fs::create_dir_all(top.join("target/debug")).unwrap();
        fs::write(top.join("target/debug/x"), "x").unwrap();
        fs::write(top.join("src/deep/conftest.py"), "x").unwrap();
        fs::create_dir_all(top.join("empty/below")).unwrap();
        fs::write(top.join(".git/info/exclude"), "*").unwrap();
        fs::write(top.join(".git/hooks"), "x").unwrap();
    });
}

/// VC-06: a change that keeps size and times is seen, since content is what is compared.
#[test]
fn a_hidden_change_is_seen() {
    check(&varied(), |top| {
        let path = top.join("src/b.rs");
        let time = fs::metadata(&path).unwrap().modified().unwrap();
        fs::write(&path, "fn x() {}\n").unwrap();
        File::options().write(true).open(&path).unwrap().set_modified(time).unwrap();
        let git = |args: &[&str]| {
            let done = Command::new("git").args(args).current_dir(top).output().unwrap();
            assert!(done.status.success());
        };
        git(&["update-index", "--assume-unchanged", "src/b.rs"]);
    });
}

/// VC-06: files, links and folders that took each other's place.
#[test]
fn kinds_that_changed_are_set_right() {
    check(&varied(), |top| {
        fs::remove_file(top.join("src/b.rs")).unwrap();
        symlink("/etc/passwd", top.join("src/b.rs")).unwrap();
        fs::remove_file(top.join("link")).unwrap();
        fs::write(top.join("link"), "src/b.rs").unwrap();
        fs::remove_dir_all(top.join("src/deep")).unwrap();
        symlink("/etc", top.join("src/deep")).unwrap();
        fs::remove_file(top.join("run.sh")).unwrap();
        fs::create_dir(top.join("run.sh")).unwrap();
        fs::write(top.join("run.sh/inside"), "x").unwrap();
    });
}

/// VC-06: permissions and second names of a file go as well: a second name would let who has it
/// change the file later.
#[test]
fn permissions_and_links_are_set_right() {
    let lab = varied();
    let outside = lab.path("outside");
    check(&lab, |top| {
        let set = |name: &str, mode| {
            fs::set_permissions(top.join(name), Permissions::from_mode(mode)).unwrap();
        };
        set("src/c.rs", 0o666);
        set("run.sh", 0o644);
        set("src/deep", 0o777);
        let _ = fs::remove_file(&outside);
        fs::hard_link(top.join("src/b.rs"), &outside).unwrap();
    });
    fs::write(&outside, "changed later").unwrap();
    for name in ["again", "last"] {
        let file = lab.path(name).join("src/b.rs");
        assert_eq!(fs::read_to_string(file).unwrap(), "fn b() {}\n");
    }
}

/// VC-06: attributes that somebody put on files and folders go, where the file system has any.
#[test]
fn attributes_of_files_go() {
    let lab = varied();
    let is_set = |path: &Path| rustix::fs::llistxattr_query(path).is_ok_and(|size| size > 0);
    check(&lab, |top| {
        for name in ["src/b.rs", "src/deep"] {
            let flags = rustix::fs::XattrFlags::empty();
            let _ = rustix::fs::setxattr(top.join(name), "user.told", b"x", flags);
        }
    });
    let again = lab.path("again");
    assert!(!is_set(&again.join("src/b.rs")) && !is_set(&again.join("src/deep")));
}

/// VC-06: another tree than the spare was made of.
#[test]
fn a_spare_becomes_another_tree() {
    let lab = varied();
    let first = lab.snapshot();
    lab.write("src/b.rs", "fn b() { 2 }\n");
    lab.write("src/deep/new/d.rs", "fn d() {}\n");
    fs::remove_file(lab.file("run.sh")).unwrap();
    let second = lab.snapshot();
    let used = check_out(&lab, &first, "used");
    assert!(retire(&used, &lab.path("spares")));
    let again = check_out(&lab, &second, "again");
    assert_eq!(files(&again), files(&lab.check_out(&second, "fresh").path));
    assert_eq!(lab.snapshot_of(&again), second);
}

/// VC-06: where git writes other bytes than it keeps, files are always written anew: content that
/// equals the object is not what a fresh checkout has.
#[test]
fn converted_files_are_written_anew() {
    let lab = varied();
    lab.write(".gitattributes", "*.dos text eol=crlf\n*.id ident\n");
    lab.write("x.dos", "1\r\n2\r\n");
    lab.write("y.id", "$Id$\n");
    lab.commit_all("attributes");
    check(&lab, |top| {
        fs::write(top.join("x.dos"), "1\n2\n").unwrap();
        fs::write(top.join("y.id"), "$Id$\n").unwrap();
    });
}

/// VC-06: attributes that came with the tree hold for files that were there before.
#[test]
fn attributes_of_the_new_tree_hold() {
    let lab = varied();
    let used = check_out(&lab, &lab.snapshot(), "used");
    assert!(retire(&used, &lab.path("spares")));
    lab.write(".gitattributes", "*.rs text eol=crlf\n");
    let tree = lab.snapshot();
    let again = check_out(&lab, &tree, "again");
    assert_eq!(fs::read_to_string(again.join("src/b.rs")).unwrap(), "fn b() {}\r\n");
}

/// VC-06: line endings set for the whole repository: no spare is used.
#[test]
fn line_endings_everywhere() {
    let lab = varied();
    lab.git(&lab.root(), &["config", "core.autocrlf", "true"]);
    let tree = lab.id("HEAD^{tree}");
    let used = check_out(&lab, &tree, "used");
    fs::write(used.join("src/b.rs"), "fn b() {}\n").unwrap();
    assert!(retire(&used, &lab.path("spares")));
    let again = check_out(&lab, &tree, "again");
    assert_eq!(fs::read_to_string(again.join("src/b.rs")).unwrap(), "fn b() {}\r\n");
}

/// VC-06: what can't be kept stays where it is for its caller to remove, and nothing outside is
/// touched.
#[test]
fn what_is_no_checkout_is_not_kept() {
    let lab = varied();
    let folder = lab.path("folder");
    fs::create_dir_all(folder.join(".git")).unwrap();
    assert!(!retire(&folder, &lab.path("spares")));
    fs::write(folder.join(".git/index"), "DIRC garbage").unwrap();
    assert!(!retire(&folder, &lab.path("spares")));
    assert!(!retire(&lab.path("nowhere"), &lab.path("spares")));
    fs::remove_file(folder.join(".git/index")).unwrap();
    symlink(lab.file(".git/index"), folder.join(".git/index")).unwrap();
    assert!(!retire(&folder, &lab.path("spares")));
    assert!(folder.is_dir() && lab.file("src/b.rs").is_file());
    assert_eq!(spares(&lab), 0);
}

/// VC-06: only few are kept; old ones go, and all of them on demand.
#[test]
fn few_are_kept() {
    let lab = varied();
    let tree = lab.snapshot();
    let made: Vec<_> = (0..6).map(|n| check_out(&lab, &tree, &format!("used{n}"))).collect();
    let kept: Vec<bool> = made.iter().map(|path| retire(path, &lab.path("spares"))).collect();
    assert_eq!(kept, [true, true, true, true, false, false]);
    for entry in fs::read_dir(lab.path("spares")).unwrap().flatten().take(2) {
        let old = SystemTime::now() - Duration::from_hours(8 * 24);
        File::open(entry.path()).unwrap().set_modified(old).unwrap();
    }
    assert!(retire(&made[4], &lab.path("spares")));
    assert_eq!(spares(&lab), 3);
    assert_eq!(remove_spares(&lab.path("spares")).unwrap(), 3);
    assert!(!lab.path("spares").exists() && made[5].is_dir());
}

/// VC-06: a spare that can't be read is given up for a fresh checkout.
#[test]
fn an_unusable_spare_is_given_up() {
    let lab = varied();
    let tree = lab.snapshot();
    fs::create_dir_all(lab.path("spares/spare-odd/.git/deep")).unwrap();
    fs::write(lab.path("spares/spare-file"), "x").unwrap();
    let again = check_out(&lab, &tree, "again");
    assert_eq!(files(&again), files(&lab.check_out(&tree, "fresh").path));
}

/// VC-06: many at once never share one.
#[test]
fn nobody_shares_a_spare() {
    let lab = varied();
    let tree = lab.snapshot();
    std::thread::scope(|scope| {
        for thread in 0..4 {
            let (lab, tree) = (&lab, &tree);
            scope.spawn(move || {
                for _ in 0..8 {
                    let path = check_out(lab, tree, &format!("thread{thread}"));
                    fs::write(path.join("mine"), thread.to_string()).unwrap();
                    assert_eq!(fs::read_to_string(path.join("mine")).unwrap(), thread.to_string());
                    if !retire(&path, &lab.path("spares")) {
                        fs::remove_dir_all(&path).unwrap();
                    }
                }
            });
        }
    });
    let last = check_out(&lab, &tree, "last");
    assert_eq!(files(&last), files(&lab.check_out(&tree, "fresh").path));
}

/// VC-06: a spare that this process made and read is not read again, and what was changed in it with
/// all its times set back is found by the time that nobody can set.
#[test]
fn what_is_remembered_is_not_read_again() {
    let lab = varied();
    if !times_tell(&lab) {
        eprintln!("SKIPPED: on this file system times don't tell");
        return;
    }
    let (one, tree) = (lab.open(), lab.snapshot());
    let known = remembered(&one, &lab, &tree);
    let time = |top: &Path, name: &str| fs::symlink_metadata(top.join(name)).unwrap();
    let before = time(&known, "src/c.rs");
    let path = known.join("src/b.rs");
    let was = fs::metadata(&path).unwrap().modified().unwrap();
    fs::write(&path, "fn x() {}\n").unwrap();
    File::options().write(true).open(&path).unwrap().set_modified(was).unwrap();
    assert!(retire(&known, &lab.path("spares")));
    let last = check_out_by(&one, &lab, (&tree, "last"));
    let after = time(&last, "src/c.rs");
    assert_eq!((after.ino(), after.atime_nsec()), (before.ino(), before.atime_nsec()));
    assert_eq!((after.mtime(), after.ctime_nsec()), (before.mtime(), before.ctime_nsec()));
    assert_eq!(fs::read_to_string(last.join("src/b.rs")).unwrap(), "fn b() {}\n");
    expect_fresh(&lab, &tree, &last);
}

/// VC-06: a file that was written from a forged object is not believed because it stayed: it is read
/// before it counts as known.
#[test]
fn what_was_written_is_read_before_it_is_known() {
    let lab = varied();
    let (one, tree) = (lab.open(), lab.snapshot());
    let into = lab.path("made");
    let tip = Tip::Tree { tree: &tree, parent: None, message: "recorded", time_seconds: 1 };
    let spares = lab.path("spares");
    let made = one.checkout(&Checkout { into: &into, tip, spares: Some(&spares) }).unwrap();
    assert!(made.known.is_empty(), "written by git, and compared by nobody");
    settle();
    assert!(retire(&into, &spares));
    let again = lab.path("again");
    let made = one.checkout(&Checkout { into: &again, tip, spares: Some(&spares) }).unwrap();
    let all = one.list(&tree).unwrap();
    assert!(all.iter().all(|file| made.known.contains(&file.side.object)), "{:?}", made.known);
}
