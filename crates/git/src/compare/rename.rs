//! How far contents differ, and which file that is gone another one came from.

use std::collections::HashMap;
use std::fs;
use std::path::Path;

use countersign_domain::id::ObjectId;
use countersign_domain::snapshot::{FileChange, FileDrift, Kind, State, difference};

use super::Differing;
use crate::batch::{Batch, Object};
use crate::diff::{Change, Status};
use crate::error::Error;
use crate::record::Session;
use crate::repository::Repository;
use crate::scratch::{Purpose, Scratch};

/// Larger contents, and more of them, simply differ.
const MOST_BYTES: u64 = 1 << 20;
const MOST_TEXTS: usize = 2_000;

impl Session<'_> {
    /// Finds out of which files only the line endings or the layout differ.
    pub(crate) fn compare_texts(&self, differing: &mut Differing) -> Result<(), Error> {
        let open = differing.by_path.values_mut().filter_map(|differs| {
            let (Some(State::File { object: a, .. }), Some(State::File { object: b, .. })) =
                (&differs.before, &differs.after)
            else {
                return None;
            };
            let is_open = differs.difference.is_none() && differs.size <= MOST_BYTES;
            is_open.then(|| (a.clone(), b.clone(), &mut differs.difference))
        });
        let mut batch = None;
        for (before, after, found) in open.take(MOST_TEXTS) {
            let batch = match &mut batch {
                Some(batch) => batch,
                none => none.insert(Batch::start(self.repository)?),
            };
            // What was put under another's name says nothing about that one.
            let mut content = |object: &ObjectId| {
                batch.object(object.as_str()).ok().flatten().filter(Object::is_genuine)
            };
            if let (Some(before), Some(after)) = (content(&before), content(&after)) {
                *found = Some(difference(&before.content, &after.content));
            }
        }
        Ok(())
    }

    /// Finds out which new files were made from files that are gone.
    pub(crate) fn find_renames(&self, changes: &mut [FileChange]) -> Result<(), Error> {
        let side = |is_wanted: fn(&FileChange) -> bool| -> Vec<(&[u8], &State)> {
            let wanted = changes.iter().filter(|change| is_wanted(change));
            wanted
                .filter_map(|change| {
                    let state = change.before.as_ref().or(change.after.as_ref())?;
                    Some((change.path.as_bytes(), state))
                })
                .collect()
        };
        let gone = side(|change| change.after.is_none());
        let new = side(|change| change.before.is_none());
        let renames = || -> Result<Vec<Change>, Error> {
            let Some(gone) = self.repository.tree_with(&gone, &self.scratch)? else {
                return Ok(Vec::new());
            };
            let Some(new) = self.repository.tree_with(&new, &self.scratch)? else {
                return Ok(Vec::new());
            };
            self.repository.diff_bounded(&gone, &new, &self.scratch)
        };
        let renames = match renames() {
            // With nothing left of what is gone, nobody can tell what became of it.
            Err(Error::LostObject { .. } | Error::Failed { .. }) => Vec::new(),
            other => other?,
        };
        let mut from = HashMap::new();
        for change in renames {
            if let Status::Renamed { from: old } = change.status {
                from.insert(change.path, old);
            }
        }
        for change in changes.iter_mut().filter(|change| change.before.is_none()) {
            let old = from.get(change.path.as_path());
            change.from = old.map(|old| old.as_path().into());
        }
        Ok(())
    }
}

impl Repository {
    /// The hunks of files that drifted, as one patch from what was recorded to what was found.
    /// Ignored files have none: their content is not stored.
    pub fn patch_of(&self, files: &[FileDrift], scratch: &Path) -> Result<Vec<u8>, Error> {
        let scratch = Scratch::create(scratch, Purpose::Patch)?;
        let mut before = Vec::new();
        let mut after = Vec::new();
        for file in files {
            let old = match &file.kind {
                Kind::Renamed { from } => from,
                _ => &file.path,
            };
            before.extend(file.before.iter().map(|state| (old.as_bytes(), state)));
            after.extend(file.after.iter().map(|state| (file.path.as_bytes(), state)));
        }
        let tree = |side: &[(&[u8], &State)]| self.tree_or_empty(side, scratch.path());
        self.patch(&tree(&before)?, &tree(&after)?)
    }

    fn tree_or_empty(&self, side: &[(&[u8], &State)], scratch: &Path) -> Result<ObjectId, Error> {
        match self.tree_with(side, scratch)? {
            Some(tree) => Ok(tree),
            None => self.git().args(["mktree"]).input(Vec::new()).object(),
        }
    }

    /// A tree with these files and links in it; `None` when there are none.
    fn tree_with(
        &self,
        files: &[(&[u8], &State)],
        scratch: &Path,
    ) -> Result<Option<ObjectId>, Error> {
        let mut lines = Vec::new();
        for (path, state) in files {
            let (mode, object) = match state {
                State::File { object, mode } if mode & 0o100 != 0 => ("100755", object),
                State::File { object, .. } => ("100644", object),
                State::Link { object } => ("120000", object),
                _ => continue,
            };
            lines.extend(format!("{mode} {object}\t").into_bytes());
            lines.extend_from_slice(path);
            lines.push(0);
        }
        if lines.is_empty() {
            return Ok(None);
        }
        let index = scratch.join("tree");
        fs::remove_file(&index).ok();
        let git = || self.git().env("GIT_INDEX_FILE", &index);
        // A file may have taken the place of a folder.
        let asked = ["update-index", "--replace", "-z", "--index-info"];
        git().args(asked).input(lines).output()?;
        git().arg("write-tree").object().map(Some)
    }
}
