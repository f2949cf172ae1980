//! Commits that are taken over into the user's working tree and branch.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use countersign_domain::ObjectId;
use countersign_git::{Adoption, Error, Repository};

use crate::common::{Lab, files, make_executable, os, put_script};

/// A commit on top of `HEAD` that nobody has checked out.
fn beside(lab: &Lab, change: impl FnOnce(&Path)) -> ObjectId {
    let at = lab.path("beside");
    lab.git(&lab.root(), &["worktree", "add", "-q", "--detach", at.to_str().unwrap()]);
    change(&at);
    lab.git(&at, &["add", "-Af"]);
    lab.git(&at, &["commit", "-qm", "work"]);
    let made = lab.git(&at, &["rev-parse", "HEAD"]).parse().unwrap();
    lab.git(&lab.root(), &["worktree", "remove", "--force", at.to_str().unwrap()]);
    made
}

fn adopt(repository: &Repository, lab: &Lab, commit: &ObjectId) -> Result<(), Error> {
    let from = repository.head()?.unwrap();
    let tree = repository.resolve(commit.as_str())?.tree;
    let scratch = lab.path("scratch");
    repository.adopt(&Adoption { from: &from, commit, tree: &tree, why: "work", scratch: &scratch })
}

fn in_the_way(lab: &Lab, commit: &ObjectId) -> Vec<PathBuf> {
    let repository = lab.open();
    let from = repository.head().unwrap().unwrap();
    let tree = repository.resolve(commit.as_str()).unwrap().tree;
    repository.in_the_way(&from.tree, &tree, &lab.path("scratch")).unwrap()
}

fn status(lab: &Lab) -> String {
    lab.git(&lab.root(), &["status", "--porcelain"])
}

/// LP-14: files, modes, links, folders and odd names come out as `git merge --ff-only` brings them, and
/// what is beside them stays, staged or not.
#[test]
fn the_working_tree_goes_along() {
    let lab = Lab::new();
    lab.write("old/deep.txt", "deep\n");
    lab.write("mine.txt", "1\n");
    lab.write("staged.txt", "1\n");
    lab.commit_all("more");
    let work = beside(&lab, |at| {
        fs::write(at.join("a.txt"), "work\n").unwrap();
        fs::remove_file(at.join("b.txt")).unwrap();
        fs::write(at.join("b.txt"), "exec\n").unwrap();
        make_executable(&at.join("b.txt"));
        fs::remove_dir_all(at.join("old")).unwrap();
        fs::write(at.join("old"), "a file now\n").unwrap();
        symlink("a.txt", at.join("link")).unwrap();
        fs::write(at.join(os(b"od\xff\nd")), "odd\n").unwrap();
    });
    lab.write("mine.txt", "edited\n");
    lab.write("staged.txt", "edited\n");
    lab.git(&lab.root(), &["add", "staged.txt"]);
    lab.write("untracked.txt", "mine\n");
    // Written anew, with what was there.
    fs::remove_file(lab.file("a.txt")).unwrap();
    lab.write("a.txt", "a\n");
    adopt(&lab.open(), &lab, &work).unwrap();
    assert_eq!(lab.id("HEAD"), work);
    assert_eq!(lab.git(&lab.root(), &["symbolic-ref", "HEAD"]), "refs/heads/main");
    assert_eq!(status(&lab), " M mine.txt\nM  staged.txt\n?? untracked.txt");
    let shown = files(&lab.root());
    assert!(shown.contains_key(Path::new("old")) && shown.contains_key(Path::new("link")));
    assert!(lab.git(&lab.root(), &["reflog", "-1", "main"]).contains("work"));
    lab.git(&lab.root(), &["fsck", "--strict"]);
}

/// LP-14: whatever would be lost is named, all of it, and nothing is changed: edited, staged, deleted,
/// untracked and ignored files, a file where a folder is to be and the other way round, and a file that
/// git was told to believe unchanged.
#[test]
fn what_would_be_lost_is_named_and_left_alone() {
    let lab = Lab::new();
    lab.write(".gitignore", "*.log\n");
    for name in ["edited", "staged", "deleted", "believed", "calm"] {
        lab.write(name, "1\n");
    }
    lab.commit_all("more");
    let work = beside(&lab, |at| {
        for name in ["edited", "staged", "deleted", "believed", "calm", "new", "own.log"] {
            fs::write(at.join(name), "work\n").unwrap();
        }
        fs::create_dir(at.join("folder")).unwrap();
        fs::write(at.join("folder/inside"), "work\n").unwrap();
        fs::write(at.join("file"), "work\n").unwrap();
    });
    lab.git(&lab.root(), &["update-index", "--assume-unchanged", "believed"]);
    for name in ["edited", "staged", "believed", "new", "own.log", "folder", "file/x.log"] {
        lab.write(name, "mine\n");
    }
    lab.git(&lab.root(), &["add", "staged"]);
    fs::remove_file(lab.file("deleted")).unwrap();
    lab.write("beside", "mine\n");
    let before = lab.everything();
    let named = in_the_way(&lab, &work);
    let expected =
        ["believed", "deleted", "edited", "file/x.log", "folder", "new", "own.log", "staged"];
    assert_eq!(named, expected.map(PathBuf::from));
    let error = adopt(&lab.open(), &lab, &work).unwrap_err();
    assert!(matches!(error, Error::InTheWay { .. }), "{error}");
    assert_eq!(lab.everything(), before);
}

