//! The files that are known of one repository on disk, and what is known of each.
//!
//! Made from an index of git's when a tree is recorded, and from the stat cache when it is
//! compared.

use std::collections::{HashMap, HashSet};

use countersign_domain::id::{Digest, ObjectId};
use data_encoding::HEXLOWER;

use super::stat::{Moment, Stat};
use crate::index_file::{Entry, IndexFile};

const MODE_LINK: u32 = 0o120_000;

/// What kind of thing a path is known to be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum What {
    File,
    Link,
    /// A repository of its own, of which git records the commit.
    Gitlink,
    /// Ignored: known by the digest of its bytes, and not stored.
    Watched,
}

/// What git does with the bytes of a file before it records them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum Conversion {
    #[default]
    None,
    /// Line endings are made the same.
    Text,
    /// A filter, an encoding, an identifier.
    Filter,
}

/// One known path.
#[derive(Debug, Clone)]
pub(crate) struct Row {
    pub(crate) path: (usize, usize),
    pub(crate) stat: Stat,
    /// The object's name, as long as the repository's names are; zeros for a watched file.
    pub(crate) object: [u8; 32],
    /// The digest of the bytes on disk, where the object does not tell: watched and converted.
    pub(crate) raw: Option<Digest>,
    pub(crate) what: What,
    pub(crate) conversion: Conversion,
    /// A file on disk that looks like `stat` has the content of `object`.
    pub(crate) is_trusted: bool,
    /// Git was told to keep it off the disk.
    pub(crate) is_hidden: bool,
    /// Where the entry begins in the index that the table was made from.
    pub(crate) entry_at: usize,
}

/// One known folder.
#[derive(Debug, Default)]
struct Folder {
    /// The rows right in it, in the order of their names.
    rows: Vec<usize>,
    /// The known folders right in it.
    below: Vec<Vec<u8>>,
    /// What the system said about it before its names were read, if that can be relied on.
    stat: Option<Stat>,
}

/// Known paths, by folder.
#[derive(Debug, Default)]
pub(crate) struct Table {
    names: Vec<u8>,
    pub(crate) rows: Vec<Row>,
    folders: HashMap<Vec<u8>, Folder>,
    /// Ignored folders and files that tools fill; nobody looks there.
    pub(crate) passed: HashSet<Vec<u8>>,
    hash_len: usize,
    /// The stats are git's, which keeps only 32 bits of each number.
    is_narrow: bool,
}

impl Table {
    pub(crate) fn new(hash_len: usize) -> Self {
        let folders = HashMap::from([(Vec::new(), Folder::default())]);
        Self { hash_len, folders, ..Self::default() }
    }

    /// The paths that `index` knows. An entry as young as the index itself is not trusted.
    pub(crate) fn from_index(index: &IndexFile, hash_len: usize) -> Self {
        let mut table = Self { is_narrow: true, ..Self::new(hash_len) };
        let written = index.written();
        index.walk(|entry| table.take_in(&entry, written));
        table.sort_out();
        table
    }

