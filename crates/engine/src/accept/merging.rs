//! Merges that are computed before anything moves.

use countersign_domain::ObjectId;
use countersign_git::Merged;

use crate::Engine;
use crate::error::Result;

impl Engine {
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
