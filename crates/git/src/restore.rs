//! Recorded files in a folder of their own, with the bytes that they had.
//!
//! Unlike a checkout for work, nothing is converted and no filter runs: settings and attributes
//! may have changed since the files were recorded, and whoever changed them does not decide what
//! was recorded.

use std::fs;
use std::path::Path;

use countersign_domain::id::ObjectId;
use countersign_domain::snapshot::PathText;

use crate::checkout::{Tip, vacant};
use crate::command::Git;
use crate::discard::discard;
use crate::error::Error;
use crate::lfs;
use crate::private::Private;
use crate::repository::Repository;
use crate::tree::hash::Filters;

/// The attributes of a repository itself count more than those in its files.
const UNCONVERTED: &[u8] = b"* -text -crlf -eol -ident -filter -working-tree-encoding\n";

/// Recorded files to be restored.
#[derive(Debug, Clone, Copy)]
pub struct Restore<'a> {
    /// A directory that does not exist or is empty.
    pub into: &'a Path,
    pub tip: Tip<'a>,
    pub raw: Option<Raw<'a>>,
    /// The files of which LFS has the bytes.
    pub lfs: &'a [PathText],
}

/// The files of which git recorded other bytes than they had.
#[derive(Debug, Clone, Copy)]
pub struct Raw<'a> {
    pub store: &'a Path,
    pub tree: &'a ObjectId,
}

impl Repository {
    /// Writes recorded files into a directory of their own, byte for byte; gives those that are
    /// pointers, because LFS has their bytes no more. On failure nothing is left behind.
    pub fn restore(&self, spec: &Restore<'_>) -> Result<Vec<PathText>, Error> {
        let tree = self.tree_of(spec.tip)?;
        let path = vacant(spec.into)?;
        let made = self.fill_exactly(&path, &tree, spec);
        if made.is_err() {
            // The first error is the one to tell.
            discard(&path).ok();
        }
        made
    }

    fn fill_exactly(
        &self,
        path: &Path,
        tree: &ObjectId,
        spec: &Restore<'_>,
    ) -> Result<Vec<PathText>, Error> {
        let private = Private::create(path)?;
        self.furnish(&private, tree, Filters::Left)?;
        self.stand_on(&private, spec.tip)?;
        private.write("info/attributes", UNCONVERTED)?;
        self.fetch_promised(tree)?;
        self.git_plain(&private, path).args(["read-tree", "-m", "-u", tree.as_str()]).output()?;
        if let Some(raw) = spec.raw {
            let index = private.git_dir().join("raw-index");
            let git = || {
                let git = self.git_plain(&private, path).env("GIT_INDEX_FILE", &index);
                git.env("GIT_OBJECT_DIRECTORY", raw.store)
            };
            git().args(["read-tree", raw.tree.as_str()]).output()?;
            git().args(["checkout-index", "--force", "--all"]).output()?;
            fs::remove_file(&index).map_err(Error::io("remove", &index))?;
        }
        let pointers = self.fill_in_large(path, spec.lfs)?;
        // From here on, git shall see the files as it does in the user's repository.
        private.write("info/attributes", b"")?;
        private.copy(&self.layout().common_dir.join("info/attributes"), "info/attributes")?;
        Ok(pointers)
    }

    fn fill_in_large(&self, path: &Path, files: &[PathText]) -> Result<Vec<PathText>, Error> {
        if files.is_empty() {
            return Ok(Vec::new());
        }
        let config = self.config(&self.layout().git_dir)?;
        let Some(store) = self.lfs_store(config.last("lfs.storage")) else {
            return Ok(files.to_vec());
        };
        let mut pointers = Vec::new();
        for file in files {
            if !lfs::fill_in(&store, &path.join(file.as_path()))? {
                pointers.push(file.clone());
            }
        }
        Ok(pointers)
    }

    fn git_plain(&self, private: &Private, path: &Path) -> Git {
        let git = self.git_at(private.git_dir()).env("GIT_WORK_TREE", path).within(path);
        git.setting("core.autocrlf=false").setting("core.attributesFile=/dev/null")
    }

    /// Has git fetch what a partial clone has only promised, since a private repository can't.
    fn fetch_promised(&self, tree: &ObjectId) -> Result<(), Error> {
        let packs = self.layout().common_dir.join("objects/pack");
        let mut found = fs::read_dir(packs).into_iter().flatten().flatten();
        let is_promise = |name: &Path| name.extension().is_some_and(|end| end == "promisor");
        if found.any(|entry| is_promise(&entry.path())) {
            let files = self.list(tree)?;
            self.sizes(&files.iter().map(|file| &file.side.object).collect::<Vec<_>>())?;
        }
        Ok(())
    }
}
