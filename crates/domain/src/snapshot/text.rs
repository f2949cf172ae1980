//! How far two texts differ: in their line endings only, in white space only, or for real.

use serde::{Deserialize, Serialize};

/// How far two contents differ.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Difference {
    /// The same bytes.
    None,
    /// The same once every line ends in the same way.
    LineEndings,
    /// The same but for spaces, tabs and empty lines. In some languages these mean something.
    Layout,
    /// Other bytes of which git's filters make the same content.
    Filtered,
    Content,
}

/// How far two contents differ. A zero byte makes it binary, which has no layout.
pub fn difference(before: &[u8], after: &[u8]) -> Difference {
    if before == after {
        return Difference::None;
    }
    if before.contains(&0) || after.contains(&0) {
        return Difference::Content;
    }
    if without_returns(before).eq(without_returns(after)) {
        return Difference::LineEndings;
    }
    if words(before).eq(words(after)) { Difference::Layout } else { Difference::Content }
}

/// The bytes without white space, but with one space where it parts two words: `a b` is not `ab`.
fn words(text: &[u8]) -> impl Iterator<Item = u8> {
    let is_word = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_' || byte >= 0x80;
    let (mut last, mut parted) = (0, false);
    text.iter()
        .copied()
        .flat_map(move |byte| {
            if byte.is_ascii_whitespace() {
                parted = true;
                return [None, None];
            }
            let space = parted && is_word(last) && is_word(byte);
            (last, parted) = (byte, false);
            [space.then_some(b' '), Some(byte)]
        })
        .flatten()
}

/// The bytes with every `\r\n` as `\n`.
fn without_returns(text: &[u8]) -> impl Iterator<Item = u8> {
    let next = text.iter().skip(1).map(Some).chain([None]);
    text.iter()
        .zip(next)
        .filter(|(byte, next)| (**byte, *next) != (b'\r', Some(&b'\n')))
        .map(|(byte, _)| *byte)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(before: &str, after: &str, expected: Difference) {
        assert_eq!(difference(before.as_bytes(), after.as_bytes()), expected, "{before:?}");
        assert_eq!(difference(after.as_bytes(), before.as_bytes()), expected, "{after:?}");
    }

    /// CX-10: line endings, layout and content are told apart, in both directions.
    #[test]
    fn texts_differ_in_degrees() {
        check("a\nb\n", "a\nb\n", Difference::None);
        check("a\nb\n", "a\r\nb\r\n", Difference::LineEndings);
        check("a\nb\n", "a\r\nb\n", Difference::LineEndings);
        check("a\n", "a\r\r\n", Difference::Layout);
        check("a b\n", "a  b\n", Difference::Layout);
        check("a\nb\n", "a\n\n\tb", Difference::Layout);
        check("if x {\ny }", "if x { y\n}\n", Difference::Layout);
        check("if(x)", "if ( x )", Difference::Layout);
        check("a b", "ab", Difference::Content);
        check("a\n", "b\n", Difference::Content);
        check("a\0\n", "a\0\r\n", Difference::Content);
        check("", "\n", Difference::Layout);
        check("", "a", Difference::Content);
    }
}
