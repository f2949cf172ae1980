//! Fresh checkouts with a private repository of their own.
//!
//! A checkout only borrows objects from the user's repository, read-only, through
//! `objects/info/alternates`. It is not a linked worktree: whatever a worker does there with
//! branches, stash, configuration, hooks or index stays there.

use std::collections::HashSet;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use countersign_domain::id::ObjectId;

use crate::commit::Identity;
use crate::discard::{discard, remove_any};
use crate::error::Error;
use crate::private::{self, MARKER, Private};
use crate::repository::Repository;
use crate::settings::Config;
use crate::spare::{self, look::Time, top, written};
use crate::tree::hash::Filters;

/// A checkout to be made.
#[derive(Debug, Clone, Copy)]
pub struct Checkout<'a> {
    /// A directory that does not exist or is empty.
    pub into: &'a Path,
    pub tip: Tip<'a>,
    /// A folder of checkouts that were used, of which one may be made fresh; see [`crate::retire`].
    pub spares: Option<&'a Path>,
}

/// What the `HEAD` of a checkout stands on.
#[derive(Debug, Clone, Copy)]
pub enum Tip<'a> {
    /// A commit of the user's repository.
    Commit(&'a ObjectId),
    /// A commit made for the purpose, in the private repository only.
    Tree {
        tree: &'a ObjectId,
        parent: Option<&'a ObjectId>,
        message: &'a str,
        /// Seconds since 1970.
        time_seconds: u64,
    },
}

impl<'a> Tip<'a> {
    /// The tree, where it is said.
    pub(crate) fn tree(&self) -> Option<&'a ObjectId> {
        match self {
            Self::Commit(_) => None,
            Self::Tree { tree, .. } => Some(tree),
        }
    }
}

/// What git said about the user's repository, as far as checkouts take it over.
#[derive(Debug)]
pub(crate) struct Furnishing {
    /// The settings that hold there.
    config: Config,
    /// Its tags: builds ask for them to find out which version they are.
    tags: Vec<u8>,
}

impl Furnishing {
    /// Whether files without attributes are written as their objects have them.
    pub(crate) fn is_plain(&self) -> bool {
        !written::everywhere(&self.config)
    }

    pub(crate) fn config(&self) -> &Config {
        &self.config
    }
}

/// A checkout that was made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CheckedOut {
    pub path: PathBuf,
    pub commit: ObjectId,
    pub tree: ObjectId,
    /// Objects of it that were compared with what their names say. Git does not do that.
    pub known: HashSet<ObjectId>,
}

impl Repository {
    /// Checks a recorded tree out into a directory of its own. No hook runs.
    ///
    /// The objects stay in this repository: [`Repository::keep`] the tree for as long as the
    /// checkout is in use. On failure nothing is left behind.
    pub fn checkout(&self, spec: &Checkout<'_>) -> Result<CheckedOut, Error> {
        Ok(self.checkout_by(spec, (Identity::COUNTERSIGN, Time::Stays))?.0)
    }

    /// As [`Repository::checkout`], for code that is not to know where it is: nothing in it is named
    /// after us. [`crate::discard_plain`] removes it.
    pub fn checkout_plain(&self, spec: &Checkout<'_>) -> Result<CheckedOut, Error> {
        Ok(self.checkout_furnished(spec)?.0)
    }

    /// The same, with what it was furnished with.
    pub(crate) fn checkout_furnished(
        &self,
        spec: &Checkout<'_>,
    ) -> Result<(CheckedOut, Furnishing), Error> {
        // What was built elsewhere in the meantime must not look newer than its source.
        let (made, furnishing) = self.checkout_by(spec, (Identity::PLAIN, Time::Now))?;
        let marker = made.path.join(".git").join(MARKER);
        fs::remove_file(&marker).map_err(Error::io("remove", &marker))?;
        Ok((made, furnishing))
    }

