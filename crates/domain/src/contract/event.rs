//! What can happen to a contract. Its stream is `contract/ID`.

use serde::{Deserialize, Serialize};

use super::results::{CriterionResult, Results};
use super::task::{Criterion, TaskContract};
use crate::id::{Digest, ObjectId};
use crate::ledger::Stored;
use crate::stamp::Stamp;

/// A version of a contract, with its name.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Version {
    pub contract: TaskContract,
    pub hash: Digest,
    /// The tree whose diff called for it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tree: Option<ObjectId>,
}

/// One fact about a contract. The serialised names are stored for ever: add, never change.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", content = "body", rename_all = "snake_case")]
pub enum ContractEvent {
    /// The first version.
    Drafted(Box<Version>),
    /// A person agreed to a version, or let it be agreed on.
    Approved { hash: Digest, by: String },
    /// A person refused a version.
    Rejected { hash: Digest, by: String, why: String },
    /// The real diff called for more.
    Amended(Box<Version>),
    /// Work was verified under a version.
    Verified(Box<Results>),
}

impl Stored for ContractEvent {
    const PREFIX: &'static str = "contract.";
}

impl ContractEvent {
    /// The stream of a contract.
    pub fn stream(id: Stamp) -> String {
        format!("contract/{id}")
    }
}

/// Who refused a version, and why.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Refusal {
    pub hash: Digest,
    pub by: String,
    pub why: String,
}

/// A contract with all its versions: the fold of its stream.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Agreement {
    /// The oldest first; never empty.
    pub versions: Vec<Version>,
    /// The hashes that were agreed to.
    pub approved: Vec<Digest>,
    pub rejected: Vec<Refusal>,
    /// What came of it, the oldest first.
    pub results: Vec<Results>,
}

impl Agreement {
    /// The fold of a stream; `None` if it doesn't begin with a draft, or if a version doesn't name
    /// the one before it.
    pub fn replay(events: impl IntoIterator<Item = ContractEvent>) -> Option<Self> {
        let mut events = events.into_iter();
        let Some(ContractEvent::Drafted(first)) = events.next() else { return None };
        if first.contract.hash() != first.hash || first.contract.previous.is_some() {
            return None;
        }
        let mut agreement = Self {
            versions: vec![*first],
            approved: Vec::new(),
            rejected: Vec::new(),
            results: Vec::new(),
        };
        for event in events {
            match event {
                ContractEvent::Drafted(_) => return None,
                ContractEvent::Approved { hash, .. } => agreement.approved.push(hash),
                ContractEvent::Rejected { hash, by, why } => {
                    agreement.rejected.push(Refusal { hash, by, why });
                }
                ContractEvent::Verified(results) => {
                    agreement.version(results.contract)?;
                    agreement.results.push(*results);
                }
                ContractEvent::Amended(version) => {
                    let previous = agreement.newest().hash;
                    let fits = version.contract.previous == Some(previous)
                        && version.contract.hash() == version.hash;
                    if !fits {
                        return None;
                    }
                    agreement.versions.push(*version);
                }
            }
        }
        Some(agreement)
    }

    /// The version that holds.
    pub fn newest(&self) -> &Version {
        &self.versions[self.versions.len() - 1]
    }

    /// The version that `hash` names.
    pub fn version(&self, hash: Digest) -> Option<&Version> {
        self.versions.iter().find(|version| version.hash == hash)
    }

    /// How often `criterion` was run under this contract so far.
    pub fn attempts_at(&self, criterion: &Criterion) -> u32 {
        let of = |results: &Results| {
            let criteria = &self.version(results.contract)?.contract.criteria;
            let at = criteria.iter().position(|known| known.key() == criterion.key())?;
            let own = |result: &&CriterionResult| usize::try_from(result.criterion) == Ok(at + 1);
            results.criteria.iter().find(own).map(|result| result.attempts)
        };
        self.results.iter().rev().find_map(of).unwrap_or(0)
    }

    /// Whether what holds was agreed to: the newest version that anybody answered was agreed to. What
    /// a diff adds after that needs nobody's agreement, as it only ever asks for more; for the same
    /// reason it doesn't undo a refusal.
    pub fn is_approved(&self) -> bool {
        self.answered().is_some_and(|version| self.refusal_of(version.hash).is_none())
    }

    /// Who refused what holds, and why, if anybody did.
    pub fn refusal(&self) -> Option<&Refusal> {
        self.answered().and_then(|version| self.refusal_of(version.hash))
    }

    /// Who refused the version `hash`.
    pub fn refusal_of(&self, hash: Digest) -> Option<&Refusal> {
        self.rejected.iter().find(|refusal| refusal.hash == hash)
    }

    /// The newest version that anybody answered.
    fn answered(&self) -> Option<&Version> {
        let is_answered = |version: &&Version| {
            self.approved.contains(&version.hash) || self.refusal_of(version.hash).is_some()
        };
        self.versions.iter().rev().find(is_answered)
    }
}
