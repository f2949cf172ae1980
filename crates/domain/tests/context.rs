//! The machine of roles: what may happen when, and what the fold makes of it.

#![allow(clippy::unwrap_used)]

use countersign_domain::context::{
    Adopted, Context, ContextEvent, Drifted, Expectation, Handed, Incremental, Opened, Place,
    Resolved, RoleStatus, Text, Updated, rules,
};
use countersign_domain::snapshot::{Drift, Ground, PathText, Position, Recorded};
use countersign_domain::{Digest, ObjectId};
use jiff::Timestamp;
use proptest::prelude::*;

fn tree(number: u32) -> ObjectId {
    format!("{number:040x}").parse().unwrap()
}

fn recorded(number: u32) -> Recorded {
    let none = Digest::of(b"");
    Recorded {
        position: Position { head: Some(tree(9)), ..Position::default() },
        grounds: vec![Ground {
            path: PathText::from(""),
            head: Some(tree(9)),
            tree: tree(number),
            raw: None,
            lfs: Vec::new(),
            is_submodule: false,
        }],
        watched: Vec::new(),
        special: Vec::new(),
        settings: Vec::new(),
        beyond: Vec::new(),
        rules: none,
        beside: none,
        cache: none,
        is_exact: false,
    }
}

fn text() -> Text {
    Text { blob: Digest::of(b"text"), bytes: 4 }
}

fn opened() -> ContextEvent {
    ContextEvent::Opened(Box::new(Opened {
        context: text(),
        manifest: text(),
        sources: vec![text()],
        roles: ["implementer", "reviewer", "validator"].map(String::from).to_vec(),
        task_file: "tasks/T-1.task.yaml".into(),
        task_file_sha: Digest::of(b"task"),
        start: recorded(0),
        rules: text(),
        worktree: "/project".into(),
        place: None,
        forced_secrets: Vec::new(),
    }))
}

fn incremental(from: &str) -> Incremental {
    Incremental { from: from.into(), diff: Some(text()), sha: Some(Digest::of(b"d")), error: None }
}

fn handed(role: &str, number: u32) -> ContextEvent {
    ContextEvent::Handed(Box::new(Handed {
        role: role.into(),
        recorded: recorded(number),
        base_commit: Some(tree(9)),
        diff: text(),
        diff_sha: Digest::of(b"d"),
        incremental: incremental("start"),
        files: Vec::new(),
        insertions: 1,
        deletions: 0,
        conflicts: Vec::new(),
        scope: Digest::of(b"s"),
        warnings: Vec::new(),
        forced_secrets: Vec::new(),
    }))
}

fn begun(role: &str) -> ContextEvent {
    status(role, RoleStatus::InProgress)
}

fn status(role: &str, status: RoleStatus) -> ContextEvent {
    ContextEvent::Updated(Updated {
        role: role.into(),
        status: Some(status),
        qa_log: None,
        session: None,
        verified: None,
        forced_secrets: Vec::new(),
    })
}

fn blocked(role: &str) -> ContextEvent {
    let finding = "it breaks the build".into();
    ContextEvent::Blocked { role: role.into(), finding, forced_secrets: Vec::new() }
}

fn drifted() -> ContextEvent {
    let drift = Drift::default();
    ContextEvent::Drifted(Box::new(Drifted { expected: "start".into(), drift, attributed: vec![] }))
}

fn resolved(number: u32) -> ContextEvent {
    ContextEvent::Resolved(Box::new(Resolved {
        note: "I mended a typo".into(),
        recorded: recorded(number),
        incremental: incremental("implementer"),
    }))
}

fn after(events: impl IntoIterator<Item = ContextEvent>) -> Context {
    let all = std::iter::once(opened()).chain(events);
    let timed = all.enumerate().map(|(second, event)| {
        let second = i64::try_from(second).unwrap();
        (Timestamp::from_second(1_000 + second).unwrap(), "user".to_owned(), event)
    });
    Context::replay("T-1", timed).unwrap()
}

fn statuses(context: &Context) -> Vec<&'static str> {
    context.roles.iter().map(|role| role.status.name()).collect()
}

/// CX-09: where the roles work can change, and how that is stored does not.
#[test]
fn a_place_is_adopted() {
    let place = Place { worktree_id: "worktrees/a".into(), inode: 7 };
    let adopted = Adopted { worktree: "/moved".into(), place, note: "why".into() };
    let event = ContextEvent::Adopted(adopted);
    let expected = r#"{"kind":"adopted","body":{"worktree":"/moved","place":{"worktree_id":"worktrees/a","inode":7},"note":"why"}}"#;
    assert_eq!(serde_json::to_string(&event).unwrap(), expected);
    let context = after([handed("implementer", 1), event]);
    assert_eq!(context.worktree, "/moved");
    assert_eq!(context.opened.worktree, "/project");
    assert_eq!(context.last_step().recorded, recorded(1));
}

