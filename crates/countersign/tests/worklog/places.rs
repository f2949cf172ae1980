//! Where and when agents work: worktrees, odd folders, no folder, a clock that jumps, and agents
//! that end in the middle.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;
use std::sync::{Arc, Mutex};

use countersign_domain::worklog::Agent as Kind;
use countersign_engine::worklog::{Input, hook};
use countersign_engine::{Clock, Engine, Host};
use countersign_testkit::Project;
use jiff::{SignedDuration, Timestamp};
use serde_json::{Value, json};

use crate::agent::{Agent, STANDARD, STRICT, count, lines, listed, shown};
use crate::{PROGRAM, project};

/// Everything below a folder, with sizes.
fn everything(folder: &Path) -> Vec<String> {
    let mut all = Vec::new();
    for entry in fs::read_dir(folder).unwrap().flatten() {
        let path = entry.path();
        let found = fs::symlink_metadata(&path).unwrap();
        all.push(format!("{} {}", path.display(), found.len()));
        if found.is_dir() {
            all.extend(everything(&path));
        }
    }
    all.sort();
    all
}

/// A whole little session, told from `folder` with `cwd` in the reports.
#[track_caller]
fn session_in(project: &Project, folder: &Path, cwd: &Value) {
    let agent = Agent::new(project, "s1");
    let written = json!({
        "tool_name": "Write", "tool_input": { "file_path": "a" }, "tool_use_id": "toolu_1",
        "tool_response": { "type": "create", "filePath": "a" },
    });
    let tour = [
        ("SessionStart", json!({ "source": "startup" })),
        ("UserPromptSubmit", json!({ "prompt": STANDARD })),
        ("PostToolUse", written),
        ("Stop", json!({ "stop_hook_active": false })),
        ("SessionEnd", json!({ "reason": "other" })),
    ];
    for (event, fields) in tour {
        let mut payload = agent.payload(event, &fields);
        payload["cwd"] = cwd.clone();
        let call = project.call(["hook", "claude"]).at(folder).stdin(payload.to_string());
        let ran = call.run().expect(0);
        assert_eq!((ran.out(), ran.err()), (String::new(), String::new()), "{event}");
    }
}

/// Outside of a repository, and in one without files, nothing is said and nothing is written.
#[test]
fn where_there_is_no_work_tree_nothing_is_written() {
    let project = Project::without_repository(PROGRAM);
    let bare = project.path("bare.git");
    fs::create_dir(&bare).unwrap();
    project.git_in(&bare, ["init", "--quiet", "--bare"]);
    for folder in [project.root(), bare] {
        let before = everything(&project.outside());
        session_in(&project, &folder, &json!(folder));
        assert_eq!(everything(&project.outside()), before);
    }
}

/// Linked worktrees share a ledger, and each session says which of them it is in.
#[test]
fn linked_worktrees_share_a_ledger() {
    let project = project();
    let linked = project.outside().join("linked");
    project.git(["worktree", "add", "--quiet", "-b", "side", linked.to_str().unwrap()]);
    session_in(&project, &linked, &json!(linked));
    Agent::new(&project, "s2").prompt(STANDARD);
    assert!(!linked.join("countersign").exists());
    let rows = listed(&project);
    let places: Vec<&str> = rows.iter().map(|row| row["worktree"].as_str().unwrap()).collect();
    assert_eq!(places, [project.root().to_str().unwrap(), linked.to_str().unwrap()]);
    let show = ["worklog", "show", "s1", "--format", "json"];
    let account = project.call(show).at(&linked).run().expect(0).data();
    assert_eq!((&account["branch"], count(&account, "Write")), (&json!("side"), 1));
    // Its worktree is gone, its record is not.
    project.git(["worktree", "remove", "--force", linked.to_str().unwrap()]);
    assert_eq!(count(&project.run(show).expect(0).data(), "Write"), 1);
    project.run(["ledger", "verify"]).expect(0).prints("intact");
}

