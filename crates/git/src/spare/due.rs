//! What a checkout has to hold, in the order of git's index, and what is known of each file.
//!
//! It is made for every command of a verification, with every file of the tree, so it is a few long
//! rows instead of a table of small pieces.

use std::cmp::Ordering;
use std::collections::HashSet;
use std::ops::Range;

use countersign_domain::id::ObjectId;
use data_encoding::HEXLOWER;

use crate::index_file::IndexFile;
use crate::memory::Left;
use crate::tree::name::name_of;
use crate::tree::stat::Stat;

/// A file that the tree has.
#[derive(Debug, Clone)]
pub(crate) struct Due {
    name: Range<usize>,
    object: Range<usize>,
    pub(crate) mode: u32,
    /// Where its entry is in the index.
    pub(crate) at: usize,
    /// What the system said of it when it was last handed over.
    pub(crate) was: Option<Stat>,
    /// Whether it was read before that, and was what it should be.
    pub(crate) is_proven: bool,
}

/// Which files that were left stay unread.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Trust {
    /// Those that were read before.
    Proven,
    /// Those that git wrote as well: its store was looked through just before.
    Written,
}

/// All of them, sorted by their paths.
#[derive(Debug, Default)]
pub(crate) struct Dues {
    all: Vec<Due>,
    /// Paths and objects, one after the other.
    bytes: Vec<u8>,
}

impl Dues {
    /// Those of an index; `None` if it is not understood.
    pub(crate) fn of(index: &IndexFile) -> Option<Self> {
        let mut dues = Self::default();
        dues.all.reserve(index.count());
        dues.bytes.reserve(index.bytes().len());
        index.walk(|entry| {
            let name = dues.push(entry.path);
            let object = dues.push(entry.object);
            dues.all.push(Due {
                name,
                object,
                mode: entry.mode,
                at: entry.at,
                was: None,
                is_proven: false,
            });
        })?;
        let is_sorted = |pair: &[Due]| dues.path(&pair[0]) < dues.path(&pair[1]);
        dues.all.windows(2).all(is_sorted).then_some(dues)
    }

    fn push(&mut self, bytes: &[u8]) -> Range<usize> {
        let start = self.bytes.len();
        self.bytes.extend_from_slice(bytes);
        start..self.bytes.len()
    }

    /// Takes over what is known of files that were there with the same object; what was not proven only
    /// if that is not `wanted`.
    pub(crate) fn remember(&mut self, left: &Left, wanted: Trust) {
        let (mut next, mut number) = (0, 0);
        let Self { all, bytes } = self;
        left.index.walk(|entry| {
            let is_proven = left.proven.get(number).copied().unwrap_or(false);
            number += 1;
            while let Some(due) = all.get_mut(next) {
                match bytes[due.name.clone()].cmp(entry.path) {
                    Ordering::Less => next += 1,
                    Ordering::Greater => return,
                    Ordering::Equal => {
                        let is_same =
                            bytes[due.object.clone()] == *entry.object && due.mode == entry.mode;
                        let is_known = is_same && (is_proven || wanted == Trust::Written);
                        due.was = is_known.then(|| entry.stat());
                        due.is_proven = is_same && is_proven;
                        next += 1;
                        return;
                    }
                }
            }
        });
    }

    pub(crate) fn forget(&mut self) {
        for due in &mut self.all {
            (due.was, due.is_proven) = (None, false);
        }
    }

    pub(crate) fn len(&self) -> usize {
        self.all.len()
    }

