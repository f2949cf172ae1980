//! Reports that are no reports, and transcripts that are no transcripts: whatever an agent sends,
//! it goes on, and what can be read of it is on the record.

use std::fs;
use std::io::Write as _;
use std::os::unix::fs::FileExt as _;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use countersign_testkit::{Project, Ran, wait_until};
use serde_json::{Value, json};

use crate::agent::{Agent, STANDARD, count, later, lines, listed, shown};
use crate::{PROGRAM, project};

/// Calls the hook with these bytes: it must succeed without a word.
#[track_caller]
fn tell(project: &Project, bytes: impl Into<Vec<u8>>) -> Ran {
    let ran = project.call(["hook", "claude"]).stdin(bytes).run().expect(0);
    assert_eq!((ran.out(), ran.err()), (String::new(), String::new()));
    ran
}

/// A project with an open session, and its agent's name.
fn begun() -> Project {
    let project = project();
    Agent::new(&project, "s1").prompt(STANDARD);
    project
}

/// What the agent writes a file with, as text that can be spoilt.
fn written(project: &Project) -> String {
    let fields = json!({
        "tool_name": "Write", "tool_use_id": "toolu_1", "tool_input": {"file_path": "/x/a.txt"},
        "tool_response": {"type": "create", "filePath": "/x/a.txt", "content": "caf\u{e9} \u{65e5}"},
    });
    Agent::new(project, "s1").payload("PostToolUse", &fields).to_string()
}

/// What is no report at all is silent, and nothing is made of it.
#[test]
fn what_is_no_report_is_silent() {
    let project = project();
    let deep = "[".repeat(1_000_000);
    let nested =
        format!("{{\"hook_event_name\":\"PostToolUse\",\"a\":{}", "{\"a\":".repeat(100_000));
    let cases: [&[u8]; 14] = [
        b"",
        b" \n\t ",
        b"\0",
        b"{",
        b"}",
        b"null",
        b"[]",
        b"42",
        b"\"PostToolUse\"",
        b"not JSON at all",
        b"{\"hook_event_name\":",
        b"\xff\xfe\xfd",
        deep.as_bytes(),
        nested.as_bytes(),
    ];
    for bytes in cases {
        tell(&project, bytes);
    }
    let named: Vec<Value> = listed(&project);
    let nameless = |row: &&Value| row["agent_session"] == "";
    assert_eq!(named.iter().filter(nameless).count(), named.len(), "{named:?}");
    project.run(["ledger", "verify"]).expect(0).prints("intact");
}

/// Events and tools that nobody knows yet: the former leave a trace, the latter are operations.
#[test]
fn what_is_unknown_is_recorded() {
    let project = begun();
    let agent = Agent::new(&project, "s1");
    let said = agent.tell("TeleportStart", &json!({ "to": "mars" }));
    assert_eq!(said.out(), "");
    assert_eq!(shown(&project)["troubles"], 1);
    agent.operate("Teleport", &json!({ "to": "mars" }), &json!("gone"));
    let account = shown(&project);
    assert_eq!(account["totals"]["operations"], 1);
    assert_eq!(account["troubles"], 1, "a new tool is no trouble");
}

/// Fields that are missing or of another type are said to be so, and the rest counts.
#[test]
fn fields_may_be_missing_or_wrong() {
    let project = begun();
    let whole: Value = serde_json::from_str(&written(&project)).unwrap();
    let wrong = [json!(null), json!(7), json!([]), json!({}), json!(true), json!("")];
    for (name, _) in whole.as_object().unwrap() {
        let mut without = whole.clone();
        without.as_object_mut().unwrap().remove(name);
        tell(&project, without.to_string());
        for value in &wrong {
            let mut payload = whole.clone();
            payload[name] = value.clone();
            // Whether it has words for the person depends on what is left of it.
            let call = project.call(["hook", "claude"]).stdin(payload.to_string());
            assert_eq!(call.run().expect(0).err(), "", "{name}: {value}");
        }
    }
    let show = ["worklog", "show", "s1", "--format", "json"];
    let account = project.run(show).expect(0).data();
    assert!(account["totals"]["operations"].as_u64().unwrap() >= 1, "{:?}", lines(&account));
    assert!(account["troubles"].as_u64().unwrap() >= 1, "{account}");
    project.run(["ledger", "verify"]).expect(0).prints("intact");
}

/// A report that was cut off counts as far as it goes.
#[test]
fn a_report_that_is_cut_off_counts_as_far_as_it_goes() {
    let project = begun();
    let whole = written(&project);
    let end = whole.find("\"tool_response\"").unwrap() + 20;
    tell(&project, &whole.as_bytes()[..end]);
    let account = shown(&project);
    assert_eq!((&account["troubles"], count(&account, "Write")), (&json!(1), 1));
}