/// CX-06: roles stand where their events put them, in order.
#[test]
fn roles_come_one_after_the_other() {
    let check = |events: Vec<ContextEvent>, expected: [&str; 3]| {
        assert_eq!(statuses(&after(events)), expected);
    };
    check(vec![], ["in_progress", "pending", "pending"]);
    check(vec![handed("implementer", 1)], ["done", "pending", "pending"]);
    check(vec![handed("implementer", 1), begun("reviewer")], ["done", "in_progress", "pending"]);
    check(
        vec![handed("implementer", 1), begun("reviewer"), blocked("reviewer")],
        ["done", "blocked", "pending"],
    );
    // Work that is taken up again has to be looked at again.
    check(
        vec![
            handed("implementer", 1),
            begun("reviewer"),
            handed("reviewer", 2),
            begun("implementer"),
        ],
        ["in_progress", "pending", "pending"],
    );
}

/// CX-06, CX-11: who may begin, and why not.
#[test]
fn beginning_has_conditions() {
    let check = |events: Vec<ContextEvent>, role: &str, expected: &str| {
        let context = after(events);
        match rules::may_begin(&context, role) {
            Ok(()) => assert_eq!(expected, "", "{role} may begin"),
            Err(refusal) => {
                assert!(!expected.is_empty(), "{role}: {refusal}");
                assert!(refusal.message.contains(expected), "{role}: {refusal}");
                assert!(
                    refusal.hint.contains("countersign context") || role == "cook",
                    "{refusal:?}"
                );
            }
        }
    };
    check(vec![], "implementer", "");
    check(vec![], "reviewer", "while implementer is at work");
    check(vec![], "cook", "no role 'cook'");
    check(vec![handed("implementer", 1)], "reviewer", "");
    check(vec![handed("implementer", 1)], "validator", "reviewer is pending");
    check(vec![handed("implementer", 1), drifted()], "reviewer", "have drifted");
    check(vec![handed("implementer", 1), drifted(), resolved(2)], "reviewer", "");
    check(vec![handed("implementer", 1), blocked("reviewer")], "reviewer", "finding 1");
    check(
        vec![
            handed("implementer", 1),
            blocked("reviewer"),
            ContextEvent::Cleared { role: "reviewer".into(), finding: 1, note: "mended".into() },
        ],
        "reviewer",
        "",
    );
    // What the reviewer found is for the implementer to mend.
    check(vec![handed("implementer", 1), blocked("reviewer")], "implementer", "");
    check(vec![ContextEvent::Purged { because: "done".into() }], "implementer", "was purged");
}

/// CX-06: handing over and being done are the same thing.
#[test]
fn done_means_handed_over() {
    let context = after([]);
    let refusal = rules::may_become(&context, "implementer", RoleStatus::Done).unwrap_err();
    assert!(refusal.hint.contains("context snapshot T-1 --role implementer"), "{refusal:?}");
    rules::may_hand_over(&context, "implementer").unwrap();
    let refusal = rules::may_hand_over(&context, "reviewer").unwrap_err();
    assert!(refusal.message.contains("is pending"), "{refusal}");
    let context = after([handed("implementer", 1)]);
    rules::may_become(&context, "implementer", RoleStatus::Done).unwrap();
    let refusal = rules::may_become(&context, "reviewer", RoleStatus::Blocked).unwrap_err();
    assert!(refusal.hint.contains("context block"), "{refusal:?}");
    let refusal = rules::may_become(&context, "implementer", RoleStatus::Pending).unwrap_err();
    assert!(refusal.message.contains("can't be taken back"), "{refusal}");
}

/// CX-10, CX-11: what the tree has to be, from one step to the next.
#[test]
fn the_last_step_is_expected() {
    let check = |events: Vec<ContextEvent>, step: &str, number: u32, at_work: bool| {
        let context = after(events);
        let expectation = context.expectation();
        assert_eq!(expectation.step().name, step);
        assert_eq!(expectation.step().recorded.grounds[0].tree, tree(number));
        assert_eq!(matches!(expectation, Expectation::AtWork(..)), at_work);
    };
    check(vec![], "start", 0, true);
    check(vec![handed("implementer", 1)], "implementer", 1, false);
    check(vec![handed("implementer", 1), drifted()], "implementer", 1, false);
    check(vec![handed("implementer", 1), drifted(), resolved(2)], "resolution", 2, false);
    check(vec![handed("implementer", 1), begun("reviewer")], "implementer", 1, true);
}

