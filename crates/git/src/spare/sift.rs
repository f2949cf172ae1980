//! Goes through a spare checkout: what is as a fresh one would have it stays, the rest goes.

use std::collections::HashSet;
use std::ffi::OsStr;
use std::io;
use std::os::fd::{AsFd as _, OwnedFd};
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;
use std::time::{Duration, SystemTime};

use rustix::fs::{Dir, FileType};

use crate::discard::remove_any;
use crate::error::Error;
use crate::index_file::IndexFile;
use crate::memory::Left;
use crate::spare::due::{Dues, Trust};
use crate::spare::look::{GITLINK, Look, Looked, Place, Time};
use crate::spare::spread::spread;
use crate::tree::disk::{self, open_top};

/// How many files and folders a thread takes at a time.
const FILES_TOGETHER: usize = 64;
const FOLDERS_TOGETHER: usize = 4;
/// With more files, a folder is left to several threads.
const MOST_AT_ONCE: usize = 400;

/// What is to be in a checkout, and where.
pub(crate) struct Sieve<'s> {
    path: &'s Path,
    top: OwnedFd,
    /// The tree's index; whatever is found as it should be is noted in it.
    pub(crate) index: IndexFile,
    pub(crate) dues: Dues,
    look: Look,
    missing: Vec<u8>,
}

/// Something that lies where the tree has something: which, and what it is.
type Candidate = (usize, FileType);

/// A name, and what is there.
type Named = (Vec<u8>, FileType);

/// What was seen of one, if it is as it should be.
type Seen = (Candidate, Option<Looked>);

/// What is in a folder: other folders, files that were looked at, and those that are yet to be.
#[derive(Default)]
struct Inside {
    folders: Vec<Vec<u8>>,
    seen: Vec<Seen>,
    unseen: Vec<Candidate>,
}

impl<'s> Sieve<'s> {
    /// `bytes` is the index of the tree, `git_dir` a private repository that was made just now.
    pub(crate) fn new(
        path: &'s Path,
        git_dir: &Path,
        bytes: Vec<u8>,
        hash_len: usize,
    ) -> Result<Self, Error> {
        // Git reads files again that are as young as their index. Nothing changes them here and now,
        // and git gives the index that it writes a time of its own.
        let later = SystemTime::now() + Duration::from_hours(1);
        let index = IndexFile::new(bytes, later, hash_len);
        let Some(dues) = Dues::of(&index) else {
            let source = io::Error::other("this version of git's index is not understood");
            return Err(Error::io("use", git_dir)(source));
        };
        let (top, look) = (open_top(path)?, Look::new(git_dir)?);
        Ok(Self { path, top, index, dues, look, missing: Vec::new() })
    }

    /// Lets files stay unread that are as they were left, where their times tell.
    pub(crate) fn remember(&mut self, left: &Left, (times, trust): (Time, Trust)) {
        if !disk::tells_changes(&self.top) {
            return;
        }
        (self.look.moment, self.look.times) = (left.moment, times);
        self.dues.remember(left, trust);
        // Under other attributes the same object may have been written otherwise.
        let was = Dues::of(&left.index).unwrap_or_default();
        if attributes(&was) != attributes(&self.dues) {
            self.dues.forget();
        }
    }

