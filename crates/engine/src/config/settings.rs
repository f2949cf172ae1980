//! The settings as types.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// All settings, resolved.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Config {
    pub run: RunConfig,
    pub exec: ExecConfig,
    pub ledger: LedgerConfig,
    pub classify: ClassifyConfig,
}

/// How runs go.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RunConfig {
    /// How many times a worker may try.
    #[schemars(range(min = 1, max = 100))]
    pub attempts: u32,
    /// How long one attempt may take, in seconds.
    #[schemars(range(min = 1))]
    pub worker_seconds: u64,
    /// How long one check may take, in seconds.
    #[schemars(range(min = 1))]
    pub check_seconds: u64,
}

/// How other programs are run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ExecConfig {
    /// Environment variables that workers and checks get.
    pub env: Vec<String>,
    /// Environment variables that only workers get, such as an agent's API key.
    pub worker_env: Vec<String>,
    /// A program that writes more output than this is stopped.
    pub output_bytes: u64,
    /// How long a program may take to end after it was asked to, in seconds.
    pub grace_seconds: u64,
}

/// How the ledger is kept.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LedgerConfig {
    /// What an acknowledged entry survives.
    pub durability: Durability,
    /// How long to wait for other writers, in seconds.
    pub busy_seconds: u64,
}

impl Default for LedgerConfig {
    fn default() -> Self {
        Self { durability: Durability::PowerLoss, busy_seconds: 10 }
    }
}

/// What an acknowledged entry survives.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Durability {
    PowerLoss,
    ProcessDeath,
}

/// What a project adds to what the classifier knows.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ClassifyConfig {
    /// Words by class: `money = ["tariff", "toll"]`.
    #[serde(default)]
    pub terms: BTreeMap<String, Vec<String>>,
    /// Further floors, such as `risk HIGH if change & money`.
    pub rules: Vec<String>,
}
