//! A checkout that one process makes into one tree after another, while programs run there in between.
//!
//! A verification runs many commands, each on a fresh checkout, and its trees differ in a few files. What
//! was there before is known here: the index with the times that every file had when it was handed over.
//! It stays in memory, where nothing that runs in the checkout can change it. The time of a file's last
//! change can't be set by programs, so a file that has all of its times still is what it was; only what
//! changed, or was written so shortly before that the clock may not have ticked, is read. Whatever git
//! was asked for a tree is not asked again.
//!
//! Files that stay keep their times and those that are written are younger than everything that was built
//! before, so a build goes by them as in any working tree.

use std::collections::{HashMap, HashSet};
use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::time::SystemTime;

use countersign_domain::id::ObjectId;

use crate::checkout::{CheckedOut, Checkout, Furnishing};
use crate::commit::Identity;
use crate::discard::{is_directory, remove_any};
use crate::error::Error;
use crate::index_file::IndexFile;
use crate::memory::Left;
use crate::private::{MARKER, Private};
use crate::repository::Repository;
use crate::spare::due::Trust;
use crate::spare::look::Time;
use crate::spare::sift::Sieve;
use crate::spare::{give_up, top, written};

/// How many trees are remembered: each costs about a hundred bytes a file.
const MOST_TREES: usize = 16;

/// What is known of a checkout that stands, and of the trees that it had.
#[derive(Debug, Default)]
pub struct Standing {
    left: Option<Left>,
    furnishing: Option<Furnishing>,
    patterns: HashMap<ObjectId, Pattern>,
}

/// What git said about a tree.
#[derive(Debug)]
struct Pattern {
    /// The index of it, without any times.
    index: Arc<Vec<u8>>,
    /// The paths that are not written as their objects are.
    written: HashSet<Vec<u8>>,
    commit: ObjectId,
    /// The object of that commit, as it is stored.
    stored: Vec<u8>,
}

impl Standing {
    /// Something may still run there: nothing of it is used again.
    pub fn forget(&mut self) {
        self.left = None;
    }
}

impl Repository {
    /// As [`Repository::checkout_plain`], in a folder that may still hold what the last one made with the
    /// same `standing` has become. Nothing may run there any more.
    pub fn checkout_standing(
        &self,
        spec: &Checkout<'_>,
        standing: &mut Standing,
    ) -> Result<CheckedOut, Error> {
        if let Some(left) = standing.left.take()
            && let Ok(made) = self.renew(spec, standing, &left)
        {
            return Ok(made);
        }
        if fs::symlink_metadata(spec.into).is_ok() {
            give_up(spec.into)?;
        }
        let (made, furnishing) = self.checkout_furnished(spec)?;
        let is_plain = spec.spares.is_some() && furnishing.is_plain();
        standing.left = self.memory.take_left(&made.path).filter(|_| is_plain);
        standing.furnishing = Some(furnishing);
        Ok(made)
    }

    /// Ends the use of a standing checkout in which everything that ran has ended: it is kept in the
    /// folder `spares` with what is known of it. `false` if it is not kept; then it is still where it
    /// was.
    pub fn retire_standing(
        &self,
        checkout: &Path,
        (standing, spares): (&mut Standing, &Path),
    ) -> bool {
        if let Some(left) = standing.left.take() {
            self.memory.keep_left(checkout, left);
        }
        self.retire(checkout, spares)
    }

    fn renew(
        &self,
        spec: &Checkout<'_>,
        standing: &mut Standing,
        left: &Left,
    ) -> Result<CheckedOut, Error> {
        if !is_directory(spec.into) {
            // What lies behind a link that was put in its place is somebody else's.
            return Err(Error::NotOurs { path: spec.into.to_owned() });
        }
        let path = fs::canonicalize(spec.into).map_err(Error::io("open", spec.into))?;
        let tree = spec.tip.tree().cloned().map_or_else(|| self.tree_of(spec.tip), Ok)?;
        top::set_right(&path)?;
        remove_any(&path.join(".git"))?;
        let private = Private::create(&path)?;
        let furnishing = match standing.furnishing.take() {
            Some(furnishing) => furnishing,
            None => self.furnishing()?,
        };
        let furnishing = standing.furnishing.insert(furnishing);
        self.furnish_with(&private, &tree, furnishing)?;
        let index = private.git_dir().join("index");
        if !standing.patterns.contains_key(&tree) {
            let pattern = self.pattern(&path, (&private, furnishing, &tree), spec)?;
            if standing.patterns.len() >= MOST_TREES {
                standing.patterns.clear();
            }
            standing.patterns.insert(tree.clone(), pattern);
        }
        let pattern = &standing.patterns[&tree];
        let (folder, name) = pattern.commit.as_str().split_at(2);
        private.store(&format!("objects/{folder}/{name}"), &pattern.stored)?;
        private.set_branch(&pattern.commit)?;
        let hash_len = self.hash_len()?;
        let mut sieve =
            Sieve::new(&path, private.git_dir(), pattern.index.as_ref().clone(), hash_len)?;
        // What git wrote for this verification was looked through before.
        let calm = self.memory.calm();
        let is_seen = calm.is_some() && left.seen == calm;
        sieve.remember(left, (Time::Stays, Trust::Written), is_seen);
        let mut proven = sieve.sift(|| Ok(pattern.written.clone()))?;
        let git = || {
            let git = self.git().env("GIT_WORK_TREE", &path).env("GIT_INDEX_FILE", &index);
            git.within(&path)
        };
        let folders = sieve.folders();
        self.write_missing((sieve, &mut proven), (&index, &git))?;
        standing.left = self.left_at(&path, (proven, folders), calm)?;
        let marker = private.git_dir().join(MARKER);
        fs::remove_file(&marker).map_err(Error::io("remove", &marker))?;
        // Who has many made one after the other knows the trees to be genuine.
        Ok(CheckedOut { path, commit: pattern.commit.clone(), tree, known: HashSet::new() })
    }

    /// Asks git about a tree.
    fn pattern(
        &self,
        path: &Path,
        (private, furnishing, tree): (&Private, &Furnishing, &ObjectId),
        spec: &Checkout<'_>,
    ) -> Result<Pattern, Error> {
        let commit = private.stand_on((spec.tip, Identity::PLAIN))?;
        let (folder, name) = commit.as_str().split_at(2);
        let object = private.git_dir().join("objects").join(folder).join(name);
        let stored = fs::read(&object).map_err(Error::io("read", &object))?;
        let file = private.git_dir().join("index");
        let git = || {
            let git = self.git().env("GIT_WORK_TREE", path).env("GIT_INDEX_FILE", &file);
            git.env("GIT_INDEX_VERSION", "2").within(path)
        };
        let index = self.index_of(tree, (&file, &git))?;
        let bytes = index.as_ref().clone();
        let paths = IndexFile::new(bytes, SystemTime::now(), self.hash_len()?).paths();
        let written = if self.has_attributes(&paths, furnishing.config()) {
            written::otherwise(git(), paths)?
        } else {
            HashSet::new()
        };
        Ok(Pattern { index, written, commit, stored })
    }
}
