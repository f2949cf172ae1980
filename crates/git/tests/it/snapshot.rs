//! What a snapshot records.

use std::fs;
use std::os::unix::fs::symlink;
use std::os::unix::net::UnixListener;
use std::path::PathBuf;
use std::time::Duration;

use countersign_git::Error;

use crate::common::{Lab, files, make_executable, make_pipe, os};

/// Takes a snapshot, checks it out elsewhere and compares that with what is on disk.
pub(crate) fn check_truth(lab: &Lab) {
    let before = lab.everything();
    let tree = lab.snapshot();
    assert_eq!(lab.everything(), before, "something of the user's was touched");
    assert_eq!(lab.snapshot(), tree, "the same content, another tree");
    let copy = lab.check_out(&tree, "copy");
    assert_eq!(files(&copy.path), files(&lab.root()));
    assert_eq!(lab.git(&copy.path, &["status", "--porcelain"]), "");
}

/// CX-09: edits, new files, deletions, modes and links are all in the tree.
#[test]
fn a_snapshot_is_what_is_on_disk() {
    let lab = Lab::new();
    lab.write("a.txt", "edited\n");
    lab.write("new/deep/file", "new\n");
    lab.write("blob.bin", [0, 159, 146, 150]);
    fs::remove_file(lab.file("b.txt")).unwrap();
    make_executable(&lab.file("dir/c.txt"));
    symlink("a.txt", lab.file("link")).unwrap();
    symlink("/nowhere/at all", lab.file("dangling")).unwrap();
    symlink("dir", lab.file("to-directory")).unwrap();
    check_truth(&lab);
}

/// CX-09: names with spaces, newlines, quotes, leading dashes and stray bytes.
#[test]
fn any_name_is_recorded() {
    let lab = Lab::new();
    for name in [
        &b"with space"[..],
        b"new\nline",
        b"tab\there",
        b"\"quoted\"",
        b"back\\slash",
        b"-rf",
        b":(exclude)x",
        b"*.txt",
        b"\xff\xfe\x80",
        "naïve".as_bytes(),
    ] {
        lab.write(os(name), name);
        lab.write(PathBuf::from("sub").join(os(name)), name);
    }
    check_truth(&lab);
    lab.commit_all("odd names");
    fs::remove_file(lab.file(os(b"new\nline"))).unwrap();
    lab.write(os(b"\xff\xfe\x80"), "edited");
    check_truth(&lab_without_copy(lab));
}

fn lab_without_copy(lab: Lab) -> Lab {
    countersign_git::discard(&lab.path("copy")).unwrap();
    lab
}

/// CX-09: files turn into directories, directories into files and links.
#[test]
fn things_change_their_kind() {
    let lab = Lab::new();
    fs::remove_file(lab.file("a.txt")).unwrap();
    lab.write("a.txt/inside", "x\n");
    fs::remove_dir_all(lab.file("dir")).unwrap();
    lab.write("dir", "now a file\n");
    fs::remove_file(lab.file("b.txt")).unwrap();
    symlink("a.txt", lab.file("b.txt")).unwrap();
    check_truth(&lab);
}

/// CX-09: a directory replaced by a link to a place outside: the link is recorded, not what
/// lies behind it.
#[test]
fn links_are_not_followed() {
    let lab = Lab::new();
    fs::rename(lab.file("dir"), lab.path("outside")).unwrap();
    symlink(lab.path("outside"), lab.file("dir")).unwrap();
    let tree = lab.snapshot();
    assert_eq!(lab.mode(&tree, "dir"), "120000");
    assert_eq!(lab.names(&tree), ["a.txt", "b.txt", "dir"]);
}

/// CX-09: ignored files stay out, by every kind of ignore rule; tracked ones stay in.
#[test]
fn ignored_files_stay_out() {
    let lab = Lab::new();
    lab.write("kept.log", "tracked\n");
    lab.commit_all("a log that is tracked");
    lab.write(".gitignore", "*.log\n/build/\n");
    lab.write(".git/info/exclude", "by-exclude\n");
    fs::write(lab.path("home/ignore"), "by-home\n").unwrap();
    lab.git(&lab.root(), &["config", "--global", "core.excludesFile", "~/ignore"]);
    lab.write("kept.log", "tracked, edited\n");
    for name in ["new.log", "build/out", "by-exclude", "by-home"] {
        lab.write(name, "no\n");
    }
    let tree = lab.snapshot();
    let names = [".gitignore", "a.txt", "b.txt", "dir/c.txt", "kept.log"];
    assert_eq!(lab.names(&tree), names);
    assert_eq!(lab.content(&tree, "kept.log").as_deref(), Some("tracked, edited\n"));
}

