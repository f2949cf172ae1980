//! One real agent, started as an engine does it, with the scripted model behind it.

use std::ffi::OsString;
use std::fs;
use std::io::{self, Write};
use std::path::PathBuf;
use std::time::Duration;

use countersign_domain::agent::{AgentSpec, Heard, Money, Role};
use countersign_exec::agents::{Launch, Login, Moment, Permissions, Reader, Start, launch};
use countersign_exec::{Cancel, Ended, Environment, Finished, Spec, Supervisor, run};
use countersign_testkit::Project;
use countersign_testkit::agents::{RealAgent, Stage};
use countersign_testkit::model::Script;

pub(crate) struct Scene {
    pub(crate) stage: Stage,
    spec: AgentSpec,
}

/// What is to be different from the usual.
#[derive(Default)]
pub(crate) struct Wish {
    pub(crate) max_cost: Option<Money>,
    pub(crate) max_turns: Option<u32>,
    pub(crate) permissions: Option<Permissions>,
    /// Stops the agent when its use is said to cost more.
    pub(crate) stop_at: Option<Money>,
    pub(crate) variables: Vec<(&'static str, &'static str)>,
}

pub(crate) struct Outcome {
    pub(crate) heard: Heard,
    pub(crate) moments: Vec<Moment>,
    pub(crate) finished: Finished,
    pub(crate) output: String,
}

impl Outcome {
    pub(crate) fn ended(&self) -> &Ended {
        &self.finished.ended
    }

    /// The tools that were called.
    pub(crate) fn tools(&self) -> Vec<&str> {
        let mut tools = Vec::new();
        for moment in &self.moments {
            if let Moment::ToolStarted { tool, .. } = moment {
                tools.push(tool.as_str());
            }
        }
        tools
    }
}

impl Scene {
    /// `None`, said aloud, if the agent is not installed.
    pub(crate) fn new(agent: RealAgent, script: Script) -> Option<Self> {
        let stage = Stage::new(agent, Project::new("true"), script)?;
        let spec = match agent {
            RealAgent::Claude | RealAgent::OlderClaude => "claude",
            RealAgent::Codex => "codex",
            RealAgent::Gemini => "gemini:gemini-3.1-pro-preview",
        };
        Some(Self { stage, spec: spec.parse().unwrap() })
    }

    /// What the agent gets of its user's environment.
    fn environment(&self, wish: &Wish) -> Environment {
        let mut env = Environment::new();
        for (name, value) in self.stage.project.environment() {
            env.set(name, value);
        }
        let address = self.stage.model.address();
        env.set("PATH", self.stage.search_path());
        env.set("LANG", "C.UTF-8");
        env.set("ANTHROPIC_BASE_URL", &address);
        env.set("GOOGLE_GEMINI_BASE_URL", &address);
        for name in ["ANTHROPIC_API_KEY", "SCRIPTED_KEY", "GEMINI_API_KEY"] {
            env.set(name, "no-key");
        }
        for (name, value) in &wish.variables {
            env.set(name, value);
        }
        env
    }

    pub(crate) fn launch(&self, role: Role, prompt: &str, wish: &Wish) -> Launch {
        let home = self.stage.project.outside().join("private");
        fs::create_dir_all(&home).unwrap();
        let prompt_file = home.join("prompt.md");
        fs::write(&prompt_file, prompt).unwrap();
        let env = self.environment(wish);
        // A script is found by the name that npm gave it.
        let program =
            countersign_exec::find_program(self.stage.agent.name(), env.value("PATH").unwrap());
        let launch = launch(&Start {
            spec: &self.spec,
            role,
            program: &program.unwrap_or_else(|| self.stage.program().to_owned()),
            prompt,
            prompt_file: &prompt_file,
            folder: &self.stage.project.root(),
            home: &home,
            max_cost: wish.max_cost,
            max_turns: wish.max_turns,
            extra_args: &[],
            login: Login::read(self.spec.kind, &env),
            env,
            permissions: wish.permissions.unwrap_or(Permissions::of(role)),
        });
        let launch = launch.unwrap();
        for (path, bytes) in &launch.files {
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, bytes).unwrap();
        }
        launch
    }

    /// Runs the agent to its end.
    pub(crate) fn play(&self, role: Role, prompt: &str, wish: &Wish) -> Outcome {
        self.play_with(role, prompt, wish, &mut |_| {})
    }

    /// The same, with somebody who is told of every moment.
    pub(crate) fn play_with(
        &self,
        role: Role,
        prompt: &str,
        wish: &Wish,
        on: &mut dyn FnMut(&Moment),
    ) -> Outcome {
        let launch = self.launch(role, prompt, wish);
        let cancel = Cancel::new();
        let reader = Reader::new(&self.spec).assuming(launch.model.clone());
        let mut ear = Ear {
            reader,
            cancel: cancel.clone(),
            stop_at: wish.stop_at,
            on,
            moments: Vec::new(),
            output: Vec::new(),
        };
        let spec = Spec {
            argv: launch.argv,
            cwd: self.stage.project.root(),
            env: launch.env,
            stdin: launch.stdin,
            deadline: Duration::from_mins(2),
            grace: Duration::from_secs(2),
            max_output: 1 << 28,
        };
        let supervisor = Supervisor::new(env!("CARGO_BIN_EXE_countersign-supervisor"), &[]);
        let finished = run(&supervisor, &spec, &cancel, &mut ear).unwrap();
        let Ear { reader, moments, output, .. } = ear;
        let heard = reader.finish(&finished.ended);
        let output = String::from_utf8_lossy(&output).into_owned();
        self.stage.project.expect_no_survivors();
        Outcome { heard, moments, finished, output }
    }

    /// A file outside of everything, by which code that must not run is known.
    pub(crate) fn mark(&self) -> PathBuf {
        self.stage.project.outside().join("planted-code-ran")
    }

    /// Every text that reached the model.
    pub(crate) fn asked(&self) -> String {
        let requests = self.stage.model.requests();
        requests
            .iter()
            .flat_map(countersign_testkit::model::Request::texts)
            .collect::<Vec<_>>()
            .join("\n")
    }
}

struct Ear<'a> {
    reader: Reader,
    cancel: Cancel,
    stop_at: Option<Money>,
    on: &'a mut dyn FnMut(&Moment),
    moments: Vec<Moment>,
    output: Vec<u8>,
}

impl Write for Ear<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let Self { reader, cancel, stop_at, on, moments, output } = self;
        output.extend_from_slice(bytes);
        reader.feed(bytes, &mut |moment| {
            if let Moment::Used(usage) = &moment
                && stop_at.is_some_and(|most| usage.cost.is_some_and(|cost| cost > most))
            {
                cancel.cancel();
            }
            on(&moment);
            moments.push(moment);
        });
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// The words of an end, for messages of tests.
pub(crate) fn told(outcome: &Outcome) -> OsString {
    let Outcome { heard, finished, output, .. } = outcome;
    format!("{heard:#?}\n{:?}\n{output}", finished.ended).into()
}
