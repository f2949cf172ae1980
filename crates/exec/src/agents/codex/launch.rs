//! How Codex CLI is started.

use std::path::Path;

use toml_edit::{InlineTable, Value};

use crate::agents::start::{Launch, Permissions, Start};

/// Everything of the project's is switched off by arguments.
pub(crate) const HIDES: &[&str] = &[];

pub(crate) fn launch(start: &Start<'_>) -> Launch {
    let mut launch = Launch::of(start, start.program);
    launch.args(["exec", "--json", "--skip-git-repo-check", "--color", "never"]);
    launch.option("--model", start.spec.model.as_deref());
    if launch.model.is_none() {
        launch.model.clone_from(&start.login.model);
    }
    match start.permissions {
        Permissions::ReadOnly => launch.args(["--sandbox", "read-only"]),
        Permissions::Edit => launch.args(["--sandbox", "workspace-write"]),
        Permissions::Full => launch.args(["--dangerously-bypass-approvals-and-sandbox"]),
    }
    for (key, value) in settings(start) {
        launch.arg("-c");
        launch.arg(format!("{key}={value}"));
    }
    for server in &start.login.servers {
        if is_bare(server) {
            launch.arg("-c");
            launch.arg(format!("mcp_servers.{server}.enabled=false"));
        } else {
            launch.note(format!("Codex starts your MCP server '{server}' as well"));
        }
    }
    // Rules say which commands run outside of the sandbox.
    launch.args(["--ignore-rules"]);
    if start.judges() {
        launch.args(["--ephemeral"]);
    }
    if start.max_cost.is_some() {
        launch.note("Codex tells its use at the end: until then its cost is estimated");
    }
    launch.argv.extend(start.extra_args.iter().map(Into::into));
    // The prompt is what comes on standard input.
    launch.args(["-"]);
    launch
}

/// Settings that stand above all files.
fn settings(start: &Start<'_>) -> Vec<(&'static str, String)> {
    let text = |text: &str| Value::from(text).to_string();
    let mut settings = vec![
        ("approval_policy", text("never")),
        // Neither the project's settings nor its hooks count in a folder that is not trusted.
        ("projects", untrusted(start.folder)),
        ("features.hooks", "false".to_owned()),
        // Skills are found in a folder whether it is trusted or not.
        ("skills.include_instructions", "false".to_owned()),
        ("features.plugins", "false".to_owned()),
        ("features.apps", "false".to_owned()),
        ("notify", "[]".to_owned()),
        ("history.persistence", text("none")),
        ("check_for_update_on_startup", "false".to_owned()),
        ("analytics.enabled", "false".to_owned()),
        // Its shell doesn't get keys, secrets and tokens.
        ("shell_environment_policy.ignore_default_excludes", "false".to_owned()),
    ];
    if let Some(effort) = &start.spec.effort {
        settings.push(("model_reasoning_effort", text(effort)));
    }
    if start.judges() {
        // No instructions from files such as AGENTS.md.
        settings.push(("project_doc_max_bytes", "0".to_owned()));
    }
    settings
}

/// A folder that is not trusted, as a table: by the name that it was given, and by the one that
/// it has once links are followed, which is how Codex finds it.
fn untrusted(folder: &Path) -> String {
    let mut table = InlineTable::new();
    for name in [Some(folder.to_owned()), folder.canonicalize().ok()].into_iter().flatten() {
        let mut level = InlineTable::new();
        level.insert("trust_level", "untrusted".into());
        table.insert(&*name.to_string_lossy(), Value::InlineTable(level));
    }
    table.to_string()
}

/// Whether a name can be a part of a dotted key.
fn is_bare(name: &str) -> bool {
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    !name.is_empty() && name.chars().all(is_part)
}
