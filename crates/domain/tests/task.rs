//! CX-02: task files, and everything that can be wrong with them.

use countersign_domain::task::{
    Criticality, Link, Override, Placed, Priority, QaCommand, Retry, Status, Task, Warning,
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

/// All mistakes of a file, one per line, without its name.
#[track_caller]
fn mistakes(text: &str, expected: &[&str]) {
    let found = match Task::parse(text, "t.yaml") {
        Ok((task, _)) => panic!("no mistake was found in\n{text}\n{task:#?}"),
        Err(mistakes) => mistakes,
    };
    let found: Vec<String> = found
        .iter()
        .map(|mistake| mistake.to_string().trim_start_matches("t.yaml:").to_owned())
        .collect();
    assert_eq!(found, expected, "{text}");
}

/// The mistakes of a task that is right but for what is added in line 8.
#[track_caller]
fn mistakes_with(rest: &str, expected: &[&str]) {
    mistakes(&format!("{HEAD}{rest}"), expected);
}

#[track_caller]
fn warnings(text: &str, expected: &[&str]) {
    let (_, found) = read(text);
    let found: Vec<String> = found
        .iter()
        .map(|warning| warning.to_string().trim_start_matches("t.yaml:").to_owned())
        .collect();
    assert_eq!(found, expected, "{text}");
}

fn values<T: Clone>(placed: &[Placed<T>]) -> Vec<T> {
    placed.iter().map(|placed| placed.value.clone()).collect()
}

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
        retry: Retry { max_attempts: 3, backoff_ms: 500 },
        criticality: Criticality::Optional,
        expected_exit_codes: vec![0, 3],
    };
    assert_eq!(values(&task.qa_commands), [plain, full]);
}

#[test]
fn what_is_left_out_has_a_default() {
    let task = with("");
    assert_eq!(task.status, Status::Todo);
    assert_eq!(task.roles, ["implementer", "reviewer", "validator"]);
    assert_eq!((task.qa_commands.len(), task.standards.len(), task.links.len()), (0, 0, 0));
    assert_eq!(with("roles:\nqa:\ntags: []\nx-team: [a, b]\n").roles.len(), 3);
}

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

#[test]
fn times_have_units() {
    for (text, ms) in
        [("90", 90_000), ("90s", 90_000), ("2m", 120_000), ("1500ms", 1_500), ("1 h", 3_600_000)]
    {
        let task = with(&format!("qa: {{commands: [{{command: a, timeout: {text}}}]}}\n"));
        assert_eq!(task.qa_commands[0].value.timeout_ms, ms, "{text}");
    }
    for text in ["0", "999ms", "61m", "soon", "-1", "1.5s", "ms", "99999999999999999999h", "٣s"] {
        let what = format!(
            "8:39: qa.commands[0].timeout: '{text}' is no time from 1 second to 1 hour; write it \
             as 90s or 5m"
        );
        mistakes_with(&format!("qa: {{commands: [{{command: a, timeout: {text}}}]}}\n"), &[&what]);
    }
}

#[test]
fn all_mistakes_are_told_at_once() {
    mistakes(
        include_str!("task/wrong.task.yaml"),
        &[
            "1:1: title: the key 'title' is missing; add 'title: …'",
            "1:5: id: 'TASK 1' can't be a task's id: it has other characters than letters, \
             digits, '-', '_' and '.'; write one like TASK-0824",
            "2:1: titel: there is no key 'titel'; did you mean 'title'?",
            "3:11: priority: 'high' is no priority; use P0, P1, P2 or P3",
            "4:5: area: it is empty; write a text",
            "5:9: status: 'finished' is no status; use one of: todo, in_progress, blocked, done, \
             cancelled",
            "6:14: description: it is a list, and must be a text; write a text, in quotes if it \
             has special characters",
            "8:3: scope.inn: there is no key 'inn'; did you mean 'in'?",
            "9:8: scope.out: it is a text, and must be a list; put each item on a line that \
             begins with '- '",
            "11:5: acceptance_criteria[0]: YAML reads ': ' as the end of a key, so this is no \
             text; put the whole text in quotes",
            "12:5: acceptance_criteria[1]: it is empty; write a text",
            "15:7: qa.commands[0]: the key 'command' is missing; add 'command: …'",
            "16:16: qa.commands[0].timeout: '2 days' is no time from 1 second to 1 hour; write \
             it as 90s or 5m",
            "17:32: qa.commands[0].expected_exit_codes[1]: '256' is no number from 0 to 255; \
             write it in digits",
            "18:13: standards[0]: 'global.md' doesn't say which section; write file#section",
            "18:24: standards[1]: '../a.md': '..' leads out of the repository, or may; write the \
             path from the root of the repository",
            "19:12: roles[1]: 'a' is here twice; leave it out once",
            "19:15: roles[2]: 'The Boss' can't be the name of a role; use up to 40 small letters, \
             digits, '-' and '_', a letter first",
            "20:14: depends_on[0]: 'a b' can't be a task's id: it has other characters than \
             letters, digits, '-', '_' and '.'; write one like TASK-0824",
            "21:1: priority: it is here twice; it was in line 3 first; keep one of the two",
        ],
    );
}

