//! Objects that were given another content under their old name.

use std::collections::HashSet;
use std::fs;
use std::io::Write as _;
use std::os::unix::fs::PermissionsExt as _;
use std::path::PathBuf;
use std::time::Duration;

use countersign_domain::ObjectId;
use countersign_git::Fault;

use crate::common::Lab;

fn loose(lab: &Lab, object: &ObjectId) -> PathBuf {
    let (folder, file) = object.as_str().split_at(2);
    lab.file(".git/objects").join(folder).join(file)
}

/// Puts what git stored for `other` under the name of `object`.
fn forge(lab: &Lab, object: &ObjectId, other: &ObjectId) {
    let place = loose(lab, object);
    fs::set_permissions(&place, fs::Permissions::from_mode(0o644)).unwrap();
    fs::copy(loose(lab, other), &place).unwrap();
}

fn found(lab: &Lab, tree: &ObjectId) -> Vec<(String, Fault)> {
    let found = lab.open().forged(tree).unwrap();
    found.into_iter().map(|one| (one.path.to_string(), one.fault)).collect()
}

/// CX-09: a store that nobody touched has nothing forged in it, packed or not.
#[test]
fn an_honest_store_is_believed() {
    let lab = Lab::new();
    lab.write("dir/deep/same.txt", "a\n");
    lab.write("empty", "");
    lab.commit_all("second");
    let tree = lab.id("HEAD^{tree}");
    assert_eq!(found(&lab, &tree), []);
    lab.git(&lab.root(), &["gc", "-q"]);
    assert_eq!(found(&lab, &tree), []);
}

/// CX-09: a file, a file of two names, a list of files: whatever was replaced is named.
#[test]
fn what_was_replaced_is_named() {
    let lab = Lab::new();
    lab.write("dir/twin.txt", "a\n");
    lab.commit_all("second");
    let tree = lab.id("HEAD^{tree}");
    forge(&lab, &lab.id("HEAD:a.txt"), &lab.id("HEAD:b.txt"));
    let forged = |path: &str| (path.to_owned(), Fault::Forged);
    assert_eq!(found(&lab, &tree), [forged("a.txt"), forged("dir/twin.txt")]);
    let (one, other) = (lab.id("HEAD:dir"), lab.id("HEAD~:dir"));
    forge(&lab, &one, &other);
    assert_eq!(found(&lab, &tree), [forged("a.txt"), forged("dir")]);
}

/// CX-09: what is gone, cut off or no object at all is named, and so is everything after it.
#[test]
fn what_cannot_be_read_is_named() {
    let lab = Lab::new();
    let tree = lab.id("HEAD^{tree}");
    fs::remove_file(loose(&lab, &lab.id("HEAD:a.txt"))).unwrap();
    let broken = loose(&lab, &lab.id("HEAD:b.txt"));
    fs::set_permissions(&broken, fs::Permissions::from_mode(0o644)).unwrap();
    fs::File::create(&broken).unwrap().write_all(b"no object").unwrap();
    forge(&lab, &lab.id("HEAD:dir/c.txt"), &lab.id("HEAD:dir"));
    let found = found(&lab, &tree);
    assert_eq!(found[0], ("a.txt".to_owned(), Fault::Missing));
    assert_eq!(found[1].0, "b.txt");
    assert_ne!(found[1].1, Fault::Forged);
    assert_eq!(found[2], ("dir/c.txt".to_owned(), Fault::Forged));
}

/// CX-09: names by SHA-256 are checked as well.
#[test]
fn longer_names_are_checked() {
    let lab = Lab::bare();
    lab.git(&lab.path(""), &["init", "-q", "--object-format=sha256", "repo"]);
    lab.write("a.txt", "a\n");
    lab.write("b.txt", "b\n");
    lab.commit_all("first");
    let tree = lab.id("HEAD^{tree}");
    assert_eq!(found(&lab, &tree), []);
    forge(&lab, &lab.id("HEAD:a.txt"), &lab.id("HEAD:b.txt"));
    assert_eq!(found(&lab, &tree), [("a.txt".to_owned(), Fault::Forged)]);
}

/// CX-09, VC-06: what was found genuine once is not believed for ever: a file or a list of files that is
/// replaced afterwards is named, with its times set back, loose or in a new pack.
#[test]
fn what_is_replaced_later_is_named() {
    let lab = Lab::new();
    lab.write("dir/d.txt", "d\n");
    lab.commit_all("second");
    let (one, tree) = (lab.open(), lab.id("HEAD^{tree}"));
    let ask = || {
        let found = one.forged_in(&[&tree], &HashSet::new()).unwrap();
        found.into_iter().map(|one| (one.path.to_string(), one.fault)).collect::<Vec<_>>()
    };
    let settle = || {
        // tidy: polling, nothing tells when the clock of the file system has ticked.
        std::thread::sleep(Duration::from_millis(50));
    };
    settle();
    assert_eq!((ask(), ask()), (vec![], vec![]));
    let place = loose(&lab, &lab.id("HEAD:a.txt"));
    let was = fs::metadata(&place).unwrap().modified().unwrap();
    let whole = fs::read(&place).unwrap();
    forge(&lab, &lab.id("HEAD:a.txt"), &lab.id("HEAD:b.txt"));
    fs::File::options().write(true).open(&place).unwrap().set_modified(was).unwrap();
    let forged = |path: &str| vec![(path.to_owned(), Fault::Forged)];
    assert_eq!(ask(), forged("a.txt"));
    assert_eq!(ask(), forged("a.txt"), "what was found is not forgotten");
    fs::write(&place, whole).unwrap();
    settle();
    assert_eq!((ask(), ask()), (vec![], vec![]));
    forge(&lab, &lab.id("HEAD:dir"), &lab.id("HEAD~:dir"));
    assert_eq!(ask(), forged("dir"));
}

