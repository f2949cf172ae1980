//! How the Gemini CLI is started.

use serde_json::{Value, json};

use crate::agents::start::{Launch, Permissions, Start};

/// Our settings stand above these only where Gemini takes them: it wants them in a folder that
/// nobody else can write to. Variables and instructions it reads in any case.
pub(crate) const HIDES: &[&str] = &[".gemini", ".agents", ".env", "GEMINI.md"];

/// A name that no file of instructions has: one must be given.
const NO_FILE: &str = ".countersign-no-such-instructions";

pub(crate) fn launch(start: &Start<'_>) -> Launch {
    let mut launch = Launch::of(start, start.program);
    // Without it nothing is done in a folder that nobody trusted in its own dialogue.
    launch.args(["--skip-trust", "-o", "stream-json"]);
    launch.option("--model", start.spec.model.as_deref());
    if start.spec.model.is_none() {
        launch.note("without a model Gemini asks another one for every choice, which is slow");
    }
    let settings = start.home.join("gemini-settings.json");
    launch.env.set("GEMINI_CLI_SYSTEM_SETTINGS_PATH", &settings);
    launch.env.set("GEMINI_CLI_NO_RELAUNCH", "true");
    launch.files.push((settings, format!("{:#}\n", self::settings(start)).into_bytes()));
    match start.permissions {
        Permissions::ReadOnly => {
            let policy = start.home.join("gemini-policy.toml");
            launch.args(["--approval-mode", "default", "--admin-policy"]);
            launch.arg(&policy);
            launch.files.push((policy, READING.into()));
        }
        Permissions::Edit | Permissions::Full => launch.args(["--approval-mode", "yolo"]),
    }
    if start.spec.effort.is_some() {
        launch.note("Gemini can't be told how hard to think");
    }
    // No extension of the user's.
    launch.args(["--extensions", "none"]);
    launch.argv.extend(start.extra_args.iter().map(Into::into));
    launch
}

/// What only reads may be done; the rest is refused. Rules of a higher number win.
const READING: &str = r#"[[rule]]
toolName = ["read_file", "read_many_files", "list_directory", "glob", "grep_search", "search_file_content"]
decision = "allow"
priority = 300

[[rule]]
toolName = "run_shell_command"
commandPrefix = ["ls", "cat", "head", "tail", "wc", "grep", "git status", "git log", "git show", "git diff"]
decision = "allow"
priority = 300

[[rule]]
toolName = "*"
decision = "deny"
priority = 100
"#;

/// Settings above those of the user and of the project.
fn settings(start: &Start<'_>) -> Value {
    let mut settings = json!({
        "general": {"enableAutoUpdate": false, "enableAutoUpdateNotification": false},
        "privacy": {"usageStatisticsEnabled": false},
        "telemetry": {"enabled": false},
        "hooksConfig": {"enabled": false},
        "skills": {"enabled": false},
        "mcp": {"allowed": []},
        "admin": {"extensions": {"enabled": false}, "mcp": {"enabled": false}, "skills": {"enabled": false}},
    });
    if start.judges() {
        settings["context"] = json!({"fileName": [NO_FILE]});
    }
    if let Some(most) = start.max_turns {
        settings["model"] = json!({"maxSessionTurns": most});
    }
    settings
}
