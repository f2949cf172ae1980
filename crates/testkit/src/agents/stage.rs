//! One project, one real agent in it, and the model that tells it what to do.

use std::cell::Cell;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::real::RealAgent;
use crate::model::{Model, Script};
use crate::project::{Call, Project};
use crate::ran::Ran;
use crate::wait_until;

/// Everything that one session of an agent needs.
#[derive(Debug)]
pub struct Stage {
    pub agent: RealAgent,
    pub project: Project,
    pub model: Model,
    program: PathBuf,
    /// Whether Codex is to run hooks that nobody said it may run.
    bypasses_trust: Cell<bool>,
}

impl Stage {
    /// Sets the stage in `project`; `None`, said aloud, if the agent is not installed.
    pub fn new(agent: RealAgent, project: Project, script: Script) -> Option<Self> {
        let program = agent.find()?;
        let model = Model::start(script.at(project.root()));
        let bypasses_trust = Cell::new(false);
        let stage = Self { agent, project, model, program, bypasses_trust };
        if let Some((name, text)) = agent.settings(&stage.model) {
            stage.write_home(name, &text);
        }
        Some(stage)
    }

    /// The agent's program.
    pub fn program(&self) -> &Path {
        &self.program
    }

    /// The home of the agent's user.
    pub fn home(&self) -> PathBuf {
        self.project.outside().join("home")
    }

    pub fn write_home(&self, name: &str, text: &str) {
        let path = self.home().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    /// A search path on which the agent is found by its own name, as its users have it.
    pub fn search_path(&self) -> OsString {
        let folder = match self.agent {
            // A script, with a link of its name where npm puts those.
            RealAgent::Gemini => self.program.ancestors().nth(4).unwrap().join(".bin"),
            _ => self.program.parent().unwrap().to_owned(),
        };
        let rest = std::env::var_os("PATH").unwrap_or_default();
        std::env::join_paths([folder].into_iter().chain(std::env::split_paths(&rest))).unwrap()
    }

    /// The agent asked for something, with no permission to do it; arguments may be added.
    pub fn ask(&self, prompt: &str) -> Call {
        self.call().args(self.agent.words(prompt, None))
    }

    /// The agent asked for something that it may do.
    pub fn work(&self, prompt: &str) -> Call {
        self.permit(self.ask(prompt))
    }

    /// The agent going on with an earlier session.
    pub fn resume(&self, session: &str, prompt: &str) -> Call {
        self.permit(self.call().args(self.agent.words(prompt, Some(session))))
    }

    fn permit(&self, call: Call) -> Call {
        let call = match self.agent {
            // Edits and Python, and the lists of tasks, which newer versions keep back.
            RealAgent::Claude | RealAgent::OlderClaude => call
                .args(["--permission-mode", "acceptEdits", "--allowedTools", "Bash(python3 *)"])
                .env("CLAUDE_CODE_ENABLE_TODO_TOOLS", "1"),
            RealAgent::Codex => call.arg("--dangerously-bypass-approvals-and-sandbox"),
            RealAgent::Gemini => call.arg("--yolo"),
        };
        if self.bypasses_trust.get() { call.arg("--dangerously-bypass-hook-trust") } else { call }
    }

    /// The agent's name of the session that it worked in.
    ///
    /// # Panics
    /// When it gave none.
    pub fn session(&self, ran: &Ran) -> String {
        let name = if self.agent == RealAgent::Codex { "thread_id" } else { "session_id" };
        let text = ran.out();
        let events = text.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
        let mut ids = events.filter_map(|event| event[name].as_str().map(str::to_owned));
        ids.next().unwrap_or_else(|| panic!("no session in:\n{text}\n{}", ran.err()))
    }

    /// The agent with no argument yet.
    pub fn call(&self) -> Call {
        self.agent.call(&self.program, &self.project, &self.model)
    }

    /// Has `command` called at every event that the agent has hooks for.
    pub fn hook(&self, command: &str) {
        self.bypasses_trust.set(self.agent == RealAgent::Codex);
        let events = events(self.agent);
        let timeout = if self.agent == RealAgent::Gemini { 30_000 } else { 30 };
        let hook =
            json!([{"hooks": [{"type": "command", "command": command, "timeout": timeout}]}]);
        let hooks: serde_json::Map<String, Value> =
            events.iter().map(|event| ((*event).to_owned(), hook.clone())).collect();
        let (name, key) = match self.agent {
            RealAgent::Codex => (".codex/hooks.json", "hooks"),
            RealAgent::Gemini => (".gemini/settings.json", "hooks"),
            _ => (".claude/settings.json", "hooks"),
        };
        let present = fs::read_to_string(self.home().join(name)).unwrap_or_else(|_| "{}".into());
        let mut settings: Value = serde_json::from_str(&present).unwrap();
        settings[key] = hooks.into();
        self.write_home(name, &format!("{settings:#}\n"));
    }

    /// What the agent wrote down about its sessions, oldest first.
    pub fn transcripts(&self) -> Vec<PathBuf> {
        let folder = match self.agent {
            RealAgent::Codex => ".codex/sessions",
            RealAgent::Gemini => ".gemini/tmp",
            _ => ".claude/projects",
        };
        let mut found = Vec::new();
        walk(&self.home().join(folder), &mut found);
        found.sort_by_key(|path| {
            (fs::metadata(path).and_then(|data| data.created()).ok(), path.clone())
        });
        found
    }
}

/// Waits for an agent, but not for ever: one that hangs is ended, and the test fails.
///
/// # Panics
/// When the agent doesn't end within a minute.
#[track_caller]
pub fn finish(call: Call) -> Ran {
    let mut running = call.start();
    wait_until("the end of the agent", || running.has_ended().then_some(()));
    running.wait()
}

fn walk(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() {
            walk(&path, found);
        } else if path.extension().is_some_and(|end| end == "jsonl") {
            found.push(path);
        }
    }
}

fn events(agent: RealAgent) -> &'static [&'static str] {
    match agent {
        RealAgent::Claude | RealAgent::OlderClaude => &[
            "PreToolUse",
            "PostToolUse",
            "PostToolUseFailure",
            "PostToolBatch",
            "Notification",
            "UserPromptSubmit",
            "UserPromptExpansion",
            "SessionStart",
            "SessionEnd",
            "Stop",
            "StopFailure",
            "SubagentStart",
            "SubagentStop",
            "PreCompact",
            "PostCompact",
            "PermissionRequest",
            "PermissionDenied",
            "TaskCreated",
            "TaskCompleted",
            "ConfigChange",
            "InstructionsLoaded",
        ],
        RealAgent::Codex => &[
            "SessionStart",
            "SessionEnd",
            "UserPromptSubmit",
            "PreToolUse",
            "PostToolUse",
            "PermissionRequest",
            "PreCompact",
            "PostCompact",
            "SubagentStart",
            "SubagentStop",
            "Stop",
            "Interrupt",
        ],
        RealAgent::Gemini => &[
            "SessionStart",
            "SessionEnd",
            "BeforeAgent",
            "AfterAgent",
            "BeforeTool",
            "AfterTool",
            "PreCompress",
            "Notification",
        ],
    }
}
