//! Where values end.

use super::Long;

/// Strings of this length are remembered.
const IS_LONG: usize = 1024;

pub(super) fn after_space(text: &[u8], mut at: usize) -> usize {
    while text.get(at).is_some_and(u8::is_ascii_whitespace) {
        at += 1;
    }
    at
}

pub(super) fn after_comma(text: &[u8], at: usize) -> usize {
    let at = after_space(text, at);
    if text.get(at) == Some(&b',') { after_space(text, at + 1) } else { at }
}

/// How long the value is that begins at `at`, and whether its end is there. Its length is 0 if
/// nothing begins there.
pub(super) fn value_at(text: &[u8], at: usize, long: Option<&Long>) -> (usize, bool) {
    let rest = text.get(at..).unwrap_or_default();
    match rest.first() {
        None | Some(b'}' | b']' | b',' | b':') => (0, true),
        Some(b'"') => string_end(rest, long),
        Some(b'{' | b'[') => nest_end(rest, long),
        Some(_) => {
            let ends = |byte: &u8| b",]}:\"{[ \t\r\n".contains(byte);
            rest.iter().position(ends).map_or((rest.len(), false), |len| (len, true))
        }
    }
}

/// Where an object or an array that begins here ends.
pub(super) fn nest_end(text: &[u8], long: Option<&Long>) -> (usize, bool) {
    let mut depth = 0_usize;
    let mut at = 0;
    while let Some(byte) = text.get(at) {
        match byte {
            b'"' => {
                at += string_end(&text[at..], long).0;
                continue;
            }
            b'{' | b'[' => depth += 1,
            b'}' | b']' => depth -= 1,
            _ => {}
        }
        at += 1;
        if depth == 0 {
            return (at, true);
        }
    }
    (text.len(), false)
}

/// Where a string that begins here ends, and whether its closing quote is there.
fn string_end(text: &[u8], long: Option<&Long>) -> (usize, bool) {
    let Some(long) = long.filter(|_| text.len() > IS_LONG) else { return find_quote(text) };
    let place = text.as_ptr().addr();
    let found = long.borrow().binary_search_by_key(&place, |(place, _)| *place);
    match found {
        Ok(known) => (long.borrow()[known].1, true),
        Err(order) => {
            let (end, is_whole) = find_quote(text);
            if is_whole && end > IS_LONG {
                long.borrow_mut().insert(order, (place, end));
            }
            (end, is_whole)
        }
    }
}

fn find_quote(text: &[u8]) -> (usize, bool) {
    for quote in memchr::memchr_iter(b'"', text).skip(1) {
        // An even number of backslashes escape each other, and not the quote.
        let escapes = text[1..quote].iter().rev().take_while(|byte| **byte == b'\\').count();
        if escapes % 2 == 0 {
            return (quote + 1, true);
        }
    }
    (text.len(), false)
}
