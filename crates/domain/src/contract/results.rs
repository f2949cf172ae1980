//! What came of a contract, criterion by criterion.

use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::task::{Scope, TaskContract};
use crate::classify::ContractType;
use crate::id::Digest;
use crate::project::Activity;

/// How a criterion came out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Status {
    Pass,
    Fail,
    Skipped,
}

/// How a contract came out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Overall {
    Pass,
    Fail,
    /// Something is not carried out yet.
    Pending,
    /// Nothing was to be verified, and nothing was.
    Advisory,
}

/// What came of one criterion.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct CriterionResult {
    /// Its place in the contract, counted from one.
    pub criterion: u32,
    #[schemars(with = "String")]
    pub activity: Activity,
    pub status: Status,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    pub attempts: u32,
    #[schemars(with = "String")]
    pub finished_at: Timestamp,
}

/// What came of a contract. It counts for that contract, task, attempt and tree alone.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Results {
    pub overall: Overall,
    pub criteria: Vec<CriterionResult>,
    #[schemars(with = "String")]
    pub contract: Digest,
    pub scope: Scope,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<String>")]
    pub completed_at: Option<Timestamp>,
}

impl TaskContract {
    /// How it came out, as far as `results` say; what belongs to another contract counts as
    /// nothing. No criteria are no pass, and neither is one that was skipped.
    pub fn overall(&self, results: &Results) -> Overall {
        if self.contract_type == ContractType::Advisory {
            return Overall::Advisory;
        }
        if results.contract != self.hash() || results.scope != self.scope {
            return Overall::Pending;
        }
        let of = |number: u32| {
            let own = results.criteria.iter().filter(|result| result.criterion == number);
            own.map(|result| result.status).next_back()
        };
        let numbers = 1..=u32::try_from(self.criteria.len()).unwrap_or(u32::MAX);
        let statuses: Vec<Option<Status>> = numbers.map(of).collect();
        let is_failed =
            |status: &Option<Status>| matches!(status, Some(Status::Fail | Status::Skipped));
        if self.unresolved().next().is_some() || statuses.iter().any(is_failed) {
            Overall::Fail
        } else if statuses.is_empty() || statuses.contains(&None) {
            Overall::Pending
        } else {
            Overall::Pass
        }
    }
}