    /// The paths of what has to be written after a [`Sieve::sift`], each with a zero at its end.
    pub(crate) fn missing(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.missing)
    }

    /// All paths of the tree, each with a zero at its end.
    pub(crate) fn paths(&self) -> Vec<u8> {
        self.dues.missing(&vec![false; self.dues.len()])
    }

    /// Removes what does not belong here, and whatever is at one of the paths that `written` gives at
    /// last. Says of every file whether it stays and was read, now or before.
    pub(crate) fn sift(
        &mut self,
        written: impl FnOnce() -> Result<HashSet<Vec<u8>>, Error>,
    ) -> Result<Vec<bool>, Error> {
        let (mut seen, unseen) = self.walk()?;
        seen.extend(self.look_at_all(&unseen));
        let (written, mut known) = (written()?, vec![false; self.dues.len()]);
        let mut stayed = known.clone();
        for ((number, kind), found) in seen {
            let due = self.dues.get(number);
            let path = self.dues.path(due);
            match found.filter(|_| written.is_empty() || !written.contains(path)) {
                Some((found, is_read)) => {
                    self.index.note(due.at, &found);
                    (known[number], stayed[number]) = (is_read || due.is_proven, true);
                }
                // An empty folder stands for a repository that is not here.
                None if due.mode == GITLINK && self.is_vacant(path, kind) => stayed[number] = true,
                None => remove_any(&self.path.join(OsStr::from_bytes(path)))?,
            }
        }
        self.missing = self.dues.missing(&stayed);
        Ok(known)
    }

    /// Removes what is at no path of the tree; gives the rest, with what was seen of it.
    fn walk(&self) -> Result<(Vec<Seen>, Vec<Candidate>), Error> {
        let (mut seen, mut unseen) = (Vec::with_capacity(self.dues.len()), Vec::new());
        let mut level = vec![Vec::new()];
        while !level.is_empty() {
            let look = |number: usize, buffer: &mut Vec<u8>| self.look_into(&level[number], buffer);
            let (looked, is_whole) = spread((level.len(), FOLDERS_TOGETHER), look);
            if !is_whole {
                return Err(Error::io("look into", self.path)(io::ErrorKind::Other.into()));
            }
            let mut below = Vec::new();
            for (_, folder) in looked {
                let inside = folder?;
                below.extend(inside.folders);
                seen.extend(inside.seen);
                unseen.extend(inside.unseen);
            }
            level = below;
        }
        Ok((seen, unseen))
    }

    /// The same for what is right in one folder. One that is not as it should be is removed whole.
    fn look_into(&self, folder: &[u8], buffer: &mut [u8]) -> Result<Inside, Error> {
        let mut inside = Inside::default();
        let mut open = match (disk::open(&self.top, folder), folder) {
            (Ok(Some(open)), []) => open,
            (Ok(Some(open)), _) if open.fd().is_ok_and(|fd| self.look.is_usual(fd)) => open,
            (opened, []) => return opened.map(|_| inside),
            _ => {
                remove_any(&self.path.join(OsStr::from_bytes(folder)))?;
                return Ok(inside);
            }
        };
        let (names, range) = (names(&mut open, folder)?, self.dues.below(folder));
        let fd = open.fd().map_err(|errno| disk::unreadable(folder, errno))?;
        let is_large = names.len() > MOST_AT_ONCE;
        for (name, kind) in names {
            if let Some(number) = self.dues.find_in(range.clone(), (folder, &name)) {
                let place = Place { folder: fd, name: &name };
                if is_large || kind == FileType::Directory {
                    inside.unseen.push((number, kind));
                } else {
                    let found = self.look.at(place, (&self.dues, number, kind), buffer);
                    inside.seen.push(((number, kind), found));
                }
                continue;
            }
            let path = joined(folder, &name);
            if kind == FileType::Directory && self.dues.has_below(&path) {
                inside.folders.push(path);
            } else {
                remove_any(&self.path.join(OsStr::from_bytes(&path)))?;
            }
        }
        Ok(inside)
    }

    /// Looks at all of them. What a thread left that came to nothing is written anew.
    fn look_at_all(&self, candidates: &[Candidate]) -> Vec<Seen> {
        let look = |at: usize, buffer: &mut Vec<u8>| {
            let (number, kind) = candidates[at];
            let name = self.dues.path(self.dues.get(number));
            let place = Place { folder: self.top.as_fd(), name };
            self.look.at(place, (&self.dues, number, kind), buffer)
        };
        let mut looked = vec![None; candidates.len()];
        for (at, found) in spread((candidates.len(), FILES_TOGETHER), look).0 {
            looked[at] = found;
        }
        candidates.iter().copied().zip(looked).collect()
    }

    fn is_vacant(&self, path: &[u8], kind: FileType) -> bool {
        let is_empty = || listed(&self.top, path).is_ok_and(|names| names.is_empty());
        let is_usual = || {
            let folder = disk::open(&self.top, path).ok().flatten();
            folder.is_some_and(|folder| folder.fd().is_ok_and(|fd| self.look.is_usual(fd)))
        };
        kind == FileType::Directory && is_empty() && is_usual()
    }
}

/// Removes all but the files that are `dues`, and the folders that they are in.
pub(crate) fn strip(checkout: &Path, dues: &Dues) -> Result<(), Error> {
    let top = open_top(checkout)?;
    let mut waiting = vec![Vec::new()];
    while let Some(folder) = waiting.pop() {
        let range = dues.below(&folder);
        for (name, kind) in listed(&top, &folder)? {
            let is_folder = kind == FileType::Directory;
            if !is_folder && dues.find_in(range.clone(), (&folder, &name)).is_some() {
                continue;
            }
            let path = joined(&folder, &name);
            if is_folder && dues.has_below(&path) {
                waiting.push(path);
            } else {
                remove_any(&checkout.join(OsStr::from_bytes(&path)))?;
            }
        }
    }
    Ok(())
}

/// What is right in a folder, `.git` of the top left out: that is made anew.
fn listed(top: &OwnedFd, folder: &[u8]) -> Result<Vec<Named>, Error> {
    disk::open(top, folder)?.map_or_else(|| Ok(Vec::new()), |mut open| names(&mut open, folder))
}

/// The same for one that is open.
fn names(open: &mut Dir, folder: &[u8]) -> Result<Vec<Named>, Error> {
    let listing = disk::read(open, folder)?;
    let mut names = listing.names;
    if listing.has_dot_git && !folder.is_empty() {
        names.push((b".git".to_vec(), FileType::Unknown));
    }
    Ok(names)
}

/// The files with attributes, and what they are.
fn attributes(dues: &Dues) -> Vec<(&[u8], String)> {
    let is_one = |path: &[u8]| path.rsplit(|byte| *byte == b'/').next() == Some(b".gitattributes");
    let all = dues.iter().filter(|due| is_one(dues.path(due)));
    all.map(|due| (dues.path(due), dues.object(due))).collect()
}

fn joined(folder: &[u8], name: &[u8]) -> Vec<u8> {
    if folder.is_empty() { name.to_vec() } else { [folder, b"/", name].concat() }
}
