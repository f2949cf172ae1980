//! Trees put together from others: the code of one, the tests of another.
//!
//! Nothing is checked out for it, and nothing of the user's is touched: a private index takes the
//! tree, the edits, and gives another tree.

use std::fs;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

use countersign_domain::id::ObjectId;

use crate::diff::{Change, Side};
use crate::error::Error;
use crate::repository::Repository;

/// What a path of a tree becomes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Edit {
    pub path: PathBuf,
    /// `None` takes it away.
    pub to: Option<Side>,
}

impl Repository {
    /// The paths that differ between two trees, each once: a renamed file is one that is gone and
    /// one that is new.
    pub fn differences(&self, from: &ObjectId, to: &ObjectId) -> Result<Vec<Change>, Error> {
        self.diff_plain(from, to)
    }

    /// `tree` with `edits`. A file takes the place of a folder of its name, and the other way
    /// round. The tree is kept by nothing: see [`Repository::keep`].
    pub fn compose(
        &self,
        tree: &ObjectId,
        edits: &[Edit],
        scratch: &Path,
    ) -> Result<ObjectId, Error> {
        if edits.is_empty() {
            return Ok(tree.clone());
        }
        fs::create_dir_all(scratch).map_err(Error::io("create", scratch))?;
        let private = tempfile::Builder::new().prefix("compose-").tempdir_in(scratch);
        let private = private.map_err(Error::io("create a directory in", scratch))?;
        let folder = fs::canonicalize(private.path()).map_err(Error::io("open", scratch))?;
        let file = folder.join("index");
        let git = || self.git().env("GIT_INDEX_FILE", &file).env("GIT_INDEX_VERSION", "2");
        self.index_of(tree, (&file, &git))?;
        let asked = ["update-index", "-z", "--replace", "--index-info"];
        git().args(asked).input(lines(tree, edits)).output()?;
        let composed = git().arg("write-tree").object()?;
        // What is made of it next is a checkout.
        self.remember_index(&composed, &file)?;
        Ok(composed)
    }

    /// Stores `bytes` as a file's content.
    pub fn store(&self, bytes: &[u8]) -> Result<ObjectId, Error> {
        self.git().args(["hash-object", "-w", "--no-filters", "--stdin"]).input(bytes).object()
    }
}

/// What `update-index` reads. What goes comes first, to make room for what comes.
fn lines(tree: &ObjectId, edits: &[Edit]) -> Vec<u8> {
    let nothing = "0".repeat(tree.as_str().len());
    let mut text = Vec::new();
    let gone = edits.iter().filter(|edit| edit.to.is_none());
    for edit in gone.chain(edits.iter().filter(|edit| edit.to.is_some())) {
        let head = match &edit.to {
            Some(side) => format!("{:06o} {}\t", side.mode, side.object),
            None => format!("0 {nothing}\t"),
        };
        text.extend_from_slice(head.as_bytes());
        text.extend_from_slice(edit.path.as_os_str().as_bytes());
        text.push(0);
    }
    text
}
