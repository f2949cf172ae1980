//! Standards: which sections of which documents hold for a task, and whether they still say
//! what they said when they were cited.

mod index;
mod mapping;
mod resolve;
mod section;
mod sentence;
mod slug;
mod span;
mod stale;

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::id::Digest;
pub use mapping::Mapping;
pub use resolve::{MAX_CITATIONS, files, resolve};
pub use section::{Section, sections};
pub use sentence::MAX_REQUIREMENT;
pub use span::LineSpan;
pub use stale::{Fate, Stale, stale};

/// The texts of documents, by their paths from the root of the repository.
pub type Documents = BTreeMap<String, String>;

/// A section of a standard that holds for a task, as it stood when it was cited.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Citation {
    /// The document's path, from the root of the repository.
    pub file: String,
    /// The heading's name in addresses, such as `line-limits-1`.
    pub section: String,
    /// What it asks for, in up to 140 characters.
    pub requirement: String,
    pub line_span: LineSpan,
    /// Of the lines of the span, each with one LF at its end.
    pub content_sha: Digest,
}
