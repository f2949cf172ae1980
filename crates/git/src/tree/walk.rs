//! One pass over a working tree: every file is looked at, none is read.
//!
//! Symbolic links are never followed. What is not known is named and not entered: whether it is
//! ignored is for others to find out.

use std::collections::HashSet;
use std::io;
use std::num::NonZero;
use std::os::fd::OwnedFd;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use rustix::fs::FileType;

use super::disk;
use super::sift::refuse;
use super::stat::Stat;
use super::table::Table;
use crate::error::Error;

mod eye;

use eye::{Eye, Part};

/// More threads than this wait for the disk and for each other.
const MOST_THREADS: usize = 4;
/// Fewer files than this are not worth a second thread.
const FEW: usize = 400;

/// What a pass over a working tree saw.
#[derive(Debug, Default)]
pub(crate) struct Walked {
    /// Known paths that are there, with what the system says about each; by thread.
    pub(crate) seen: Vec<Vec<(usize, Stat)>>,
    /// Known paths that are there and look as they are known, where nobody asked for more.
    pub(crate) same: Vec<usize>,
    /// Paths that are not known, folders included; these were not entered.
    pub(crate) unknown: Vec<Sight>,
    /// Folders where a repository of its own is known to be; not entered.
    pub(crate) gitlinks: Vec<usize>,
    /// Known folders that have a `.git` inside.
    pub(crate) with_dot_git: Vec<Vec<u8>>,
    /// What the system said about each known folder before its names were read.
    pub(crate) folders: Vec<(usize, Stat)>,
    /// Known folders whose names were not read, because none came or went.
    pub(crate) untouched: HashSet<usize>,
}

impl Walked {
    /// Fails when a known file became something that git would wait for.
    pub(crate) fn refuse_blocking(&self, table: &Table) -> Result<(), Error> {
        let mut seen = self.seen.iter().flatten();
        seen.try_for_each(|(row, stat)| refuse(table.name(*row), stat.kind()))
    }
}

/// What to tell of files that look as they are known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Tell {
    /// What the system says about them.
    All,
    /// Only that they are there.
    Differing,
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
pub(crate) fn walk(top: &OwnedFd, table: &Table, tell: Tell) -> Result<Walked, Error> {
    let threads = if table.rows.len() < FEW {
        1
    } else {
        std::thread::available_parallelism().map_or(1, NonZero::get).min(MOST_THREADS)
    };
    let crew = Crew {
        eye: Eye { top, table, tell, device: disk::trustworthy(top) },
        idle: AtomicUsize::new(0),
        work: Mutex::default(),
        more: Condvar::new(),
    };
    crew.lock().waiting.push(0);
    let parts: Vec<Result<Part, Error>> = std::thread::scope(|scope| {
        let others: Vec<_> =
            (1..threads).map(|_| scope.spawn(|| crew.take_part(threads))).collect();
        let mine = crew.take_part(threads);
        let theirs = others.into_iter().map(|other| other.join().unwrap_or_else(|_| Err(fell())));
        [mine].into_iter().chain(theirs.collect::<Vec<_>>()).collect()
    });
    let mut walked = Walked::default();
    for part in parts {
        let Part { seen, rest, .. } = part?;
        walked.seen.push(seen);
        walked.same.extend(rest.same);
        walked.unknown.extend(rest.unknown);
        walked.gitlinks.extend(rest.gitlinks);
        walked.with_dot_git.extend(rest.with_dot_git);
        walked.folders.extend(rest.folders);
        walked.untouched.extend(rest.untouched);
    }
    walked.unknown.sort_by(|a, b| a.path.cmp(&b.path));
    walked.with_dot_git.sort();
    Ok(walked)
}

/// Folders that wait for anyone.
#[derive(Default)]
struct Work {
    waiting: Vec<usize>,
    is_over: bool,
}

struct Crew<'a> {
    eye: Eye<'a>,
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
    fn take_part(&self, threads: usize) -> Result<Part, Error> {
        let mut part = Part::default();
        let share = self.eye.table.rows.len() / threads;
        match self.eye.tell {
            Tell::All => part.seen.reserve(share),
            Tell::Differing => part.rest.same.reserve(share),
        }
        loop {
            let Some(folder) = part.waiting.pop().or_else(|| self.wait(threads)) else {
                return Ok(part);
            };
            if let Err(error) = self.eye.look(folder, &mut part) {
                self.lock().is_over = true;
                self.more.notify_all();
                return Err(error);
            }
            if part.waiting.len() > 1 && self.idle.load(Ordering::Relaxed) > 0 {
                // The older half: those folders are higher up, and hold more.
                let half = part.waiting.len() / 2;
                self.lock().waiting.extend(part.waiting.drain(..half));
                self.more.notify_all();
            }
        }
    }

    /// Waits for a folder of another thread; `None` when all of them wait.
    fn wait(&self, threads: usize) -> Option<usize> {
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
}

fn fell() -> Error {
    Error::io("look at", Path::new("."))(io::Error::other("a thread ended early"))
}
