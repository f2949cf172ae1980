//! CX-02: task files, and everything that can be wrong with them.

use countersign_domain::task::{
    Criticality, Link, Override, Placed, Priority, QaCommand, ROLES, Retry, Status, Task, Warning,
};

const HEAD: &str = "id: T-1\ntitle: T\npriority: P1\narea: core\ndescription: D\n\
                    scope: {in: [src/]}\nacceptance_criteria: [works]\n";

#[track_caller]
fn read(text: &str) -> (Task, Vec<Warning>) {
    Task::parse(text, "t.yaml").unwrap_or_else(|mistakes| panic!("{text}\n{mistakes:#?}"))
}

/// A task that is right but for what is added.
#[track_caller]
fn with(rest: &str) -> Task {
    read(&format!("{HEAD}{rest}")).0
}

fn values<T: Clone>(placed: &[Placed<T>]) -> Vec<T> {
    placed.iter().map(|placed| placed.value.clone()).collect()
}

/// CX-02: a task is read with all its fields.
#[test]
fn a_task_is_read_with_all_its_fields() {
    let (task, warnings) = read(include_str!("task/full.task.yaml"));
    assert_eq!(warnings, []);
    assert_eq!(task.id.as_str(), "TASK-0824");
    assert_eq!(task.title.value, "Limit the attempts to log in: five per minute");
    assert_eq!((task.title.place.line, task.title.place.column), (4, 8));
    assert_eq!(task.priority, Priority::P1);
    assert_eq!(task.area.value, "backend");
    assert_eq!(task.status, Status::InProgress);
    assert!(task.description.value.starts_with("# Why\n\nAttackers try"));
    assert!(task.description.value.contains("# a comment in code\n"));
    assert_eq!(task.description.place.line, 9, "where the text begins");
    assert_eq!(values(&task.scope_in), ["src/auth/", "src/**/*.rs", ":docs", "the settings page"]);
    assert_eq!(task.scope_in[2].place.line, 26);
    assert_eq!(values(&task.scope_out), ["src/auth/legacy.rs"]);
    assert_eq!(values(&task.acceptance_criteria).len(), 2);
    assert_eq!(task.roles, ["implementer", "security-reviewer"]);
    assert_eq!(task.tags, ["security", "login"]);
    assert_eq!(task.depends_on.iter().map(ToString::to_string).collect::<Vec<_>>(), ["TASK-0801"]);
    let link = |title: Option<&str>, url: &str| Link {
        title: title.map(str::to_owned),
        url: url.to_owned(),
    };
    let links =
        [link(None, "https://example.com/a#b"), link(Some("Policy"), "https://example.com/policy")];
    assert_eq!(task.links, links);
    let section = |file: &str, section: &str, requirement: Option<&str>| Override {
        file: file.to_owned(),
        section: section.to_owned(),
        requirement: requirement.map(str::to_owned),
    };
    assert_eq!(
        values(&task.standards),
        [
            section("standards/security.md", "rate-limits", None),
            section("standards/global.md", "Evidence", Some("Keep the log of the load test.")),
        ]
    );
}

/// CX-02: commands are texts or say more.
#[test]
fn commands_are_texts_or_say_more() {
    let (task, _) = read(include_str!("task/full.task.yaml"));
    let plain = QaCommand {
        id: "val-001".to_owned(),
        command: "cargo test -p auth".to_owned(),
        description: None,
        cwd: None,
        package: None,
        env: [].into(),
        expected_paths: vec![],
        blocker_id: None,
        timeout_ms: 120_000,
        is_timed: false,
        retry: Retry { max_attempts: 1, backoff_ms: 0 },
        criticality: Criticality::Required,
        expected_exit_codes: vec![0],
    };
    let full = QaCommand {
        id: "load".to_owned(),
        command: "make load".to_owned(),
        description: Some("Under load".to_owned()),
        cwd: Some("tools/load".to_owned()),
        package: Some("load".to_owned()),
        env: [("CI".to_owned(), "yes".to_owned()), ("EMPTY".to_owned(), String::new())].into(),
        expected_paths: vec!["target/load.json".to_owned()],
        blocker_id: Some("B-1".to_owned()),
        timeout_ms: 300_000,
        is_timed: true,
        retry: Retry { max_attempts: 3, backoff_ms: 500 },
        criticality: Criticality::Optional,
        expected_exit_codes: vec![0, 3],
    };
    assert_eq!(values(&task.qa_commands), [plain, full]);
}

