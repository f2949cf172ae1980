//! The contract of a task: what "done" means, fixed before the work and named by its hash.
//!
//! Each version names the one before it. It holds for one task, one attempt and one tree; a result
//! for anything else is refused.

use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::predict::Expected;
use super::rules::{Hit, Timing};
use crate::classify::{ContractType, Label as _, Risk, Tier};
use crate::id::{Digest, ObjectId};
use crate::project::{Activity, Evidence};
use crate::verify::Example;

/// Who a contract comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum GeneratedFrom {
    /// Worked out from the words and the repository.
    Auto,
    /// Written or changed by a person.
    User,
    /// Taken from a plan of several tasks.
    Prd,
}

/// What a contract holds for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Scope {
    /// The task's id.
    pub task: String,
    /// Counted from one.
    pub attempt: u32,
    /// The tree that the work starts from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<String>")]
    pub tree: Option<ObjectId>,
    /// The commit that the work starts from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<String>")]
    pub commit: Option<ObjectId>,
}

/// Why a criterion is there, or why it has the command that it has.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", tag = "by")]
pub enum Why {
    /// It holds for every contract of this type.
    Always { text: String },
    /// A rule calls for it.
    Rule(Hit),
    /// A line of the repository says how it is done.
    Detected { file: String, line: usize, text: String },
    /// The real diff called for it, and the contract did not have it.
    Diff(Hit),
}

impl From<&Evidence> for Why {
    fn from(found: &Evidence) -> Self {
        let Evidence { file, line, text } = found.clone();
        Self::Detected { file, line, text }
    }
}

/// One thing that must hold.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Criterion {
    #[schemars(with = "String")]
    pub activity: Activity,
    pub description: String,
    /// The files or names that it is about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pattern: Option<String>,
    pub timing: Timing,
    /// A shell command; nothing for a critic, and where the repository has none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub command: Option<String>,
    /// Where the command is run, from the root of the repository.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub folder: String,
    /// The critic, where the activity is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub critic: Option<String>,
    /// Whether the real diff called for it, after the contract was made.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub amended: bool,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub why: Vec<Why>,
}

impl Criterion {
    /// Two criteria with the same key are one.
    pub fn key(&self) -> (Activity, Option<&str>, Option<&str>, &str) {
        (self.activity, self.critic.as_deref(), self.command.as_deref(), &self.folder)
    }

    /// It in a few words, for people.
    pub fn words(&self) -> String {
        let name = self.critic.as_deref().map(|critic| format!("critic {critic}"));
        let name = name.unwrap_or_else(|| self.activity.to_string());
        format!("{name}: {}", self.description)
    }

    /// What whoever judges it is asked, where that is a reader.
    pub fn questions(&self) -> &'static [&'static str] {
        self.critic.as_deref().map(super::critics::questions).unwrap_or_default()
    }

    /// Whether it can't be carried out: it is to be run, and there is nothing to run.
    pub fn is_unresolved(&self) -> bool {
        self.activity.is_run() && self.command.is_none()
    }
}

/// What "done" means for one task.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct TaskContract {
    #[serde(rename = "type")]
    #[schemars(with = "String")]
    pub contract_type: ContractType,
    pub criteria: Vec<Criterion>,
    pub generated_from: GeneratedFrom,
    #[schemars(with = "String")]
    pub generated_at: Timestamp,
    /// The task in words.
    pub task: String,
    #[schemars(with = "String")]
    pub tier: Tier,
    #[schemars(with = "String")]
    pub risk: Risk,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub expected_files: Vec<Expected>,
    /// What was left out or assumed, in words.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
    pub scope: Scope,
    /// Counted from one.
    pub version: u32,
    /// The hash of the version before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<String>")]
    pub previous: Option<Digest>,
    /// Questions to the code, with the answers that are right.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub examples: Vec<Example>,
}

/// Why a contract can't be agreed on.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Unfit {
    #[error("the task is empty")]
    NoTask,
    #[error("a {0} contract has no criteria, so nothing could be verified")]
    NoCriteria(&'static str),
    #[error("an advisory contract has criteria, and nothing of it is verified")]
    Criteria,
    #[error("criterion {0} ({1}) has an empty description")]
    NoDescription(usize, Activity),
    #[error("criterion {0} ({1}) is there twice")]
    Twice(usize, Activity),
    #[error("criterion {0} ({1}) is to be deferred, and only e2e can be")]
    Deferred(usize, Activity),
    #[error("criterion {0} ({1}) has an empty command")]
    NoCommand(usize, Activity),
    #[error("criterion {0} ({1}): its folder is no path inside of the repository")]
    Outside(usize, Activity),
    #[error("example {0} has no command")]
    NoQuestion(usize),
}

impl TaskContract {
    /// The contract's name: any change to it gives another.
    pub fn hash(&self) -> Digest {
        crate::canonical::digest(self)
    }

    /// The name of what it asks for, whenever and for whichever id it was asked.
    pub fn content(&self) -> Digest {
        let scope = Scope { task: String::new(), ..self.scope.clone() };
        let same = Self { generated_at: Timestamp::UNIX_EPOCH, scope, ..self.clone() };
        same.hash()
    }

    /// Criteria that can't be carried out. As long as there are any, nothing is verified.
    pub fn unresolved(&self) -> impl Iterator<Item = &Criterion> {
        self.criteria.iter().filter(|criterion| criterion.is_unresolved())
    }

    /// Whether it can be agreed on, whoever wrote it.
    pub fn check(&self) -> Result<(), Unfit> {
        if self.task.trim().is_empty() {
            return Err(Unfit::NoTask);
        }
        match (self.contract_type, self.criteria.is_empty()) {
            (ContractType::Advisory, false) => return Err(Unfit::Criteria),
            (ContractType::Verifiable | ContractType::Skip, true) => {
                return Err(Unfit::NoCriteria(self.contract_type.name()));
            }
            _ => {}
        }
        for (number, criterion) in (1..).zip(&self.criteria) {
            let activity = criterion.activity;
            if criterion.description.trim().is_empty() {
                return Err(Unfit::NoDescription(number, activity));
            }
            if criterion.command.as_deref().is_some_and(|command| command.trim().is_empty()) {
                return Err(Unfit::NoCommand(number, activity));
            }
            if leads_out(&criterion.folder) {
                return Err(Unfit::Outside(number, activity));
            }
            if self.criteria[..number - 1].iter().any(|other| other.key() == criterion.key()) {
                return Err(Unfit::Twice(number, activity));
            }
            if criterion.timing == Timing::Deferred && activity != Activity::E2e {
                return Err(Unfit::Deferred(number, activity));
            }
        }
        let is_empty = |example: &Example| example.command.trim().is_empty();
        if let Some(at) = self.examples.iter().position(is_empty) {
            return Err(Unfit::NoQuestion(at + 1));
        }
        Ok(())
    }
}

/// Whether a folder, as a contract names it, could be one outside of the repository.
fn leads_out(folder: &str) -> bool {
    folder.starts_with('/') || folder.contains('\0') || folder.split('/').any(|part| part == "..")
}
