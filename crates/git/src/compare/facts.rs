//! Which of what differs is what the current commit has, and which went to the stash.

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use countersign_domain::id::ObjectId;
use countersign_domain::snapshot::{FileChange, Found, Recorded, State};

use crate::diff::{Side, empty_tree};
use crate::discover;
use crate::error::Error;
use crate::index_file::IndexFile;
use crate::record::Session;

/// How a tree differs from the recorded one: what it has at each path that differs.
type Against = HashMap<PathBuf, Option<Side>>;

impl Session<'_> {
    pub(crate) fn add_facts(&self, recorded: &Recorded, found: &mut Found) -> Result<(), Error> {
        let Some(own) = recorded.grounds.first().map(|ground| &ground.tree) else {
            return Ok(());
        };
        if found.changes.is_empty() && found.position.head == recorded.position.head {
            return Ok(());
        }
        let nothing = empty(own)?;
        // The commit of a separate repository is not known to ours.
        let head = self.against(own, found.position.head.as_ref().unwrap_or(&nothing)).ok();
        found.trail.committed_content = head.as_ref().is_some_and(HashMap::is_empty);
        let at_head = head.unwrap_or_default();
        for change in &mut found.changes {
            let side = at_head.get(change.path.as_path());
            change.as_head = side.is_some_and(|side| is_same(side.as_ref(), change.after.as_ref()));
        }
        found.trail.work_left = left(&at_head, &found.changes, |_, side| side.is_some());
        if found.changes.iter().any(|change| change.as_head && change.after.is_none()) {
            let tracked = self.tracked()?;
            found.trail.added_left = left(&at_head, &found.changes, |path, side| {
                side.is_none() && !tracked.contains(path)
            });
        }
        let is_new = found.position.stash != recorded.position.stash;
        if let Some(stash) = found.position.stash.as_ref().filter(|_| is_new) {
            self.add_stash(own, stash, &mut found.changes)?;
        }
        Ok(())
    }

    /// Marks what is in the stash: in its files, or in those that git did not know.
    fn add_stash(
        &self,
        own: &ObjectId,
        stash: &ObjectId,
        changes: &mut [FileChange],
    ) -> Result<(), Error> {
        let Ok(files) = self.against(own, stash) else { return Ok(()) };
        let unknown = match self.repository.peel(&format!("{stash}^3^{{tree}}"))? {
            Some(tree) => self.against(&empty(&tree)?, &tree)?,
            None => Against::new(),
        };
        for change in changes {
            let path = change.path.as_path();
            let is_unknown = unknown.get(path).is_some_and(|side| {
                change.before.is_some() && is_same(side.as_ref(), change.before.as_ref())
            });
            change.in_stash = !files.contains_key(path) || is_unknown;
        }
        Ok(())
    }

    /// The paths that git's index knows now.
    fn tracked(&self) -> Result<HashSet<PathBuf>, Error> {
        let bytes = discover::read(&self.layout.git_dir.join("index"))?.unwrap_or_default();
        let index = IndexFile::new(bytes, SystemTime::UNIX_EPOCH, self.repository.hash_len()?);
        let mut paths = HashSet::new();
        index.walk(|entry| {
            paths.insert(discover::as_path(entry.path));
        });
        Ok(paths)
    }

    fn against(&self, own: &ObjectId, tree: &ObjectId) -> Result<Against, Error> {
        let changes = self.repository.diff_plain(own, tree)?;
        Ok(changes.into_iter().map(|change| (change.path, change.new)).collect())
    }
}

/// The tree without entries, which git knows without storing it.
fn empty(like: &ObjectId) -> Result<ObjectId, Error> {
    let unknown = |_| Error::UnknownRevision { revision: like.to_string() };
    empty_tree(like).parse().map_err(unknown)
}

/// How many paths differed from the commit and still do, of those that are `wanted`.
fn left(
    at_head: &Against,
    changes: &[FileChange],
    wanted: impl Fn(&Path, &Option<Side>) -> bool,
) -> u64 {
    let back = changes.iter().filter(|change| change.as_head);
    let back: HashSet<&Path> = back.map(|change| change.path.as_path()).collect();
    let left = at_head.iter().filter(|(path, _)| !back.contains(path.as_path()));
    left.filter(|(path, side)| wanted(path, side)).count() as u64
}

/// Whether a side of a difference is this state, as far as git records it.
fn is_same(side: Option<&Side>, state: Option<&State>) -> bool {
    match (side, state) {
        (None, None) => true,
        (Some(side), Some(State::File { object, mode })) => {
            let executable = if mode & 0o100 == 0 { 0o100_644 } else { 0o100_755 };
            side.object == *object && side.mode == executable
        }
        (Some(side), Some(State::Link { object })) => {
            side.object == *object && side.mode == 0o120_000
        }
        (Some(side), Some(State::Repository { head: Some(head), .. })) => {
            side.object == *head && side.mode == 0o160_000
        }
        _ => false,
    }
}
