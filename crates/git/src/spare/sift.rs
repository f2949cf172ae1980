//! Goes through a spare checkout: what is as a fresh one would have it stays, the rest goes.

use std::collections::HashSet;
use std::ffi::OsStr;
use std::io;
use std::os::fd::{AsFd as _, OwnedFd};
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use rustix::fs::{Dir, FileType};

use crate::discard::remove_any;
use crate::error::Error;
use crate::index_file::IndexFile;
use crate::memory::Left;
use crate::spare::before::{self, Before, Folders, stat_of};
use crate::spare::due::{Dues, Trust};
use crate::spare::look::{GITLINK, Look, Looked, Place, Time, renewed};
use crate::spare::spread::spread;
use crate::tree::disk::{self, open_top};
use crate::tree::stat::Stat;

/// How many files and folders a thread takes at a time.
const FILES_TOGETHER: usize = 64;
const FOLDERS_TOGETHER: usize = 4;
/// With more files, a folder is left to several threads.
const MOST_AT_ONCE: usize = 400;

/// What is to be in a checkout, and where.
pub(crate) struct Sieve<'s> {
    pub(crate) path: &'s Path,
    top: OwnedFd,
    /// The tree's index; whatever is found as it should be is noted in it.
    pub(crate) index: IndexFile,
    pub(crate) dues: Dues,
    look: Look,
    /// What has to be written after a [`Sieve::sift`].
    pub(crate) missing: Vec<usize>,
    /// The paths that are not written as their objects are.
    converted: HashSet<Vec<u8>>,
    /// How it was left, where that is remembered.
    before: Option<Before>,
    /// The folders that were looked at, and how each is.
    folders: Folders,
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
    /// What the system says of the folder itself.
    stat: Option<Stat>,
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
        let (missing, converted, folders) = Default::default();
        Ok(Self { path, top, index, dues, look, missing, converted, before: None, folders })
    }

    /// Lets files stay unread that are as they were left, where their times tell. If it was not `seen` since
    /// something was loose, they are read, and times only say which of them may keep theirs.
    pub(crate) fn remember(&mut self, left: &Left, (times, trust): (Time, Trust), is_seen: bool) {
        let Some(before) = Before::of(left, &self.top) else { return };
        (self.look.moment, self.look.times) = (left.moment, times);
        self.look.reads_all = !is_seen;
        self.dues.remember(left, if is_seen { trust } else { Trust::Written });
        // Under other attributes the same object may have been written otherwise.
        if attributes(&before.dues) != attributes(&self.dues) {
            self.dues.forget();
        }
        self.before = Some(before);
    }

    /// How the folders are that were looked at in a [`Sieve::sift`].
    pub(crate) fn folders(&mut self) -> Arc<Folders> {
        Arc::new(std::mem::take(&mut self.folders))
    }

    /// The paths of what has to be written after a [`Sieve::sift`], each with a zero at its end.
    pub(crate) fn missing_paths(&self) -> Vec<u8> {
        self.dues.paths(self.missing.iter().copied())
    }

    /// All paths of the tree, each with a zero at its end.
    pub(crate) fn paths(&self) -> Vec<u8> {
        self.dues.paths(0..self.dues.len())
    }

    /// Whether a file is written with other bytes than its object has.
    pub(crate) fn is_converted(&self, number: usize) -> bool {
        self.converted.contains(self.dues.path(self.dues.get(number)))
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
        self.missing = (0..stayed.len()).filter(|number| !stayed[*number]).collect();
        self.converted = written;
        Ok(known)
    }

    /// Removes what is at no path of the tree; gives the rest, with what was seen of it.
    fn walk(&mut self) -> Result<(Vec<Seen>, Vec<Candidate>), Error> {
        let (mut seen, mut unseen) = (Vec::with_capacity(self.dues.len()), Vec::new());
        let mut level = vec![Vec::new()];
        while !level.is_empty() {
            let this = &*self;
            let look = |number: usize, buffer: &mut Vec<u8>| this.look_into(&level[number], buffer);
            let (looked, is_whole) = spread((level.len(), FOLDERS_TOGETHER), look);
            if !is_whole {
                return Err(Error::io("look into", self.path)(io::ErrorKind::Other.into()));
            }
            let mut below = Vec::new();
            for (number, folder) in looked {
                let inside = folder?;
                if let Some(stat) = inside.stat {
                    self.folders.insert(std::mem::take(&mut level[number]), stat);
                }
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
        if let Some(inside) = self.look_again(folder, buffer) {
            return Ok(inside);
        }
        let mut inside = Inside::default();
        let time = self.time_of(folder);
        let mut open = match (disk::open(&self.top, folder), folder) {
            (Ok(Some(open)), []) => open,
            (Ok(Some(open)), _) if open.fd().is_ok_and(|fd| self.look.is_usual(fd, time)) => open,
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
        // Whatever else is done here before the handover only makes it what it should be.
        inside.stat = stat_of(&self.top, folder);
        Ok(inside)
    }

    /// Which time a folder gets: where files keep theirs, one that has all of its times does so too.
    fn time_of(&self, folder: &[u8]) -> Time {
        let before = self.before.as_ref().filter(|_| self.look.times == Time::Stays);
        let is_timed = before.is_some_and(|before| before.is_timed(&self.top, folder).is_some());
        if is_timed { Time::Stays } else { Time::Now }
    }

    /// The same for a folder that is as it was left, and has the same names in the tree as then: its names
    /// are not listed. It keeps its time if files keep theirs.
    fn look_again(&self, folder: &[u8], buffer: &mut [u8]) -> Option<Inside> {
        // In the top lies the private repository, which is new.
        let before = self.before.as_ref().filter(|_| !folder.is_empty())?;
        let mut stat = before.is_left(&self.top, folder)?;
        let (range, was) = (self.dues.below(folder), before.same_below(folder, &self.dues)?);
        if self.look.times == Time::Now {
            stat = renewed(&self.top, folder)?;
        }
        let offset = |number: usize| number - range.start + was.start;
        let (files, folders) = before::inside((&self.dues, range.clone()), folder);
        let mut inside = Inside { stat: Some(stat), ..Inside::default() };
        inside.folders = folders.into_iter().map(<[u8]>::to_vec).collect();
        for number in files {
            let kind = before.kind(offset(number));
            let place =
                Place { folder: self.top.as_fd(), name: self.dues.path(self.dues.get(number)) };
            let found = self.look.at(place, (&self.dues, number, kind), buffer);
            inside.seen.push(((number, kind), found));
        }
        Some(inside)
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
            folder
                .is_some_and(|folder| folder.fd().is_ok_and(|fd| self.look.is_usual(fd, Time::Now)))
        };
        kind == FileType::Directory && is_empty() && is_usual()
    }
}

/// Removes all but the files that are `dues`, and the folders that they are in. What is as it was left
/// `before` holds nothing else.
pub(crate) fn strip(
    checkout: &Path,
    (dues, before): (&Dues, Option<&Before>),
) -> Result<(), Error> {
    let top = open_top(checkout)?;
    let mut level = vec![Vec::new()];
    while !level.is_empty() {
        let strip = |number: usize, _: &mut Vec<u8>| -> Result<Vec<Vec<u8>>, Error> {
            strip_one((checkout, &top), &level[number], (dues, before))
        };
        let (looked, is_whole) = spread((level.len(), FOLDERS_TOGETHER), strip);
        if !is_whole {
            return Err(Error::io("look into", checkout)(io::ErrorKind::Other.into()));
        }
        let below: Result<Vec<_>, Error> = looked.into_iter().map(|(_, below)| below).collect();
        level = below?.concat();
    }
    Ok(())
}

/// The same for what is right in `folder`; gives the folders that stay.
fn strip_one(
    (checkout, top): (&Path, &OwnedFd),
    folder: &[u8],
    (dues, before): (&Dues, Option<&Before>),
) -> Result<Vec<Vec<u8>>, Error> {
    let range = dues.below(folder);
    if before.is_some_and(|before| before.is_left(top, folder).is_some()) {
        let (_, folders) = before::inside((dues, range), folder);
        return Ok(folders.into_iter().map(<[u8]>::to_vec).collect());
    }
    let mut below = Vec::new();
    for (name, kind) in listed(top, folder)? {
        let is_folder = kind == FileType::Directory;
        if !is_folder && dues.find_in(range.clone(), (folder, &name)).is_some() {
            continue;
        }
        let path = joined(folder, &name);
        if is_folder && dues.has_below(&path) {
            below.push(path);
        } else {
            remove_any(&checkout.join(OsStr::from_bytes(&path)))?;
        }
    }
    Ok(below)
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
