//! Accepting: countersigned work is taken over into the user's own branch, and never blindly.
//!
//! A branch that is where the work began just moves. Otherwise the merge is computed on commits first:
//! conflicts are told, and a merge that makes files that nobody has verified yet is verified before
//! anything moves. Files and index go first and the branch last, so that who is killed in between
//! completes it by accepting again.

mod body;
mod carrying;
mod journal;
mod merging;
mod verifying;
mod work;

use countersign_domain::acceptance::{AcceptanceEvent, Looked, Standing, Way};
use countersign_domain::snapshot::{Operation, PathText};
use countersign_domain::{ObjectId, Stamp};
use countersign_git::Head;
use serde::Serialize;

pub use countersign_git::{Conflict, Merged};

use crate::Engine;
use crate::error::{Error, Kind, Result};
use crate::relay::Undertaking;
use crate::verify::{Moment, Verification};
pub use work::Extent;
use work::Work;

/// What somebody wants accepted.
#[derive(Debug, Clone)]
pub struct Wish {
    pub undertaking: Undertaking,
    pub way: Way,
    /// How much of a relay is wanted.
    pub extent: Extent,
    /// Why a person who looked takes what no check could decide.
    pub looked: Option<String>,
    /// Who accepts.
    pub by: String,
}

/// What came of it.
#[derive(Debug, Clone, Serialize)]
#[serde(tag = "acceptance", rename_all = "snake_case")]
pub enum Acceptance {
    Done(Done),
    /// The branch has the work already; nothing was changed.
    AlreadyThere {
        branch: Option<String>,
        head: ObjectId,
    },
    /// The work does not go together with what the branch has meanwhile; nothing was changed.
    Conflicts {
        branch: Option<String>,
        head: ObjectId,
        /// The branch of the work.
        work: String,
        conflicts: Vec<Clash>,
    },
    /// Work and branch together did not hold; nothing was changed.
    Refused {
        verification: Box<Verification>,
    },
    /// A person must look first; nothing was changed.
    Human {
        verification: Box<Verification>,
    },
}

/// A path at which work and branch want something else.
#[derive(Debug, Clone, Serialize)]
pub struct Clash {
    pub path: PathText,
    pub kinds: Vec<String>,
}

/// Work that is in the branch now.
#[derive(Debug, Clone, Serialize)]
pub struct Done {
    pub undertaking: Stamp,
    pub way: Way,
    pub how: How,
    pub branch: Option<String>,
    pub from: ObjectId,
    pub to: ObjectId,
    /// How many paths differ from before.
    pub changed: usize,
    pub verification: Option<Stamp>,
    /// What was planned and is not in it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub missing: Vec<String>,
}

/// How a branch got the work.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum How {
    FastForward,
    MergeCommit,
    Squashed,
}

/// What the branch is to hold.
struct Target {
    tree: ObjectId,
    how: How,
    /// Whether these files are others than those that were countersigned.
    is_new: bool,
}

/// Why files that are new may be taken.
#[derive(Default)]
struct Grounds {
    verification: Option<Stamp>,
    looked: Option<Looked>,
}

