//! The bytes of files that git converts, kept where git's own object is not the same.
//!
//! Objects of git's format in a store of our own: what a filter takes out, or encrypts, may be
//! meant never to come near what is pushed.

use std::collections::{HashMap, HashSet};
use std::fs::{self, DirBuilder};
use std::os::unix::fs::DirBuilderExt as _;
use std::path::Path;

use countersign_domain::id::ObjectId;
use countersign_domain::snapshot::PathText;

use super::Session;
use super::plan::Work;
use super::session::{Earlier, Trusted};
use crate::batch::Batch;
use crate::command::Git;
use crate::error::Error;
use crate::lfs;
use crate::tree::disk;
use crate::tree::hash::{self, Filters};
use crate::tree::row::{Row, What};
use crate::tree::table::Table;

/// A file that git converts, with the object that its own bytes are.
type Bytes = (usize, ObjectId);

/// Where the bytes of converted files are kept that git's objects don't have.
#[derive(Debug, Clone, Default)]
pub(crate) struct KeptRaw {
    /// A tree in our own store.
    pub(crate) tree: Option<ObjectId>,
    /// Files of which LFS has the bytes, by their path in the repository.
    pub(crate) lfs: Vec<PathText>,
}

impl Session<'_> {
    /// What was recorded earlier of the repository at `path`, if that is to be believed.
    pub(super) fn earlier(&self, path: &[u8]) -> Option<&Earlier> {
        match &self.trust {
            Trusted::Earlier(grounds) => grounds.iter().find(|ground| ground.known.path == path),
            Trusted::Index | Trusted::Nothing => None,
        }
    }

    /// Keeps the bytes of the files in `table` that are not those of their object.
    pub(super) fn keep_raw(
        &self,
        path: &[u8],
        work: &Work,
        table: &Table,
    ) -> Result<KeptRaw, Error> {
        let Some(store) = &self.raw else { return Ok(KeptRaw::default()) };
        let mut rows: Vec<usize> =
            (0..table.rows.len()).filter(|row| is_converted(&table.rows[*row])).collect();
        let in_lfs = self.kept_by_lfs(table, &rows)?;
        rows.retain(|row| !in_lfs.contains(row));
        let mut lfs: Vec<PathText> =
            in_lfs.iter().map(|row| PathText::new(table.path_at(*row))).collect();
        lfs.sort();
        if rows.is_empty() {
            return Ok(KeptRaw { tree: None, lfs });
        }
        create(store)?;
        let known = self.known_raw(path, table, &rows);
        let is_reused = !known.is_empty();
        let tree = match self.raw_tree(work, table, (&rows, &known)) {
            // What was kept earlier may be lost.
            Err(_) if is_reused => self.raw_tree(work, table, (&rows, &HashMap::new())),
            other => other,
        };
        Ok(KeptRaw { tree: tree?, lfs })
    }

    /// Those of `rows` of which the object is a pointer to the very bytes that they have, and LFS
    /// has these too.
    fn kept_by_lfs(&self, table: &Table, rows: &[usize]) -> Result<HashSet<usize>, Error> {
        let mut found = HashSet::new();
        let setting = if rows.is_empty() { None } else { self.config()?.last("lfs.storage") };
        let store = self.repository.lfs_store(setting).filter(|_| !rows.is_empty());
        let Some(store) = store else { return Ok(found) };
        let mut batch = None;
        for (row, size) in rows.iter().zip(self.object_sizes(table, rows)?) {
            let (Some(digest), Some(object)) =
                (table.rows[*row].raw.as_deref(), table.object_id(&table.rows[*row]))
            else {
                continue;
            };
            let kept = lfs::path_in(&store, digest);
            let is_kept =
                || fs::metadata(kept).is_ok_and(|f| f.len() == table.rows[*row].stat.size);
            if size.is_none_or(|size| size >= lfs::MOST_OF_POINTER) || !is_kept() {
                continue;
            }
            let batch = match &mut batch {
                Some(batch) => batch,
                none => none.insert(Batch::start(self.repository)?),
            };
            let pointer = batch.object(object.as_str())?;
            if pointer.and_then(|pointer| lfs::pointed_at(&pointer.content)) == Some(*digest) {
                found.insert(*row);
            }
        }
        Ok(found)
    }

    /// The sizes of the objects of `rows`, as far as they are known.
    fn object_sizes(&self, table: &Table, rows: &[usize]) -> Result<Vec<Option<u64>>, Error> {
        let objects: Vec<Option<ObjectId>> =
            rows.iter().map(|row| table.object_id(&table.rows[*row])).collect();
        let sizes = self.repository.sizes(&objects.iter().flatten().collect::<Vec<_>>())?;
        let is_known = sizes.len() == rows.len();
        Ok(if is_known { sizes } else { vec![None; rows.len()] })
    }

    /// The objects of files whose bytes are what they were when they were kept.
    fn known_raw(&self, path: &[u8], table: &Table, rows: &[usize]) -> HashMap<usize, ObjectId> {
        let (Some(Earlier { known, raw: Some(earlier) }), Some(store)) =
            (self.earlier(path), &self.raw)
        else {
            return HashMap::new();
        };
        let kept = earlier.tree.as_ref().map(|tree| self.repository.list_in(store, tree));
        // Of a tree that can't be read, nobody knows which files had bytes of their own.
        let Ok(kept) = kept.unwrap_or_else(|| Ok(Vec::new())) else { return HashMap::new() };
        let kept: HashMap<Vec<u8>, ObjectId> = kept
            .into_iter()
            .map(|file| (file.path.into_os_string().into_encoded_bytes(), file.side.object))
            .collect();
        let same = |row: usize| {
            let path = table.path_at(row);
            let before = &known.table.rows[known.table.find_path(path)?];
            let is_same = before.what == What::File && before.raw == table.rows[row].raw;
            match kept.get(path).filter(|_| is_same) {
                Some(object) => Some((row, object.clone())),
                // It had the bytes of its object, and has them still.
                None if is_same
                    && before.object == table.rows[row].object
                    && earlier.lfs.binary_search(&PathText::new(path)).is_err() =>
                {
                    Some((row, table.object_id(before)?))
                }
                None => None,
            }
        };
        rows.iter().filter_map(|row| same(*row)).collect()
    }

    fn raw_tree(
        &self,
        work: &Work,
        table: &Table,
        (rows, known): (&[usize], &HashMap<usize, ObjectId>),
    ) -> Result<Option<ObjectId>, Error> {
        let is_known = |row: &usize| known.contains_key(row);
        let (old, new): (Vec<usize>, Vec<usize>) = rows.iter().copied().partition(is_known);
        let new = self.without_same(work, table, new)?;
        let old = old.into_iter().map(|row| (row, known[&row].clone()));
        let mut all: Vec<Bytes> = old.collect();
        all.extend(self.store_raw(work, table, &new)?);
        all.retain(|(row, object)| table.object_id(&table.rows[*row]).as_ref() != Some(object));
        if all.is_empty() {
            return Ok(None);
        }
        let mut entries = Vec::new();
        for (row, object) in all {
            let mode = if table.rows[row].stat.mode & 0o100 == 0 { "100644" } else { "100755" };
            entries.extend(format!("{mode} {object}\t").into_bytes());
            entries.extend([table.path_at(row), b"\0"].concat());
        }
        let index = self.scratch.join("raw-index");
        fs::remove_file(&index).ok();
        let git = || self.git_raw(work).env("GIT_INDEX_FILE", &index);
        git().args(["update-index", "-z", "--index-info"]).input(entries).output()?;
        git().arg("write-tree").object().map(Some)
    }

    /// Leaves out the files that have the bytes of their object.
    fn without_same(
        &self,
        work: &Work,
        table: &Table,
        rows: Vec<usize>,
    ) -> Result<Vec<usize>, Error> {
        let mut sizes = self.object_sizes(table, &rows)?.into_iter();
        // Most conversions change the size, which says it without reading.
        let (same_size, mut other): (Vec<usize>, Vec<usize>) = rows.into_iter().partition(|row| {
            let size = sizes.next().flatten();
            size.is_none_or(|size| size == table.rows[*row].stat.size)
        });
        let paths = same_size.iter().map(|row| table.path_at(*row));
        let found = hash::name_files(self.git_on(work), paths, Filters::Left)?;
        for (row, object) in same_size.iter().zip(found) {
            if table.object_id(&table.rows[*row]) != Some(object) {
                other.push(*row);
            }
        }
        Ok(other)
    }

    fn store_raw(&self, work: &Work, table: &Table, rows: &[usize]) -> Result<Vec<Bytes>, Error> {
        let paths = rows.iter().map(|row| table.path_at(*row));
        let stored = hash::store_files(self.git_raw(work), paths, Filters::Left)?;
        Ok(rows.iter().copied().zip(stored).collect())
    }

    /// A git process that stores into, and reads from, nothing but the store of raw bytes.
    fn git_raw(&self, work: &Work) -> Git {
        let git = self.git_on(work);
        match &self.raw {
            Some(store) => git.env("GIT_OBJECT_DIRECTORY", store),
            None => git,
        }
    }
}

impl Work {
    /// A converted file that changed while its bytes were read.
    pub(super) fn restless_raw(&self, table: &Table) -> Result<Option<Vec<u8>>, Error> {
        for row in table.rows.iter().filter(|row| is_converted(row)) {
            let path = table.path(row);
            if disk::stat(&self.place.top, path)? != Some(row.stat) {
                return Ok(Some(path.to_vec()));
            }
        }
        Ok(None)
    }
}

fn is_converted(row: &Row) -> bool {
    row.what == What::File && row.raw.is_some() && !row.is_hidden
}

/// Makes the store, which is nobody else's to read.
fn create(store: &Path) -> Result<(), Error> {
    let made = DirBuilder::new().recursive(true).mode(0o700).create(store);
    made.map_err(Error::io("create", store))
}
