//! CX-02, CX-18: changing a task's status, and beginning a new task.

use countersign_domain::normal::normalise;
use countersign_domain::task::{Priority, Status, Task, TaskId, template, with_status};
use proptest::prelude::*;

#[track_caller]
fn check(before: &str, after: &str) {
    let changed = with_status(before, "t.yaml", Status::Done);
    assert_eq!(changed.as_deref(), Ok(after), "{before}");
}

#[track_caller]
fn refused(text: &str, expected: &str) {
    let told = with_status(text, "t.yaml", Status::Done)
        .map_err(|mistakes| mistakes.iter().map(ToString::to_string).collect::<Vec<_>>());
    assert_eq!(told, Err(vec![expected.to_owned()]), "{text}");
}

/// CX-02: only the bytes of the status change.
#[test]
fn only_the_bytes_of_the_status_change() {
    check("status: todo\n", "status: done\n");
    check("status: todo", "status: done");
    check("a: 1\nstatus:   todo   # soon\nb: 2\n", "a: 1\nstatus:   done   # soon\nb: 2\n");
    check("status: \"todo\"\n", "status: done\n");
    check("status: 'in progress' # x\n", "status: done # x\n");
    check("status:\n  todo\nb: 1\n", "status:\n  done\nb: 1\n");
    check("\"status\" : todo\n", "\"status\" : done\n");
    check("{id: a, status: todo}\n", "{id: a, status: done}\n");
    check("{\"id\": \"a\", \"status\": \"todo\"}\n", "{\"id\": \"a\", \"status\": done}\n");
    check("a: &s todo\nstatus: *s\n", "a: &s todo\nstatus: done\n");
    check("\u{feff}ä: ö\r\nstatus: todo\r\n", "\u{feff}ä: ö\r\nstatus: done\r\n");
    check("--- # a\nstatus: todo\n...\n", "--- # a\nstatus: done\n...\n");
    check("a: |\n  status: todo\nstatus: todo\n", "a: |\n  status: todo\nstatus: done\n");
    check("status: [todo]\n", "status: done\n");
    check("a: {status: todo}\nstatus: todo\n", "a: {status: todo}\nstatus: done\n");
}

/// CX-02: an empty status is filled in.
#[test]
fn an_empty_status_is_filled_in() {
    check("status:\n", "status: done\n");
    check("status:", "status: done");
    check("status: # soon\nb: 1\n", "status: done # soon\nb: 1\n");
    check("status: ~\n", "status: done\n");
    check("status: null # x\n", "status: done # x\n");
    check("status: ''\n", "status: done\n");
}

/// CX-02: a missing status is added below the head.
#[test]
fn a_missing_status_is_added_below_the_head() {
    check("id: a\n", "id: a\nstatus: done\n");
    check("id: a", "id: a\nstatus: done");
    check(
        "id: a # x\r\ntitle: b\r\n# c\r\nd: e\r\n",
        "id: a # x\r\ntitle: b\r\nstatus: done\r\n# c\r\nd: e\r\n",
    );
    check("id: a\narea: 'b\n  c'\nd: e\n", "id: a\narea: 'b\n  c'\nstatus: done\nd: e\n");
    check("# x\n  id: a\n  d: e\n", "# x\n  id: a\n  status: done\n  d: e\n");
    check("tags: [a]\n", "status: done\ntags: [a]\n");
    check("description: |\n  a\n", "status: done\ndescription: |\n  a\n");
    check("{id: a}\n", "{status: done, id: a}\n");
    check("id: a\nd: |\n  x", "id: a\nstatus: done\nd: |\n  x");
}

/// CX-02: what would change more is refused.
#[test]
fn what_would_change_more_is_refused() {
    let here = "the status can't be changed here without touching something else; write 'status: \
                done' on a line of its own";
    refused("id: a\nstatus: &s todo\nb: *s\n", &format!("t.yaml:2:1: status: {here}"));
    refused("- a\n", &format!("t.yaml:1:1: status: {here}"));
    refused("", &format!("t.yaml:1:1: status: {here}"));
    refused(
        "a: \"\nstatus: todo\n",
        "t.yaml:1:4: a: a quote is opened and not closed; close it at the end of the text",
    );
    refused(
        "status: todo\nstatus: todo\n",
        "t.yaml:2:1: status: it is here twice; it was in line 1 first; keep one of the two",
    );
}

