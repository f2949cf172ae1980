//! What differs between two recorded moments: of the working tree and of every repository in it.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

use countersign_domain::id::ObjectId;
use countersign_domain::snapshot::{Ground, PathText, Recorded};

use crate::diff::{Change, DiffStat, Status, empty_tree};
use crate::error::Error;
use crate::repository::Repository;

mod bounded;

use bounded::MOST_OF_PATCH;

/// One repository at two moments; a tree without entries stands for one that was not there.
pub(crate) struct Pair<'r> {
    pub(crate) path: &'r PathText,
    pub(crate) from: ObjectId,
    pub(crate) to: ObjectId,
}

/// The difference of two moments.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Patch {
    /// What `git apply` takes. Before it stand lines about what is too large to be shown.
    pub bytes: Vec<u8>,
    /// What is too large to be shown.
    pub left_out: Vec<PathText>,
}

impl Repository {
    /// The paths that differ, from the top of the working tree. `scratch` is for temporary files.
    pub fn diff_between(
        &self,
        (from, to): (&Recorded, &Recorded),
        scratch: &Path,
    ) -> Result<Vec<Change>, Error> {
        let mut found = Vec::new();
        for pair in pairs(from, to)? {
            for change in self.diff_bounded(&pair.from, &pair.to, scratch)? {
                found.push(within(pair.path.as_path(), change));
            }
        }
        Ok(found)
    }

    /// The whole difference as one patch, with paths from the top of the working tree.
    pub fn patch_between(
        &self,
        (from, to): (&Recorded, &Recorded),
        scratch: &Path,
    ) -> Result<Patch, Error> {
        let (mut told, mut shown, mut left_out) = (Vec::new(), Vec::new(), Vec::new());
        let mut most = MOST_OF_PATCH;
        for pair in pairs(from, to)? {
            let folder = pair.path.as_path();
            let bounded = self.bounded(&pair.from, &pair.to, (most, scratch))?;
            for aside in &bounded.aside {
                told.extend(aside.words(folder).into_bytes());
                left_out.push(folder.join(&aside.change.path).as_path().into());
            }
            let patch = self.patch_below(folder, &pair.from, &bounded.to)?;
            most = most.saturating_sub(patch.len() as u64);
            shown.extend(patch);
        }
        Ok(Patch { bytes: [told, shown].concat(), left_out })
    }

    /// How many files and lines differ. What is too large to be compared has no lines.
    pub fn stat_between(
        &self,
        (from, to): (&Recorded, &Recorded),
        scratch: &Path,
    ) -> Result<DiffStat, Error> {
        let mut sum = DiffStat::default();
        for pair in pairs(from, to)? {
            let bounded = self.bounded(&pair.from, &pair.to, (u64::MAX, scratch))?;
            let stat = self.stat(&pair.from, &bounded.to)?;
            sum.files += stat.files + bounded.aside.len() as u64;
            sum.insertions += stat.insertions;
            sum.deletions += stat.deletions;
        }
        Ok(sum)
    }
}

/// The repositories of which the content differs.
pub(crate) fn pairs<'r>(from: &'r Recorded, to: &'r Recorded) -> Result<Vec<Pair<'r>>, Error> {
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
        let nothing: ObjectId = empty_tree(like).parse().map_err(unknown)?;
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
