//! Hooks and their trust in Codex's `config.toml`: what isn't ours keeps every byte.

use std::collections::BTreeMap;

use countersign_exec::agents::codex::settings::{hooks, toml, trust};
use countersign_exec::agents::plan::{Plan, command};

fn plan(program: &str) -> Plan {
    let command = command(program, "codex");
    Plan { agent: "codex", command, hooks: hooks(), switched_on: false }
}

const TEXTS: &[&str] = &[
    "",
    "a = 1",
    "# top\nmodel = 'x' # why\n\n[z]\nq = [1,\n 2]\n",
    "a = 1\r\n\r\n[b]\r\nx = 2\r\n",
    "[[hooks.Stop]]\n[[hooks.Stop.hooks]]\ntype = \"command\"\ncommand = \"x\"\n\n[z]\nq = 1\n",
    "[hooks.state.\"/x:stop:0:0\"]\ntrusted_hash = 'y'\n",
    "\u{feff}a = 1\n[hooks.state.\"/x:stop:0:0\"]\ntrusted_hash = 1\n",
];

fn digests() -> BTreeMap<String, String> {
    let pair = |key: &str, digest: &str| (key.to_owned(), digest.to_owned());
    [pair("/a \"b\"/hooks.json:stop:0:0", "sha256:1"), pair("/c:pre_tool_use:1:0", "sha256:2")]
        .into()
}

/// PL-03: hooks in TOML come and go without a trace.
#[test]
fn hooks_leave_no_trace() {
    for text in TEXTS {
        let with = toml::register(text, &plan("/it's \\ here/countersign")).unwrap();
        assert_eq!(toml::registered(&with).unwrap().len(), 11, "{with}");
        assert_eq!(toml::register(&with, &plan("/it's \\ here/countersign")).unwrap(), with);
        let ended = if *text == "a = 1" { "a = 1\n" } else { text };
        assert_eq!(toml::unregister(&with).unwrap(), *ended, "{with}");
        let moved = toml::register(&with, &plan("/new/countersign")).unwrap();
        assert_eq!(moved, toml::register(text, &plan("/new/countersign")).unwrap());
    }
}

/// PL-03: trust comes and goes without a trace; that of others stays.
#[test]
fn trust_leaves_no_trace() {
    for text in TEXTS {
        let with = trust::trust(text, &digests()).unwrap();
        let trusted = trust::trusted(&with).unwrap();
        assert!(digests().iter().all(|(key, digest)| trusted.get(key) == Some(digest)), "{with}");
        assert_eq!(trust::trust(&with, &digests()).unwrap(), with);
        let ended = if *text == "a = 1" { "a = 1\n" } else { text };
        assert_eq!(trust::distrust(&with, &digests()).unwrap(), *ended, "{with}");
        let edited = format!("{with}\n[later]\nx = 1\n");
        let without = trust::distrust(&edited, &digests()).unwrap();
        assert_eq!(without, format!("{ended}\n[later]\nx = 1\n"), "{edited}");
    }
}

/// PL-03: an entry that trusts an earlier form of the hook, or has only another setting.
#[test]
fn entries_that_are_there_are_used() {
    let text =
        "[hooks.state.\"/c:pre_tool_use:1:0\"]\ntrusted_hash = \"old\" # c\nenabled = true\n";
    let with = trust::trust(text, &digests()).unwrap();
    assert!(with.contains("trusted_hash = \"sha256:2\" # c\nenabled = true\n"), "{with}");
    let text = "[hooks.state.\"/c:pre_tool_use:1:0\"]\nenabled = true\n";
    let with = trust::trust(text, &digests()).unwrap();
    assert_eq!(trust::distrust(&with, &digests()).unwrap(), text);
}

/// PL-03: what can't be read or added to is refused, with the place.
#[test]
fn broken_files_are_refused() {
    let check = |text: &str, place: &str| {
        let error = toml::register(text, &plan("/a/countersign")).unwrap_err().to_string();
        assert!(error.starts_with(place), "{text}: {error}");
    };
    check("a = 1\nb = = 2\n", "2:5: ");
    check("[hooks]\nStop = []\n", "2:8: 'hooks.Stop' must be written as [[hooks.Stop]]");
    assert!(trust::trust("hooks = { state = {} }\n", &digests()).is_err());
}
