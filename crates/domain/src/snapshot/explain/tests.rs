//! Tests of the explanation on facts made by hand.

use super::*;
use crate::id::{Digest, ObjectId};
use crate::snapshot::{Beyond, Ground, Operation, Position, Step, Trail, Why};

fn object(digit: char) -> ObjectId {
    digit.to_string().repeat(40).parse().unwrap()
}

fn position() -> Position {
    Position { head: Some(object('a')), branch: Some("main".into()), ..Position::default() }
}

fn recorded() -> Recorded {
    let ground = Ground {
        path: PathText::default(),
        head: Some(object('a')),
        tree: object('1'),
        raw: None,
        lfs: Vec::new(),
        is_submodule: false,
    };
    Recorded {
        position: position(),
        grounds: vec![ground],
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

fn found() -> Found {
    Found {
        position: position(),
        changes: Vec::new(),
        settings: Vec::new(),
        rules: Digest::of(b""),
        beyond: Vec::new(),
        trail: Trail::default(),
        how: How::Cached,
    }
}

fn step(message: &str) -> Step {
    Step { from: Some(object('a')), to: object('b'), message: message.into() }
}

/// What a move of `HEAD` from `a` to `b` is called.
#[track_caller]
fn check(messages: &[&str], mut trail: Trail, expected: &str) {
    trail.steps = messages.iter().map(|message| step(message)).collect();
    let mut found = found();
    found.position.head = Some(object('b'));
    found.trail = trail;
    let drift = explain(&recorded(), &found);
    assert_eq!(drift.moved.as_ref().map_or("nothing", Moved::name), expected, "{messages:?}");
    assert!(!drift.is_none());
    assert!(!drift.moved.unwrap().words().is_empty());
}

fn ahead() -> Trail {
    Trail { ahead: Some(1), ..Trail::default() }
}

/// CX-10: what the reflog says is believed where the history agrees.
#[test]
fn the_reflog_tells_what_happened() {
    check(&["commit: x"], ahead(), "committed");
    check(&["commit (amend): x"], Trail::default(), "amended");
    check(&["commit: x", "commit (amend): x"], ahead(), "committed");
    check(&["rebase (start): checkout y", "rebase (finish): z"], Trail::default(), "rebased");
    check(&["rebase (finish): returning to refs/heads/main"], ahead(), "rebased");
    check(&["merge y: Merge made by the 'ort' strategy."], ahead(), "merged");
    check(&["merge y: Fast-forward"], ahead(), "fast-forwarded");
    check(&["pull origin main: Fast-forward"], ahead(), "fast-forwarded");
    check(&["cherry-pick: x"], ahead(), "cherry-picked");
    check(&["revert: x"], ahead(), "reverted");
    check(&["reset: moving to y"], Trail::default(), "reset");
    check(&["reset: moving to y"], ahead(), "reset");
    check(&["commitment: x"], Trail::default(), "moved");
}

/// CX-10: the same without a reflog.
#[test]
fn the_history_tells_what_happened() {
    check(&[], ahead(), "committed");
    check(&[], Trail { is_merge: true, ..ahead() }, "merged");
    check(&[], Trail { behind: Some(2), ..Trail::default() }, "reset");
    check(&[], Trail { same_parents: true, ..Trail::default() }, "amended");
    check(&[], Trail { same_origin: true, ..Trail::default() }, "rebased");
    check(&[], Trail { lost: true, ..Trail::default() }, "moved");
}

fn change(path: &str, before: Option<State>, after: Option<State>) -> FileChange {
    FileChange {
        path: path.into(),
        before,
        after,
        difference: Difference::Content,
        from: None,
        as_head: false,
        in_stash: false,
    }
}

#[allow(clippy::unnecessary_wraps, reason = "as changes have it")]
fn file(digit: char) -> Option<State> {
    Some(State::File { object: object(digit), mode: 0o644 })
}

/// CX-10: work that is gone is named as a whole before its files.
#[test]
fn work_that_is_gone_is_named() {
    let back = FileChange { as_head: true, ..change("a", file('1'), file('2')) };
    let gone = FileChange { as_head: true, ..change("new", file('3'), None) };
    let name = |changes: &[&FileChange], stash: Option<char>, left: u64| {
        let mut found = found();
        found.changes = changes.iter().map(|change| (*change).clone()).collect();
        found.position.stash = stash.map(object);
        (found.trail.work_left, found.trail.added_left) = (left, left);
        explain(&recorded(), &found).moved.map_or("nothing", |moved| moved.name())
    };
    assert_eq!(name(&[&back, &gone], None, 0), "discarded");
    assert_eq!(name(&[&back], None, 1), "nothing");
    assert_eq!(name(&[&gone], None, 0), "cleaned");
    assert_eq!(name(&[&gone], None, 1), "nothing");
    assert_eq!(name(&[], Some('9'), 0), "nothing");
    let stashed = FileChange { in_stash: true, ..back.clone() };
    assert_eq!(name(&[&stashed], Some('9'), 0), "stashed");
    let edited = change("b", file('1'), file('5'));
    assert_eq!(name(&[&edited], None, 0), "nothing");
    let mut found = found();
    found.changes = vec![stashed, edited];
    found.position.stash = Some(object('9'));
    let follows: Vec<bool> =
        explain(&recorded(), &found).files.iter().map(|file| file.follows).collect();
    assert_eq!(follows, [true, false]);
}

/// CX-10: each file says what became of it.
#[test]
fn files_have_kinds() {
    let check = |change: FileChange, expected: &str| {
        let found = Found { changes: vec![change], ..found() };
        let drift = explain(&recorded(), &found);
        assert_eq!(drift.files[0].kind.name(), expected);
        assert!(!drift.files[0].words().is_empty());
    };
    let differing = |difference| FileChange { difference, ..change("a", file('1'), file('2')) };
    let link = Some(State::Link { object: object('7') });
    check(differing(Difference::Content), "edited");
    check(differing(Difference::LineEndings), "line endings only");
    check(differing(Difference::Layout), "white space only");
    check(differing(Difference::Filtered), "before filters only");
    check(differing(Difference::None), "chmod");
    check(change("a", None, file('1')), "added");
    check(change("a", file('1'), None), "removed");
    check(change("a", file('1'), link.clone()), "replaced");
    check(change("a", link, file('1')), "replaced");
    check(change("a", file('1'), Some(State::Unreadable { mode: 0 })), "chmod");
    check(
        change("a", Some(State::Repository { head: None, is_submodule: false }), None),
        "repository removed",
    );
    let back = FileChange { as_head: true, ..differing(Difference::Content) };
    check(back, "back to HEAD");
}

/// CX-10: a rename is one line that knows both names.
#[test]
fn a_rename_is_told_once() {
    let mut new = change("new", None, file('1'));
    new.from = Some("old".into());
    let changes = vec![new, change("old", file('1'), None)];
    let drift = explain(&recorded(), &Found { changes, ..found() });
    let [file] = &drift.files[..] else { panic!("{drift:?}") };
    assert_eq!(file.kind, Kind::Renamed { from: "old".into() });
    assert_eq!(file.before, file.after);
}

/// CX-10: what changed no file is a note, and no drift.
#[test]
fn notes_are_no_drift() {
    let check = |make: fn(&mut Found), drifted: bool| {
        let mut found = found();
        make(&mut found);
        let drift = explain(&recorded(), &found);
        assert_eq!(drift.notes.len(), 1, "{drift:?}");
        assert!(!drift.notes[0].words().is_empty());
        assert_eq!(!drift.is_none(), drifted, "{drift:?}");
    };
    check(|found| found.position.branch = Some("other".into()), false);
    check(|found| found.position.stash = Some(object('9')), false);
    check(|found| found.position.operation = Some(Operation::Merge), false);
    check(|found| found.trail.steps = vec![step("commit: x"), step("reset: y")], false);
    check(|found| found.rules = Digest::of(b"other"), false);
    check(|found| found.how = How::CacheLost { beside_same: true }, false);
    check(|found| found.how = How::CacheLost { beside_same: false }, true);
    check(|found| found.beyond = vec![Beyond { path: "data".into(), why: Why::TooMany }], false);
}

/// CX-10: settings that came, went or changed are drift.
#[test]
fn settings_are_compared_by_name() {
    let setting = |name: &str, value: &[u8]| Setting {
        name: name.into(),
        digest: Digest::of(value),
        said: Vec::new(),
    };
    let mut recorded = recorded();
    recorded.settings = vec![setting("a", b"1"), setting("b", b"1"), setting("c", b"1")];
    let mut found = found();
    found.settings = vec![setting("b", b"1"), setting("c", b"2"), setting("d", b"1")];
    let drift = explain(&recorded, &found);
    let told: Vec<String> = drift.settings.iter().map(SettingDrift::words).collect();
    assert_eq!(told, ["a is gone", "c was changed", "d is new"]);
    assert!(!drift.is_none());
}
