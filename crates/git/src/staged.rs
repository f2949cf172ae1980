//! Work that lies in git's index and not on disk. A recording has what is on disk, so it is told, and
//! kept beside it.

use std::fs;
use std::path::Path;

use countersign_domain::id::ObjectId;
use countersign_domain::snapshot::PathText;

use crate::error::Error;
use crate::repository::Repository;
use crate::scratch::{Purpose, Scratch};

/// What is staged and is not what lies on disk.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Staged {
    pub paths: Vec<PathText>,
    /// Everything that is staged; `None` where git can't make a tree of it, as with conflicts.
    pub tree: Option<ObjectId>,
}

impl Repository {
    /// What is staged in our own working tree and lies there with another content, or not at all.
    pub fn staged_apart(&self, scratch: &Path) -> Result<Option<Staged>, Error> {
        let own = self.layout().git_dir.join("index");
        let private = Scratch::create(scratch, Purpose::Record)?;
        let copy = private.path().join("index");
        match fs::copy(&own, &copy) {
            Ok(_) => {}
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(Error::io("read", &own)(error)),
        }
        let worktree = &self.layout().worktree;
        let git = || {
            self.git().env("GIT_WORK_TREE", worktree).env("GIT_INDEX_FILE", &copy).within(worktree)
        };
        let asked = ["status", "--porcelain=v1", "-z", "--untracked-files=no", "--no-renames"];
        let said = git().args(asked).arg("--ignore-submodules=all").output()?;
        let paths: Vec<PathText> = said.split(|byte| *byte == 0).filter_map(apart).collect();
        if paths.is_empty() {
            return Ok(None);
        }
        Ok(Some(Staged { paths, tree: git().arg("write-tree").object().ok() }))
    }
}

/// Reads `XY PATH`: X is what is staged, Y what was done on disk since.
fn apart(line: &[u8]) -> Option<PathText> {
    let (staged, since) = (*line.first()?, *line.get(1)?);
    let is_apart = b"MATD".contains(&staged) && b"MTD".contains(&since);
    is_apart.then(|| PathText::new(line.get(3..).unwrap_or_default()))
}
