//! How OpenCode is started.

use serde_json::{Value, json};

use crate::agents::start::{Launch, Permissions, Start};

/// Instructions are taken from these whatever the settings say.
pub(crate) const HIDES: &[&str] = &["AGENTS.md", "CLAUDE.md", "CONTEXT.md"];

pub(crate) fn launch(start: &Start<'_>) -> Launch {
    let mut launch = Launch::of(start, start.program);
    // Neither plugins of the user's nor of the project's are loaded.
    launch.args(["run", "--format", "json", "--pure"]);
    launch.option("--model", start.spec.model.as_deref());
    launch.option("--variant", start.spec.effort.as_deref());
    launch.switches([
        "OPENCODE_DISABLE_PROJECT_CONFIG",
        "OPENCODE_PURE",
        "OPENCODE_DISABLE_AUTOUPDATE",
        "OPENCODE_DISABLE_SHARE",
        "OPENCODE_DISABLE_LSP_DOWNLOAD",
        "OPENCODE_DISABLE_CLAUDE_CODE",
        "OPENCODE_DISABLE_EXTERNAL_SKILLS",
    ]);
    launch.env.set("OPENCODE_PERMISSION", permission(start.permissions).to_string());
    if start.max_cost.is_some() {
        launch.note("OpenCode has no budget of its own: it is stopped by what its steps cost");
    }
    launch.argv.extend(start.extra_args.iter().map(Into::into));
    launch
}

/// What would ask is refused, since nobody is there.
fn permission(permissions: Permissions) -> Value {
    match permissions {
        Permissions::ReadOnly => json!({
            "*": "deny", "read": "allow", "list": "allow", "glob": "allow", "grep": "allow",
            "edit": "deny", "webfetch": "deny", "websearch": "deny", "task": "deny",
            "external_directory": "deny",
            "bash": {
                "*": "deny", "ls": "allow", "ls *": "allow", "cat *": "allow", "head *": "allow",
                "tail *": "allow", "wc *": "allow", "grep *": "allow", "git status": "allow",
                "git status *": "allow", "git log": "allow", "git log *": "allow",
                "git show *": "allow", "git diff": "allow", "git diff *": "allow",
                "*>*": "deny", "*|*": "deny", "*;*": "deny", "*&*": "deny", "*`*": "deny",
                "*$(*": "deny", "*--output*": "deny", "*--ext-diff*": "deny",
            },
        }),
        Permissions::Edit => json!({
            "*": "allow", "webfetch": "deny", "websearch": "deny", "external_directory": "deny",
            "question": "deny",
        }),
        Permissions::Full => json!({"*": "allow", "question": "deny"}),
    }
}
