//! An agent that tells its hooks what a test wants it to tell, in Claude Code's dialect.

use std::sync::{Arc, Mutex};

use countersign_engine::{Clock, Engine, Host};
use countersign_testkit::{Project, Ran};
use serde_json::{Value, json};

use crate::PROGRAM;

/// A task that nobody would call less than strict.
pub const STRICT: &str = "Rotate the password hashing of the login and migrate the users table";
pub const STANDARD: &str = "Implement pagination for the orders endpoint";

/// One session of an agent.
pub struct Agent<'a> {
    pub project: &'a Project,
    pub name: &'a str,
    calls: std::cell::Cell<u32>,
    /// What its program would write down.
    pub lines: std::cell::RefCell<Vec<Value>>,
}

impl<'a> Agent<'a> {
    pub fn new(project: &'a Project, name: &'a str) -> Self {
        let calls = std::cell::Cell::new(0);
        Self { project, name, calls, lines: std::cell::RefCell::default() }
    }

    /// The folder of the agent's own settings and lists.
    pub fn config(&self) -> std::path::PathBuf {
        self.project.outside().join("home/.claude")
    }

    /// Where its transcript is.
    pub fn transcript(&self) -> std::path::PathBuf {
        self.config().join(format!("projects/p/{}.jsonl", self.name))
    }

    /// The payload of an event.
    pub fn payload(&self, event: &str, fields: &Value) -> Value {
        let mut payload = json!({
            "session_id": self.name,
            "transcript_path": self.transcript(),
            "cwd": self.project.root(),
            "hook_event_name": event,
        });
        for (name, value) in fields.as_object().unwrap() {
            payload[name] = value.clone();
        }
        payload
    }

    /// Calls the hook; it must never fail.
    #[track_caller]
    pub fn tell(&self, event: &str, fields: &Value) -> Ran {
        let payload = self.payload(event, fields).to_string();
        // The agent is no ancestor of those who look at its worklog.
        let call = self.project.call(["hook", "claude"]).env("CLAUDE_PID", "1");
        call.stdin(payload).run().expect(0)
    }

    #[track_caller]
    pub fn prompt(&self, text: &str) -> Ran {
        self.note_prompt(text);
        self.tell("UserPromptSubmit", &json!({ "prompt": text }))
    }

    pub fn call(&self) -> String {
        self.calls.set(self.calls.get() + 1);
        format!("toolu_{}_{}", self.name, self.calls.get())
    }

    #[track_caller]
    pub fn operate(&self, tool: &str, input: &Value, response: &Value) -> Ran {
        let id = self.call();
        self.note_call(&id, tool, input);
        self.note_result(&id, response, None);
        let fields = json!({
            "tool_name": tool, "tool_input": input, "tool_response": response,
            "tool_use_id": id, "duration_ms": 3,
        });
        self.tell("PostToolUse", &fields)
    }

    #[track_caller]
    pub fn write(&self, file: &str) -> Ran {
        let path = self.project.path(file);
        let input = json!({ "file_path": path, "content": "x\n" });
        let response = json!({
            "type": "create", "filePath": path, "content": "x\n", "structuredPatch": [],
            "originalFile": null, "userModified": false,
        });
        self.operate("Write", &input, &response)
    }

    /// Runs a command that ends with `exit`.
    #[track_caller]
    pub fn bash(&self, command: &str, exit: i32) -> Ran {
        let input = json!({ "command": command, "description": "run" });
        if exit == 0 {
            let response = json!({ "stdout": "ok", "stderr": "", "interrupted": false });
            return self.operate("Bash", &input, &response);
        }
        let (id, error) = (self.call(), format!("Exit code {exit}\nit failed"));
        self.note_call(&id, "Bash", &input);
        self.note_result(&id, &json!(format!("Error: {error}")), Some(&error));
        let fields = json!({
            "tool_name": "Bash", "tool_input": input, "tool_use_id": id,
            "error": error, "is_interrupt": false,
        });
        self.tell("PostToolUseFailure", &fields)
    }

    /// Writes the whole list of todos, and has the agent's program keep `kept`.
    #[track_caller]
    pub fn todos(&self, claimed: &[(&str, &str)], kept: &[(&str, &str)]) -> Ran {
        let list = |todos: &[(&str, &str)]| -> Value {
            let todo = |(content, status): &(&str, &str)| json!({ "content": content, "status": status, "activeForm": content });
            todos.iter().map(todo).collect()
        };
        let input = json!({ "todos": list(claimed) });
        let response = json!({ "oldTodos": [], "newTodos": list(kept) });
        self.operate("TodoWrite", &input, &response)
    }

    #[track_caller]
    pub fn stop(&self) -> Ran {
        let fields = json!({
            "stop_hook_active": false, "last_assistant_message": "Done!",
            "background_tasks": [], "session_crons": [],
        });
        self.tell("Stop", &fields)
    }

    #[track_caller]
    pub fn end(&self) -> Ran {
        self.tell("SessionEnd", &json!({ "reason": "other" }))
    }
}

/// The newest session, whole.
#[track_caller]
pub fn shown(project: &Project) -> Value {
    project.run(["worklog", "show", "--format", "json"]).expect(0).data()
}

/// The sessions, newest first.
#[track_caller]
pub fn listed(project: &Project) -> Vec<Value> {
    let data = project.run(["worklog", "list", "--format", "json"]).expect(0).data();
    data.as_array().unwrap().clone()
}

/// `action status context` of every entry.
pub fn lines(account: &Value) -> Vec<String> {
    let word = |entry: &Value, name: &str| entry[name].as_str().unwrap().to_owned();
    let line = |entry: &Value| {
        format!("{} {} {}", word(entry, "action"), word(entry, "status"), word(entry, "context"))
    };
    account["entries"].as_array().unwrap().iter().map(line).collect()
}

/// How many entries are about `action`.
pub fn count(account: &Value, action: &str) -> usize {
    account["entries"].as_array().unwrap().iter().filter(|e| e["action"] == action).count()
}

/// The engine, so many hours from now.
pub fn later(project: &Project, hours: i64) -> Engine {
    let later = jiff::Timestamp::now() + jiff::SignedDuration::from_hours(hours);
    let variables = project.environment().into_iter().map(|(name, value)| (name.into(), value));
    let path = std::env::var_os("PATH").unwrap_or_default();
    let host = Host {
        clock: Clock::Set(Arc::new(Mutex::new(later))),
        environment: variables.chain([("PATH".into(), path)]).collect(),
        cwd: project.root(),
        supervisor: vec![PROGRAM.into(), "supervise".into()],
    };
    Engine::open(host).unwrap()
}