/// CX-11, D4.5: one budget for the task; it grows with every failure, and only a person who says
/// why ends it.
#[test]
fn drift_waits_for_a_person() {
    let context = after([handed("implementer", 1), drifted(), drifted()]);
    assert_eq!(context.drift_budget, 2);
    rules::unhindered(&context).unwrap_err();
    let check = |note: &str, expected: &str| {
        let refusal = rules::may_resolve(&context, note).unwrap_err();
        assert!(refusal.message.contains(expected), "{refusal}");
    };
    check("", "needs a note");
    check(" \n", "needs a note");
    rules::may_resolve(&context, "a typo").unwrap();
    let context = after([handed("implementer", 1), drifted(), resolved(2)]);
    assert_eq!((context.drift_budget, &context.drift), (0, &None));
    rules::may_resolve(&context, "again").unwrap_err();
}

/// CX-20: a file that another hand wrote blocks whoever is at work.
#[test]
fn another_hand_is_a_finding() {
    let file = || "context.json".to_owned();
    let tampered = ContextEvent::Tampered { file: file(), expected: Digest::of(b"a"), found: None };
    let context = after([tampered]);
    assert_eq!(statuses(&context), ["blocked", "pending", "pending"]);
    let finding = &context.roles[0].findings[0];
    assert!(finding.text.contains("another hand"), "{}", finding.text);
}

/// CX-12: results count for a baseline only while the task is the same.
#[test]
fn results_need_the_same_task() {
    let context = after([]);
    rules::may_measure(&context, "implementer", true).unwrap();
    let refusal = rules::may_measure(&context, "implementer", false).unwrap_err();
    assert!(refusal.hint.contains("context rebuild T-1"), "{refusal:?}");
}

/// CX-01, CX-18: a purged context may be followed by another, which knows nothing of it.
#[test]
fn another_context_may_follow() {
    let context = after([
        handed("implementer", 1),
        drifted(),
        ContextEvent::Purged { because: "done".into() },
        opened(),
    ]);
    assert_eq!((context.generation, context.drift_budget, context.steps.len()), (2, 0, 1));
    assert!(context.purged.is_none());
    assert_eq!(statuses(&context), ["in_progress", "pending", "pending"]);
}

fn any_event() -> impl Strategy<Value = ContextEvent> {
    let role = prop_oneof![Just("implementer"), Just("reviewer"), Just("validator")];
    (role, 0_u32..5, 0_usize..7).prop_map(|(role, number, which)| match which {
        0 => begun(role),
        1 | 2 => handed(role, number),
        3 => blocked(role),
        4 => ContextEvent::Cleared { role: role.into(), finding: number, note: "x".into() },
        5 => drifted(),
        _ => resolved(number),
    })
}

/// Whether the rules let `event` happen.
fn is_allowed(context: &Context, event: &ContextEvent) -> bool {
    match event {
        ContextEvent::Updated(Updated { role, status: Some(status), .. }) => {
            rules::may_become(context, role, *status).is_ok()
        }
        ContextEvent::Handed(handed) => rules::may_hand_over(context, &handed.role).is_ok(),
        ContextEvent::Blocked { role, .. } => rules::may_block(context, role).is_ok(),
        ContextEvent::Resolved(resolved) => rules::may_resolve(context, &resolved.note).is_ok(),
        _ => true,
    }
}

proptest! {
    /// CX-06: whatever the rules allow, at most one role is at work, nobody is done or at work
    /// behind one that isn't, and the same events give the same context.
    #[test]
    fn what_the_rules_allow_keeps_the_order(events in prop::collection::vec(any_event(), 0..40)) {
        let mut kept = Vec::new();
        for event in events {
            if is_allowed(&after(kept.clone()), &event) {
                kept.push(event);
            }
        }
        let context = after(kept.clone());
        let at_work = context.roles.iter().filter(|r| r.status == RoleStatus::InProgress).count();
        prop_assert!(at_work <= 1);
        let first_open = context.roles.iter().position(|role| role.status != RoleStatus::Done);
        if let Some(first) = first_open {
            let later = &context.roles[first + 1..];
            prop_assert!(later.iter().all(|role| role.status != RoleStatus::InProgress));
        }
        prop_assert_eq!(after(kept), context);
    }

    /// PL-01: any event is stored and read back as it was.
    #[test]
    fn events_survive_storage(event in any_event()) {
        use countersign_domain::ledger::Stored as _;
        let (kind, body) = event.encode().unwrap();
        prop_assert_eq!(ContextEvent::decode(&kind, &body).unwrap(), event);
    }
}
