//! Paths as text that loses nothing.
//!
//! Git's paths are bytes. Most are plain text and stay as they are; a backslash, a control
//! character and a byte that is no UTF-8 are escaped, so that every path has exactly one text,
//! on one line, and the text leads back to the path.

use std::ffi::OsStr;
use std::fmt::{self, Write as _};
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::id::IdError;

/// A path as bytes, written as text: `src/main.rs`, `odd\xff name`, `two\nlines`.
#[derive(Clone, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct PathText(Vec<u8>);

impl PathText {
    pub fn new(bytes: impl Into<Vec<u8>>) -> Self {
        Self(bytes.into())
    }

    pub fn as_bytes(&self) -> &[u8] {
        &self.0
    }

    pub fn as_path(&self) -> &Path {
        Path::new(OsStr::from_bytes(&self.0))
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether this is `other` or lies below it.
    pub fn is_within(&self, other: &Self) -> bool {
        other.is_empty()
            || self
                .0
                .strip_prefix(other.as_bytes())
                .is_some_and(|rest| matches!(rest, [] | [b'/', ..]))
    }
}

impl From<&Path> for PathText {
    fn from(path: &Path) -> Self {
        Self(path.as_os_str().as_bytes().to_vec())
    }
}

impl From<&str> for PathText {
    /// Takes the bytes as they are, without reading escapes; see [`PathText::from_str`].
    fn from(text: &str) -> Self {
        Self(text.as_bytes().to_vec())
    }
}

impl fmt::Display for PathText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for chunk in self.0.utf8_chunks() {
            for letter in chunk.valid().chars() {
                match letter {
                    '\\' => f.write_str("\\\\")?,
                    '\n' => f.write_str("\\n")?,
                    '\t' => f.write_str("\\t")?,
                    '\r' => f.write_str("\\r")?,
                    control if control.is_ascii_control() => {
                        write!(f, "\\x{:02x}", u32::from(control))?;
                    }
                    other => f.write_char(other)?,
                }
            }
            for byte in chunk.invalid() {
                write!(f, "\\x{byte:02x}")?;
            }
        }
        Ok(())
    }
}

impl fmt::Debug for PathText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "\"{self}\"")
    }
}

impl FromStr for PathText {
    type Err = IdError;

    fn from_str(text: &str) -> Result<Self, IdError> {
        let wrong = || IdError::new("a path as this program writes it", text);
        let path = Self(unescaped(text.as_bytes()).ok_or_else(wrong)?);
        // One path has one text, so that digests of what names it are the same everywhere.
        if path.to_string() == text { Ok(path) } else { Err(wrong()) }
    }
}

impl TryFrom<String> for PathText {
    type Error = IdError;

    fn try_from(text: String) -> Result<Self, IdError> {
        text.parse()
    }
}

impl From<PathText> for String {
    fn from(path: PathText) -> Self {
        path.to_string()
    }
}

fn unescaped(text: &[u8]) -> Option<Vec<u8>> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.iter().copied();
    while let Some(byte) = rest.next() {
        if byte != b'\\' {
            bytes.push(byte);
            continue;
        }
        bytes.push(match rest.next()? {
            b'\\' => b'\\',
            b'n' => b'\n',
            b't' => b'\t',
            b'r' => b'\r',
            b'x' => 16 * digit(rest.next()?)? + digit(rest.next()?)?,
            _ => return None,
        });
    }
    Some(bytes)
}

fn digit(byte: u8) -> Option<u8> {
    match byte {
        b'0'..=b'9' => Some(byte - b'0'),
        b'a'..=b'f' => Some(byte - b'a' + 10),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[track_caller]
    fn check(bytes: &[u8], text: &str) {
        let path = PathText::new(bytes);
        assert_eq!(path.to_string(), text);
        assert_eq!(text.parse::<PathText>().unwrap(), path);
    }

    /// CX-09: every name has one text that leads back to it.
    #[test]
    fn names_become_text_and_come_back() {
        check(b"src/main.rs", "src/main.rs");
        check("grün/日本".as_bytes(), "grün/日本");
        check(b"odd\xff name", "odd\\xff name");
        check(b"two\nlines\t\r", "two\\nlines\\t\\r");
        check(b"back\\slash\\x41", "back\\\\slash\\\\x41");
        check(b"\x01\x7f", "\\x01\\x7f");
        check(b"", "");
    }

    #[test]
    fn other_texts_are_refused() {
        for text in ["\\", "\\q", "\\x4", "\\x41", "\\xFF", "a\nb", "\\xc3\\xbc"] {
            assert!(text.parse::<PathText>().is_err(), "{text:?}");
        }
    }

    #[test]
    fn what_lies_below_is_known() {
        let check = |path: &str, other: &str, expected: bool| {
            assert_eq!(PathText::from(path).is_within(&PathText::from(other)), expected);
        };
        check("a/b", "a", true);
        check("a", "a", true);
        check("ab", "a", false);
        check("ab", "", true);
    }

    proptest! {
        /// CX-09: the same for whatever bytes a file system allows.
        #[test]
        fn any_bytes_come_back(bytes: Vec<u8>) {
            let path = PathText::new(bytes);
            let json = serde_json::to_string(&path).unwrap();
            prop_assert_eq!(serde_json::from_str::<PathText>(&json).unwrap(), path);
        }

        #[test]
        fn any_text_is_read_or_refused(text: String) {
            if let Ok(path) = text.parse::<PathText>() {
                prop_assert_eq!(path.to_string(), text);
            }
        }
    }
}
