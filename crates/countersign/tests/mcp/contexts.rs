//! Tasks and contexts as an agent reaches them.

use countersign_testkit::Project;
use serde_json::json;

use crate::{call_tools, project, text};

const TASK: &str = "\
id: T-1
title: Greet by name
priority: P1
area: greeting
description: Greet people by their name.
scope: {in: [greet.sh], out: []}
acceptance_criteria: [It greets by name.]
qa: {commands: [sh greet.sh Ada]}
standards: [\"RULES.md#tests\"]
";

fn desk() -> Project {
    let project = project();
    project.write("tasks/T-1.task.yaml", TASK);
    project.write("RULES.md", "## Tests\n\nEvery change comes with a test.\n");
    project.commit("A task");
    project.run(["context", "init", "T-1"]).expect(0);
    project
}

/// CX-20, PL-04: a role takes part through tools alone, from reading to handing over.
#[test]
fn a_role_takes_part_through_tools() {
    let project = desk();
    project.write("greet.sh", "echo Hello, $1\n");
    project.write("plan.md", "one\ntwo\n");
    project.write("report.tap", "TAP version 13\n1..1\nok 1 - greets\n");
    let on = |role: &str| json!({ "task": "T-1", "role": role });
    let results = call_tools(
        &project,
        &[
            ("task_list", json!({})),
            ("context_export", on("implementer")),
            ("context_attach", json!({ "task": "T-1", "path": "plan.md", "kind": "plan" })),
            (
                "context_record_qa",
                json!({
                    "task": "T-1", "role": "implementer", "path": "report.tap", "exit_code": 0,
                }),
            ),
            ("context_snapshot", on("implementer")),
            ("context_verify", json!({ "task": "T-1" })),
            ("context_diff", on("implementer")),
            (
                "context_update",
                json!({ "task": "T-1", "role": "reviewer", "status": "in_progress" }),
            ),
            (
                "context_block",
                json!({ "task": "T-1", "role": "reviewer", "finding": "it is rude" }),
            ),
            ("context_show", json!({ "task": "T-1" })),
        ],
    );
    let said: Vec<String> = results.iter().map(|result| text(result, false)).collect();
    let expected = [
        "T-1 P1 todo [implementer in_progress]: Greet by name",
        "# T-1: Greet by name",
        "attached: ",
        "passed",
        "handed over: 3 files changed since the start",
        "the working tree is what implementer left",
        "+echo Hello, $1",
        "reviewer: in_progress",
        "finding 1: it is rude",
        "reviewer: blocked",
    ];
    for (said, expected) in said.iter().zip(expected) {
        assert!(said.contains(expected), "'{expected}' is not in:\n{said}");
    }
    let export = project.run(["ledger", "export"]).expect(0).out();
    assert!(export.contains("mcp:some-agent"), "who did it is on the record");
}

/// CX-11, CX-16: what only a person may say, no tool says.
#[test]
fn what_is_a_persons_is_no_tool() {
    let project = desk();
    project.write("greet.sh", "echo Hello, $1\n");
    let on = |role: &str| json!({ "task": "T-1", "role": role });
    text(&call_tools(&project, &[("context_snapshot", on("implementer"))])[0], false);
    project.write("greet.sh", "echo Bye, $1\n");
    let begin = json!({ "task": "T-1", "role": "reviewer", "status": "in_progress" });
    let secret = ["AKIA", "QYLPMN5HHHFPZAM2"].concat();
    let results = call_tools(
        &project,
        &[
            ("context_verify", json!({ "task": "T-1" })),
            ("context_update", begin),
            ("context_resolve_drift", json!({ "task": "T-1", "note": "fine" })),
            ("context_adopt", json!({ "task": "T-1", "note": "mine" })),
            ("context_update", json!({ "task": "T-1", "role": "reviewer", "session": secret })),
            ("context_update", json!({ "task": "T-1", "role": "reviewer", "force_secrets": true })),
        ],
    );
    let expected = [
        "greet.sh: edited",
        "nothing starts until a person has said why",
        "there is no tool 'context_resolve_drift'",
        "there is no tool 'context_adopt'",
        "looks like a secret",
        "unknown field `force_secrets`",
    ];
    for (result, expected) in results.iter().zip(expected) {
        let said = text(result, true);
        assert!(said.contains(expected), "'{expected}' is not in:\n{said}");
        assert!(!said.contains(&secret));
    }
}

/// SE-02: over MCP only the working tree can be read.
#[test]
fn agents_attach_only_what_is_theirs() {
    let project = desk();
    std::os::unix::fs::symlink("/etc/passwd", project.path("link")).unwrap();
    for path in ["/etc/passwd", "../../../../../../etc/passwd", "link", ".git/config"] {
        let attach = json!({ "task": "T-1", "path": path, "kind": "file" });
        let measure = json!({ "task": "T-1", "role": "implementer", "path": path, "exit_code": 0 });
        let results =
            call_tools(&project, &[("context_attach", attach), ("context_record_qa", measure)]);
        for result in &results {
            assert!(text(result, true).contains("is not in the working tree"), "{path}");
        }
    }
}

/// CX-20, PL-04: a task goes from its file to its end through tools alone.
#[test]
fn a_task_begins_and_ends_through_tools() {
    let project = project();
    project
        .write("tasks/T-1.task.yaml", TASK.replace("priority: P1", "priority: P1\nroles: [dev]"));
    project.write("RULES.md", "## Tests\n\nEvery change comes with a test.\n");
    project.commit("A task");
    let task = json!({ "task": "T-1" });
    let into = project.outside().join("restored");
    let calls = [
        ("task_new", json!({ "title": "Another one", "id": "T-2" }), "made: T-2"),
        ("task_check", task.clone(), "fine: 1 task files"),
        ("context_init", task.clone(), "dev: in_progress"),
        ("context_list", json!({}), "T-1: dev in_progress"),
        (
            "context_block",
            json!({ "task": "T-1", "role": "dev", "finding": "what is a name?" }),
            "dev: blocked",
        ),
        (
            "context_unblock",
            json!({ "task": "T-1", "role": "dev", "finding": 1, "note": "asked" }),
            "T-1: Greet by name",
        ),
        (
            "context_update",
            json!({ "task": "T-1", "role": "dev", "status": "in_progress" }),
            "dev: in_progress",
        ),
        ("context_rebuild", json!({ "task": "T-1", "dry_run": true }), "nothing has changed"),
        ("context_snapshot", json!({ "task": "T-1", "role": "dev" }), "handed over"),
        (
            "context_restore",
            json!({ "task": "T-1", "role": "dev", "into": into }),
            "the files as dev left them are in",
        ),
        ("context_sweep", json!({ "dry_run": true }), "there is nothing to sweep"),
        ("task_complete", task, "done: T-1"),
        ("context_purge", json!({ "task": "T-1", "because": "twice is fine" }), "purged: T-1"),
    ];
    for (tool, given, expected) in calls {
        let result = &call_tools(&project, &[(tool, given)])[0];
        let said = text(result, false);
        assert!(said.contains(expected), "{tool}: '{expected}' is not in:\n{said}");
        if tool == "context_init" {
            project.write("greet.sh", "echo Hello, $1\n");
        }
    }
    assert!(into.join("greet.sh").exists());
}
