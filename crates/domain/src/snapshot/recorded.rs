//! A working tree as it was at one moment. What is here goes into events and never changes shape.

use serde::{Deserialize, Serialize};

use super::found::Position;
use super::path_text::PathText;
use crate::id::{Digest, ObjectId};

/// A working tree as it was at one moment.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Recorded {
    pub position: Position,
    /// The working tree itself first, then every repository inside of it, by path.
    pub grounds: Vec<Ground>,
    /// Ignored files outside of output folders, by path. They are not stored: they may hold
    /// secrets.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub watched: Vec<Watched>,
    /// Pipes, sockets and devices, by path.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub special: Vec<Special>,
    /// What git and other programs obey besides the files, by name.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub settings: Vec<Setting>,
    /// Where we stopped looking, and why.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub beyond: Vec<Beyond>,
    /// The frozen ignore rules that decided what is content.
    pub rules: Digest,
    /// The permission bits, and the bytes before filters, that git does not record.
    pub beside: Digest,
    /// The stat cache.
    pub cache: Digest,
    /// Whether the bytes of files that git converts were kept, where they are not those of git's
    /// object. Older records have no such bytes.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_exact: bool,
}

/// The files of one repository: the working tree's own, or one inside of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Ground {
    /// From the top of the working tree; empty for the working tree itself.
    pub path: PathText,
    /// The commit that its `HEAD` stands on; `None` before the first one.
    pub head: Option<ObjectId>,
    /// Its content, as a tree in the object store of the working tree's repository.
    pub tree: ObjectId,
    /// The files of which git records other bytes than they have, with the bytes that they have:
    /// a tree in a store of our own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub raw: Option<ObjectId>,
    /// Files of which git records a pointer, and LFS has the bytes.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub lfs: Vec<PathText>,
    /// Its repository lies inside of that of the working tree, which can bring it back.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_submodule: bool,
}

/// What git is in the middle of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Operation {
    Merge,
    Rebase,
    CherryPick,
    Revert,
    Bisect,
    /// `git am`
    Apply,
}

/// An ignored file that programs may read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Watched {
    pub path: PathText,
    /// The type and permission bits, as the system has them: `0o100644`, `0o120777`.
    pub mode: u32,
    pub size: u64,
    /// Of its bytes, or of where a link points.
    pub digest: Digest,
}

/// Something that is neither file, link nor directory.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Special {
    pub path: PathText,
    pub kind: SpecialKind,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SpecialKind {
    Pipe,
    Socket,
    Device,
    /// A folder or file called `.git` where git keeps none: git never looks inside.
    DotGit,
}

/// Something that git or another program obeys: a hook, a line of configuration.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Setting {
    /// `hooks/pre-commit`, `config core.hookspath`, `info/attributes`, `replaced …`, `~/…`
    pub name: PathText,
    pub digest: Digest,
    /// What it says, as far as that is short and looks like no secret. The digest alone decides
    /// whether it is the same.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub said: Vec<Said>,
}

/// One thing that a setting says.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Said {
    /// The file that says it, by its whole path; for a mark in the index, the file that is marked,
    /// from the top of the working tree.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at: Option<PathText>,
    /// The value, the name of the mark, or the text of the file. `None` for one that is not kept.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<PathText>,
}

/// A place that was not looked at in full.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Beyond {
    pub path: PathText,
    pub why: Why,
}

/// Why a place was not looked at in full.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Why {
    /// More ignored files than are watched.
    TooMany,
    /// An ignored file that is too large to be watched; its size is.
    TooLarge,
    /// An ignored file or folder that we may not read; of a file, size and mode are watched.
    Unreadable,
    /// Git refuses such a name. The bytes are watched, but they are not stored.
    Unrecordable,
}

/// What was at a path, or is there now.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "is", rename_all = "snake_case", deny_unknown_fields)]
pub enum State {
    /// `mode` has the permission bits as the system has them: `0o644`.
    File {
        object: ObjectId,
        mode: u32,
    },
    Link {
        object: ObjectId,
    },
    /// An ignored file: its content is not stored.
    Ignored {
        digest: Digest,
        size: u64,
        mode: u32,
    },
    /// A repository of its own.
    Repository {
        head: Option<ObjectId>,
        /// See [`Ground::is_submodule`].
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        is_submodule: bool,
    },
    Special {
        kind: SpecialKind,
    },
    /// A file that we may not read.
    Unreadable {
        mode: u32,
    },
}
