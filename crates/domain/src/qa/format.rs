//! The formats that runs of checks are told in.

use std::fmt;
use std::str::FromStr;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Whose words a text is in.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum Format {
    /// JUnit XML, whoever wrote it.
    Junit,
    /// What `jest --json` writes.
    JestJson,
    /// What `vitest --reporter=json` writes.
    VitestJson,
    /// `go test -json`, one event a line.
    GoJson,
    /// libtest's and nextest's JSON, one event a line.
    LibtestJson,
    Nextest,
    Vitest,
    Jest,
    Pytest,
    /// `node --test` as people read it.
    Node,
    Tap,
    GoTest,
    /// `cargo test` as people read it.
    Cargo,
    /// A command without tests: only its exit code counts.
    Plain,
}

impl Format {
    /// All of them; where a text could be in two, the earlier one is meant.
    pub const ALL: [Self; 14] = [
        Self::Junit,
        Self::JestJson,
        Self::VitestJson,
        Self::GoJson,
        Self::LibtestJson,
        Self::Nextest,
        Self::Vitest,
        Self::Jest,
        Self::Pytest,
        Self::Node,
        Self::Tap,
        Self::GoTest,
        Self::Cargo,
        Self::Plain,
    ];

    /// The name as it is stored and typed.
    pub fn name(self) -> &'static str {
        match self {
            Self::Junit => "junit",
            Self::JestJson => "jest_json",
            Self::VitestJson => "vitest_json",
            Self::GoJson => "go_json",
            Self::LibtestJson => "libtest_json",
            Self::Nextest => "nextest",
            Self::Vitest => "vitest",
            Self::Jest => "jest",
            Self::Pytest => "pytest",
            Self::Node => "node",
            Self::Tap => "tap",
            Self::GoTest => "go_test",
            Self::Cargo => "cargo",
            Self::Plain => "plain",
        }
    }

    /// Whether words in the other format are to be expected in this one: a runner that prints
    /// for machines often prints for people as well, and nextest shows what libtest prints.
    pub fn holds(self, other: Self) -> bool {
        matches!(
            (self, other),
            (Self::JestJson, Self::Jest)
                | (Self::VitestJson, Self::Vitest)
                | (Self::GoJson, Self::GoTest)
                | (Self::LibtestJson, Self::Nextest | Self::Cargo)
                | (Self::Nextest, Self::Cargo)
        )
    }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A name that no format has.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("there is no format `{0}`; there are {names}", names = Format::ALL.map(Format::name).join(", "))]
pub struct UnknownFormat(pub String);

impl FromStr for Format {
    type Err = UnknownFormat;

    fn from_str(text: &str) -> Result<Self, UnknownFormat> {
        let name = text.trim().to_lowercase().replace('-', "_");
        let found = Self::ALL.into_iter().find(|format| format.name() == name);
        found.ok_or_else(|| UnknownFormat(text.to_owned()))
    }
}

/// How a format was found out.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Detection {
    pub certainty: Certainty,
    /// Other formats that parts of the text are in.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub others: Vec<Format>,
}

#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum Certainty {
    /// Some lines look like it.
    Likely,
    /// It says so itself, or nothing else writes this.
    Sure,
}
