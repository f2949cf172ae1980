//! Sessions that are told otherwise afterwards.

use jiff::Timestamp;
use proptest::prelude::*;

use super::super::super::deviation::Tested;
use super::super::super::event::{Logged, SessionEvent};
use super::super::super::opened::{Judgement, Opened, Place};
use super::super::super::operation::{Deed, End, FileChange, FileFate, Operation, Seen};
use super::super::super::report::Agent;
use super::super::super::todo::{Todo, TodoStatus, TodoUpdate};
use super::super::Session;
use crate::classify::{ContractType, Reversibility, Risk, Tier};
use crate::id::Digest;

fn opened() -> Opened {
    Opened {
        agent: Agent::Claude,
        agent_session: "s1".into(),
        task: "mend it".into(),
        task_hash: Digest::of(b"mend it"),
        judged: Judgement {
            tier: Tier::Strict,
            confidence: 1.0,
            contract: ContractType::Verifiable,
            risk: Risk::Medium,
            reversibility: Reversibility::Partial,
            overridden: false,
            reasons: Vec::new(),
        },
        flags: super::super::super::flags::Flags::default(),
        place: Place { worktree: "/repo".into(), commit: None, tree: None, branch: None },
        transcript: None,
        process: None,
        taken_over: Vec::new(),
        from: None,
        policy: None,
    }
}

/// `pass`, `fail`, `begin`, `end-begun`, `edit NAME`, `open NAME`, `done NAME`, with ids in order.
fn told(at: usize, what: &str) -> SessionEvent {
    let (what, name) = what.split_once(' ').unwrap_or((what, ""));
    let todo = |status| {
        let claimed = vec![Todo { id: None, content: name.to_owned(), status }];
        Deed::Todo { update: TodoUpdate::Listed { claimed, read_back: None } }
    };
    let path = name.to_owned();
    let deed = match what {
        "edit" => Deed::Edit {
            files: vec![FileChange { path, fate: FileFate::Changed, added: 1, removed: 0 }],
        },
        "open" => todo(TodoStatus::Pending),
        "done" => todo(TodoStatus::Completed),
        _ => {
            let (command, runner) = ("pytest".to_owned(), Some("pytest".to_owned()));
            Deed::Command { command, background: None, runner }
        }
    };
    let end = match what {
        "fail" => End::Failed { exit: Some(1), why: String::new() },
        "begin" => End::Initiated,
        _ => End::Completed { exit: Some(0) },
    };
    let call = if what == "end-begun" { "begun".to_owned() } else { format!("c{at}") };
    let call = Some(if what == "begin" { "begun".to_owned() } else { call });
    let operation = Operation {
        call,
        tool: "x".into(),
        deed,
        end,
        lane: None,
        duration_ms: None,
        seen: Seen::Hook,
    };
    let (significant, exit_counts) = (true, true);
    let logged = Logged { operation, significant, exit_counts, full: None, at: None };
    SessionEvent::Operated(Box::new(logged))
}

fn session(events: impl IntoIterator<Item = SessionEvent>) -> Session {
    let first = SessionEvent::Opened(Box::new(opened()));
    let all = std::iter::once(first).chain(events);
    let timed = all.map(|event| (Timestamp::UNIX_EPOCH, event));
    Session::replay("20261116_101500_001".parse().unwrap(), timed).unwrap()
}

fn story(text: &str) -> Vec<SessionEvent> {
    text.split(", ").enumerate().map(|(at, what)| told(at, what)).collect()
}

/// After `text`, with the operations at these places never made.
#[track_caller]
fn check(text: &str, unmade: &[u32], tested: Option<Tested>, open: usize, files: &[&str]) {
    let compared = SessionEvent::Compared { unmade: unmade.to_vec() };
    let session = session(story(text).into_iter().chain([compared]));
    assert_eq!(session.tested().map(|(_, tested)| tested), tested, "{text} without {unmade:?}");
    assert_eq!(session.todos.counts().open(), open, "{text} without {unmade:?}");
    assert_eq!(session.files(), files, "{text} without {unmade:?}");
    assert_eq!(session.incomplete.is_some(), !unmade.is_empty());
}