impl Engine {
    /// Takes the work of a run or a relay over into what is checked out here.
    pub fn accept(
        &mut self,
        wish: &Wish,
        watch: &mut dyn FnMut(&Moment<'_>),
    ) -> Result<Acceptance> {
        self.expect_no_worker()?;
        if let Some(why) = &wish.looked {
            self.expect_a_person()?;
            if why.trim().is_empty() {
                return Err(Error::new(Kind::Usage, "it is not said why the work is good").hint(
                    "say what you looked at: --looked 'read the merged parser, it is right'",
                ));
            }
        }
        self.screen(
            &[("the name", Some(&wish.by)), ("the reason", wish.looked.as_deref())],
            false,
        )?;
        let work = self.accepted_work(wish.undertaking, wish.extent)?;
        let _lease = self.store.lease(&AcceptanceEvent::stream(work.id))?;
        let mut standing = self.load_acceptance(work.id)?;
        let head = self.head_to_move()?;
        self.complete(&work, &mut standing, &head)?;
        let (branch, at) = (head.branch.clone(), head.commit.clone());
        let already = Acceptance::AlreadyThere { branch: branch.clone(), head: at.clone() };
        if self.has_work(&work, &standing, &head)? {
            return Ok(already);
        }
        let target = match self.target(&work, &head, wish.way)? {
            Ok(target) => target,
            Err(conflicts) => {
                let paths = conflicts.iter().map(|clash| clash.path.clone()).collect();
                let event = AcceptanceEvent::Collided { head: at.clone(), paths };
                self.record_acceptance(&work, &mut standing, event)?;
                let work = work.branch;
                return Ok(Acceptance::Conflicts { branch, head: at, work, conflicts });
            }
        };
        if target.tree == head.tree {
            return Ok(already);
        }
        self.expect_clear_way(&head, &target.tree)?;
        let mut grounds = Grounds::default();
        // What landed was never verified as a whole.
        if target.is_new || work.is_partial() {
            match self.verify_together(
                wish,
                (&work, &mut standing),
                (&head, &target.tree),
                watch,
            )? {
                Ok(found) => grounds = found,
                Err(stopped) => return Ok(stopped),
            }
        }
        self.carry_out_acceptance(wish, (&work, &mut standing), (head, target), grounds)
            .map(Acceptance::Done)
    }

    /// Where the working tree stands, if a branch can be moved there.
    fn head_to_move(&self) -> Result<Head> {
        if let Some(operation) = self.repository.unfinished() {
            let message = format!("git is in the middle of {} here", operation_word(operation));
            return Err(Error::new(Kind::Refused, message).hint("finish or abort that first"));
        }
        self.repository.head()?.ok_or_else(|| {
            Error::new(Kind::Refused, "this branch has no commit yet")
                .hint("check out the branch that is to have the work")
        })
    }

    /// What was begun and moved the branch, and was not recorded as finished.
    fn complete(&mut self, work: &Work, standing: &mut Standing, head: &Head) -> Result<()> {
        let Some(to) = standing.begun.as_ref().map(|begun| begun.to.clone()) else { return Ok(()) };
        if self.repository.is_below(&to, &head.commit).unwrap_or(false) {
            self.record_acceptance(work, standing, AcceptanceEvent::Finished { to })?;
        }
        Ok(())
    }

    /// Whether the branch has the work already, as its own commits or as one of ours.
    fn has_work(&self, work: &Work, standing: &Standing, head: &Head) -> Result<bool> {
        if self.repository.is_below(&work.commit, &head.commit)? {
            return Ok(true);
        }
        for to in &standing.finished {
            // A branch that was thrown away may have taken the commit along.
            if self.repository.is_below(to, &head.commit).unwrap_or(false) {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// What branch and work come to together, or where they don't.
    fn target(
        &self,
        work: &Work,
        head: &Head,
        way: Way,
    ) -> Result<std::result::Result<Target, Vec<Clash>>> {
        let apart = if way == Way::Squash { How::Squashed } else { How::MergeCommit };
        if self.repository.is_below(&head.commit, &work.commit)? {
            let how = if way == Way::Squash { How::Squashed } else { How::FastForward };
            return Ok(Ok(Target { tree: work.tree.clone(), how, is_new: false }));
        }
        let fork = self.repository.fork(head.commit.as_str(), work.commit.as_str())?;
        let fork = fork.ok_or_else(|| {
            let message = format!("this branch and {} have no commit in common", work.branch);
            Error::new(Kind::Refused, message).hint("check out the branch that the work began with")
        })?;
        self.repository.expect_merging().map_err(|error| {
            Error::from(error).hint("nothing was changed; this branch has other commits than the work began with, and to merge them needs a newer git")
        })?;
        match self.merge_trees(&fork.commit, &head.commit, &work.commit)? {
            Merged::Tree(tree) => {
                let is_new = tree != work.tree;
                Ok(Ok(Target { tree, how: apart, is_new }))
            }
            Merged::Conflicts(conflicts) => {
                let clash = |one: Conflict| Clash {
                    path: PathText::from(one.path.as_path()),
                    kinds: one.kinds,
                };
                Ok(Err(conflicts.into_iter().map(clash).collect()))
            }
        }
    }

    /// That nothing of the user's would be lost.
    fn expect_clear_way(&self, head: &Head, tree: &ObjectId) -> Result<()> {
        let found = self.repository.in_the_way(&head.tree, tree, &self.accepting_folder())?;
        if found.is_empty() {
            return Ok(());
        }
        let named: Vec<String> =
            found.iter().take(20).map(|path| PathText::from(path.as_path()).to_string()).collect();
        let more = match found.len().saturating_sub(named.len()) {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        let message = format!(
            "files of yours are in the way, and nothing was changed: {}{more}",
            named.join(", ")
        );
        Err(Error::new(Kind::Refused, message)
            .hint("commit them, or put them aside with `git stash -u`, then accept again"))
    }

    fn accepting_folder(&self) -> std::path::PathBuf {
        self.home.work(&self.state).join("accept")
    }
}

/// What git is in the middle of, in words.
fn operation_word(operation: Operation) -> &'static str {
    match operation {
        Operation::Merge => "a merge",
        Operation::Rebase => "a rebase",
        Operation::CherryPick => "a cherry-pick",
        Operation::Revert => "a revert",
        Operation::Bisect => "a bisection",
        Operation::Apply => "applying patches",
    }
}
