//! Whatever an agent prints, it is read in bounded memory and time, and nothing falls over.

use countersign_domain::agent::{AgentEnd, Kind};
use countersign_domain::receipt::Ended;
use countersign_exec::agents::Reader;
use proptest::prelude::*;

use crate::heard::{DONE, spec};

const AGENTS: [&str; 7] =
    ["claude", "codex:gpt-5.5", "gemini", "opencode", "goose", "acp:x", "command:x"];

/// Pieces that lines of agents are made of, whole and broken.
fn piece() -> impl Strategy<Value = Vec<u8>> {
    let words: Vec<&'static [u8]> = vec![
        b"{\"type\":",
        b"\"result\"",
        b"\"assistant\"",
        b"\"turn.completed\"",
        b"\"item.completed\"",
        b"\"message\"",
        b"\"complete\"",
        b"\"step_finish\"",
        b"\"acp\":",
        b"\"ended\"",
        b"\"usage\":",
        b"{\"input_tokens\":",
        b"-1",
        b"18446744073709551615",
        b"99999999999999999999",
        b"1e999",
        b"null",
        b"[",
        b"]",
        b"{",
        b"}",
        b",",
        b":",
        b"\"",
        b"\\",
        b"\\u12",
        b"\n",
        b"\r\n",
        b"\xff",
        b"\xf0\x9f",
        b"\0",
        b"\"total_cost_usd\":",
        b"\"is_error\":true",
        b"\"content\":[",
        b"\"modelUsage\":{\"x\":{\"inputTokens\":",
        b"\"part\":{\"tokens\":{\"input\":",
        b"\"text\":",
    ];
    prop_oneof![
        4 => prop::sample::select(words).prop_map(<[u8]>::to_vec),
        1 => prop::collection::vec(any::<u8>(), 0..20),
    ]
}

proptest! {
    /// LP-18: no input makes a reader fall over, and how it is cut makes no difference.
    #[test]
    fn anything_can_be_read(pieces in prop::collection::vec(piece(), 0..60), size in 1_usize..40) {
        let text: Vec<u8> = pieces.concat();
        for agent in AGENTS {
            let mut whole = Reader::new(&spec(agent));
            whole.feed(&text, &mut |_| {});
            let mut cut = Reader::new(&spec(agent));
            for part in text.chunks(size) {
                cut.feed(part, &mut |_| {});
            }
            prop_assert_eq!(whole.finish(&DONE), cut.finish(&DONE));
        }
    }
}

/// The bytes that this process has in memory.
#[cfg(target_os = "linux")]
fn resident() -> usize {
    let pages = std::fs::read_to_string("/proc/self/statm").unwrap();
    pages.split(' ').nth(1).unwrap().parse::<usize>().unwrap() * 4096
}

/// LP-18: a gigabyte of anything, in lines of any length, takes little memory.
#[cfg(target_os = "linux")]
#[test]
fn memory_is_bounded() {
    let long = format!(
        "{{\"type\":\"assistant\",\"message\":{{\"content\":[{{\"type\":\"text\",\"text\":\"{}\"}}]}}}}\n",
        "x".repeat(3_000_000)
    );
    let short = "{\"type\":\"user\",\"message\":{\"content\":[{\"type\":\"tool_result\",\"tool_use_id\":\"a\",\"content\":\"x\"}]}}\n".repeat(10_000);
    let noise = "not JSON at all {\"x\n".repeat(50_000);
    let endless = vec![b'y'; 1 << 20];
    for agent in AGENTS {
        let before = resident();
        let mut reader = Reader::new(&spec(agent));
        for _ in 0..20 {
            reader.feed(long.as_bytes(), &mut |_| {});
            reader.feed(short.as_bytes(), &mut |_| {});
            reader.feed(noise.as_bytes(), &mut |_| {});
        }
        for _ in 0..50 {
            reader.feed(&endless, &mut |_| {});
        }
        let grown = resident().saturating_sub(before);
        assert!(grown < 48 << 20, "{agent}: {} MiB", grown >> 20);
        let heard = reader.finish(&Ended::Exited { code: 0 });
        assert!(heard.said.len() < 300_000 && heard.denied.len() <= 50);
    }
}

/// LP-18: deep nesting and millions of braces are only noise.
#[test]
fn nesting_is_no_trap() {
    for agent in AGENTS {
        let mut reader = Reader::new(&spec(agent));
        reader.feed(&b"{\"a\":".repeat(500_000), &mut |_| {});
        reader.feed(b"\n", &mut |_| {});
        reader.feed(&b"[".repeat(1_000_000), &mut |_| {});
        let heard = reader.finish(&Ended::Exited { code: 1 });
        assert!(!heard.end.is_finished());
        assert!(matches!(heard.end, AgentEnd::Failed { .. }), "{agent}: {:?}", heard.end);
    }
    assert_eq!(AGENTS.len(), Kind::ALL.len());
}
