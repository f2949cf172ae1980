//! What Codex is asked to tell us, where its hooks are kept, and how they are trusted.

pub mod toml;
pub mod trust;

use crate::agents::hook_entries::Leniency;
use crate::agents::plan::Hook;

/// The agent's name.
pub const NAME: &str = "codex";

/// `hooks.json` is plain JSON with nothing but `hooks` and `description` in it.
pub const LENIENCY: Leniency = Leniency { byte_order_mark: false, comments: false };

/// Calls that fail have no event after them, so we ask for the one before.
const EVENTS: &[&str] = &[
    "SessionStart",
    "UserPromptSubmit",
    "PreToolUse",
    "PostToolUse",
    "PreCompact",
    "PostCompact",
    "SubagentStart",
    "SubagentStop",
    "Stop",
    "Interrupt",
    "SessionEnd",
];

const SECONDS: u32 = 30;

/// What Codex grants hooks when it is leaving; it warns of anything longer.
const LEAVING: u32 = 3;

/// What to register.
pub fn hooks() -> Vec<Hook> {
    let seconds = |event: &str| match event {
        "Interrupt" | "SessionEnd" => LEAVING,
        _ => SECONDS,
    };
    let is_about_tools = |event: &str| event.ends_with("ToolUse");
    EVENTS.iter().map(|event| Hook::new(event, is_about_tools(event), seconds(event))).collect()
}
