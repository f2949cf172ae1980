//! What was found genuine and can't have been changed since.
//!
//! A file of git's store that was changed has another time of its last change, which programs can't
//! set. So an object that was read and is what its name says need not be read again, as long as every
//! pack and the file that it has for itself are as they were.

use std::collections::{HashMap, HashSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use countersign_domain::id::ObjectId;
use rustix::fs::{AtFlags, CWD, Dev as Device, FileType, fstat, statat};

use crate::foreign::stores;
use crate::repository::Repository;
use crate::tree::disk::{open_top, tells_changes};
use crate::tree::stat::{Moment, Stat};

/// With more objects in files of their own, it costs as much to look at those as to read everything.
const MOST_LOOSE: usize = 20_000;
/// How many objects are remembered, at about a hundred bytes each.
const MOST_OBJECTS: usize = 300_000;

/// How git's store is: its packs, and the files of single objects.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Store {
    packs: HashMap<PathBuf, Stat>,
    loose: HashMap<PathBuf, Stat>,
    at: Moment,
}

/// The objects that are genuine as long as their files stay as they are.
#[derive(Debug, Default)]
pub(crate) struct Settled {
    store: Store,
    objects: HashSet<ObjectId>,
    /// Lists of files that are, with all that is below them.
    trees: HashSet<ObjectId>,
}

impl Store {
    /// How the store of `repository` is now; `None` where times don't tell.
    pub(crate) fn of(repository: &Repository) -> Option<Self> {
        let at = Moment::of(SystemTime::now());
        let mut store = Self { at, ..Self::default() };
        for folder in stores(&repository.layout().common_dir.join("objects")).ok()? {
            let top = open_top(&folder).ok().filter(tells_changes)?;
            store.look_at(&folder, fstat(&top).ok()?.st_dev)?;
        }
        Some(store)
    }

    /// `None` if anything is there that is no plain file on the same device: what a link leads to, or
    /// what lies deeper, would change unnoticed.
    fn look_at(&mut self, folder: &Path, device: Device) -> Option<()> {
        for entry in fs::read_dir(folder).ok()? {
            let entry = entry.ok()?;
            let name = entry.file_name();
            let is_loose = name.len() == 2;
            if !is_loose && name != "pack" && name != "info" {
                continue;
            }
            if !entry.file_type().ok()?.is_dir() {
                return None;
            }
            for file in fs::read_dir(entry.path()).ok()? {
                let path = file.ok()?.path();
                let found = statat(CWD, &path, AtFlags::SYMLINK_NOFOLLOW).ok()?;
                let is_plain = FileType::from_raw_mode(found.st_mode) == FileType::RegularFile;
                if !is_plain || found.st_dev != device {
                    return None;
                }
                let found = Stat::of(&found);
                let files = if is_loose { &mut self.loose } else { &mut self.packs };
                files.insert(path, found);
            }
            if self.loose.len() > MOST_LOOSE {
                return None;
            }
        }
        Some(())
    }

    fn has_young_pack(&self) -> bool {
        self.packs.values().any(|found| self.is_young(found))
    }

    /// Whether a change of this file could have gone unnoticed: the clock may not have ticked.
    fn is_young(&self, found: &Stat) -> bool {
        found.changed.ticks_with(self.at)
    }
}

impl Settled {
    /// The same without what may have been changed until the store was as `now` says, and the objects of
    /// it whose files are others by now: git gives the file of an object that is stored once more a new
    /// time. They have to be read again, and [`Settled::doubt`] is for what is not genuine then.
    pub(crate) fn until(mut self, now: Store) -> (Self, Vec<ObjectId>) {
        if now.has_young_pack() || now.packs != self.store.packs {
            return (Self { store: now, ..Self::default() }, Vec::new());
        }
        let was = &self.store.loose;
        let is_same = |(path, found): (&PathBuf, &Stat)| now.loose.get(path) == Some(found);
        let gone = was.iter().filter(|file| !is_same(*file)).map(|(path, _)| path);
        let new = now.loose.keys().filter(|path| !was.contains_key(*path));
        let mut changed = Vec::new();
        let mut is_sure = true;
        for path in gone.chain(new) {
            let is_one = |object: &ObjectId| self.has(object) || self.trees.contains(object);
            if let Some(object) = object_of(path).filter(is_one) {
                is_sure &= !now.loose.get(path).is_some_and(|found| now.is_young(found));
                changed.push(object);
            }
        }
        if !is_sure {
            self.doubt(&std::mem::take(&mut changed));
        }
        self.store = now;
        (self, changed)
    }

    /// Forgets objects that are no longer known to be genuine, and all lists: they stand for what is below
    /// them.
    pub(crate) fn doubt(&mut self, objects: &[ObjectId]) {
        for object in objects {
            self.objects.remove(object);
        }
        self.trees.clear();
    }

    pub(crate) fn has(&self, object: &ObjectId) -> bool {
        self.objects.contains(object)
    }

    /// The lists of files that are genuine with all that is below them.
    pub(crate) fn take_trees(&mut self) -> HashSet<ObjectId> {
        std::mem::take(&mut self.trees)
    }

    /// Takes in what is genuine after the store was looked at: files that were read, and lists of files
    /// with all that is below them, those that were known `before` and those that were read.
    pub(crate) fn add(
        &mut self,
        objects: impl Iterator<Item = ObjectId>,
        (before, trees): (HashSet<ObjectId>, HashSet<ObjectId>),
    ) {
        if self.store.has_young_pack() {
            return;
        }
        let young: HashSet<ObjectId> = {
            let loose = self.store.loose.iter().filter(|(_, found)| self.store.is_young(found));
            loose.filter_map(|(path, _)| object_of(path)).collect()
        };
        self.objects.extend(objects.filter(|object| !young.contains(object)));
        // Nothing below these has changed since they were read.
        self.trees.extend(before);
        // A list stands for all that is below it: with one that is too young, none is sure.
        if young.is_empty() {
            self.trees.extend(trees);
        }
        if self.objects.len() + self.trees.len() > MOST_OBJECTS {
            *self = Self::default();
        }
    }
}

/// The object that has the file at `path` for itself.
fn object_of(path: &Path) -> Option<ObjectId> {
    let folder = path.parent()?.file_name()?.to_str()?;
    format!("{folder}{}", path.file_name()?.to_str()?).parse().ok()
}
