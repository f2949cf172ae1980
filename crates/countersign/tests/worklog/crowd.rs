//! Eight agents at once whose hooks are killed at any moment: what was acknowledged is on the
//! record, once, and the ledger is intact.

use std::collections::BTreeSet;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use countersign_testkit::Project;
use serde_json::{Value, json};

use crate::agent::{Agent, STANDARD};
use crate::{PROGRAM, project};

const AGENTS: usize = 8;

/// How many hooks are killed: as many as the figure asks for, where there is time for it.
fn kills() -> u64 {
    if std::env::var_os("COUNTERSIGN_LONG").is_some() { 1_000 } else { 150 }
}

/// Numbers that look random and are the same in every run.
struct Dice(u64);

impl Dice {
    fn below(&mut self, most: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % most
    }
}

/// The call with number `n` of an agent: most are quick ones, some concern the whole session.
fn call(agent: &Agent<'_>, n: u32) -> (String, Value) {
    let id = format!("toolu_{}_{n}", agent.name);
    let post = |tool: &str, input: Value, response: Value| {
        let fields = json!({
            "tool_name": tool, "tool_input": input, "tool_response": response,
            "tool_use_id": id, "duration_ms": 1,
        });
        agent.payload("PostToolUse", &fields)
    };
    let payload = match n % 13 {
        3 => {
            let todos = json!([{ "content": id, "status": "pending", "activeForm": "x" }]);
            let list = json!({ "oldTodos": [], "newTodos": todos });
            post("TodoWrite", json!({ "todos": todos }), list)
        }
        8 => {
            let ok = json!({ "stdout": "ok", "stderr": "", "interrupted": false });
            post("Bash", json!({ "command": format!("cargo test -- {id}") }), ok)
        }
        _ => {
            let path = format!("/x/{id}");
            post(
                "Write",
                json!({ "file_path": path }),
                json!({ "type": "create", "filePath": path }),
            )
        }
    };
    (id, payload)
}

/// Starts the hook with all of its report.
fn start(project: &Project, payload: &Value) -> Child {
    let file = tempfile::tempfile().unwrap();
    std::os::unix::fs::FileExt::write_all_at(&file, payload.to_string().as_bytes(), 0).unwrap();
    let path = std::env::var_os("PATH").unwrap_or_default();
    let mut command = Command::new(PROGRAM);
    command.env_clear().env("PATH", path).envs(project.environment());
    command.current_dir(project.root()).args(["hook", "claude"]);
    command.stdin(file).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap()
}

/// Tells one call; `true` if it was acknowledged. If it is to be killed, then after so long.
fn tell(project: &Project, payload: &Value, kill_after: Option<Duration>) -> bool {
    let mut child = start(project, payload);
    if let Some(pause) = kill_after {
        // tidy: polling, nobody announces the moment at which to be killed: any will do
        std::thread::sleep(pause);
        // It may have ended already: then it is as good as acknowledged.
        let _ = child.kill();
    }
    let status = child.wait().unwrap();
    assert!(matches!(status.code(), Some(0) | None), "a hook never fails by itself: {status}");
    status.success()
}

/// What one agent told: the ids of its calls, and which of them were acknowledged.
#[derive(Default)]
struct Told {
    name: String,
    all: BTreeSet<String>,
    acknowledged: BTreeSet<String>,
}

/// One agent at work until enough hooks were killed.
fn work(project: &Project, number: usize, killed: &AtomicU64) -> Told {
    let name = format!("s{number}");
    let agent = Agent::new(project, &name);
    let mut dice = Dice(0x9e37_79b9_7f4a_7c15 ^ (number as u64 + 1));
    let mut told = Told { name: name.clone(), ..Told::default() };
    let prompt = agent.payload("UserPromptSubmit", &json!({ "prompt": STANDARD }));
    // Its beginning is cut off a few times, too, and then let be, however slow the machine is.
    for turn in 0..4 {
        let pause = (turn < 3).then(|| Duration::from_millis(dice.below(200)));
        if tell(project, &prompt, pause) {
            break;
        }
        killed.fetch_add(1, Ordering::Relaxed);
    }
    let most = u32::try_from(kills()).unwrap() * 3 / 8 + 5;
    for n in 0..most {
        let (id, payload) = call(&agent, n);
        let doomed = killed.load(Ordering::Relaxed) < kills() && dice.below(3) > 0;
        // From before it has begun to after all that the longest way takes.
        let pause = doomed.then(|| {
            let most = 1_000 << dice.below(8);
            Duration::from_micros(dice.below(most))
        });
        if tell(project, &payload, pause) {
            told.acknowledged.insert(id.clone());
        } else {
            killed.fetch_add(1, Ordering::Relaxed);
        }
        told.all.insert(id);
    }
    told
}

