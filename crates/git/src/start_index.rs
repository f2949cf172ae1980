//! The index that a snapshot starts from: a private copy of the one that the working tree has,
//! so that git need not read unchanged files again.
//!
//! The copy keeps the time of the original, because git uses it to tell which entries were
//! written too close to a change to be trusted.

use std::ffi::OsStr;
use std::fs::{self, File};
use std::io;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use countersign_domain::id::Digest;
use rustix::fs::{AtFlags, statat};

use crate::discover::{self, Layout, read};
use crate::error::Error;
use crate::foreign::{self, Kept};
use crate::index_file::{Entry, IndexFile, Kind};
use crate::marks::{add_mark, digest};
use crate::repository::Repository;
use crate::tree::disk;
use crate::tree::stat::{Moment, Stat};

/// How far in the future the time of an index is set whose files were looked at here.
const LATER: Duration = Duration::from_hours(1);

/// What a snapshot starts from.
#[derive(Debug)]
pub(crate) struct Start {
    /// The repository to work with: ours, in the shape of the right linked worktree.
    pub(crate) git_dir: PathBuf,
    /// The private index; the file is missing when there was nothing to copy.
    pub(crate) index: PathBuf,
    /// What is in that file, or will be.
    pub(crate) copy: Option<IndexFile>,
    /// The paths at which git was told not to look, if there are any.
    pub(crate) marks: Option<Digest>,
    /// Recorded submodules that have a repository of their own on disk.
    pub(crate) nested: Vec<PathBuf>,
    /// The index is that of a separate repository.
    pub(crate) is_foreign: bool,
}

/// How objects are found that only a separate repository has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Foreign {
    /// By reading what its store holds.
    Listed,
    /// By the caller, who asks our own store for every object.
    Asked,
}

/// Whose index the working tree has.
enum Owner {
    /// This repository's, at this git directory.
    Ours(PathBuf),
    /// That of a separate repository, which whoever worked there may have changed at will.
    Foreign(Layout),
    Nobody,
}

/// A copied index on its way to be used.
struct Copy<'a> {
    path: &'a Path,
    worktree: &'a Path,
    hash_len: usize,
    /// The objects that a foreign store keeps to itself; `None` for an index of ours.
    kept: Option<Kept>,
}

/// What stands in an index that matters to us.
#[derive(Default)]
struct Survey {
    /// `None` when the format is unknown.
    kind: Option<Kind>,
    /// Entries whose file git is told not to look at, though it may have changed.
    hidden: Vec<usize>,
    /// Entries that git would believe, but should not.
    doubtful: Vec<usize>,
    nested: Vec<PathBuf>,
    /// The paths at which git was told not to look, with how.
    marked: Vec<u8>,
    /// A path leads out of the working tree or into a repository.
    leads_out: bool,
}

impl Repository {
    /// Copies the index of `worktree` to `path` and makes it show every change.
    pub(crate) fn start_index(&self, worktree: &Path, path: &Path) -> Result<Start, Error> {
        let mut start = self.begin_index(worktree, path, Foreign::Listed)?;
        if start.is_foreign {
            start.copy = start.copy.map(|copy| sharpen(copy, worktree));
        }
        start.copy.iter().try_for_each(|copy| store(path, copy))?;
        Ok(start)
    }

    /// The same without writing the file.
    pub(crate) fn begin_index(
        &self,
        worktree: &Path,
        path: &Path,
        foreign: Foreign,
    ) -> Result<Start, Error> {
        let owner = self.owner(worktree);
        let (own, source) = match &owner {
            Owner::Ours(git_dir) => (git_dir.clone(), Some(git_dir.join("index"))),
            Owner::Foreign(other) => {
                (self.layout().git_dir.clone(), Some(other.git_dir.join("index")))
            }
            Owner::Nobody => (self.layout().git_dir.clone(), None),
        };
        let (index, nested) = (path.to_owned(), Vec::new());
        let is_foreign = matches!(owner, Owner::Foreign(_));
        let mut start = Start { git_dir: own, index, copy: None, marks: None, nested, is_foreign };
        let Some(source) = source else {
            return Ok(start);
        };
        let hash_len = self.hash_len()?;
        let kept = match &owner {
            Owner::Foreign(_) if foreign == Foreign::Asked => Some(Kept::none()),
            Owner::Foreign(other) => Some(self.kept_by(other, hash_len)?),
            _ => None,
        };
        let copy = Copy { path, worktree, hash_len, kept };
        let Some(index) = copy.load(&source)? else {
            return Ok(start);
        };
        let survey = copy.survey(&index);
        start.marks = digest(&survey.marked);
        if let Some((index, nested)) = self.copy_index(&start, (index, survey), &copy)? {
            (start.copy, start.nested) = (Some(index), nested);
        }
        Ok(start)
    }

