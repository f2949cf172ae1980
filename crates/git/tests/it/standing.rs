//! One checkout that is made into one tree after another.

use std::fs::{self, File, Permissions};
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, symlink};
use std::path::{Path, PathBuf};
use std::thread::sleep;
use std::time::Duration;

use countersign_domain::id::ObjectId;
use countersign_git::{Checkout, Standing, Tip};

use crate::common::{Lab, files, make_executable};

fn stand(lab: &Lab, tree: &ObjectId, standing: &mut Standing) -> PathBuf {
    let (into, spares) = (lab.path("standing"), lab.path("spares"));
    let tip = Tip::Tree { tree, parent: None, message: "recorded", time_seconds: 1 };
    let spec = Checkout { into: &into, tip, spares: Some(&spares) };
    let made = lab.open().checkout_standing(&spec, standing).unwrap();
    assert_eq!(&made.tree, tree);
    assert_eq!(lab.git(&into, &["rev-parse", "HEAD"]), made.commit.as_str());
    into
}

/// Two trees that differ in a few files.
fn trees() -> (Lab, ObjectId, ObjectId) {
    let lab = Lab::new();
    for number in 0..50 {
        lab.write(format!("src/{}/f{number}.txt", number % 5), format!("file {number}\n"));
    }
    lab.write("run.sh", "#!/bin/sh\n");
    make_executable(&lab.file("run.sh"));
    symlink("run.sh", lab.file("link")).unwrap();
    lab.commit_all("base");
    let base = lab.snapshot();
    lab.write("src/0/f0.txt", "changed\n");
    lab.write("src/new/deep.txt", "new\n");
    fs::remove_file(lab.file("src/1/f1.txt")).unwrap();
    let handed = lab.snapshot();
    (lab, base, handed)
}

#[track_caller]
fn expect_fresh(lab: &Lab, tree: &ObjectId, path: &Path) {
    let fresh = lab.path("fresh");
    if fresh.exists() {
        fs::remove_dir_all(&fresh).unwrap();
    }
    lab.check_out(tree, "fresh");
    assert_eq!(files(path), files(&fresh));
    assert_eq!(lab.git(path, &["status", "--porcelain", "--ignored"]), "");
    assert_eq!(lab.snapshot_of(path), *tree);
    lab.git(path, &["fsck", "--strict"]);
    let index = fs::read(path.join(".git/index")).unwrap();
    assert_ne!(index[index.len() - 20..], [0; 20], "other programs check the sum of the index");
    assert!(!path.join(".git/countersign-checkout").exists(), "nothing is named after us");
}

/// VC-06: one tree after the other, each as if it were checked out afresh.
#[test]
fn trees_take_turns() {
    let (lab, base, handed) = trees();
    let mut standing = Standing::default();
    for tree in [&base, &handed, &base, &base, &handed, &handed, &base] {
        let path = stand(&lab, tree, &mut standing);
        expect_fresh(&lab, tree, &path);
    }
}

/// VC-06: what stays is not written again, so that builds go by its times; what changes is younger.
#[test]
fn what_stays_keeps_its_time() {
    let (lab, base, handed) = trees();
    let mut standing = Standing::default();
    let at = |path: &Path, name: &str| {
        let found = fs::metadata(path.join(name)).unwrap();
        (found.ino(), found.modified().unwrap())
    };
    let path = stand(&lab, &base, &mut standing);
    // So old that the clock of the file system has ticked.
    // tidy: polling, since that clock tells nobody when it ticks
    sleep(Duration::from_millis(60));
    stand(&lab, &handed, &mut standing);
    let (stays, changes) = (at(&path, "src/2/f2.txt"), at(&path, "src/0/f0.txt"));
    // tidy: polling, as above
    sleep(Duration::from_millis(60));
    stand(&lab, &base, &mut standing);
    assert_eq!(at(&path, "src/2/f2.txt"), stays);
    assert!(at(&path, "src/0/f0.txt").1 > changes.1);
}

