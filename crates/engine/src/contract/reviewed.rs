//! What people said to what only they can judge. It is on the record of the verification that they
//! looked at; here it is read into the results of its contract.

use std::collections::BTreeMap;

use countersign_domain::contract::{Agreement, Results, Reviewed};
use countersign_domain::{Digest, ObjectId, Stamp};

use crate::Engine;
use crate::error::Result;

impl Engine {
    /// A contract as it is now, with what people said to its results.
    pub(crate) fn reviewed_contract(&self, id: Stamp) -> Result<Agreement> {
        self.with_reviews(self.load_contract(id)?.0)
    }

    /// The same contract, with what people said to its results.
    pub(crate) fn with_reviews(&self, mut agreement: Agreement) -> Result<Agreement> {
        for at in 0..agreement.results.len() {
            let results = &agreement.results[at];
            let version = agreement.versions.iter().find(|one| one.hash == results.contract);
            let (Some(id), Some(version)) = (results.made_by, version) else { continue };
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
    for result in same_work(agreement, (hash, tree)).flat_map(|one| &one.criteria) {
        if let Some(said) = &result.reviewed {
            found.insert(result.criterion, said.clone());
        }
    }
    found
}

/// Who rejected work that left `tree` as a whole, under the version `hash`; the last word counts.
pub(crate) fn rejected(agreement: &Agreement, of: (Digest, &ObjectId)) -> Option<Reviewed> {
    let said = same_work(agreement, of).filter_map(|one| one.reviewed.as_ref()).next_back();
    said.filter(|said| !said.is_accepted).cloned()
}

/// What came of the version `hash` for work that left `tree`.
fn same_work<'a>(
    agreement: &'a Agreement,
    (hash, tree): (Digest, &'a ObjectId),
) -> impl DoubleEndedIterator<Item = &'a Results> {
    let is_same = move |one: &&Results| one.contract == hash && one.tree.as_ref() == Some(tree);
    agreement.results.iter().filter(is_same)
}