    fn owner(&self, worktree: &Path) -> Owner {
        if worktree == self.layout().worktree {
            return Owner::Ours(self.layout().git_dir.clone());
        }
        // What another directory says about itself may be broken; then it says nothing.
        match discover::at(worktree) {
            Ok(Some(other)) if other.worktree != worktree => Owner::Nobody,
            Ok(Some(other)) if other.common_dir == self.layout().common_dir => {
                Owner::Ours(other.git_dir)
            }
            Ok(Some(other)) => Owner::Foreign(other),
            _ => Owner::Nobody,
        }
    }

    fn kept_by(&self, other: &Layout, hash_len: usize) -> Result<Kept, Error> {
        let known = foreign::stores(&self.layout().common_dir.join("objects"))?;
        Ok(foreign::kept_in(&other.common_dir.join("objects"), &known, hash_len))
    }

    /// Makes `index` show every change, if it is usable, and gives the nested repositories too.
    fn copy_index(
        &self,
        start: &Start,
        (mut index, mut survey): (IndexFile, Survey),
        copy: &Copy<'_>,
    ) -> Result<Option<(IndexFile, Vec<PathBuf>)>, Error> {
        if copy.kept.is_some() && !survey.is_harmless() {
            return Ok(None);
        }
        if !survey.is_plain() {
            store(copy.path, &index)?;
            self.rewrite(start, copy.worktree, index.version())?;
            let again = copy.load(copy.path)?;
            index = again.ok_or_else(|| not_understood(copy.path))?;
            survey = copy.survey(&index);
        }
        if !survey.is_plain() || survey.leads_out {
            return Err(not_understood(copy.path));
        }
        survey.hidden.iter().for_each(|at| index.show(*at));
        survey.doubtful.iter().for_each(|at| index.distrust(*at));
        Ok(Some((index, survey.nested)))
    }

    /// Has git write the copied index anew, whole and in a version that we read.
    fn rewrite(&self, start: &Start, worktree: &Path, version: u32) -> Result<(), Error> {
        // Only a change of version makes every git write an index that is otherwise the same.
        let version = if version == 4 { "2" } else { "4" };
        let asked = ["update-index", "--no-split-index", "--index-version", version];
        self.git_on(start, worktree).args(asked).output()?;
        Ok(())
    }
}

impl Copy<'_> {
    /// The index at `source`; `None` if there is none that we may use.
    fn load(&self, source: &Path) -> Result<Option<IndexFile>, Error> {
        if self.kept.is_some() && !fs::symlink_metadata(source).is_ok_and(|found| found.is_file()) {
            return Ok(None);
        }
        let Ok(found) = fs::metadata(source) else {
            return Ok(None);
        };
        // The time is read first: should the file be replaced in between, an older time only
        // makes git look at more files.
        let modified = found.modified().map_err(Error::io("read", source))?;
        let bytes = match read(source) {
            Err(_) if self.kept.is_some() => None,
            other => other?,
        };
        Ok(bytes.map(|bytes| IndexFile::new(bytes, modified, self.hash_len)))
    }

    fn survey(&self, index: &IndexFile) -> Survey {
        let mut survey = Survey::default();
        let written = index.written();
        survey.kind = index.walk(|entry| self.take_in(&mut survey, entry, written));
        survey
    }

    fn take_in(&self, survey: &mut Survey, entry: Entry<'_>, written: u32) {
        add_mark(&mut survey.marked, &entry);
        let on_disk = || self.worktree.join(OsStr::from_bytes(entry.path));
        if entry.assume_unchanged || (entry.skip_worktree && exists(&on_disk())) {
            survey.hidden.push(entry.at);
        }
        if entry.is_gitlink() && exists(&on_disk().join(".git")) {
            survey.nested.push(PathBuf::from(OsStr::from_bytes(entry.path)));
        }
        if let Some(kept) = &self.kept {
            survey.leads_out |= leads_out(entry.path);
            if !entry.is_gitlink() && kept.may_hold(entry.object) {
                // Its object would go away with the foreign store.
                survey.doubtful.push(entry.at);
            }
        }
        // Git looks again at a file that was modified in the second in which the index was
        // written, but not at one whose time was then set back: only its other time tells.
        if entry.changed >= written && entry.modified < written {
            survey.doubtful.push(entry.at);
        }
    }
}

