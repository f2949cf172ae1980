//! Every way in which a client may begin.

use std::io::{BufRead, BufReader, Write};
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::process::Command;

use serde_json::{Value, json};

use crate::{PROGRAM, answer, answers, hello, lines, project, text, tool};

/// What a client of 2026-07-28 says about itself with every request.
fn meta() -> Value {
    json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": { "name": "new-agent", "version": "2.0" },
        "io.modelcontextprotocol/clientCapabilities": { "elicitation": { "form": {} } },
    })
}

fn request(id: impl Into<Value>, method: &str, mut params: Value) -> Value {
    params["_meta"] = meta();
    json!({ "jsonrpc": "2.0", "id": id.into(), "method": method, "params": params })
}

/// PL-04: each version with an `initialize` is spoken as it was asked for, and an unknown one is
/// answered with one that is known.
#[test]
fn initialize_agrees_on_a_version() {
    let project = project();
    for (asked, agreed) in [
        ("2025-11-25", "2025-11-25"),
        ("2025-06-18", "2025-06-18"),
        ("2025-03-26", "2025-03-26"),
        ("2024-11-05", "2024-11-05"),
        ("1999-01-01", "2025-11-25"),
        ("2099-01-01", "2025-11-25"),
    ] {
        let mut frames = hello(asked);
        frames.push(json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/list" }));
        frames.push(json!({ "jsonrpc": "2.0", "id": 2, "method": "ping" }));
        let answers = answers(project.call(["mcp"]), lines(&frames));
        let hello = &answer(&answers, "hello")["result"];
        assert_eq!(hello["protocolVersion"], agreed);
        assert_eq!(hello["serverInfo"]["name"], "countersign");
        assert!(hello["capabilities"]["tools"].is_object(), "{hello}");
        assert_eq!(answer(&answers, 1)["result"]["tools"].as_array().unwrap().len(), 28);
        assert_eq!(answer(&answers, 2)["result"], json!({}));
        assert_eq!(answers.len(), 3);
    }
}

/// PL-04: a client of 2026-07-28 discovers the server and goes on without `initialize`, saying
/// who it is with every request.
#[test]
fn discover_is_answered() {
    let project = project();
    let call = |id, name: &str, arguments: Value| {
        request(id, "tools/call", json!({ "name": name, "arguments": arguments }))
    };
    let frames = [
        request("probe", "server/discover", json!({})),
        request(0, "tools/list", json!({})),
        call(1, "write_memory", json!({ "memory_name": "a", "content": "1" })),
        call(2, "read_memory", json!({ "memory_name": "a" })),
        request(3, "no/such", json!({})),
    ];
    let answers = answers(project.call(["mcp"]), lines(&frames));
    let found = &answer(&answers, "probe")["result"];
    let versions = found["supportedVersions"].as_array().unwrap();
    assert!(versions.contains(&json!("2026-07-28")) && versions.contains(&json!("2025-06-18")));
    assert!(found["capabilities"]["tools"].is_object(), "{found}");
    assert_eq!(answer(&answers, 0)["result"]["tools"].as_array().unwrap().len(), 28);
    assert_eq!(text(&answer(&answers, 2)["result"], false), "1");
    assert_eq!(answer(&answers, 3)["error"]["code"], -32601);
    project.run(["memory", "list"]).expect(0).prints("mcp:new-agent");
}

/// PL-04: a client that probed may still begin in the old way.
#[test]
fn initialize_may_follow_discover() {
    let project = project();
    let mut frames = vec![request("probe", "server/discover", json!({}))];
    frames.extend(hello("2025-11-25"));
    frames.push(tool(1, "list_memories", &json!({})));
    let answers = answers(project.call(["mcp"]), lines(&frames));
    assert!(answer(&answers, "probe")["result"].is_object());
    assert_eq!(answer(&answers, "hello")["result"]["protocolVersion"], "2025-11-25");
    assert_eq!(text(&answer(&answers, 1)["result"], false), "nothing is remembered here");
}

/// PL-04: probes that nobody knows yet, and stray messages, are no reason to hang up.
#[test]
fn strange_openings_are_survived() {
    let project = project();
    let mut frames = vec![
        json!({ "jsonrpc": "2.0", "id": "p1", "method": "server/hello", "params": { "x": 1 } }),
        json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": { "requestId": "p1" } }),
        json!({ "jsonrpc": "2.0", "id": 77, "result": {} }),
        json!({ "jsonrpc": "2.0", "id": "p2", "method": "ping" }),
        json!({ "jsonrpc": "2.0", "id": "p3", "method": "initialize", "params": { "x": 1 } }),
        json!({ "jsonrpc": "2.0", "id": "p4", "method": "tools/list" }),
    ];
    frames.extend(hello("2025-06-18"));
    let answers = answers(project.call(["mcp"]), lines(&frames));
    assert_eq!(answer(&answers, "p1")["error"]["code"], -32601);
    assert_eq!(answer(&answers, "p2")["result"], json!({}));
    assert_eq!(answer(&answers, "p3")["error"]["code"], -32602);
    assert!(answer(&answers, "p4")["error"].is_object(), "no session, and no version either");
    assert_eq!(answer(&answers, "hello")["result"]["protocolVersion"], "2025-06-18");
}

/// PL-04: a client that says nothing at all ends the server by leaving.
#[test]
fn silence_ends_the_server() {
    assert_eq!(answers(project().call(["mcp"]), ""), [] as [Value; 0]);
}

/// PL-04: clients that are made with Node hand over sockets instead of pipes, and speak in turns.
#[test]
fn sockets_do_as_well_as_pipes() {
    let project = project();
    let (ours, theirs) = UnixStream::pair().unwrap();
    let mut command = Command::new(PROGRAM);
    command.arg("mcp").current_dir(project.root()).env_clear().envs(project.environment());
    command.stdin(OwnedFd::from(theirs.try_clone().unwrap())).stdout(OwnedFd::from(theirs));
    let mut server = command.spawn().unwrap();
    drop(command);
    let mut heard = BufReader::new(ours.try_clone().unwrap()).lines();
    let mut turn = |frame: &Value| -> Value {
        (&ours).write_all(&lines(std::slice::from_ref(frame))).unwrap();
        serde_json::from_str(&heard.next().unwrap().unwrap()).unwrap()
    };
    let hello = turn(&hello("2025-06-18")[0]);
    assert_eq!(hello["result"]["protocolVersion"], "2025-06-18");
    for n in 1..=3 {
        let write = json!({ "memory_name": "a", "content": n.to_string() });
        assert_eq!(turn(&tool(n, "write_memory", &write))["id"], n);
    }
    let read = turn(&tool(9, "read_memory", &json!({ "memory_name": "a" })));
    assert_eq!(text(&read["result"], false), "3");
    ours.shutdown(std::net::Shutdown::Write).unwrap();
    assert!(heard.next().is_none(), "nothing comes after the end");
    assert_eq!(server.wait().unwrap().code(), Some(0));
}
