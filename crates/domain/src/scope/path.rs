//! Paths in a repository: bytes, with a text for each that can be read back.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::id::IdError;

/// A path from the root of the repository, with `/` between its parts, in any encoding.
///
/// As text it is itself; where that could not be read back or would disturb a terminal, it is
/// quoted as git does it: `"caf\303\251\377"`. The order is that of the bytes.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct RepoPath(Vec<u8>);

impl RepoPath {
    pub fn new(bytes: impl Into<Vec<u8>>) -> Self {
        Self(bytes.into())
    }

    pub fn as_bytes(&self) -> &[u8] {
        &self.0
    }

    /// The path, if it is UTF-8.
    pub fn to_str(&self) -> Option<&str> {
        str::from_utf8(&self.0).ok()
    }
}

impl From<&str> for RepoPath {
    fn from(path: &str) -> Self {
        Self::new(path)
    }
}

impl fmt::Display for RepoPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let plain = |letter: char| !letter.is_control() && letter != '"' && letter != '\\';
        if let Some(text) = self.to_str().filter(|text| text.chars().all(plain)) {
            return f.write_str(text);
        }
        f.write_str("\"")?;
        for byte in &self.0 {
            match byte {
                b'"' | b'\\' => write!(f, "\\{}", char::from(*byte))?,
                b' '..=b'~' => write!(f, "{}", char::from(*byte))?,
                _ => write!(f, "\\{byte:03o}")?,
            }
        }
        f.write_str("\"")
    }
}

impl fmt::Debug for RepoPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl FromStr for RepoPath {
    type Err = IdError;

    fn from_str(text: &str) -> Result<Self, IdError> {
        match text.strip_prefix('"') {
            None => Ok(Self::new(text)),
            Some(quoted) => quoted
                .strip_suffix('"')
                .and_then(unquoted)
                .ok_or_else(|| IdError::new("a path in quotes, as git writes it", text)),
        }
    }
}

fn unquoted(text: &str) -> Option<RepoPath> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let [first, after @ ..] = rest {
        rest = after;
        let byte = match (first, after) {
            (b'\\', [b'"' | b'\\', after @ ..]) => {
                rest = after;
                text.as_bytes()[text.len() - after.len() - 1]
            }
            (b'\\', [a @ b'0'..=b'3', b @ b'0'..=b'7', c @ b'0'..=b'7', after @ ..]) => {
                rest = after;
                (a - b'0') * 64 + (b - b'0') * 8 + (c - b'0')
            }
            (b'"' | b'\\', _) => return None,
            (byte, _) => *byte,
        };
        bytes.push(byte);
    }
    Some(RepoPath(bytes))
}

impl TryFrom<String> for RepoPath {
    type Error = IdError;

    fn try_from(text: String) -> Result<Self, IdError> {
        text.parse()
    }
}

impl From<RepoPath> for String {
    fn from(path: RepoPath) -> Self {
        path.to_string()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[track_caller]
    fn check(path: &[u8], text: &str) {
        assert_eq!(RepoPath::new(path).to_string(), text);
        assert_eq!(text.parse::<RepoPath>().unwrap().as_bytes(), path);
    }

    /// CX-02: paths that are not UTF-8 are kept.
    #[test]
    fn paths_have_a_text_that_can_be_read_back() {
        check(b"src/main.rs", "src/main.rs");
        check("docs/müde räder.md".as_bytes(), "docs/müde räder.md");
        check(b"caf\xe9", r#""caf\351""#);
        check(b"a\"b", r#""a\"b""#);
        check(b"a\\b", r#""a\\b""#);
        check(b"a\nb", r#""a\012b""#);
        for bad in [r#"""#, r#""a"#, r#""a\""#, r#""\9""#, r#""\400""#, r#""a"b""#] {
            assert!(bad.parse::<RepoPath>().is_err(), "{bad}");
        }
    }

    proptest! {
        #[test]
        fn any_path_comes_back(bytes: Vec<u8>) {
            let path = RepoPath::new(bytes);
            prop_assert_eq!(path.to_string().parse::<RepoPath>().unwrap(), path);
        }
    }
}