/// Folders with names that shells, JSON and UTF-8 care about are folders.
#[test]
fn folders_with_odd_names() {
    let names: [&[u8]; 3] = [b"two words 'n \"quotes\"", b"line\nbreak $(false)", b"caf\xe9"];
    for name in names {
        let project = project();
        let folder = project.outside().join(OsStr::from_bytes(name));
        fs::rename(project.root(), &folder).unwrap();
        // What is no text reaches us as agents write it: with the odd byte replaced.
        session_in(&project, &folder, &json!(folder.to_string_lossy()));
        let call = project.call(["worklog", "show", "--format", "json"]).at(&folder);
        let account = call.run().expect(0).data();
        assert_eq!(count(&account, "Write"), 1, "{account}");
        assert_eq!(account["ended"]["outcome"], "success");
    }
}

/// An agent that removes the folder it stands in is still heard.
#[test]
fn a_folder_that_is_gone() {
    let project = project();
    let agent = Agent::new(&project, "s1");
    agent.prompt(STANDARD);
    let gone = project.path("deep/down");
    let tell = |id: &str, cwd: &Path, at: &str| {
        let fields = json!({
            "tool_name": "Write", "tool_input": { "file_path": "a" }, "tool_use_id": id,
            "tool_response": { "type": "create", "filePath": "a" },
        });
        let mut payload = agent.payload("PostToolUse", &fields);
        payload["cwd"] = json!(cwd);
        fs::write(project.outside().join("payload"), payload.to_string()).unwrap();
        let script =
            format!("{at}; exec {PROGRAM} hook claude < {:?}", project.outside().join("payload"));
        let ran = project.sh(&script).expect(0);
        assert_eq!((ran.out(), ran.err()), (String::new(), String::new()), "{id}");
    };
    let leave = "mkdir -p deep/down && cd deep/down && rmdir ../down && rmdir ../../deep";
    tell("1", &gone, "true");
    tell("2", &project.root(), leave);
    tell("3", &gone, leave);
    let account = shown(&project);
    assert_eq!(count(&account, "Write"), 3, "{:?}", lines(&account));
}

/// Eight calls at once of a session that nobody opened are one session.
#[test]
fn calls_at_once_open_one_session() {
    let project = project();
    let agent = Agent::new(&project, "s1");
    let calls: Vec<_> = (0..8)
        .map(|n| {
            let fields = json!({
                "tool_name": "Write", "tool_input": { "file_path": "a" },
                "tool_use_id": format!("toolu_{n}"),
                "tool_response": { "type": "create", "filePath": "a" },
            });
            let payload = agent.payload("PostToolUse", &fields).to_string();
            project.call(["hook", "claude"]).stdin(payload).start()
        })
        .collect();
    for call in calls {
        call.wait().expect(0);
    }
    assert_eq!(listed(&project).len(), 1);
    assert_eq!(count(&shown(&project), "Write"), 8);
    project.run(["ledger", "verify"]).expect(0).prints("intact");
}

/// An agent that was killed in a call: the call was begun, and that is what is shown.
#[test]
fn an_agent_that_was_killed_in_a_call() {
    let project = project();
    let agent = Agent::new(&project, "s1");
    agent.prompt(STANDARD);
    let pre = |id: &str, file: &str| json!({ "tool_name": "Write", "tool_use_id": id, "tool_input": { "file_path": file } });
    agent.tell("PreToolUse", &pre("toolu_a", "/x/a"));
    // One that no hook told of stands in the transcript, without a result as well.
    let call = |id: &str, file: &str| {
        let input = json!({ "file_path": file, "content": "x" });
        let block = json!({ "type": "tool_use", "id": id, "name": "Write", "input": input });
        let message = json!({ "role": "assistant", "content": [block] });
        json!({ "type": "assistant", "sessionId": "s1", "message": message }).to_string() + "\n"
    };
    let transcript = agent.transcript();
    fs::create_dir_all(transcript.parent().unwrap()).unwrap();
    fs::write(&transcript, call("toolu_a", "/x/a") + &call("toolu_b", "/x/b")).unwrap();
    let account = at_time(&project, Timestamp::now() + SignedDuration::from_mins(5), |engine| {
        let id = engine.find_session("s1").unwrap();
        serde_json::to_value(engine.account(id).unwrap()).unwrap()
    });
    let shown = lines(&account);
    let begun = shown.iter().filter(|line| line.starts_with("Write initiated")).count();
    assert_eq!(begun, 2, "{shown:?}");
    assert_eq!(account["totals"]["operations"], 2);
    assert!(account["ended"].is_null(), "{account}");
}

