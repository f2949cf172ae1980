//! The look at one folder.

use std::os::fd::{BorrowedFd, OwnedFd};

use rustix::fs::{FileType, Mode, OFlags, fstat, openat};

use super::{Sight, Tell, Walked};
use crate::error::Error;
use crate::tree::disk::{self, look_at, name_or_dot, unreadable};
use crate::tree::row::What;
use crate::tree::stat::Stat;
use crate::tree::table::{Folder, Table, join};

/// What one thread saw, and what it works with.
#[derive(Debug, Default)]
pub(super) struct Part {
    pub(super) seen: Vec<(usize, Stat)>,
    pub(super) rest: Walked,
    /// The names in a folder, one after the other, and where each lies.
    letters: Vec<u8>,
    names: Vec<(usize, usize, FileType)>,
    /// Known folders that are yet to be looked at.
    pub(super) waiting: Vec<usize>,
}

/// What it takes to look at folders.
#[derive(Debug)]
pub(super) struct Eye<'a> {
    pub(super) top: &'a OwnedFd,
    pub(super) table: &'a Table,
    pub(super) tell: Tell,
    /// The device of `top`, if the times of folders on it can be relied on.
    pub(super) device: Option<u64>,
}

impl Eye<'_> {
    /// Looks at one folder; the known folders in it wait then.
    pub(super) fn look(&self, number: usize, part: &mut Part) -> Result<(), Error> {
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
        letters.clear();
        names.clear();
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
