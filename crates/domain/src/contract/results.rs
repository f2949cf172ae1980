//! What came of a contract, criterion by criterion.

use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::task::{Scope, TaskContract};
use crate::classify::ContractType;
use crate::id::{Digest, ObjectId};
use crate::project::Activity;
use crate::stamp::Stamp;
use crate::verify::{Level, Verdict};

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
    /// How often it was run under this contract, over all verifications.
    pub attempts: u32,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<String>")]
    pub started_at: Option<Timestamp>,
    #[schemars(with = "String")]
    pub finished_at: Timestamp,
    /// How hard the result is to fool.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<String>")]
    pub level: Option<Level>,
    /// The beginning and the end of what a criterion that failed has printed.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub output: String,
    /// What it rests on.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(with = "Vec<String>")]
    pub receipts: Vec<Digest>,
    /// What a person said, where only a person can judge.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reviewed: Option<Reviewed>,
}

impl CriterionResult {
    /// The same, with what was said to it as its result.
    #[must_use]
    pub fn answered(mut self) -> Self {
        if let Some(said) = &self.reviewed {
            self.status = if said.is_accepted { Status::Pass } else { Status::Fail };
            self.error = (!said.is_accepted).then(|| said.words());
        }
        self
    }
}

/// What a person said to a criterion that only a reader can judge.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Reviewed {
    pub is_accepted: bool,
    pub by: String,
    pub at: String,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub note: String,
    /// The verification that was looked at.
    #[schemars(with = "String")]
    pub verification: Stamp,
}

impl Reviewed {
    /// Who said what, and why.
    pub fn words(&self) -> String {
        let what = if self.is_accepted { "accepted" } else { "rejected" };
        let note = if self.note.is_empty() { String::new() } else { format!(": {}", self.note) };
        format!("{what} by {} at {}{note}", self.by, self.at)
    }
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
    /// What made them: the id of a verification or a run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<String>")]
    pub made_by: Option<Stamp>,
    /// What was handed over.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<String>")]
    pub tree: Option<ObjectId>,
    /// Who did the work, as far as that was said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent: Option<String>,
    /// What else was found, beside the criteria.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub reasons: Vec<String>,
    /// What a person said to the work as a whole.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reviewed: Option<Reviewed>,
}

/// Whether a result is one of a criterion that only a reader can judge, and none has.
fn is_readers(contract: &TaskContract, result: &CriterionResult) -> bool {
    let at = usize::try_from(result.criterion).ok().and_then(|number| number.checked_sub(1));
    let criterion = at.and_then(|at| contract.criteria.get(at));
    result.status == Status::Skipped
        && criterion.is_some_and(|one| one.command.is_none() && !one.is_unresolved())
}

impl TaskContract {
    /// How it came out, as far as `results` say; what belongs to another contract counts as
    /// nothing. No criteria are no pass, and neither is one that was skipped: nobody knows yet whether
    /// it holds.
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
        if self.unresolved().next().is_some() || statuses.contains(&Some(Status::Fail)) {
            Overall::Fail
        } else if !statuses.is_empty() && statuses.iter().all(|one| *one == Some(Status::Pass)) {
            Overall::Pass
        } else {
            Overall::Pending
        }
    }
}

impl Results {
    /// How it came out, for people.
    pub fn words(&self) -> &'static str {
        let is_readers = |one: &CriterionResult| {
            one.status == Status::Skipped && one.activity == Activity::Critic
        };
        match self.overall {
            Overall::Pass => "pass",
            Overall::Fail => "fail",
            Overall::Advisory => "advisory",
            Overall::Pending if self.criteria.iter().any(is_readers) => "a person must judge",
            Overall::Pending => "not decided yet",
        }
    }

    /// Whether something is left that only a reader can judge.
    pub fn waits_for_reader(&self, contract: &TaskContract) -> bool {
        self.criteria.iter().any(|result| is_readers(contract, result))
    }

    /// Whether a person accepted the work, whatever was left open.
    pub fn is_accepted(&self) -> bool {
        self.reviewed.as_ref().is_some_and(|said| said.is_accepted)
    }

    /// What is to be done before anybody knows whether the work holds: the criteria that nothing
    /// answered yet, or else what was asked.
    pub fn waits_for(&self, contract: &TaskContract) -> Vec<String> {
        if self.overall != Overall::Pending {
            return Vec::new();
        }
        let words = |result: &CriterionResult| {
            let at = usize::try_from(result.criterion).ok()?.checked_sub(1)?;
            let why = result.error.as_deref().unwrap_or("it was not run");
            let words = contract.criteria.get(at)?.words();
            Some(format!("criterion {} ({words}): {why}", result.criterion))
        };
        let open = self.criteria.iter().filter(|result| result.status == Status::Skipped);
        let open: Vec<String> = open.filter_map(words).collect();
        if open.is_empty() { self.reasons.clone() } else { open }
    }

    /// The same with what a person said: to what only a reader can judge, and where there is no such
    /// thing, to the work as a whole.
    #[must_use]
    pub fn reviewed(mut self, contract: &TaskContract, said: &Reviewed) -> Self {
        let is_of_whole = !self.waits_for_reader(contract);
        let answer = |result: CriterionResult| {
            let is_readers = is_readers(contract, &result);
            let reviewed = if is_readers { Some(said.clone()) } else { result.reviewed.clone() };
            let result = CriterionResult { reviewed, ..result };
            if is_readers { result.answered() } else { result }
        };
        self.criteria = std::mem::take(&mut self.criteria).into_iter().map(answer).collect();
        let verdict = if said.is_accepted { Verdict::Accepted } else { Verdict::Refused };
        if said.is_accepted {
            // They were read, and answered.
            self.reasons.clear();
        } else if is_of_whole {
            self.reasons.push(said.words());
        }
        self.reviewed = Some(said.clone());
        self.conclude(contract, Some(verdict))
    }

    /// How it came out, with the verdict of the whole work: criteria may hold, and the work be
    /// refused for how they came to hold.
    pub fn conclude(mut self, contract: &TaskContract, verdict: Option<Verdict>) -> Self {
        self.overall = match (contract.overall(&self), verdict) {
            (_, Some(Verdict::Refused)) => Overall::Fail,
            (Overall::Pass, Some(Verdict::Human | Verdict::Advisory)) => Overall::Pending,
            (overall, _) => overall,
        };
        self
    }
}