/// The host of the project, at a time.
fn host_at(project: &Project, time: Timestamp) -> Host {
    let variables = project.environment().into_iter().map(|(name, value)| (name.into(), value));
    let path = std::env::var_os("PATH").unwrap_or_default();
    Host {
        clock: Clock::Set(Arc::new(Mutex::new(time))),
        environment: variables.chain([("PATH".into(), path)]).collect(),
        cwd: project.root(),
        supervisor: vec![PROGRAM.into(), "supervise".into()],
    }
}

fn at_time<T>(project: &Project, time: Timestamp, act: impl FnOnce(&mut Engine) -> T) -> T {
    act(&mut Engine::open(host_at(project, time)).unwrap())
}

/// A clock that jumps back in the middle of a session: nothing fails, nothing is lost, and
/// what is limited stays limited.
#[test]
fn a_clock_that_jumps_back() {
    let project = project();
    let agent = Agent::new(&project, "s1");
    let now = Timestamp::now();
    let tell = |hours: i64, event: &str, fields: Value| {
        let host = host_at(&project, now + SignedDuration::from_hours(hours));
        let payload = agent.payload(event, &fields).to_string();
        let said = hook(&host, Kind::Claude, &Input { bytes: payload.as_bytes(), trouble: None });
        assert_eq!((said.exit, said.stderr.as_str()), (0, ""), "{event}");
        said.stdout
    };
    let todos = json!([{ "content": "do it", "status": "pending", "activeForm": "doing" }]);
    let list = json!({
        "tool_name": "TodoWrite", "tool_use_id": "toolu_1", "tool_input": { "todos": todos },
        "tool_response": { "oldTodos": [], "newTodos": todos },
    });
    assert_eq!(tell(48, "UserPromptSubmit", json!({ "prompt": STRICT })), "");
    tell(24, "PostToolUse", list);
    let write = json!({
        "tool_name": "Write", "tool_use_id": "toolu_2", "tool_input": { "file_path": "a" },
        "tool_response": { "type": "create", "filePath": "a" },
    });
    tell(-24, "PostToolUse", write);
    // The gate has its say as often as the settings allow, whatever the clock says.
    let stops: Vec<String> =
        (0..6).map(|n| tell(-25 - n, "Stop", json!({ "stop_hook_active": n > 0 }))).collect();
    let held = stops.iter().filter(|said| said.contains("\"block\"")).count();
    assert!((1..=2).contains(&held), "{stops:?}");
    assert_eq!(stops.last().unwrap(), "", "it may go in the end");
    tell(-30, "SessionEnd", json!({ "reason": "other" }));
    // Another session, opened before the first one by the clock.
    Agent::new(&project, "s2").prompt(STANDARD);
    let account = project.run(["worklog", "show", "s1", "--format", "json"]).expect(0).data();
    assert_eq!(account["totals"]["operations"], 2, "{:?}", lines(&account));
    assert_eq!(account["ended"]["is_final"], true);
    assert_eq!(listed(&project).len(), 2);
    at_time(&project, now - SignedDuration::from_hours(100), |engine| {
        assert_eq!(engine.retire_sessions().unwrap().archived, 0);
    });
    assert_eq!(listed(&project).len(), 2);
    project.run(["ledger", "verify"]).expect(0).prints("intact");
}
