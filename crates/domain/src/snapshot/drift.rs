//! What became of a recorded working tree, named so that people know what happened and what to do.

use serde::{Deserialize, Serialize};

use super::path_text::PathText;
use super::recorded::{Operation, Said, State, Why};
use crate::id::{Digest, ObjectId};

/// Everything that became different. See [`Drift::is_none`].
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Drift {
    /// What was done to the tree as a whole; comes before the files that follow from it.
    pub moved: Option<Moved>,
    pub files: Vec<FileDrift>,
    /// Hooks, configuration and attributes that became different.
    pub settings: Vec<SettingDrift>,
    /// Worth telling, but no drift unless [`Note::is_drift`] says so.
    pub notes: Vec<Note>,
}

impl Drift {
    /// The tree is what it was. Notes may still have something to tell.
    pub fn is_none(&self) -> bool {
        self.moved.is_none()
            && self.files.is_empty()
            && self.settings.is_empty()
            && !self.notes.iter().any(Note::is_drift)
    }
}

/// What was done to the tree as a whole.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "how", rename_all = "snake_case", deny_unknown_fields)]
pub enum Moved {
    Committed {
        from: Option<ObjectId>,
        to: ObjectId,
        commits: u64,
    },
    Amended {
        from: ObjectId,
        to: ObjectId,
    },
    Rebased {
        from: ObjectId,
        to: ObjectId,
    },
    Merged {
        from: ObjectId,
        to: ObjectId,
    },
    /// Commits of others were taken over without a merge: `git pull`, `git merge --ff-only`.
    FastForwarded {
        from: ObjectId,
        to: ObjectId,
        commits: u64,
    },
    CherryPicked {
        from: ObjectId,
        to: ObjectId,
        commits: u64,
    },
    /// `git revert`
    Reverted {
        from: ObjectId,
        to: ObjectId,
        commits: u64,
    },
    /// `HEAD` was set to another commit: `git reset`.
    Reset {
        from: ObjectId,
        to: ObjectId,
    },
    /// Another branch, or none, and another commit.
    Switched {
        from: Option<ObjectId>,
        to: ObjectId,
        from_branch: Option<PathText>,
        to_branch: Option<PathText>,
    },
    /// The uncommitted work went to the stash.
    Stashed {
        stash: ObjectId,
    },
    /// The uncommitted work is gone and the files are those of `HEAD`: `git reset --hard`,
    /// `git restore .`
    Discarded,
    /// Files that git did not know are gone and nothing else: `git clean`.
    Cleaned,
    /// `HEAD` stands on no commit any more.
    Orphaned {
        from: ObjectId,
    },
    /// `HEAD` is elsewhere, and the history does not tell how it came there.
    Unknown {
        from: ObjectId,
        to: ObjectId,
    },
}

impl Moved {
    /// Whether `HEAD` stands elsewhere now.
    pub fn is_of_head(&self) -> bool {
        !matches!(self, Self::Stashed { .. } | Self::Discarded | Self::Cleaned)
    }
}

/// One path that became different.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FileDrift {
    pub path: PathText,
    pub kind: Kind,
    pub before: Option<State>,
    pub after: Option<State>,
    /// It follows from what was done to the whole tree, see [`Drift::moved`].
    pub follows: bool,
}

/// What became of one path.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    Edited,
    Added,
    Removed,
    /// Moved from another path, and perhaps edited on the way.
    Renamed {
        from: PathText,
    },
    /// The same content with other permission bits.
    Chmod,
    /// Another kind of thing: a link for a file, a pipe for a link.
    Retyped,
    /// Only the line endings differ.
    LineEndings,
    /// Only white space differs.
    Layout,
    /// The bytes differ, but git's filters make the same content of both.
    Filtered,
    /// Back to what the current `HEAD` has.
    Restored,
    /// A repository of its own that stands on another commit.
    RepositoryMoved,
    RepositoryAdded,
    RepositoryRemoved,
}

/// Something that git or another program obeys, and that became different.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SettingDrift {
    pub name: PathText,
    pub before: Option<Digest>,
    pub after: Option<Digest>,
    /// What it said and what it says, as far as that is known.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub was: Vec<Said>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub is: Vec<Said>,
}

/// Worth telling.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "note", rename_all = "snake_case", deny_unknown_fields)]
pub enum Note {
    /// The ignore rules outside of the tree are others now; the frozen ones were used.
    RulesChanged,
    /// Another branch at the same commit.
    BranchChanged {
        from: Option<PathText>,
        to: Option<PathText>,
    },
    OperationBegan {
        operation: Operation,
    },
    OperationEnded {
        operation: Operation,
    },
    /// The stash was added to or taken from.
    StashChanged {
        from: Option<ObjectId>,
        to: Option<ObjectId>,
    },
    /// `HEAD` went elsewhere and came back: a commit that was undone, a branch and back.
    WentAndCameBack {
        times: u64,
    },
    /// The stat cache is gone or not the recorded one; everything was read instead.
    CacheLost,
    /// The stat cache is gone, and permission bits or line endings of some file differ.
    BesideChanged,
    /// Files differ, and the recorded ones are lost: which of them differ can't be told.
    TreeLost,
    /// The recorded commit is no longer in the repository.
    HeadLost {
        head: ObjectId,
    },
    /// A place was not looked at in full.
    Beyond {
        path: PathText,
        why: Why,
    },
}

impl Note {
    pub fn is_drift(&self) -> bool {
        matches!(self, Self::BesideChanged | Self::TreeLost)
    }
}
