//! Text as a person sees it in a terminal: without the sequences that colour it, after going back in a line, and
//! without what stands before each line of a private key. What is seen there is what somebody would copy.

use std::ops::Range;

use super::wrapped::Piece;

/// No line is longer that is looked at in this way.
const MAX_LINE: usize = 1 << 16;

/// Whether a byte may belong to what is not shown.
const fn is_sign(byte: u8) -> bool {
    matches!(byte, 0x08 | b'\r' | 0x1b | 0x7f | 0x9b | 0xef)
}

/// Whether there is such a byte. All of some are looked at together, which is faster than one by one.
fn has_signs(text: &[u8]) -> bool {
    text.chunks(128).any(|some| some.iter().fold(false, |any, byte| any | is_sign(*byte)))
}

/// Calls `found` with every line that has signs for a terminal in it, without those, and as it is shown where
/// some of them go back.
pub(crate) fn each_shown(text: &[u8], mut found: impl FnMut(&Piece)) {
    if !has_signs(text) {
        return;
    }
    let mut start = 0;
    for line in text.split(|byte| *byte == b'\n') {
        // Lines may end as they do elsewhere.
        let own = line.strip_suffix(b"\r").unwrap_or(line);
        if has_signs(own) {
            for (number, part) in own.chunks(MAX_LINE).enumerate() {
                let from = start + number * MAX_LINE;
                look_at(text, from..from + part.len(), &mut found);
            }
        }
        start += line.len() + 1;
    }
}

