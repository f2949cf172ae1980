//! What differs between two recorded moments: of the working tree and of every repository in it.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

use countersign_domain::id::ObjectId;
use countersign_domain::snapshot::{Ground, PathText, Recorded};

use crate::diff::{Change, DiffStat, Status, empty_tree};
use crate::error::Error;
use crate::repository::Repository;

/// One repository at two moments; a tree without entries stands for one that was not there.
struct Pair<'r> {
    path: &'r PathText,
    from: ObjectId,
    to: ObjectId,
}

impl Repository {
    /// The paths that differ, from the top of the working tree.
    pub fn diff_between(&self, from: &Recorded, to: &Recorded) -> Result<Vec<Change>, Error> {
        let mut found = Vec::new();
        for pair in pairs(from, to)? {
            for change in self.diff(&pair.from, &pair.to)? {
                found.push(within(pair.path.as_path(), change));
            }
        }
        Ok(found)
    }

    /// The whole difference as one patch, with paths from the top of the working tree.
    pub fn patch_between(&self, from: &Recorded, to: &Recorded) -> Result<Vec<u8>, Error> {
        let mut patch = Vec::new();
        for pair in pairs(from, to)? {
            patch.extend(self.patch_below(pair.path.as_path(), &pair.from, &pair.to)?);
        }
        Ok(patch)
    }

    /// How many files and lines differ.
    pub fn stat_between(&self, from: &Recorded, to: &Recorded) -> Result<DiffStat, Error> {
        let mut sum = DiffStat::default();
        for pair in pairs(from, to)? {
            let stat = self.stat(&pair.from, &pair.to)?;
            sum.files += stat.files;
            sum.insertions += stat.insertions;
            sum.deletions += stat.deletions;
        }
        Ok(sum)
    }
}

/// The repositories of which the content differs.
fn pairs<'r>(from: &'r Recorded, to: &'r Recorded) -> Result<Vec<Pair<'r>>, Error> {
    let mut paths: Vec<&PathText> =
        from.grounds.iter().chain(&to.grounds).map(|ground| &ground.path).collect();
    paths.sort();
    paths.dedup();
    let mut pairs = Vec::new();
    for path in paths {
        let tree = |grounds: &[Ground]| {
            grounds.iter().find(|ground| ground.path == *path).map(|ground| ground.tree.clone())
        };
        let (from, to) = (tree(&from.grounds), tree(&to.grounds));
        let Some(like) = from.as_ref().or(to.as_ref()) else { continue };
        let unknown = |_| Error::UnknownRevision { revision: like.to_string() };
        let nothing: ObjectId = empty_tree(like.as_str().len()).parse().map_err(unknown)?;
        let (from, to) = (from.unwrap_or_else(|| nothing.clone()), to.unwrap_or(nothing));
        if from != to {
            pairs.push(Pair { path, from, to });
        }
    }
    Ok(pairs)
}

/// The change as seen from the top, when it is one below `folder`.
fn within(folder: &Path, change: Change) -> Change {
    let whole = |path: PathBuf| folder.join(path);
    let status = match change.status {
        Status::Renamed { from } => Status::Renamed { from: whole(from) },
        other => other,
    };
    Change { path: whole(change.path), status, ..change }
}

/// `a/` or `b/` and the folder, as it stands before the paths of a patch.
pub(crate) fn prefix(side: &str, folder: &Path) -> OsString {
    let mut prefix = OsString::from(side);
    if !folder.as_os_str().is_empty() {
        prefix.push(folder);
        prefix.push(OsStr::from_bytes(b"/"));
    }
    prefix
}
