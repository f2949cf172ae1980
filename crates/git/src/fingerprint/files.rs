//! What the user's index says, and which tracked files are not as git last saw them. Nothing is read but the
//! index: the system tells of each file how large it is and when it was written.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsStr;
use std::fs;
use std::io;
use std::ops::Range;
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;

use countersign_domain::id::Digest;
use countersign_domain::run::Fingerprint;
use rustix::fs::{AtFlags, CWD, Mode, OFlags, openat, statat};

use crate::discover::read;
use crate::error::Error;
use crate::index_file::{IndexFile, Kind};
use crate::repository::Repository;
use crate::spare::spread::spread;
use crate::tree::stat::Stat;

/// Of more, only that there are more is known, and nothing is compared.
const MOST: usize = 1_000;
/// How many files a thread takes at a time.
const TOGETHER: usize = 64;
/// What is said of a file that is not there.
const GONE: &str = "gone";

impl Repository {
    /// Adds what the index holds and hides, and the files that differ from it.
    pub(super) fn add_index(
        &self,
        is_sparse: bool,
        earlier: Option<&Fingerprint>,
        print: &mut Fingerprint,
    ) -> Result<(), Error> {
        let path = self.layout().git_dir.join("index");
        let Ok(modified) = fs::metadata(&path).and_then(|found| found.modified()) else {
            return Ok(());
        };
        let Some(bytes) = read(&path)? else { return Ok(()) };
        let index = IndexFile::new(bytes, modified, self.hash_len()?);
        let Some(top) = open(&self.layout().worktree) else { return Ok(()) };
        let look = |path: &[u8]| {
            let found = statat(&top, OsStr::from_bytes(path), AtFlags::SYMLINK_NOFOLLOW);
            found.ok().map(|found| Stat::of(&found))
        };
        let (mut held, mut hidden) = (Vec::new(), BTreeSet::new());
        let mut noted = Vec::with_capacity(index.count());
        let kind = index.walk(|entry| {
            let path = held.len()..held.len() + entry.path.len();
            held.extend_from_slice(entry.path);
            held.push(0);
            held.extend_from_slice(&entry.mode.to_be_bytes());
            held.extend_from_slice(entry.object);
            held.push(u8::from(entry.unfinished));
            let is_hidden = entry.assume_unchanged || (entry.skip_worktree && !is_sparse);
            if is_hidden && hidden.len() <= MOST {
                hidden.insert(String::from_utf8_lossy(entry.path).into_owned());
            }
            if !(entry.skip_worktree || entry.unfinished || entry.is_gitlink()) {
                noted.push((path, entry.stat()));
            }
        });
        // It was understood before, so it is none any more.
        if kind.is_none() && earlier.is_some_and(|earlier| earlier.index.is_some()) {
            let source =
                io::Error::other("it is no index of git any more; `git reset` makes a new one");
            return Err(Error::io("read", &path)(source));
        }
        // A part of it may lie in another file, or whole folders be one entry.
        if kind != Some(Kind::default()) {
            return Ok(());
        }
        let Some(mut files) = differing((&held, &noted), &look) else { return Ok(()) };
        // What differed earlier and no longer does was staged or put back: only then is it another file.
        let known = earlier.and_then(|earlier| earlier.files.as_ref());
        for path in known.into_iter().flatten().map(|(path, _)| path) {
            if !files.contains_key(path) && files.len() <= MOST {
                files.insert(path.clone(), stat_words(look(path.as_bytes()).as_ref()));
            }
        }
        print.index = Some(Digest::of(&held));
        print.hidden = Some(hidden).filter(|hidden| hidden.len() <= MOST);
        print.files = Some(files).filter(|files| files.len() <= MOST);
        Ok(())
    }
}

/// The files that are not as they were noted, each with how it is; a path is a part of the first. `None` if
/// they could not all be looked at.
fn differing(
    (held, noted): (&[u8], &[(Range<usize>, Stat)]),
    look: &(impl Fn(&[u8]) -> Option<Stat> + Sync),
) -> Option<BTreeMap<String, String>> {
    let differs = |number: usize, _: &mut Vec<u8>| {
        let (path, noted) = &noted[number];
        let found = look(&held[path.clone()]);
        let is_same = found.is_some_and(|found| is_as_seen(noted, &found));
        (!is_same).then(|| stat_words(found.as_ref()))
    };
    let (looked, is_whole) = spread((noted.len(), TOGETHER), differs);
    let name = |number: usize| String::from_utf8_lossy(&held[noted[number].0.clone()]).into_owned();
    let found = looked.into_iter().filter_map(|(number, words)| Some((number, words?)));
    let found = found.map(|(number, words)| (name(number), words)).take(MOST + 1);
    is_whole.then(|| found.collect())
}

fn open(folder: &Path) -> Option<std::os::fd::OwnedFd> {
    let flags = OFlags::DIRECTORY | OFlags::RDONLY | OFlags::CLOEXEC;
    openat(CWD, folder, flags, Mode::empty()).ok()
}

/// Whether the file is the one that git noted. Some programs note whole seconds.
fn is_as_seen(noted: &Stat, found: &Stat) -> bool {
    let found = found.narrow();
    let is_same_nanos = noted.modified.nanos == 0 || noted.modified.nanos == found.modified.nanos;
    noted.size == found.size && noted.modified.seconds == found.modified.seconds && is_same_nanos
}

fn stat_words(found: Option<&Stat>) -> String {
    found.map_or_else(
        || GONE.to_owned(),
        |found| {
            let Stat { modified, size, .. } = found;
            format!("{size} {}.{:09} {:o}", modified.seconds, modified.nanos, found.mode)
        },
    )
}
