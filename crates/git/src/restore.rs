//! Recorded files in a folder of their own, with the bytes that they had.
//!
//! Unlike a checkout for work, nothing is converted and no filter runs: settings and attributes
//! may have changed since the files were recorded, and whoever changed them does not decide what
//! was recorded.

use std::fs;
use std::io;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

use countersign_domain::id::ObjectId;
use countersign_domain::snapshot::{PathText, Recorded};

use crate::checkout::{Tip, vacant};
use crate::command::Git;
use crate::commit::Identity;
use crate::discard::discard;
use crate::discover::{as_path, discover};
use crate::error::Error;
use crate::lfs;
use crate::private::Private;
use crate::repository::Repository;
use crate::scratch::{Purpose, Scratch};
use crate::tree::cache::{self, Known};
use crate::tree::hash::Filters;
use crate::tree::row::What;

/// The attributes of a repository itself count more than those in its files.
const UNCONVERTED: &[u8] = b"* -text -crlf -eol -ident -filter -working-tree-encoding\n";

/// Recorded files to be restored.
#[derive(Debug, Clone, Copy)]
pub struct Restore<'a> {
    /// A directory that does not exist or is empty.
    pub into: &'a Path,
    pub tip: Tip<'a>,
    /// Where the repository lies in the working tree that was recorded.
    pub ground: &'a PathText,
    pub raw: Option<Raw<'a>>,
    /// The files of which LFS has the bytes.
    pub lfs: &'a [PathText],
    /// The permission bits of the files, if they are known.
    pub modes: Option<&'a Modes>,
}

/// The permission bits that recorded files had, as the stat cache of their step has them.
#[derive(Debug)]
pub struct Modes(Vec<Known>);

impl Modes {
    /// Reads them; `None` if the cache is gone, or is not the one of `recorded`.
    pub fn read(cache: &Path, recorded: &Recorded) -> Option<Self> {
        cache::read(cache, &recorded.cache).map(Self)
    }

    /// Gives the files in `folder` the bits that they had in the repository at `path`.
    fn apply(&self, path: &PathText, folder: &Path) -> Result<(), Error> {
        let known = self.0.iter().find(|known| known.path == path.as_bytes());
        let Some(Known { table, .. }) = known else { return Ok(()) };
        let rows = table.rows.iter().filter(|row| row.what == What::File && !row.is_hidden);
        for row in rows {
            let file = folder.join(as_path(table.path(row)));
            let Ok(found) = fs::symlink_metadata(&file) else { continue };
            let mode = row.stat.permissions();
            if found.is_file() && found.permissions().mode() & 0o7777 != mode {
                let mode = fs::Permissions::from_mode(mode);
                fs::set_permissions(&file, mode).map_err(Error::io("set the mode of", &file))?;
            }
        }
        Ok(())
    }
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
    ///
    /// Where the permission bits are not known, the directory is for its owner only.
    pub fn restore(&self, spec: &Restore<'_>) -> Result<Vec<PathText>, Error> {
        let tree = self.tree_of(spec.tip)?;
        let path = vacant(spec.into)?;
        let made = Shut::new(&path).and_then(|shut| {
            let pointers = self.fill_exactly(&path, &tree, spec)?;
            shut.open(spec.modes.is_some())?;
            Ok(pointers)
        });
        if made.is_err() {
            // The first error is the one to tell.
            discard(&path).ok();
        }
        made
    }

    /// The same as a linked working tree of this repository, which stands on `head` and on no
    /// branch. `scratch` is for temporary files.
    pub fn restore_linked(
        &self,
        spec: &Restore<'_>,
        (head, scratch): (&ObjectId, &Path),
    ) -> Result<Vec<PathText>, Error> {
        let tree = self.tree_of(spec.tip)?;
        let asked = ["worktree", "add", "--quiet", "--detach", "--no-checkout"];
        self.git().args(asked).arg("--").arg(spec.into).arg(head.as_str()).output()?;
        let made = fs::canonicalize(spec.into).map_err(Error::io("open", spec.into));
        let made = made.and_then(|path| {
            let shut = Shut::new(&path)?;
            let room = Scratch::create(scratch, Purpose::Now)?;
            let private = Private::create(room.path())?;
            self.furnish(&private, &tree, Filters::Left)?;
            let pointers = self.write_exactly(&private, &path, (&tree, spec))?;
            // What was changed since the commit is not staged.
            let linked = discover(&path)?.git_dir;
            if linked == self.layout().git_dir {
                let other = io::Error::other("git made no working tree of its own there");
                return Err(Error::io("open", &path)(other));
            }
            self.git_at(&linked).args(["read-tree", head.as_str()]).output()?;
            shut.open(spec.modes.is_some())?;
            Ok(pointers)
        });
        if made.is_err() {
            let asked = ["worktree", "remove", "--force", "--"];
            self.git().args(asked).arg(spec.into).output().ok();
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
        private.stand_on((spec.tip, Identity::COUNTERSIGN))?;
        let pointers = self.write_exactly(&private, path, (tree, spec))?;
        // From here on, git shall see the files as it does in the user's repository.
        private.write("info/attributes", b"")?;
        private.copy(&self.layout().common_dir.join("info/attributes"), "info/attributes")?;
        Ok(pointers)
    }

    /// Writes the files of `tree` to `path`, by the rules of `private`, which converts nothing.
    fn write_exactly(
        &self,
        private: &Private,
        path: &Path,
        (tree, spec): (&ObjectId, &Restore<'_>),
    ) -> Result<Vec<PathText>, Error> {
        private.write("info/attributes", UNCONVERTED)?;
        self.fetch_promised(tree)?;
        self.git_plain(private, path).args(["read-tree", "-m", "-u", tree.as_str()]).output()?;
        if let Some(raw) = spec.raw {
            let index = private.git_dir().join("raw-index");
            let git = || {
                let git = self.git_plain(private, path).env("GIT_INDEX_FILE", &index);
                git.env("GIT_OBJECT_DIRECTORY", raw.store)
            };
            git().args(["read-tree", raw.tree.as_str()]).output()?;
            git().args(["checkout-index", "--force", "--all"]).output()?;
            fs::remove_file(&index).map_err(Error::io("remove", &index))?;
        }
        let pointers = self.fill_in_large(path, spec.lfs)?;
        if let Some(modes) = spec.modes {
            modes.apply(spec.ground, path)?;
        }
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

/// A folder that nobody else can enter as long as the files in it don't have their permissions.
struct Shut<'p> {
    path: &'p Path,
    before: fs::Permissions,
}

impl<'p> Shut<'p> {
    fn new(path: &'p Path) -> Result<Self, Error> {
        let before = fs::metadata(path).map_err(Error::io("look at", path))?.permissions();
        let shut = fs::Permissions::from_mode(before.mode() & 0o700);
        fs::set_permissions(path, shut).map_err(Error::io("set the mode of", path))?;
        Ok(Self { path, before })
    }

    /// Gives it the permissions that it had, if it `may` have them.
    fn open(self, may: bool) -> Result<(), Error> {
        if !may {
            return Ok(());
        }
        fs::set_permissions(self.path, self.before).map_err(Error::io("set the mode of", self.path))
    }
}
