//! The lists of words of the rules.

use super::shipped;
use super::value;

/// Whether a word is in a list, whatever its case.
pub(crate) fn has(list: &str, word: &str) -> bool {
    words(list).any(|known| known.eq_ignore_ascii_case(word))
}

/// Whether a value contains a word of a list, whatever its case.
pub(crate) fn any_in(list: &str, value: &[u8]) -> bool {
    words(list).any(|word| value::has(value, word))
}

/// The same, for words of four letters and more.
pub(crate) fn any_long_in(list: &str, value: &[u8]) -> bool {
    words(list).any(|word| word.len() > 3 && value::has(value, word))
}

fn words(list: &str) -> impl Iterator<Item = &'static str> {
    shipped::list(list).split_ascii_whitespace()
}
