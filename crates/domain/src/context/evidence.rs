//! Files and excerpts that belong to a task. The serialised names are stored for ever.

use serde::{Deserialize, Serialize};

use super::event::Text;

/// What sort of thing was attached.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EvidenceKind {
    File,
    Archive,
    Log,
    Screenshot,
    QaOutput,
    Summary,
    Diff,
    Plan,
    Excerpt,
}

impl EvidenceKind {
    pub const ALL: [Self; 9] = [
        Self::File,
        Self::Archive,
        Self::Log,
        Self::Screenshot,
        Self::QaOutput,
        Self::Summary,
        Self::Diff,
        Self::Plan,
        Self::Excerpt,
    ];

    pub fn name(self) -> &'static str {
        match self {
            Self::File => "file",
            Self::Archive => "archive",
            Self::Log => "log",
            Self::Screenshot => "screenshot",
            Self::QaOutput => "qa_output",
            Self::Summary => "summary",
            Self::Diff => "diff",
            Self::Plan => "plan",
            Self::Excerpt => "excerpt",
        }
    }

    /// The most bytes that one may have.
    pub fn max_bytes(self) -> u64 {
        const MIB: u64 = 1024 * 1024;
        match self {
            Self::File | Self::Plan => MIB,
            Self::Archive => 50 * MIB,
            Self::Log | Self::QaOutput | Self::Diff => 10 * MIB,
            Self::Screenshot => 5 * MIB,
            Self::Summary => MIB / 2,
            Self::Excerpt => 16 * 1024,
        }
    }
}

/// Something that belongs to the task, by its digest.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Evidence {
    /// Sixteen digits of the digest of kind, name and content.
    pub id: String,
    pub kind: EvidenceKind,
    /// Where it came from, in the repository if it lies there.
    pub path: String,
    pub content: Text,
    /// The lines of an excerpt, such as L42-L68.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lines: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub command: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exit_code: Option<i32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub duration_ms: Option<u64>,
}
