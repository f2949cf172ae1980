//! What an agent needs of its user's own settings to log in and to find its model, and nothing
//! else of them.

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};

use countersign_domain::agent::Kind;
use serde_json::{Map, Value};
use toml_edit::DocumentMut;

use crate::environment::Environment;

/// Settings longer than this are not looked at: nobody writes that many.
const MAX_BYTES: u64 = 1024 * 1024;

/// As far as it was found; an agent that needs nothing of it starts without.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Login {
    /// Settings of Claude Code that say how to log in.
    pub(crate) claude: Map<String, Value>,
    /// The model that Codex is set to.
    pub(crate) model: Option<String>,
    /// The MCP servers that Codex is set to start.
    pub(crate) servers: Vec<String>,
    /// Whether Codex is set to ask somebody else than its makers.
    has_provider: bool,
    /// The variable with the key of that provider.
    key: Option<String>,
}

/// The settings of Claude Code by which it logs in. `env` may name a gateway or a cloud.
const CLAUDE: &[&str] = &[
    "apiKeyHelper",
    "awsAuthRefresh",
    "awsCredentialExport",
    "env",
    "forceLoginMethod",
    "forceLoginOrgUUID",
    "gcpAuthRefresh",
];

impl Login {
    /// Reads the user's settings of this agent, where `env` says that they are.
    pub fn read(kind: Kind, env: &Environment) -> Self {
        match kind {
            Kind::Claude => {
                let folder = place(env, "CLAUDE_CONFIG_DIR", ".claude");
                let text = folder.and_then(|folder| text_of(&folder.join("settings.json")));
                Self::of_claude(&text.unwrap_or_default())
            }
            Kind::Codex => {
                let folder = place(env, "CODEX_HOME", ".codex");
                let text = folder.and_then(|folder| text_of(&folder.join("config.toml")));
                Self::of_codex(&text.unwrap_or_default())
            }
            _ => Self::default(),
        }
    }

    /// Whether the settings themselves say how to log in.
    pub(crate) fn logs_in_by_itself(&self) -> bool {
        self.has_provider
            || self.claude.keys().any(|name| name != "env" && !name.starts_with("force"))
    }

    /// Variables that the user's settings name for a key; they are to be allowed too.
    pub fn variables(&self) -> Vec<String> {
        self.key.iter().cloned().collect()
    }

    fn of_claude(text: &str) -> Self {
        let settings: Map<String, Value> = serde_json::from_str(text).unwrap_or_default();
        let kept = settings.into_iter().filter(|(name, _)| CLAUDE.contains(&name.as_str()));
        Self { claude: kept.collect(), ..Self::default() }
    }

    fn of_codex(text: &str) -> Self {
        let Ok(settings) = text.parse::<DocumentMut>() else { return Self::default() };
        let servers = settings.get("mcp_servers").and_then(|servers| servers.as_table_like());
        let model = settings.get("model").and_then(|model| model.as_str());
        let provider = settings.get("model_provider").and_then(|name| name.as_str());
        let provider = provider.and_then(|name| settings.get("model_providers")?.get(name));
        let key = provider.and_then(|provider| provider.get("env_key")?.as_str());
        Self {
            has_provider: provider.is_some(),
            key: key.map(str::to_owned),
            model: model.map(str::to_owned),
            servers: servers
                .into_iter()
                .flat_map(|servers| servers.iter().map(|(name, _)| name.to_owned()))
                .collect(),
            ..Self::default()
        }
    }
}

/// The folder that `variable` names, or `usual` in the user's home.
pub(crate) fn place(env: &Environment, variable: &str, usual: &str) -> Option<PathBuf> {
    let given = |name: &str| env.value(name).filter(|value| *value != OsStr::new(""));
    let home = || Some(Path::new(given("HOME")?).join(usual));
    given(variable).map(PathBuf::from).or_else(home)
}

fn text_of(path: &Path) -> Option<String> {
    let is_read = fs::metadata(path).is_ok_and(|found| found.is_file() && found.len() <= MAX_BYTES);
    if is_read { fs::read_to_string(path).ok() } else { None }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// LP-18: how to log in is taken over; hooks, servers and permissions are not.
    #[test]
    fn only_what_logs_in_is_taken() {
        let settings = r#"{"apiKeyHelper": "key.sh", "env": {"ANTHROPIC_BASE_URL": "x"},
            "hooks": {"Stop": []}, "permissions": {"allow": ["Bash"]}, "model": "opus"}"#;
        let login = Login::of_claude(settings);
        assert_eq!(login.claude.keys().collect::<Vec<_>>(), ["apiKeyHelper", "env"]);
        let settings = "model = \"gpt-5.5\"\nmodel_provider = \"x\"\n\
                        [model_providers.x]\nenv_key = \"X_KEY\"\n[mcp_servers.one]\ncommand = \"x\"\n\
                        [mcp_servers.\"two.three\"]\ncommand = \"x\"\n";
        let login = Login::of_codex(settings);
        assert_eq!(login.model.as_deref(), Some("gpt-5.5"));
        assert_eq!(login.servers, ["one", "two.three"]);
        assert_eq!(login.variables(), ["X_KEY"]);
    }

    #[test]
    fn settings_that_are_none_are_nothing() {
        for text in ["", "{", "[]", "= 3", "mcp_servers = 3"] {
            assert_eq!(Login::of_claude(text), Login::default(), "{text}");
            assert_eq!(Login::of_codex(text), Login::default(), "{text}");
        }
        let mut env = Environment::new();
        assert_eq!(place(&env, "CODEX_HOME", ".codex"), None);
        env.set("HOME", "/u");
        env.set("CODEX_HOME", "");
        assert_eq!(place(&env, "CODEX_HOME", ".codex"), Some("/u/.codex".into()));
        assert_eq!(Login::read(Kind::Claude, &env), Login::default());
    }
}
