//! The files that are known of one repository on disk, and what is known of each.
//!
//! Made from an index of git's when a tree is recorded, and from the stat cache when it is
//! compared.

use std::collections::{HashMap, HashSet};

use countersign_domain::id::ObjectId;
use data_encoding::HEXLOWER;

use super::row::{Row, What};
use super::stat::{Moment, Stat};
use crate::index_file::{Entry, IndexFile};

/// One known folder.
#[derive(Debug, Default)]
pub(crate) struct Folder {
    pub(crate) path: Vec<u8>,
    /// The rows right in it, in the order of their names.
    pub(crate) rows: Vec<usize>,
    /// That order is yet to be made, or a row is gone.
    is_mixed: bool,
    /// The known folders right in it.
    pub(crate) below: Vec<usize>,
    /// What the system said about it before its names were read, if that can be relied on: while
    /// it says the same, no name came and none went.
    pub(crate) stat: Option<Stat>,
}

/// How a known path was found on disk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Seen {
    Not,
    Same,
    Differing,
}

/// Known paths, by folder.
#[derive(Debug)]
pub(crate) struct Table {
    names: Vec<u8>,
    pub(crate) rows: Vec<Row>,
    /// The top one comes first.
    pub(crate) folders: Vec<Folder>,
    by_path: HashMap<Vec<u8>, usize>,
    /// The folder that the last row went to.
    last: usize,
    /// Ignored folders and files that tools fill; nobody looks there.
    pub(crate) passed: HashSet<Vec<u8>>,
    hash_len: usize,
    /// The stats are git's, which keeps only 32 bits of each number.
    pub(super) is_narrow: bool,
}

impl Table {
    pub(crate) fn new(hash_len: usize) -> Self {
        Self {
            names: Vec::new(),
            rows: Vec::new(),
            folders: vec![Folder::default()],
            by_path: HashMap::from([(Vec::new(), 0)]),
            last: 0,
            passed: HashSet::new(),
            hash_len,
            is_narrow: false,
        }
    }

    /// Makes room for so many rows, with names of so many bytes.
    pub(crate) fn reserve(&mut self, rows: usize, bytes: usize) {
        self.rows.reserve(rows);
        self.names.reserve(bytes);
    }

    /// The paths that `index` knows. An entry as young as the index itself is not trusted.
    pub(crate) fn from_index(index: &IndexFile, hash_len: usize) -> Self {
        let mut table = Self { is_narrow: true, ..Self::new(hash_len) };
        table.reserve(index.count(), index.bytes().len() / 2);
        let written = index.written();
        index.walk(|entry| table.take_in(&entry, written));
        table.sort_out();
        table
    }

    fn take_in(&mut self, entry: &Entry<'_>, written: u32) {
        if let Some(last) = self.rows.last_mut()
            && self.names[last.name.0..last.name.2] == *entry.path
        {
            // The sides of a conflict.
            last.is_trusted = false;
            return;
        }
        let moment = |seconds: u32, nanos| Moment { seconds: seconds.into(), nanos };
        let stat = Stat {
            changed: moment(entry.changed, entry.changed_nanos),
            modified: moment(entry.modified, entry.modified_nanos),
            inode: entry.inode.into(),
            size: entry.size.into(),
            mode: entry.mode,
        };
        let is_young = entry.changed >= written || entry.modified >= written;
        let row = Row {
            is_trusted: !is_young && !entry.unfinished,
            is_hidden: entry.skip_worktree,
            entry_at: entry.at,
            ..Row::new(What::of(entry.mode), stat)
        };
        self.push(entry.path, row, entry.object);
    }

    /// Adds a path that is not there yet; [`Table::sort_out`] must follow.
    pub(crate) fn push(&mut self, path: &[u8], mut row: Row, object: &[u8]) {
        let folder = folder_of(path);
        if self.folders[self.last].path != folder {
            self.last = self.folder_at(folder);
        }
        let start = self.names.len();
        self.names.extend_from_slice(path);
        row.name = (start, start + path.len() - name_of(path).len(), self.names.len());
        row.set(row.what, object);
        let number = self.rows.len();
        self.rows.push(row);
        let last = self.folders[self.last].rows.last();
        let is_mixed = last.is_some_and(|last| self.name(*last) > name_of(path));
        let folder = &mut self.folders[self.last];
        folder.is_mixed |= is_mixed;
        folder.rows.push(number);
    }

    /// Takes a path out; [`Table::sort_out`] must follow.
    pub(crate) fn remove(&mut self, number: usize) {
        if let Some(folder) = self.folder(folder_of(self.path_at(number))) {
            self.folders[folder].is_mixed = true;
        }
        self.rows[number].what = What::Gone;
    }

    /// Puts the rows of each folder in order, after some were added or are gone.
    pub(crate) fn sort_out(&mut self) {
        let (rows, names) = (&self.rows, &self.names);
        for folder in self.folders.iter_mut().filter(|folder| folder.is_mixed) {
            folder.is_mixed = false;
            folder.rows.retain(|row| rows[*row].what != What::Gone);
            let name = |row: usize| &names[rows[row].name.1..rows[row].name.2];
            folder.rows.sort_by(|a, b| name(*a).cmp(name(*b)));
        }
    }

