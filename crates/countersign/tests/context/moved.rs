//! Working trees that are no longer where the task began: moved, copied, replaced.

use std::fs;
use std::path::{Path, PathBuf};

use countersign_testkit::{Project, Ran};

use crate::desk::{begin, context, desk, handed_over};

/// Calls `countersign context VERB TASK-0824 …` in another folder.
fn at(project: &Project, folder: &Path, words: &[&str]) -> Ran {
    let (verb, rest) = words.split_first().unwrap();
    project.call(["context", verb, "TASK-0824"]).args(rest).at(folder).run()
}

const BEGIN: &[&str] = &["update", "--role", "reviewer", "--status", "in_progress"];
const ADOPT: &[&str] = &["adopt", "--note", "the disk was full"];

/// A linked working tree in which the implementer has handed over.
fn linked() -> (Project, PathBuf) {
    let project = desk();
    let folder = project.outside().join("linked");
    project.git(["worktree", "add", "--quiet", "-b", "other", folder.to_str().unwrap()]);
    at(&project, &folder, &["init"]).expect(0);
    fs::write(folder.join("src/store.txt"), "new\n").unwrap();
    at(&project, &folder, &["snapshot", "--role", "implementer"]).expect(0);
    (project, folder)
}

fn worktree(project: &Project, folder: &Path) -> String {
    let shown = at(project, folder, &["show", "--format", "json"]).expect(0).data();
    shown["worktree"].as_str().unwrap().to_owned()
}

/// CX-09: a repository that was moved is adopted at its new place, with a note, and goes on.
#[test]
fn a_moved_repository_goes_on() {
    let project = handed_over();
    let moved = project.outside().join("moved");
    fs::rename(project.root(), &moved).unwrap();
    let refused = at(&project, &moved, BEGIN).expect(1).says("was moved: from");
    refused.says("countersign context adopt TASK-0824 --note");
    // Its task file is gone only from where it was.
    project.call(["context", "sweep", "--ttl", "0s"]).at(&moved).run().expect(0);
    at(&project, &moved, ADOPT).expect(0);
    assert_eq!(worktree(&project, &moved), moved.to_str().unwrap());
    at(&project, &moved, &["verify"]).expect(0);
    at(&project, &moved, BEGIN).expect(0);
    project.call(["ledger", "verify"]).at(&moved).run().expect(0);
    at(&project, &moved, ADOPT).expect(1).says("work here already");
}

/// CX-09: so is a linked working tree that git moved.
#[test]
fn a_moved_worktree_goes_on() {
    let (project, folder) = linked();
    let moved = project.outside().join("moved");
    let words = ["worktree", "move", folder.to_str().unwrap(), moved.to_str().unwrap()];
    project.git(words);
    at(&project, &moved, BEGIN).expect(1).says("was moved: from");
    at(&project, &moved, ADOPT).expect(0);
    at(&project, &moved, BEGIN).expect(0);
    // The main working tree is another one, and the right one is there.
    context(&project, ADOPT).expect(1).says("countersign -C");
}

/// CX-09: a copy has a ledger of its own from then on, and the original knows nothing of it.
#[test]
fn a_copied_repository_goes_on() {
    let project = handed_over();
    let copy = project.outside().join("copy");
    project.sh("cp -a . ../copy").expect(0);
    let refused = at(&project, &copy, BEGIN).expect(1);
    refused.says("is a copy of it");
    at(&project, &copy, ADOPT).expect(0).says("is still there");
    at(&project, &copy, BEGIN).expect(0);
    assert_eq!(worktree(&project, &copy), copy.to_str().unwrap());
    begin(&project, "reviewer").expect(0);
    assert_eq!(worktree(&project, &project.root()), project.root().to_str().unwrap());
}

/// CX-10: adopting a place forgives nothing that was changed there.
#[test]
fn adopting_is_no_resolution() {
    let project = handed_over();
    let moved = project.outside().join("moved");
    fs::rename(project.root(), &moved).unwrap();
    fs::write(moved.join("src/store.txt"), "edited\n").unwrap();
    at(&project, &moved, ADOPT).expect(0);
    at(&project, &moved, BEGIN).expect(1).says("src/store.txt");
    at(&project, &moved, BEGIN).expect(1).says("resolve-drift");
}

/// CX-09: another working tree can't take over while the right one is there, and can when it is
/// gone, if it has the files.
#[test]
fn another_worktree_takes_over_only_what_is_gone() {
    let (project, folder) = linked();
    let other = project.outside().join("another");
    project.git(["worktree", "add", "--quiet", "--detach", other.to_str().unwrap()]);
    at(&project, &other, BEGIN).expect(1).says("countersign -C");
    at(&project, &other, ADOPT).expect(1).says("git worktree remove");
    project.git(["worktree", "remove", "--force", folder.to_str().unwrap()]);
    at(&project, &other, BEGIN).expect(1).says("which is gone");
    at(&project, &other, ADOPT).expect(0);
    at(&project, &other, BEGIN).expect(1).says("src/store.txt");
    fs::write(other.join("src/store.txt"), "new\n").unwrap();
    at(&project, &other, &["verify"]).expect(0);
}

/// CX-16: a note with a secret in it, or without a word, is refused.
#[test]
fn a_note_says_why() {
    let project = handed_over();
    let moved = project.outside().join("moved");
    fs::rename(project.root(), &moved).unwrap();
    at(&project, &moved, &["adopt", "--note", " "]).expect(2).says("the note is empty");
    at(&project, &moved, &["adopt"]).expect(2);
}

/// CX-08: what was left in a working tree that is gone is restored as a new one, and gone on with.
#[test]
fn a_task_goes_on_in_a_restored_working_tree() {
    let project = crate::desk::desk();
    let (old, new) = (project.outside().join("old"), project.outside().join("new"));
    project.git(["worktree", "add", "-q", "-b", "work", old.to_str().unwrap()]);
    let run = |at: &std::path::Path, words: &[&str]| {
        let (verb, rest) = words.split_first().unwrap();
        project.call(["context", verb, "TASK-0824"]).args(rest).at(at).run()
    };
    run(&old, &["init"]).expect(0);
    std::fs::write(old.join("src/theme.txt"), "six\n").unwrap();
    std::fs::write(old.join("src/private.txt"), "mine\n").unwrap();
    project
        .sh("chmod 600 ../old/src/private.txt && cd ../old && git rm -q docs/settings.md")
        .expect(0);
    run(&old, &["snapshot", "--role", "implementer"]).expect(0);
    std::fs::remove_dir_all(&old).unwrap();
    let root = project.root();
    let words = ["restore", "--role", "implementer", "--worktree", new.to_str().unwrap()];
    run(&root, &words).expect(0);
    assert_eq!(std::fs::read_to_string(new.join("src/theme.txt")).unwrap(), "six\n");
    assert!(!new.join("docs/settings.md").exists());
    assert!(project.git(["worktree", "list"]).contains("new"));
    run(&new, &["adopt", "--note", "the old one was deleted"]).expect(0);
    run(&new, &["update", "--role", "reviewer", "--status", "in_progress"]).expect(0);
    std::fs::write(new.join("src/theme.txt"), "seven\n").unwrap();
    run(&new, &["snapshot", "--role", "reviewer"]).expect(0);
    run(&new, &["diff", "--role", "reviewer"]).expect(0).prints("-six").prints("+seven");
    // Nothing of the user's was touched.
    assert_eq!(project.git(["status", "--porcelain"]), "");
}
