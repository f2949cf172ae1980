//! Opening a repository and asking where it stands.

use std::ffi::OsString;
use std::fs;
use std::os::unix::fs::chown;

use countersign_git::{Error, Repository};

use crate::common::{Lab, put_script};

/// CX-09: `HEAD` on a branch, detached, and before the first commit.
#[test]
fn head_is_read_in_every_state() {
    let lab = Lab::new();
    let head = lab.open().head().unwrap().unwrap();
    assert_eq!((head.commit, head.tree), (lab.id("HEAD"), lab.id("HEAD^{tree}")));
    assert_eq!(head.branch.as_deref(), Some("main"));
    lab.git(&lab.root(), &["checkout", "-q", "--detach"]);
    assert_eq!(lab.open().head().unwrap().unwrap().branch, None);
    assert_eq!(Lab::empty().open().head().unwrap(), None);
}

/// CX-09: a `HEAD` that cannot be read is an error, not an unborn branch.
#[test]
fn a_broken_head_is_an_error() {
    let lab = Lab::new();
    lab.write(".git/HEAD", format!("{}\n", "1".repeat(40)));
    assert!(lab.open().head().is_err());
}

/// CX-09: revisions are resolved, and unknown ones named in the error.
#[test]
fn revisions_are_resolved() {
    let lab = Lab::new();
    lab.git(&lab.root(), &["tag", "-am", "one", "v1"]);
    let repository = lab.open();
    for revision in ["HEAD", "main", "v1", lab.id("HEAD").short()] {
        let found = repository.resolve(revision).unwrap();
        assert_eq!((found.commit, found.tree), (lab.id("HEAD"), lab.id("HEAD^{tree}")));
    }
    for revision in ["nowhere", "", "-n", "--all", "HEAD:a.txt", "HEAD~9", "a\0b"] {
        let Err(Error::UnknownRevision { revision: named }) = repository.resolve(revision) else {
            panic!("'{revision}' was resolved");
        };
        assert_eq!(named, revision);
    }
}

/// CX-09: the quick look sees edits, new files and staged changes, and writes nothing.
#[test]
fn dirt_is_seen_without_writing() {
    let lab = Lab::new();
    let repository = lab.open();
    assert!(!repository.is_dirty().unwrap());
    lab.write("new.txt", "new\n");
    let before = lab.everything();
    assert!(repository.is_dirty().unwrap());
    assert_eq!(lab.everything(), before);
    fs::remove_file(lab.file("new.txt")).unwrap();
    lab.write("a.txt", "edited\n");
    assert!(repository.is_dirty().unwrap());
    lab.git(&lab.root(), &["add", "-A"]);
    assert!(repository.is_dirty().unwrap());
}

/// CX-09: the version of git is checked, and a missing git said plainly.
#[test]
fn git_is_checked() {
    let lab = Lab::new();
    assert!(lab.open().git_version().unwrap().major >= 2);
    let with_path =
        |path: OsString| Repository::open_with(&lab.root(), [("PATH".into(), path)]).unwrap();
    let missing = with_path(lab.path("nowhere").into());
    assert!(matches!(missing.git_version(), Err(Error::GitMissing)));
    assert!(matches!(missing.head(), Err(Error::GitMissing)));
    put_script(&lab.path("old/git"), "echo git version 2.30.9");
    let old = with_path(lab.path("old").into());
    let Err(Error::GitTooOld { found, needed }) = old.git_version() else { panic!("accepted") };
    assert_eq!((found.as_str(), needed.as_str()), ("2.30.9", "2.31.0"));
}

/// CX-09: variables that steer git do not reach it.
#[test]
fn steering_variables_are_scrubbed() {
    let lab = Lab::new();
    let mut env = lab.env();
    for (name, value) in [
        ("GIT_DIR", "/nowhere"),
        ("GIT_INDEX_FILE", "/nowhere"),
        ("GIT_OBJECT_DIRECTORY", "/nowhere"),
        ("GIT_CONFIG_PARAMETERS", "nonsense"),
        ("GIT_CEILING_DIRECTORIES", "/"),
        ("LC_ALL", "de_DE.UTF-8"),
    ] {
        env.push((name.into(), value.into()));
    }
    let repository = Repository::open_with(&lab.root(), env).unwrap();
    assert_eq!(repository.head().unwrap().unwrap().commit, lab.id("HEAD"));
    repository.snapshot(&lab.root(), &lab.path("scratch")).unwrap();
}

/// CX-09: a planted replacement of an object does not change what we read.
#[test]
fn replacements_are_not_believed() {
    let lab = Lab::new();
    let first = lab.id("HEAD");
    lab.write("a.txt", "other\n");
    lab.commit_all("second");
    let second = lab.open().resolve("HEAD").unwrap();
    lab.git(&lab.root(), &["replace", "HEAD", first.as_str()]);
    assert_eq!(lab.open().resolve("HEAD").unwrap(), second);
}

/// CX-09: a repository of another user is refused unless the user trusts it. Only the
/// superuser can give files away, so elsewhere there is nothing to test.
#[test]
fn a_stranger_s_repository_is_refused() {
    let lab = Lab::new();
    if chown(lab.file(".git"), Some(65_534), None).is_err() {
        return;
    }
    let refused = Repository::open_with(&lab.root(), lab.env());
    let Err(Error::DubiousOwnership { path }) = refused else { panic!("accepted: {refused:?}") };
    assert_eq!(path, lab.root());
    let root = lab.root();
    let trusted = ["config", "--global", "--add", "safe.directory", root.to_str().unwrap()];
    lab.git(&lab.path("home"), &trusted);
    lab.open().head().unwrap();
}

/// What reads objects for us may die of what it reads: then it is told what git said, and of which repository.
#[test]
fn a_reader_that_dies_says_why() {
    let lab = Lab::new();
    let lines: String = (0..20_000_u32).map(|number| format!("{}\n", number * 7919)).collect();
    lab.write("large.txt", lines);
    lab.commit_all("large");
    let repository = lab.open();
    let object = lab.id("HEAD:large.txt");
    let file = lab.file(".git/objects").join(&object.as_str()[..2]).join(&object.as_str()[2..]);
    let whole = fs::read(&file).unwrap();
    fs::remove_file(&file).unwrap();
    fs::write(&file, &whole[..whole.len() / 2]).unwrap();
    let told = repository.contents(&[&object]).unwrap_err().to_string();
    let place = lab.file(".git").display().to_string();
    for words in ["git cat-file", &place, "unable to stream", object.as_str()] {
        assert!(told.contains(words), "{words}: {told}");
    }
    fs::write(lab.file(".git/config"), "[bad").unwrap();
    let told = repository.contents(&[&object]).unwrap_err().to_string();
    let config = lab.file(".git/config").display().to_string();
    assert!(told.contains("can't read the settings") && told.contains(&config), "{told}");
}
