//! The tools, called well and badly.

use countersign_testkit::Project;
use serde_json::{Value, json};

use crate::{PROGRAM, answer, answers, call_tools, hello, lines, project, text, tool};

/// PL-04: every tool has a description and a schema of its arguments.
#[test]
fn tools_have_schemas() {
    let mut frames = hello("2025-06-18");
    frames.push(json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/list" }));
    let answers = answers(project().call(["mcp"]), lines(&frames));
    let tools = answer(&answers, 1)["result"]["tools"].as_array().unwrap();
    let required = |tool: &Value| {
        assert_eq!(tool["inputSchema"]["type"], "object", "{tool}");
        assert!(tool["description"].as_str().is_some_and(|text| text.len() > 40), "{tool}");
        assert!(tool["annotations"]["readOnlyHint"] == true || tool["annotations"].is_object());
        let required = tool["inputSchema"]["required"].clone();
        let properties = &tool["inputSchema"]["properties"];
        for name in required.as_array().into_iter().flatten() {
            assert!(properties[name.as_str().unwrap()]["type"].is_string(), "{tool}");
        }
        (tool["name"].as_str().unwrap().to_owned(), required)
    };
    let name = json!(["memory_name"]);
    let expected = [
        ("list_memories", Value::Null),
        ("read_memory", name.clone()),
        ("write_memory", json!(["memory_name", "content"])),
        ("delete_memory", name),
        ("worklog_current", Value::Null),
        ("worklog_note_todo", json!(["content"])),
        ("task_list", Value::Null),
        ("context_show", json!(["task"])),
        ("context_export", json!(["task", "role"])),
        ("context_update", json!(["task", "role"])),
        ("context_block", json!(["task", "role", "finding"])),
        ("context_snapshot", json!(["task", "role"])),
        ("context_verify", json!(["task"])),
        ("context_diff", json!(["task"])),
        ("context_record_qa", json!(["task", "role", "path"])),
        ("context_attach", json!(["task", "path", "kind"])),
        ("task_new", json!(["title"])),
        ("task_check", Value::Null),
        ("task_complete", json!(["task"])),
        ("context_init", json!(["task"])),
        ("context_list", Value::Null),
        ("context_rebuild", json!(["task"])),
        ("context_restore", json!(["task", "role"])),
        ("context_unblock", json!(["task", "role", "finding", "note"])),
        ("context_purge", json!(["task", "because"])),
        ("context_sweep", Value::Null),
        ("checkpoint_list", Value::Null),
        ("checkpoint_show", Value::Null),
    ];
    let expected = expected.map(|(name, required)| (name.to_owned(), required));
    let takes_away = |tool: &&Value| tool["annotations"]["destructiveHint"] == true;
    let destructive: Vec<&str> =
        tools.iter().filter(takes_away).map(|tool| tool["name"].as_str().unwrap()).collect();
    assert_eq!(destructive, ["delete_memory", "task_complete", "context_purge", "context_sweep"]);
    assert_eq!(tools.iter().map(required).collect::<Vec<_>>(), expected);
}

/// WL-13, PL-04: what an agent writes is there for the command line and for other agents, in the
/// order in which it was asked for, under its own name.
#[test]
fn memories_are_shared() {
    let project = project();
    project.run(["memory", "write", "from/user", "hello"]).expect(0);
    let results = call_tools(
        &project,
        &[
            ("write_memory", json!({ "memory_name": "design/api", "content": "REST\n" })),
            ("read_memory", json!({ "memory_name": "design/api" })),
            ("read_memory", json!({ "memory_name": "from/user" })),
            ("list_memories", json!({})),
            ("list_memories", json!({ "topic": "design/" })),
            ("delete_memory", json!({ "memory_name": "from/user" })),
            ("list_memories", json!({ "topic": "from" })),
        ],
    );
    let texts: Vec<String> = results.iter().map(|result| text(result, false)).collect();
    let expected = [
        "written: design/api",
        "REST\n",
        "hello",
        "design/api\nfrom/user",
        "design/api",
        "deleted: from/user",
        "nothing is remembered here",
    ];
    assert_eq!(texts, expected);
    let data: Vec<&Value> = results.iter().map(|result| &result["structuredContent"]).collect();
    assert_eq!(*data[0], json!({ "written": "design/api" }));
    assert_eq!(*data[1], Value::Null, "a text is the answer, and needs no second form");
    assert_eq!(*data[3], json!({ "memories": ["design/api", "from/user"] }));
    assert_eq!(*data[6], json!({ "memories": [] }));
    project.run(["memory", "list"]).expect(0).prints("mcp:some-agent");
    project.run(["ledger", "verify"]).expect(0);
}

/// PL-04: a long list is cut, and says so.
#[test]
fn long_lists_are_cut() {
    let project = project();
    let name = |n: usize| format!("n/{n:04}");
    let calls: Vec<(&str, Value)> = (0..503)
        .map(|n| ("write_memory", json!({ "memory_name": name(n), "content": "x" })))
        .chain([("list_memories", json!({}))])
        .collect();
    let results = call_tools(&project, &calls);
    let list = results.last().unwrap();
    assert!(text(list, false).ends_with("n/0499\nand 3 more: give a topic"));
    let data = &list["structuredContent"];
    assert_eq!((data["memories"].as_array().unwrap().len(), &data["more"]), (500, &json!(3)));
}

/// PL-04: what goes wrong is told to the agent, with what to do, and the session goes on.
#[test]
fn mistakes_are_answers() {
    let project = project();
    let cases = [
        ("nope", json!({}), "there is no tool 'nope'\nhint: tools/list names the tools"),
        ("read_memory", json!({}), "the arguments of read_memory: missing field `memory_name`"),
        ("read_memory", json!({ "memory_name": 7 }), "invalid type: integer `7`"),
        ("write_memory", json!({ "memory_name": "a", "content": ["x"] }), "invalid type: sequence"),
        ("write_memory", json!({ "memory_name": "../a", "content": "" }), "is not the name of a"),
        ("write_memory", json!({ "memory_name": "_worklog/1", "content": "" }), "can't be changed"),
        ("delete_memory", json!({ "memory_name": "_worklog/1" }), "goes only by retention"),
        ("read_memory", json!({ "memory_name": "gone" }), "there is no memory 'gone'\nhint: "),
        ("delete_memory", json!({ "memory_name": "gone" }), "there is no memory 'gone'\nhint: "),
        ("list_memories", json!({ "topic": null }), "invalid type: null"),
        ("worklog_note_todo", json!({ "content": "x", "status": "?" }), "'?' is not a status"),
    ];
    let calls: Vec<(&str, Value)> =
        cases.iter().map(|(name, arguments, _)| (*name, arguments.clone())).collect();
    for (result, (name, arguments, said)) in call_tools(&project, &calls).iter().zip(&cases) {
        let text = text(result, true);
        assert!(text.contains(said), "{name} {arguments}: {text}");
    }
    let more = json!({ "memory_name": "a", "content": "x", "max_chars": -1 });
    let results = call_tools(&project, &[("write_memory", more)]);
    assert_eq!(text(&results[0], false), "written: a", "what isn't known is left alone");
}

/// PL-04: outside of a repository every tool says so.
#[test]
fn there_must_be_a_repository() {
    let project = Project::without_repository(PROGRAM);
    let results = call_tools(
        &project,
        &[
            ("list_memories", json!({})),
            ("write_memory", json!({ "memory_name": "a", "content": "x" })),
            ("worklog_current", json!({})),
        ],
    );
    for result in results {
        assert!(text(&result, true).contains("no git repository"), "{result}");
    }
}

/// WL-13: one agent's servers, and those of others, in one repository at the same time.
#[test]
fn many_servers_share_a_ledger() {
    let project = project();
    std::thread::scope(|scope| {
        for agent in 0..4 {
            let project = &project;
            scope.spawn(move || {
                let mut frames = hello("2025-06-18");
                frames.extend((1..=10).map(|n| {
                    let name = format!("agent-{agent}/{n}");
                    let arguments = json!({ "memory_name": name, "content": "x" });
                    tool(n, "write_memory", &arguments)
                }));
                let answers = answers(project.call(["mcp"]), lines(&frames));
                for n in 1..=10 {
                    text(&answer(&answers, n)["result"], false);
                }
            });
        }
    });
    let all = project.run(["memory", "list", "--format", "json"]).expect(0).data();
    assert_eq!(all["memories"].as_array().unwrap().len(), 40);
    project.run(["ledger", "verify"]).expect(0);
}

/// Tells the hook of Claude Code's session `name` of an event.
#[track_caller]
fn tell(project: &Project, name: &str, event: &str, fields: &Value) {
    let mut payload =
        json!({ "session_id": name, "cwd": project.root(), "hook_event_name": event });
    for (name, value) in fields.as_object().unwrap() {
        payload[name] = value.clone();
    }
    // A process that started nobody here.
    let call = project.call(["hook", "claude"]).env("CLAUDE_PID", "1");
    call.stdin(payload.to_string()).run().expect(0);
}

/// PL-04, D0.8: an agent without a list of its own notes its todos in the session that is open,
/// and in none that is over.
#[test]
fn todos_are_noted_in_the_open_session() {
    let project = project();
    let prompt = json!({ "prompt": "Implement pagination for the orders endpoint" });
    tell(&project, "s1", "UserPromptSubmit", &prompt);
    let todo = |status: &str| json!({ "content": "write it", "status": status });
    let calls = [
        ("worklog_note_todo", json!({ "content": "test it" })),
        ("worklog_note_todo", todo("in_progress")),
        ("worklog_note_todo", todo("completed")),
        ("worklog_current", json!({})),
    ];
    let results = call_tools(&project, &calls);
    let current = &results[3]["structuredContent"];
    assert_eq!(current["tier"], "STANDARD");
    let todos = json!([
        { "content": "test it", "status": "pending" },
        { "content": "write it", "status": "completed" },
    ]);
    assert_eq!(current["todos"], todos);
    assert!(text(&results[3], false).ends_with("[ ] test it\n[x] write it"), "{}", results[3]);
    tell(&project, "s1", "SessionEnd", &json!({ "reason": "other" }));
    let late = call_tools(&project, &[("worklog_note_todo", todo("pending"))]);
    assert!(text(&late[0], true).contains("no session is open"), "{}", late[0]);
}

/// PL-04: of two agents at work, the one that started the server is meant.
#[test]
fn todos_are_noted_in_the_own_session() {
    let project = project();
    let payload = json!({
        "session_id": "own", "cwd": project.root(), "hook_event_name": "UserPromptSubmit",
        "prompt": "Implement pagination for the orders endpoint",
    });
    let own = std::process::id().to_string();
    let call = project.call(["hook", "claude"]).env("CLAUDE_PID", own);
    call.stdin(payload.to_string()).run().expect(0);
    let prompt = json!({ "prompt": "Implement search for the orders endpoint" });
    tell(&project, "other", "UserPromptSubmit", &prompt);
    let results = call_tools(&project, &[("worklog_current", json!({}))]);
    let task = &results[0]["structuredContent"]["task"];
    assert_eq!(*task, "Implement pagination for the orders endpoint");
}
