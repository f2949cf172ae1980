//! Settings files with our entries in them: what isn't ours keeps every byte.

use countersign_exec::agents::hook_entries::{Leniency, register, registered, unregister};
use countersign_exec::agents::plan::{Plan, command};
use countersign_exec::agents::version::Version;
use countersign_exec::agents::{claude, gemini};

const LENIENT: Leniency = Leniency { byte_order_mark: true, comments: true };

fn plan(program: &str) -> Plan {
    let hooks = claude::settings::hooks(Some(Version(2, 1, 325)), false);
    Plan { agent: "claude", command: command(program, "claude"), hooks, switched_on: false }
}

const PLAIN: &[&str] = &[
    "{}",
    "{ }\n",
    "{\n}",
    "{\"a\": 1}",
    "{\n  \"a\": 1\n}\n",
    "{\n\t\"a\":\t[1,2 ,3],\n\n\n\t\"b\": {}\n}\n\n",
    "{\r\n    \"a\": 1\r\n}\r\n",
    "\u{feff}{\n  \"a\": \"ü\\u00e4\"\n}",
    "// top\n{\n  /* in */ \"a\": 1 // after\n  // last\n}\n// end",
    "{\"hooks\": {\"Other\": [{\"hooks\": []}]}, \"z\": 1.50e3}",
    "{\n  \"hooks\": {\n    \"Stop\": [\n      {\n        \"hooks\": [\n          {\"type\": \"command\", \"command\": \"x\"}\n        ]\n      }\n    ]\n  }\n}\n",
];

/// PL-03: registering and unregistering again changes no byte, whatever the file looks like.
#[test]
fn nothing_of_others_changes() {
    for text in PLAIN {
        let with = register(text, LENIENT, &plan("/a/countersign")).unwrap();
        assert_eq!(registered(&with, LENIENT, "claude").unwrap().len(), 14, "{with}");
        let without = unregister(&with, LENIENT, "claude", Some(text)).unwrap();
        let plain = |text: &str| text.split_whitespace().collect::<String>();
        assert_eq!(plain(&without), plain(text));
        // An empty object that we filled is empty again, with no space in it.
        let is_filled = text.trim_matches(['{', '}', ' ', '\n']).is_empty();
        assert!(is_filled || without == *text, "{without:?}\n{text:?}\n{with:?}");
    }
}

/// PL-03: registering twice is registering once.
#[test]
fn registering_is_idempotent() {
    for text in PLAIN.iter().chain(&["", " \n"]) {
        let once = register(text, LENIENT, &plan("/a/countersign")).unwrap();
        assert_eq!(register(&once, LENIENT, &plan("/a/countersign")).unwrap(), once);
    }
}

/// PL-03: entries of an earlier place of the program are brought up to date where they are.
#[test]
fn a_moved_program_is_followed() {
    for text in PLAIN {
        let old = register(text, LENIENT, &plan("/old place/countersign")).unwrap();
        let new = register(&old, LENIENT, &plan("/new/countersign")).unwrap();
        assert_eq!(new, register(text, LENIENT, &plan("/new/countersign")).unwrap());
    }
}

/// PL-03: entries twice, in another's group, with another matcher, or of events that are no
/// longer wanted, are put right.
#[test]
fn odd_entries_are_put_right() {
    let plan = plan("/a/countersign");
    let ours = "{\"type\":\"command\",\"command\":\"/b/countersign hook claude\"}";
    let theirs = "{\"type\":\"command\",\"command\":\"x\"}";
    let text = format!(
        "{{\"hooks\":{{\"Stop\":[{{\"hooks\":[{ours},{theirs},{ours}]}},{{\"hooks\":[{ours}]}}],\
         \"PostToolUse\":[{{\"matcher\":\"Bash\",\"hooks\":[{theirs},{ours}]}}],\
         \"Notification\":[{{\"hooks\":[{ours}]}}]}}}}"
    );
    let put_right = register(&text, LENIENT, &plan).unwrap();
    let found = registered(&put_right, LENIENT, "claude").unwrap();
    assert_eq!(found.len(), 14, "{put_right}");
    assert!(found.iter().all(|entry| entry.hears_all), "{put_right}");
    assert_eq!(put_right.matches("\"x\"").count(), 2, "{put_right}");
    assert!(!put_right.contains("Notification"), "{put_right}");
    let value: serde_json::Value = serde_json::from_str(&put_right).unwrap();
    assert_eq!(value["hooks"]["Stop"][0]["hooks"].as_array().unwrap().len(), 2);
}

