//! What Gemini CLI is asked to tell us.
//!
//! `PreCompress` is left out: it fires before every call of the model.

use serde_json::Value;

use crate::agents::hook_entries::Leniency;
use crate::agents::plan::Hook;

/// The agent's name.
pub const NAME: &str = "gemini";

/// What its settings files may have besides plain JSON.
pub const LENIENCY: Leniency = Leniency { byte_order_mark: false, comments: true };

const EVENTS: &[&str] =
    &["SessionStart", "BeforeAgent", "BeforeTool", "AfterTool", "AfterAgent", "SessionEnd"];

const MILLISECONDS: u32 = 30_000;

/// What to register.
pub fn hooks() -> Vec<Hook> {
    let is_about_tools = |event: &str| event.ends_with("Tool");
    EVENTS.iter().map(|event| Hook::new(event, is_about_tools(event), MILLISECONDS)).collect()
}

/// Which setting in `settings` silences a hook with this command, if one does.
pub fn silenced_by(settings: &Value, command: &str) -> Option<&'static str> {
    let hooks = &settings["hooksConfig"];
    if hooks["enabled"] == Value::Bool(false) {
        return Some("hooksConfig.enabled");
    }
    let names = hooks["disabled"].as_array()?;
    names.iter().any(|name| name == command).then_some("hooksConfig.disabled")
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn what_silences_is_named() {
        let check = |settings: Value, expected| assert_eq!(silenced_by(&settings, "x"), expected);
        check(json!({}), None);
        check(json!({"hooksConfig": {"enabled": true, "disabled": ["y"]}}), None);
        check(json!({"hooksConfig": {"enabled": false}}), Some("hooksConfig.enabled"));
        check(json!({"hooksConfig": {"disabled": ["y", "x"]}}), Some("hooksConfig.disabled"));
    }
}
