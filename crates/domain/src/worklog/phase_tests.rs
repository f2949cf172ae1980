//! Sessions told as one line of operations, and the summaries that fall due on the way.

use super::super::operation::{FileChange, FileFate, Seen};
use super::super::todo::{Todo, TodoStatus};
use super::*;

fn operation(call: &str, deed: Deed, end: End) -> Operation {
    let call = Some(call.to_owned());
    Operation { call, tool: "x".into(), deed, end, lane: None, duration_ms: None, seen: Seen::Hook }
}

fn edit(path: &str) -> Deed {
    let file = FileChange { path: path.into(), fate: FileFate::Changed, added: 1, removed: 0 };
    Deed::Edit { files: vec![file] }
}

fn tests() -> Deed {
    Deed::Command { command: "pytest".into(), background: None, runner: Some("pytest".into()) }
}

fn done() -> End {
    End::Completed { exit: Some(0) }
}

/// A session. Every step says which summaries it makes due, and they are written down.
struct Session {
    tier: Tier,
    progress: Progress,
    todos: TodoList,
}

impl Session {
    fn new(tier: Tier) -> Self {
        Self { tier, progress: Progress::default(), todos: TodoList::default() }
    }

    fn take(&mut self, moment: Moment) -> Vec<&'static str> {
        let due = self.progress.due(self.tier, &self.todos, moment);
        for phase in &due {
            self.progress.summarised(*phase);
        }
        due.into_iter().map(Phase::name).collect()
    }

    /// `list N`, `edit A`, `begin-edit A`, `denied-edit A`, `failed-edit A`, `begin-test`, `test`,
    /// `failed-test`, `background-test`, `look`, `stop`.
    fn step(&mut self, step: &str) -> Vec<&'static str> {
        let (what, about) = step.split_once(' ').unwrap_or((step, ""));
        let failed = || End::Failed { exit: Some(1), why: String::new() };
        let operation = match what {
            "stop" => return self.take(Moment::Stopping),
            "begin-edit" => {
                self.progress.began(&operation(about, edit(about), End::Initiated));
                return self.take(Moment::Working);
            }
            "begin-test" => {
                self.progress.began(&operation("t", tests(), End::Initiated));
                return self.take(Moment::Working);
            }
            "list" => {
                let todo =
                    |at| Todo { id: None, content: format!("{at}"), status: TodoStatus::Pending };
                let claimed = (0..about.parse::<usize>().unwrap()).map(todo).collect();
                let update = TodoUpdate::Listed { claimed, read_back: None };
                self.todos.apply(&update);
                operation("l", Deed::Todo { update }, done())
            }
            "edit" => operation(about, edit(about), done()),
            "denied-edit" => operation(about, edit(about), End::Denied { why: String::new() }),
            "failed-edit" => operation(about, edit(about), failed()),
            "test" => operation("t", tests(), done()),
            "failed-test" => operation("t", tests(), failed()),
            "background-test" => operation("t", tests(), End::Initiated),
            _ => operation("k", Deed::Look { what: String::new() }, done()),
        };
        self.progress.operated(&operation, Noted { significant: true, exit_counts: true });
        self.take(Moment::Working)
    }
}

/// `edit a, test: execution_complete`: the steps, and what they make due, by a colon.
#[track_caller]
fn check(tier: Tier, story: &str) {
    let mut session = Session::new(tier);
    for told in story.split(", ") {
        let (step, expected) = told.split_once(": ").unwrap_or((told, ""));
        assert_eq!(session.step(step).join(" "), expected, "{step} in {tier} {story}");
    }
}

