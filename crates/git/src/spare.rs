//! Spare checkouts: folders that were used, kept so that the next checkout need not write every file.
//!
//! Making and removing ten thousand files is most of what a checkout costs, and some file systems
//! punish doing it again and again: ext4 won't use the inode of a removed file for minutes and steps
//! over all of them, one by one, for each new file. A spare is never believed, though. Whatever ran
//! there may have left anything, so every file is read whole and compared with the object that it has
//! to be; what differs in content, mode, links or attributes is removed and written anew, and
//! whatever the tree does not have is removed. All times are those of a fresh checkout: what was built
//! elsewhere in the meantime must not look newer than its source.

pub(crate) mod before;
pub(crate) mod due;
pub(crate) mod look;
mod read;
pub(crate) mod sift;
pub(crate) mod spread;
pub(crate) mod top;
mod untouched;
mod write;
pub(crate) mod written;

use std::collections::HashSet;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread;
use std::time::{Duration, SystemTime};

use countersign_domain::id::ObjectId;

use crate::checkout::Furnishing;
use crate::command::Git;
use crate::discard::{discard_plain, is_directory, remove_any};
use crate::error::Error;
use crate::index_file::IndexFile;
use crate::memory::{Calm, Left};
use crate::private::Private;
use crate::repository::Repository;
use crate::settings::Config;
use crate::tree::convert::SYSTEM;
use crate::tree::disk::open_top;
use crate::tree::stat::Moment;
use before::{Before, Folders};
use due::{Dues, Trust};
use look::Time;
use sift::Sieve;

/// How many are kept in a folder of them: two stories at once use two each.
const MOST: usize = 4;
/// A tree with more than this is not kept twice on anybody's disk.
const MOST_BYTES: u64 = 1 << 30;
/// The largest index that is read to learn which files are a checkout's own.
const MOST_INDEX: u64 = 256 << 20;
/// What nobody took for so long is removed.
const LONGEST: Duration = Duration::from_hours(7 * 24);

/// How the name of one begins.
const PREFIX: &str = "spare-";

/// Keeps a checkout in which nothing runs any more in the folder `spares`, for a later one.
///
/// `false` if it is not kept; then it is still where it was.
pub fn retire(checkout: &Path, spares: &Path) -> bool {
    // Who worked there may have put a link in its place: nothing is removed behind that.
    is_directory(checkout) && strip(checkout).is_some() && put_away(checkout, spares).is_some()
}

/// Puts a checkout that holds nothing but its own files among the spares, if there is room, and says where.
fn put_away(checkout: &Path, spares: &Path) -> Option<PathBuf> {
    if has_room(spares) { put(checkout, spares) } else { None }
}

/// Removes all spares in the folder, and says how many there were.
pub fn remove_spares(spares: &Path) -> Result<usize, Error> {
    let found = listed(spares);
    for (_, path) in &found {
        remove_any(path)?;
    }
    // Another process may just have put one there.
    let _ = fs::remove_dir(spares);
    Ok(found.len())
}

/// Removes what is not the checkout's own. Which files are is asked of its index: that may have been
/// changed by who worked there, but it only decides what takes up room until the next use.
fn strip(checkout: &Path) -> Option<()> {
    let git_dir = checkout.join(".git");
    let path = git_dir.join("index");
    let found = fs::symlink_metadata(&path).ok().filter(|_| is_directory(&git_dir))?;
    if !found.is_file() || found.len() > MOST_INDEX {
        return None;
    }
    let bytes = fs::read(&path).ok()?;
    for hash_len in [20, 32] {
        let index = IndexFile::new(bytes.clone(), SystemTime::UNIX_EPOCH, hash_len);
        let mut size = 0;
        if index.walk(|entry| size += u64::from(entry.size)).is_some() {
            let dues = Dues::of(&index).filter(|_| size <= MOST_BYTES)?;
            return sift::strip(checkout, (&dues, None)).ok();
        }
    }
    None
}

/// The same where it is known how the checkout was left.
fn strip_known(checkout: &Path, left: &Left) -> Option<()> {
    let mut size = 0;
    left.index.walk(|entry| size += u64::from(entry.size))?;
    let top = open_top(checkout).ok().filter(|_| size <= MOST_BYTES)?;
    let Some(before) = Before::of(left, &top) else { return strip(checkout) };
    sift::strip(checkout, (&before.dues, Some(&before))).ok()
}

