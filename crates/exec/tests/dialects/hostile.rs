//! Bytes that no agent should send.

use countersign_domain::worklog::{Agent, Deed, News};
use countersign_exec::agents::dialect::{Reading, read, transcript};
use proptest::prelude::*;

use crate::support::tours;

/// WL-16: cut at any byte, a call gives what came before the cut: the session is known once its
/// id was read, and is never half an id.
#[test]
fn a_call_that_is_cut_anywhere_keeps_what_came_before() {
    for tour in tours() {
        for (name, bytes) in tour.payloads() {
            let whole = read(tour.agent, &bytes).report;
            let step = (bytes.len() / 400).max(1);
            let mut known = (false, false);
            for cut in (0..bytes.len()).step_by(step) {
                let Reading { report, trouble } = read(tour.agent, &bytes[..cut]);
                let is_whole = bytes[cut..].trim_ascii().is_empty();
                assert_eq!(trouble.is_some(), !is_whole, "{} {name} {cut}", tour.name);
                for (mine, full, known) in [
                    (&report.agent_session, &whole.agent_session, &mut known.0),
                    (&report.event, &whole.event, &mut known.1),
                ] {
                    assert!(mine.is_empty() || mine == full, "{} {name} {cut}", tour.name);
                    assert!(!*known || mine == full, "{} {name} {cut}", tour.name);
                    *known |= !mine.is_empty();
                }
            }
        }
    }
}

/// What is too long is cut by who reads it for us: the file is known, the call's id is lost.
#[test]
fn of_a_long_call_the_file_is_known() {
    let content = "x = 1\\n".repeat(100_000);
    let text = format!(
        r#"{{"session_id":"s","hook_event_name":"PostToolUse","tool_name":"Write","tool_input":{{"file_path":"/a","content":"{content}"#
    );
    let reading = read(Agent::Claude, text.as_bytes());
    let News::Operated(operation) = reading.report.news else { panic!("{:?}", reading.trouble) };
    let Deed::Write { files } = operation.deed else { panic!() };
    assert_eq!((files[0].path.as_str(), files[0].added), ("/a", 100_000));
    assert!(reading.trouble.unwrap().starts_with("cut off after "));
}

#[test]
fn trouble_is_named_and_the_rest_is_read() {
    let check = |bytes: &[u8], session: &str, trouble: &str| {
        let reading = read(Agent::Claude, bytes);
        assert_eq!(reading.report.agent_session, session, "{trouble}");
        assert_eq!(reading.trouble.as_deref(), Some(trouble));
    };
    check(b"", "", "nothing was said");
    check(b"[1]", "", "not an object");
    check(b"{}", "", "it names no event (hook_event_name)");
    check(br#"{"session_id":"s"}"#, "s", "it names no event (hook_event_name)");
    check(br#"{"session_id":7,"hook_event_name":8}"#, "7", "it names no event (hook_event_name)");
    check(br#"{"hook_event_name":"Stop"}"#, "", "it names no session (session_id)");
    check(br#"{"session_id":"s","hook_event_name":"New"}"#, "s", "unknown event \"New\"");
    check(
        br#"{"session_id":"s","hook_event_name":"PreToolUse","tool_input":3}"#,
        "s",
        "it names no tool (tool_name)",
    );
    check(
        b"{\"session_id\":\"s\",\"hook_event_name\":\"Stop\",\"x\":\"\xff\"}",
        "s",
        "not UTF-8 from byte 48 on",
    );
    check(
        br#"{"session_id":"s","hook_event_name":"Stop" oops}"#,
        "s",
        "not JSON: expected `,` or `}` at line 1 column 44",
    );
}

/// JavaScript cuts texts between the two halves of a character, and says so in JSON that Rust's
/// parsers refuse. It is a text all the same.
#[test]
fn half_a_character_is_no_trouble() {
    let text = r#"{"session_id":"s","hook_event_name":"UserPromptSubmit","prompt":"half \ud83d"}"#;
    let reading = read(Agent::Claude, text.as_bytes());
    assert_eq!(reading.trouble, None);
    assert_eq!(reading.report.news, News::Prompted { text: "half \u{fffd}".to_owned() });
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn no_bytes_make_it_panic(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        for agent in Agent::ALL {
            let reading = read(agent, &bytes);
            prop_assert!(reading.trouble.is_some());
            prop_assert!(transcript(agent, bytes.as_slice()).is_ok());
        }
    }

    #[test]
    fn nothing_that_looks_like_json_makes_it_panic(text in "[\\[{\":,\\\\u0n}\\] \n]{0,80}") {
        for agent in Agent::ALL {
            let tool = format!(r#"{{"session_id":"s","hook_event_name":"PostToolUse","tool_name":"Write","tool_input":{text}"#);
            prop_assert_eq!(read(agent, tool.as_bytes()).report.agent_session, "s");
            let _ = read(agent, text.as_bytes());
            prop_assert!(transcript(agent, text.as_bytes()).is_ok());
        }
    }

    /// One wrong byte anywhere: no panic, and never a session of another name than one that was
    /// sent, unless the byte is in the name.
    #[test]
    fn a_wrong_byte_makes_no_panic(at in any::<prop::sample::Index>(), wrong in any::<u8>(), which in any::<prop::sample::Index>()) {
        let tours = tours();
        let tour = which.get(&tours);
        for (_, mut bytes) in tour.payloads().into_iter().take(12) {
            let at = at.index(bytes.len());
            bytes[at] = wrong;
            let reading = read(tour.agent, &bytes);
            prop_assert!(reading.report.event.len() <= bytes.len());
        }
    }
}
