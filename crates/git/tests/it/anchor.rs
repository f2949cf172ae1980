//! Chains of anchored files.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;

use countersign_git::{Error, NewAnchor};

use crate::common::Lab;

fn link<'a>(
    previous: Option<&'a countersign_domain::ObjectId>,
    files: &'a [(&'a str, &'a [u8])],
) -> NewAnchor<'a> {
    NewAnchor { previous, files, message: "seal", time_seconds: 9 }
}

/// CX-08: a chain is read back, oldest first, byte for byte.
#[test]
fn a_chain_is_read_back() {
    let lab = Lab::new();
    let repository = lab.open();
    assert_eq!(repository.anchor_tip("seals/main").unwrap(), None);
    assert_eq!(repository.anchored("seals/main").unwrap(), []);
    let binary: Vec<u8> = (0..=255).cycle().take(100_000).collect();
    let first = repository.anchor("seals/main", &link(None, &[("seal", &binary)])).unwrap();
    let files: [(&str, &[u8]); 3] = [("z", b"\r\n\0"), ("a b", b""), ("ä", b"x")];
    let second = repository.anchor("seals/main", &link(Some(&first), &files)).unwrap();
    assert_eq!(repository.anchor_tip("seals/main").unwrap(), Some(second.clone()));
    let all = [("seals/main".to_owned(), second.clone())];
    assert_eq!(repository.anchor_refs("seals").unwrap(), all);

    let anchors = repository.anchored("seals/main").unwrap();
    assert_eq!(anchors.len(), 2);
    assert_eq!((&anchors[0].commit, &anchors[1].commit), (&first, &second));
    assert_eq!(anchors[0].files, [("seal".to_owned(), binary)]);
    let mut found = anchors[1].files.clone();
    found.sort();
    let expected = [("a b", &b""[..]), ("z", b"\r\n\0"), ("ä", b"x")];
    assert_eq!(found, expected.map(|(name, bytes)| (name.to_owned(), bytes.to_vec())));
}

/// CX-17: of two who append at once, one is told that the chain moved.
#[test]
fn a_moved_chain_is_noticed() {
    let lab = Lab::new();
    let repository = lab.open();
    let first = repository.anchor("s", &link(None, &[("f", b"1")])).unwrap();
    let second = repository.anchor("s", &link(Some(&first), &[("f", b"2")])).unwrap();
    for previous in [None, Some(&first)] {
        let lost = repository.anchor("s", &link(previous, &[("f", b"3")]));
        let Err(Error::Moved { found, .. }) = lost else { panic!("appended: {lost:?}") };
        assert_eq!(found.as_ref(), Some(&second));
    }
    repository.release("s").unwrap();
    let gone = repository.anchor("s", &link(Some(&second), &[("f", b"3")]));
    assert!(matches!(gone, Err(Error::Moved { found: None, .. })));
}

/// CX-17: a process that was started ahead appends as one of its own does: many times, after a link that it could not
/// append, and while another one appends too.
#[test]
fn git_may_be_started_ahead() {
    let lab = Lab::new();
    let (repository, other) = (lab.open(), lab.open());
    repository.expect_updates();
    let first = repository.anchor("s", &link(None, &[("f", b"1")])).unwrap();
    let second = repository.anchor("s", &link(Some(&first), &[("f", b"2")])).unwrap();
    let third = other.anchor("s", &link(Some(&second), &[("f", b"3")])).unwrap();
    for previous in [None, Some(&second)] {
        repository.expect_updates();
        let lost = repository.anchor("s", &link(previous, &[("f", b"4")]));
        let Err(Error::Moved { found, .. }) = lost else { panic!("appended: {lost:?}") };
        assert_eq!(found.as_ref(), Some(&third));
    }
    let fourth = repository.anchor("s", &link(Some(&third), &[("f", b"4")])).unwrap();
    repository.expect_updates();
    drop(repository.clone());
    repository.keep("kept", &first).unwrap();
    repository.anchor("s", &link(Some(&fourth), &[("f", b"5")])).unwrap();
    assert_eq!(other.anchored("s").unwrap().len(), 5);
}

/// CX-17: many who append at once, each retrying: no link is lost.
#[test]
fn no_link_is_lost_under_contention() {
    let lab = Lab::new();
    std::thread::scope(|scope| {
        for name in ["a", "b", "c", "d"] {
            let repository = lab.open();
            scope.spawn(move || {
                loop {
                    let tip = repository.anchor_tip("s").unwrap();
                    match repository.anchor("s", &link(tip.as_ref(), &[(name, b"x")])) {
                        Ok(_) => break,
                        Err(Error::Moved { .. }) => {}
                        Err(error) => panic!("{error}"),
                    }
                }
            });
        }
    });
    let anchors = lab.open().anchored("s").unwrap();
    let mut names: Vec<&str> = anchors.iter().map(|anchor| anchor.files[0].0.as_str()).collect();
    names.sort_unstable();
    assert_eq!(names, ["a", "b", "c", "d"]);
}

