//! Where the real agents are, and how each is started with an empty environment and a model of
//! ours.

use std::ffi::OsString;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::model::Model;
use crate::project::{Call, Project};

/// A version of an agent that tests can drive.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RealAgent {
    Claude,
    /// What npm picks for an older Node; it still offers its lists of tasks by default.
    OlderClaude,
    Codex,
    Gemini,
}

impl RealAgent {
    pub const ALL: [Self; 4] = [Self::Claude, Self::OlderClaude, Self::Codex, Self::Gemini];

    /// The name by which our program knows the agent.
    pub fn name(self) -> &'static str {
        match self {
            Self::Claude | Self::OlderClaude => "claude",
            Self::Codex => "codex",
            Self::Gemini => "gemini",
        }
    }

    /// The folder of its recordings.
    pub fn label(self) -> &'static str {
        if self == Self::OlderClaude { "claude-2.1.197" } else { self.name() }
    }

    /// The name of the folder that it is installed in, as `pinned.json` has it.
    pub fn folder(self) -> &'static str {
        match self {
            Self::Claude => "claude-2.1.325",
            Self::OlderClaude => "claude-2.1.197",
            Self::Codex => "codex-0.166.0",
            Self::Gemini => "gemini-0.61.0",
        }
    }

    /// The program, if the agent is installed. If it isn't, says so where nobody can miss it: a
    /// test that goes on without its agent has proven nothing.
    pub fn find(self) -> Option<PathBuf> {
        let found = cache().and_then(|cache| {
            let folder = cache.join(self.folder());
            // npm installs what is for this machine, and nothing else.
            self.programs().into_iter().map(|name| folder.join(name)).find(|path| path.is_file())
        });
        if found.is_none() {
            // Not by a macro: what those print in a test that passes is kept from everybody.
            let _ = writeln!(
                std::io::stderr(),
                "*** NOT TESTED with {}: it is not installed; `cargo xtask agents` does that ***",
                self.folder()
            );
        }
        found
    }

    /// Where the program may be below its folder, machine by machine.
    fn programs(self) -> Vec<String> {
        let pinned: Vec<Value> = serde_json::from_str(include_str!("pinned.json")).unwrap();
        let row = pinned.iter().find(|row| row["folder"] == self.folder()).unwrap();
        let names = row["programs"].as_array().into_iter().flatten();
        names.filter_map(Value::as_str).map(str::to_owned).collect()
    }

    /// A call of the agent in the project, with no argument yet.
    pub(super) fn call(self, program: &Path, project: &Project, model: &Model) -> Call {
        let address = model.address();
        let call = match self {
            Self::Gemini => project.call_of("node").arg(program),
            _ => project.call_of(program),
        };
        // A quiet terminal and a language, as everybody has; no agent reports home.
        let call = call.env("TERM", "dumb").env("LANG", "C.UTF-8");
        match self {
            Self::Claude | Self::OlderClaude => call
                .env("ANTHROPIC_BASE_URL", address)
                .env("ANTHROPIC_API_KEY", NO_KEY)
                .env("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1")
                .env("DISABLE_AUTOUPDATER", "1")
                .env("DISABLE_TELEMETRY", "1")
                .env("DISABLE_ERROR_REPORTING", "1"),
            Self::Codex => call.env("SCRIPTED_KEY", NO_KEY),
            Self::Gemini => call
                .env("GEMINI_API_KEY", NO_KEY)
                .env("GOOGLE_GEMINI_BASE_URL", address)
                .env("GEMINI_CLI_NO_RELAUNCH", "true"),
        }
    }

    /// The settings that the agent needs to find the model, as file name below the user's home
    /// and content.
    pub(super) fn settings(self, model: &Model) -> Option<(&'static str, String)> {
        match self {
            Self::Claude | Self::OlderClaude => None,
            Self::Codex => Some((
                ".codex/config.toml",
                format!(
                    "model = \"gpt-5.5\"\nmodel_provider = \"scripted\"\n\n\
                     [model_providers.scripted]\nname = \"scripted\"\nbase_url = \"{}/v1\"\n\
                     env_key = \"SCRIPTED_KEY\"\nwire_api = \"responses\"\n\
                     request_max_retries = 1\nstream_max_retries = 1\n",
                    model.address()
                ),
            )),
            Self::Gemini => Some((
                ".gemini/settings.json",
                "{\"security\": {\"auth\": {\"selectedType\": \"gemini-api-key\"}}, \
                 \"privacy\": {\"usageStatisticsEnabled\": false}, \
                 \"telemetry\": {\"enabled\": false}, \"general\": {\"enableAutoUpdate\": false}}\n"
                    .to_owned(),
            )),
        }
    }

    /// The words that make the agent work on `prompt`, or go on with the session `resumed`.
    pub(super) fn words(self, prompt: &str, resumed: Option<&str>) -> Vec<OsString> {
        let words: Vec<&str> = match (self, resumed) {
            (Self::Claude | Self::OlderClaude, None) => {
                vec!["-p", prompt, "--output-format", "json"]
            }
            (Self::Claude | Self::OlderClaude, Some(id)) => {
                vec!["-p", prompt, "--output-format", "json", "--resume", id]
            }
            (Self::Codex, None) => vec!["exec", "--json", prompt],
            (Self::Codex, Some(id)) => vec!["exec", "resume", "--json", id, prompt],
            (Self::Gemini, _) => {
                let model = "gemini-3.1-pro-preview";
                vec!["-p", prompt, "-m", model, "-o", "json", "--skip-trust"]
            }
        };
        words.into_iter().map(OsString::from).collect()
    }
}

/// Agents want a key, and any will do.
const NO_KEY: &str = "no-key";

/// The folder that the agents are installed in.
fn cache() -> Option<PathBuf> {
    let given = |name| std::env::var_os(name).filter(|path| !path.is_empty()).map(PathBuf::from);
    given("COUNTERSIGN_AGENTS").or_else(|| {
        let user =
            given("XDG_CACHE_HOME").or_else(|| given("HOME").map(|home| home.join(".cache")));
        user.map(|user| user.join("countersign-agents"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_agent_is_pinned() {
        for agent in RealAgent::ALL {
            assert!(!agent.programs().is_empty(), "{agent:?}");
        }
    }
}
