//! The folders of a verification, from before anything is put there until they are removed: by who made
//! them, or, if that one was killed, by who comes after.

use std::fs::{File, OpenOptions};
use std::path::{Path, PathBuf};

use countersign_domain::{Digest, Stamp};

use crate::error::{Error, Result};
use crate::{Engine, regular};

/// How what belongs to a verification is named.
const NAME: &str = "verify-";
/// What is added to the name of its lock.
const LOCK: &str = ".lock";

/// The folders of one verification. They are removed when this is dropped.
#[derive(Debug)]
pub(super) struct Folders {
    /// Everything of ours lies here.
    pub own: PathBuf,
    /// Where checks are run.
    pub place: PathBuf,
    lock: PathBuf,
    /// Locked while we are at work; the lock ends with us, however we end.
    _held: File,
}

impl Folders {
    /// Those of `id`, for whoever is alone with them; nothing if another process is at work there.
    fn of(engine: &Engine, id: Stamp) -> Result<Option<Self>> {
        let work = engine.home.work(&engine.state);
        std::fs::create_dir_all(&work).map_err(|error| Error::io("create", &work, &error))?;
        let lock = work.join(format!("{NAME}{id}{LOCK}"));
        let mut options = OpenOptions::new();
        options.read(true).write(true).create(true).truncate(false);
        let held = regular::open_with(&lock, &mut options)
            .map_err(|error| Error::io("open", &lock, &error))?;
        if held.try_lock().is_err() {
            return Ok(None);
        }
        let place = engine.place_of_checks(id);
        Ok(Some(Self { own: work.join(format!("{NAME}{id}")), place, lock, _held: held }))
    }
}

impl Drop for Folders {
    fn drop(&mut self) {
        // What ran may have left anything there; the record is elsewhere. Who is killed in between leaves
        // the lock, by which the rest is found.
        clear(&self.place);
        // Empty, unless others are at work.
        let _ = self.place.parent().map(std::fs::remove_dir);
        clear(&self.own);
        let _ = std::fs::remove_file(&self.lock);
    }
}

impl Engine {
    /// The folders of a verification that begins.
    pub(super) fn verification_folders(&self, id: Stamp) -> Result<Folders> {
        Folders::of(self, id)?.ok_or_else(|| {
            let message = format!("another process is at work on verification {id}");
            Error::new(crate::Kind::Bug, message)
        })
    }

    /// Where the checks of a verification are run.
    pub(super) fn place_of_checks(&self, id: Stamp) -> PathBuf {
        let name = Digest::of(id.to_string().as_bytes()).short();
        self.home.places(&self.state).join(name)
    }

    /// Removes what verifications left whose processes were killed. What can't be removed stays: it is in
    /// nobody's way.
    pub(crate) fn sweep_verifications(&self) {
        let entries = std::fs::read_dir(self.home.work(&self.state));
        for entry in entries.into_iter().flatten().flatten() {
            let name = entry.file_name();
            let id = name.to_str().and_then(|name| name.strip_prefix(NAME));
            let id = id.map(|id| id.strip_suffix(LOCK).unwrap_or(id));
            if let Some(id) = id.and_then(|id| id.parse().ok()) {
                drop(Folders::of(self, id));
            }
        }
    }
}

/// Removes what a verification left; what can't be removed is swept with the cache one day.
fn clear(folder: &Path) {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    for entry in entries {
        if countersign_git::discard_plain(&entry.path()).is_err() {
            let _ = std::fs::remove_dir_all(entry.path());
            let _ = std::fs::remove_file(entry.path());
        }
    }
    let _ = std::fs::remove_dir(folder);
}
