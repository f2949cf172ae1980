//! Hooks that have little time, or nobody to hand things to: what is left out is on the record, and
//! what is told is told once.

#![allow(clippy::unwrap_used)]

use std::fs;
use std::time::Duration;

use countersign_domain::ledger::{Draft, LedgerId, Stored as _};
use countersign_domain::worklog::budget::Work;
use countersign_domain::worklog::{Agent, Listener, Session, SessionEvent};
use countersign_engine::worklog::{Input, hook};
use countersign_engine::{Clock, Engine, Host};
use countersign_store::{Durability, Expected, Options, Store};
use countersign_testkit::Project;
use serde_json::{Value, json};
use uuid::Uuid;

const STRICT: &str = "Rotate the password hashing of the login and migrate the users table";

/// A project with a memory backend, whose hooks can start this program to send something there.
struct Scene {
    project: Project,
    host: Host,
    calls: std::cell::Cell<u32>,
}

impl Scene {
    fn new(program: &str) -> Self {
        let project = Project::new("");
        fs::create_dir_all(project.home()).unwrap();
        let settings = "[memory]\nbackend = \"serena\"\nserena_command = [\"true\"]\n";
        fs::write(project.home().join("config.toml"), settings).unwrap();
        let variables = project.environment().into_iter();
        let path = ("PATH".into(), std::env::var_os("PATH").unwrap_or_default());
        let host = Host {
            clock: Clock::System,
            environment: variables
                .map(|(name, value)| (name.into(), value))
                .chain([path])
                .collect(),
            cwd: project.root(),
            supervisor: vec![program.into()],
        };
        Self { project, host, calls: std::cell::Cell::new(0) }
    }

    /// What the person is told when the hook is called.
    fn tell(&self, event: &str, fields: &Value) -> String {
        let mut payload = json!({
            "session_id": "s1", "cwd": self.project.root(), "hook_event_name": event,
        });
        for (name, value) in fields.as_object().unwrap() {
            payload[name] = value.clone();
        }
        let bytes = payload.to_string();
        let input = Input { bytes: bytes.as_bytes(), trouble: None };
        let said = hook(&self.host, Agent::Claude, &input);
        assert_eq!((said.exit, said.stderr.as_str()), (0, ""));
        let answer: Value = serde_json::from_str(&said.stdout).unwrap_or_default();
        answer["systemMessage"].as_str().unwrap_or_default().to_owned()
    }

    fn prompt(&self) {
        self.tell("UserPromptSubmit", &json!({ "prompt": STRICT }));
    }

    fn operate(&self, tool: &str, input: &Value, response: &Value) -> String {
        self.calls.set(self.calls.get() + 1);
        let fields = json!({
            "tool_name": tool, "tool_input": input, "tool_response": response,
            "tool_use_id": format!("toolu_{}", self.calls.get()),
        });
        self.tell("PostToolUse", &fields)
    }

    fn write(&self) -> String {
        let path = format!("/x/{}", self.calls.get());
        let done = json!({ "type": "create", "filePath": path });
        self.operate("Write", &json!({ "file_path": path }), &done)
    }

    fn test(&self) -> String {
        let done = json!({ "stdout": "ok", "stderr": "", "interrupted": false });
        self.operate("Bash", &json!({ "command": "cargo test" }), &done)
    }

    fn session(&self) -> Session {
        let engine = Engine::open(self.host.clone()).unwrap();
        engine.session(engine.find_session("latest").unwrap()).unwrap()
    }

    /// As if so much time had been taken in the present phase.
    fn spend(&self, ms: u64) {
        let event = SessionEvent::Spent { work: Work::Verification, ms };
        let (kind, body) = event.encode().unwrap();
        let draft = Draft {
            id: Uuid::now_v7(),
            time: jiff::Timestamp::now(),
            actor: "engine".into(),
            kind,
            format: SessionEvent::FORMAT,
            body,
        };
        let stream = SessionEvent::stream(self.session().id).parse().unwrap();
        let mut store = Store::open(Options {
            dir: self.project.state(),
            fallback: self.project.outside().join("fallback"),
            durability: Durability::ProcessDeath,
            busy: Duration::from_secs(10),
            new_id: LedgerId(Uuid::now_v7()),
            rows: countersign_store::no_rows,
        })
        .unwrap();
        store.append(&stream, Expected::Any, &[draft], &[]).unwrap();
    }
}

/// WL-18: a flush that would exceed the rest of the phase is skipped, and that is logged, once a
/// phase; so is one in the phase after it, which has to be hasty.
#[test]
fn a_flush_without_time_is_skipped() {
    let scene = Scene::new("true");
    scene.prompt();
    scene.spend(2_900);
    for _ in 0..12 {
        scene.write();
    }
    let session = scene.session();
    assert!(session.has_skipped("flush"));
    assert_eq!((session.skipped, session.published), (1, 0));
    // Nor is there time for the summary that tests make due: its phase ends without it.
    scene.test();
    let session = scene.session();
    assert_eq!((session.summaries.len(), session.skipped), (0, 3), "and the next flush");
    // In the phase after that there is time again, for both.
    scene.test();
    scene.test();
    let session = scene.session();
    assert!(!session.summaries.is_empty());
    assert!(session.published > 0);
}