/// Expects the session of one agent to hold what was acknowledged, once, and nothing else.
fn expect_whole(project: &Project, told: &Told) {
    let show = ["worklog", "show", &told.name, "--format", "json"];
    let account = project.run(show).expect(0).data();
    let text = account.to_string();
    assert_eq!(account["task"], STANDARD);
    let mut seen = BTreeSet::new();
    for id in &told.all {
        let mentions = |entry: &&Value| {
            // Summaries name the same files and todos again.
            let is_call = ["Write", "TodoWrite", "Bash"].iter().any(|a| entry["action"] == **a);
            let text = entry.to_string();
            is_call && ["\"", " ", "\\"].iter().any(|end| text.contains(&format!("{id}{end}")))
        };
        let entries = account["entries"].as_array().unwrap().iter().filter(mentions).count();
        assert!(entries <= 1, "{id} is there {entries} times: {text}");
        if entries == 1 {
            seen.insert(id.clone());
        }
    }
    let lost: Vec<&String> = told.acknowledged.difference(&seen).collect();
    assert!(lost.is_empty(), "acknowledged and lost: {lost:?}");
    let operations = account["totals"]["operations"].as_u64().unwrap();
    assert!(operations >= told.acknowledged.len() as u64, "{operations}");
    assert!(operations <= told.all.len() as u64, "{operations}");
}

/// WL-05, PL-02: nothing acknowledged is lost, nothing is there twice, and the ledger is intact.
#[test]
fn a_crowd_that_is_killed_loses_nothing() {
    let project = project();
    let killed = AtomicU64::new(0);
    let all: Vec<Told> = std::thread::scope(|scope| {
        let (project, killed) = (&project, &killed);
        let agents: Vec<_> =
            (0..AGENTS).map(|n| scope.spawn(move || work(project, n, killed))).collect();
        agents.into_iter().map(|agent| agent.join().unwrap()).collect()
    });
    let acknowledged: usize = all.iter().map(|told| told.acknowledged.len()).sum();
    println!("{} hooks were killed, {acknowledged} calls acknowledged", killed.into_inner());
    assert!(acknowledged > AGENTS, "some were let live");
    for told in &all {
        expect_whole(&project, told);
    }
    let rows = project.run(["worklog", "list", "--format", "json"]).expect(0).data();
    assert_eq!(rows.as_array().unwrap().len(), AGENTS, "one session an agent: {rows}");
    project.run(["ledger", "verify"]).expect(0).prints("intact");
}

/// WL-05: calls that run side by side in one session are all there, and the lists say so.
#[test]
fn calls_side_by_side_are_all_there() {
    let project = project();
    let agent = Agent::new(&project, "s1");
    agent.prompt(STANDARD);
    let mut told = Told { name: "s1".into(), ..Told::default() };
    for round in 0..6 {
        // All of them concern the whole session: none is left in the spool to put things right.
        let numbers = [3, 8, 16, 21, 29, 34, 42, 47];
        let calls = numbers.into_iter().map(|n| call(&agent, round * 130 + n));
        let (ids, payloads): (Vec<_>, Vec<_>) = calls.unzip();
        let children: Vec<Child> = payloads.iter().map(|told| start(&project, told)).collect();
        for mut child in children {
            assert!(child.wait().unwrap().success());
        }
        told.all.extend(ids.iter().cloned());
        told.acknowledged.extend(ids);
        // The lists are looked at as they were left: no further call puts them right.
        project.run(["ledger", "verify"]).expect(0).prints("intact");
    }
    expect_whole(&project, &told);
}