/// WL-22: what nobody did counts neither as a test that passed nor as a todo that is done, nor
/// as an edit.
#[test]
fn what_nobody_did_does_not_count() {
    use Tested::{Failed, Passed, Unknown};
    check("fail, pass", &[], Some(Passed), 0, &[]);
    check("fail, pass", &[1], Some(Failed), 0, &[]);
    check("pass", &[0], Some(Unknown), 0, &[]);
    check("pass, edit a, pass", &[2], Some(Unknown), 0, &["a"]);
    check("pass, pass", &[0], Some(Passed), 0, &[]);
    check("open a, done a", &[1], None, 1, &[]);
    check("open a, edit a, edit b, done a", &[1], None, 0, &["b"]);
    check("begin, pass", &[1], Some(Unknown), 0, &[]);
    check("begin, edit a, end-begun", &[], Some(Passed), 0, &["a"]);
}

/// WL-22: a place that is none says nothing.
#[test]
fn places_that_are_none_are_left_alone() {
    let compared = SessionEvent::Compared { unmade: vec![1, u32::MAX] };
    let session = session(story("pass").into_iter().chain([compared]));
    assert_eq!((session.incomplete.is_none(), session.unmade().len()), (true, 0));
}

/// WL-22: of two ends of a call the worse is believed, in whatever order they are told.
#[test]
fn of_two_ends_the_worse_is_believed() {
    let failed = || End::Failed { exit: Some(1), why: String::new() };
    let denied = || End::Denied { why: String::new() };
    let passed = || End::Completed { exit: Some(0) };
    let unknown = || End::Completed { exit: None };
    for (one, other, expected) in [
        (passed(), failed(), failed()),
        (failed(), passed(), failed()),
        (passed(), denied(), denied()),
        (denied(), failed(), failed()),
        (failed(), denied(), failed()),
        (unknown(), failed(), failed()),
        (passed(), End::TimedOut, End::TimedOut),
        (passed(), unknown(), passed()),
        (passed(), passed(), passed()),
    ] {
        let event = |end: &End| {
            let SessionEvent::Operated(mut logged) = told(0, "pass") else { unreachable!() };
            logged.operation.end = end.clone();
            SessionEvent::Operated(logged)
        };
        let session = session([event(&one), event(&other)]);
        assert_eq!(session.end_of("c0"), Some(&expected), "{one:?} {other:?}");
        assert_eq!(session.incomplete.is_some(), one != expected, "{one:?} {other:?}");
    }
}

/// WL-22: what has ended can be found not to have ended.
#[test]
fn an_end_can_be_taken_back() {
    let corrected = |end| SessionEvent::Corrected { call: "begun".into(), end };
    let passed = corrected(End::Completed { exit: Some(0) });
    let before = session([told(0, "begin"), passed.clone()]);
    assert_eq!(before.tested(), Some(("pytest", Tested::Passed)));
    let after = session([told(0, "begin"), passed, corrected(End::Initiated)]);
    assert_eq!(after.tested(), Some(("pytest", Tested::Unknown)));
}

proptest! {
    /// WL-22: a session with operations that nobody made is, for its todos and files, the session
    /// without them; and one in which all were made is as it was.
    #[test]
    fn a_session_without_what_nobody_did(
        steps in prop::collection::vec((0_usize..5, 0_usize..3, any::<bool>()), 1..30),
    ) {
        let words = ["pass", "fail", "edit", "open", "done"];
        let events: Vec<SessionEvent> = steps
            .iter()
            .enumerate()
            .map(|(at, (word, name, _))| told(at, &format!("{} {name}", words[*word])))
            .collect();
        let whole = session(events.clone());
        let mut same = session(events.clone());
        same.apply(Timestamp::UNIX_EPOCH, SessionEvent::Compared { unmade: Vec::new() });
        prop_assert_eq!(&same.progress, &whole.progress);
        same.retell();
        prop_assert_eq!((&same.progress, &same.todos), (&whole.progress, &whole.todos));
        let is_unmade = |at: &usize| steps[*at].2;
        let unmade = (0..steps.len()).filter(is_unmade).map(|at| u32::try_from(at).unwrap());
        let compared = SessionEvent::Compared { unmade: unmade.collect() };
        let without = session(events.iter().cloned().chain([compared]));
        let made = events.into_iter().enumerate().filter(|(at, _)| !is_unmade(at));
        let expected = session(made.map(|(_, event)| event));
        prop_assert_eq!(&without.todos, &expected.todos);
        prop_assert_eq!(without.files(), expected.files());
        prop_assert_eq!(without.progress.all_files(), expected.progress.all_files());
    }
}
