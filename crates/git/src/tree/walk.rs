//! One pass over a working tree: every file is looked at, none is read.
//!
//! Symbolic links are never followed. What is not known is named and not entered: whether it is
//! ignored is for others to find out.

use std::ffi::OsStr;
use std::io;
use std::num::NonZero;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};
use std::sync::{Condvar, Mutex, PoisonError};

use rustix::fs::{AtFlags, Dir, FileType, Mode, OFlags, openat, statat};
use rustix::io::Errno;

use super::stat::Stat;
use super::table::{Table, What, join};
use crate::error::Error;

/// More threads than this wait for the disk and for each other.
const MOST_THREADS: usize = 4;
/// Fewer files than this are not worth a second thread.
const FEW: usize = 400;

/// What a pass over a working tree saw.
#[derive(Debug, Default)]
pub(crate) struct Walked {
    /// Known paths that are there, with what the system says about each.
    pub(crate) seen: Vec<(usize, Stat)>,
    /// Paths that are not known, folders included; these were not entered.
    pub(crate) unknown: Vec<Sight>,
    /// Folders where a repository of its own is known to be; not entered.
    pub(crate) gitlinks: Vec<usize>,
    /// Known folders that have a `.git` inside.
    pub(crate) with_dot_git: Vec<Vec<u8>>,
}

/// Something that is not known.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Sight {
    pub(crate) path: Vec<u8>,
    pub(crate) kind: FileType,
    /// Not asked for of folders.
    pub(crate) stat: Option<Stat>,
}

/// One folder's content, without the `.git` in it.
#[derive(Debug, Default)]
pub(crate) struct Listing {
    pub(crate) names: Vec<(Vec<u8>, FileType)>,
    pub(crate) has_dot_git: bool,
}

/// Opens the top of a working tree.
pub(crate) fn open_top(path: &Path) -> Result<OwnedFd, Error> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
    rustix::fs::open(path, flags, Mode::empty())
        .map_err(|errno| Error::io("open", path)(errno.into()))
}

/// Looks at everything in the folder `top` that `table` knows, and names the rest.
pub(crate) fn walk(top: &OwnedFd, table: &Table) -> Result<Walked, Error> {
    let threads = if table.rows.len() < FEW {
        1
    } else {
        std::thread::available_parallelism().map_or(1, NonZero::get).min(MOST_THREADS)
    };
    let crew = Crew { top, table, work: Mutex::new(Work::default()), more: Condvar::new() };
    crew.lock().waiting.push(Vec::new());
    let parts: Vec<Result<Walked, Error>> = std::thread::scope(|scope| {
        let others: Vec<_> = (1..threads).map(|_| scope.spawn(|| crew.take_part())).collect();
        let mine = crew.take_part();
        let theirs = others.into_iter().map(|other| other.join().unwrap_or_else(|_| Err(fell())));
        [mine].into_iter().chain(theirs.collect::<Vec<_>>()).collect()
    });
    let mut walked = Walked::default();
    for part in parts {
        let part = part?;
        walked.seen.extend(part.seen);
        walked.unknown.extend(part.unknown);
        walked.gitlinks.extend(part.gitlinks);
        walked.with_dot_git.extend(part.with_dot_git);
    }
    walked.unknown.sort_by(|a, b| a.path.cmp(&b.path));
    walked.with_dot_git.sort();
    Ok(walked)
}

/// Folders that wait, and how many are being looked at.
#[derive(Default)]
struct Work {
    waiting: Vec<Vec<u8>>,
    active: usize,
    is_given_up: bool,
}

struct Crew<'a> {
    top: &'a OwnedFd,
    table: &'a Table,
    work: Mutex<Work>,
    more: Condvar,
}