/// CX-02: what is left out has a default.
#[test]
fn what_is_left_out_has_a_default() {
    let task = with("");
    assert_eq!(task.status, Status::Todo);
    assert_eq!(task.roles, [""; 0]);
    assert_eq!(ROLES, ["implementer", "reviewer", "validator"]);
    assert_eq!((task.qa_commands.len(), task.standards.len(), task.links.len()), (0, 0, 0));
    assert_eq!(with("roles:\nqa:\ntags: []\nx-team: [a, b]\n").roles.len(), 0);
}

/// CX-02: texts are what was written.
#[test]
fn texts_are_what_was_written() {
    for text in ["no", "on", "Yes", "1e3", "0o12", "0x1F", "2024-01-02", "1_000", ".inf", "12:30"] {
        let title =
            format!("{}tags: [{text}]\n", HEAD.replace("title: T", &format!("title: {text}")));
        let (task, _) = read(&title);
        assert_eq!((task.title.value.as_str(), task.tags[0].as_str()), (text, text));
    }
    assert_eq!(with("tags: ['null', \"~\", !!str null]\n").tags, ["null", "~", "null"]);
}

/// CX-02: ends of lines and byte order marks change nothing.
#[test]
fn ends_of_lines_and_byte_order_marks_change_nothing() {
    let text = include_str!("task/full.task.yaml");
    let task = read(text).0;
    for other in
        [text.replace('\n', "\r\n"), format!("\u{feff}{text}"), format!("---\n{text}...\n")]
    {
        let found = read(&other).0;
        assert_eq!(found.title.value, task.title.value);
        assert_eq!(found.description.value, task.description.value);
        assert_eq!(found.acceptance_criteria.len(), task.acceptance_criteria.len());
    }
    assert_eq!(read(&format!("\u{feff}{text}")).0, task, "places are the same too");
    assert_eq!(read(&text.replace('\n', "\r\n")).0, task);
    assert_eq!(read(&text.replace('\n', "\r")).0, task);
}

/// CX-02: statuses and priorities have other spellings.
#[test]
fn statuses_and_priorities_have_other_spellings() {
    for (text, status) in [
        ("todo", Status::Todo),
        ("in_progress", Status::InProgress),
        ("In Progress", Status::InProgress),
        ("in-progress", Status::InProgress),
        ("BLOCKED", Status::Blocked),
        ("done", Status::Done),
        ("completed", Status::Done),
        ("canceled", Status::Cancelled),
    ] {
        assert_eq!(with(&format!("status: {text}\n")).status, status, "{text}");
    }
    for status in Status::ALL {
        assert_eq!(Status::parse(status.name()), Some(status));
    }
    assert_eq!(Priority::parse("p3"), Some(Priority::P3));
}

/// CX-02: times have units.
#[test]
fn times_have_units() {
    for (text, ms) in
        [("90", 90_000), ("90s", 90_000), ("2m", 120_000), ("1500ms", 1_500), ("1 h", 3_600_000)]
    {
        let task = with(&format!("qa: {{commands: [{{command: a, timeout: {text}}}]}}\n"));
        assert_eq!(task.qa_commands[0].value.timeout_ms, ms, "{text}");
    }
}

/// CX-02: a value can be repeated.
#[test]
fn a_value_can_be_repeated() {
    assert_eq!(with("x-tags: &t [a, b]\ntags: *t\n").tags, ["a", "b"]);
}
