//! How OpenCode is started.

use crate::agents::start::{Launch, Permissions, Start};

/// Everything of the project's is switched off by variables.
pub(crate) const HIDES: &[&str] = &[];

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
    launch.env.set("OPENCODE_PERMISSION", permission(start.permissions));
    if start.max_cost.is_some() {
        launch.note("OpenCode has no budget of its own: it is stopped by what its steps cost");
    }
    launch.argv.extend(start.extra_args.iter().map(Into::into));
    launch
}

/// What would ask is refused, since nobody is there. The last rule that fits counts, so these are
/// texts: a map would bring its own order.
fn permission(permissions: Permissions) -> &'static str {
    match permissions {
        Permissions::ReadOnly => {
            r#"{"*": "deny", "read": "allow", "list": "allow", "glob": "allow", "grep": "allow", "bash": {"*": "deny", "ls": "allow", "ls *": "allow", "cat *": "allow", "head *": "allow", "tail *": "allow", "wc *": "allow", "grep *": "allow", "git status": "allow", "git status *": "allow", "git log": "allow", "git log *": "allow", "git show *": "allow", "git diff": "allow", "git diff *": "allow", "*>*": "deny", "*|*": "deny", "*;*": "deny", "*&*": "deny", "*`*": "deny", "*$*": "deny", "*--output*": "deny", "*--ext-diff*": "deny", "*--textconv*": "deny"}, "external_directory": "deny"}"#
        }
        Permissions::Edit => {
            r#"{"*": "allow", "webfetch": "deny", "websearch": "deny", "external_directory": "deny", "question": "deny"}"#
        }
        Permissions::Full => r#"{"*": "allow", "question": "deny"}"#,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn permissions_are_json() {
        for one in [Permissions::ReadOnly, Permissions::Edit, Permissions::Full] {
            assert!(serde_json::from_str::<serde_json::Value>(permission(one)).is_ok());
        }
    }
}