impl Crew<'_> {
    fn lock(&self) -> std::sync::MutexGuard<'_, Work> {
        self.work.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Looks at folders until none is left.
    fn take_part(&self) -> Result<Walked, Error> {
        let mut walked = Walked::default();
        let mut below = Vec::new();
        while let Some(folder) = self.next() {
            let looked = self.look(&folder, &mut walked, &mut below);
            let mut work = self.lock();
            work.active -= 1;
            work.waiting.append(&mut below);
            work.is_given_up |= looked.is_err();
            drop(work);
            self.more.notify_all();
            looked?;
        }
        Ok(walked)
    }

    fn next(&self) -> Option<Vec<u8>> {
        let mut work = self.lock();
        loop {
            if work.is_given_up {
                return None;
            }
            if let Some(folder) = work.waiting.pop() {
                work.active += 1;
                return Some(folder);
            }
            if work.active == 0 {
                return None;
            }
            work = self.more.wait(work).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Looks at one folder; the known folders in it go to `below`.
    fn look(
        &self,
        folder: &[u8],
        walked: &mut Walked,
        below: &mut Vec<Vec<u8>>,
    ) -> Result<(), Error> {
        let rows = self.table.rows_in(folder);
        let Some(mut dir) = open(self.top, folder)? else {
            return Ok(());
        };
        while let Some(found) = dir.read() {
            let found = found.map_err(|errno| unreadable(folder, errno))?;
            let name = found.file_name().to_bytes();
            if matches!(name, b"." | b"..") {
                continue;
            }
            if name == b".git" {
                if !folder.is_empty() {
                    walked.with_dot_git.push(folder.to_vec());
                }
                continue;
            }
            let fd = dir.fd().map_err(|errno| unreadable(folder, errno))?;
            let (mut kind, mut stat) = (found.file_type(), None);
            if !matches!(kind, FileType::Directory) {
                // What vanishes while we look is not there.
                let Some(seen) = look_at(fd, name).map_err(|e| unreadable(folder, e))? else {
                    continue;
                };
                kind = seen.kind();
                stat = (kind != FileType::Directory).then_some(seen);
            }
            let path = || join(folder, name);
            match (self.table.find(rows, name), stat) {
                (Some(row), None) if self.table.rows[row].what == What::Gitlink => {
                    walked.gitlinks.push(row);
                }
                (Some(row), Some(stat)) => walked.seen.push((row, stat)),
                (_, None) if self.table.has_folder(&path()) => below.push(path()),
                _ => {
                    let path = path();
                    if !self.table.passed.contains(&path) {
                        walked.unknown.push(Sight { path, kind, stat });
                    }
                }
            }
        }
        Ok(())
    }
}

/// What is right in `folder`; `None` when there is no such folder.
pub(crate) fn list(top: &OwnedFd, folder: &[u8]) -> Result<Option<Listing>, Error> {
    let Some(mut dir) = open(top, folder)? else {
        return Ok(None);
    };
    let mut listing = Listing::default();
    while let Some(found) = dir.read() {
        let found = found.map_err(|errno| unreadable(folder, errno))?;
        let name = found.file_name().to_bytes();
        match name {
            b"." | b".." => {}
            b".git" => listing.has_dot_git = true,
            _ => {
                let mut kind = found.file_type();
                if kind == FileType::Unknown {
                    let fd = dir.fd().map_err(|errno| unreadable(folder, errno))?;
                    let seen = look_at(fd, name).map_err(|errno| unreadable(folder, errno))?;
                    kind = seen.map_or(kind, |seen| seen.kind());
                }
                listing.names.push((name.to_vec(), kind));
            }
        }
    }
    listing.names.sort_by(|a, b| a.0.cmp(&b.0));
    Ok(Some(listing))
}

/// What the system says about a path below `top`; `None` when nothing is there.
pub(crate) fn stat(top: &OwnedFd, path: &[u8]) -> Result<Option<Stat>, Error> {
    look_at(top.as_fd(), path).map_err(|errno| unreadable(path, errno))
}

fn look_at(fd: impl AsFd, name: &[u8]) -> Result<Option<Stat>, Errno> {
    match statat(fd, OsStr::from_bytes(name), AtFlags::SYMLINK_NOFOLLOW) {
        Ok(found) => Ok(Some(Stat::of(&found))),
        Err(Errno::NOENT | Errno::NOTDIR) => Ok(None),
        Err(errno) => Err(errno),
    }
}

fn open(top: &OwnedFd, folder: &[u8]) -> Result<Option<Dir>, Error> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let path = if folder.is_empty() { OsStr::new(".") } else { OsStr::from_bytes(folder) };
    match openat(top, path, flags, Mode::empty()).and_then(Dir::new) {
        Ok(dir) => Ok(Some(dir)),
        // Gone, or something else by now.
        Err(Errno::NOENT | Errno::NOTDIR | Errno::LOOP) => Ok(None),
        Err(errno) => Err(unreadable(folder, errno)),
    }
}

pub(crate) fn unreadable(path: &[u8], errno: Errno) -> Error {
    let path = PathBuf::from(OsStr::from_bytes(path));
    match errno {
        Errno::ACCESS | Errno::PERM => Error::Unreadable { path },
        _ => Error::io("look at", &path)(errno.into()),
    }
}

fn fell() -> Error {
    Error::io("look at", Path::new("."))(io::Error::other("a thread ended early"))
}
