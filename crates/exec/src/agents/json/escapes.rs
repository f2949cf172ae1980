//! What the escapes in a string stand for, also where they are broken.

use std::borrow::Cow;

pub(super) fn unescape(text: &[u8]) -> Cow<'_, str> {
    if memchr::memchr(b'\\', text).is_none() {
        return String::from_utf8_lossy(text);
    }
    let mut out = Vec::with_capacity(text.len());
    let mut rest = text;
    while let Some(found) = memchr::memchr(b'\\', rest) {
        out.extend_from_slice(&rest[..found]);
        let (character, len) = escaped(&rest[found..]);
        let mut buffer = [0; 4];
        out.extend_from_slice(character.encode_utf8(&mut buffer).as_bytes());
        rest = &rest[found + len..];
    }
    out.extend_from_slice(rest);
    Cow::Owned(String::from_utf8_lossy(&out).into_owned())
}

/// The character that an escape stands for, and the escape's length. Half a pair of surrogates,
/// which is what JavaScript leaves when it cuts a text, stands for the character that says so.
fn escaped(text: &[u8]) -> (char, usize) {
    const BROKEN: char = char::REPLACEMENT_CHARACTER;
    let simple = match text.get(1) {
        Some(b'n') => '\n',
        Some(b't') => '\t',
        Some(b'r') => '\r',
        Some(b'b') => '\u{8}',
        Some(b'f') => '\u{c}',
        Some(b'u') => {
            let Some(first) = hexadecimal(text, 2) else { return (BROKEN, text.len().min(6)) };
            if let Some(character) = char::from_u32(first) {
                return (character, 6);
            }
            let second = hexadecimal(text, 8).filter(|_| text.get(6..8) == Some(b"\\u"));
            let pair =
                second.and_then(|second| char::decode_utf16(pair(first, second)).next()?.ok());
            return pair.map_or((BROKEN, 6), |character| (character, 12));
        }
        Some(byte) if byte.is_ascii() => char::from(*byte),
        Some(_) => BROKEN,
        None => return (BROKEN, 1),
    };
    (simple, 2)
}

fn pair(first: u32, second: u32) -> [u16; 2] {
    [first, second].map(|unit| u16::try_from(unit).unwrap_or_default())
}

fn hexadecimal(text: &[u8], at: usize) -> Option<u32> {
    let digits = std::str::from_utf8(text.get(at..at + 4)?).ok()?;
    u32::from_str_radix(digits, 16).ok()
}
