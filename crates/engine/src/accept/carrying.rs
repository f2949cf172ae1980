//! The branch gets the work: the commit is made, what will happen is put on the record, and done.

use countersign_domain::ObjectId;
use countersign_domain::acceptance::{AcceptanceEvent, Begun, Standing};
use countersign_git::{Adoption, Head, Identity, NewCommit};

use super::work::Work;
use super::{Done, Grounds, How, Target, Wish};
use crate::Engine;
use crate::error::{Error, Result};

impl Engine {
    /// Makes the commit, puts on the record what is about to happen, and does it.
    pub(super) fn carry_out_acceptance(
        &mut self,
        wish: &Wish,
        (work, standing): (&Work, &mut Standing),
        (head, target): (Head, Target),
        grounds: Grounds,
    ) -> Result<Done> {
        let to = self.commit_of(work, &head, &target, &grounds)?;
        let changed = self.repository.differences(&head.tree, &target.tree)?.len();
        let begun = Begun {
            way: wish.way,
            branch: head.branch.clone(),
            head: head.commit.clone(),
            work: work.commit.clone(),
            to: to.clone(),
            tree: target.tree.clone(),
            verification: grounds.verification,
            looked: grounds.looked,
            by: wish.by.clone(),
        };
        self.record_acceptance(work, standing, AcceptanceEvent::Begun(Box::new(begun)))?;
        let why = format!("countersign accept {}", work.id);
        let scratch = self.accepting_folder();
        let adoption =
            Adoption { from: &head, commit: &to, tree: &target.tree, why: &why, scratch: &scratch };
        self.repository.adopt(&adoption).map_err(|error| {
            let error = Error::from(error);
            let hint = format!("mend that, then accept again: countersign accept {}", work.id);
            if error.hint.is_some() { error } else { error.hint(hint) }
        })?;
        self.record_acceptance(work, standing, AcceptanceEvent::Finished { to: to.clone() })?;
        self.seal_what_is_done()?;
        Ok(Done {
            undertaking: work.id,
            way: wish.way,
            how: target.how,
            branch: head.branch,
            from: head.commit,
            to,
            changed,
            verification: grounds.verification,
            missing: work.missing.clone(),
        })
    }

    /// The commit that the branch is to stand on.
    fn commit_of(
        &self,
        work: &Work,
        head: &Head,
        target: &Target,
        grounds: &Grounds,
    ) -> Result<ObjectId> {
        let parents: &[ObjectId] = match target.how {
            How::FastForward => return Ok(work.commit.clone()),
            How::MergeCommit => &[head.commit.clone(), work.commit.clone()],
            How::Squashed => std::slice::from_ref(&head.commit),
        };
        let subject = match target.how {
            How::MergeCommit => format!("Merge {}: {}", work.branch, work.subject()),
            _ => work.subject(),
        };
        let mut message = format!("{subject}\n\n");
        if target.how == How::Squashed {
            message += &work.stories();
        }
        for trailer in self.trailers(work, head)? {
            message += &format!("{trailer}\n");
        }
        if let Some(verification) = grounds.verification {
            message += &format!("Countersign-Verification: {verification}\n");
        }
        let user = self.repository.user()?;
        let committer =
            user.as_ref().map_or(Identity::COUNTERSIGN, |(name, email)| Identity { name, email });
        let seconds = u64::try_from(self.host.now().as_second()).unwrap_or_default();
        Ok(self.repository.commit(&NewCommit {
            tree: &target.tree,
            parents,
            message: &message,
            time_seconds: seconds,
            author: Identity::COUNTERSIGN,
            committer,
        })?)
    }

    /// The trailers of all commits that the branch gets, each once.
    fn trailers(&self, work: &Work, head: &Head) -> Result<Vec<String>> {
        let mut found: Vec<String> = Vec::new();
        for message in self.repository.messages(&work.commit, &head.commit)? {
            for line in message.lines().filter(|line| line.starts_with("Countersign-")) {
                if !found.iter().any(|known| known == line) {
                    found.push(line.to_owned());
                }
            }
        }
        Ok(found)
    }
}
