//! Frames that are none, frames that are too large, and a ledger that can't be written.

use serde_json::{Value, json};

use crate::{PROGRAM, answer, answers, hello, lines, project, text, tool};

/// PL-04: what is no frame is refused, and what comes after it is answered.
#[test]
fn garbage_is_survived() {
    let project = project();
    let mut input = b"garbage\n{\n\n[1,2]\n{}\nnull\n\"x\"\n\xff\xfe\x00\n".to_vec();
    input.extend(lines(&hello("2025-06-18")));
    input.extend(
        b"garbage\n{\"jsonrpc\":\"2.0\",\"id\":5}\n{\"id\":6,\"method\":\"ping\"}\n\xc3\x28\n",
    );
    let odd = [
        json!({ "jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": { "arguments": {} } }),
        json!({ "jsonrpc": "2.0", "id": 8, "method": "tools/call", "params": [1] }),
        json!({ "jsonrpc": "2.0", "id": 9, "method": "tools/call",
                "params": { "name": "read_memory", "arguments": "x" } }),
        json!({ "jsonrpc": "2.0", "id": 10, "method": "no/such/method" }),
        json!({ "jsonrpc": "2.0", "method": "notifications/no/such" }),
        json!({ "jsonrpc": "2.0", "id": 999, "result": {} }),
        tool(11, "list_memories", &json!({})),
    ];
    input.extend(lines(&odd));
    // Cut off in the middle: never a frame.
    input.extend(b"{\"jsonrpc\":\"2.0\",\"id\":12,\"method\":\"tools/list\"");
    let answers = answers(project.call(["mcp"]), input);
    for id in [7, 9] {
        assert_eq!(answer(&answers, id)["error"]["code"], -32602);
    }
    assert!(answers.iter().all(|frame| frame["id"] != 8), "it can't be read as far as its id");
    assert_eq!(answer(&answers, 10)["error"]["code"], -32601);
    assert_eq!(text(&answer(&answers, 11)["result"], false), "nothing is remembered here");
    assert!(answers.iter().all(|frame| frame["id"] != 12), "{answers:?}");
    let nameless = answers.iter().filter(|frame| frame["id"].is_null());
    let is_refusal =
        |frame: &Value| [-32600, -32700].map(Value::from).contains(&frame["error"]["code"]);
    assert!(nameless.into_iter().all(is_refusal), "{answers:?}");
}

/// PL-04: ten megabytes are read and refused with a reason; a memory of the largest size is not.
#[test]
fn huge_frames_get_an_answer() {
    let project = project();
    let write = |id, size: usize| {
        tool(id, "write_memory", &json!({ "memory_name": "big", "content": "\n".repeat(size) }))
    };
    let mut frames = hello("2025-06-18");
    frames.push(write(1, 10 * 1024 * 1024));
    frames.push(write(2, 1024 * 1024));
    frames.push(tool(3, "read_memory", &json!({ "memory_name": "big" })));
    let answers = answers(project.call(["mcp"]), lines(&frames));
    let refused = text(&answer(&answers, 1)["result"], true);
    assert!(refused.contains("the text has 10485760 bytes; at most 1048576 fit"), "{refused}");
    assert_eq!(text(&answer(&answers, 2)["result"], false), "written: big");
    assert_eq!(text(&answer(&answers, 3)["result"], false).len(), 1024 * 1024);
}

/// WL-16, PL-04: a ledger that can't be written keeps nobody from reading, and what is written
/// is acknowledged from the spool or refused with a reason.
#[test]
fn a_read_only_ledger_is_told() {
    let project = project();
    project.run(["memory", "write", "a", "1"]).expect(0);
    if project.sh("unshare -rm mount -t tmpfs none /mnt").code != Some(0) {
        eprintln!("SKIPPED: this machine lets nobody mount, so no folder can be read-only");
        return;
    }
    let mut frames = hello("2025-06-18");
    frames.push(tool(1, "read_memory", &json!({ "memory_name": "a" })));
    frames.push(tool(2, "write_memory", &json!({ "memory_name": "a", "content": "2" })));
    std::fs::write(project.outside().join("frames"), lines(&frames)).unwrap();
    let script = format!(
        "mount --bind .git/countersign .git/countersign\n\
         mount -o remount,ro,bind .git/countersign\n\
         exec {PROGRAM} mcp <../frames\n"
    );
    std::fs::write(project.outside().join("script"), script).unwrap();
    let ran = project.sh("unshare -rm sh -e ../script").expect(0);
    let answers: Vec<Value> =
        ran.out().lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let (read, write) = (&answer(&answers, 1)["result"], &answer(&answers, 2)["result"]);
    let said = write["content"][0]["text"].as_str().unwrap();
    let is_error = write["isError"] == true;
    assert!(said.contains(if is_error { "hint: " } else { "in the spool for now" }), "{write}");
    assert!(!said.contains("mistake of ours") && !said.contains("locked"), "{said}");
    assert!(read["content"][0]["text"].is_string(), "{read}");
    let expected = if is_error { "1" } else { "2" };
    let now = project.run(["memory", "read", "a"]).expect(0).out();
    assert_eq!(now.trim(), expected, "{answers:?}");
}

/// PL-04: a line that is no JSON is answered with the protocol's own error, before and after a
/// session has begun, and the server goes on.
#[test]
fn lines_that_are_no_json_are_answered() {
    let project = project();
    let mut input = b"hello?\n{\"jsonrpc\":\n".to_vec();
    input.extend(lines(&hello("2025-06-18")));
    input.extend(b"\n\xff\xfe\n{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"ping\"}\n");
    let answers = answers(project.call(["mcp"]), input);
    let wrong: Vec<&Value> =
        answers.iter().filter(|frame| frame["error"]["code"] == -32700).collect();
    assert_eq!(wrong.len(), 3, "{answers:?}");
    assert!(wrong.iter().all(|frame| frame["id"].is_null()), "{wrong:?}");
    assert_eq!(answer(&answers, 7)["result"], json!({}));
}
