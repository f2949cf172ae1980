//! Reads a spare checkout whole: what is as a fresh one would have it stays, the rest goes.

use std::collections::HashSet;
use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::{self, Read as _};
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use rustix::fs::{
    AtFlags, FileType, Mode, OFlags, Stat as System, Timespec, Timestamps, UTIME_NOW, flistxattr,
    fstat, futimens, openat, statat, utimensat,
};
use rustix::io::Errno;

use crate::discard::remove_any;
use crate::error::Error;
use crate::index_file::IndexFile;
use crate::loose::Naming;
use crate::memory::Left;
use crate::spare::due::{Due, Dues, Trust};
use crate::spare::spread::spread;
use crate::tree::disk::{self, open_top};
use crate::tree::hash::target;
use crate::tree::stat::{Moment, Stat};

/// What systems themselves put on files.
const SYSTEM_ATTRIBUTES: &[&[u8]] = &[b"security.", b"com.apple.", b"system.nfs4_acl"];

const NOW: Timestamps = Timestamps {
    last_access: Timespec { tv_sec: 0, tv_nsec: UTIME_NOW },
    last_modification: Timespec { tv_sec: 0, tv_nsec: UTIME_NOW },
};

/// How many files and folders a thread takes at a time.
const FILES_TOGETHER: usize = 64;
const FOLDERS_TOGETHER: usize = 8;

const LINK: u32 = 0o120_000;
const EXECUTABLE: u32 = 0o100_755;
const GITLINK: u32 = 0o160_000;

/// Who owns what is made here, and with which permissions.
#[derive(Debug, Clone, Copy)]
struct Usual {
    owner: (u32, u32),
    file: u32,
    folder: u32,
}

/// What is to be in a checkout, and where.
pub(crate) struct Sieve<'s> {
    path: &'s Path,
    top: OwnedFd,
    /// The tree's index; whatever is found as it should be is noted in it.
    pub(crate) index: IndexFile,
    pub(crate) dues: Dues,
    usual: Usual,
    /// When it was last handed over.
    moment: Moment,
    times: Time,
    missing: Vec<u8>,
}

/// Which time something is given that is as it should be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Time {
    /// That of a fresh checkout.
    Now,
    /// Its own, if it is the one that was handed over last.
    Stays,
}

/// Something that lies where the tree has something: which, and what it is.
type Candidate = (usize, FileType);

