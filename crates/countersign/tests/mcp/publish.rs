//! Publishing to a second backend: a server that works, and every way in which one doesn't.

use countersign_testkit::Project;
use serde_json::{Value, json};

use crate::{PROGRAM, project};

/// A server in a few lines of shell: it answers the two requests that we make, in its way.
const HELLO: &str = r#"{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-06-18","capabilities":{},"serverInfo":{"name":"s","version":"1"}}}"#;
const DONE: &str = r#"{"jsonrpc":"2.0","id":2,"result":{"content":[{"type":"text","text":"written"}],"isError":false}}"#;

/// A project whose second backend is the shell script `server`, with a memory to publish.
fn with_server(server: &str) -> Project {
    let project = project();
    project.write_program("server.sh", &format!("#!/bin/sh\n{server}\n"));
    with_command(project, &json!(["./server.sh"]), 1)
}

fn with_command(project: Project, command: &Value, seconds: u64) -> Project {
    let settings = format!("[memory]\nserena_command = {command}\ntimeout_seconds = {seconds}\n");
    std::fs::create_dir_all(project.home()).unwrap();
    std::fs::write(project.home().join("config.toml"), settings).unwrap();
    project.write("countersign.toml", "[memory]\nbackend = \"serena\"\n");
    project.run(["memory", "write", "notes/a", "what \"was\"\nlearnt"]).expect(0);
    project
}

fn publish(project: &Project, more: &[&str]) -> Value {
    let words = ["memory", "publish", "notes/a", "--format", "json"];
    let reply = project.run(words.iter().chain(more)).json();
    project.expect_no_survivors();
    assert_eq!(reply["success"], reply["data"]["outcome"] == "published", "{reply}");
    reply["data"].clone()
}

/// The kinds of the events about the backend.
fn record(project: &Project) -> Vec<String> {
    let export = project.run(["ledger", "export"]).expect(0).out();
    let lines = export.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    let ours = lines.filter(|line| line["event"]["stream"] == "memory/_backend");
    ours.map(|line| line["event"]["kind"].as_str().unwrap().to_owned()).collect()
}

#[track_caller]
fn check_unavailable(project: &Project, cause: &str, detail: &str) {
    let data = publish(project, &[]);
    assert_eq!(
        (&data["outcome"], &data["cause"]),
        (&json!("unavailable"), &json!(cause)),
        "{data}"
    );
    let said = data["detail"].as_str().unwrap();
    assert!(said.contains(detail), "{said}");
    assert_eq!(record(project), ["memory.unavailable"]);
}

/// WL-16: a memory is published to a server that speaks the protocol: another repository's own.
#[test]
fn another_repository_takes_a_memory() {
    let other = project();
    let root = other.root().to_str().unwrap().to_owned();
    let project = with_command(project(), &json!([PROGRAM, "-C", root, "mcp"]), 30);
    let data = publish(&project, &[]);
    assert_eq!(data["outcome"], "published", "{data}");
    assert_eq!(record(&project), ["memory.published"]);
    // The server runs with the environment of programs, so its home is the user's, not ours.
    let read = other.call(["memory", "read", "notes/a", "--format", "json"]);
    let read = read.run().expect(0).data();
    assert_eq!(read["text"], "what \"was\"\nlearnt");
    assert_eq!(read["actor"], "mcp:countersign");
    project.run(["ledger", "verify"]).expect(0);
}

/// WL-16: what is said to a server is what it expects, and what it says besides is survived.
#[test]
fn a_talkative_server_takes_a_memory() {
    let project = with_server(&format!(
        r#"echo "complaint" >&2
        echo "Welcome!"
        read -r hello; printf '%s\n' "$hello" >heard
        echo '{{"jsonrpc":"2.0","id":1,"method":"ping"}}'
        read -r pong; printf '%s\n' "$pong" >>heard
        echo '{HELLO}'
        read -r ready; printf '%s\n' "$ready" >>heard
        echo '{{"jsonrpc":"2.0","method":"notifications/message","params":{{"data":"x"}}}}'
        echo '{{"jsonrpc":"2.0","id":"r","method":"roots/list"}}'
        read -r call; printf '%s\n' "$call" >>heard
        read -r roots; printf '%s\n' "$roots" >>heard
        echo '{DONE}'
        cat >/dev/null; echo end >>heard"#
    ));
    let data = publish(&project, &[]);
    assert_eq!(data["outcome"], "published", "{data}");
    let heard = project.read("heard");
    let heard: Vec<&str> = heard.lines().collect();
    let frame = |n: usize| serde_json::from_str::<Value>(heard[n]).unwrap();
    assert_eq!(frame(0)["method"], "initialize");
    assert_eq!(frame(1), json!({ "jsonrpc": "2.0", "id": 1, "result": {} }));
    assert_eq!(frame(2)["method"], "notifications/initialized");
    let params = json!({
        "name": "write_memory",
        "arguments": { "memory_name": "notes/a", "content": "what \"was\"\nlearnt" },
    });
    assert_eq!(frame(3)["params"], params);
    assert_eq!(frame(4)["error"]["code"], -32601);
    assert_eq!(heard[5], "end", "it was let go before it was ended");
}

