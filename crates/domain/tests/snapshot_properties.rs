//! Drift of whatever facts: it is explained without a panic, and nothing that differs is dropped.
#![allow(clippy::unwrap_used)]

use countersign_domain::snapshot::{
    Difference, Exact, FileChange, Found, Ground, Here, How, Kind, Moved, PathText, Position,
    Recorded, Remedies, State, Step, Trail, Watch, explain,
};
use countersign_domain::{Digest, ObjectId};
use proptest::prelude::*;

fn object() -> impl Strategy<Value = ObjectId> {
    (0..6_u8).prop_map(|digit| digit.to_string().repeat(40).parse().unwrap())
}

fn state() -> impl Strategy<Value = State> {
    prop_oneof![
        (object(), 0..0o10000_u32).prop_map(|(object, mode)| State::File { object, mode }),
        object().prop_map(|object| State::Link { object }),
        (any::<u64>(), 0..0o10000_u32).prop_map(|(size, mode)| State::Ignored {
            digest: Digest::of(b""),
            size,
            mode
        }),
        proptest::option::of(object())
            .prop_map(|head| State::Repository { head, is_submodule: false }),
        (0..0o10000_u32).prop_map(|mode| State::Unreadable { mode }),
    ]
}

fn difference() -> impl Strategy<Value = Difference> {
    use Difference::{Content, Filtered, Layout, LineEndings, None};
    prop_oneof![Just(None), Just(LineEndings), Just(Layout), Just(Filtered), Just(Content)]
}

prop_compose! {
    fn change()(
        name in proptest::collection::vec(any::<u8>(), 0..8),
        states in (proptest::option::of(state()), proptest::option::of(state())),
        difference in difference(),
        from in proptest::option::of(proptest::collection::vec(any::<u8>(), 0..3)),
        as_head: bool,
        in_stash: bool,
    ) -> FileChange {
        let (before, after) = states;
        let from = from.map(PathText::new);
        FileChange { path: PathText::new(name), before, after, difference, from, as_head, in_stash }
    }
}

prop_compose! {
    fn position()(
        head in proptest::option::of(object()),
        branch in proptest::option::of("[a-c]"),
        stash in proptest::option::of(object()),
    ) -> Position {
        let branch = branch.map(|name| PathText::from(name.as_str()));
        Position { head, branch, stash, operation: None, log: None }
    }
}

prop_compose! {
    fn trail()(
        messages in proptest::collection::vec("(commit|commit \\(amend\\)|reset|rebase|merge|)(: .*)?", 0..4),
        ahead in proptest::option::of(any::<u64>()),
        behind in proptest::option::of(any::<u64>()),
        facts: [bool; 5],
        left in (0..3_u64, 0..3_u64),
    ) -> Trail {
        let to: ObjectId = "7".repeat(40).parse().unwrap();
        let step = |message: &String| Step { from: None, to: to.clone(), message: message.as_str().into() };
        let [same_parents, is_merge, lost, same_origin, committed_content] = facts;
        Trail {
            steps: messages.iter().map(step).collect(),
            ahead, behind, same_parents, is_merge, lost, same_origin, committed_content,
            work_left: left.0, added_left: left.1,
        }
    }
}

fn recorded(position: Position) -> Recorded {
    let tree: ObjectId = "9".repeat(40).parse().unwrap();
    Recorded {
        grounds: vec![Ground {
            path: PathText::default(),
            head: position.head.clone(),
            tree,
            raw: None,
            lfs: Vec::new(),
            is_submodule: false,
        }],
        position,
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

proptest! {
    /// CX-10: every path that differs is told, by itself or as the source of a rename.
    #[test]
    fn nothing_that_differs_is_dropped(
        changes in proptest::collection::vec(change(), 0..6),
        before in position(),
        after in position(),
        trail in trail(),
    ) {
        let recorded = recorded(before);
        let found = Found {
            position: after,
            changes,
            settings: Vec::new(),
            rules: Digest::of(b""),
            beyond: Vec::new(),
            trail,
            how: How::Cached,
        };
        let drift = explain(&recorded, &found);
        for change in &found.changes {
            let is_told = drift.files.iter().any(|file| {
                file.path == change.path
                    || matches!(&file.kind, Kind::Renamed { from } if *from == change.path)
            });
            prop_assert!(is_told, "{:?}", change);
        }
        let moved = recorded.position.head != found.position.head;
        prop_assert_eq!(moved, drift.moved.as_ref().is_some_and(Moved::is_of_head));
        prop_assert!(!drift.is_none() || (found.changes.is_empty() && !moved));
        for file in &drift.files {
            prop_assert!(!file.words().is_empty());
        }
        if let Some(moved) = &drift.moved {
            prop_assert!(!moved.words().is_empty());
        }
        let Remedies { commands, by_hand } = drift.remedies(&recorded, &Here::default(), &Exact::default());
        prop_assert!(drift.is_none() || !commands.is_empty() || !by_hand.is_empty());
    }

    /// Whatever a list of patterns says, it is taken or refused with its line.
    #[test]
    fn any_list_is_taken_or_refused(text in "(\\[(folders|files|planted|home|x)\\]\n|[!#*a-z/. ]*\n){0,8}", name: Vec<u8>) {
        match Watch::shipped().with(&text, "a list") {
            Ok(watch) => {
                let _ = (watch.is_output_folder(&name), watch.is_output_file(&name));
                let _ = watch.planted_in(&name).count();
            }
            Err(error) => prop_assert!(error.line <= text.lines().count()),
        }
    }
}
