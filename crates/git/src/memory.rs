//! What was found out once and stays true for as long as the process lives.
//!
//! A tree is named by its content, so what git said about one need not be asked again: a story of a
//! plan looks at the same few trees dozens of times. How a checkout was left is known by its folder,
//! which keeps its identity when it is renamed: a checkout that this process made, used and put away
//! need not be read whole when it is taken again, only what changed since.
//!
//! It is in memory alone, where nothing that runs in a checkout can change it.

use std::collections::HashMap;
use std::fs;
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};

use countersign_domain::id::ObjectId;

use crate::forged::settled::Settled;
use crate::index_file::IndexFile;
use crate::list::Listed;
use crate::repository::Repository;
use crate::spare::before::Folders;
use crate::tree::stat::Moment;

/// How many files all trees may have of which the same is remembered: each costs about a hundred bytes.
const MOST_FILES: usize = 150_000;
/// Of how many objects it is remembered which tree they hold.
const MOST_PEELED: usize = 1_000;
/// How much of the content of files is remembered, and how much of one.
const MOST_CONTENT: usize = 4 << 20;
pub(crate) const LARGEST: usize = 256 << 10;
/// How many folders are remembered: who works on more at once is rare.
const MOST_FOLDERS: usize = 8;

/// What a process knows. Clones share it.
#[derive(Debug, Clone, Default)]
pub(crate) struct Memory(Arc<Mutex<Known>>);

#[derive(Debug, Default)]
struct Known {
    lists: Trees<Vec<Listed>>,
    indexes: Trees<Vec<u8>>,
    left: HashMap<Folder, Kept>,
    /// The trees of commits, and of themselves.
    peeled: HashMap<ObjectId, ObjectId>,
    settled: Settled,
    loose: usize,
    calm: Calm,
    contents: HashMap<ObjectId, Arc<Vec<u8>>>,
    /// How many bytes those are.
    content_bytes: usize,
}

/// What is remembered of some trees, the one that was asked for last at the end: there are few.
#[derive(Debug)]
struct Trees<T>(Vec<Tree<T>>);

#[derive(Debug)]
struct Tree<T> {
    name: ObjectId,
    files: usize,
    what: Arc<T>,
}

impl<T> Default for Trees<T> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<T> Trees<T> {
    fn find(&mut self, name: &ObjectId) -> Option<Arc<T>> {
        let at = self.0.iter().position(|tree| tree.name == *name)?;
        let tree = self.0.remove(at);
        let what = Arc::clone(&tree.what);
        self.0.push(tree);
        Some(what)
    }

    /// Remembers a tree instead of those that nobody asked for, as far as there is no room for all.
    fn keep(&mut self, name: &ObjectId, (what, files): (&Arc<T>, usize)) {
        self.0.retain(|tree| tree.name != *name);
        let mut all = files + self.0.iter().map(|tree| tree.files).sum::<usize>();
        while all > MOST_FILES && !self.0.is_empty() {
            all -= self.0.remove(0).files;
        }
        if all <= MOST_FILES {
            self.0.push(Tree { name: name.clone(), files, what: Arc::clone(what) });
        }
    }
}

/// A folder, whatever it is called: its device and its number.
type Folder = (u64, u64);

/// How a checkout was when it was last handed over.
#[derive(Debug)]
pub(crate) struct Left {
    pub(crate) index: IndexFile,
    pub(crate) moment: Moment,
    /// Which files were read and had the content that the names of their objects say, in the order of the
    /// index. What git wrote is not among them: its store may have been forged at that moment.
    pub(crate) proven: Vec<bool>,
    /// Its folders, as far as they were looked at.
    pub(crate) folders: Arc<Folders>,
    /// When every file of it was what it should be, while nothing was loose. See [`Loose`].
    pub(crate) seen: Option<Calm>,
}

/// A time in which no program is at work that nothing holds back; each has its number.
pub(crate) type Calm = u64;

/// While this lives, a program is at work that nothing holds back. It may exchange the blocks of any two
/// files of the account, which no time tells, wherever they lie: in its own checkout, and in those that were
/// put away. What was read before is read again afterwards. Folders can't be exchanged.
#[derive(Debug)]
pub struct Loose(Memory);

impl Drop for Loose {
    fn drop(&mut self) {
        let mut known = self.0.known();
        known.loose = known.loose.saturating_sub(1);
        known.calm += 1;
    }
}

/// What is known of a checkout, or will be as soon as somebody has read it.
#[derive(Debug)]
enum Kept {
    Left(Box<Left>),
    Reading(JoinHandle<Left>),
}

impl Repository {
    /// The same repository, knowing what `other` knows, which must be opened at the same place.
    #[must_use]
    pub fn knowing(mut self, other: &Self) -> Self {
        if self.layout().common_dir == other.layout().common_dir {
            self.memory = other.memory.clone();
        }
        if self.layout().git_dir == other.layout().git_dir {
            self.waiting = other.waiting.clone();
        }
        self
    }