fn look_at(text: &[u8], part: Range<usize>, found: &mut impl FnMut(&Piece)) {
    let piece = plain(text, part.clone());
    if piece.text.len() < part.len() {
        found(&piece);
    }
    let goes_back = |at: usize| matches!(text[at], 0x08 | b'\r') || step(&text[at..part.end]) < 0;
    if part.clone().any(goes_back) {
        found(&drawn(text, part));
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

/// The length of what is not shown at the beginning; 0 if it is shown.
fn unshown(text: &[u8]) -> usize {
    match (sequence(text), text) {
        (0, [0x00 | 0x08 | b'\r' | 0x7f, ..]) => 1,
        // What stands where a sign was replaced.
        (0, [0xef, 0xbf, 0xbd, ..]) => 3,
        (length, _) => length,
    }
}

/// A part of a text without what is not shown.
fn plain(text: &[u8], whole: Range<usize>) -> Piece {
    let mut piece = Piece { whole: whole.clone(), ..Piece::default() };
    let mut at = whole.start;
    while at < whole.end {
        let length = unshown(&text[at..whole.end]);
        if length == 0 {
            piece.text.push(text[at]);
            piece.places.push(at);
        } else if piece.cuts.last() != Some(&piece.text.len()) {
            piece.cuts.push(piece.text.len());
        }
        at += length.max(1);
    }
    piece
}

/// By how many columns the sequence at the beginning moves; none if there is none.
fn step(text: &[u8]) -> isize {
    let length = sequence(text).min(text.len());
    let [begun @ .., last] = &text[..length] else { return 0 };
    let digits = begun.iter().rev().take_while(|byte| byte.is_ascii_digit()).count();
    let count = str::from_utf8(&begun[begun.len() - digits..]).ok();
    let count = count.and_then(|digits| digits.parse::<u16>().ok()).unwrap_or(1).max(1);
    match last {
        b'D' => -isize::from(i16::try_from(count).unwrap_or(i16::MAX)),
        b'C' => isize::from(i16::try_from(count).unwrap_or(i16::MAX)),
        _ => 0,
    }
}

/// A line as it looks when all of it was printed.
fn drawn(text: &[u8], whole: Range<usize>) -> Piece {
    // Where the character in each column stood.
    let mut columns: Vec<Range<usize>> = Vec::new();
    let (mut at, mut column) = (whole.start, 0_usize);
    while at < whole.end {
        let rest = &text[at..whole.end];
        let length = unshown(rest);
        match rest[0] {
            0x08 => column = column.saturating_sub(1),
            b'\r' => column = 0,
            _ if length > 0 => {
                column = column.saturating_add_signed(step(rest)).min(columns.len());
                if rest[..length.min(rest.len())].ends_with(b"K") {
                    columns.truncate(column);
                }
            }
            first => {
                let own = at..whole.end.min(at + width(first));
                match columns.get_mut(column) {
                    Some(there) => *there = own,
                    None => columns.push(own),
                }
                column += 1;
            }
        }
        at += if length > 0 { length } else { width(rest[0]) };
    }
    let mut piece = Piece { whole, ..Piece::default() };
    for place in columns.into_iter().flatten() {
        piece.text.push(text[place]);
        piece.places.push(place);
    }
    piece
}

/// The bytes of the character that begins with this one.
const fn width(first: u8) -> usize {
    match first {
        0xf0..=0xf7 => 4,
        0xe0..=0xef => 3,
        0xc0..=0xdf => 2,
        _ => 1,
    }
}

/// No key is longer, and nothing longer stands before its lines.
const MAX_KEY: usize = 1 << 14;
const MAX_GUTTER: usize = 80;

/// Whether a private key may begin here.
pub(crate) fn is_key(text: &[u8], at: usize) -> bool {
    const KEY: &[u8] = b"PRIVATE KEY";
    let rest = text.get(at..).unwrap_or_default();
    let head = &rest[..rest.len().min(60)];
    head.starts_with(b"-----BEGIN") && head.windows(KEY.len()).any(|part| part == KEY)
}

/// The key that begins at `start`, without colours and without what stands before each of its lines: the number
/// of the line, a bar, the sign of a quote. Nothing if it has none of that. It ends before `end` at the latest.
pub(crate) fn key(text: &[u8], start: usize, end: usize) -> Option<Piece> {
    let end = end.min(start + MAX_KEY);
    let before = text[..start].iter().rev().take(MAX_GUTTER);
    let line = start - before.take_while(|byte| **byte != b'\n').count();
    let shown = plain(text, line..end);
    let begun = shown.places.partition_point(|place| *place < start);
    let gutter = &shown.text[..begun];
    let mut piece = Piece { whole: start..end, ..Piece::default() };
    let mut at = begun;
    for line in shown.text[begun..].split_inclusive(|byte| *byte == b'\n') {
        let skipped = if at == begun { 0 } else { gutter_of(line, gutter) };
        let after = line.iter().rev().take_while(|byte| !is_of_key(**byte)).count();
        let own = at + skipped..at + (line.len() - after).max(skipped);
        piece.text.extend_from_slice(&shown.text[own.clone()]);
        piece.places.extend_from_slice(&shown.places[own.clone()]);
        piece.text.push(b'\n');
        piece.places.push(shown.places[own.end.min(at + line.len() - 1)]);
        at += line.len();
        if piece.text.ends_with(b"-----\n") && line.windows(8).any(|part| part == b"-----END") {
            break;
        }
    }
    piece.whole.end = shown.places.get(at).copied().unwrap_or(end);
    (piece.text.len() < piece.whole.len()).then_some(piece)
}

/// How much of a line of a key belongs to what stands before it: what stands before the first, where only
/// numbers may differ; or whatever can't begin a line of a key.
fn gutter_of(line: &[u8], gutter: &[u8]) -> usize {
    let is_alike =
        |(one, other): (&u8, &u8)| one == other || one.is_ascii_digit() && other.is_ascii_digit();
    if !gutter.is_empty() && line.len() > gutter.len() && line.iter().zip(gutter).all(is_alike) {
        return gutter.len();
    }
    let numbers = line.iter().take_while(|byte| byte.is_ascii_digit() || **byte == b' ').count();
    let bars = line[numbers..].iter().take_while(|byte| !is_of_key(**byte)).count();
    let whole = if bars > 0 { numbers + bars } else { 0 };
    if whole > MAX_GUTTER { 0 } else { whole }
}

/// Whether it may be part of a line of a key, or of its first or last.
const fn is_of_key(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'=' | b'-')
}

#[cfg(test)]
#[path = "shown_tests.rs"]
mod tests;
