//! The settings as types.

use std::collections::BTreeMap;

use super::dollars::Dollars;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::agents::AgentsConfig;

/// All settings, resolved.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Config {
    pub run: RunConfig,
    pub exec: ExecConfig,
    pub ledger: LedgerConfig,
    pub classify: ClassifyConfig,
    pub worklog: WorklogConfig,
    pub memory: MemoryConfig,
    pub context: ContextConfig,
    pub verify: VerifyConfig,
    pub project: ProjectConfig,
    pub contract: ContractConfig,
    pub plan: PlanConfig,
    pub budget: BudgetConfig,
    pub agents: AgentsConfig,
}

/// What agents may spend. 0 is no cap.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct BudgetConfig {
    /// What each role may spend in one attempt, in dollars.
    pub attempt_dollars: Dollars,
    /// What all agents of a run may spend, in dollars.
    pub run_dollars: Dollars,
    /// What all runs in this repository may spend in a day, in dollars.
    pub day_dollars: Dollars,
    /// The same three in tokens.
    pub attempt_tokens: u64,
    pub run_tokens: u64,
    pub day_tokens: u64,
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
    /// How long an agent may say nothing before it is ended and started again, in seconds.
    #[schemars(range(min = 1))]
    pub stale_seconds: u64,
    /// How often verifiers may disagree before a person decides.
    #[schemars(range(min = 1, max = 20))]
    pub consensus_rounds: u32,
    /// Within how many hours questions want an answer; 0 is no such time.
    #[schemars(range(max = 87600))]
    pub answer_hours: u32,
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

/// How worklogs are kept.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct WorklogConfig {
    /// What happens to an agent's call when we fail ourselves.
    pub on_failure: OnFailure,
    /// The tiers in which an agent may not stop with open todos or failing tests.
    pub gate: Vec<String>,
    /// How often it is told so after one prompt, at most.
    #[schemars(range(max = 8))]
    pub gate_most: u32,
    /// The tiers in which todo lists are checked against the agent's own.
    pub verify: Vec<String>,
    /// How earlier work is restored, as it is told to people; {session} stands for its id.
    pub restore_command: String,
    /// Further commands that run tests, such as `bin/check`.
    pub test_commands: Vec<String>,
    /// Sessions that nothing ended are abandoned after this many hours.
    #[schemars(range(min = 1))]
    pub abandon_hours: u32,
    /// The most sessions that keep their entries at hand.
    #[schemars(range(min = 1))]
    pub sessions: u32,
    /// How long archived entries are kept, in days.
    pub archive_days: u32,
    /// How long the summaries of days are kept, in days.
    pub summary_days: u32,
    /// Tiers by tool or action: `Edit = ["STRICT"]`.
    #[serde(default)]
    pub significance: BTreeMap<String, Vec<String>>,
}

impl Default for WorklogConfig {
    fn default() -> Self {
        Self {
            on_failure: OnFailure::Open,
            gate: vec!["STRICT".into()],
            gate_most: 1,
            verify: vec!["STRICT".into()],
            restore_command: "countersign worklog restore {session}".into(),
            test_commands: Vec::new(),
            abandon_hours: 24,
            sessions: 50,
            archive_days: 90,
            summary_days: 30,
            significance: BTreeMap::new(),
        }
    }
}

/// What happens to an agent's call when we fail ourselves.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum OnFailure {
    /// It goes on.
    Open,
    /// It is blocked.
    Closed,
}

/// Where memories are kept besides the ledger.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct MemoryConfig {
    /// Whether worklogs are also published to a server.
    pub backend: MemoryBackend,
    /// How that server is started, in the root of the repository.
    pub serena_command: Vec<String>,
    /// How long each of its answers may take, in seconds; the first three times as long.
    #[schemars(range(min = 1, max = 600))]
    pub timeout_seconds: u64,
}

/// Where memories are kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum MemoryBackend {
    /// In the ledger.
    Local,
    /// In the ledger, and worklogs with a Serena server too.
    Serena,
}

/// How work is verified.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct VerifyConfig {
    /// Whether checks are confined where the machine can do that.
    pub sandbox: bool,
    /// Whether confined checks have a network.
    pub network: bool,
    /// Findings of gaming that are allowed: the rule, globs, and behind a colon the reason.
    pub allow: Vec<String>,
    /// Files that work must leave alone, as globs.
    pub protected: Vec<String>,
}

/// How tasks and their contexts are kept.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ContextConfig {
    /// The folder of the task files.
    pub tasks: String,
    /// The file that says which standards bind which tasks.
    pub standards: String,
    /// The file with names for groups of files.
    pub scopes: String,
    /// The roles of a task that names none, in order.
    pub roles: Vec<String>,
    /// Ignored files that are not watched, as globs.
    pub unwatched: Vec<String>,
    /// How long to wait for another process that works on the same task, in seconds.
    #[schemars(range(min = 1, max = 600))]
    pub lock_seconds: u64,
    /// How long the trees of a purged context are kept, in days.
    pub retention_days: u32,
    /// Commands of tools whose doing is named as theirs, by glob: `"*.rs" = "rustfmt"`.
    #[serde(default)]
    pub formatters: BTreeMap<String, String>,
}

/// What a project says about itself, over what is found.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ProjectConfig {
    /// Activities that the project or a folder has none of, such as `e2e` or `web:typecheck`.
    pub without: Vec<String>,
    /// Folders that are no parts of the project, as globs.
    pub ignore: Vec<String>,
    /// Commands by activity, or by folder and activity: `"web:unit" = "pnpm test"`.
    #[serde(default)]
    pub commands: BTreeMap<String, String>,
}

/// How contracts are made.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ContractConfig {
    /// The file with the project's own activity rules.
    pub rules: String,
    /// Whether a person is asked before advisory work goes ahead.
    pub ask_advisory: bool,
}

/// How plans are kept.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PlanConfig {
    /// The folder of the plans, each in a folder of its own.
    pub folder: String,
}
