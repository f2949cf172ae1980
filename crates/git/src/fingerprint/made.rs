//! Whether what a reference came to was made in an agent's own checkout.
//!
//! A checkout borrows the objects of the user's repository and keeps what is made in it in a store of its own.
//! A commit that is in that store was made there; one of the user's is not.

use std::path::Path;

use countersign_domain::id::ObjectId;
use countersign_domain::run::Moved;
use data_encoding::HEXLOWER;

use crate::error::Error;
use crate::foreign::{kept_in, stores};
use crate::repository::Repository;

/// How many new commits of a reference are looked at, the newest.
const MOST_COMMITS: &str = "--max-count=1000";
/// How many references are looked at one by one.
const MOST_REFS: usize = 200;

impl Repository {
    /// Those of the `moved` references that came to a commit which was made in `checkout`, and which is not
    /// part of the history of `base`.
    pub fn made_in(
        &self,
        checkout: &Path,
        moved: &[Moved<'_>],
        base: &ObjectId,
    ) -> Result<Vec<String>, Error> {
        let is_commit =
            |moved: &&Moved<'_>| moved.after.is_some_and(|after| after.parse::<ObjectId>().is_ok());
        let moved: Vec<&Moved<'_>> = moved.iter().filter(is_commit).collect();
        if moved.is_empty() {
            return Ok(Vec::new());
        }
        let known = stores(&self.layout().common_dir.join("objects"))?;
        // Where a store can't be understood, it was made so: then every commit may be one of its making.
        let own = kept_in(&checkout.join(".git/objects"), &known, self.hash_len()?);
        let is_own = |commit: &String| {
            HEXLOWER.decode(commit.as_bytes()).is_ok_and(|object| own.may_hold(&object))
        };
        let pushed = moved.into_iter().take(MOST_REFS).filter(|one| {
            let after = one.after.unwrap_or_default();
            self.commits_of(after, one.before, base).iter().any(is_own)
        });
        Ok(pushed.map(|one| one.name.to_owned()).collect())
    }

    /// The commits that a reference has won; none where it names no commit.
    fn commits_of(&self, after: &str, before: Option<&str>, base: &ObjectId) -> Vec<String> {
        let before = before.filter(|before| before.parse::<ObjectId>().is_ok());
        let without = before.into_iter().map(|name| format!("^{name}"));
        let without = without.chain([format!("^{base}")]);
        let asked = ["rev-list", MOST_COMMITS, "--ignore-missing", after];
        let listed = self.git().args(asked).args(without).output().unwrap_or_default();
        String::from_utf8_lossy(&listed).lines().map(str::to_owned).collect()
    }
}
