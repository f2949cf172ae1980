//! Text inside of text: base64 as in a Kubernetes `Secret`, `%3D` as in an address, `\/` and
//! `\u003d` as in JSON. It is taken out of its wrapping once; a secret that was wrapped twice is
//! not found.

use std::ops::Range;

use super::shape::set::Set;

/// A piece of a text without its wrapping.
#[derive(Debug, Default)]
pub(crate) struct Piece {
    pub(crate) text: Vec<u8>,
    /// Where it stood.
    pub(crate) whole: Range<usize>,
    /// Where each of its bytes stood; empty if only the whole can be told.
    pub(super) places: Vec<usize>,
    /// Before which of its bytes something was left out: whatever stands there may begin there.
    pub(super) cuts: Vec<usize>,
}

impl Piece {
    /// Where a part of the piece stood. What was left out in it, and right after it, is part of that.
    pub(crate) fn place(&self, part: Range<usize>) -> Range<usize> {
        let stood = self.places.get(part.clone()).unwrap_or_default();
        let (Some(first), Some(last)) = (stood.iter().min(), stood.iter().max()) else {
            return self.whole.clone();
        };
        // What a terminal shows may stand in another order.
        let next = self.places.get(part.end).copied().unwrap_or(self.whole.end);
        *first..next.max(last + 1)
    }
}

/// The shortest secret with a form of its own has 20 bytes, which makes 27 of base64.
const SHORTEST_BASE64: usize = 24;

/// Calls `found` with every stretch of base64, decoded.
pub(crate) fn each_base64(text: &[u8], mut found: impl FnMut(&Piece)) {
    // A stretch of that length covers a place that is a multiple of it, so the others needn't be
    // looked at.
    let mut probe = SHORTEST_BASE64 - 1;
    while let Some(byte) = text.get(probe) {
        if !DIGITS.has(*byte) {
            probe += SHORTEST_BASE64;
            continue;
        }
        let is_digit = |byte: &&u8| DIGITS.has(**byte);
        let start = probe - text[..probe].iter().rev().take_while(is_digit).count();
        let end = probe + text[probe..].iter().take_while(is_digit).count();
        let padding = text[end..].iter().take(2).take_while(|byte| **byte == b'=').count();
        let run = &text[start..end];
        let mixed =
            run.iter().any(u8::is_ascii_lowercase) && run.iter().any(u8::is_ascii_uppercase);
        if run.len() >= SHORTEST_BASE64 && mixed {
            found(&Piece { text: decode(run), whole: start..end + padding, ..Piece::default() });
        }
        probe = end + SHORTEST_BASE64;
    }
}

/// The digits of base64, of both alphabets.
const DIGITS: Set = Set::WORD.and_ranges(&[(b'+', b'+'), (b'-', b'-'), (b'/', b'/')]);

/// The six bits of a digit.
const fn digit(byte: u8) -> u8 {
    match byte {
        b'A'..=b'Z' => byte - b'A',
        b'a'..=b'z' => byte - b'a' + 26,
        b'0'..=b'9' => byte - b'0' + 52,
        b'+' | b'-' => 62,
        _ => 63,
    }
}

/// As much as can be decoded: what is left over at the end is no fault here.
fn decode(run: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(run.len() / 4 * 3 + 2);
    for four in run.chunks(4) {
        let bits = four.iter().fold(0, |bits, byte| bits << 6 | u32::from(digit(*byte)));
        let bits = bits << (6 * (4 - four.len()));
        bytes.extend_from_slice(&bits.to_be_bytes()[1..four.len().max(1)]);
    }
    bytes
}

/// No address and no token is longer.
const MAX_ESCAPED: usize = 2048;

/// The word around an escape, without escapes. Not before `from`, where the last one ended.
pub(crate) fn around(text: &[u8], escape: usize, from: usize) -> Piece {
    let joins = |byte: &&u8| !byte.is_ascii_whitespace() && !b"\"'`<>".contains(byte);
    let before = &text[from.min(escape)..escape];
    let before = before.iter().rev().take(MAX_ESCAPED).take_while(joins).count();
    let after = text[escape..].iter().take(MAX_ESCAPED).take_while(joins).count();
    unescaped(text, escape - before..escape + after)
}

/// The byte that an escape at the beginning stands for, and its length.
fn escaped(text: &[u8]) -> Option<(u8, usize)> {
    let (digits, length) = match text {
        [b'%', one, two, ..] => ([*one, *two], 3),
        [b'\\', b'u', b'0', b'0', one, two, ..] => ([*one, *two], 6),
        [b'\\', b'/', ..] => return Some((b'/', 2)),
        _ => return None,
    };
    let value = |digit: u8| char::from(digit).to_digit(16);
    let byte = value(digits[0])? * 16 + value(digits[1])?;
    Some((u8::try_from(byte).ok()?, length))
}

fn unescaped(text: &[u8], whole: Range<usize>) -> Piece {
    let mut piece = Piece { whole: whole.clone(), ..Piece::default() };
    let mut at = whole.start;
    while at < whole.end {
        let (byte, length) = escaped(&text[at..whole.end]).unwrap_or((text[at], 1));
        piece.text.push(byte);
        piece.places.push(at);
        at += length;
    }
    piece
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: &[&str]) {
        let mut found = Vec::new();
        let mut add = |piece: &Piece| found.push(String::from_utf8_lossy(&piece.text).into_owned());
        each_base64(text.as_bytes(), &mut add);
        if let Some(escape) = (0..text.len()).find(|at| escaped(&text.as_bytes()[*at..]).is_some())
        {
            add(&around(text.as_bytes(), escape, 0));
        }
        assert_eq!(found, expected, "{text}");
    }

    #[test]
    fn wrapped_text_is_found() {
        check("x: c29tZXRoaW5nIHRoYXQgaXMgaGlkZGVu\n", &["something that is hidden"]);
        check("c29tZXRoaW5nIHRoYXQgaXMgaGlkZGVuIQ==", &["something that is hidden!"]);
        check("a%3Db c%zz d", &["a=b"]);
        check("{\"a\":\"x\\/y\\u003dz\"}", &["x/y=z"]);
        check("plain words, 100 % of them, and c:\\temp", &[]);
        check("c29tZXRoaW5nIHRoYXQ=", &[]);
        for text in ["", "%", "%4", "\\", "\\u00", "\\u00zz"] {
            check(text, &[]);
        }
    }

    #[test]
    fn parts_are_found_where_they_stood() {
        let piece = around(b"see a%3Dbc now", 5, 0);
        assert_eq!((piece.place(0..1), piece.place(1..2), piece.place(1..4)), (4..5, 5..8, 5..10));
    }
}
