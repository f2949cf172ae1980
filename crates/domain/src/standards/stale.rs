//! Whether what was cited is still what is written.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::index::Index;
use super::span::LineSpan;
use super::{Citation, Documents};
use crate::id::Digest;

/// A citation whose text is not where it was.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Stale {
    pub file: String,
    pub section: String,
    #[serde(flatten)]
    pub fate: Fate,
}

impl Stale {
    /// Whether the context must be built again. A text that only moved is still the same text.
    pub fn is_stale(&self) -> bool {
        !matches!(self.fate, Fate::Moved { .. })
    }
}

/// What became of a cited text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "fate")]
pub enum Fate {
    /// The same text on other lines, or under a heading with another number.
    Moved { now: String, line_span: LineSpan },
    /// Another text under the same heading.
    Changed { line_span: LineSpan, content_sha: Digest },
    /// The document has no such heading any more; these are the nearest.
    SectionGone { nearest: Vec<String> },
    /// The document is not there.
    FileGone,
}

/// What became of those citations that are not as they were, in their order.
pub fn stale(citations: &[Citation], documents: &Documents) -> Vec<Stale> {
    let mut known: BTreeMap<&str, Option<Index>> = BTreeMap::new();
    let mut found = Vec::new();
    for citation in citations {
        let index = known
            .entry(&citation.file)
            .or_insert_with_key(|file| documents.get(*file).map(|text| Index::of(text)));
        let fate = match index {
            None => Some(Fate::FileGone),
            Some(index) => fate(citation, index),
        };
        found.extend(fate.map(|fate| Stale {
            file: citation.file.clone(),
            section: citation.section.clone(),
            fate,
        }));
    }
    found
}

fn fate(citation: &Citation, index: &Index) -> Option<Fate> {
    let named = index.named(&citation.section);
    let here = named.filter(|section| section.content_sha == citation.content_sha);
    if let Some(section) = here.or_else(|| index.with_content(citation.content_sha)) {
        let stayed = section.slug == citation.section && section.line_span == citation.line_span;
        let (now, line_span) = (section.slug.clone(), section.line_span);
        return (!stayed).then_some(Fate::Moved { now, line_span });
    }
    Some(match named {
        Some(section) => {
            Fate::Changed { line_span: section.line_span, content_sha: section.content_sha }
        }
        None => {
            let nearest = index.nearest(&citation.section).into_iter().map(str::to_owned);
            Fate::SectionGone { nearest: nearest.collect() }
        }
    })
}