    /// The number of a folder, which becomes known, as do those above it.
    fn folder_at(&mut self, path: &[u8]) -> usize {
        let mut missing = Vec::new();
        let mut at = path;
        let mut above = loop {
            match self.by_path.get(at) {
                Some(known) => break *known,
                None => missing.push(at),
            }
            at = folder_of(at);
        };
        for path in missing.into_iter().rev() {
            let number = self.folders.len();
            self.folders.push(Folder { path: path.to_vec(), ..Folder::default() });
            self.folders[above].below.push(number);
            self.by_path.insert(path.to_vec(), number);
            above = number;
        }
        above
    }

    pub(crate) fn path(&self, row: &Row) -> &[u8] {
        &self.names[row.name.0..row.name.2]
    }

    pub(crate) fn path_at(&self, number: usize) -> &[u8] {
        self.path(&self.rows[number])
    }

    /// The last part of the path of a row.
    pub(crate) fn name(&self, number: usize) -> &[u8] {
        let (_, start, end) = self.rows[number].name;
        &self.names[start..end]
    }

    pub(crate) fn object<'r>(&self, row: &'r Row) -> &'r [u8] {
        &row.object[..self.hash_len]
    }

    pub(crate) fn object_id(&self, row: &Row) -> Option<ObjectId> {
        HEXLOWER.encode(self.object(row)).parse().ok()
    }

    /// The number of a known folder.
    pub(crate) fn folder(&self, path: &[u8]) -> Option<usize> {
        self.by_path.get(path).copied()
    }

    /// The row of `name` among `rows`, which are those of one folder.
    pub(crate) fn find(&self, rows: &[usize], name: &[u8]) -> Option<usize> {
        let at = rows.binary_search_by(|row| self.name(*row).cmp(name)).ok()?;
        Some(rows[at])
    }

    /// The row of a path.
    pub(crate) fn find_path(&self, path: &[u8]) -> Option<usize> {
        let folder = self.folder(folder_of(path))?;
        self.find(&self.folders[folder].rows, name_of(path))
    }

    /// Whether what is on disk need not be read to know that it is what the row says.
    pub(crate) fn is_same(&self, row: &Row, found: &Stat) -> bool {
        row.is_trusted
            && if self.is_narrow { row.stat == found.narrow() } else { row.stat == *found }
    }

    /// Takes over what was seen on disk, and says of each row whether it looks as it is known. A
    /// row that is not there has no stat any more. From here on, the stats are whole.
    pub(crate) fn see<'s>(&mut self, seen: impl Iterator<Item = &'s (usize, Stat)>) -> Vec<Seen> {
        let mut how = vec![Seen::Not; self.rows.len()];
        for (number, stat) in seen {
            let is_same = self.is_same(&self.rows[*number], stat);
            how[*number] = if is_same { Seen::Same } else { Seen::Differing };
            self.rows[*number].stat = *stat;
            self.rows[*number].is_hidden = false;
        }
        let missing = self.rows.iter_mut().zip(&how).filter(|(_, how)| **how == Seen::Not);
        missing.for_each(|(row, _)| row.stat = Stat::default());
        self.is_narrow = false;
        how
    }

    pub(crate) fn hash_len(&self) -> usize {
        self.hash_len
    }
}

/// The folder that a path is in; empty at the top.
pub(crate) fn folder_of(path: &[u8]) -> &[u8] {
    path.iter().rposition(|byte| *byte == b'/').map_or(&[], |at| &path[..at])
}

/// The last part of a path.
pub(crate) fn name_of(path: &[u8]) -> &[u8] {
    path.iter().rposition(|byte| *byte == b'/').map_or(path, |at| &path[at + 1..])
}

/// `folder/name`, or just the name at the top.
pub(crate) fn join(folder: &[u8], name: &[u8]) -> Vec<u8> {
    if folder.is_empty() { name.to_vec() } else { [folder, b"/", name].concat() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_path_is_found_in_its_folder() {
        let paths = ["d/z", "a", "a-b", "a.d/x", "d/a", "d/b/c/e", "ä", "d/b.c"];
        let mut table = Table::new(20);
        for path in paths {
            table.push(path.as_bytes(), Row::new(What::File, Stat::default()), &[7; 20]);
        }
        table.sort_out();
        for path in paths {
            let row = table.find_path(path.as_bytes()).unwrap();
            assert_eq!(table.path_at(row), path.as_bytes());
        }
        for path in ["", "b", "d", "d/b", "d/b/c", "a.d/y"] {
            assert_eq!(table.find_path(path.as_bytes()), None, "{path}");
        }
        for folder in ["", "a.d", "d", "d/b", "d/b/c"] {
            assert!(table.folder(folder.as_bytes()).is_some(), "{folder}");
        }
        assert_eq!(table.folder(b"a"), None);
        let d = &table.folders[table.folder(b"d").unwrap()];
        let names: Vec<&[u8]> = d.rows.iter().map(|row| table.name(*row)).collect();
        assert_eq!(names, [&b"a"[..], b"b.c", b"z"]);
    }
}
