//! How `HEAD` came from where it was recorded to where it is: by its reflog, and by the history.

use std::path::Path;

use countersign_domain::id::ObjectId;
use countersign_domain::snapshot::{Position, Recorded, Trail};

use crate::error::Error;
use crate::position::{SplitOnce as _, steps_since};
use crate::record::Session;
use crate::repository::Repository;

impl Session<'_> {
    pub(crate) fn trail(&self, recorded: &Recorded, now: &Position) -> Result<Trail, Error> {
        let before = &recorded.position;
        let mut trail = Trail::default();
        if before.head == now.head && before.log == now.log {
            return Ok(trail);
        }
        let git_dir = &self.layout.git_dir;
        trail.steps = steps_since(git_dir, before).unwrap_or_default();
        let (Some(from), Some(to)) = (&before.head, &now.head) else {
            return Ok(trail);
        };
        if from == to {
            return Ok(trail);
        }
        let Some(facts) = self.repository.commits_at(git_dir, [from, to])? else {
            trail.lost = true;
            return Ok(trail);
        };
        let [old, new] = facts;
        trail.same_parents = old.parents == new.parents;
        trail.is_merge = new.parents.len() > 1 && new.parents.contains(from);
        trail.same_origin = old.origin == new.origin;
        let (behind, ahead) = self.repository.apart(git_dir, from, to)?;
        trail.ahead = (behind == 0).then_some(ahead);
        trail.behind = (ahead == 0).then_some(behind);
        Ok(trail)
    }
}

/// What is told of a commit to recognise it after a rewrite.
struct CommitFacts {
    parents: Vec<ObjectId>,
    /// Author, date of authorship and subject: an amend or a rebase keeps them.
    origin: Vec<u8>,
}

impl Repository {
    /// What two commits have to tell; `None` when one is no longer there.
    fn commits_at(
        &self,
        git_dir: &Path,
        commits: [&ObjectId; 2],
    ) -> Result<Option<[CommitFacts; 2]>, Error> {
        let mut found = Vec::new();
        for commit in commits {
            let asked =
                ["log", "-1", "--no-color", "--no-show-signature", "--format=%P%n%an %ae %at %s"];
            let outcome = self.git_at(git_dir).args(asked).arg(commit.as_str()).outcome()?;
            if !outcome.status.success() {
                return Ok(None);
            }
            let (parents, origin) = outcome.stdout.split_once_byte(b'\n').unwrap_or_default();
            let parents = String::from_utf8_lossy(parents);
            found.push(CommitFacts {
                parents: parents.split(' ').filter_map(|parent| parent.parse().ok()).collect(),
                origin: origin.to_vec(),
            });
        }
        Ok(found.try_into().ok())
    }

    /// How many commits only `from` has, and how many only `to` has.
    fn apart(&self, git_dir: &Path, from: &ObjectId, to: &ObjectId) -> Result<(u64, u64), Error> {
        let asked = ["rev-list", "--left-right", "--count"];
        let range = format!("{from}...{to}");
        let said = self.git_at(git_dir).args(asked).arg(range).output()?;
        let said = String::from_utf8_lossy(&said);
        let mut numbers = said.split_whitespace().map(|number| number.parse().unwrap_or(u64::MAX));
        Ok((numbers.next().unwrap_or(u64::MAX), numbers.next().unwrap_or(u64::MAX)))
    }
}
