//! The immutable account of a task. The same input gives the same bytes on every machine:
//! sorted keys, sets in order, plain line ends, no time, no name of a person or a folder.

use serde::{Deserialize, Serialize};

use crate::id::{Digest, ObjectId};
use crate::standards::Citation;
use crate::task::QaCommand;

/// The version of the account's shape.
pub const SCHEMA_VERSION: u32 = 1;

/// What was asked for, as every role reads it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Immutable {
    pub version: u32,
    pub task_id: String,
    pub git: GitFacts,
    pub task: TaskFacts,
    /// The roles, in the order in which they work.
    pub roles: Vec<String>,
    pub standards_citations: Vec<Citation>,
    pub validation_baseline: Validation,
    /// The files of the task's scope, sorted.
    pub repo_paths: Vec<String>,
}

/// Where the task began.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GitFacts {
    /// The commit, if there was one.
    pub head: Option<ObjectId>,
    /// The digest of the task file with plain line ends.
    pub task_file_sha: Digest,
}

/// The task file's own words, normalised.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TaskFacts {
    pub title: String,
    pub priority: String,
    pub area: String,
    pub description: String,
    pub scope_in: Vec<String>,
    pub scope_out: Vec<String>,
    /// In the author's order: it may carry meaning.
    pub acceptance_criteria: Vec<String>,
}

/// The commands that are to be run, in the author's order.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Validation {
    pub commands: Vec<QaCommand>,
}

/// Why stored bytes are no account that we can use.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum AccountError {
    #[error("its version is {found}; this program knows version {SCHEMA_VERSION}")]
    Version { found: String },
    #[error("it can't be read: {0}")]
    Shape(String),
}

impl Immutable {
    /// The bytes of the account.
    pub fn to_bytes(&self) -> Result<Vec<u8>, serde_json::Error> {
        super::manifest::serialized(self)
    }

    /// Reads an account, of a version that is known.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, AccountError> {
        let shape = |error: serde_json::Error| AccountError::Shape(error.to_string());
        let value: serde_json::Value = serde_json::from_slice(bytes).map_err(shape)?;
        let version = &value["version"];
        if version.as_u64() != Some(u64::from(SCHEMA_VERSION)) {
            return Err(AccountError::Version { found: version.to_string() });
        }
        serde_json::from_value(value).map_err(shape)
    }
}