/// VC-06: whatever a program did there in between is undone, also if it hides it.
#[test]
fn nothing_of_an_earlier_run_is_left() {
    let (lab, base, handed) = trees();
    let mut standing = Standing::default();
    let path = stand(&lab, &base, &mut standing);
    let tricks: [&dyn Fn(); 6] = [
        &|| {
            let file = path.join("src/2/f2.txt");
            let time = fs::metadata(&file).unwrap().modified().unwrap();
            fs::write(&file, "elif 2\n").unwrap();
            File::options().write(true).open(&file).unwrap().set_modified(time).unwrap();
        },
        &|| {
            fs::remove_dir_all(path.join(".git")).unwrap();
            fs::create_dir_all(path.join("target/deep")).unwrap();
            fs::write(path.join("target/deep/x"), "x").unwrap();
        },
        &|| {
            fs::rename(path.join("src/3/f3.txt"), path.join("src/3/f8.txt")).unwrap();
            fs::hard_link(path.join("src/4/f4.txt"), path.join("src/4/again")).unwrap();
        },
        &|| {
            fs::set_permissions(path.join("run.sh"), Permissions::from_mode(0o777)).unwrap();
            fs::remove_file(path.join("link")).unwrap();
            symlink("/etc/passwd", path.join("link")).unwrap();
        },
        &|| {
            fs::remove_dir_all(path.join("src/0")).unwrap();
            symlink("/etc", path.join("src/0")).unwrap();
        },
        &|| {
            fs::write(path.join(".git/index"), "garbage").unwrap();
            fs::write(path.join(".git/config"), "[core]\n\tfsmonitor = touch /tmp/x\n").unwrap();
            fs::write(path.join("src/2/f7.txt"), "x").unwrap();
        },
    ];
    for (number, trick) in tricks.iter().enumerate() {
        trick();
        let tree = if number % 2 == 0 { &handed } else { &base };
        stand(&lab, tree, &mut standing);
        expect_fresh(&lab, tree, &path);
    }
}

/// VC-06: folders that were not touched for long are not listed again; what a program does there is noticed
/// all the same, also if it sets every time back that it can.
#[test]
fn nothing_is_hidden_in_folders_that_were_known() {
    let (lab, base, handed) = trees();
    let mut standing = Standing::default();
    let path = stand(&lab, &base, &mut standing);
    let backdate = |folder: &Path, time| {
        File::open(folder).unwrap().set_modified(time).unwrap();
    };
    let tricks: [&dyn Fn(); 6] = [
        &|| {
            let folder = path.join("src/2");
            let time = fs::metadata(&folder).unwrap().modified().unwrap();
            fs::write(folder.join("planted.txt"), "x").unwrap();
            backdate(&folder, time);
        },
        &|| {
            let (folder, file) = (path.join("src/3"), path.join("src/3/f3.txt"));
            let time = fs::metadata(&folder).unwrap().modified().unwrap();
            fs::remove_file(&file).unwrap();
            fs::create_dir(&file).unwrap();
            fs::write(file.join("within"), "x").unwrap();
            backdate(&folder, time);
        },
        &|| {
            let time = fs::metadata(path.join("src")).unwrap().modified().unwrap();
            fs::rename(path.join("src/4"), path.join("kept")).unwrap();
            fs::create_dir(path.join("src/4")).unwrap();
            for file in fs::read_dir(path.join("kept")).unwrap() {
                let file = file.unwrap();
                fs::hard_link(file.path(), path.join("src/4").join(file.file_name())).unwrap();
            }
            backdate(&path.join("src"), time);
        },
        &|| {
            let mode = Permissions::from_mode(0o777);
            fs::set_permissions(path.join("src/1"), mode).unwrap();
        },
        &|| {
            fs::rename(path.join("src/1"), path.join("src/one")).unwrap();
            symlink("one", path.join("src/1")).unwrap();
        },
        &|| {},
    ];
    for (number, trick) in tricks.iter().enumerate() {
        for tree in [&base, &base, &handed, &handed, &base] {
            // tidy: polling, since the clock of the file system tells nobody when it ticks
            sleep(Duration::from_millis(60));
            stand(&lab, tree, &mut standing);
        }
        // tidy: polling, as above
        sleep(Duration::from_millis(60));
        trick();
        let tree = if number % 2 == 0 { &base } else { &handed };
        stand(&lab, tree, &mut standing);
        expect_fresh(&lab, tree, &path);
    }
}

/// VC-06: a checkout that is gone, or in which something may still run, is made from nothing.
#[test]
fn without_memory_it_is_made_from_nothing() {
    let (lab, base, handed) = trees();
    let mut standing = Standing::default();
    let path = stand(&lab, &base, &mut standing);
    fs::remove_dir_all(&path).unwrap();
    stand(&lab, &handed, &mut standing);
    expect_fresh(&lab, &handed, &path);
    standing.forget();
    fs::remove_dir_all(&path).unwrap();
    stand(&lab, &base, &mut standing);
    expect_fresh(&lab, &base, &path);
}

/// VC-06: attributes that one of the trees has hold in that tree only.
#[test]
fn attributes_hold_in_their_tree() {
    let (lab, base, _) = trees();
    lab.write(".gitattributes", "*.txt text eol=crlf\n");
    let converted = lab.snapshot();
    let mut standing = Standing::default();
    for (tree, expected) in [
        (&base, "file 9\n"),
        (&converted, "file 9\r\n"),
        (&base, "file 9\n"),
        (&converted, "file 9\r\n"),
    ] {
        let path = stand(&lab, tree, &mut standing);
        assert_eq!(fs::read_to_string(path.join("src/4/f9.txt")).unwrap(), expected);
    }
}