    /// The same, with what it was furnished with.
    fn checkout_by(
        &self,
        spec: &Checkout<'_>,
        (author, times): (Identity<'static>, Time),
    ) -> Result<(CheckedOut, Furnishing), Error> {
        let tree = self.tree_of(spec.tip)?;
        let path = vacant(spec.into)?;
        let (furnishing, calm) = (self.furnishing()?, self.memory.calm());
        let by = (spec.tip, author, times);
        let spares = spec.spares.filter(|_| furnishing.is_plain());
        if spares.is_some_and(|spares| self.take_spare(spares, &path)) {
            let filled =
                top::set_right(&path).and_then(|()| self.fill(&path, (&tree, &furnishing), by));
            if let Ok((commit, known)) = filled {
                return Ok((CheckedOut { path, commit, tree, known }, furnishing));
            }
            // Without it, then.
            spare::give_up(&path)?;
            vacant(spec.into)?;
        }
        // The folder is ours where spares may be used; elsewhere it may be one that a person made.
        if spec.spares.is_some() {
            top::set_right(&path)?;
        }
        let made = self.fill(&path, (&tree, &furnishing), by);
        if made.is_err() {
            // The first error is the one to tell.
            discard(&path).ok();
        }
        let (commit, known) = made?;
        if spares.is_some()
            && let Some(left) = self.left_at(&path, Default::default(), calm)?
        {
            self.memory.keep_left(&path, left);
        }
        Ok((CheckedOut { path, commit, tree, known }, furnishing))
    }

    pub(crate) fn tree_of(&self, tip: Tip<'_>) -> Result<ObjectId, Error> {
        let (Tip::Commit(object) | Tip::Tree { tree: object, .. }) = tip;
        if let Some(tree) = self.memory.peeled(object) {
            return Ok(tree);
        }
        let tree = self.peel(&format!("{object}^{{tree}}"))?;
        let tree = tree.ok_or_else(|| Error::UnknownRevision { revision: object.to_string() })?;
        self.memory.keep_peeled(object, &tree);
        Ok(tree)
    }

    fn fill(
        &self,
        path: &Path,
        (tree, furnishing): (&ObjectId, &Furnishing),
        (tip, author, times): (Tip<'_>, Identity<'static>, Time),
    ) -> Result<(ObjectId, HashSet<ObjectId>), Error> {
        let was_used = fs::read_dir(path).map_err(Error::io("open", path))?.next().is_some();
        if was_used {
            remove_any(&path.join(".git"))?;
        }
        let private = Private::create(path)?;
        self.furnish_with(&private, tree, furnishing)?;
        let commit = private.stand_on((tip, author))?;
        if was_used {
            return Ok((commit, self.freshen(path, (&private, furnishing), (tree, times))?));
        }
        // The user's repository is named here so that its filters find what they keep in it;
        // the index and the files are the private ones.
        self.git()
            .env("GIT_WORK_TREE", path)
            .env("GIT_INDEX_FILE", private.git_dir().join("index"))
            .within(path)
            .args(["read-tree", "-m", "-u", tree.as_str()])
            .output()?;
        Ok((commit, HashSet::new()))
    }

    /// Gives the private repository what it needs of the user's.
    pub(crate) fn furnish(
        &self,
        private: &Private,
        tree: &ObjectId,
        filters: Filters,
    ) -> Result<(), Error> {
        let furnishing = self.furnishing()?;
        self.furnish_by(private, tree, (&furnishing, filters))
    }

    /// What [`Repository::furnish`] asks git for.
    pub(crate) fn furnishing(&self) -> Result<Furnishing, Error> {
        let config = self.config(&self.layout().git_dir)?;
        let format = "--format=%(objectname) %(refname)";
        let tags = self.git().args(["for-each-ref", format, "refs/tags"]).output()?;
        Ok(Furnishing { config, tags })
    }

    /// As [`Repository::furnish`], with what git said before.
    pub(crate) fn furnish_with(
        &self,
        private: &Private,
        tree: &ObjectId,
        furnishing: &Furnishing,
    ) -> Result<(), Error> {
        self.furnish_by(private, tree, (furnishing, Filters::Applied))
    }

    fn furnish_by(
        &self,
        private: &Private,
        tree: &ObjectId,
        (furnishing, filters): (&Furnishing, Filters),
    ) -> Result<(), Error> {
        let common = &self.layout().common_dir;
        private.borrow_from(&common.join("objects"))?;
        let inherited = private::inherited(&furnishing.config, filters);
        private.configure(&inherited, tree.as_str().len() == 64)?;
        for name in ["info/exclude", "info/attributes", "shallow"] {
            private.copy(&common.join(name), name)?;
        }
        private.add_references(&furnishing.tags)
    }
}

/// Makes sure that `into` is an empty directory, and gives it without symbolic links.
pub(crate) fn vacant(into: &Path) -> Result<PathBuf, Error> {
    match fs::symlink_metadata(into) {
        Ok(found) if !found.is_dir() => {
            return Err(Error::Occupied { path: into.to_owned() });
        }
        Ok(_) => {
            let mut inside = fs::read_dir(into).map_err(Error::io("open", into))?;
            if inside.next().is_some() {
                return Err(Error::Occupied { path: into.to_owned() });
            }
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            fs::create_dir_all(into).map_err(Error::io("create", into))?;
        }
        Err(error) => return Err(Error::io("open", into)(error)),
    }
    fs::canonicalize(into).map_err(Error::io("open", into))
}