/// LP-14: who was killed after the files and before the branch finds it done by doing it again, also if
/// only some of the files were written.
#[test]
fn what_was_begun_is_completed() {
    let lab = Lab::new();
    let work = beside(&lab, |at| {
        fs::write(at.join("a.txt"), "work\n").unwrap();
        fs::remove_file(at.join("b.txt")).unwrap();
        fs::write(at.join("new.txt"), "new\n").unwrap();
        fs::write(at.join("dir/c.txt"), "work\n").unwrap();
    });
    lab.write("a.txt", "work\n");
    fs::remove_file(lab.file("b.txt")).unwrap();
    lab.write("new.txt", "new\n");
    assert_eq!(in_the_way(&lab, &work), [PathBuf::new(); 0]);
    adopt(&lab.open(), &lab, &work).unwrap();
    assert_eq!((lab.id("HEAD"), status(&lab)), (work.clone(), String::new()));
    // All of the files, and the index.
    lab.git(&lab.root(), &["update-ref", "refs/heads/main", "HEAD~"]);
    assert!(!status(&lab).is_empty());
    adopt(&lab.open(), &lab, &work).unwrap();
    assert_eq!((lab.id("HEAD"), status(&lab)), (work, String::new()));
}

/// LP-14: a `HEAD` on no branch is moved and no branch is; a linked worktree has its own; other branches
/// and worktrees stay as they are.
#[test]
fn only_what_is_checked_out_here_moves() {
    let lab = Lab::new();
    let work = beside(&lab, |at| fs::write(at.join("a.txt"), "work\n").unwrap());
    let start = lab.id("HEAD");
    let linked = lab.path("linked");
    lab.git(&lab.root(), &["worktree", "add", "-q", "-b", "topic", linked.to_str().unwrap()]);
    adopt(&lab.open_at(&linked), &lab, &work).unwrap();
    assert_eq!((lab.id("topic"), lab.id("main")), (work.clone(), start.clone()));
    assert_eq!(lab.git(&linked, &["status", "--porcelain"]), "");
    assert_eq!(fs::read_to_string(linked.join("a.txt")).unwrap(), "work\n");
    assert_eq!(status(&lab), "");
    lab.git(&lab.root(), &["checkout", "-q", "--detach"]);
    adopt(&lab.open(), &lab, &work).unwrap();
    assert_eq!((lab.id("HEAD"), lab.id("main")), (work, start));
    assert!(!lab.try_git(&lab.root(), &["symbolic-ref", "-q", "HEAD"]).status.success());
    assert_eq!(status(&lab), "");
}

/// LP-14: who stands elsewhere by now is told, and nothing is changed; no hook of the user's runs.
#[test]
fn who_moved_meanwhile_is_told() {
    let lab = Lab::new();
    let work = beside(&lab, |at| fs::write(at.join("a.txt"), "work\n").unwrap());
    let repository = lab.open();
    let from = repository.head().unwrap().unwrap();
    lab.write("b.txt", "meanwhile\n");
    lab.commit_all("meanwhile");
    let ran = lab.path("ran");
    for hook in ["post-merge", "post-checkout", "reference-transaction", "post-index-change"] {
        put_script(&lab.file(format!(".git/hooks/{hook}")), &format!("touch {}", ran.display()));
    }
    let before = lab.everything();
    let (tree, scratch) = (repository.resolve(work.as_str()).unwrap().tree, lab.path("scratch"));
    let adoption =
        Adoption { from: &from, commit: &work, tree: &tree, why: "work", scratch: &scratch };
    let error = repository.adopt(&adoption).unwrap_err();
    assert!(matches!(error, Error::Moved { .. }), "{error}");
    assert_eq!(lab.everything(), before);
    assert!(!ran.exists());
}

/// LP-14: line endings are the user's, and what a sparse checkout leaves out stays out.
#[test]
fn files_come_as_the_user_wants_them() {
    let lab = Lab::new();
    lab.write(".gitattributes", "*.dos text eol=crlf\n");
    lab.write("far/away.txt", "1\n");
    lab.commit_all("more");
    let work = beside(&lab, |at| {
        fs::write(at.join("x.dos"), "1\n2\n").unwrap();
        fs::write(at.join("far/away.txt"), "2\n").unwrap();
        fs::write(at.join("far/new.txt"), "2\n").unwrap();
    });
    lab.git(&lab.root(), &["sparse-checkout", "set", "dir"]);
    adopt(&lab.open(), &lab, &work).unwrap();
    assert_eq!(fs::read(lab.file("x.dos")).unwrap(), b"1\r\n2\r\n");
    assert!(!lab.file("far").exists());
    assert_eq!(status(&lab), "");
}

/// LP-14: what lies staged or on disk of an unfinished merge is said, and the messages of a branch are
/// read from its commits.
#[test]
fn where_the_user_stands_is_told() {
    let lab = Lab::new();
    assert_eq!(lab.open().unfinished(), None);
    fs::write(lab.file(".git/MERGE_HEAD"), format!("{}\n", lab.id("HEAD"))).unwrap();
    assert!(lab.open().unfinished().is_some());
    let start = lab.id("HEAD");
    for words in ["one\n\nA: 1", "two"] {
        lab.git(&lab.root(), &["commit", "-q", "--allow-empty", "-m", words]);
    }
    let messages = lab.open().messages(&lab.id("HEAD"), &start).unwrap();
    let messages: Vec<&str> = messages.iter().map(|text| text.trim()).collect();
    assert_eq!(messages, ["one\n\nA: 1", "two"]);
    let user = lab.open().user().unwrap();
    assert_eq!(user, Some(("Someone".to_owned(), "someone@example.com".to_owned())));
}
