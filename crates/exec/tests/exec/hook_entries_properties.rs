//! Properties of settings with our entries that hold for every file.

use countersign_exec::agents::claude;
use countersign_exec::agents::hook_entries::{Leniency, read, register, registered, unregister};
use countersign_exec::agents::plan::{Plan, command};
use countersign_exec::agents::version::Version;
use proptest::prelude::*;

const LENIENT: Leniency = Leniency { byte_order_mark: true, comments: true };

fn plan() -> Plan {
    let hooks = claude::settings::hooks(Some(Version(2, 1, 325)), true);
    Plan { agent: "claude", command: command("/a/countersign", "claude"), hooks, switched_on: true }
}

fn space() -> impl Strategy<Value = String> {
    let some = ["", "", " ", "\n", "\n  ", "\r\n    ", "\t", " // c, }\n", "/* , { */", "\n\n"];
    prop::sample::select(some.to_vec()).prop_map(str::to_owned)
}

fn name() -> impl Strategy<Value = String> {
    let some =
        ["a", "ü", "hooks", "Stop", "PostToolUse", "matcher", "x y", "Other", "disableAllHooks"];
    prop::sample::select(some.to_vec()).prop_map(str::to_owned)
}

fn value() -> impl Strategy<Value = String> {
    let some = ["1", "-2.5e3", "true", "null", "\"text, } \\\" // \"", "{}", "[]", "{ }"];
    let leaf = prop::sample::select(some.to_vec()).prop_map(str::to_owned);
    leaf.prop_recursive(4, 24, 4, |inner| {
        let list = prop::collection::vec((space(), inner.clone(), space()), 0..4);
        let list = list.prop_map(|items| {
            let items: Vec<_> = items.into_iter().map(|(a, it, b)| format!("{a}{it}{b}")).collect();
            format!("[{}]", items.join(","))
        });
        prop_oneof![list, object(inner)]
    })
}

fn object(inner: impl Strategy<Value = String>) -> impl Strategy<Value = String> {
    let items = prop::collection::vec((space(), name(), inner, space()), 0..4);
    items.prop_map(|items| {
        let mut names = Vec::new();
        let mut all = Vec::new();
        for (a, name, value, b) in items {
            if !names.contains(&name) {
                all.push(format!("{a}\"{name}\":{value}{b}"));
                names.push(name);
            }
        }
        format!("{{{}}}", all.join(","))
    })
}

proptest! {
    /// PL-03: whatever the file: everything of others stays, twice is once, and we leave no trace.
    #[test]
    fn any_file_survives(before in space(), text in object(value()), after in space()) {
        let text = format!("{before}{text}{after}");
        let Ok(with) = register(&text, LENIENT, &plan()) else {
            // The user's own 'hooks' is no object, or an event of it no list.
            prop_assert!(text.contains("\"hooks\""));
            return Ok(());
        };
        prop_assert_eq!(registered(&with, LENIENT, "claude").unwrap().len(), 15);
        prop_assert_eq!(&register(&with, LENIENT, &plan()).unwrap(), &with);
        let without = unregister(&with, LENIENT, "claude", Some(&text)).unwrap();
        prop_assert_eq!(read(&without, LENIENT).unwrap(), read(&text, LENIENT).unwrap());
        let dense = |text: &str| text.split_whitespace().collect::<String>();
        prop_assert_eq!(dense(&without), dense(&text));
        // Only what was empty and is again may have another space inside.
        if !dense(&text).contains("{}") && !dense(&text).contains("[]") {
            prop_assert_eq!(without, text);
        }
    }
}
