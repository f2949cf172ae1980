//! Merges that are computed before anything moves.

use countersign_domain::ObjectId;
use countersign_git::Merged;

use crate::Engine;
use crate::error::{Error, Result};

impl Engine {
    /// That merges can be computed here: better said before the work than after it.
    pub(crate) fn expect_merging(&self) -> Result<()> {
        self.repository.expect_merging().map_err(|error| {
            let error = Error::from(error);
            let message = format!("{}: stories could not be put together", error.message);
            Error { message, ..error }.hint(
                "install a newer git; until then, have everything done in one run: `Iteration unit: \
                 all at once` in the plan, or `countersign run GOAL`",
            )
        })
    }

    /// What `ours` and `theirs` come to together, which both go back to `base`; all three are commits.
    /// Touches no index, branch or file, and keeps nothing: who uses the tree keeps it.
    pub fn merge_trees(
        &self,
        base: &ObjectId,
        ours: &ObjectId,
        theirs: &ObjectId,
    ) -> Result<Merged> {
        Ok(self.repository.merge_trees(base, ours, theirs)?)
    }
}
