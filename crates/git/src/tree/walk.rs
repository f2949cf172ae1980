//! One pass over a working tree: every file is looked at, none is read.
//!
//! Symbolic links are never followed. What is not known is named and not entered: whether it is
//! ignored is for others to find out.

use std::collections::HashSet;
use std::io;
use std::num::NonZero;
use std::os::fd::{BorrowedFd, OwnedFd};
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use rustix::fs::{FileType, Mode, OFlags, fstat, openat};

use super::disk::{self, look_at, name_or_dot, unreadable};
use super::stat::Stat;
use super::table::{Table, What, join, name_of};
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
    /// What the system said about each known folder before its names were read.
    pub(crate) folders: Vec<(Vec<u8>, Stat)>,
    /// Known folders whose names were not read, because none came or went.
    pub(crate) untouched: HashSet<Vec<u8>>,
}

/// Something that is not known.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Sight {
    pub(crate) path: Vec<u8>,
    pub(crate) kind: FileType,
    /// Not asked for of folders.
    pub(crate) stat: Option<Stat>,
}

/// Looks at everything in the folder `top` that `table` knows, and names the rest.
pub(crate) fn walk(top: &OwnedFd, table: &Table) -> Result<Walked, Error> {
    let threads = if table.rows.len() < FEW {
        1
    } else {
        std::thread::available_parallelism().map_or(1, NonZero::get).min(MOST_THREADS)
    };
    let device = disk::trustworthy(top);
    let crew = Crew {
        top,
        table,
        device,
        idle: AtomicUsize::new(0),
        work: Mutex::default(),
        more: Condvar::new(),
    };
    crew.lock().waiting.push(Vec::new());
    let parts: Vec<Result<Walked, Error>> = std::thread::scope(|scope| {
        let others: Vec<_> =
            (1..threads).map(|_| scope.spawn(|| crew.take_part(threads))).collect();
        let mine = crew.take_part(threads);
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
        walked.folders.extend(part.folders);
        walked.untouched.extend(part.untouched);
    }
    walked.unknown.sort_by(|a, b| a.path.cmp(&b.path));
    walked.with_dot_git.sort();
    Ok(walked)
}

/// Folders that wait for anyone.
#[derive(Default)]
struct Work {
    waiting: Vec<Vec<u8>>,
    is_over: bool,
}

struct Crew<'a> {
    top: &'a OwnedFd,
    table: &'a Table,
    device: Option<u64>,
    /// How many wait for work.
    idle: AtomicUsize,
    work: Mutex<Work>,
    more: Condvar,
}

