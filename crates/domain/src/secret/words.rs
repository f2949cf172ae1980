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

fn words(list: &str) -> impl Iterator<Item = &'static str> {
    shipped::list(list).split_ascii_whitespace()
}