/// WL-18: what appends and flushes take is measured and counts.
#[test]
fn appends_and_flushes_are_measured() {
    let scene = Scene::new("true");
    scene.prompt();
    for _ in 0..9 {
        scene.write();
    }
    scene.test();
    let mut engine = Engine::open(scene.host.clone()).unwrap();
    let mut export = Vec::new();
    engine.export(&mut export).unwrap();
    let text = String::from_utf8(export).unwrap();
    for work in ["append", "flush", "checkpoint"] {
        assert!(text.contains(&format!("\\\"work\\\":\\\"{work}\\\"")), "no {work} in {text}");
    }
}

/// What was said to the person, that begins so.
fn said(session: &Session, words: &str) -> usize {
    let to_user = session.said.iter().filter(|said| said.what.to == Listener::User);
    to_user.filter(|said| said.what.text.starts_with(words)).count()
}

const ONE_BY_ONE: &str = "countersign: entries are written one by one";

/// WL-06: where nobody can be started to send entries together, they are kept one by one, and that
/// is said once.
#[test]
fn entries_that_can_not_be_sent_are_kept_one_by_one() {
    let scene = Scene::new("/nowhere/countersign");
    scene.prompt();
    let told: Vec<String> = (0..25).map(|_| scene.write()).collect();
    assert_eq!(told.iter().filter(|text| text.starts_with(ONE_BY_ONE)).count(), 1, "{told:?}");
    let session = scene.session();
    assert_eq!((session.significant().count(), session.published), (25, 0));
    assert_eq!(said(&session, ONE_BY_ONE), 1);
}

/// WL-06: where nothing can be spooled to be taken in together, the ledger is written one by one,
/// and that is said once.
#[test]
fn entries_that_can_not_be_spooled_are_written_one_by_one() {
    let scene = Scene::new("true");
    fs::write(scene.project.home().join("config.toml"), "").unwrap();
    scene.prompt();
    let fallback = scene.project.home().join("spool");
    let _ = fs::remove_dir_all(&fallback);
    for place in [scene.project.state().join("spool"), fallback] {
        fs::write(place, "in the way").unwrap();
    }
    let told: Vec<String> = (0..5).map(|_| scene.write()).collect();
    assert!(told[0].starts_with(ONE_BY_ONE), "{told:?}");
    assert!(told[1..].iter().all(String::is_empty), "{told:?}");
    let session = scene.session();
    assert_eq!(session.significant().count(), 5);
    assert_eq!(said(&session, ONE_BY_ONE), 1);
}

/// WL-15: however much an agent does and says, what is kept of its session as text has at most
/// 50 KB, and says what it leaves out.
#[test]
fn the_text_of_a_session_is_bounded() {
    let scene = Scene::new("true");
    fs::write(scene.project.home().join("config.toml"), "").unwrap();
    scene.prompt();
    let content = |at: usize| format!("{at} {}", "caf\u{e9} ".repeat(2_000));
    let todos: Vec<Value> = (0..300)
        .map(|at| json!({ "content": content(at), "status": "pending", "activeForm": "x" }))
        .collect();
    let done = json!({ "oldTodos": [], "newTodos": todos });
    scene.operate("TodoWrite", &json!({ "todos": todos }), &done);
    for _ in 0..800 {
        scene.write();
    }
    let session = scene.session();
    let engine = Engine::open(scene.host.clone()).unwrap();
    let text = engine.read_memory(&format!("_worklog/{}", session.id)).unwrap().text;
    assert!(text.len() <= 50 * 1024, "{}", text.len());
    for said in ["older entries are left out", "more todos are left out"] {
        assert!(text.contains(said), "{said}");
    }
    assert_eq!(session.significant().count(), 801, "the record has them all");
    assert_eq!(session.todos.counts().open(), 201, "and that there are more todos");
}

/// WL-15: names of any length cost little.
#[test]
fn names_of_any_length_cost_little() {
    let scene = Scene::new("true");
    let long = "n".repeat(3_000_000);
    let fields = json!({ "prompt": STRICT, "agent_type": long, "transcript_path": long });
    scene.tell("UserPromptSubmit", &fields);
    let fields = json!({
        "tool_name": long, "tool_use_id": long, "agent_id": long, "agent_type": long,
        "tool_input": { "file_path": long }, "tool_response": {},
    });
    scene.tell("PostToolUse", &fields);
    scene.tell(&long, &json!({}));
    assert_eq!(scene.session().operations.len(), 1);
    let size = fs::metadata(scene.project.state().join("ledger.db")).unwrap().len();
    let wal = fs::metadata(scene.project.state().join("ledger.db-wal")).map_or(0, |wal| wal.len());
    assert!(size + wal < 1 << 20, "{size} {wal}");
}