/// Text that is not what JSON must be: taken as far as it can be read.
#[test]
fn wrong_encodings_count_as_far_as_they_go() {
    let project = begun();
    let whole = written(&project);
    let latin: Vec<u8> =
        whole.chars().map(|c| u8::try_from(u32::from(c)).unwrap_or(b'?')).collect();
    let surrogate = whole.replace("caf\u{e9}", "\\ud800").replace("toolu_1", "toolu_2");
    let zero = whole.replace("caf\u{e9}", "\\u0000 \u{0}").replace("toolu_1", "toolu_3");
    let marked = format!("\u{feff}{}", whole.replace("toolu_1", "toolu_4"));
    for bytes in [latin, surrogate.into_bytes(), zero.into_bytes(), marked.into_bytes()] {
        tell(&project, bytes);
    }
    let utf16: Vec<u8> = whole.encode_utf16().flat_map(u16::to_le_bytes).collect();
    tell(&project, utf16);
    let account = shown(&project);
    assert_eq!(count(&account, "Write"), 4, "{:?}", lines(&account));
    project.run(["ledger", "verify"]).expect(0).prints("intact");
}

/// A hundred megabytes are read to their end, kept in part, and said to be too much.
#[test]
fn a_hundred_megabytes_are_drained() {
    let project = begun();
    let payload = project.outside().join("payload");
    let mut file = fs::File::create(&payload).unwrap();
    let whole = written(&project);
    let (head, tail) = whole.split_at(whole.find("caf").unwrap());
    file.write_all(head.as_bytes()).unwrap();
    for _ in 0..100 {
        file.write_all(&vec![b'x'; 1 << 20]).unwrap();
    }
    file.write_all(tail.as_bytes()).unwrap();
    // The writer fails if it is not read to the end; the limit is on the program alone.
    let script = format!(
        "set -e; cat ../payload | (ulimit -v 400000; exec {PROGRAM} hook claude); \
         (cat ../payload; echo done >&2) | {PROGRAM} hook claude"
    );
    let ran = project.sh(&script).expect(0);
    assert_eq!((ran.out().as_str(), ran.err().trim()), ("", "done"));
    let account = shown(&project);
    // Their ids came after what was too long.
    assert_eq!((&account["troubles"], count(&account, "Write")), (&json!(2), 2));
    let size = fs::metadata(project.state().join("ledger.db")).unwrap().len();
    assert!(size < 4 << 20, "what nobody asked for is not kept: {size} bytes");
}

/// A hook that waits for its report.
fn listening(project: &Project) -> Child {
    let mut command = Command::new(PROGRAM);
    command.env_clear().envs(project.environment()).current_dir(project.root());
    let pipes = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    pipes.args(["hook", "claude"]).spawn().unwrap()
}

/// WL-22: on a slow machine an agent starts a hook and writes to it seconds later, or stops in the
/// middle of it for seconds: that costs no entry.
#[test]
fn a_report_that_comes_late_is_recorded() {
    let project = begun();
    let whole = written(&project);
    let (first, second) = whole.split_at(whole.len() / 2);
    let later = written(&project).replace("toolu_1", "toolu_2");
    let mut halting = listening(&project);
    let mut silent = listening(&project);
    halting.stdin.as_mut().unwrap().write_all(first.as_bytes()).unwrap();
    // tidy: polling, nothing tells that a hook has waited for longer than for the end of a report.
    std::thread::sleep(Duration::from_millis(2_500));
    halting.stdin.as_mut().unwrap().write_all(second.as_bytes()).unwrap();
    silent.stdin.as_mut().unwrap().write_all(later.as_bytes()).unwrap();
    for child in [halting, silent] {
        let output = child.wait_with_output().unwrap();
        assert_eq!((output.status.code(), output.stdout.len()), (Some(0), 0));
    }
    let account = shown(&project);
    assert_eq!((&account["troubles"], count(&account, "Write")), (&json!(0), 2));
}

/// An agent that forgets to close the pipe is answered all the same, whole report or half.
#[test]
fn standard_input_that_is_never_closed() {
    let project = begun();
    let whole = written(&project);
    let half = whole.replace("toolu_1", "toolu_2");
    let half = &half[..half.find("\"tool_response\"").unwrap() + 20];
    let children = [whole.as_str(), half, ""].map(|bytes| {
        let mut child = listening(&project);
        let mut pipe = child.stdin.take().unwrap();
        pipe.write_all(bytes.as_bytes()).unwrap();
        (child, pipe)
    });
    for (mut child, pipe) in children {
        let status = wait_until("an answer though the pipe is open", || child.try_wait().unwrap());
        drop(pipe);
        let output = child.wait_with_output().unwrap();
        assert_eq!((status.code(), output.stdout.len(), output.stderr.len()), (Some(0), 0, 0));
    }
    let account = shown(&project);
    assert_eq!((&account["troubles"], count(&account, "Write")), (&json!(2), 2));
}

