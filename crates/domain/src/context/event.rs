//! What can happen to a context. The serialised names are stored for ever: add, never change.

use serde::{Deserialize, Serialize};

use super::evidence::Evidence;
use super::measured::Measured;
use super::place::Place;
use crate::id::{Digest, ObjectId};
use crate::ledger::Stored;
use crate::snapshot::{Drift, PathText, Recorded};

/// A text that is kept as a blob.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Text {
    pub blob: Digest,
    pub bytes: u64,
}

/// The first event of every context, and of every further one for the same task.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Opened {
    /// The bytes of the immutable account; its digest is what the context is known by.
    pub context: Text,
    pub manifest: Text,
    /// The texts that it was made from.
    pub sources: Vec<Text>,
    /// The roles, in the order in which they work.
    pub roles: Vec<String>,
    /// Where the task file lies in the repository.
    pub task_file: String,
    pub task_file_sha: Digest,
    /// The tree as it was found, with whatever was not committed.
    pub start: Recorded,
    /// The ignore rules outside of the tree, as they were then and stay for this context.
    pub rules: Text,
    /// The root of the working tree that the roles work in.
    pub worktree: String,
    /// What that working tree is known by besides its path.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub place: Option<Place>,
    /// What looked like a secret and was let through by a person: the names of the rules.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub forced_secrets: Vec<String>,
}

/// Where a role stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RoleStatus {
    Pending,
    InProgress,
    Done,
    Blocked,
}

impl RoleStatus {
    pub const ALL: [Self; 4] = [Self::Pending, Self::InProgress, Self::Done, Self::Blocked];

    pub fn name(self) -> &'static str {
        match self {
            Self::Pending => "pending",
            Self::InProgress => "in_progress",
            Self::Done => "done",
            Self::Blocked => "blocked",
        }
    }
}

/// What is told about a role while it works.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Updated {
    pub role: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub status: Option<RoleStatus>,
    /// The id of an attached log.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub qa_log: Option<String>,
    /// The agent's own session.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
    /// The tree that was compared with what the role before it left.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub verified: Option<ObjectId>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub forced_secrets: Vec<String>,
}

/// One file that a role changed, against the base.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FileRecord {
    pub path: PathText,
    /// added, deleted, modified, mode, type, renamed.
    pub status: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub renamed_from: Option<PathText>,
    /// What git calls the content now, and what it called it in the base.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub object: Option<ObjectId>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub previous: Option<ObjectId>,
    /// Git's mode in octal, such as 100755.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mode: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub size: Option<u64>,
    /// Whether the task's scope has no place for it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_out_of_scope: bool,
}

/// What one role added to what the step before it left.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Incremental {
    /// The step that it is compared with: `start`, a role, or `resolution`.
    pub from: String,
    pub diff: Option<Text>,
    /// The digest of the diff with plain line ends.
    pub sha: Option<Digest>,
    /// Why there is none: the earlier tree is lost.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
}

/// A role handed its work over.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Handed {
    pub role: String,
    pub recorded: Recorded,
    /// The commit that the task began from.
    pub base_commit: Option<ObjectId>,
    /// All changes since the task began.
    pub diff: Text,
    /// The digest of that diff with plain line ends.
    pub diff_sha: Digest,
    pub incremental: Incremental,
    pub files: Vec<FileRecord>,
    pub insertions: u64,
    pub deletions: u64,
    /// A digest over what is on disk for the task's scope.
    pub scope: Digest,
    /// Files with the markers of a conflict in them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub conflicts: Vec<PathText>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
    /// The rules that took something in the work for a secret, which was handed over all the same.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub forced_secrets: Vec<String>,
}

/// The tree was not what the last step left.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Drifted {
    /// The step whose tree was expected.
    pub expected: String,
    pub drift: Drift,
    /// Who is known to have changed what: "PATH: edited by session ID at TIME".
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub attributed: Vec<String>,
}

/// A person said why the tree is as it is: from now on this is what is expected.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Resolved {
    pub note: String,
    pub recorded: Recorded,
    /// What changed since the step before.
    pub incremental: Incremental,
}

/// The roles work in another working tree from now on, or in the same one at another path.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Adopted {
    pub worktree: String,
    pub place: Place,
    pub note: String,
}

/// A role attached something.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Attached {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub role: Option<String>,
    pub evidence: Evidence,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub forced_secrets: Vec<String>,
}

/// The immutable account was made anew from its sources.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Rebuilt {
    pub context: Text,
    pub manifest: Text,
    /// The texts that it was made from.
    pub sources: Vec<Text>,
    pub task_file_sha: Digest,
    /// The sources that are no longer what they were.
    pub changed: Vec<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub forced_secrets: Vec<String>,
}

/// Something that happened to a context.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", content = "body", rename_all = "snake_case")]
pub enum ContextEvent {
    Opened(Box<Opened>),
    Updated(Updated),
    /// A role found something that must be dealt with before the work goes on.
    Blocked {
        role: String,
        finding: String,
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        forced_secrets: Vec<String>,
    },
    /// It was dealt with.
    Cleared {
        role: String,
        finding: u32,
        note: String,
    },
    Handed(Box<Handed>),
    Drifted(Box<Drifted>),
    Resolved(Box<Resolved>),
    Adopted(Adopted),
    Measured(Box<Measured>),
    Attached(Attached),
    Rebuilt(Rebuilt),
    /// A file of the context was changed by another hand than ours.
    Tampered {
        file: String,
        expected: Digest,
        found: Option<Digest>,
    },
    /// The working files are gone; trees and texts are kept for the retention time.
    Purged {
        because: String,
    },
    /// The kept trees were let go.
    Released {},
}

impl Stored for ContextEvent {
    const PREFIX: &'static str = "context.";
}

impl ContextEvent {
    /// The stream of the context of `task`.
    pub fn stream(task: &str) -> String {
        format!("context/{task}")
    }

    /// The blobs that this event refers to.
    pub fn blobs(&self) -> Vec<Digest> {
        let of = |text: &Text| text.blob;
        match self {
            Self::Opened(opened) => {
                let own = [&opened.context, &opened.manifest, &opened.rules];
                own.into_iter().chain(&opened.sources).map(of).collect()
            }
            Self::Handed(handed) => {
                let own = handed.incremental.diff.iter().map(of);
                own.chain([of(&handed.diff)]).collect()
            }
            Self::Resolved(resolved) => resolved.incremental.diff.iter().map(of).collect(),
            Self::Measured(measured) => {
                let compared = measured.comparison.iter().map(of);
                compared.chain([of(&measured.log), of(&measured.report)]).collect()
            }
            Self::Attached(attached) => vec![of(&attached.evidence.content)],
            Self::Rebuilt(rebuilt) => {
                let own = [&rebuilt.context, &rebuilt.manifest];
                own.into_iter().chain(&rebuilt.sources).map(of).collect()
            }
            Self::Updated(_)
            | Self::Blocked { .. }
            | Self::Cleared { .. }
            | Self::Adopted(_)
            | Self::Drifted(_)
            | Self::Tampered { .. }
            | Self::Purged { .. }
            | Self::Released {} => Vec::new(),
        }
    }
}
