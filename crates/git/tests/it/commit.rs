//! Commits and branches.

use countersign_git::{Error, Identity, NewCommit};

use crate::common::{Lab, put_script};

/// CX-08: the same input gives the same commit, whatever the user's settings are.
#[test]
fn commits_are_deterministic() {
    let make = |lab: &Lab| {
        let (tree, parents) = (lab.id("HEAD^{tree}"), []);
        let new = NewCommit {
            tree: &tree,
            parents: &parents,
            message: "Accepted: 20 µs\n\nBody\n",
            time_seconds: 1_700_000_000,
            author: Identity { name: "Ann", email: "ann@example.com" },
            committer: Identity::COUNTERSIGN,
        };
        lab.open().commit(&new).unwrap()
    };
    let (one, two) = (Lab::new(), Lab::new());
    for (name, value) in [
        ("commit.gpgSign", "true"),
        ("i18n.commitEncoding", "latin1"),
        ("user.name", "Other"),
        ("core.commentChar", "A"),
    ] {
        two.git(&two.root(), &["config", name, value]);
    }
    let commit = make(&one);
    assert_eq!(commit, make(&two));
    let shown = one.git(&one.root(), &["cat-file", "commit", commit.as_str()]);
    let tree = one.id("HEAD^{tree}");
    let expected = format!(
        "tree {tree}\nauthor Ann <ann@example.com> 1700000000 +0000\ncommitter Countersign \
         <countersign@localhost> 1700000000 +0000\n\nAccepted: 20 µs\n\nBody"
    );
    assert_eq!(shown, expected);
}

/// CX-09: making a commit and a branch moves nothing else and runs no hook.
#[test]
fn a_branch_is_created_and_nothing_else() {
    let lab = Lab::new();
    let marker = lab.path("hooked");
    let hook = lab.file(".git/hooks/reference-transaction");
    put_script(&hook, &format!("touch '{}'", marker.display()));
    let before = lab.everything();
    let (tree, parents) = (lab.id("HEAD^{tree}"), [lab.id("HEAD")]);
    let new = NewCommit {
        tree: &tree,
        parents: &parents,
        message: "work",
        time_seconds: 5,
        author: Identity::COUNTERSIGN,
        committer: Identity::COUNTERSIGN,
    };
    let commit = lab.open().commit(&new).unwrap();
    lab.open().branch("countersign/run-1", &commit).unwrap();
    assert_eq!(lab.id("countersign/run-1"), commit);
    let mut after = lab.everything();
    after.retain(|path, _| !path.to_string_lossy().contains("heads/countersign"));
    assert_eq!(after, before);
    assert!(!marker.exists());
}

/// CX-09: an existing branch is never moved.
#[test]
fn a_branch_is_never_moved() {
    let lab = Lab::new();
    let first = lab.id("HEAD");
    lab.git(&lab.root(), &["branch", "taken"]);
    lab.write("a.txt", "2\n");
    lab.commit_all("second");
    let second = lab.id("HEAD");
    let repository = lab.open();
    repository.branch("taken", &first).unwrap();
    let Err(Error::BranchExists { found, .. }) = repository.branch("taken", &second) else {
        panic!("moved");
    };
    assert_eq!(found, first);
    assert_eq!(lab.id("taken"), first);
    for name in ["-x", "HEAD"] {
        assert!(matches!(repository.branch(name, &first), Err(Error::BadName { .. })));
    }
    for name in ["a..b", "x.lock", ""] {
        assert!(matches!(repository.branch(name, &first), Err(Error::Failed { .. })), "{name}");
    }
    let tree = lab.id("HEAD^{tree}");
    assert!(repository.branch("to-a-tree", &tree).is_err());
}

/// CX-09: what keeps a branch from being made is named: another above or below it, and files that are none.
#[test]
fn what_is_in_the_way_of_a_branch_is_named() {
    let lab = Lab::new();
    let first = lab.id("HEAD");
    lab.git(&lab.root(), &["branch", "taken"]);
    lab.git(&lab.root(), &["branch", "deep/er"]);
    lab.write(".git/refs/heads/full/.keep", "");
    lab.write(".git/refs/heads/junk", "junk\n");
    let repository = lab.open();
    let file = |name: &str| lab.file(".git/refs/heads").join(name).display().to_string();
    for (name, words) in [
        ("taken/below", ["the branch 'taken' is in the way", "git branch -D taken"]),
        ("deep", ["the branch 'deep/er' is in the way", "git branch -m deep/er NAME"]),
        ("full", [&*file("full"), "remove it"]),
        ("junk", ["git can't read the reference 'junk'", &file("junk")]),
    ] {
        let told = repository.branch(name, &first).unwrap_err().to_string();
        assert!(words.iter().all(|words| told.contains(words)), "{name}: {told}");
    }
}