/// WL-10: all three phases of a strict session.
#[test]
fn strict_sessions() {
    check(
        Tier::Strict,
        "list 3: planning_complete, list 5, edit a, edit b, \
        begin-test: execution_complete, test: verification_complete, stop",
    );
    check(Tier::Strict, "list 2, list 3: planning_complete, stop");
    check(Tier::Strict, "edit a, look, stop: execution_complete, stop");
    check(Tier::Strict, "test: verification_complete, failed-test: verification_complete, stop");
    check(Tier::Strict, "edit a, test: execution_complete verification_complete, stop");
    check(Tier::Strict, "edit a, list 3: planning_complete, stop: execution_complete");
    check(
        Tier::Strict,
        "edit a, begin-test: execution_complete, failed-test: verification_complete, \
        edit a, begin-test: execution_complete, test: verification_complete, stop",
    );
    check(Tier::Strict, "look, stop, denied-edit a, failed-edit a, begin-test, stop");
    check(Tier::Strict, "edit a, background-test: execution_complete, look, stop");
}

/// WL-10: no execution is complete while a change is pending; but a session ends.
#[test]
fn pending_changes() {
    check(
        Tier::Strict,
        "begin-edit a, begin-edit b, edit a, begin-test, edit b, \
        begin-test: execution_complete",
    );
    check(Tier::Standard, "edit a, begin-edit b, begin-test, stop: execution_complete");
    check(Tier::Standard, "edit a, begin-edit b, denied-edit b, begin-test: execution_complete");
}

/// WL-10: STANDARD only when executed; LIGHT and EXEMPT never.
#[test]
fn other_tiers() {
    let story =
        "list 3, edit a, begin-test: execution_complete, test, edit b, stop: execution_complete";
    check(Tier::Standard, story);
    for tier in [Tier::Light, Tier::Exempt] {
        check(tier, "list 3, edit a, begin-test, test, edit b, stop");
    }
}

/// WL-11: what a summary counts, and what is measured against the plan.
#[test]
fn summaries_count_since_the_last_one() {
    let mut session = Session::new(Tier::Strict);
    let plan = Plan::new(["change a.rs"]);
    for step in ["list 3", "edit a.rs", "edit a.rs"] {
        session.step(step);
    }
    session.progress.verified(Outcome::Pass);
    session.progress.verified(Outcome::Skipped);
    let summary = |session: &Session, phase, moment| {
        let Session { tier, todos, progress } = session;
        let scene = Scene { tier: *tier, moment, plan: &plan, root: None, todos };
        progress.summary(phase, Timestamp::UNIX_EPOCH, &scene)
    };
    let executed = summary(&session, Phase::ExecutionComplete, Moment::Working);
    assert_eq!((executed.operations, executed.files.as_slice()), (2, &["a.rs".to_owned()][..]));
    assert_eq!((executed.todos_done, executed.todos_remaining), (0, 3));
    assert_eq!(executed.verification, Verifications { passed: 1, failed: 0, skipped: 1 });
    assert!(!executed.needs_adjustment());
    assert!(summary(&session, Phase::PlanningComplete, Moment::Working).deviations.is_empty());

    assert_eq!(session.step("failed-test"), ["execution_complete", "verification_complete"]);
    let tested = summary(&session, Phase::VerificationComplete, Moment::Working);
    assert_eq!(tested.operations, 0);
    assert_eq!(tested.verification, Verifications::default());
    assert!(tested.needs_adjustment());
    session.step("edit b.rs");
    let again = summary(&session, Phase::ExecutionComplete, Moment::Working);
    assert!(!again.needs_adjustment(), "{again:?}");
    let stopped = summary(&session, Phase::ExecutionComplete, Moment::Stopping);
    assert_eq!(stopped.deviations.len(), 3, "{stopped:?}");
    assert_eq!(session.progress.tested(), Some(("pytest", Tested::Failed)));
    assert_eq!(session.progress.all_files().len(), 2);
}

/// The fold can be stored and taken up by another process.
#[test]
fn progress_survives_a_restart() {
    let mut session = Session::new(Tier::Strict);
    for step in ["list 3", "edit a.rs", "failed-test", "edit b.rs"] {
        session.step(step);
    }
    let stored = serde_json::to_string(&session.progress).unwrap();
    session.progress = serde_json::from_str(&stored).unwrap();
    assert_eq!(session.step("stop"), ["execution_complete"]);
}
