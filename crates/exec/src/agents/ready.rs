//! Whether an agent can be put to work here: its version, and whether it can log in. Only files
//! and variables are looked for, by their names; no model is asked.

use std::path::PathBuf;

use countersign_domain::agent::Kind;

use super::login::{Login, place};
use super::version::Version;
use crate::environment::Environment;

/// Whether an agent will be able to log in, as far as can be told.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Readiness {
    /// It has something to log in with: what that is.
    Ready(String),
    /// It may have: why that can't be told.
    Unknown(String),
    /// It has nothing: what to do.
    NotLoggedIn(String),
}

/// What is known about one agent's ways to log in.
struct Ways {
    /// Variables that hold a key, or say that a cloud's own login is used.
    keys: &'static [&'static str],
    /// Further variables that it needs: where it keeps its files, whom it asks.
    others: &'static [&'static str],
    /// What to do.
    hint: &'static str,
}

const CLAUDE: Ways = Ways {
    keys: &[
        "ANTHROPIC_API_KEY",
        "ANTHROPIC_AUTH_TOKEN",
        "CLAUDE_CODE_OAUTH_TOKEN",
        "CLAUDE_CODE_USE_BEDROCK",
        "CLAUDE_CODE_USE_VERTEX",
        "CLAUDE_CODE_USE_FOUNDRY",
    ],
    others: &[
        "CLAUDE_CONFIG_DIR",
        "ANTHROPIC_BASE_URL",
        "ANTHROPIC_CUSTOM_HEADERS",
        "ANTHROPIC_MODEL",
        "ANTHROPIC_VERTEX_PROJECT_ID",
        "CLOUD_ML_REGION",
        "GOOGLE_APPLICATION_CREDENTIALS",
        "AWS_*",
    ],
    hint: "start `claude` once and log in, or set ANTHROPIC_API_KEY",
};

const CODEX: Ways = Ways {
    keys: &["CODEX_API_KEY", "CODEX_ACCESS_TOKEN"],
    others: &["CODEX_HOME", "OPENAI_API_KEY", "OPENAI_BASE_URL"],
    hint: "run `codex login`, or set CODEX_API_KEY",
};

const GEMINI: Ways = Ways {
    keys: &[
        "GEMINI_API_KEY",
        "GOOGLE_API_KEY",
        "GOOGLE_GENAI_USE_VERTEXAI",
        "GOOGLE_GENAI_USE_GCA",
    ],
    others: &[
        "GOOGLE_GEMINI_BASE_URL",
        "GOOGLE_CLOUD_PROJECT",
        "GOOGLE_CLOUD_LOCATION",
        "GOOGLE_APPLICATION_CREDENTIALS",
        "GEMINI_CLI_HOME",
    ],
    hint: "start `gemini` once and log in, or set GEMINI_API_KEY",
};

const OPENCODE: Ways = Ways {
    keys: &[
        "ANTHROPIC_API_KEY",
        "OPENAI_API_KEY",
        "GEMINI_API_KEY",
        "OPENROUTER_API_KEY",
        "OPENCODE_API_KEY",
    ],
    others: &[
        "XDG_CONFIG_HOME",
        "XDG_DATA_HOME",
        "OPENCODE_CONFIG",
        "OPENCODE_CONFIG_DIR",
        "OPENCODE_AUTH_CONTENT",
    ],
    hint: "run `opencode auth login`",
};

const GOOSE: Ways = Ways {
    keys: &["OPENAI_API_KEY", "ANTHROPIC_API_KEY", "GOOGLE_API_KEY", "OPENROUTER_API_KEY"],
    others: &[
        "XDG_CONFIG_HOME",
        "GOOSE_PROVIDER",
        "GOOSE_MODEL",
        "GOOSE_DISABLE_KEYRING",
        "OPENAI_HOST",
        "OPENAI_BASE_PATH",
        "ANTHROPIC_HOST",
    ],
    hint: "run `goose configure`",
};

fn ways(kind: Kind) -> Option<&'static Ways> {
    match kind {
        Kind::Claude => Some(&CLAUDE),
        Kind::Codex => Some(&CODEX),
        Kind::Gemini => Some(&GEMINI),
        Kind::Opencode => Some(&OPENCODE),
        Kind::Goose => Some(&GOOSE),
        Kind::Acp | Kind::Command => None,
    }
}

/// The variables that an agent needs of the user's to log in, as in an allow-list.
pub fn login_variables(kind: Kind) -> Vec<String> {
    let ways = ways(kind).map(|ways| ways.keys.iter().chain(ways.others));
    ways.into_iter().flatten().map(|name| (*name).to_owned()).collect()
}

