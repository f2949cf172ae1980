//! The guard over an agent's settings: whether a change of them would switch our hooks off.

use std::path::Path;

use serde_json::Value;

/// The most bytes of settings that an agent would read as well.
const MOST: u64 = 16 << 20;

/// Why the settings in `file` would silence us; `None` if they would not, or can't be read.
///
/// `had_hooks` says that our hooks were in that file when they were installed.
pub(super) fn silences(file: &Path, agent_hook: &str, had_hooks: bool) -> Option<String> {
    let text = crate::regular::read(file, MOST).and_then(|bytes| String::from_utf8(bytes).ok());
    let shown = file.display();
    let Some(text) = text else {
        return had_hooks.then(|| format!("{shown} is gone, and our hooks with it"));
    };
    let disables = serde_json::from_str::<Value>(&text)
        .map_or_else(|_| seems_to_disable(&text), |value| value["disableAllHooks"] == true);
    if disables {
        return Some(format!("{shown} sets disableAllHooks"));
    }
    let calls_us = text.contains(agent_hook);
    (had_hooks && !calls_us).then(|| format!("{shown} no longer calls `{agent_hook}`"))
}

/// For settings with comments, which no strict parser reads.
fn seems_to_disable(text: &str) -> bool {
    let mut rest = text;
    while let Some(at) = rest.find("\"disableAllHooks\"") {
        rest = &rest[at + "\"disableAllHooks\"".len()..];
        let value = rest.trim_start().strip_prefix(':').map(str::trim_start);
        if value.is_some_and(|value| value.starts_with("true")) {
            return true;
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: Option<&str>, had_hooks: bool, expected: Option<&str>) {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("settings.json");
        if let Some(text) = text {
            std::fs::write(&file, text).unwrap();
        }
        let found = silences(&file, "hook claude", had_hooks);
        match expected {
            Some(part) => assert!(found.as_ref().is_some_and(|f| f.contains(part)), "{found:?}"),
            None => assert_eq!(found, None, "{text:?}"),
        }
    }

    /// WL-22, tampering: every way of switching us off by settings is known.
    #[test]
    fn settings_that_silence_are_known() {
        check(Some(r#"{"disableAllHooks": true}"#), false, Some("disableAllHooks"));
        check(Some("{// off\n\"disableAllHooks\" :\n true,}"), false, Some("disableAllHooks"));
        check(Some(r#"{"disableAllHooks": false}"#), false, None);
        check(Some(r#"{"env": {"X": "disableAllHooks"}}"#), false, None);
        check(Some(r#"{"hooks": {}}"#), true, Some("no longer calls"));
        check(Some(r#"{"hooks": {"Stop": ["'/x/countersign' hook claude"]}}"#), true, None);
        check(None, true, Some("gone"));
        check(None, false, None);
    }
}
