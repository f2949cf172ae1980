//! What was set aside: one folder for each damaged database, with its files as they were
//! found and a note of why. The note is there before the first file is moved, and says at the
//! end what could be saved: one that doesn't is a replacement that was cut off.

use std::fs;
use std::io::ErrorKind;
use std::path::Path;

use countersign_domain::ledger::LedgerId;
use serde::{Deserialize, Serialize};

use crate::error::Error;
use crate::recover::{self, FILES, FileId};
use crate::{Options, Store, durable, plain};

const PREFIX: &str = "damaged-";
const NOTE: &str = "note.json";

/// A damaged database that was replaced.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SetAside {
    /// The ledger it was, where that could still be read.
    pub previous: Option<LedgerId>,
    pub reason: String,
    /// The folder, inside the ledger's, that keeps the damaged files.
    pub kept_in: String,
    /// Events that could be carried over.
    pub salvaged: u64,
    /// Acknowledged events that could not, as far as we know of them.
    pub lost: u64,
}

#[derive(Debug, Serialize, Deserialize)]
struct Note {
    #[serde(flatten)]
    aside: SetAside,
    finished: bool,
}

impl Store {
    /// Every database that was ever set aside here, oldest first.
    pub fn set_asides(&self) -> Vec<SetAside> {
        notes(&self.options.dir).into_iter().map(|note| note.aside).collect()
    }
}

/// The numbers of the folders, in order. The user may have removed some.
fn numbers(dir: &Path) -> Vec<u32> {
    let names = fs::read_dir(dir).into_iter().flatten().filter_map(|entry| {
        let name = entry.ok()?.file_name().into_string().ok()?;
        name.strip_prefix(PREFIX)?.parse().ok()
    });
    let mut numbers: Vec<u32> = names.collect();
    numbers.sort_unstable();
    numbers
}

fn notes(dir: &Path) -> Vec<Note> {
    let paths = numbers(dir).into_iter().map(|n| dir.join(format!("{PREFIX}{n}")).join(NOTE));
    paths.filter_map(|path| serde_json::from_slice(&plain::read(&path).ok()?).ok()).collect()
}

/// The replacement that was cut off, if the newest one was.
pub(crate) fn unfinished(dir: &Path) -> Option<SetAside> {
    notes(dir).pop().filter(|note| !note.finished).map(|note| note.aside)
}

/// Whether `files` are kept here, with everything that was in them.
pub(crate) fn holds(dir: &Path, files: &[FileId; 2]) -> bool {
    notes(dir).iter().any(|note| {
        let kept = dir.join(&note.aside.kept_in);
        let same = |i: usize| recover::file_id(&kept.join(FILES[i])) == files[i];
        same(0) && same(1)
    })
}

/// Makes the folder for a database that is about to be moved.
pub(crate) fn begin(options: &Options, reason: String) -> Result<SetAside, Error> {
    let dir = &options.dir;
    let last = numbers(dir).pop().unwrap_or(0);
    let path = dir.join(format!("{PREFIX}{last}"));
    // A folder that was left without a note holds nothing.
    let is_free = path.exists() && fs::read_dir(&path).is_ok_and(|mut all| all.next().is_none());
    let n = if is_free { last } else { last + 1 };
    let kept_in = format!("{PREFIX}{n}");
    let path = dir.join(&kept_in);
    durable::create_dir_all(&path, options.durability).map_err(Error::io(&path))?;
    let aside = SetAside { previous: None, reason, kept_in, salvaged: 0, lost: 0 };
    write(options, aside.clone(), false)?;
    Ok(aside)
}

pub(crate) fn finish(options: &Options, aside: &SetAside) -> Result<(), Error> {
    write(options, aside.clone(), true)
}

fn write(options: &Options, aside: SetAside, finished: bool) -> Result<(), Error> {
    let path = options.dir.join(&aside.kept_in).join(NOTE);
    let note = Note { aside, finished };
    let text = serde_json::to_string_pretty(&note).map_err(|e| Error::Unreadable(e.to_string()))?;
    durable::write(&path, &text, options.durability).map_err(Error::io(&path))
}

/// Moves the database's files to `kept`. The database goes first: from then on nobody opens
/// it, and nobody's log is mistaken for that of another.
pub(crate) fn take_files(options: &Options, kept: &Path) -> Result<(), Error> {
    for name in FILES {
        let from = options.dir.join(name);
        match fs::rename(&from, kept.join(name)) {
            Ok(()) => {}
            Err(error) if error.kind() == ErrorKind::NotFound => {}
            Err(error) => return Err(Error::io(&from)(error)),
        }
    }
    durable::sync_dir(kept, options.durability)
        .and_then(|()| durable::sync_dir(&options.dir, options.durability))
        .map_err(Error::io(kept))
}