    fn take_in(&mut self, entry: &Entry<'_>, written: u32) {
        if let Some(last) = self.rows.last_mut()
            && self.names[last.path.0..last.path.1] == *entry.path
        {
            // The sides of a conflict.
            last.is_trusted = false;
            return;
        }
        let moment = |seconds: u32, nanos| Moment { seconds: seconds.into(), nanos };
        let what = match entry.mode {
            _ if entry.is_gitlink() => What::Gitlink,
            MODE_LINK => What::Link,
            _ => What::File,
        };
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
            ..Row::new(what, stat)
        };
        self.push(entry.path, row, entry.object);
    }

    /// Adds a path; [`Table::sort_out`] must follow.
    pub(crate) fn push(&mut self, path: &[u8], mut row: Row, object: &[u8]) {
        let start = self.names.len();
        self.names.extend_from_slice(path);
        row.path = (start, self.names.len());
        let len = object.len().min(row.object.len());
        row.object[..len].copy_from_slice(&object[..len]);
        self.rows.push(row);
    }

    /// Puts the rows in order and into their folders.
    pub(crate) fn sort_out(&mut self) {
        let names = &self.names;
        self.rows.sort_by(|a, b| names[a.path.0..a.path.1].cmp(&names[b.path.0..b.path.1]));
        let mut folders = HashMap::from([(Vec::new(), Folder::default())]);
        let mut last: Option<(&[u8], Vec<usize>)> = None;
        for (number, row) in self.rows.iter().enumerate() {
            let folder = folder_of(&names[row.path.0..row.path.1]);
            match &mut last {
                Some((path, rows)) if *path == folder => rows.push(number),
                _ => {
                    let full = last.replace((folder, vec![number]));
                    full.into_iter().for_each(|(path, rows)| add(&mut folders, path, rows));
                }
            }
        }
        last.into_iter().for_each(|(path, rows)| add(&mut folders, path, rows));
        self.folders = folders;
    }

    pub(crate) fn path(&self, row: &Row) -> &[u8] {
        &self.names[row.path.0..row.path.1]
    }

    pub(crate) fn path_at(&self, number: usize) -> &[u8] {
        self.path(&self.rows[number])
    }

    pub(crate) fn object<'r>(&self, row: &'r Row) -> &'r [u8] {
        &row.object[..self.hash_len]
    }

    pub(crate) fn object_id(&self, row: &Row) -> Option<ObjectId> {
        HEXLOWER.encode(self.object(row)).parse().ok()
    }

    pub(crate) fn has_folder(&self, path: &[u8]) -> bool {
        self.folders.contains_key(path)
    }

    /// The rows right in a folder, in the order of their names.
    pub(crate) fn rows_in(&self, folder: &[u8]) -> &[usize] {
        self.folders.get(folder).map_or(&[], |folder| &folder.rows)
    }

    /// The known folders right in a folder.
    pub(crate) fn folders_in(&self, folder: &[u8]) -> &[Vec<u8>] {
        self.folders.get(folder).map_or(&[], |folder| &folder.below)
    }

    /// What the system said about a folder, if its names need not be read while it says the same.
    pub(crate) fn untouched_stat(&self, folder: &[u8]) -> Option<&Stat> {
        self.folders.get(folder)?.stat.as_ref()
    }

    /// Takes note of what the system said about a known folder.
    pub(crate) fn set_folder(&mut self, folder: &[u8], stat: Option<Stat>) {
        if let Some(folder) = self.folders.get_mut(folder) {
            folder.stat = stat;
        }
    }

    /// The known folders that need not be read while they look the same.
    pub(crate) fn folder_stats(&self) -> impl Iterator<Item = (&[u8], &Stat)> {
        let folders = self.folders.iter();
        folders.filter_map(|(path, folder)| Some((path.as_slice(), folder.stat.as_ref()?)))
    }

    /// The row of `name` among `rows`, which are those of one folder.
    pub(crate) fn find(&self, rows: &[usize], name: &[u8]) -> Option<usize> {
        let at = rows.binary_search_by(|row| name_of(self.path_at(*row)).cmp(name)).ok()?;
        Some(rows[at])
    }

    /// The row of a path.
    pub(crate) fn find_path(&self, path: &[u8]) -> Option<usize> {
        self.find(self.rows_in(folder_of(path)), name_of(path))
    }

    /// Whether what is on disk need not be read to know that it is what the row says.
    pub(crate) fn is_same(&self, row: &Row, found: &Stat) -> bool {
        row.is_trusted
            && if self.is_narrow { row.stat == found.narrow() } else { row.stat == *found }
    }

    /// Makes every file suspect, whatever it looks like.
    pub(crate) fn trust_nothing(&mut self) {
        self.rows.iter_mut().for_each(|row| row.is_trusted = false);
        self.folders.values_mut().for_each(|folder| folder.stat = None);
    }

    pub(crate) fn hash_len(&self) -> usize {
        self.hash_len
    }
}

impl Row {
    pub(crate) fn new(what: What, stat: Stat) -> Self {
        Self {
            path: (0, 0),
            stat,
            object: [0; 32],
            raw: None,
            what,
            conversion: Conversion::None,
            is_trusted: true,
            is_hidden: false,
            entry_at: 0,
        }
    }
}

/// Adds rows to a folder, and makes the folders above it known.
fn add(folders: &mut HashMap<Vec<u8>, Folder>, path: &[u8], rows: Vec<usize>) {
    if let Some(known) = folders.get_mut(path) {
        known.rows.extend(rows);
        return;
    }
    folders.insert(path.to_vec(), Folder { rows, ..Folder::default() });
    let mut folder = path;
    loop {
        let above = folder_of(folder);
        let is_known = folders.contains_key(above);
        folders.entry(above.to_vec()).or_default().below.push(folder.to_vec());
        if is_known {
            return;
        }
        folder = above;
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

    fn table(paths: &[&str]) -> Table {
        let mut table = Table::new(20);
        for path in paths {
            table.push(path.as_bytes(), Row::new(What::File, Stat::default()), &[7; 20]);
        }
        table.sort_out();
        table
    }

    #[test]
    fn every_path_is_found_in_its_folder() {
        let paths = ["a", "a-b", "a.d/x", "d/a", "d/b/c/e", "d/b.c", "d/z", "ä"];
        let table = table(&paths);
        for path in paths {
            let row = table.find_path(path.as_bytes()).unwrap();
            assert_eq!(table.path_at(row), path.as_bytes());
        }
        for path in ["", "b", "d", "d/b", "d/b/c", "a.d/y"] {
            assert_eq!(table.find_path(path.as_bytes()), None, "{path}");
        }
        for folder in ["", "a.d", "d", "d/b", "d/b/c"] {
            assert!(table.has_folder(folder.as_bytes()), "{folder}");
        }
        assert!(!table.has_folder(b"a"));
    }
}
