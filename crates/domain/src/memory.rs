//! Memories: texts with a name, and whether a second place for them answers.

mod backend;
mod event;

use std::fmt;
use std::str::FromStr;

use crate::id::IdError;
use crate::ledger::Stream;

pub use backend::{Backend, Cause};
pub use event::MemoryEvent;

/// The longest text of a memory, in bytes.
pub const MAX_TEXT: usize = 1024 * 1024;

/// The name of a memory, such as `design/api`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct MemoryName(String);

impl MemoryName {
    /// The longest name: its stream is named after it.
    pub const MAX: usize = Stream::MAX - "memory/".len();

    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Whether the memory is worked out from the ledger, and is nobody's to write or delete.
    pub fn is_derived(&self) -> bool {
        self.0.starts_with('_')
    }

    /// The stream of the memory's events.
    pub fn stream(&self) -> Result<Stream, IdError> {
        format!("memory/{}", self.0).parse()
    }
}

impl fmt::Display for MemoryName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl FromStr for MemoryName {
    type Err = IdError;

    fn from_str(text: &str) -> Result<Self, IdError> {
        let plain = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-' | b'.');
        let is_part = |part: &str| {
            !part.is_empty() && part.bytes().all(plain) && !part.contains("..") && part != "."
        };
        if text.len() <= Self::MAX && text.split('/').all(is_part) {
            return Ok(Self(text.to_owned()));
        }
        Err(IdError::new(
            "the name of a memory (letters, digits, '_', '-', '.' and '/', at most 193)",
            text,
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// WL-13: names are plain, and none leads out of its folder.
    #[test]
    fn names_are_plain() {
        let longest = "n".repeat(MemoryName::MAX);
        let session = "_worklog/20261116_101500_001";
        for name in ["a", "design/api", "v1.2_x-Y", ".hidden", session, &longest] {
            let parsed: MemoryName = name.parse().unwrap();
            assert_eq!(parsed.to_string(), name);
            assert_eq!(parsed.stream().unwrap().as_str(), format!("memory/{name}"));
        }
        let too_long = "n".repeat(MemoryName::MAX + 1);
        for name in
            ["", "/", "/a", "a/", "a//b", ".", "..", "../a", "a/../b", "a..b", "a b", "ä", "a\n"]
        {
            assert!(name.parse::<MemoryName>().is_err(), "{name:?}");
        }
        assert!(too_long.parse::<MemoryName>().is_err());
    }

    /// WL-13: our own names are known by their first letter.
    #[test]
    fn ours_begin_with_an_underscore() {
        let is_derived = |name: &str| name.parse::<MemoryName>().unwrap().is_derived();
        assert!(is_derived("_worklog/1") && is_derived("_x"));
        assert!(!is_derived("a/_worklog") && !is_derived("a_b"));
    }
}