impl Crew<'_> {
    fn lock(&self) -> MutexGuard<'_, Work> {
        self.work.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Looks at folders until none is left.
    fn take_part(&self, threads: usize) -> Result<Walked, Error> {
        let mut walked = Walked::default();
        let mut mine = Vec::new();
        loop {
            let Some(folder) = mine.pop().or_else(|| self.wait(threads)) else {
                return Ok(walked);
            };
            if let Err(error) = self.look(&folder, &mut walked, &mut mine) {
                self.lock().is_over = true;
                self.more.notify_all();
                return Err(error);
            }
            if mine.len() > 1 && self.idle.load(Ordering::Relaxed) > 0 {
                // The older half: those folders are higher up, and hold more.
                let half = mine.len() / 2;
                self.lock().waiting.extend(mine.drain(..half));
                self.more.notify_all();
            }
        }
    }

    /// Waits for a folder of another thread; `None` when all of them wait.
    fn wait(&self, threads: usize) -> Option<Vec<u8>> {
        let mut work = self.lock();
        self.idle.fetch_add(1, Ordering::Relaxed);
        loop {
            if let Some(folder) = work.waiting.pop() {
                self.idle.fetch_sub(1, Ordering::Relaxed);
                return Some(folder);
            }
            if work.is_over || self.idle.load(Ordering::Relaxed) == threads {
                work.is_over = true;
                self.more.notify_all();
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
        if self.look_by_name(folder, walked, below)? {
            return Ok(());
        }
        let Some(mut dir) = disk::open(self.top, folder)? else {
            return Ok(());
        };
        let before = dir.fd().and_then(fstat).map_err(|errno| unreadable(folder, errno))?;
        walked.folders.push((folder.to_vec(), Stat::of(&before)));
        let rows = self.table.rows_in(folder);
        while let Some(found) = dir.read() {
            let found = found.map_err(|errno| unreadable(folder, errno))?;
            let name = found.file_name().to_bytes();
            match name {
                b"." | b".." => {}
                b".git" if folder.is_empty() => {}
                b".git" => walked.with_dot_git.push(folder.to_vec()),
                _ => {
                    let fd = dir.fd().map_err(|errno| unreadable(folder, errno))?;
                    let sight =
                        Sight { path: join(folder, name), kind: found.file_type(), stat: None };
                    self.meet(fd, sight, rows, (walked, below))?;
                }
            }
        }
        Ok(())
    }

    /// Looks at what is known in a folder to which no name came and from which none went; gives
    /// `false` when that is not certain.
    fn look_by_name(
        &self,
        folder: &[u8],
        walked: &mut Walked,
        below: &mut Vec<Vec<u8>>,
    ) -> Result<bool, Error> {
        let Some(known) = self.table.untouched_stat(folder).filter(|_| self.device.is_some())
        else {
            return Ok(false);
        };
        let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let Ok(fd) = openat(self.top, name_or_dot(folder), flags, Mode::empty()) else {
            return Ok(false);
        };
        let found = fstat(&fd).map_err(|errno| unreadable(folder, errno))?;
        if Some(found.st_dev) != self.device || Stat::of(&found) != *known {
            return Ok(false);
        }
        for row in self.table.rows_in(folder) {
            let name = name_of(self.table.path_at(*row));
            match look_at(&fd, name).map_err(|errno| unreadable(folder, errno))? {
                Some(stat) if stat.kind() != FileType::Directory => walked.seen.push((*row, stat)),
                Some(_) if self.table.rows[*row].what == What::Gitlink => {
                    walked.gitlinks.push(*row)
                }
                // Not what the folder said; then its names are read after all.
                _ => {
                    walked.seen.retain(|(seen, _)| !self.table.rows_in(folder).contains(seen));
                    walked.gitlinks.retain(|seen| !self.table.rows_in(folder).contains(seen));
                    return Ok(false);
                }
            }
        }
        below.extend(self.table.folders_in(folder).iter().cloned());
        walked.untouched.insert(folder.to_vec());
        Ok(true)
    }

    /// Takes note of one name of a folder.
    fn meet(
        &self,
        fd: BorrowedFd<'_>,
        mut sight: Sight,
        rows: &[usize],
        (walked, below): (&mut Walked, &mut Vec<Vec<u8>>),
    ) -> Result<(), Error> {
        let name = name_of(&sight.path);
        if sight.kind != FileType::Directory {
            // What vanishes while we look is not there.
            let Some(seen) = look_at(fd, name).map_err(|errno| unreadable(&sight.path, errno))?
            else {
                return Ok(());
            };
            sight.kind = seen.kind();
            sight.stat = (sight.kind != FileType::Directory).then_some(seen);
        }
        match (self.table.find(rows, name), sight.stat) {
            (Some(row), None) if self.table.rows[row].what == What::Gitlink => {
                walked.gitlinks.push(row);
            }
            (Some(row), Some(stat)) => walked.seen.push((row, stat)),
            (_, None) if self.table.has_folder(&sight.path) => below.push(sight.path),
            _ if self.table.passed.contains(&sight.path) => {}
            _ => walked.unknown.push(sight),
        }
        Ok(())
    }
}

fn fell() -> Error {
    Error::io("look at", Path::new("."))(io::Error::other("a thread ended early"))
}
