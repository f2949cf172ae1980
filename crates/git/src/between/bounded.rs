//! Differences of any size in bounded memory: git reads both sides of a file whole to compare
//! them, so files that are too large for that are set aside and told by name and size.

use std::cmp::Reverse;
use std::collections::{HashMap, HashSet};
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;

use countersign_domain::id::ObjectId;
use countersign_domain::snapshot::PathText;

use crate::diff::{Change, Side, Status};
use crate::error::Error;
use crate::repository::Repository;
use crate::scratch::{Purpose, Scratch};

/// A file of which both sides together have more bytes than this is not compared.
const MOST_OF_FILE: u64 = 16 << 20;

/// No more than this of contents goes into one patch; the largest files are left out first.
pub(super) const MOST_OF_PATCH: u64 = 64 << 20;

const MODE_GITLINK: u32 = 0o160_000;

/// Two trees that can be compared, and what was set aside for that.
#[derive(Debug)]
pub(super) struct Bounded {
    /// The later tree, in which what is set aside is as it was in the earlier one.
    pub(super) to: ObjectId,
    pub(super) aside: Vec<Aside>,
}

/// A change that is told, but not shown.
#[derive(Debug)]
pub(super) struct Aside {
    pub(super) change: Change,
    pub(super) bytes: u64,
}

impl Aside {
    /// A line for the place where a patch would show it.
    pub(super) fn words(&self, folder: &Path) -> String {
        let path = PathText::from(folder.join(&self.change.path).as_path());
        let name = |side: &Option<Side>| {
            side.as_ref().map_or("nothing".to_owned(), |side| side.object.to_string())
        };
        let (old, new) = (name(&self.change.old), name(&self.change.new));
        format!("# {path} is too large to be shown ({} bytes): {old} to {new}\n", self.bytes)
    }
}

impl Repository {
    /// Sets aside what is too large, and the largest of the rest until all has at most `most`
    /// bytes.
    pub(super) fn bounded(
        &self,
        from: &ObjectId,
        to: &ObjectId,
        (most, scratch): (u64, &Path),
    ) -> Result<Bounded, Error> {
        let mut changes = self.diff_plain(from, to)?;
        let sizes = self.sizes_of(&changes)?;
        let bytes = |change: &Change| -> u64 {
            let both = [&change.old, &change.new].into_iter().flatten();
            both.filter_map(|side| sizes.get(&side.object)).sum()
        };
        changes.sort_by_cached_key(|change| Reverse(bytes(change)));
        let mut left: u64 = changes.iter().map(&bytes).sum();
        let mut aside = Vec::new();
        for change in changes {
            let bytes = bytes(&change);
            if bytes <= MOST_OF_FILE && left <= most {
                break;
            }
            left -= bytes;
            aside.push(Aside { change, bytes });
        }
        let to = if aside.is_empty() { to.clone() } else { self.without(to, &aside, scratch)? };
        Ok(Bounded { to, aside })
    }

    /// The paths that differ, of which only those are compared that are not too large.
    pub(crate) fn diff_bounded(
        &self,
        from: &ObjectId,
        to: &ObjectId,
        scratch: &Path,
    ) -> Result<Vec<Change>, Error> {
        let bounded = self.bounded(from, to, (u64::MAX, scratch))?;
        let mut found = self.diff(from, &bounded.to)?;
        found.extend(changes(bounded.aside));
        Ok(found)
    }

    fn sizes_of(&self, changes: &[Change]) -> Result<HashMap<ObjectId, u64>, Error> {
        let both = changes.iter().flat_map(|change| [&change.old, &change.new]).flatten();
        let blobs: HashSet<&ObjectId> =
            both.filter(|side| side.mode != MODE_GITLINK).map(|side| &side.object).collect();
        let blobs: Vec<&ObjectId> = blobs.into_iter().collect();
        let sizes = self.sizes(&blobs)?;
        let known = blobs.into_iter().cloned().zip(sizes);
        Ok(known.filter_map(|(object, size)| Some((object, size?))).collect())
    }

    /// `tree` with what is set aside as it was before.
    fn without(&self, tree: &ObjectId, aside: &[Aside], scratch: &Path) -> Result<ObjectId, Error> {
        let private = Scratch::create(scratch, Purpose::Patch)?;
        let index = private.path().join("index");
        let git = || self.git().env("GIT_INDEX_FILE", &index);
        git().args(["read-tree", tree.as_str()]).output()?;
        let nothing = "0".repeat(tree.as_str().len());
        let mut lines = Vec::new();
        for Aside { change, .. } in aside {
            match &change.old {
                Some(old) => lines.extend(format!("{:o} {}\t", old.mode, old.object).into_bytes()),
                None => lines.extend(format!("0 {nothing}\t").into_bytes()),
            }
            lines.extend_from_slice(change.path.as_os_str().as_bytes());
            lines.push(0);
        }
        // A file may have taken the place of a folder.
        let asked = ["update-index", "--replace", "-z", "--index-info"];
        git().args(asked).input(lines).output()?;
        git().args(["write-tree", "--missing-ok"]).object()
    }
}

/// The changes that were set aside; what went from one place and came unchanged to another was
/// moved.
fn changes(aside: Vec<Aside>) -> Vec<Change> {
    let (mut gone, mut found) = (Vec::new(), Vec::new());
    for Aside { change, .. } in aside {
        match change.status {
            Status::Deleted => gone.push(change),
            _ => found.push(change),
        }
    }
    for change in found.iter_mut().filter(|change| change.status == Status::Added) {
        let is_same = |gone: &Change| {
            let object = |side: &Option<Side>| side.as_ref().map(|side| side.object.clone());
            object(&gone.old) == object(&change.new)
        };
        if let Some(at) = gone.iter().position(is_same) {
            let gone = gone.swap_remove(at);
            change.status = Status::Renamed { from: gone.path };
            change.old = gone.old;
        }
    }
    found.extend(gone);
    found
}
