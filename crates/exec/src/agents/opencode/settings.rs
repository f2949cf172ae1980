//! OpenCode has no hooks but plugins: a file of ours that starts us for every event.

use std::path::PathBuf;

/// The agent's name.
pub const NAME: &str = "opencode";

/// What the plugin tells us of. The names are those of Claude Code where there is one.
pub const EVENTS: &[&str] = &[
    "SessionStart",
    "UserPromptSubmit",
    "PreToolUse",
    "PostToolUse",
    "PostToolUseFailure",
    "SubagentStart",
    "SubagentStop",
    "PostCompact",
    "Stop",
    "StopFailure",
    "SessionEnd",
];

const PLUGIN: &str = include_str!("plugin.js");
const MARK: &str = "// countersign plugin";
const PROGRAM: &str = "const PROGRAM = ";

/// The plugin that starts `program`.
pub fn plugin(program: &str, guard: bool) -> String {
    let quoted = serde_json::Value::from(program).to_string();
    PLUGIN.replacen("\"{{PROGRAM}}\"", &quoted, 1).replacen(
        "{{GUARD}}",
        if guard { "on" } else { "off" },
        1,
    )
}

/// Whether a file is one of ours, of any version.
pub fn is_ours(text: &str) -> bool {
    text.starts_with(MARK)
}

/// The program that a plugin of ours starts.
pub fn program_in(text: &str) -> Option<PathBuf> {
    let line = text.lines().find_map(|line| line.strip_prefix(PROGRAM))?;
    serde_json::from_str::<String>(line.trim_end_matches(';')).ok().map(PathBuf::from)
}

/// Whether a plugin of ours guards: refuses calls that it has no answer for.
pub fn is_guard(text: &str) -> bool {
    text.contains("const GUARD = \"on\"")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// PL-03: any path arrives in the plugin as it is.
    #[test]
    fn the_program_is_found_again() {
        for program in ["/bin/countersign", "/a \"b\" $c `d` ${e}/\\countersign"] {
            let text = plugin(program, false);
            assert!(is_ours(&text) && !is_guard(&text));
            assert_eq!(program_in(&text), Some(program.into()));
        }
        assert!(is_guard(&plugin("/bin/countersign", true)));
        assert_eq!(program_in("export default {}"), None);
    }
}