/// CX-09: pipes and sockets are passed over, also in the place of a tracked file.
#[test]
fn pipes_and_sockets_are_passed_over() {
    let lab = Lab::new();
    make_pipe(&lab.file("pipe"));
    let _socket = UnixListener::bind(lab.file("socket")).unwrap();
    let clean = lab.snapshot();
    assert_eq!(clean, lab.id("HEAD^{tree}"));
    for name in ["a.txt", "b.txt"] {
        fs::remove_file(lab.file(name)).unwrap();
        make_pipe(&lab.file(name));
    }
    assert_eq!(lab.names(&lab.snapshot()), ["dir/c.txt"]);
}

/// CX-09: line endings are recorded as git would record them, and come back as they were.
#[test]
fn line_endings_follow_the_attributes() {
    let lab = Lab::new();
    lab.write(".gitattributes", "*.dos text eol=crlf\n*.bin -text\n");
    lab.commit_all("attributes");
    lab.write("x.dos", "one\r\ntwo\r\n");
    lab.write("x.bin", "one\r\ntwo\n");
    let tree = lab.snapshot();
    assert_eq!(lab.content(&tree, "x.dos").as_deref(), Some("one\ntwo\n"));
    assert_eq!(lab.content(&tree, "x.bin").as_deref(), Some("one\r\ntwo\n"));
    check_truth(&lab);
}

/// CX-09: `core.autocrlf` of the user's is obeyed, and `core.safecrlf` does not get in the way.
#[test]
fn automatic_line_endings_are_obeyed() {
    let lab = Lab::new();
    lab.git(&lab.root(), &["config", "core.autocrlf", "true"]);
    lab.git(&lab.root(), &["config", "core.safecrlf", "true"]);
    lab.write("x.txt", "one\r\ntwo\r\n");
    let tree = lab.snapshot();
    assert_eq!(lab.content(&tree, "x.txt").as_deref(), Some("one\ntwo\n"));
    lab.write("mixed.txt", "one\r\ntwo\n");
    lab.snapshot();
    fs::remove_file(lab.file("mixed.txt")).unwrap();
    let copy = lab.check_out(&tree, "copy");
    assert_eq!(fs::read(copy.path.join("x.txt")).unwrap(), b"one\r\ntwo\r\n");
    assert_eq!(lab.git(&copy.path, &["status", "--porcelain"]), "");
}

/// CX-09: filters of the user's (large files live behind them) run both ways.
#[test]
fn filters_of_the_user_run() {
    let lab = Lab::new();
    lab.git(&lab.root(), &["config", "filter.rot.clean", "tr a-z b-za"]);
    lab.git(&lab.root(), &["config", "filter.rot.smudge", "tr b-za a-z"]);
    lab.write(".gitattributes", "*.rot filter=rot\n");
    lab.write("x.rot", "abz\n");
    let tree = lab.snapshot();
    assert_eq!(lab.content(&tree, "x.rot").as_deref(), Some("bca\n"));
    check_truth(&lab);
}

/// WL-18: who can't wait gets no snapshot rather than a late one, and nothing is left behind: not
/// the filter that took so long either.
#[test]
fn a_snapshot_that_takes_too_long_is_ended() {
    let lab = Lab::new();
    lab.git(&lab.root(), &["config", "filter.slow.clean", "sleep 600; cat"]);
    lab.write(".gitattributes", "*.slow filter=slow\n");
    lab.write("b.slow", "b\n");
    let scratch = lab.path("scratch");
    let hasty = lab.open().within(Duration::from_millis(300));
    let ended = hasty.snapshot(&lab.root(), &scratch);
    assert!(matches!(ended, Err(Error::TooLong { .. })), "{ended:?}");
    assert_eq!(fs::read_dir(&scratch).unwrap().count(), 0);
    lab.git(&lab.root(), &["config", "--unset", "filter.slow.clean"]);
    lab.open().within(Duration::from_mins(1)).snapshot(&lab.root(), &scratch).unwrap();
}
