//! How an agent that speaks ACP is started: behind our own executable.

use std::path::{Path, PathBuf};

use crate::agents::start::{Launch, Start, Unfit};

/// Nobody knows what such an agent reads.
pub(crate) const HIDES: &[&str] = &[
    ".claude",
    ".mcp.json",
    "CLAUDE.md",
    "CLAUDE.local.md",
    ".codex",
    "AGENTS.md",
    "AGENTS.override.md",
    ".gemini",
    "GEMINI.md",
    ".env",
    ".opencode",
    "opencode.json",
    "opencode.jsonc",
    ".goosehints",
    ".goose",
    ".cursor",
    ".cursorrules",
    ".qwen",
];

/// The hidden subcommand of ours.
pub const SUBCOMMAND: &str = "acp-bridge";

pub(crate) fn launch(start: &Start<'_>) -> Result<Launch, Unfit> {
    let command = start.spec.command.as_deref().unwrap_or_default();
    let words = shell_words::split(command).ok().filter(|words| !words.is_empty());
    let words = words.ok_or_else(|| Unfit::Command(command.to_owned()))?;
    let ours =
        if start.program.as_os_str().is_empty() { this_program() } else { start.program.into() };
    let mut launch = Launch::of(start, &ours);
    launch.args([SUBCOMMAND, "--permissions", start.permissions.name(), "--"]);
    launch.argv.extend(words.into_iter().chain(start.extra_args.iter().cloned()).map(Into::into));
    launch.note("what an ACP agent asks for is answered by its permissions; what it doesn't ask for it does");
    Ok(launch)
}

/// The executable that is running; through `/proc`, an upgrade that replaces it changes nothing.
fn this_program() -> PathBuf {
    let named = Path::new("/proc/self/exe");
    if cfg!(target_os = "linux") {
        return named.to_owned();
    }
    std::env::current_exe().unwrap_or_else(|_| PathBuf::from("countersign"))
}