/// Removes the spares that nobody took for long, and says whether there is room for one more.
fn has_room(spares: &Path) -> bool {
    let now = SystemTime::now();
    let is_old = |at: &SystemTime| now.duration_since(*at).is_ok_and(|age| age > LONGEST);
    let (old, young): (Vec<_>, Vec<_>) = listed(spares).into_iter().partition(|(at, _)| is_old(at));
    for (_, path) in old {
        let _ = remove_any(&path);
    }
    young.len() < MOST
}

fn put(checkout: &Path, spares: &Path) -> Option<PathBuf> {
    fs::create_dir_all(spares).ok()?;
    // What lies behind a link is somebody else's.
    is_directory(spares).then_some(())?;
    let place = tempfile::Builder::new().prefix(PREFIX).tempdir_in(spares).ok()?.keep();
    let put = fs::rename(checkout, &place);
    if put.is_err() {
        let _ = fs::remove_dir(&place);
    }
    put.ok()?;
    // From now on it is young.
    fs::File::open(&place).and_then(|folder| folder.set_modified(SystemTime::now())).ok();
    Some(place)
}

/// All spares of a folder with their times, the newest first.
fn listed(spares: &Path) -> Vec<(SystemTime, PathBuf)> {
    if !is_directory(spares) {
        return Vec::new();
    }
    let entries = fs::read_dir(spares).into_iter().flatten().flatten();
    let is_one = |entry: &fs::DirEntry| {
        entry.file_name().to_string_lossy().starts_with(PREFIX) && is_directory(&entry.path())
    };
    let ours = entries.filter(is_one);
    let mut found: Vec<_> = ours
        .filter_map(|entry| Some((entry.metadata().ok()?.modified().ok()?, entry.path())))
        .collect();
    found.sort();
    found.reverse();
    found
}

impl Repository {
    /// Puts a spare at `into`, an empty folder. Whoever renames it has it: nobody else can.
    pub(crate) fn take_spare(&self, spares: &Path, into: &Path) -> bool {
        self.nearest(spares).iter().any(|path| fs::rename(path, into).is_ok())
    }

    /// All spares, those first that can be used soonest, and of these the one that was put away first.
    fn nearest(&self, spares: &Path) -> Vec<PathBuf> {
        let mut found = listed(spares);
        found.reverse();
        found.sort_by_key(|(_, path)| self.memory.nearness(path));
        found.into_iter().map(|(_, path)| path).collect()
    }

    /// Begins to read the spare that is taken next, beside whatever is done until then. For who just saw
    /// something end that was loose.
    pub fn read_ahead(&self, spares: &Path) {
        let Some(calm) = self.memory.calm() else { return };
        let Some(place) = self.nearest(spares).into_iter().next() else { return };
        if self.memory.nearness(&place) != 2 {
            return;
        }
        let Some(left) = self.memory.take_left(&place) else { return };
        match open_top(&place) {
            Ok(top) => self.memory.keep_reading(&place, move || read::through(&top, (left, calm))),
            Err(_) => self.memory.keep_left(&place, left),
        }
    }

    /// As [`retire`], for a checkout that this process may have made: folders that are as they were left are
    /// not looked into.
    pub fn retire(&self, checkout: &Path, spares: &Path) -> bool {
        if !is_directory(checkout) {
            return false;
        }
        let Some(left) = self.memory.take_left(checkout) else { return retire(checkout, spares) };
        let is_stripped = strip_known(checkout, &left).is_some();
        self.memory.keep_left(checkout, left);
        is_stripped && put_away(checkout, spares).is_some()
    }

    /// Whether any of the files could say how others are written: one in a tree with these `paths`, each
    /// with a zero at its end, the repository's own, the user's or the system's.
    pub(crate) fn has_attributes(&self, paths: &[u8], config: &Config) -> bool {
        let is_one = |path: &[u8]| path.ends_with(b".gitattributes");
        let own = self.layout().common_dir.join("info/attributes");
        // Where a git that was not installed by the system looks.
        let others = [SYSTEM, "/usr/local/etc/gitattributes", "/opt/homebrew/etc/gitattributes"];
        let is_there = others.iter().any(|path| Path::new(path).exists()) || own.exists();
        if is_there || paths.split(|byte| *byte == 0).any(is_one) {
            return true;
        }
        !self.user_file(config.last("core.attributesfile"), "attributes").is_empty()
    }

