//! What a look at a working tree found, compared with a recorded moment. Facts, no opinions.

use serde::{Deserialize, Serialize};

use super::path_text::PathText;
use super::recorded::{Beyond, Operation, Setting, State};
use super::text::Difference;
use crate::id::{Digest, ObjectId};

/// Where a working tree stands in the history.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Position {
    /// `None` before the first commit.
    pub head: Option<ObjectId>,
    /// The branch without `refs/heads/`; `None` when detached.
    pub branch: Option<PathText>,
    /// The newest entry of the stash.
    pub stash: Option<ObjectId>,
    /// What git is in the middle of.
    pub operation: Option<Operation>,
    /// The last line of the reflog of `HEAD`, to know it again.
    pub log: Option<Digest>,
}

/// What is there now, as far as it differs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Found {
    pub position: Position,
    /// Every path that differs, in order; renames are two entries.
    pub changes: Vec<FileChange>,
    pub settings: Vec<Setting>,
    /// The ignore rules outside of the tree, as they are now.
    pub rules: Digest,
    pub beyond: Vec<Beyond>,
    pub trail: Trail,
    pub how: How,
}

/// How the comparison was made.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum How {
    /// Through the stat cache: files that look untouched were not read.
    Cached,
    /// Everything was read, because that was asked for.
    Thorough,
    /// Everything was read, because the stat cache is gone or not the recorded one. Which
    /// permission bits or line endings changed can then not be told, only that some did.
    CacheLost {
        /// Whether what git does not record is still the same.
        beside_same: bool,
    },
    /// Everything was read, and something differs, but the recorded files are lost as well: nobody
    /// can tell which of them it is.
    TreeLost,
}

/// One path that differs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FileChange {
    pub path: PathText,
    pub before: Option<State>,
    pub after: Option<State>,
    /// How far the content differs.
    pub difference: Difference,
    /// Where the content came from, if a path that is gone had it.
    pub from: Option<PathText>,
    /// What is there now is what the current `HEAD` has, or both have nothing.
    pub as_head: bool,
    /// What was there is in the newest stash.
    pub in_stash: bool,
}

/// How `HEAD` came from where it was to where it is.
#[allow(clippy::struct_excessive_bools, reason = "facts that don't depend on each other")]
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Trail {
    /// What the reflog of `HEAD` says since the recorded commit, oldest first; empty when it
    /// is gone, or does not know that commit.
    pub steps: Vec<Step>,
    /// The recorded commit is an ancestor of the current one; so many commits lie between.
    pub ahead: Option<u64>,
    /// The current commit is an ancestor of the recorded one; so many commits lie between.
    pub behind: Option<u64>,
    /// The two commits have the same parents.
    pub same_parents: bool,
    /// The current commit has more than one parent, among them the recorded one.
    pub is_merge: bool,
    /// The recorded commit is no longer there.
    pub lost: bool,
    /// The current commit has the author, the date and the message of the recorded one.
    pub same_origin: bool,
    /// The content that was recorded is the content of the current commit.
    pub committed_content: bool,
    /// So many files of the current commit differed from it when recorded, and still do.
    pub work_left: u64,
    /// So many files that the current commit does not have were recorded, and are still there.
    pub added_left: u64,
}

/// One line of the reflog of `HEAD`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Step {
    pub from: Option<ObjectId>,
    pub to: ObjectId,
    /// `commit (amend): …`
    pub message: PathText,
}
