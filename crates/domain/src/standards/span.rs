//! The lines of a section.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::id::IdError;

/// Lines of a document, from the first to the last, both included: `L42-L89`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct LineSpan {
    pub first: usize,
    pub last: usize,
}

impl fmt::Display for LineSpan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "L{}-L{}", self.first, self.last)
    }
}

impl FromStr for LineSpan {
    type Err = IdError;

    fn from_str(text: &str) -> Result<Self, IdError> {
        let line = |part: &str| part.strip_prefix('L')?.parse().ok().filter(|line| *line > 0);
        text.split_once('-')
            .and_then(|(first, last)| Some(Self { first: line(first)?, last: line(last)? }))
            .filter(|span| span.first <= span.last && span.to_string() == text)
            .ok_or_else(|| IdError::new("a span of lines (as in L42-L89)", text))
    }
}

impl TryFrom<String> for LineSpan {
    type Error = IdError;

    fn try_from(text: String) -> Result<Self, IdError> {
        text.parse()
    }
}

impl From<LineSpan> for String {
    fn from(span: LineSpan) -> Self {
        span.to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// CX-03: spans are written as in addresses, and read back.
    #[test]
    fn spans_are_written_one_way() {
        for text in ["L1-L1", "L42-L89"] {
            assert_eq!(text.parse::<LineSpan>().unwrap().to_string(), text);
        }
        for text in ["", "L1", "1-2", "L2-L1", "L0-L1", "L+1-L2", "L01-L2", "L1-L2 "] {
            assert!(text.parse::<LineSpan>().is_err(), "{text}");
        }
    }
}