/// PL-03: a file that the agent itself would ignore is refused, with the place.
#[test]
fn broken_files_are_refused() {
    let check = |text: &str, leniency, place: &str| {
        let error = register(text, leniency, &plan("/a/countersign")).unwrap_err().to_string();
        assert!(error.starts_with(place), "{text}: {error}");
    };
    let strict = Leniency { byte_order_mark: false, comments: false };
    check("{\"a\": 1,}", LENIENT, "1:8: ");
    check("{\n  \"a\": 1\n", LENIENT, "1:1: ");
    check("{\n  \"a\" 1\n}", LENIENT, "2:7: ");
    check("{\n  // no\n}", strict, "2:3: ");
    check("\u{feff}{}", strict, "1:1: ");
    check("[]", LENIENT, "1:1: settings must be an object");
    check("{} {}", LENIENT, "1:4: ");
    check("{\n\"hooks\": []}", LENIENT, "2:10: 'hooks' must be an object");
    check("{\"hooks\": {\n \"Stop\": {}}}", LENIENT, "2:10: 'Stop' must be a list");
    assert!(register("{/*c*/}", gemini::settings::LENIENCY, &plan("/a/countersign")).is_ok());
}

/// PL-03: the switch that silences hooks is set where nobody said otherwise, and taken back.
#[test]
fn the_switch_is_set_only_where_it_is_not() {
    let on = Plan { switched_on: true, ..plan("/a/countersign") };
    let with = register("{\"a\": 1}", LENIENT, &on).unwrap();
    assert!(with.contains("\"disableAllHooks\": false"), "{with}");
    let without = unregister(&with, LENIENT, "claude", Some("{\"a\": 1}")).unwrap();
    assert!(!without.contains("disableAllHooks"), "{without}");
    let said = "{\"disableAllHooks\": true}";
    let with = register(said, LENIENT, &on).unwrap();
    assert!(with.contains("\"disableAllHooks\": true"), "{with}");
    assert!(unregister(&with, LENIENT, "claude", Some(said)).unwrap().contains("true"));
}

/// PL-03: what a person changed since stays, to the byte, when we go.
#[test]
fn later_edits_stay() {
    let before = "{\n  \"a\": 1,\n  \"hooks\": {\n    \"Stop\": [\n      { \"hooks\": [{ \"type\": \"command\", \"command\": \"x\" }] }\n    ]\n  }\n}\n";
    let with = register(before, LENIENT, &plan("/a/countersign")).unwrap();
    let edited = with.replace("\"a\": 1", "\"a\": 2,\n  \"new\": true");
    let without = unregister(&edited, LENIENT, "claude", Some(before)).unwrap();
    assert_eq!(without, before.replace("\"a\": 1", "\"a\": 2,\n  \"new\": true"));
}

/// PL-03: a line comment never swallows what comes after an entry of ours.
#[test]
fn comments_swallow_nothing() {
    let ours = "\"hooks\": {\"Stop\": [{\"hooks\": [{\"command\": \"countersign hook claude\"}]}]}";
    let check = |text: &str, expected: &str| {
        assert_eq!(unregister(text, LENIENT, "claude", None).unwrap(), expected);
    };
    check(&format!("{{ // c\n {ours} }}"), "{ // c\n  }");
    check(&format!("{{\"a\": 1, // c\n {ours} }}"), "{\"a\": 1 // c\n  }");
    check(&format!("{{\"a\": 1, // c\n {ours}, \"b\": 2 }}"), "{\"a\": 1, // c\n \"b\": 2 }");
    check(&format!("{{{ours} // c\n, \"b\": 2 }}"), "{\"b\": 2 }");
}