    /// Says that a program begins that nothing holds back, and is at work until what this gives is dropped.
    #[must_use]
    pub fn let_loose(&self) -> Loose {
        let mut known = self.memory.known();
        known.loose += 1;
        known.calm += 1;
        drop(known);
        Loose(self.memory.clone())
    }
}

impl Memory {
    /// The time in which nothing is loose, if that is now.
    pub(crate) fn calm(&self) -> Option<Calm> {
        let known = self.known();
        (known.loose == 0).then_some(known.calm)
    }

    /// How soon the checkout in `folder` can be used: what was seen since anything was loose needs no reading,
    /// what is being read hardly any, and of others there is something to go by, or nothing.
    pub(crate) fn nearness(&self, folder: &Path) -> u8 {
        let calm = self.calm();
        let Some(folder) = folder_of(folder) else { return 3 };
        match self.known().left.get(&folder) {
            Some(Kept::Left(left)) if calm.is_some() && left.seen == calm => 0,
            Some(Kept::Reading(_)) => 1,
            Some(Kept::Left(_)) => 2,
            None => 3,
        }
    }

    pub(crate) fn list(&self, tree: &ObjectId) -> Option<Arc<Vec<Listed>>> {
        self.known().lists.find(tree)
    }

    pub(crate) fn keep_list(&self, tree: &ObjectId, list: &Arc<Vec<Listed>>) {
        self.known().lists.keep(tree, (list, list.len()));
    }

    /// The index of a tree as git makes it, without any times.
    pub(crate) fn index(&self, tree: &ObjectId) -> Option<Arc<Vec<u8>>> {
        self.known().indexes.find(tree)
    }

    pub(crate) fn keep_index(&self, tree: &ObjectId, index: (&Arc<Vec<u8>>, usize)) {
        self.known().indexes.keep(tree, index);
    }

    /// The tree that git said an object holds, or is.
    pub(crate) fn peeled(&self, object: &ObjectId) -> Option<ObjectId> {
        self.known().peeled.get(object).cloned()
    }

    pub(crate) fn keep_peeled(&self, object: &ObjectId, tree: &ObjectId) {
        let mut known = self.known();
        if known.peeled.len() >= MOST_PEELED {
            known.peeled.clear();
        }
        known.peeled.insert(object.clone(), tree.clone());
    }

    /// What is in an object that was found genuine.
    pub(crate) fn content(&self, object: &ObjectId) -> Option<Arc<Vec<u8>>> {
        self.known().contents.get(object).map(Arc::clone)
    }

    pub(crate) fn keep_content(&self, object: &ObjectId, content: &Arc<Vec<u8>>) {
        let mut known = self.known();
        if known.content_bytes + content.len() > MOST_CONTENT {
            (known.contents, known.content_bytes) = (HashMap::new(), 0);
        }
        if known.contents.insert(object.clone(), Arc::clone(content)).is_none() {
            known.content_bytes += content.len();
        }
    }

    /// How the checkout in `folder` was left; it is not remembered any longer. Who still reads it is waited
    /// for; where that came to nothing, nothing is known.
    pub(crate) fn take_left(&self, folder: &Path) -> Option<Left> {
        let folder = folder_of(folder)?;
        // Not while it is locked: others ask for other folders.
        let kept = self.known().left.remove(&folder)?;
        match kept {
            Kept::Left(left) => Some(*left),
            Kept::Reading(reading) => reading.join().ok(),
        }
    }

    pub(crate) fn keep_left(&self, folder: &Path, left: Left) {
        self.keep(folder, || Kept::Left(Box::new(left)));
    }

    /// The same for what somebody finds out by reading the checkout, meanwhile.
    pub(crate) fn keep_reading(&self, folder: &Path, read: impl FnOnce() -> Left + Send + 'static) {
        self.keep(folder, || Kept::Reading(thread::spawn(read)));
    }

    fn keep(&self, folder: &Path, kept: impl FnOnce() -> Kept) {
        let Some(folder) = folder_of(folder) else { return };
        let mut known = self.known();
        if known.left.len() >= MOST_FOLDERS {
            known.left.clear();
        }
        known.left.insert(folder, kept());
    }

    /// Forgets what git said about trees: some of it was forged.
    pub(crate) fn forget_trees(&self) {
        let mut known = self.known();
        (known.lists, known.indexes) = (Trees::default(), Trees::default());
        known.peeled.clear();
    }

    /// The objects that were found genuine, until they are kept again: who asks meanwhile reads for
    /// himself.
    pub(crate) fn take_settled(&self) -> Settled {
        std::mem::take(&mut self.known().settled)
    }

    pub(crate) fn keep_settled(&self, settled: Settled) {
        self.known().settled = settled;
    }

    fn known(&self) -> MutexGuard<'_, Known> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn folder_of(path: &Path) -> Option<Folder> {
    let found = fs::symlink_metadata(path).ok().filter(fs::Metadata::is_dir)?;
    Some((found.dev(), found.ino()))
}
