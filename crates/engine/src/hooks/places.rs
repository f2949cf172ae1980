//! Where each agent keeps its settings, and what sort of file each is.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use countersign_domain::worklog::Agent;
use countersign_exec::agents::codex::settings::{toml, trust};
use countersign_exec::agents::hook_entries::{self, Leniency};
use countersign_exec::agents::plan::{Broken, Plan, Registered};
use countersign_exec::agents::{claude, codex, gemini, opencode};

use super::Scope;
use crate::error::{Error, Kind, Result};
use crate::{Engine, Host};

/// What sort of settings file it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    /// JSON with entries of hooks.
    Entries,
    /// Codex's configuration, which may hold hooks and always holds their trust.
    Config,
    /// A file of ours alone.
    Plugin,
}

/// A settings file that may have something of ours in it.
#[derive(Debug, Clone)]
pub(super) struct Place {
    pub agent: Agent,
    pub scope: Scope,
    pub path: PathBuf,
    pub form: Form,
}

/// What is to be in a place.
#[derive(Debug, Clone)]
pub(super) enum Wanted {
    Hooks(Plan),
    Trust(BTreeMap<String, String>),
    Plugin(String),
}

/// The files of an agent, in the order in which it prefers them.
pub(super) fn places(host: &Host, agent: Agent, scope: Scope) -> Result<Vec<Place>> {
    let folder = folder(host, agent, scope)?;
    let place = |name: &str, form| Place { agent, scope, path: folder.join(name), form };
    Ok(match (agent, scope) {
        (Agent::Claude, Scope::Project) => {
            vec![place("settings.json", Form::Entries), place("settings.local.json", Form::Entries)]
        }
        (Agent::Codex, _) => {
            vec![place("hooks.json", Form::Entries), place("config.toml", Form::Config)]
        }
        (Agent::Claude, Scope::User) | (Agent::Gemini, _) => {
            vec![place("settings.json", Form::Entries)]
        }
        (Agent::Opencode, _) => vec![place("plugin/countersign.js", Form::Plugin)],
    })
}

/// The folder that an agent's settings are in.
pub(super) fn folder(host: &Host, agent: Agent, scope: Scope) -> Result<PathBuf> {
    let name = match agent {
        Agent::Claude => ".claude",
        Agent::Codex => ".codex",
        Agent::Gemini => ".gemini",
        Agent::Opencode => ".opencode",
    };
    if scope == Scope::Project {
        let root = Engine::root(host).ok_or_else(|| {
            let message = format!("{} is in no git repository", host.cwd.display());
            Error::new(Kind::Refused, message).hint("leave --project out, or change into one")
        })?;
        return Ok(root.join(name));
    }
    let set = |variable: &str| host.variable(variable).map(|value| host.cwd.join(value));
    let (variable, own) = match agent {
        Agent::Claude => ("CLAUDE_CONFIG_DIR", set("CLAUDE_CONFIG_DIR")),
        Agent::Codex => ("CODEX_HOME", set("CODEX_HOME")),
        Agent::Gemini => ("GEMINI_CLI_HOME", set("GEMINI_CLI_HOME").map(|home| home.join(name))),
        Agent::Opencode => {
            ("XDG_CONFIG_HOME", set("XDG_CONFIG_HOME").map(|config| config.join("opencode")))
        }
    };
    let home = host.variable("HOME").map(Path::new).filter(|home| home.is_absolute());
    let usual = home.map(|home| match agent {
        Agent::Opencode => home.join(".config/opencode"),
        _ => home.join(name),
    });
    own.or(usual).ok_or_else(|| {
        let message = format!("neither HOME nor {variable} is set: where are {agent}'s settings?");
        Error::new(Kind::Refused, message).hint("set one of them, or use --project")
    })
}

impl Place {
    fn leniency(&self) -> Leniency {
        match self.agent {
            Agent::Claude => claude::settings::LENIENCY,
            Agent::Gemini => gemini::settings::LENIENCY,
            Agent::Codex | Agent::Opencode => codex::settings::LENIENCY,
        }
    }

    /// An error that says where the file can't be read.
    pub(super) fn broken(&self, broken: &Broken) -> Error {
        Error::new(Kind::Refused, format!("{}:{broken}", self.path.display()))
            .hint("mend the file and run this again; nothing was changed")
    }

    pub(super) fn text<'a>(&self, bytes: &'a [u8]) -> Result<&'a str> {
        Broken::text_of(bytes).map_err(|broken| self.broken(&broken))
    }

    /// The file with what is wanted in it.
    pub(super) fn with(&self, text: &str, wanted: &Wanted) -> Result<String> {
        let result = match wanted {
            Wanted::Hooks(plan) if self.form == Form::Config => toml::register(text, plan),
            Wanted::Hooks(plan) => hook_entries::register(text, self.leniency(), plan),
            Wanted::Trust(digests) => trust::trust(text, digests),
            Wanted::Plugin(plugin) => {
                if !(text.is_empty() || opencode::settings::is_ours(text)) {
                    let message = format!("{} is not ours", self.path.display());
                    return Err(Error::new(Kind::Refused, message).hint("move it away"));
                }
                Ok(plugin.clone())
            }
        };
        result.map_err(|broken| self.broken(&broken))
    }

    /// The file without what is ours; nothing if there is nothing else in it.
    pub(super) fn without(
        &self,
        text: &str,
        before: Option<&str>,
        trusted: &BTreeMap<String, String>,
    ) -> Result<Option<String>> {
        let result = match self.form {
            Form::Plugin => {
                return Ok((!opencode::settings::is_ours(text)).then(|| text.to_owned()));
            }
            Form::Entries => {
                hook_entries::unregister(text, self.leniency(), self.agent.name(), before)
            }
            Form::Config => toml::unregister(text).and_then(|text| trust::distrust(&text, trusted)),
        };
        result.map(Some).map_err(|broken| self.broken(&broken))
    }

    /// Our entries in the file.
    pub(super) fn registered(&self, text: &str) -> Result<Vec<Registered>> {
        let result = match self.form {
            Form::Entries => hook_entries::registered(text, self.leniency(), self.agent.name()),
            Form::Config => toml::registered(text),
            Form::Plugin => Ok(in_plugin(text)),
        };
        result.map_err(|broken| self.broken(&broken))
    }

    /// The settings in the file as a value; only for JSON.
    pub(super) fn value(&self, text: &str) -> Result<serde_json::Value> {
        hook_entries::read(text, self.leniency()).map_err(|broken| self.broken(&broken))
    }
}

fn in_plugin(text: &str) -> Vec<Registered> {
    let program = opencode::settings::program_in(text);
    let program = program.filter(|_| opencode::settings::is_ours(text));
    let entry = |event: &&str| {
        Some(Registered {
            event: (*event).to_owned(),
            program: program.clone()?,
            group: 0,
            position: 0,
            hears_all: true,
            fails_closed: opencode::settings::is_guard(text),
        })
    };
    opencode::settings::EVENTS.iter().filter_map(entry).collect()
}
