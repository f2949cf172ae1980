//! How an agent is started for a role. Nothing is started here: a [`Start`] says what is wanted,
//! a [`Launch`] what to run for it.
//!
//! Agents are started hermetically. Of the user's own settings only what they need to log in
//! reaches them; of the project's settings nothing does, since a worker may have written those.
//! The prompt comes on standard input: it may be longer than an argument can be, and arguments
//! are seen by everybody on the machine.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use countersign_domain::agent::{AgentSpec, Kind, Money, Role};
use serde::{Deserialize, Serialize};

use super::login::Login;
use super::{acp, claude, codex, command, gemini, goose, opencode};
use crate::environment::Environment;

/// What an agent may do without asking. Nobody is there to be asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Permissions {
    /// Reads, and runs what only reads.
    ReadOnly,
    /// Changes files in its folder and runs commands, within the agent's own sandbox if it has
    /// one.
    Edit,
    /// Everything that its user may.
    Full,
}

impl Permissions {
    /// What a role is allowed if nobody says otherwise.
    pub fn of(role: Role) -> Self {
        match role {
            Role::Worker => Self::Edit,
            Role::Verifier | Role::Reviewer => Self::ReadOnly,
        }
    }

    pub fn name(self) -> &'static str {
        match self {
            Self::ReadOnly => "read-only",
            Self::Edit => "edit",
            Self::Full => "full",
        }
    }
}

/// What is wanted.
#[derive(Debug, Clone)]
pub struct Start<'a> {
    pub spec: &'a AgentSpec,
    pub role: Role,
    /// The agent's program. For an agent that speaks ACP it is our own executable, which stands
    /// between; if empty, the one that is running. A command has none.
    pub program: &'a Path,
    /// What `prompt_file` holds.
    pub prompt: &'a str,
    pub prompt_file: &'a Path,
    /// Where it works.
    pub folder: &'a Path,
    /// A private folder that was made for this start, outside of `folder`.
    pub home: &'a Path,
    /// What it may spend, if that is bounded.
    pub max_cost: Option<Money>,
    /// How many turns it may take, if that is bounded.
    pub max_turns: Option<u32>,
    /// Further arguments, in the agent's own words.
    pub extra_args: &'a [String],
    /// What it gets of the user's environment.
    pub env: Environment,
    pub permissions: Permissions,
    /// What it needs of the user's settings to log in: [`Login::read`].
    pub login: Login,
}

impl Start<'_> {
    /// Whether it judges what others wrote, so that nothing they wrote may steer it.
    pub(crate) fn judges(&self) -> bool {
        self.role != Role::Worker
    }
}

/// What to run.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Launch {
    pub argv: Vec<OsString>,
    pub env: Environment,
    /// The file that it reads as its input.
    pub stdin: Option<PathBuf>,
    /// Files to write first, with the folders that they are in; all below the start's home.
    pub files: Vec<(PathBuf, Vec<u8>)>,
    /// The model that it will use, as far as that is known before.
    pub model: Option<String>,
    /// What a person should know about this start, such as what could not be bounded.
    pub notes: Vec<String>,
}

impl Launch {
    /// A launch of `program` that reads the prompt from its input.
    pub(crate) fn of(start: &Start<'_>, program: &Path) -> Self {
        Self {
            argv: vec![program.as_os_str().to_owned()],
            env: start.env.clone(),
            stdin: Some(start.prompt_file.to_owned()),
            model: start.spec.model.clone(),
            ..Self::default()
        }
    }

    pub(crate) fn arg(&mut self, arg: impl Into<OsString>) {
        self.argv.push(arg.into());
    }

    pub(crate) fn args<const N: usize>(&mut self, args: [&str; N]) {
        self.argv.extend(args.map(OsString::from));
    }

    /// An option with a value, if there is one.
    pub(crate) fn option(&mut self, name: &str, value: Option<&str>) {
        if let Some(value) = value {
            self.args([name, value]);
        }
    }

    pub(crate) fn note(&mut self, note: impl Into<String>) {
        self.notes.push(note.into());
    }

    /// Sets variables that have no value yet of the user's.
    pub(crate) fn switches<const N: usize>(&mut self, names: [&str; N]) {
        for name in names {
            self.env.set(name, "1");
        }
    }
}

/// A start that can't be.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Unfit {
    #[error("the program of {0} was not found")]
    NoProgram(&'static str),
    #[error("'{0}' can't be read as a command")]
    Command(String),
}

impl Unfit {
    /// What to do about it.
    pub fn hint(&self) -> String {
        match self {
            Self::NoProgram(name) => {
                format!("install {name}, or have its folder in PATH; `countersign doctor` looks")
            }
            Self::Command(_) => "close its quotes; words are divided as a shell does".to_owned(),
        }
    }
}

/// What to run for `start`.
pub fn launch(start: &Start<'_>) -> Result<Launch, Unfit> {
    let kind = start.spec.kind;
    if start.program.as_os_str().is_empty() && !kind.takes_command() {
        return Err(Unfit::NoProgram(kind.name()));
    }
    let mut launch = match kind {
        Kind::Claude => claude::launch::launch(start),
        Kind::Codex => codex::launch::launch(start),
        Kind::Gemini => gemini::launch::launch(start),
        Kind::Opencode => opencode::launch::launch(start),
        Kind::Goose => goose::launch::launch(start),
        Kind::Acp => acp::launch::launch(start)?,
        Kind::Command => command::launch::launch(start),
    };
    let has_turns = matches!(kind, Kind::Claude | Kind::Goose | Kind::Gemini);
    if start.max_turns.is_some() && !has_turns {
        launch.note(format!("{} can't be told how many turns it may take", kind.name()));
    }
    Ok(launch)
}

/// What a judge's checkout must not have for this agent, because nothing else keeps the agent from
/// running it or taking it for instructions: names of files and folders at any depth.
pub fn hides(kind: Kind) -> &'static [&'static str] {
    match kind {
        Kind::Claude => claude::launch::HIDES,
        Kind::Codex => codex::launch::HIDES,
        Kind::Gemini => gemini::launch::HIDES,
        Kind::Opencode => opencode::launch::HIDES,
        Kind::Goose => goose::launch::HIDES,
        Kind::Acp => acp::launch::HIDES,
        Kind::Command => &[],
    }
}