/// An agent that we don't know: said so with a code that stops nobody (2 would), and nothing is
/// recorded.
#[test]
fn an_unknown_agent_is_refused() {
    let project = project();
    let payload = written(&project);
    for words in [&["hook", "foo"][..], &["hook"], &["hook", ""], &["hook", "\u{1b}[31m"]] {
        let ran = project.call(words).stdin(payload.clone()).run().expect(1);
        assert!(!ran.err().contains('\u{1b}'), "{:?}", ran.err());
        ran.says("is not an agent");
    }
    assert!(!project.state().exists(), "nothing is recorded");
}

/// An agent with the transcript that `plant` makes stops, and is let go.
fn stopped_with(plant: &str) -> Value {
    let project = project();
    let agent = Agent::new(&project, "s1");
    agent.prompt(STANDARD);
    agent.write("a.txt");
    let transcript = agent.transcript();
    fs::create_dir_all(transcript.parent().unwrap()).unwrap();
    project.sh(&plant.replace("FILE", &transcript.to_string_lossy())).expect(0);
    let payload = agent.payload("Stop", &json!({ "stop_hook_active": false })).to_string();
    fs::write(project.outside().join("payload"), payload).unwrap();
    // Far less than the largest of them.
    let script = format!("ulimit -v 400000; exec {PROGRAM} hook claude < ../payload");
    let ran = project.sh(&script).expect(0);
    assert_eq!((ran.out(), ran.err()), (String::new(), String::new()), "{plant}");
    agent.end();
    project.run(["ledger", "verify"]).expect(0).prints("intact");
    shown(&project)
}

/// A transcript that is none keeps nobody waiting, and the record stands alone.
#[test]
fn transcripts_that_are_none() {
    let plants = [
        "true",
        "mkfifo FILE",
        "mkdir FILE",
        "truncate -s 1G FILE",
        "head -c 3000000 /dev/urandom > FILE",
        "ln -s FILE FILE",
        "ln -s /dev/zero FILE",
        ": > FILE; chmod 0 FILE",
        "printf '{\"type\":\"assistant\",\"message\":{\"content\":[{\"type\":\"tool_use\"' > FILE",
    ];
    for plant in plants {
        let account = stopped_with(plant);
        assert_eq!(account["ended"]["outcome"], "success", "{plant}: {account}");
        assert_eq!(count(&account, "Write"), 1, "{plant}");
    }
}

/// A gigabyte that begins as a transcript and goes on as nothing: what was said counts.
#[test]
fn a_transcript_with_a_hole_in_it() {
    let project = begun();
    let agent = Agent::new(&project, "s1");
    let line = |id: &str| {
        let input = json!({ "file_path": "/x/b.txt", "content": "x" });
        let call = json!({ "type": "tool_use", "id": id, "name": "Write", "input": input });
        json!({ "type": "assistant", "sessionId": "s1", "message": { "content": [call] } })
            .to_string()
            + "\n"
    };
    let transcript = agent.transcript();
    fs::create_dir_all(transcript.parent().unwrap()).unwrap();
    let file = fs::File::create(&transcript).unwrap();
    file.write_all_at(line("toolu_a").as_bytes(), 0).unwrap();
    let hole = 200 << 20;
    file.write_all_at(format!("\n{}", line("toolu_b")).as_bytes(), hole).unwrap();
    let payload = agent.payload("Stop", &json!({ "stop_hook_active": false })).to_string();
    fs::write(project.outside().join("payload"), payload).unwrap();
    let script = format!("ulimit -v 400000; exec {PROGRAM} hook claude < ../payload");
    project.sh(&script).expect(0);
    // How much of it was read while the agent waited is not said; later all of it is.
    let id = shown(&project)["session"].as_str().unwrap().parse().unwrap();
    assert_eq!(later(&project, 1).account(id).unwrap().totals.operations, 2);
}

/// A transcript of very many calls fills neither memory nor ledger while the agent waits.
#[test]
fn a_transcript_of_very_many_calls() {
    let project = begun();
    let agent = Agent::new(&project, "s1");
    let transcript = agent.transcript();
    fs::create_dir_all(transcript.parent().unwrap()).unwrap();
    let call = r#"{"type":"assistant","message":{"content":[{"type":"tool_use","id":"ID","name":"Bash","input":{"command":"ls"}}]}}"#;
    let lines: String = (0..300_000).map(|n| call.replace("ID", &n.to_string()) + "\n").collect();
    fs::write(&transcript, lines).unwrap();
    let payload = agent.payload("Stop", &json!({ "stop_hook_active": false })).to_string();
    fs::write(project.outside().join("payload"), payload).unwrap();
    let script = format!("ulimit -v 500000; exec {PROGRAM} hook claude < ../payload");
    project.sh(&script).expect(0);
    let account = shown(&project);
    let operations = account["totals"]["operations"].as_u64().unwrap();
    assert!((1..=2_000).contains(&operations), "{operations}");
    assert!(account["unconfirmed"].is_string(), "{account}");
    project.run(["ledger", "verify"]).expect(0).prints("intact");
}