/// CX-08: anchors outlive a collection of garbage and leave the user's things alone.
#[test]
fn anchors_survive_collection() {
    let lab = Lab::new();
    let before = lab.everything();
    let tip = lab.open().anchor("s", &link(None, &[("f", b"1")])).unwrap();
    let mut after = lab.everything();
    after.retain(|path, _| !path.to_string_lossy().contains("refs/countersign"));
    assert_eq!(after, before);
    lab.git(&lab.root(), &["gc", "-q", "--prune=now"]);
    assert_eq!(lab.open().anchored("s").unwrap()[0].commit, tip);
}

/// CX-09: names that are no plain file names are refused.
#[test]
fn odd_file_names_are_refused() {
    let lab = Lab::new();
    for name in ["", ".", "..", ".git", ".GIT", "a/b", "a\0b"] {
        let refused = lab.open().anchor("s", &link(None, &[(name, b"")]));
        assert!(matches!(refused, Err(Error::BadName { .. })), "{name}");
    }
}

/// CX-08: a chain with a missing object is reported, not cut short.
#[test]
fn a_broken_chain_is_reported() {
    let lab = Lab::new();
    let first = lab.open().anchor("s", &link(None, &[("f", b"1")])).unwrap();
    lab.open().anchor("s", &link(Some(&first), &[("f", b"2")])).unwrap();
    let (folder, name) = first.as_str().split_at(2);
    std::fs::remove_file(lab.file(format!(".git/objects/{folder}/{name}"))).unwrap();
    assert!(matches!(lab.open().anchored("s"), Err(Error::Failed { .. })));
}

/// CX-08: the objects that we write are those that git would, in repositories of either kind.
#[test]
fn our_objects_are_gits() {
    for format in ["sha1", "sha256"] {
        let lab = Lab::bare();
        lab.git(&lab.path(""), &["init", "-q", &format!("--object-format={format}"), "repo"]);
        let files: [(&str, &[u8]); 3] = [("z", b"\r\n\0"), ("a b", b""), ("a.b", b"x")];
        let ours = lab.open().anchor("ours", &link(None, &files)).unwrap();
        let ours = lab.open().anchor("ours", &link(Some(&ours), &[("f", b"2")])).unwrap();
        // Where others write too, git does it.
        lab.git(&lab.root(), &["config", "core.sharedRepository", "group"]);
        let gits = lab.open().anchor("gits", &link(None, &files)).unwrap();
        let gits = lab.open().anchor("gits", &link(Some(&gits), &[("f", b"2")])).unwrap();
        assert_eq!(ours, gits, "{format}");
        lab.git(&lab.root(), &["fsck", "--strict", "--no-dangling"]);
        assert_eq!(lab.open().anchored("ours").unwrap().len(), 2);
    }
}

/// CX-08: an object of ours has the rights of git's own.
#[test]
fn our_objects_are_read_only() {
    use std::os::unix::fs::PermissionsExt as _;

    let lab = Lab::new();
    let tip = lab.open().anchor("s", &link(None, &[("f", b"1")])).unwrap();
    let mode = |object: &countersign_domain::ObjectId| {
        let (folder, name) = object.as_str().split_at(2);
        let path = lab.file(format!(".git/objects/{folder}/{name}"));
        std::fs::metadata(path).unwrap().permissions().mode()
    };
    assert_eq!(mode(&tip), mode(&lab.id("HEAD")));
}

/// CX-17: where others are to write too, git writes, wherever that is set.
#[test]
fn a_shared_repository_stays_shared() {
    let lab = Lab::bare();
    let config = lab.path("home/.gitconfig");
    let text = fs::read_to_string(&config).unwrap();
    fs::write(&config, format!("{text}[core]\n\tsharedRepository = group\n")).unwrap();
    lab.git(&lab.path(""), &["init", "-q", "repo"]);
    lab.write("a.txt", "a\n");
    lab.commit_all("first");
    // Where it is known from outside of the repository only.
    lab.git(&lab.root(), &["config", "--local", "--unset-all", "core.sharedRepository"]);
    let commit = lab.open().anchor("s", &link(None, &[("f", b"shared")])).unwrap();
    let folder = lab.file(".git/objects").join(&commit.as_str()[..2]);
    let mode = fs::metadata(folder).unwrap().permissions().mode();
    assert_eq!(mode & 0o020, 0o020, "{mode:o}");
}