    pub(crate) fn get(&self, number: usize) -> &Due {
        &self.all[number]
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &Due> {
        self.all.iter()
    }

    pub(crate) fn path(&self, due: &Due) -> &[u8] {
        &self.bytes[due.name.clone()]
    }

    /// The name of its object, as git writes it.
    pub(crate) fn object(&self, due: &Due) -> String {
        HEXLOWER.encode(&self.bytes[due.object.clone()])
    }

    /// The name of the tree that they are.
    pub(crate) fn name(&self, hash_len: usize) -> String {
        let object = |due: &Due| &self.bytes[due.object.clone()];
        let leaves: Vec<_> =
            self.all.iter().map(|due| (due.mode, self.path(due), object(due))).collect();
        name_of(&leaves, hash_len)
    }

    /// The number of the file called `name` right in `folder`, below which those of `range` are.
    pub(crate) fn find_in(
        &self,
        range: Range<usize>,
        (folder, name): (&[u8], &[u8]),
    ) -> Option<usize> {
        // All of them begin with the folder's name and a slash.
        let skipped = if folder.is_empty() { 0 } else { folder.len() + 1 };
        let first = range.start;
        let found = self.all[range].binary_search_by(|due| self.path(due)[skipped..].cmp(name));
        found.ok().map(|at| first + at)
    }

    /// The numbers of all files below `folder`, however deep; empty is the top.
    pub(crate) fn below(&self, folder: &[u8]) -> Range<usize> {
        if folder.is_empty() {
            return 0..self.all.len();
        }
        // Compared with the folder's name and a slash behind it.
        let order = |due: &Due| {
            let path = self.path(due);
            let (above, rest) = path.split_at(path.len().min(folder.len()));
            let slash = || rest.first().map_or(Ordering::Less, |byte| byte.cmp(&b'/'));
            above.cmp(folder).then_with(slash)
        };
        let first = self.all.partition_point(|due| order(due) == Ordering::Less);
        let count = self.all[first..].partition_point(|due| order(due) == Ordering::Equal);
        first..first + count
    }

    /// Whether there is a file below `folder`.
    pub(crate) fn has_below(&self, folder: &[u8]) -> bool {
        !self.below(folder).is_empty()
    }

    /// The paths of those with these numbers, each with a zero at its end.
    pub(crate) fn paths(&self, numbers: impl Iterator<Item = usize>) -> Vec<u8> {
        let mut paths = Vec::new();
        for number in numbers {
            paths.extend_from_slice(self.path(&self.all[number]));
            paths.push(0);
        }
        paths
    }

    /// The objects of those that are `known`.
    pub(crate) fn objects(&self, known: &[bool]) -> HashSet<ObjectId> {
        let known = self.all.iter().zip(known).filter(|(_, is_known)| **is_known);
        known.filter_map(|(due, _)| self.object(due).parse().ok()).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn dues(paths: &[&str]) -> Dues {
        let mut dues = Dues::default();
        for path in paths {
            let (name, object) = (dues.push(path.as_bytes()), dues.push(&[0; 20]));
            dues.all.push(Due { name, object, mode: 0, at: 0, was: None, is_proven: false });
        }
        dues
    }

    /// Names sort around the slash: what begins like a folder is not in it.
    #[test]
    fn folders_are_found_among_names_like_theirs() {
        let dues = dues(&["a", "b-c", "b.d", "b/x/y", "b0", "ba/z", "c/"]);
        for folder in ["b", "b/x", "ba", "c"] {
            assert!(dues.has_below(folder.as_bytes()), "{folder}");
        }
        for folder in ["a", "b-c", "b/x/y", "b.", "b0", "bb", "d"] {
            assert!(!dues.has_below(folder.as_bytes()), "{folder}");
        }
        assert_eq!((dues.below(b""), dues.below(b"b"), dues.below(b"b/x")), (0..7, 3..4, 3..4));
        let find = |folder: &[u8], name: &[u8]| dues.find_in(dues.below(folder), (folder, name));
        assert_eq!((find(b"b/x", b"y"), find(b"b", b"x"), find(b"b", b"y")), (Some(3), None, None));
        assert_eq!((find(b"", b"b-c"), find(b"", b"b"), find(b"d", b"a")), (Some(1), None, None));
    }

    #[test]
    fn some_of_them_are_named() {
        let dues = dues(&["a", "b"]);
        assert_eq!(dues.paths([1].into_iter()), b"b\0");
        assert_eq!(dues.objects(&[true, false]).len(), 1);
    }
}
