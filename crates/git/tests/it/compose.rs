//! Trees put together from others.

use std::fs;
use std::path::PathBuf;

use countersign_git::{Edit, Side};

use crate::common::{Lab, os};

fn edit(path: impl Into<PathBuf>, to: Option<Side>) -> Edit {
    Edit { path: path.into(), to }
}

/// LP-08: what is new of one tree with what is old of the other is exactly that, whatever the names.
#[test]
fn one_trees_code_with_the_others_tests() {
    let lab = Lab::new();
    lab.write("src/code.txt", "old code\n");
    lab.write("tests/one.txt", "old test\n");
    lab.write(os(b"tests/\xff"), "old odd test\n");
    lab.commit_all("base");
    let base = lab.snapshot();
    lab.write("src/code.txt", "new code\n");
    lab.write("tests/one.txt", "new test\n");
    lab.write("tests/two.txt", "another\n");
    fs::remove_file(lab.file(os(b"tests/\xff"))).unwrap();
    let head = lab.snapshot();

    let repository = lab.open();
    let scratch = lab.file(".git/scratch");
    let changes = repository.differences(&base, &head).unwrap();
    let of_tests = changes.iter().filter(|change| change.path.starts_with("tests"));
    let edits: Vec<Edit> = of_tests.map(|change| edit(&change.path, change.old.clone())).collect();
    assert_eq!(edits.len(), 3);
    let composed = repository.compose(&head, &edits, &scratch).unwrap();
    lab.write("tests/one.txt", "old test\n");
    lab.write(os(b"tests/\xff"), "old odd test\n");
    fs::remove_file(lab.file("tests/two.txt")).unwrap();
    assert_eq!(composed, lab.snapshot());
    assert_eq!(repository.compose(&head, &[], &scratch).unwrap(), head);
    assert_eq!(fs::read_dir(&scratch).unwrap().count(), 0);
}

/// A file in the place of a folder, and a folder in the place of a file.
#[test]
fn files_and_folders_take_each_others_place() {
    let lab = Lab::new();
    lab.write("a/b.txt", "inside\n");
    lab.write("c", "file\n");
    lab.commit_all("base");
    let tree = lab.snapshot();
    let repository = lab.open();
    let object = repository.store(b"stored\n").unwrap();
    assert_eq!(repository.content(&object).unwrap(), b"stored\n");
    let side = || Some(Side { mode: 0o100_644, object: object.clone() });
    let edits = [edit("a", side()), edit("c/d.txt", side())];
    let composed = repository.compose(&tree, &edits, &lab.file(".git/scratch")).unwrap();
    let listed = repository.list(&composed).unwrap();
    let paths = listed.iter().map(|one| one.path.clone());
    let paths: Vec<PathBuf> = paths.filter(|path| !path.ends_with("a.txt")).collect();
    assert!(paths.contains(&"a".into()) && paths.contains(&"c/d.txt".into()), "{paths:?}");
    assert!(!paths.contains(&"a/b.txt".into()) && !paths.contains(&"c".into()), "{paths:?}");
}
