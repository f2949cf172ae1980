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
use super::row::What;
use super::stat::Stat;
use super::table::{Folder, Table, join};
use crate::error::Error;

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

/// What one thread saw, and what it works with.
#[derive(Debug, Default)]
struct Part {
    seen: Vec<(usize, Stat)>,
    rest: Walked,
    /// The names in a folder, one after the other, and where each lies.
    letters: Vec<u8>,
    names: Vec<(usize, usize, FileType)>,
    /// Known folders that are yet to be looked at.
    waiting: Vec<usize>,
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
        top,
        table,
        tell,
        device: disk::trustworthy(top),
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
    top: &'a OwnedFd,
    table: &'a Table,
    tell: Tell,
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
    fn take_part(&self, threads: usize) -> Result<Part, Error> {
        let mut part = Part::default();
        let share = self.table.rows.len() / threads;
        match self.tell {
            Tell::All => part.seen.reserve(share),
            Tell::Differing => part.rest.same.reserve(share),
        }
        loop {
            let Some(folder) = part.waiting.pop().or_else(|| self.wait(threads)) else {
                return Ok(part);
            };
            if let Err(error) = self.look(folder, &mut part) {
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

    /// Looks at one folder; the known folders in it wait then.
    fn look(&self, number: usize, part: &mut Part) -> Result<(), Error> {
        let folder = &self.table.folders[number];
        if self.look_by_name(folder, part)? {
            part.waiting.extend_from_slice(&folder.below);
            part.rest.untouched.insert(number);
            return Ok(());
        }
        let Some(mut dir) = disk::open(self.top, &folder.path)? else {
            return Ok(());
        };
        let failed = |errno| unreadable(&folder.path, errno);
        let before = dir.fd().and_then(fstat).map_err(failed)?;
        part.rest.folders.push((number, Stat::of(&before)));
        let (mut letters, mut names) =
            (std::mem::take(&mut part.letters), std::mem::take(&mut part.names));
        (letters.clear(), names.clear());
        while let Some(found) = dir.read() {
            let found = found.map_err(failed)?;
            match found.file_name().to_bytes() {
                b"." | b".." => {}
                b".git" if number == 0 => {}
                b".git" => part.rest.with_dot_git.push(folder.path.clone()),
                name => {
                    let start = letters.len();
                    letters.extend_from_slice(name);
                    names.push((start, letters.len(), found.file_type()));
                }
            }
        }
        names.sort_unstable_by(|a, b| letters[a.0..a.1].cmp(&letters[b.0..b.1]));
        let fd = dir.fd().map_err(failed)?;
        // Both in the order of names.
        let mut rows = folder.rows.iter().copied().peekable();
        for (start, end, kind) in &names {
            let name = &letters[*start..*end];
            while rows.next_if(|row| self.table.name(*row) < name).is_some() {}
            let row = rows.next_if(|row| self.table.name(*row) == name);
            self.meet(fd, folder, (name, *kind, row), part)?;
        }
        (part.letters, part.names) = (letters, names);
        Ok(())
    }

    /// Looks at what is known in a folder to which no name came and from which none went; gives
    /// `false` when that is not certain.
    fn look_by_name(&self, folder: &Folder, part: &mut Part) -> Result<bool, Error> {
        let (Some(known), Some(device)) = (&folder.stat, self.device) else {
            return Ok(false);
        };
        let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let Ok(fd) = openat(self.top, name_or_dot(&folder.path), flags, Mode::empty()) else {
            return Ok(false);
        };
        let failed = |errno| unreadable(&folder.path, errno);
        let found = fstat(&fd).map_err(failed)?;
        if found.st_dev != device || Stat::of(&found) != *known {
            return Ok(false);
        }
        let so_far = (part.seen.len(), part.rest.same.len(), part.rest.gitlinks.len());
        for row in &folder.rows {
            match look_at(&fd, self.table.name(*row)).map_err(failed)? {
                Some(stat) if stat.kind() != FileType::Directory => self.note(*row, stat, part),
                Some(_) if self.table.rows[*row].what == What::Gitlink => {
                    part.rest.gitlinks.push(*row);
                }
                // Files that git keeps off the disk.
                None if self.table.rows[*row].is_hidden => {}
                // Not what the folder said; then its names are read after all.
                _ => {
                    part.seen.truncate(so_far.0);
                    part.rest.same.truncate(so_far.1);
                    part.rest.gitlinks.truncate(so_far.2);
                    return Ok(false);
                }
            }
        }
        Ok(true)
    }

    /// Takes note of a known file or link.
    fn note(&self, row: usize, stat: Stat, part: &mut Part) {
        let known = &self.table.rows[row];
        if self.tell == Tell::Differing && !known.is_hidden && self.table.is_same(known, &stat) {
            part.rest.same.push(row);
        } else {
            part.seen.push((row, stat));
        }
    }

    /// Takes note of one name of a folder, and of its row, if it has one.
    fn meet(
        &self,
        fd: BorrowedFd<'_>,
        folder: &Folder,
        (name, mut kind, row): (&[u8], FileType, Option<usize>),
        part: &mut Part,
    ) -> Result<(), Error> {
        let mut stat = None;
        if kind != FileType::Directory {
            // What vanishes while we look is not there.
            let Some(found) = look_at(fd, name).map_err(|errno| unreadable(name, errno))? else {
                return Ok(());
            };
            kind = found.kind();
            stat = Some(found).filter(|_| kind != FileType::Directory);
        }
        match (row, stat) {
            (Some(row), None) if self.table.rows[row].what == What::Gitlink => {
                part.rest.gitlinks.push(row);
            }
            (Some(row), Some(stat)) => self.note(row, stat, part),
            (_, stat) => {
                let path = join(&folder.path, name);
                let known = stat.is_none().then(|| self.table.folder(&path)).flatten();
                if let Some(known) = known {
                    part.waiting.push(known);
                } else if !self.table.passed.contains(&path) {
                    part.rest.unknown.push(Sight { path, kind, stat });
                }
            }
        }
        Ok(())
    }
}

fn fell() -> Error {
    Error::io("look at", Path::new("."))(io::Error::other("a thread ended early"))
}
