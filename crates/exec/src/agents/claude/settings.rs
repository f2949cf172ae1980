//! What Claude Code is asked to tell us, by version.
//!
//! The table was read from the programs themselves, version by version. Versions up to 2.1.100, at
//! least, drop a whole settings file that has an event they don't know, without a word.

use crate::agents::hook_entries::Leniency;
use crate::agents::plan::Hook;
use crate::agents::version::{Since, Version, known};

/// The agent's name.
pub const NAME: &str = "claude";

/// What its settings files may have besides plain JSON.
pub const LENIENCY: Leniency = Leniency { byte_order_mark: true, comments: false };

/// The switch that silences all hooks. The file nearest to the project decides: the project's
/// `settings.local.json`, then its `settings.json`, then the user's.
pub const SWITCH: &str = "disableAllHooks";

/// The oldest version whose events are all known to us, and the set for an unknown version.
pub const OLDEST: Version = Version(1, 0, 85);

/// The first version that heeds `onFailure`, by which a guard fails closed.
pub const FAILS_CLOSED_SINCE: Version = Version(2, 1, 295);

const EVENTS: &[Since] = &[
    ("SessionStart", None),
    ("UserPromptSubmit", None),
    ("PostToolUse", None),
    ("PostToolUseFailure", Some(Version(2, 0, 56))),
    ("PostToolBatch", Some(Version(2, 1, 118))),
    ("PermissionDenied", Some(Version(2, 1, 88))),
    ("SubagentStart", Some(Version(2, 0, 44))),
    ("SubagentStop", None),
    ("PreCompact", None),
    ("PostCompact", Some(Version(2, 1, 76))),
    ("Stop", None),
    ("StopFailure", Some(Version(2, 1, 78))),
    ("ConfigChange", Some(Version(2, 1, 48))),
    ("SessionEnd", None),
];

const ABOUT_TOOLS: &[&str] = &["PreToolUse", "PostToolUse", "PostToolUseFailure"];

const SECONDS: u32 = 30;

/// What to register. A guard is also asked before every call.
pub fn hooks(version: Option<Version>, guard: bool) -> Vec<Hook> {
    let before = guard.then_some("PreToolUse").into_iter();
    let is_heeded = version.is_some_and(|version| version >= FAILS_CLOSED_SINCE);
    before
        .chain(known(EVENTS, version))
        .map(|event| Hook {
            fails_closed: event == "PreToolUse" && is_heeded,
            ..Hook::new(event, ABOUT_TOOLS.contains(&event), SECONDS)
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// PL-03: only events that the version knows are registered.
    #[test]
    fn events_depend_on_the_version() {
        let check = |version, guard, expected: usize, not: &str| {
            let hooks = hooks(version, guard);
            assert_eq!(hooks.len(), expected, "{version:?}");
            assert!(hooks.iter().all(|hook| hook.event != not), "{version:?} {not}");
        };
        check(None, false, 7, "PostToolUseFailure");
        check(Some(OLDEST), false, 7, "SubagentStart");
        check(Some(Version(2, 0, 56)), false, 9, "ConfigChange");
        check(Some(Version(2, 1, 117)), false, 13, "PostToolBatch");
        check(Some(Version(2, 1, 197)), false, 14, "PreToolUse");
        check(Some(Version(2, 1, 325)), false, 14, "PreToolUse");
        check(Some(Version(3, 0, 0)), true, 15, "");
    }

    #[test]
    fn a_guard_fails_closed_where_that_is_heeded() {
        let closed = |version| hooks(Some(version), true).iter().any(|hook| hook.fails_closed);
        assert!(!closed(Version(2, 1, 197)));
        assert!(closed(Version(2, 1, 325)));
    }
}