/// A task's file in one of many spellings, with `status` somewhere in it or not at all.
fn files() -> impl Strategy<Value = String> {
    let head = prop::sample::select(vec!["", "\u{feff}", "# note\n", "---\n", "\n\n"]);
    let id = prop::sample::select(vec!["id: T-1\n", "id: 'T-1' # c\n", "\"id\": T-1\n"]);
    let title = "[a-zäß#:'\" ]{0,20}".prop_map(|text| {
        format!("title: {}\n", serde_json::to_string(&format!("T {text}")).unwrap_or_default())
    });
    let fixed = Just("priority: P1\narea: core\n".to_owned());
    let text = "[a-zé#: \n-]{0,60}"
        .prop_map(|text| format!("description: |\n  D\n  {}\n", text.replace('\n', "\n  ")));
    let scope = prop::sample::select(vec!["", "scope:\n  in:\n  - a\n", "scope: {in: [a, b]}\n"]);
    let status = prop::sample::select(vec![
        "",
        "status: todo\n",
        "status:   'blocked'   # why\n",
        "status:\n",
        "status: ~\n",
        "status:\n    in progress\n",
        "\"status\": \"todo\"\n",
    ]);
    let parts = (id, title, fixed, text, scope, status);
    let entries = parts.prop_flat_map(|(id, title, fixed, text, scope, status)| {
        Just(vec![id.to_owned(), title, fixed, text, scope.to_owned(), status.to_owned()])
            .prop_shuffle()
    });
    (head, entries, prop::bool::ANY, prop::bool::ANY).prop_map(|(head, entries, crlf, cut)| {
        let text = format!("{head}{}", entries.concat());
        let text = if cut { text.trim_end().to_owned() } else { text };
        if crlf { text.replace('\n', "\r\n") } else { text }
    })
}

/// A task without the places of its parts.
fn said(text: &str) -> Option<(Status, serde_json::Value)> {
    let mut task = Task::parse(text, "t.yaml").ok()?.0;
    let status = std::mem::replace(&mut task.status, Status::Todo);
    Some((status, serde_json::to_value(task).ok()?))
}

proptest! {
    /// CX-02: everything but the status stays.
    #[test]
    fn everything_but_the_status_stays(text in files(), new in prop::sample::select(Status::ALL.to_vec())) {
        let changed = with_status(&text, "t.yaml", new).unwrap();
        // What comes before and after the place of the change is the same, byte for byte.
        let before = text.bytes().zip(changed.bytes()).take_while(|(a, b)| a == b).count();
        let most = text.len().min(changed.len()) - before;
        let ends = text.bytes().rev().zip(changed.bytes().rev());
        let after = ends.take(most).take_while(|(a, b)| a == b).count();
        let gone = &text[before..text.len() - after];
        let come = &changed[before..changed.len() - after];
        prop_assert!(gone.len() <= "in_progress".len(), "{:?} became {:?}", gone, come);
        prop_assert!(come.len() <= "\r\nstatus: in_progress\r\n".len());
        // And it says the same, but for the status.
        if let Some((_, rest)) = said(&text.replace("status:\n    in", "status: in")) {
            let (status, same) = said(&changed).unwrap();
            prop_assert_eq!(status, new);
            prop_assert_eq!(same, rest);
        }
        // Once more changes nothing.
        prop_assert_eq!(with_status(&changed, "t.yaml", new).unwrap(), changed);
    }

    /// CX-02: any text is changed or refused.
    #[test]
    fn any_text_is_changed_or_refused(text in "[ -~\n\t{}\\[\\]:#&*|>'\"-]{0,80}") {
        let before = format!("status: todo\nx-a: b\n{text}");
        if let Ok(changed) = with_status(&before, "t.yaml", Status::Done) {
            prop_assert_eq!(changed, format!("status: done\nx-a: b\n{text}"));
        }
    }

    /// CX-02: templates are tasks.
    #[test]
    fn templates_are_tasks(title in "\\PC{0,40}", area in "[a-z\"\\\\: #]{0,10}", wild: String) {
        let id: TaskId = "TASK-0001".parse().unwrap();
        let (title, area) = (format!("T {title}{wild}"), format!("a{area}"));
        let text = template(&id, &title, Priority::P2, &area);
        let (task, warnings) = Task::parse(&text, "t.yaml").unwrap();
        let words = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
        prop_assert_eq!(task.title.value, words(&title));
        prop_assert_eq!(task.area.value, words(&area));
        prop_assert_eq!((task.id, task.priority, task.status), (id, Priority::P2, Status::Todo));
        prop_assert!(warnings.iter().any(|warning| warning.what.contains("of the template")));
    }
}

/// The template is commented, and shows what it means.
#[test]
fn the_template_is_what_we_ship() {
    let text = template(&"TASK-0001".parse().unwrap(), "Say \"hello\"", Priority::P1, "core");
    assert!(text.contains("id: TASK-0001\ntitle: \"Say \\\"hello\\\"\"\n"), "{text}");
    assert!(text.lines().filter(|line| line.trim_start().starts_with('#')).count() > 8);
    assert!(text.lines().all(|line| line.len() <= 100 && line.trim_end() == line));
    let (task, warnings) = Task::parse(&text, "t.yaml").unwrap();
    assert_eq!(normalise(&task.description.value), task.description.value, "it is normal");
    let keys: Vec<&str> = warnings.iter().map(|warning| warning.key.as_str()).collect();
    assert_eq!(keys, ["description", "scope", "acceptance_criteria"]);
}