impl Survey {
    /// Every entry is here and of its own.
    fn is_plain(&self) -> bool {
        self.kind == Some(Kind::default())
    }

    /// Nothing about a foreign index speaks against having git read it.
    fn is_harmless(&self) -> bool {
        self.kind.is_some_and(|kind| !kind.split) && !self.leads_out
    }
}

fn exists(path: &Path) -> bool {
    fs::symlink_metadata(path).is_ok()
}

/// Whether a recorded path would make git read something that is not the worker's.
fn leads_out(path: &[u8]) -> bool {
    // Longer than any path can be: made up, and costly to look at.
    if path.len() > 4096 {
        return true;
    }
    let is_git = |part: &[u8]| part.eq_ignore_ascii_case(b".git");
    let odd = |part: &[u8]| matches!(part, b"" | b"." | b"..") || is_git(part);
    // A directory of a sparse index ends in a slash.
    let path = path.strip_suffix(b"/").unwrap_or(path);
    path.split(|byte| *byte == b'/').any(odd)
}

/// Spares git reading every file of a checkout that is as young as its index.
///
/// Git tells times apart by the second and reads whatever was modified in the second in which the
/// index was written: in a checkout that is all of it. The nanoseconds are there, though. A file that
/// still has all of its times, and had them for longer than the clock of the file system needs to tick,
/// is the one that was written; any other young file is read. Not for a working tree of the user's,
/// where somebody may write a file twice while git looks at it.
fn sharpen(mut index: IndexFile, worktree: &Path) -> IndexFile {
    let top = disk::open_top(worktree).ok().filter(disk::tells_changes);
    let Some(top) = top else { return index };
    let (written, moment) = (index.written(), Moment::of(index.modified()));
    let mut doubtful = Vec::new();
    let known = index.walk(|entry| {
        if entry.is_gitlink() || entry.modified < written {
            return;
        }
        let (name, flags) = (OsStr::from_bytes(entry.path), AtFlags::SYMLINK_NOFOLLOW);
        let found = statat(&top, name, flags).map(|found| Stat::of(&found).narrow());
        let is_same = found.is_ok_and(|found| {
            let at = |seconds: u32, nanos| Moment { seconds: i64::from(seconds), nanos };
            found.changed == at(entry.changed, entry.changed_nanos)
                && found.modified == at(entry.modified, entry.modified_nanos)
                && found.inode == u64::from(entry.inode)
                && found.size == u64::from(entry.size)
                && !found.changed.ticks_with(moment)
        });
        if !is_same {
            doubtful.push(entry.at);
        }
    });
    if known.is_none() {
        return index;
    }
    for at in &doubtful {
        index.distrust(*at);
    }
    index.at(SystemTime::now() + LATER)
}

pub(crate) fn store(path: &Path, index: &IndexFile) -> Result<(), Error> {
    fs::write(path, index.bytes()).map_err(Error::io("write", path))?;
    let file = File::options().write(true).open(path).map_err(Error::io("open", path))?;
    file.set_modified(index.modified()).map_err(Error::io("set the time of", path))
}

/// Lets all files look older than the index at `path`, if there is one.
pub(crate) fn make_old(path: &Path) -> Result<(), Error> {
    match File::options().write(true).open(path) {
        Ok(file) => {
            let later = SystemTime::now() + LATER;
            file.set_modified(later).map_err(Error::io("set the time of", path))
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        Err(error) => Err(Error::io("open", path)(error)),
    }
}

fn not_understood(index: &Path) -> Error {
    let source = io::Error::other("this version of git's index is not understood");
    Error::io("use", index)(source)
}

#[cfg(test)]
mod tests {
    use super::leads_out;

    #[test]
    fn paths_that_lead_out_are_seen() {
        for path in ["../x", "a/../../x", "/etc/passwd", ".git/config", "a/.GIT/x", "a//b", "./a"] {
            assert!(leads_out(path.as_bytes()), "{path}");
        }
        for path in ["a", "a/b", "..a/b..", "a/.gitignore", "directory/"] {
            assert!(!leads_out(path.as_bytes()), "{path}");
        }
    }
}