/// WL-16: every way to fail ends in its own name, on the record, with nothing left running.
#[test]
fn servers_fail_in_many_ways() {
    let answer = |words: &str| format!("read -r h; echo '{HELLO}'; read -r i; read -r c; {words}");
    let cases = [
        ("sleep 1000", "no_answer", "initialize"),
        ("sleep 1000 & sleep 1000", "no_answer", "initialize"),
        (&answer("sleep 1000"), "no_answer", "tools/call"),
        ("trap '' TERM; while :; do sleep 1; done", "no_answer", "initialize"),
        ("echo 'out of order' >&2; exit 3", "ended", "exit code 3: out of order"),
        ("kill -9 $$", "ended", "signal 9"),
        (&answer("exit 0"), "ended", "exit code 0"),
        ("exec /no/such/program", "not_started", "/no/such/program"),
        ("read -r h; echo 'what?'; cat >/dev/null", "garbled", "what?"),
        (
            "read -r h; echo '{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":7}'; cat >/dev/null",
            "garbled",
            "7",
        ),
        ("head -c 300000 /dev/zero | tr '\\0' x; sleep 1000", "no_answer", "initialize"),
        (
            "read -r h; echo '{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\"code\":1,\"message\":\"no\"}}'; cat >/dev/null",
            "refused",
            "no",
        ),
        (
            &answer(
                "echo '{\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{\"isError\":true,\"content\":[{\"type\":\"text\",\"text\":\"Unknown tool\"}]}}'; cat >/dev/null",
            ),
            "refused",
            "Unknown tool",
        ),
    ];
    std::thread::scope(|scope| {
        for (server, cause, detail) in cases {
            scope.spawn(move || check_unavailable(&with_server(server), cause, detail));
        }
    });
}

/// WL-16: a program that isn't there, or can't be run.
#[test]
fn missing_servers_are_told() {
    for (command, detail) in [
        (json!(["no-such-serena"]), "'no-such-serena' was not found in PATH"),
        (json!(["./no-such-serena"]), "not found"),
        (json!(["./README.md"]), "denied"),
        (json!([]), "no command is set"),
    ] {
        check_unavailable(&with_command(project(), &command, 2), "not_started", detail);
    }
}

/// WL-16: a server that reads nothing can't hold us up with a large text.
#[test]
fn a_deaf_server_is_given_up() {
    let project = with_server(&format!("read -r h; echo '{HELLO}'; exec sleep 1000 </dev/null"));
    project.call(["memory", "write", "notes/a"]).stdin("x".repeat(1 << 20)).run().expect(0);
    check_unavailable(&project, "no_answer", "it does not read its input");
}

/// WL-16: a server that floods us is ended.
#[test]
fn a_flooding_server_is_ended() {
    let project = with_server("exec yes");
    let data = publish(&project, &[]);
    assert_eq!(data["outcome"], "unavailable", "{data}");
    let cause = data["cause"].as_str().unwrap();
    assert!(["ended", "garbled"].contains(&cause), "{data}");
}

/// WL-16: a server may take its time to start, longer than an answer may take.
#[test]
fn a_slow_start_is_waited_for() {
    let server =
        format!("sleep 1.5; read -r h; echo '{HELLO}'; read -r i; read -r c; echo '{DONE}'");
    let project = with_server(&server);
    assert_eq!(publish(&project, &[])["outcome"], "published");
}

/// WL-16: after a failure nobody is asked again, until the user says `--retry-memory`.
#[test]
fn a_failed_server_is_left_alone_until_retried() {
    let project = with_server("echo started >>starts; exit 1");
    assert_eq!(publish(&project, &[])["outcome"], "unavailable");
    project.run(["ledger", "rebuild"]).expect(0);
    let skipped = publish(&project, &[]);
    assert_eq!((&skipped["outcome"], &skipped["cause"]), (&json!("skipped"), &json!("ended")));
    assert_eq!(project.read("starts"), "started\n");
    let ran = project.run(["memory", "publish", "notes/a"]).expect(1);
    ran.says("the memory backend was unavailable").says("--retry-memory");
    project.write_program(
        "server.sh",
        &format!("#!/bin/sh\nread -r h; echo '{HELLO}'; read -r i; read -r c; echo '{DONE}'\n"),
    );
    assert_eq!(publish(&project, &["--retry-memory"])["outcome"], "published");
    assert_eq!(publish(&project, &[])["outcome"], "published", "and it is asked again");
    assert_eq!(record(&project), ["memory.unavailable", "memory.published", "memory.published"]);
    project.run(["ledger", "verify"]).expect(0);
    project.run(["ledger", "rebuild"]).expect(0);
    project.run(["ledger", "verify"]).expect(0);
}

/// WL-16: without a second backend there is nothing to publish to, and a session without a
/// worklog has nothing to publish.
#[test]
fn what_cannot_be_published_is_refused() {
    let plain = project();
    plain.run(["memory", "write", "a", "x"]).expect(0);
    let ran = plain.run(["memory", "publish", "a"]).expect(1);
    ran.says("there is no second backend").says("memory.backend = \"serena\"");
    let project = with_server("exit 0");
    let ran = project.run(["memory", "publish", "20261116_101500_001"]).expect(1);
    ran.says("there is no memory '_worklog/20261116_101500_001'");
    project.run(["memory", "publish", "gone"]).expect(1).says("there is no memory 'gone'");
    assert_eq!(record(&project), [""; 0]);
}

/// SE-02: a repository can't choose the program that its visitors run.
#[test]
fn a_project_cannot_set_the_command() {
    let project = with_server("echo started >starts");
    let file = "[memory]\nbackend = \"serena\"\nserena_command = [\"touch\", \"owned\"]\n";
    project.write("countersign.toml", file);
    let ran = project.run(["memory", "publish", "notes/a"]).expect(2);
    ran.says("countersign.toml:3: memory.serena_command is not a project's to set")
        .says("hint: set it in your own file");
    assert!(!project.path("owned").exists() && !project.path("starts").exists());
}