/// What the system says of what is as it should be, and whether it was read.
type Looked = (System, bool);

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
        let (top, usual) = (open_top(path)?, usual(git_dir)?);
        let (moment, times, missing) = (Moment::default(), Time::Now, Vec::new());
        Ok(Self { path, top, index, dues, usual, moment, times, missing })
    }

    /// Lets files stay unread that are as they were left, where their times tell.
    pub(crate) fn remember(&mut self, left: &Left, (times, trust): (Time, Trust)) {
        if !disk::tells_changes(&self.top) {
            return;
        }
        (self.moment, self.times) = (left.moment, times);
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
        let candidates = self.walk()?;
        let mut looked = vec![None; candidates.len()];
        for (number, found) in self.look_at_all(&candidates) {
            looked[number] = found;
        }
        let (written, mut known) = (written()?, vec![false; self.dues.len()]);
        let mut stayed = known.clone();
        for ((number, kind), found) in candidates.into_iter().zip(looked) {
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

    /// Removes what is at no path of the tree; gives the rest.
    fn walk(&self) -> Result<Vec<Candidate>, Error> {
        let (mut found, mut level) = (Vec::with_capacity(self.dues.len()), vec![Vec::new()]);
        while !level.is_empty() {
            let look = |number: usize, _: &mut Vec<u8>| self.look_into(&level[number]);
            let (looked, is_whole) = spread((level.len(), FOLDERS_TOGETHER), look);
            if !is_whole {
                return Err(Error::io("look into", self.path)(io::ErrorKind::Other.into()));
            }
            let mut below = Vec::new();
            for (_, folder) in looked {
                let (folders, files) = folder?;
                below.extend(folders);
                found.extend(files);
            }
            level = below;
        }
        Ok(found)
    }

    /// The same for what is right in one folder, and the folders in it.
    fn look_into(&self, folder: &[u8]) -> Result<(Vec<Vec<u8>>, Vec<Candidate>), Error> {
        let (mut folders, mut found) = (Vec::new(), Vec::new());
        for (name, kind) in listed(&self.top, folder)? {
            let path = joined(folder, &name);
            if kind == FileType::Directory
                && self.dues.has_below(&path)
                && self.is_usual_folder(&path)
            {
                folders.push(path);
            } else if let Some(number) = self.dues.find(&path) {
                found.push((number, kind));
            } else {
                remove_any(&self.path.join(OsStr::from_bytes(&path)))?;
            }
        }
        Ok((folders, found))
    }

    /// Looks at all of them. What a thread left that came to nothing is written anew.
    fn look_at_all(&self, candidates: &[Candidate]) -> Vec<(usize, Option<Looked>)> {
        let look = |number: usize, buffer: &mut Vec<u8>| self.look_at(candidates[number], buffer);
        spread((candidates.len(), FILES_TOGETHER), look).0
    }

    /// What the system says of it, if it is as it should be.
    fn look_at(&self, (number, kind): Candidate, buffer: &mut [u8]) -> Option<Looked> {
        let due = self.dues.get(number);
        let path = self.dues.path(due);
        let was = self.was_left(path, due);
        // One that was written so shortly before the handover that the clock may not have ticked is read.
        if let Some(found) =
            was.filter(|now| !Stat::of(now).narrow().changed.ticks_with(self.moment))
        {
            let found = if self.times == Time::Stays { Some(found) } else { self.touched(path) };
            return found.map(|found| (found, false));
        }
        let time = if was.is_some() { self.times } else { Time::Now };
        let found = match (due.mode, kind) {
            (LINK, FileType::Symlink) => self.link(path, due, time),
            (GITLINK | LINK, _) => None,
            (_, FileType::RegularFile) => self.file(path, (due, time), buffer).ok().flatten(),
            _ => None,
        };
        found.map(|found| (found, true))
    }

    /// What the system says of something after it got the time of a fresh checkout.
    fn touched(&self, path: &[u8]) -> Option<System> {
        let (name, flags) = (OsStr::from_bytes(path), AtFlags::SYMLINK_NOFOLLOW);
        utimensat(&self.top, name, &NOW, flags).ok()?;
        statat(&self.top, name, flags).ok()
    }

    /// What the system says of something that has all of its times as they were left.
    fn was_left(&self, path: &[u8], due: &Due) -> Option<System> {
        let stat = due.was.filter(|_| due.mode != GITLINK)?;
        let found = statat(&self.top, OsStr::from_bytes(path), AtFlags::SYMLINK_NOFOLLOW).ok()?;
        (Stat::of(&found).narrow() == stat).then_some(found)
    }

    /// What the system says of a file that is as it should be.
    fn file(
        &self,
        path: &[u8],
        (due, time): (&Due, Time),
        buffer: &mut [u8],
    ) -> io::Result<Option<System>> {
        let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
        let file = openat(&self.top, OsStr::from_bytes(path), flags, Mode::empty())?;
        let mut file = File::from(file);
        let found = fstat(&file)?;
        let mode = if due.mode == EXECUTABLE { self.usual.folder & 0o777 } else { self.usual.file };
        let is_usual = found.st_nlink == 1 && self.is_mine(&found) && permissions(&found) == mode;
        if !is_usual || has_attributes(&file) {
            return Ok(None);
        }
        let mut left = u64::try_from(found.st_size).unwrap_or(u64::MAX);
        let object = self.dues.object(due);
        let mut naming = Naming::of("blob", left, object.len());
        while left > 0 {
            match file.read(buffer) {
                // Shorter than a moment ago.
                Ok(0) => return Ok(None),
                Ok(len) => {
                    naming.add(&buffer[..len]);
                    left = left.saturating_sub(len as u64);
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        if naming.name() != object {
            return Ok(None);
        }
        if time == Time::Now {
            futimens(&file, &NOW)?;
        }
        Ok(Some(fstat(&file)?))
    }

    fn link(&self, path: &[u8], due: &Due, time: Time) -> Option<System> {
        let (name, flags) = (OsStr::from_bytes(path), AtFlags::SYMLINK_NOFOLLOW);
        let target = target(&self.top, path).ok().flatten()?;
        let object = self.dues.object(due);
        let mut naming = Naming::of("blob", target.len() as u64, object.len());
        naming.add(&target);
        if naming.name() != object {
            return None;
        }
        let found = if time == Time::Now {
            self.touched(path)?
        } else {
            statat(&self.top, name, flags).ok()?
        };
        (found.st_nlink == 1 && self.is_mine(&found)).then_some(found)
    }

    fn is_vacant(&self, path: &[u8], kind: FileType) -> bool {
        kind == FileType::Directory
            && listed(&self.top, path).is_ok_and(|names| names.is_empty())
            && self.is_usual_folder(path)
    }

    fn is_usual_folder(&self, path: &[u8]) -> bool {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let opened = openat(&self.top, OsStr::from_bytes(path), flags, Mode::empty());
        opened.is_ok_and(|folder| {
            let folder = File::from(folder);
            let is_usual = fstat(&folder).is_ok_and(|found| {
                self.is_mine(&found) && permissions(&found) == self.usual.folder
            });
            is_usual && !has_attributes(&folder) && futimens(&folder, &NOW).is_ok()
        })
    }

    fn is_mine(&self, found: &System) -> bool {
        (found.st_uid, found.st_gid) == self.usual.owner
    }
}

/// Removes all but the files called `names`, and the folders that they are in.
pub(crate) fn strip(checkout: &Path, names: &HashSet<Vec<u8>>) -> Result<(), Error> {
    let folders: HashSet<Vec<u8>> = names.iter().flat_map(|name| above(name)).collect();
    let top = open_top(checkout)?;
    let mut waiting = vec![Vec::new()];
    while let Some(folder) = waiting.pop() {
        for (name, kind) in listed(&top, &folder)? {
            let path = joined(&folder, &name);
            if kind == FileType::Directory && folders.contains(&path) {
                waiting.push(path);
            } else if kind == FileType::Directory || !names.contains(&path) {
                remove_any(&checkout.join(OsStr::from_bytes(&path)))?;
            }
        }
    }
    Ok(())
}

/// What is right in a folder, `.git` of the top left out: that is made anew.
fn listed(top: &OwnedFd, folder: &[u8]) -> Result<Vec<(Vec<u8>, FileType)>, Error> {
    let Some(listing) = disk::list(top, folder)? else { return Ok(Vec::new()) };
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

/// The folders that a path is in.
fn above(path: &[u8]) -> impl Iterator<Item = Vec<u8>> {
    let slashes = path.iter().enumerate().filter(|(_, byte)| **byte == b'/');
    slashes.map(|(at, _)| path[..at].to_vec())
}

/// Nobody has set these in a private repository that was made just now.
fn usual(git_dir: &Path) -> Result<Usual, Error> {
    let head: PathBuf = git_dir.join("HEAD");
    let file = fs::symlink_metadata(&head).map_err(Error::io("open", &head))?;
    let folder = fs::symlink_metadata(git_dir).map_err(Error::io("open", git_dir))?;
    let owner = (file.uid(), file.gid());
    Ok(Usual { owner, file: file.mode() & 0o7777, folder: folder.mode() & 0o7777 })
}

#[allow(clippy::unnecessary_cast, reason = "the type differs between systems")]
fn permissions(found: &System) -> u32 {
    found.st_mode as u32 & 0o7777
}

/// Whether somebody put attributes or access lists on it. What can't be told counts as yes.
fn has_attributes(file: &File) -> bool {
    let mut names = [0; 1024];
    match flistxattr(file, &mut names) {
        Ok(len) => names[..len]
            .split(|byte| *byte == 0)
            .filter(|name| !name.is_empty())
            .any(|name| !SYSTEM_ATTRIBUTES.iter().any(|known| name.starts_with(known))),
        Err(errno) => errno != Errno::NOTSUP,
    }
}
