//! References of our own.

use countersign_git::Error;

use crate::common::Lab;

/// CX-08: a kept tree outlives a collection of garbage; a released one does not.
#[test]
fn a_kept_tree_survives_collection() {
    let lab = Lab::new();
    let repository = lab.open();
    lab.write("a.txt", "kept\n");
    let kept = lab.snapshot();
    lab.write("a.txt", "dropped\n");
    let dropped = lab.snapshot();
    lab.git(&lab.root(), &["checkout", "-q", "."]);
    repository.keep("run/1/tree", &kept).unwrap();
    lab.git(&lab.root(), &["gc", "-q", "--prune=now"]);
    assert_eq!(lab.content(&kept, "a.txt").as_deref(), Some("kept\n"));
    assert_eq!(lab.content(&dropped, "a.txt"), None);
    repository.release("run/1/tree").unwrap();
    lab.git(&lab.root(), &["gc", "-q", "--prune=now"]);
    assert_eq!(lab.content(&kept, "a.txt"), None);
}

/// CX-08: keeping is create-or-same, and a name is never silently moved.
#[test]
fn a_name_keeps_one_thing() {
    let lab = Lab::new();
    let repository = lab.open();
    let (commit, tree) = (lab.id("HEAD"), lab.id("HEAD^{tree}"));
    repository.keep("x", &tree).unwrap();
    repository.keep("x", &tree).unwrap();
    let Err(Error::Moved { found, .. }) = repository.keep("x", &commit) else { panic!("moved") };
    assert_eq!(found, Some(tree.clone()));
    repository.keep("y/z", &commit).unwrap();
    let all = [("x".to_owned(), tree), ("y/z".to_owned(), commit)];
    assert_eq!(repository.kept("").unwrap(), all);
    assert_eq!(repository.kept("y").unwrap(), all[1..]);
    assert_eq!(repository.kept("none").unwrap(), []);
    repository.release("x").unwrap();
    repository.release("x").unwrap();
    assert_eq!(repository.kept("").unwrap(), all[1..]);
}

/// CX-09: names cannot lead out of our own references.
#[test]
fn names_stay_inside() {
    let lab = Lab::new();
    let repository = lab.open();
    let head = lab.id("HEAD");
    let before = lab.everything();
    for name in ["", "../heads/main", "a b", "x.lock", "-d", "a//b"] {
        assert!(matches!(repository.keep(name, &head), Err(Error::BadName { .. })), "{name}");
        assert!(matches!(repository.release(name), Err(Error::BadName { .. })), "{name}");
    }
    assert_eq!(lab.everything(), before);
}

/// CX-08: an object that is not there cannot be kept.
#[test]
fn a_missing_object_is_not_kept() {
    let lab = Lab::new();
    let missing = "1".repeat(40).parse().unwrap();
    assert!(matches!(lab.open().keep("x", &missing), Err(Error::Failed { .. })));
    assert_eq!(lab.open().kept("").unwrap(), []);
}
