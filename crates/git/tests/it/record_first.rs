//! The first recording of a working tree.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;

use countersign_domain::ObjectId;
use countersign_domain::snapshot::{PathText, Watch};
use countersign_git::Record;
use sha1::Digest as _;

use crate::common::Lab;

/// CX-05: a first recording tells what its tree holds, and what the commit below it holds, as git
/// itself would.
#[test]
fn a_first_recording_knows_its_paths() {
    let lab = Lab::new();
    let repository = lab.open();
    for (name, content) in [("a-b", "1"), ("a/b", "2"), ("a.b", "3"), ("ä", "4"), ("z", "5")] {
        lab.write(name, content);
    }
    lab.commit_all("more");
    std::fs::remove_file(lab.file("z")).unwrap();
    lab.write("new/file", "6");
    lab.write(".gitignore", "ignored\n");
    lab.write("ignored", "7");
    std::os::unix::fs::symlink("nowhere", lab.file("link")).unwrap();
    let (cache, scratch) = (lab.path("cache"), lab.path("scratch"));
    let frozen = repository.freeze().unwrap();
    let watch = Watch::shipped();
    let record = Record {
        worktree: &lab.root(),
        scratch: &scratch,
        cache: &cache,
        rules: &frozen.rules,
        watch: &watch,
        raw: None,
    };
    let check = |commit: Option<ObjectId>| {
        let first = repository.record_first(&record, &frozen).unwrap();
        let listed = repository.list(&first.recorded.grounds[0].tree).unwrap();
        let listed: Vec<PathText> =
            listed.iter().map(|listed| PathText::from(listed.path.as_path())).collect();
        assert_eq!(first.paths, listed);
        assert_eq!(first.commit, commit);
    };
    check(Some(lab.id("HEAD^{tree}")));
    lab.git(&lab.root(), &["checkout", "-q", "--detach"]);
    check(Some(lab.id("HEAD^{tree}")));
    lab.git(&lab.root(), &["checkout", "-q", "--orphan", "nothing-yet"]);
    check(None);
}

fn first_tree(lab: &Lab) -> ObjectId {
    let repository = lab.open();
    let frozen = repository.freeze().unwrap();
    let (cache, scratch, watch) = (lab.path("cache"), lab.path("scratch"), Watch::shipped());
    let record = Record {
        worktree: &lab.root(),
        scratch: &scratch,
        cache: &cache,
        rules: &frozen.rules,
        watch: &watch,
        raw: None,
    };
    repository.record_first(&record, &frozen).unwrap().recorded.grounds[0].tree.clone()
}

fn with_files() -> Lab {
    let lab = Lab::new();
    for number in 0..150 {
        lab.write(format!("many/{number}"), format!("{number}\n"));
    }
    lab.write("tool", "#!/bin/sh\n");
    fs::set_permissions(lab.file("tool"), fs::Permissions::from_mode(0o755)).unwrap();
    std::os::unix::fs::symlink("tool", lab.file("link")).unwrap();
    lab.commit_all("more");
    lab
}

/// CX-05: what was committed is recorded as it was committed, and every way to differ from it is seen: a mode, the
/// target of a link, a byte in a file whose size and times are as they were.
#[test]
fn what_is_as_committed_is_told_from_what_is_not() {
    let lab = with_files();
    let committed = lab.id("HEAD^{tree}");
    assert_eq!(first_tree(&lab), committed);
    fs::set_permissions(lab.file("tool"), fs::Permissions::from_mode(0o644)).unwrap();
    assert_ne!(first_tree(&lab), committed);
    fs::set_permissions(lab.file("tool"), fs::Permissions::from_mode(0o755)).unwrap();
    assert_eq!(first_tree(&lab), committed);
    fs::remove_file(lab.file("link")).unwrap();
    std::os::unix::fs::symlink("many", lab.file("link")).unwrap();
    assert_ne!(first_tree(&lab), committed);
    fs::remove_file(lab.file("link")).unwrap();
    std::os::unix::fs::symlink("tool", lab.file("link")).unwrap();
    assert_eq!(first_tree(&lab), committed);
    let times = fs::metadata(lab.file("many/77")).unwrap().modified().unwrap();
    lab.write("many/77", "78\n");
    fs::File::options()
        .append(true)
        .open(lab.file("many/77"))
        .unwrap()
        .set_modified(times)
        .unwrap();
    let tree = first_tree(&lab);
    assert_eq!(lab.content(&tree, "many/77").as_deref(), Some("78\n"));
}

/// CX-05: an index that names a tree that its files don't make up deceives nobody.
#[test]
fn a_tree_that_the_index_remembers_wrongly_is_not_believed() {
    let lab = with_files();
    let committed = lab.id("HEAD^{tree}");
    let index = lab.root().join(".git/index");
    let bytes = fs::read(&index).unwrap();
    let raw = |id: &ObjectId| data_encoding::HEXLOWER.decode(id.as_str().as_bytes()).unwrap();
    let (tree, other) = (raw(&committed), raw(&lab.id("HEAD~1^{tree}")));
    let at = bytes.windows(20).position(|window| window == tree).unwrap();
    let forged = [&bytes[..at], &other, &bytes[at + 20..bytes.len() - 20]].concat();
    let sum = sha1::Sha1::digest(&forged);
    fs::write(&index, [&forged[..], &sum[..]].concat()).unwrap();
    assert_eq!(lab.git(&lab.root(), &["write-tree"]).trim(), lab.id("HEAD~1^{tree}").as_str());
    assert_eq!(first_tree(&lab), committed);
}

/// CX-08: what git has lost, and is still on disk, is stored again.
#[test]
fn a_lost_object_is_stored_again() {
    let lab = with_files();
    let blob = lab.id("HEAD:many/7");
    let (folder, file) = blob.as_str().split_at(2);
    let object = lab.root().join(".git/objects").join(folder).join(file);
    fs::remove_file(&object).unwrap();
    let tree = first_tree(&lab);
    assert_eq!(tree, lab.id("HEAD^{tree}"));
    assert_eq!(lab.content(&tree, "many/7").as_deref(), Some("7\n"));
}