/// The version with which everything here was tried.
pub fn tested(kind: Kind) -> Option<Version> {
    match kind {
        Kind::Claude => Some(Version(2, 1, 325)),
        Kind::Codex => Some(Version(0, 166, 0)),
        Kind::Gemini => Some(Version(0, 61, 0)),
        Kind::Opencode => Some(Version(1, 18, 33)),
        Kind::Goose => Some(Version(1, 34, 0)),
        Kind::Acp | Kind::Command => None,
    }
}

/// Whether an agent can log in, for who has this environment.
pub fn readiness(kind: Kind, env: &Environment) -> Readiness {
    let Some(ways) = ways(kind) else {
        return Readiness::Unknown("only the agent itself knows".to_owned());
    };
    let is_set = |name: &&&str| env.value(name).is_some_and(|value| !value.is_empty());
    if let Some(name) = ways.keys.iter().find(is_set) {
        return Readiness::Ready(format!("{name} is set"));
    }
    if let Some(path) = files(kind, env).into_iter().find(|path| path.is_file()) {
        return Readiness::Ready(format!("{} is there", path.display()));
    }
    let login = Login::read(kind, env);
    if login.logs_in_by_itself() {
        return Readiness::Ready("its settings say how".to_owned());
    }
    match kind {
        Kind::Claude if cfg!(target_os = "macos") => {
            Readiness::Unknown("its login may be in the keychain".to_owned())
        }
        Kind::Goose
            if place(env, "XDG_CONFIG_HOME", ".config")
                .is_some_and(|folder| folder.join("goose/config.yaml").is_file()) =>
        {
            Readiness::Unknown("its login may be in the keyring".to_owned())
        }
        _ => Readiness::NotLoggedIn(ways.hint.to_owned()),
    }
}

/// The files that agents keep their logins in.
fn files(kind: Kind, env: &Environment) -> Vec<PathBuf> {
    let found = |variable: &str, usual: &str, names: &[&str]| {
        let folder = place(env, variable, usual);
        folder
            .into_iter()
            .flat_map(|folder| names.iter().map(move |name| folder.join(name)))
            .collect::<Vec<_>>()
    };
    match kind {
        Kind::Claude => found("CLAUDE_CONFIG_DIR", ".claude", &[".credentials.json"]),
        Kind::Codex => found("CODEX_HOME", ".codex", &["auth.json"]),
        Kind::Gemini => found("GEMINI_CLI_HOME", ".gemini", &["oauth_creds.json"]),
        Kind::Opencode => found("XDG_DATA_HOME", ".local/share", &["opencode/auth.json"]),
        Kind::Goose => found("XDG_CONFIG_HOME", ".config", &["goose/secrets.yaml"]),
        Kind::Acp | Kind::Command => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// LP-18: who can log in is told by names alone, and who can't is told what to do.
    #[test]
    fn logins_are_found_by_their_names() {
        let home = tempfile::tempdir().unwrap();
        let mut env = Environment::new();
        env.set("HOME", home.path());
        for kind in Kind::ALL {
            let expected = !kind.takes_command();
            assert_eq!(
                matches!(readiness(kind, &env), Readiness::NotLoggedIn(_)),
                expected,
                "{kind:?}"
            );
        }
        std::fs::create_dir(home.path().join(".codex")).unwrap();
        let settings = "model_provider = \"x\"\n[model_providers.x]\nenv_key = \"X_KEY\"\n";
        std::fs::write(home.path().join(".codex/config.toml"), settings).unwrap();
        assert!(matches!(readiness(Kind::Codex, &env), Readiness::Ready(_)));
        std::fs::create_dir(home.path().join(".claude")).unwrap();
        std::fs::write(home.path().join(".claude/.credentials.json"), "{}").unwrap();
        assert!(matches!(readiness(Kind::Claude, &env), Readiness::Ready(_)));
        env.set("GEMINI_API_KEY", "");
        assert!(matches!(readiness(Kind::Gemini, &env), Readiness::NotLoggedIn(_)));
        env.set("GEMINI_API_KEY", "x");
        assert_eq!(readiness(Kind::Gemini, &env), Readiness::Ready("GEMINI_API_KEY is set".into()));
    }

    #[test]
    fn an_agent_gets_its_own_variables_only() {
        assert!(login_variables(Kind::Claude).contains(&"ANTHROPIC_API_KEY".to_owned()));
        assert!(!login_variables(Kind::Codex).iter().any(|name| name.starts_with("ANTHROPIC")));
        assert!(login_variables(Kind::Command).is_empty());
    }
}
