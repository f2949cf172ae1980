//! What keeps a text from being read at all.

use std::fmt;

use countersign_domain::qa::Format;

/// A text that can't be understood: where, why, and what to do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mistake {
    /// The format it was read as.
    pub format: Option<Format>,
    /// Counted from 1.
    pub line: Option<u64>,
    pub column: Option<u64>,
    pub words: String,
    pub advice: String,
}

impl Mistake {
    pub(super) fn new(format: Option<Format>, words: impl Into<String>, advice: &str) -> Self {
        let (line, column) = (None, None);
        Self { format, line, column, words: words.into(), advice: advice.to_owned() }
    }

    pub(super) fn at(mut self, line: u64, column: u64) -> Self {
        (self.line, self.column) = (Some(line), Some(column));
        self
    }
}

impl fmt::Display for Mistake {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.format {
            Some(format) => write!(f, "the report can't be read as {format}")?,
            None => f.write_str("the report can't be read")?,
        }
        match (self.line, self.column) {
            (Some(line), Some(column)) => write!(f, ", line {line} column {column}")?,
            (Some(line), None) => write!(f, ", line {line}")?,
            _ => {}
        }
        write!(f, ": {}; {}", self.words, self.advice)
    }
}

impl std::error::Error for Mistake {}
