//! Paths and globs, ready to be matched.

use std::collections::BTreeSet;

use globset::{Candidate, GlobSet};

use super::entry::Entry;
use super::tree::Tree;
use crate::snapshot::PathText;

#[derive(Debug, Clone, Default)]
pub(super) struct Patterns {
    /// Files, and folders with all that is in them.
    paths: BTreeSet<Vec<u8>>,
    folders: BTreeSet<Vec<u8>>,
    globs: GlobSet,
    /// Which text each of the globs comes from.
    origins: Vec<usize>,
}

impl Patterns {
    /// The patterns of entries, each with the number of the text that it comes from.
    pub(super) fn of(entries: &[(usize, Entry)]) -> Result<Self, globset::Error> {
        let mut patterns = Self::default();
        let mut globs = GlobSet::builder();
        for (origin, entry) in entries {
            match entry {
                Entry::Path(path) | Entry::Words(Some(path)) => {
                    patterns.paths.insert(path.clone());
                }
                Entry::Folder(path) => drop(patterns.folders.insert(path.clone())),
                Entry::Glob(glob) => {
                    globs.add((**glob).clone());
                    patterns.origins.push(*origin);
                }
                Entry::Macro(_) | Entry::Words(None) => {}
            }
        }
        patterns.globs = globs.build()?;
        Ok(patterns)
    }

    pub(super) fn has(&self, path: &PathText) -> bool {
        let bytes = path.as_bytes();
        let above = bytes.iter().enumerate().filter(|(_, byte)| **byte == b'/').map(|(at, _)| at);
        self.paths.contains(bytes)
            || self.paths.contains(&b""[..])
            || above.clone().any(|at| self.paths.contains(&bytes[..at]))
            || above.clone().any(|at| self.folders.contains(&bytes[..at]))
            || self.globs.is_match_candidate(&Candidate::from_bytes(bytes))
    }

    /// The texts of which something is there.
    pub(super) fn matched(&self, tree: &Tree<'_>, entries: &[(usize, Entry)]) -> BTreeSet<usize> {
        let there = |entry: &Entry| match entry {
            Entry::Path(path) => tree.has(path),
            Entry::Folder(path) => tree.has_folder(path),
            _ => false,
        };
        let paths = entries.iter().filter(|(_, entry)| there(entry)).map(|(origin, _)| *origin);
        let mut matched: BTreeSet<usize> = paths.collect();
        let mut found = Vec::new();
        for path in tree.paths.iter().take_while(|_| !self.origins.is_empty()) {
            let candidate = Candidate::from_bytes(path.as_bytes());
            self.globs.matches_candidate_into(&candidate, &mut found);
            matched.extend(found.iter().map(|glob| self.origins[*glob]));
        }
        matched
    }
}
