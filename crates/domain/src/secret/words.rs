//! The lists of words of the rules. All are written in small letters.

use super::shipped;

/// Whether a word is in a list, whatever its case.
pub(crate) fn has(list: &str, word: &str) -> bool {
    words(list).any(|known| known.eq_ignore_ascii_case(word))
}

/// Whether a word ends in one of a list: `PGPASSWORD`. Those of up to four letters are taken as
/// whole words only: `compass`.
pub(crate) fn ends(list: &str, word: &str) -> bool {
    let bytes = word.as_bytes();
    words(list).any(|known| {
        let start = bytes.len().saturating_sub(known.len());
        let end = bytes[start..].eq_ignore_ascii_case(known.as_bytes());
        end && (start == 0 || known.len() > 4)
    })
}

/// Whether a value contains a word of a list with at least so many letters, whatever its case.
pub(crate) fn any_in(list: &str, value: &[u8], least: usize) -> bool {
    let mut words = words(list).filter(|word| word.len() >= least).peekable();
    if words.peek().is_none() {
        return false;
    }
    // The standard library finds words in `str` many at a time, and in bytes one by one.
    let lower: String = value.iter().map(|byte| char::from(byte.to_ascii_lowercase())).collect();
    words.any(|word| lower.contains(word))
}

fn words(list: &str) -> impl Iterator<Item = &'static str> {
    shipped::list(list).split_ascii_whitespace()
}