/// CX-09: git gives an object that is stored once more a new time. What was found genuine stays so, and what
/// is replaced along with it is named.
#[test]
fn what_is_stored_again_is_read_again() {
    let lab = Lab::new();
    lab.write("dir/d.txt", "d\n");
    lab.commit_all("second");
    let (one, tree) = (lab.open(), lab.id("HEAD^{tree}"));
    let ask = || {
        // tidy: polling, nothing tells when the clock of the file system has ticked.
        std::thread::sleep(Duration::from_millis(50));
        let found = one.forged_in(&[&tree], &HashSet::new()).unwrap();
        found.into_iter().map(|one| one.path.to_string()).collect::<Vec<_>>()
    };
    let again = |object: &str| {
        let file = fs::File::open(loose(&lab, &lab.id(object))).unwrap();
        file.set_modified(std::time::SystemTime::now()).unwrap();
    };
    assert_eq!((ask(), ask()), (vec![], vec![]));
    for object in ["HEAD:dir", "HEAD^{tree}", "HEAD:a.txt"] {
        again(object);
        assert_eq!((ask(), ask()), (vec![], vec![]), "{object}");
    }
    again("HEAD:dir");
    forge(&lab, &lab.id("HEAD:dir/d.txt"), &lab.id("HEAD:b.txt"));
    assert_eq!(ask(), ["dir/d.txt"]);
    let name = lab.id("HEAD:dir/d.txt");
    fs::remove_file(loose(&lab, &name)).unwrap();
    lab.git(&lab.root(), &["hash-object", "-w", "dir/d.txt"]);
    assert_eq!((ask(), ask()), (vec![], vec![]));
    fs::remove_file(loose(&lab, &name)).unwrap();
    assert_eq!(ask(), ["dir/d.txt"], "what is gone is named");
}

/// CX-09: a new pack may have another content under every name, so nothing is believed after one came.
#[test]
fn a_new_pack_is_read() {
    let lab = Lab::new();
    lab.git(&lab.root(), &["gc", "-q"]);
    let (one, tree) = (lab.open(), lab.id("HEAD^{tree}"));
    let ask = || one.forged_in(&[&tree], &HashSet::new()).unwrap();
    // tidy: polling, nothing tells when the clock of the file system has ticked.
    std::thread::sleep(Duration::from_millis(50));
    assert_eq!((ask(), ask()), (vec![], vec![]));
    let packs: Vec<_> = fs::read_dir(lab.file(".git/objects/pack")).unwrap().flatten().collect();
    let pack = packs.iter().find(|file| file.path().extension().is_some_and(|end| end == "pack"));
    let pack = pack.unwrap().path();
    let mut bytes = fs::read(&pack).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 0x55;
    fs::set_permissions(&pack, fs::Permissions::from_mode(0o644)).unwrap();
    fs::write(&pack, bytes).unwrap();
    assert!(!ask().is_empty(), "a pack that was changed is read");
}

/// CX-09: what a link leads to changes without the link: an object behind one is read every time.
#[test]
fn an_object_behind_a_link_is_read() {
    let lab = Lab::new();
    let (one, tree) = (lab.open(), lab.id("HEAD^{tree}"));
    let ask = || one.forged_in(&[&tree], &HashSet::new()).unwrap().len();
    let (place, outside) = (loose(&lab, &lab.id("HEAD:a.txt")), lab.path("outside"));
    fs::rename(&place, &outside).unwrap();
    std::os::unix::fs::symlink(&outside, &place).unwrap();
    // tidy: polling, nothing tells when the clock of the file system has ticked.
    std::thread::sleep(Duration::from_millis(50));
    assert_eq!((ask(), ask()), (0, 0));
    fs::set_permissions(&outside, fs::Permissions::from_mode(0o644)).unwrap();
    fs::copy(loose(&lab, &lab.id("HEAD:b.txt")), &outside).unwrap();
    assert_eq!(ask(), 1);
}

/// CX-09: objects that can't be read hide none that is forged: all that nobody could ask for count.
#[test]
fn many_damaged_objects_hide_nothing() {
    let lab = Lab::new();
    for number in 0..80 {
        lab.write(format!("many/{number}.txt"), format!("content of {number}\n"));
    }
    lab.commit_all("many");
    let tree = lab.id("HEAD^{tree}");
    for number in 0..80 {
        let place = loose(&lab, &lab.id(&format!("HEAD:many/{number}.txt")));
        fs::set_permissions(&place, fs::Permissions::from_mode(0o644)).unwrap();
        fs::write(&place, "no object").unwrap();
    }
    forge(&lab, &lab.id("HEAD:a.txt"), &lab.id("HEAD:b.txt"));
    let found = lab.open().forged_in(&[&tree], &HashSet::new()).unwrap();
    assert!(found.len() >= 81, "{}", found.len());
}