#[test]
fn one_broken_entry_hides_no_other_mistake() {
    mistakes(
        "id: T-1\ntitle: \"open\npriority: P9\narea: core\ndescription: |\n\ttab\n\
         scope:\n  in: [a\nstatus: dnoe\n",
        &[
            "2:8: title: a quote is opened and not closed; close it at the end of the text",
            "3:11: priority: 'P9' is no priority; use P0, P1, P2 or P3",
            "6:1: description: a tab stands where YAML allows only spaces; indent with spaces",
            "8:7: scope: '[' is opened and not closed; close it, or put the text in quotes",
            "9:9: status: 'dnoe' is no status; did you mean 'done'?",
        ],
    );
}

#[test]
fn what_is_no_task_is_told() {
    let empty = "1:1: the file has no task in it; write 'id: …' and the other keys of a task";
    for text in ["", "\n\n", "# only a comment\n", "---\n", "\u{feff}", "~\n"] {
        mistakes(text, &[empty]);
    }
    let no_map = |kind: &str| {
        format!(
            "1:1: it is {kind}, and must have keys of its own; write 'key: value' lines below it"
        )
    };
    mistakes("- a\n- b\n", &[&no_map("a list")]);
    mistakes("just a text\n", &[&no_map("a text")]);
    let second = "8:1: a second document begins here; keep one document; give the other a file of \
                  its own";
    mistakes(&format!("{HEAD}---\nid: T-2\n"), &[second]);
    let large = "1:1: the file has 1048577 bytes, and 1048576 are allowed; move what is large \
                 into files of its own and link to them";
    mistakes(&"#".repeat(1024 * 1024 + 1), &[large]);
}

#[test]
fn single_mistakes() {
    let cases = include_str!("task/mistakes.txt").trim_end().split("\n\n").skip(1);
    for case in cases {
        let (added, expected) = case.split_once("\n=> ").expect("a case has a mistake");
        mistakes_with(&format!("{added}\n"), &[expected]);
    }
}

#[test]
fn what_is_odd_is_a_warning() {
    let head = HEAD.replace("scope: {in: [src/]}\nacceptance_criteria: [works]\n", "");
    warnings(
        &head,
        &[
            "1:1: acceptance_criteria: there are no acceptance criteria, so nobody can tell when \
             the task is done; write some below 'acceptance_criteria:'",
            "1:1: scope: nothing is in scope, so every change is outside of it; write some below \
             'scope:'",
        ],
    );
    warnings(
        &HEAD.replace("title: T", "title: Fix #12"),
        &[
            "2:8: title: '#12' is a comment to YAML and not part of the text; put the text in quotes \
           if it belongs to it",
        ],
    );
    warnings(&HEAD.replace("title: T", "title: Fix # a note"), &[]);
    warnings(&HEAD.replace("title: T", "title: 'Fix #12'"), &[]);
    for (text, name) in [("a\\u202eb", "202E"), ("a\\0b", "0000"), ("a\\u200bb", "200B")] {
        let what = format!(
            "2:8: title: it has the invisible character U+{name}; take it out: people can't see \
             it, and agents read it"
        );
        warnings(&HEAD.replace("title: T", &format!("title: \"{text}\"")), &[&what]);
    }
    warnings(&HEAD.replace("title: T", "title: 👩‍💻 नमस्ते"), &[]);
}

#[test]
fn aliases_are_bounded() {
    let shared = with("x-tags: &t [a, b]\ntags: *t\n");
    assert_eq!(shared.tags, ["a", "b"]);
    let mut bomb = String::from("x-0: &a0 [x, x, x, x, x, x, x, x, x]\n");
    for level in 1..20 {
        let line = format!(
            "x-{level}: &a{level} [{}*a{}]\n",
            format!("*a{}, ", level - 1).repeat(8),
            level - 1
        );
        bomb.push_str(&line);
    }
    let found = Task::parse(&format!("{HEAD}{bomb}"), "t.yaml").unwrap_err();
    assert!(
        found.iter().all(|mistake| mistake.what.contains("more than aliases may")),
        "{found:?}"
    );
    let large = format!("x-a: &a \"{}\"\ntags: [{}]\n", "x".repeat(400_000), "*a, ".repeat(50_000));
    assert!(Task::parse(&format!("{HEAD}{large}"), "t.yaml").is_err());
}
