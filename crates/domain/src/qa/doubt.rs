//! Why a report may not be the whole truth.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// One reason not to believe a report, or not all of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Doubt {
    pub kind: DoubtKind,
    /// Where in the text, counted from 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line: Option<u64>,
    pub words: String,
}

#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum DoubtKind {
    /// The text stops before the runner's own end, or begins after its beginning.
    Cut,
    /// The runner says that it stopped early, or that it couldn't run at all.
    Stopped,
    /// What is summed up is not what is listed.
    Contradiction,
    /// The runner counts more tests than it lists, and none of those that it doesn't list failed.
    Surplus,
    /// The runner printed another account than its report holds.
    Rewritten,
    /// Words of the runner where it says none: a test may have printed them.
    Stray,
    /// Words of the runner with characters in them that nobody sees.
    Disguised,
    /// Something that should be understood is not.
    Unreadable,
    /// Parts of the text are in another format, and were not read.
    OtherFormat,
    /// One of several runs ran no test.
    Empty,
    /// There is more than is kept.
    TooMany,
    /// A test is listed more than once, and nobody said that it was run again.
    Duplicate,
    /// The text holds more than one run.
    SeveralRuns,
    /// Bytes that are no text were replaced.
    NotUtf8,
}

impl DoubtKind {
    /// Whether no pass can rest on a report with this doubt.
    pub fn is_grave(self) -> bool {
        !matches!(self, Self::Duplicate | Self::SeveralRuns | Self::NotUtf8)
    }
}

impl fmt::Display for Doubt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.line {
            Some(line) => write!(f, "line {line}: {}", self.words),
            None => f.write_str(&self.words),
        }
    }
}
