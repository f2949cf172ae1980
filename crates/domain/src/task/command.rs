//! Commands by which a task is validated.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// A command of a task's validation, with what is expected of it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct QaCommand {
    /// `val-001` and so on in the order of the file, unless the task names it.
    pub id: String,
    /// A shell command, as the user wrote it.
    pub command: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// The folder it runs in, from the root of the repository.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cwd: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub package: Option<String>,
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub env: BTreeMap<String, String>,
    /// What must be there afterwards.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub expected_paths: Vec<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub blocker_id: Option<String>,
    pub timeout_ms: u64,
    pub retry: Retry,
    pub criticality: Criticality,
    /// The codes that count as passed; sorted.
    pub expected_exit_codes: Vec<u8>,
}

impl QaCommand {
    pub const DEFAULT_TIMEOUT_MS: u64 = 120_000;
    pub const MIN_TIMEOUT_MS: u64 = 1_000;
    pub const MAX_TIMEOUT_MS: u64 = 3_600_000;
}

/// How often a command may be tried.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Retry {
    /// 1 to 5.
    pub max_attempts: u32,
    pub backoff_ms: u64,
}

/// How much a command's failure weighs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Criticality {
    Required,
    Recommended,
    Optional,
}
