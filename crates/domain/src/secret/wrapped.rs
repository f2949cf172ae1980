//! Text inside of text: base64 as in a Kubernetes `Secret`, `%3D` as in an address, `\/` and
//! `\u003d` as in JSON. It is taken out of its wrapping once; a secret that was wrapped twice is
//! not found.

use std::ops::Range;

use super::shape::set::Set;

/// A piece of a text without its wrapping.
pub(crate) struct Piece {
    pub(crate) text: Vec<u8>,
    /// Where it stood.
    pub(crate) whole: Range<usize>,
    /// Where each of its bytes stood; empty if only the whole can be told.
    places: Vec<usize>,
}

impl Piece {
    /// Where a part of the piece stood.
    pub(crate) fn place(&self, part: Range<usize>) -> Range<usize> {
        let at = |at: usize| self.places.get(at).copied();
        match (at(part.start), part.end.checked_sub(1).and_then(at)) {
            (Some(start), Some(_)) => start..at(part.end).unwrap_or(self.whole.end),
            _ => self.whole.clone(),
        }
    }
}

/// No line is longer that is looked at without its colours.
const MAX_COLOURED: usize = 1 << 16;

/// Calls `found` with every line that has sequences for a terminal in it, without those: what is seen there
/// is what a person would copy.
pub(crate) fn each_coloured(text: &[u8], mut found: impl FnMut(&Piece)) {
    if !text.iter().any(|byte| matches!(byte, 0x1b | 0x9b | 0xef)) {
        return;
    }
    keys(text, &mut found);
    let mut start = 0;
    for line in text.split(|byte| *byte == b'\n') {
        for (number, part) in line.chunks(MAX_COLOURED).enumerate() {
            let from = start + number * MAX_COLOURED;
            let piece = uncoloured(text, from..from + part.len());
            if piece.text.len() < part.len() {
                found(&piece);
            }
        }
        start += line.len() + 1;
    }
}

/// No key is longer.
const MAX_KEY: usize = 1 << 14;

/// Keys are as long as several lines, each of which may have its own colours.
fn keys(text: &[u8], found: &mut impl FnMut(&Piece)) {
    const BEGIN: &[u8] = b"-----BEGIN";
    let mut from = 0;
    while let Some(at) = text[from..].windows(BEGIN.len()).position(|part| part == BEGIN) {
        let start = from + at;
        let end = text.len().min(start + MAX_KEY);
        let piece = uncoloured(text, start..end);
        if piece.text.len() < end - start {
            found(&piece);
        }
        from = start + BEGIN.len();
    }
}

/// The length of the sequence for a terminal at the beginning; 0 if there is none.
fn sequence(text: &[u8]) -> usize {
    let (kind, begun) = match text {
        [0x1b, kind, ..] => (*kind, 2),
        // What is left of one where signs that steer a terminal were replaced.
        [0xef, 0xbf, 0xbd, b'[', ..] => (b'[', 4),
        // The same in one character.
        [0xc2, 0x9b, ..] => (b'[', 2),
        _ => return 0,
    };
    let rest = &text[begun..];
    match kind {
        b'[' => begun + rest.iter().take_while(|byte| !(0x40..=0x7e).contains(*byte)).count() + 1,
        // It ends with a bell, or with an escape and a stroke.
        b']' => match rest.iter().position(|byte| matches!(byte, 0x07 | 0x1b)) {
            Some(at) => begun + at + if rest[at] == 0x07 { 1 } else { 2 },
            None => begun,
        },
        // Which letters are meant.
        0x20..=0x2f => begun + 1,
        _ => begun,
    }
}

fn uncoloured(text: &[u8], whole: Range<usize>) -> Piece {
    let mut piece = Piece { text: Vec::new(), whole: whole.clone(), places: Vec::new() };
    let mut at = whole.start;
    while at < whole.end {
        let length = sequence(&text[at..whole.end]);
        if length == 0 {
            piece.text.push(text[at]);
            piece.places.push(at);
        }
        at += length.max(1);
    }
    piece
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
            found(&Piece { text: decode(run), whole: start..end + padding, places: Vec::new() });
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
    let mut piece = Piece { text: Vec::new(), whole: whole.clone(), places: Vec::new() };
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
    fn colours_are_left_out() {
        let mut found = Vec::new();
        let text = "plain\na\x1b[1;31mb\x1b[0mc\n\u{9b}0mx\x1b]8;;http://y\x07z\x1b]8;;\x1b\\!\x1b";
        each_coloured(text.as_bytes(), |piece| {
            found.push((String::from_utf8_lossy(&piece.text).into_owned(), piece.place(0..2)));
        });
        let places: Vec<&str> = found.iter().map(|(_, place)| &text[place.clone()]).collect();
        let texts: Vec<&str> = found.iter().map(|(text, _)| text.as_str()).collect();
        assert_eq!(texts, ["abc", "xz!\x1b"]);
        assert_eq!(places[0], "a\x1b[1;31mb\x1b[0m");
        for text in ["", "\x1b", "\x1b[", "\x1b[1", "\x1b]", "\u{9b}"] {
            each_coloured(text.as_bytes(), |_| {});
        }
    }

    /// A key over several lines with colours, and what a terminal would have obeyed before it was replaced.
    #[test]
    fn colours_of_keys_and_replaced_ones_are_left_out() {
        let mut found = Vec::new();
        let key = "\x1b[31m-----BEGIN KEY-----\x1b[0m\n\x1b[31mabc\x1b[0m\n-----END KEY-----";
        each_coloured(key.as_bytes(), |piece| {
            found.push(String::from_utf8_lossy(&piece.text).into_owned());
        });
        assert!(found.iter().any(|text| text.contains("-\nabc\n-")), "{found:?}");
        found.clear();
        each_coloured("a\u{fffd}[31mb\u{fffd}[0mc".as_bytes(), |piece| {
            found.push(String::from_utf8_lossy(&piece.text).into_owned());
        });
        assert_eq!(found, ["abc"]);
    }

    #[test]
    fn parts_are_found_where_they_stood() {
        let piece = around(b"see a%3Dbc now", 5, 0);
        assert_eq!((piece.place(0..1), piece.place(1..2), piece.place(1..4)), (4..5, 5..8, 5..10));
    }
}
