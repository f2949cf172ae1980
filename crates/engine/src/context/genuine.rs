//! Whether what is read back from git's store is what was put there. Whoever works in a repository
//! can write to its store as well, and git notices nothing.

use std::collections::HashSet;
use std::fmt::Write as _;

use countersign_domain::ObjectId;
use countersign_domain::context::{Context, Step, step_words};
use countersign_domain::snapshot::{Ground, Recorded};
use countersign_git::{Fault, Forged};

use super::handover::is_same_content;
use crate::Engine;
use crate::error::{Error, Kind, Result};

/// How many files are named.
const MOST_NAMED: usize = 10;

impl Engine {
    /// Expects git's store to have what the names of these trees stand for: whoever can write there
    /// could have a check run on other files than those that were handed over. What is only missing
    /// is git's to complain about, and in a partial clone to fetch.
    pub(crate) fn expect_genuine_trees(&self, trees: &[&ObjectId]) -> Result<()> {
        self.expect_genuine_beyond(trees, &HashSet::new())
    }

    /// The same but for the objects that are known to be genuine.
    pub(crate) fn expect_genuine_beyond(
        &self,
        trees: &[&ObjectId],
        known: &HashSet<ObjectId>,
    ) -> Result<()> {
        let mut forged = self.repository.forged_in(trees, known)?;
        forged.retain(|one| one.fault != Fault::Missing);
        if forged.is_empty() {
            return Ok(());
        }
        Err(refusal("nothing can be checked: git's store was changed", &forged).hint(
            "`git fsck` names what is wrong; remove those objects, so that git stores or fetches \
             them anew, and find out who wrote them",
        ))
    }

    /// Expects everything that `step` left to have the content that was recorded.
    pub(super) fn expect_genuine(&self, context: &Context, step: &Step) -> Result<()> {
        let recorded = &step.recorded;
        let mut forged = self.repository.forged_of(recorded)?;
        if forged.is_empty() {
            let raw = self.repository.forged_raw(&self.raw_store(&context.task), recorded)?;
            // What is only lost has a next best: what git made of it.
            forged = raw.into_iter().filter(|one| one.fault == Fault::Forged).collect();
        }
        if forged.is_empty() {
            return Ok(());
        }
        let what = format!("what {} left can't be restored", step_words(&step.name));
        Err(refusal(&what, &forged).hint(ways_back(&context.task)))
    }

    /// The same for a tree that anything else is made from.
    pub(crate) fn expect_genuine_tree(&self, what: &str, tree: &ObjectId) -> Result<()> {
        let forged = self.repository.forged(tree)?;
        if forged.is_empty() {
            return Ok(());
        }
        Err(refusal(what, &forged).hint(
            "someone changed git's store (`git fsck` names what is wrong); get those objects back \
             from a clone or a backup that has them",
        ))
    }

    /// The same for what a difference is made from.
    pub(super) fn expect_genuine_between(
        &self,
        context: &Context,
        from: &Recorded,
        to: &Recorded,
    ) -> Result<()> {
        let forged = self.repository.forged_between(from, to)?;
        if forged.is_empty() {
            return Ok(());
        }
        Err(refusal("the difference can't be shown", &forged).hint(ways_back(&context.task)))
    }

    /// Expects what is handed over to be in the store as it is on disk. What was lost of earlier
    /// steps is only told: nobody who works now can bring it back.
    pub(super) fn expect_genuine_work(
        &self,
        context: &Context,
        recorded: &Recorded,
    ) -> Result<Earlier> {
        let (start, last) = (&context.steps[0].recorded, &context.last_step().recorded);
        let mut found = self.repository.forged_between(start, recorded)?;
        let is_readable = |one: &Forged| one.is_later || one.fault == Fault::Forged;
        let is_whole = found.iter().all(is_readable);
        if !is_same_content(start, last) {
            found.extend(self.repository.forged_between(last, recorded)?);
        }
        let (new, old): (Vec<Forged>, Vec<Forged>) =
            found.into_iter().partition(|one| one.is_later);
        if let Some(first) = new.first() {
            return Err(self.forged_work(first, &new));
        }
        let mut warnings: Vec<String> = old.iter().map(lost).collect();
        warnings.sort();
        warnings.dedup();
        warnings.truncate(MOST_NAMED);
        if is_whole {
            return Ok(Earlier { start: start.clone(), warnings });
        }
        let (start, words) = self.what_is_left_of(start);
        warnings.push(words);
        Ok(Earlier { start, warnings })
    }

    fn forged_work(&self, first: &Forged, all: &[Forged]) -> Error {
        let (folder, file) = first.object.as_str().split_at(2);
        let objects = self.repository.layout().common_dir.join("objects");
        let loose = objects.join(folder).join(file);
        let hint = format!(
            "nothing was handed over; remove {}, if it is there, so that git stores the file anew, \
             or the pack that `git verify-pack` calls bad; then try again",
            loose.display()
        );
        refusal("git's store does not have what lies in the working tree", all).hint(hint)
    }

    /// What a difference to a start that is lost can still be made from: the files of the commit
    /// that it stood on, or else nothing.
    fn what_is_left_of(&self, start: &Recorded) -> (Recorded, String) {
        let head = start.position.head.as_ref();
        let commit = head.and_then(|head| self.repository.resolve(head.as_str()).ok());
        let instead = match &commit {
            Some(commit) => format!("its commit {} counts as the start", commit.commit),
            None => "everything counts as new".to_owned(),
        };
        let own = start.grounds.first().zip(commit);
        let own = own.map(|(own, commit)| Ground { tree: commit.tree, raw: None, ..own.clone() });
        let words = format!("the files as they were at the start are lost: in the diff, {instead}");
        (Recorded { grounds: own.into_iter().collect(), ..start.clone() }, words)
    }
}

/// What is left of earlier steps.
pub(super) struct Earlier {
    /// What differences to the start are made from.
    pub(super) start: Recorded,
    pub(super) warnings: Vec<String>,
}

fn lost(forged: &Forged) -> String {
    format!("the diff can't be believed here: {}", words(forged))
}

fn words(forged: &Forged) -> String {
    let path = if forged.path.is_empty() {
        "the list of files at the top".to_owned()
    } else {
        forged.path.to_string()
    };
    format!("{path} {} (object {})", forged.fault.words(), forged.object)
}

fn refusal(what: &str, forged: &[Forged]) -> Error {
    let mut message = format!("{what}:");
    for one in forged.iter().take(MOST_NAMED) {
        write!(message, "\n  {}", words(one)).ok();
    }
    if forged.len() > MOST_NAMED {
        write!(message, "\n  and {} more", forged.len() - MOST_NAMED).ok();
    }
    Error::new(Kind::Tampered, message)
}

fn ways_back(task: &str) -> String {
    format!(
        "someone changed git's store (`git fsck` names what is wrong); remove those objects and \
         fetch refs/countersign/contexts/{task}/* from a clone or a backup that has them; other \
         steps are not affected: countersign context show {task}"
    )
}
