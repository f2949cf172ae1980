//! What a test-spec says that a command prints, and what it printed.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::evidence::Answered;

/// How much of an output is told.
const MOST: usize = 200;

/// A row of a test-spec.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SpecRow {
    /// Such as `US-001`.
    pub story: String,
    /// Such as `AC1`.
    pub criterion: String,
    pub test: String,
}

impl fmt::Display for SpecRow {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {} '{}'", self.story, self.criterion, self.test)
    }
}

/// Rows of a test-spec whose command printed something else.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Unexpected {
    pub rows: Vec<SpecRow>,
    pub command: String,
    /// Both shortened.
    pub expected: String,
    pub got: String,
}

impl Unexpected {
    /// What an answer has against it, if rows of a test-spec expect another.
    pub fn of(answered: &Answered) -> Option<Self> {
        let example = &answered.example;
        if answered.is_right() || example.rows.is_empty() {
            return None;
        }
        Some(Self {
            rows: example.rows.clone(),
            command: example.command.clone(),
            expected: short(example.prints.trim()),
            got: said(answered),
        })
    }
}

impl fmt::Display for Unexpected {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let rows: Vec<String> = self.rows.iter().map(ToString::to_string).collect();
        let (command, expected, got) = (&self.command, &self.expected, &self.got);
        let rows = rows.join(", ");
        write!(f, "{rows}: `{command}` must print {expected:?}, as the test-spec says: {got}")?;
        // Where a line is shown, runs of white space are one space.
        let close = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
        let is_spacing = close(got) == close(&format!("it printed {expected:?}"));
        f.write_str(if is_spacing { " (only white space differs)" } else { "" })
    }
}

/// What the code said, in words.
pub(super) fn said(answered: &Answered) -> String {
    if answered.ended.passed() {
        format!("it printed {:?}", short(answered.printed.trim()))
    } else {
        answered.ended.to_string()
    }
}

fn short(text: &str) -> String {
    let mut short: String = text.chars().take(MOST).collect();
    if short.len() < text.len() {
        short.push('…');
    }
    short
}