    /// Makes a spare at `path` into a fresh checkout of `tree`. `private` is its new repository.
    /// Gives the objects whose files were there already, and are what they should be. One that this
    /// process used before is remembered: then files that have all of their times stay unread.
    pub(crate) fn freshen(
        &self,
        path: &Path,
        (private, furnishing): (&Private, &Furnishing),
        (tree, times): (&ObjectId, Time),
    ) -> Result<HashSet<ObjectId>, Error> {
        let index = private.git_dir().join("index");
        let git = || {
            let git = self.git().env("GIT_WORK_TREE", path).env("GIT_INDEX_FILE", &index);
            git.env("GIT_INDEX_VERSION", "2").within(path)
        };
        let bytes = self.index_of(tree, (&index, &git))?;
        let mut sieve =
            Sieve::new(path, private.git_dir(), bytes.as_ref().clone(), self.hash_len()?)?;
        let calm = self.memory.calm();
        if let Some(left) = self.memory.take_left(path) {
            let is_seen = calm.is_some() && left.seen == calm;
            sieve.remember(&left, (times, Trust::Proven), is_seen);
        }
        let (asked, git_asked) = (sieve.paths(), git());
        let has_attributes = self.has_attributes(&asked, furnishing.config());
        let mut known = thread::scope(|scope| {
            let asking = scope.spawn(move || {
                let none = Ok(HashSet::new());
                if has_attributes { written::otherwise(git_asked, asked) } else { none }
            });
            let panicked = || Error::io("ask for attributes in", path)(io::ErrorKind::Other.into());
            sieve.sift(|| asking.join().unwrap_or_else(|_| Err(panicked())))
        })?;
        let (objects, folders) = (sieve.dues.objects(&known), sieve.folders());
        self.write_missing((sieve, &mut known), (&index, &git))?;
        if let Some(left) = self.left_at(path, (known, folders), calm)? {
            self.memory.keep_left(path, left);
        }
        Ok(objects)
    }

    /// The index of `tree` without times, which is in `file` then: what is remembered, or what `git`
    /// makes of it.
    pub(crate) fn index_of(
        &self,
        tree: &ObjectId,
        (file, git): (&Path, &impl Fn() -> Git),
    ) -> Result<Arc<Vec<u8>>, Error> {
        if let Some(known) = self.memory.index(tree) {
            fs::write(file, known.as_ref()).map_err(Error::io("write", file))?;
            return Ok(known);
        }
        git().args(["read-tree", tree.as_str()]).output()?;
        self.remember_index(tree, file)
    }

    /// Remembers the index of `tree` that is in `file`, without any times.
    pub(crate) fn remember_index(
        &self,
        tree: &ObjectId,
        file: &Path,
    ) -> Result<Arc<Vec<u8>>, Error> {
        let bytes = Arc::new(fs::read(file).map_err(Error::io("read", file))?);
        let hash_len = self.hash_len()?;
        let index = IndexFile::new(bytes.as_ref().clone(), SystemTime::now(), hash_len);
        if Dues::of(&index).is_some_and(|dues| dues.name(hash_len) == tree.as_str()) {
            self.memory.keep_index(tree, (&bytes, index.count()));
        }
        Ok(bytes)
    }

    /// How a checkout is that was just made.
    pub(crate) fn left_at(
        &self,
        path: &Path,
        (proven, folders): (Vec<bool>, Arc<Folders>),
        seen: Option<Calm>,
    ) -> Result<Option<Left>, Error> {
        let file = path.join(".git").join("index");
        let found = fs::metadata(&file).and_then(|found| found.modified());
        let modified = found.map_err(Error::io("read", &file))?;
        let bytes = fs::read(&file).map_err(Error::io("read", &file))?;
        let index = IndexFile::new(bytes, modified, self.hash_len()?);
        let is_known = index.is_plain();
        Ok(is_known.then(|| Left { index, moment: Moment::of(modified), proven, folders, seen }))
    }
}

/// What was left of a spare that could not be made use of.
pub(crate) fn give_up(path: &Path) -> Result<(), Error> {
    discard_plain(path).or_else(|_| remove_any(path))
}
