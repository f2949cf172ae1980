//! Tests of the commands as texts; that they do what they say is tested with the real git.

use super::*;
use crate::id::Digest;
use crate::snapshot::Position;

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
    };
    Recorded {
        position: Position { head: Some(object('a')), ..Position::default() },
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

#[allow(clippy::unnecessary_wraps, reason = "as drifts have it")]
fn file(digit: char, mode: u32) -> Option<State> {
    Some(State::File { object: object(digit), mode })
}

#[track_caller]
fn check(path: PathText, kind: Kind, states: [Option<State>; 2], expected: Option<&str>) {
    let [before, after] = states;
    let drift = FileDrift { path, kind, before, after, follows: false };
    let tree = |text: String| {
        text.replace(object('1').as_str(), "TREE").replace(object('2').as_str(), "INNER")
    };
    assert_eq!(drift.remedy(&recorded()).map(tree).as_deref(), expected);
}

/// CX-10: every kind of drift has the command that resolves it.
#[test]
fn files_have_remedies() {
    let (old, new) = (file('3', 0o644), file('4', 0o644));
    let both = || [old.clone(), new.clone()];
    let restore = "git restore --source=TREE --worktree -- a.txt";
    check("a.txt".into(), Kind::Edited, both(), Some(restore));
    check("a.txt".into(), Kind::LineEndings, both(), Some(restore));
    check("a.txt".into(), Kind::Removed, [old.clone(), None], Some(restore));
    check("a b's".into(), Kind::Added, [None, new.clone()], Some("rm -f -- 'a b'\\''s'"));
    let odd = PathText::new(*b"a\n\xff'");
    check(odd, Kind::Added, [None, new.clone()], Some("rm -f -- $'a\\n\\xff\\''"));
    let chmod = [old.clone(), file('3', 0o755)];
    check("-x".into(), Kind::Chmod, chmod, Some("chmod 644 -- -x"));
    let inner = "git --work-tree=sub restore --source=INNER --worktree -- d/x";
    check("sub/d/x".into(), Kind::Edited, both(), Some(inner));
    let literal = "git --literal-pathspecs restore --source=TREE --worktree -- '*.txt'";
    check("*.txt".into(), Kind::Edited, both(), Some(literal));
    let from = || Kind::Renamed { from: "old".into() };
    let back = "git restore --source=TREE --worktree -- old && rm -f -- new";
    check("new".into(), from(), both(), Some(back));
    let ignored =
        |byte: &[u8]| Some(State::Ignored { digest: Digest::of(byte), size: 1, mode: 0o644 });
    check(".env".into(), Kind::Edited, [ignored(b"a"), ignored(b"b")], None);
}

#[test]
fn whole_trees_have_remedies() {
    let (from, to) = (object('a'), object('b'));
    let check = |moved: Moved, expected: &str| assert_eq!(moved.remedy(&recorded()), expected);
    let soft = format!("git reset --soft {from}");
    let tree = format!("git restore --source={} --worktree -- :/", object('1'));
    let commit = Moved::Committed { from: Some(from.clone()), to: to.clone(), commits: 1 };
    check(commit, &soft);
    check(Moved::Rebased { from, to }, &format!("{soft} && {tree}"));
    check(Moved::Stashed { stash: object('c') }, "git stash pop");
    check(Moved::Discarded, &tree);
    let switched = Moved::Switched {
        from: Some(object('a')),
        to: object('b'),
        from_branch: Some("main".into()),
        to_branch: None,
    };
    check(switched, "git switch main");
}
