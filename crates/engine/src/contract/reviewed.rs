//! What people said to what only they can judge. It is on the record of the verification that they
//! looked at; here it is read into the results of its contract.

use std::collections::BTreeMap;

use countersign_domain::contract::{Agreement, Reviewed};
use countersign_domain::{Digest, ObjectId};

use crate::Engine;
use crate::error::Result;

impl Engine {
    /// The same contract, with what people said to its results.
    pub(crate) fn with_reviews(&self, mut agreement: Agreement) -> Result<Agreement> {
        for at in 0..agreement.results.len() {
            let results = &agreement.results[at];
            let version = agreement.versions.iter().find(|one| one.hash == results.contract);
            let (Some(id), Some(version)) = (results.made_by, version) else { continue };
            if !results.waits_for_reader(&version.contract) {
                continue;
            }
            if let Some(said) = self.said_of(id)? {
                let results = results.clone().reviewed(&version.contract, &said);
                agreement.results[at] = results;
            }
        }
        Ok(agreement)
    }
}

/// What people said to criteria of the version `hash`, for work that left `tree`, by number; the last
/// word counts.
pub(crate) fn of_tree(
    agreement: &Agreement,
    (hash, tree): (Digest, &ObjectId),
) -> BTreeMap<u32, Reviewed> {
    let mut found = BTreeMap::new();
    let same = |one: &&countersign_domain::contract::Results| {
        one.contract == hash && one.tree.as_ref() == Some(tree)
    };
    for result in agreement.results.iter().filter(same).flat_map(|one| &one.criteria) {
        if let Some(said) = &result.reviewed {
            found.insert(result.criterion, said.clone());
        }
    }
    found
}
