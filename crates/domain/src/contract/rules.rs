//! Activity rules: what a change calls for, by the files it touches and the lines it adds.
//!
//! The shipped rules are data (`data/contract/activities.yaml`); a project's own file goes over
//! them, glob by glob.

mod late;
mod read;
mod resolve;

use std::sync::OnceLock;

use globset::{GlobMatcher, GlobSet};
use regex::bytes::Regex;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::mistake::{Mistake, Place};
use late::Late;

pub use resolve::{Called, Calls, Change, Hit};

/// When an activity is done: with the task, or at the end of a batch of tasks.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "lowercase")]
pub enum Timing {
    Deferred,
    Immediate,
}

/// Files that are looked at for what they are, wherever they lie.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    Docs,
    Config,
    Tests,
    Ci,
    Lock,
}

impl Kind {
    /// Whether such a file has no part in how the program behaves or is tested.
    fn is_plain(self) -> bool {
        matches!(self, Self::Docs | Self::Config | Self::Ci)
    }
}

/// What a rule says about e2e tests.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum E2e {
    Skip,
    Run(Timing),
}

/// What one rule says.
#[derive(Debug, Clone, Default)]
struct Says {
    unit: Option<bool>,
    e2e: Option<E2e>,
    critics: Vec<String>,
    kind: Option<Kind>,
    reason: String,
}

/// Where a rule stands.
#[derive(Debug, Clone, PartialEq, Eq)]
struct At {
    file: String,
    place: Place,
}

/// A glob of files and what it calls for.
#[derive(Debug, Clone)]
struct FileRule {
    glob: String,
    says: Says,
    at: At,
}

/// An expression on added lines and what it calls for.
#[derive(Debug, Clone)]
struct LineRule {
    pattern: String,
    expression: Late<Regex>,
    within: Option<Late<GlobMatcher>>,
    says: Says,
    at: At,
}

/// What a change as a whole calls for.
#[derive(Debug, Clone)]
struct AcrossRule {
    name: String,
    at_least: usize,
    within: Option<Late<GlobMatcher>>,
    says: Says,
    at: At,
}

/// All rules that hold.
#[derive(Debug, Clone)]
pub struct Rules {
    unit: bool,
    e2e: E2e,
    defaults_at: At,
    files: Vec<FileRule>,
    globs: GlobSet,
    lines: Vec<LineRule>,
    across: Vec<AcrossRule>,
}

/// What the shipped file is called in messages.
const SHIPPED: &str = "activities.yaml (shipped)";

impl Rules {
    /// The file of the rules that come with the program.
    pub fn shipped_text() -> &'static str {
        include_str!("../../data/contract/activities.yaml")
    }

    /// The rules that come with the program.
    pub fn shipped() -> &'static Self {
        static SHIPPED_RULES: OnceLock<Rules> = OnceLock::new();
        SHIPPED_RULES.get_or_init(|| {
            let text = Self::shipped_text();
            // A test reads the file; what is wrong with it can't reach anybody.
            read::read(None, SHIPPED, text).unwrap_or_else(|_| Self::none())
        })
    }

    /// The shipped rules with those of a project over them; `file` is what its file is called.
    pub fn with_project(file: &str, text: &str) -> Result<Self, Vec<Mistake>> {
        read::read(Some(Self::shipped()), file, text)
    }

    fn none() -> Self {
        Self {
            unit: true,
            e2e: E2e::Run(Timing::Deferred),
            defaults_at: At { file: SHIPPED.to_owned(), place: Place::START },
            files: Vec::new(),
            globs: GlobSet::empty(),
            lines: Vec::new(),
            across: Vec::new(),
        }
    }
}
