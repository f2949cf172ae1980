//! What the shipped policy says of every deed, and what settings can change.

use super::super::operation::{End, FileChange, FileFate, Seen};
use super::super::todo::{Todo, TodoStatus};
use super::*;

fn operation(tool: &str, deed: Deed) -> Operation {
    let end = End::Completed { exit: None };
    let tool = tool.to_owned();
    Operation { call: None, tool, deed, end, lane: None, duration_ms: None, seen: Seen::Hook }
}

fn files(count: usize) -> Vec<FileChange> {
    let file = FileChange { path: "a.rs".into(), fate: FileFate::Changed, added: 1, removed: 0 };
    vec![file; count]
}

fn command(runner: Option<&str>) -> Deed {
    let runner = runner.map(str::to_owned);
    Deed::Command { command: "pytest".into(), background: None, runner }
}

fn todo() -> Todo {
    Todo { id: None, content: "a".into(), status: TodoStatus::Pending }
}

fn samples() -> Vec<(Operation, Option<Action>, &'static str)> {
    let listed = TodoUpdate::Listed { claimed: vec![todo()], read_back: None };
    let created = TodoUpdate::Created { id: None, content: "a".into() };
    let read = TodoUpdate::Read { todos: vec![todo()] };
    let task = Deed::Delegate { agent: "x".into(), purpose: "y".into() };
    vec![
        (operation("TodoWrite", Deed::Todo { update: listed }), Some(Action::TodoWrite), "SDLE"),
        (operation("TaskCreate", Deed::Todo { update: created }), Some(Action::TodoWrite), "SDLE"),
        (operation("TaskList", Deed::Todo { update: read }), None, ""),
        (operation("Agent", task), Some(Action::Task), "SDLE"),
        (operation("Edit", Deed::Edit { files: files(1) }), Some(Action::Edit), "SD"),
        (operation("MultiEdit", Deed::Edit { files: files(1) }), Some(Action::MultiEdit), "SD"),
        (operation("apply_patch", Deed::Edit { files: files(2) }), Some(Action::MultiEdit), "SD"),
        (operation("Edit", Deed::Edit { files: files(0) }), Some(Action::Edit), "SD"),
        (operation("Write", Deed::Write { files: files(1) }), Some(Action::Write), "SD"),
        (operation("Bash", command(Some("pytest"))), Some(Action::Bash), "SD"),
        (operation("shell", command(None)), Some(Action::Bash), ""),
        (operation("Read", Deed::Look { what: "a.rs".into() }), None, ""),
        (operation("WebFetch", Deed::Look { what: "a".into() }), None, ""),
        (operation("mcp__s__think_about_it", Deed::Other { what: "a".into() }), None, ""),
    ]
}

fn tiers(policy: &Significance, operation: &Operation) -> String {
    [(Tier::Strict, 'S'), (Tier::Standard, 'D'), (Tier::Light, 'L'), (Tier::Exempt, 'E')]
        .into_iter()
        .filter(|(tier, _)| policy.is_significant(operation, *tier))
        .map(|(_, letter)| letter)
        .collect()
}

/// WL-03, WL-04: every deed has its action and its tiers.
#[test]
fn the_shipped_policy() {
    assert_eq!(Significance::parse(SHIPPED).as_ref(), Ok(Significance::shipped()));
    let policy = Significance::shipped();
    assert_eq!(policy.version(), 1);
    for (operation, action, expected) in samples() {
        assert_eq!(action_of(&operation), action, "{operation:?}");
        assert_eq!(tiers(policy, &operation), expected, "{operation:?}");
    }
    assert!(policy.covers(Action::Verify, Tier::Strict));
    assert!(!policy.covers(Action::Verify, Tier::Standard));
}

/// WL-03: settings win, for actions, for tools, and for tools that we don't know.
#[test]
fn settings_override_it() {
    let said = BTreeMap::from([
        ("Edit".to_owned(), vec![Tier::Light]),
        ("Write".to_owned(), vec![]),
        ("shell".to_owned(), vec![Tier::Strict]),
        ("mcp__*".to_owned(), vec![Tier::Strict, Tier::Standard]),
        ("mcp__quiet__*".to_owned(), vec![]),
        ("mcp__quiet__loud".to_owned(), vec![Tier::Exempt]),
    ]);
    let policy = Significance::shipped().clone().with_overrides(&said);
    let other = |tool: &str| operation(tool, Deed::Other { what: String::new() });
    for (operation, expected) in [
        (operation("Edit", Deed::Edit { files: files(1) }), "L"),
        (operation("Write", Deed::Write { files: files(1) }), ""),
        (operation("shell", command(None)), "S"),
        (operation("Bash", command(None)), ""),
        (other("mcp__tracker__close"), "SD"),
        (other("mcp__quiet__close"), ""),
        (other("mcp__quiet__loud"), "E"),
        (other("elsewhere"), ""),
    ] {
        assert_eq!(tiers(&policy, &operation), expected, "{operation:?}");
    }
}

/// WL-03: a broken file is refused with the line.
#[test]
fn broken_files_are_refused() {
    for (text, says) in [
        ("", "version"),
        ("version x", "line 1"),
        ("version 1\nEdit STRICT\nWrite STRICT SOMETIMES", "line 3"),
    ] {
        assert!(Significance::parse(text).unwrap_err().contains(says), "{text}");
    }
}

/// WL-04: the stored names never change.
#[test]
fn the_names_of_actions() {
    for action in Action::ALL {
        assert_eq!(serde_json::to_string(&action).unwrap(), format!("\"{action}\""));
        assert_eq!(Action::parse(action.name()), Some(action));
    }
}
