//! Tests of the commands as texts; that they do what they say is tested with the real git.

use std::path::Path;

use super::super::drift::{FileDrift, Kind, Moved};
use super::super::recorded::{Ground, State};
use super::*;
use crate::id::{Digest, ObjectId};
use crate::snapshot::{PathText, Position};

fn object(digit: char) -> ObjectId {
    digit.to_string().repeat(40).parse().unwrap()
}

fn recorded() -> Recorded {
    let ground = |path: &str, digit| Ground {
        path: path.into(),
        head: Some(object('a')),
        tree: object(digit),
        raw: None,
        lfs: Vec::new(),
        is_submodule: false,
    };
    let position =
        Position { head: Some(object('a')), branch: Some("main".into()), ..Position::default() };
    Recorded {
        position,
        grounds: vec![ground("", '1'), ground("sub", '2')],
        watched: Vec::new(),
        special: Vec::new(),
        settings: Vec::new(),
        beyond: Vec::new(),
        rules: Digest::of(b""),
        beside: Digest::of(b""),
        cache: Digest::of(b""),
        is_exact: false,
    }
}

fn told(drift: &Drift, here: &Here) -> Vec<String> {
    let remedies = drift.remedies(&recorded(), here, &Exact::default());
    let short = |text: String| {
        let text = text.replace(object('1').as_str(), "TREE");
        text.replace(object('2').as_str(), "INNER").replace(object('a').as_str(), "HEAD")
    };
    remedies.commands.into_iter().chain(remedies.by_hand).map(short).collect()
}

#[allow(clippy::unnecessary_wraps, reason = "as drifts have it")]
fn file(digit: char, mode: u32) -> Option<State> {
    Some(State::File { object: object(digit), mode })
}

#[track_caller]
fn check(path: PathText, kind: Kind, states: [Option<State>; 2], expected: &[&str]) {
    let [before, after] = states;
    let file = FileDrift { path, kind, before, after, follows: false };
    let drift = Drift { files: vec![file], ..Drift::default() };
    assert_eq!(told(&drift, &Here::default()), expected);
}

/// CX-10: every kind of drift has the command that resolves it, or says what a person has to do.
#[test]
fn files_have_remedies() {
    let (old, new) = (file('3', 0o644), file('4', 0o644));
    let both = || [old.clone(), new.clone()];
    let restore = "git restore --source=TREE --worktree -- a.txt";
    check("a.txt".into(), Kind::Edited, both(), &[restore]);
    check("a.txt".into(), Kind::LineEndings, both(), &[restore]);
    check("a.txt".into(), Kind::Removed, [old.clone(), None], &[restore]);
    let odd = [file('3', 0o600), None];
    check("a.txt".into(), Kind::Removed, odd, &[restore, "chmod 600 -- a.txt"]);
    check("a b's".into(), Kind::Added, [None, new.clone()], &["rm -f -- 'a b'\\''s'"]);
    let odd = PathText::new(*b"a\n\xff'");
    check(odd, Kind::Added, [None, new.clone()], &["rm -f -- $'a\\n\\xff\\''"]);
    let chmod = [old.clone(), file('3', 0o755)];
    check("-x".into(), Kind::Chmod, chmod, &["chmod 644 -- -x"]);
    let inner = "git --work-tree=sub restore --source=INNER --worktree -- d/x";
    check("sub/d/x".into(), Kind::Edited, both(), &[inner]);
    let literal = "git --literal-pathspecs restore --source=TREE --worktree -- '*.txt'";
    check("*.txt".into(), Kind::Edited, both(), &[literal]);
    let from = || Kind::Renamed { from: "old".into() };
    let back = "git restore --source=TREE --worktree -- old";
    check("new".into(), from(), both(), &["rm -f -- new", back]);
    let ignored =
        |byte: &[u8]| Some(State::Ignored { digest: Digest::of(byte), size: 1, mode: 0o644 });
    let words = format!(
        ".env is ignored by git, so its content was not stored: put it back as it was, with \
         the size 1 and the SHA-256 {}",
        Digest::of(b"a")
    );
    check(".env".into(), Kind::Edited, [ignored(b"a"), ignored(b"b")], &[&words]);
}

/// CX-10: commands lead to the top from wherever they are pasted.
#[test]
fn remedies_know_where_they_are_pasted() {
    let edited = FileDrift {
        path: "a".into(),
        kind: Kind::Edited,
        before: file('3', 0o600),
        after: file('4', 0o600),
        follows: false,
    };
    let drift = Drift { files: vec![edited], ..Drift::default() };
    let check = |folder: &str, expected: [&str; 2]| {
        assert_eq!(told(&drift, &Here::new(Path::new("/r o"), Path::new(folder))), expected);
    };
    check("/r o", ["git restore --source=TREE --worktree -- a", "chmod 600 -- a"]);
    check(
        "/r o/x/y",
        ["git -C ../.. restore --source=TREE --worktree -- a", "chmod 600 -- ../../a"],
    );
    check(
        "/elsewhere",
        ["git -C '/r o' restore --source=TREE --worktree -- a", "chmod 600 -- '/r o/a'"],
    );
}

#[test]
fn whole_trees_have_remedies() {
    let (from, to) = (object('a'), object('b'));
    let check = |moved: Moved, expected: &str| {
        let drift = Drift { moved: Some(moved), ..Drift::default() };
        assert_eq!(told(&drift, &Here::default()), [expected]);
    };
    let commit = Moved::Committed { from: Some(from.clone()), to: to.clone(), commits: 1 };
    check(commit, "git reset --soft HEAD");
    check(Moved::Rebased { from, to }, "git reset -q HEAD");
    check(Moved::Stashed { stash: object('c') }, "git stash pop -q");
    let switched = Moved::Switched {
        from: Some(object('a')),
        to: object('b'),
        from_branch: Some("main".into()),
        to_branch: None,
    };
    check(switched, "git symbolic-ref HEAD refs/heads/main && git reset -q HEAD");
}

/// CX-10: what git converts comes from a restored folder, and nothing else is converted on the way.
#[test]
fn exact_files_are_copied() {
    let edited = |path: &str, kind: Kind, after: Option<State>| FileDrift {
        path: path.into(),
        kind,
        before: file('3', 0o644),
        after,
        follows: false,
    };
    let link = Some(State::Link { object: object('5') });
    let drift = Drift {
        files: vec![
            edited("a", Kind::Edited, file('4', 0o644)),
            edited("d/x", Kind::Removed, None),
            edited("d/y", Kind::Retyped, link),
            edited("new", Kind::Renamed { from: "e".into() }, file('3', 0o644)),
            edited("e/z", Kind::Added, file('4', 0o644)),
            edited("plain", Kind::Edited, file('4', 0o644)),
        ],
        ..Drift::default()
    };
    let paths = ["a", "d/x", "d/y", "e", "other"].map(PathText::from).into();
    let exact = Exact { paths, task: "T-1", step: "dev", folder: "T-1-dev" };
    let here = Here::new(Path::new("/r"), Path::new("/r/x"));
    let told = drift.remedies(&recorded(), &here, &exact).commands;
    let restore = format!("git -C .. restore --source={} --worktree -- plain", object('1'));
    let expected = [
        "countersign -C .. context restore T-1 --role dev --into ../T-1-dev",
        "rm -f -- ../a ../d/y ../new ../e/z",
        "rm -rf -- ../e",
        &restore,
        "cp -- ../../T-1-dev/a ../../T-1-dev/e ../",
        "mkdir -p -- ../d/ && cp -- ../../T-1-dev/d/x ../../T-1-dev/d/y ../d/",
    ];
    assert_eq!(told, expected);
}
