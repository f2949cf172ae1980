//! Which deviations follow from what.

use super::super::todo::{Todo, TodoStatus, TodoUpdate};
use super::*;

fn told(deviations: &[Deviation]) -> Vec<String> {
    let name = |value: serde_json::Value| value.as_str().unwrap().to_owned();
    deviations
        .iter()
        .map(|deviation| {
            let kind = name(serde_json::to_value(deviation.kind).unwrap());
            let severity = name(serde_json::to_value(deviation.severity).unwrap());
            format!("{severity} {kind} {}", deviation.items.join(" "))
        })
        .collect()
}

#[track_caller]
fn check_files(plan: &str, files: &[&str], expected: &[&str]) {
    let plan = Plan::new([plan]);
    let files: BTreeSet<String> = files.iter().map(|&file| file.to_owned()).collect();
    let evidence = Evidence {
        plan: &plan,
        root: Some("/repo"),
        files: &files,
        todos: None,
        tested: None,
        last_chance: false,
    };
    assert_eq!(told(&deviations(&evidence)), expected, "{plan:?} {files:?}");
}

/// WL-11: low for one, medium for several, high for what matters.
#[test]
fn files_that_nobody_named() {
    check_files("fix login.rs", &["src/login.rs"], &[]);
    check_files(
        "fix login.rs",
        &["/repo/src/login.rs", "src/pay.rs"],
        &["low unplanned_file src/pay.rs"],
    );
    check_files("fix login.rs", &["a.rs", "b.rs"], &["medium unplanned_file a.rs b.rs"]);
    check_files("fix login.rs", &["src/login.rs", "src/mod.rs", "tests/login_test.rs"], &[]);
    check_files(
        "fix the login",
        &["src/auth/login.ts", "src/auth/login.spec.ts", "src/auth/index.ts"],
        &[],
    );
    check_files(
        "mend spec/login_spec.rb",
        &["spec/login_spec.rb", "spec/pay_spec.rb"],
        &["low unplanned_file spec/pay_spec.rb"],
    );
    check_files("fix login.rs", &["/etc/hosts"], &["high unplanned_file /etc/hosts"]);
    check_files("fix login.rs", &["../other/login.py"], &["high unplanned_file ../other/login.py"]);
    check_files("fix login.rs", &["/tmp/scratch.py"], &[]);
    check_files("add a line to /etc/hosts", &["/etc/hosts"], &[]);
    check_files("", &["a.rs", "/etc/hosts"], &[]);
}

/// WL-11: secrets, pipelines and settings have to be named.
#[test]
fn files_that_matter() {
    for path in [
        ".env",
        ".env.production",
        "deploy/server.pem",
        "config/secrets.yml",
        ".npmrc",
        ".github/workflows/ci.yml",
        ".gitlab-ci.yml",
        "Jenkinsfile",
        ".claude/settings.json",
        ".codex/hooks.json",
        ".git/config",
        ".husky/pre-commit",
        "countersign.toml",
        ".mcp.json",
    ] {
        check_files("fix the login", &[path], &[&format!("high unplanned_file {path}")]);
        check_files(&format!("change {path}"), &[path], &[]);
    }
    check_files("make the CI faster", &[".github/workflows/test.yml"], &[]);
    check_files("fix the environment", &[".env"], &["high unplanned_file .env"]);
    check_files("fix the login", &[".env.example"], &["low unplanned_file .env.example"]);
    let both = ["high unplanned_file .env", "low unplanned_file src/pay.rs"];
    check_files("fix the login", &[".env", "src/pay.rs", "src/login.rs"], &both);
}

/// WL-11: open todos and tests, the worst first.
#[test]
fn todos_and_tests() {
    let todo = |content: &str, status| Todo { id: None, content: content.to_owned(), status };
    let list =
        TodoList::new(vec![todo("a", TodoStatus::Completed), todo("b", TodoStatus::InProgress)]);
    let done =
        TodoList::new(vec![todo("a", TodoStatus::Completed), todo("b", TodoStatus::Cancelled)]);
    let mut short = list.clone();
    let claimed = vec![todo("a", TodoStatus::Completed)];
    short.apply(&TodoUpdate::Listed { claimed, read_back: None });
    let (plan, files) = (Plan::default(), BTreeSet::new());
    for (todos, tested, last_chance, expected) in [
        (None, None, true, &[][..]),
        (Some(&done), Some(Tested::Passed), true, &[]),
        (Some(&list), None, false, &["medium todo_incomplete b"]),
        (Some(&list), None, true, &["high todo_incomplete b"]),
        (Some(&short), None, false, &["medium todo_dropped b"]),
        (Some(&short), None, true, &["high todo_dropped b"]),
        (
            Some(&list),
            Some(Tested::Failed),
            false,
            &["high test_failure pytest", "medium todo_incomplete b"],
        ),
        (
            Some(&list),
            Some(Tested::Unknown),
            true,
            &["high todo_incomplete b", "medium test_failure pytest"],
        ),
    ] {
        let tested = tested.map(|tested| ("pytest", tested));
        let evidence =
            Evidence { plan: &plan, root: None, files: &files, todos, tested, last_chance };
        assert_eq!(told(&deviations(&evidence)), expected, "{evidence:?}");
    }
}

/// WL-11: only a code of 0 that is the runner's own is a pass.
#[test]
fn how_tests_ended() {
    let completed = |exit| End::Completed { exit };
    let failed = |exit| End::Failed { exit, why: String::new() };
    for (end, own, others) in [
        (completed(Some(0)), Some(Tested::Passed), Some(Tested::Unknown)),
        (completed(Some(1)), Some(Tested::Failed), Some(Tested::Unknown)),
        (completed(None), Some(Tested::Unknown), Some(Tested::Unknown)),
        (failed(Some(1)), Some(Tested::Failed), Some(Tested::Unknown)),
        (failed(None), Some(Tested::Failed), Some(Tested::Unknown)),
        (End::TimedOut, Some(Tested::Failed), Some(Tested::Failed)),
        (End::Interrupted, Some(Tested::Unknown), Some(Tested::Unknown)),
        (End::Initiated, None, None),
        (End::Denied { why: String::new() }, None, None),
        (End::Rejected { why: String::new() }, None, None),
    ] {
        assert_eq!((Tested::of(&end, true), Tested::of(&end, false)), (own, others), "{end:?}");
    }
}
