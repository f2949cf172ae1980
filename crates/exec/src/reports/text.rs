//! What a terminal would show, line by line, in bounded memory.
//!
//! Colours go. Everything else stays, also what a terminal would overwrite: a line that is
//! written twice is two lines, so that nothing can hide what came before it.

use std::borrow::Cow;
use std::io::{self, BufRead, Read as _};

use countersign_domain::qa::{Outcome, without_colours};

/// Runners write no longer lines for people; what tests print is passed over beyond this.
const MAX_LINE: u64 = 16 << 10;
/// Events and documents of JSON hold whole outputs.
pub(super) const MAX_DOCUMENT: u64 = 64 << 20;

/// One line, without colours and without its end.
#[derive(Debug, Clone, Copy)]
pub(super) struct Line<'a> {
    /// Counted from 1.
    pub(super) number: u64,
    pub(super) text: &'a str,
    /// Whether it goes to its end: the last line of a text that was cut does not.
    pub(super) is_whole: bool,
}

impl<'a> Line<'a> {
    /// Where it is, as doubts have it.
    #[expect(clippy::unnecessary_wraps, reason = "a doubt has a place or none")]
    pub(super) fn at(&self) -> Option<u64> {
        Some(self.number)
    }

    /// The outcome that it tells; the last line of a text that was cut may have gone on, so a
    /// pass on it is none.
    pub(super) fn believe(&self, outcome: Outcome) -> Outcome {
        if self.is_whole || outcome != Outcome::Passed { outcome } else { Outcome::Unknown }
    }

    pub(super) fn trimmed(&self) -> &'a str {
        self.text.trim_end()
    }

    /// How many spaces it begins with.
    pub(super) fn indent(&self) -> usize {
        self.text.len() - self.text.trim_start_matches(' ').len()
    }
}

/// What was noticed besides the lines.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Noticed {
    pub(super) lines: u64,
    /// The first line with bytes that are not UTF-8.
    pub(super) not_utf8: Option<u64>,
    /// The first line of JSON that is too long to be read.
    pub(super) too_long: Option<u64>,
}

/// Hands on every line. Those that are too long and no JSON are left out.
pub(super) fn each_line(
    mut input: impl BufRead,
    mut take: impl FnMut(Line<'_>),
) -> io::Result<Noticed> {
    let mut noticed = Noticed::default();
    let mut bytes = Vec::new();
    loop {
        bytes.clear();
        if input.by_ref().take(MAX_LINE).read_until(b'\n', &mut bytes)? == 0 {
            return Ok(noticed);
        }
        noticed.lines += 1;
        if bytes.len() as u64 == MAX_LINE && bytes.last() != Some(&b'\n') {
            let is_json = bytes.trim_ascii_start().first() == Some(&b'{');
            if is_json {
                input.by_ref().take(MAX_DOCUMENT).read_until(b'\n', &mut bytes)?;
            }
            if !is_json || bytes.len() as u64 >= MAX_DOCUMENT {
                noticed.too_long = noticed.too_long.or(is_json.then_some(noticed.lines));
                input.skip_until(b'\n')?;
                continue;
            }
        }
        let is_whole = bytes.last() == Some(&b'\n');
        let line = bytes.strip_suffix(b"\n").unwrap_or(&bytes);
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        let text = String::from_utf8_lossy(line);
        if matches!(text, Cow::Owned(_)) {
            noticed.not_utf8.get_or_insert(noticed.lines);
        }
        let text = if noticed.lines == 1 { text.trim_start_matches('\u{feff}') } else { &text };
        let mut parts = text.split('\r').peekable();
        while let Some(part) = parts.next() {
            let is_whole = is_whole || parts.peek().is_some();
            take(Line { number: noticed.lines, text: &without_colours(part), is_whole });
        }
    }
}

/// The text without characters that nobody sees, if it has such.
pub(super) fn undisguised(text: &str) -> Option<String> {
    let is_plain = text.bytes().all(|byte| matches!(byte, b'\t' | b' '..=b'~'));
    if is_plain || !text.contains(is_unseen) {
        return None;
    }
    Some(text.replace(is_unseen, ""))
}

/// Control characters, and those that turn the order of writing or take no room.
fn is_unseen(letter: char) -> bool {
    letter != '\t' && letter.is_control()
        || matches!(letter,
            '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}'..='\u{1160}' | '\u{17b4}'..='\u{17b5}'
            | '\u{180b}'..='\u{180f}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}' | '\u{3164}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}'
            | '\u{ffa0}' | '\u{fff9}'..='\u{fffb}' | '\u{1bca0}'..='\u{1bca3}'
            | '\u{1d173}'..='\u{1d17a}' | '\u{e0000}'..='\u{e0fff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    /// CX-12: lines end where they end, also where a terminal would go back.
    #[test]
    fn lines() {
        let check = |bytes: &[u8], expected: &[(u64, &str, bool)]| {
            let mut lines = Vec::new();
            each_line(bytes, |line| {
                lines.push((line.number, line.text.to_owned(), line.is_whole));
            })
            .unwrap();
            let lines: Vec<_> = lines.iter().map(|(n, t, w)| (*n, t.as_str(), *w)).collect();
            assert_eq!(lines, expected);
        };
        check(b"", &[]);
        check(b"a", &[(1, "a", false)]);
        check(b"a\r\nb\n", &[(1, "a", true), (2, "b", true)]);
        check(
            b"1 failed\r1 passed\nx",
            &[(1, "1 failed", true), (1, "1 passed", true), (2, "x", false)],
        );
        check(b"\xef\xbb\xbfa\n\xff\n", &[(1, "a", true), (2, "\u{fffd}", true)]);
        let long = [b"x".repeat(200_000), b"\nb\n".to_vec()].concat();
        check(&long, &[(2, "b", true)]);
        let json = [b"{".to_vec(), b"x".repeat(200_000), b"\nb\n".to_vec()].concat();
        let text = format!("{{{}", "x".repeat(200_000));
        check(&json, &[(1, &text, true), (2, "b", true)]);
    }

    #[test]
    fn unseen_characters_are_noticed() {
        assert_eq!(undisguised("3 passed\tin 1s, größe"), None);
        assert_eq!(undisguised("3 pas\u{200b}sed").as_deref(), Some("3 passed"));
        assert_eq!(undisguised("\u{202e}3 failed\u{202c}\0").as_deref(), Some("3 failed"));
    }
}
