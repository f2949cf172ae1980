//! The paths of a repository, in order, to look things up.

use super::path;
use crate::snapshot::PathText;

/// How many paths are looked at for a hint.
const MAX_HINTED: usize = 200_000;

pub(super) struct Tree<'a> {
    pub(super) paths: Vec<&'a PathText>,
}

impl<'a> Tree<'a> {
    pub(super) fn of(paths: &'a [PathText]) -> Self {
        let mut paths: Vec<&PathText> = paths.iter().collect();
        paths.sort_unstable();
        paths.dedup();
        Self { paths }
    }

    pub(super) fn has_file(&self, path: &[u8]) -> bool {
        self.paths.binary_search_by(|known| known.as_bytes().cmp(path)).is_ok()
    }

    /// Whether there are files below `path`.
    pub(super) fn has_folder(&self, path: &[u8]) -> bool {
        let below = [path, b"/"].concat();
        let at = self.paths.partition_point(|known| known.as_bytes() < &below[..]);
        path.is_empty() && !self.paths.is_empty()
            || self.paths.get(at).is_some_and(|known| known.as_bytes().starts_with(&below))
    }

    pub(super) fn has(&self, path: &[u8]) -> bool {
        self.has_file(path) || self.has_folder(path)
    }

    /// A path that may be meant by one that isn't there: in another case, or in another folder.
    pub(super) fn like(&self, path: &[u8]) -> Option<String> {
        let paths = || self.paths.iter().take(MAX_HINTED);
        let cased = paths().find_map(|known| {
            let start = known.as_bytes().get(..path.len())?;
            let ends = matches!(known.as_bytes().get(path.len()), None | Some(b'/'));
            (ends && start.eq_ignore_ascii_case(path)).then(|| PathText::new(start))
        });
        let name = path.rsplit(|byte| *byte == b'/').next().unwrap_or(path);
        let elsewhere = || {
            let named = |known: &&&PathText| {
                known.as_bytes().rsplit(|byte| *byte == b'/').next() == Some(name)
            };
            paths().find(named).map(|known| (*known).clone())
        };
        cased.or_else(elsewhere).map(|path| path::quoted(&path))
    }
}
