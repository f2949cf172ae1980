//! Folders for temporary files. One that a killed command left behind is removed by whoever makes
//! the next one: it knows by a lock of the operating system that nobody uses it any more.

use std::fs::{self, File, TryLockError};
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use rustix::fs::{Mode, OFlags, open};
use tempfile::TempDir;

use crate::error::Error;

/// How often a folder is made anew because another process took it for a leftover.
const MOST_TRIES: usize = 10;

/// What a folder is for, which is part of its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Purpose {
    Record,
    Snapshot,
    Patch,
    Now,
    Format,
}

impl Purpose {
    const ALL: [Self; 5] = [Self::Record, Self::Snapshot, Self::Patch, Self::Now, Self::Format];

    /// How the name of such a folder begins.
    fn prefix(self) -> &'static str {
        match self {
            Self::Record => "record-",
            Self::Snapshot => "snapshot-",
            Self::Patch => "patch-",
            Self::Now => "now-",
            Self::Format => "format-",
        }
    }
}

/// A folder for temporary files, removed when this is dropped.
#[derive(Debug)]
pub struct Scratch {
    path: PathBuf,
    _folder: TempDir,
    /// Held as long as the folder is in use; where the file system knows no locks, by nobody.
    _lock: Option<File>,
}

impl Scratch {
    /// Makes a folder in `within`, and removes those that were left there.
    pub fn create(within: &Path, purpose: Purpose) -> Result<Self, Error> {
        fs::create_dir_all(within).map_err(Error::io("create", within))?;
        sweep(within);
        for _ in 0..MOST_TRIES {
            let folder = tempfile::Builder::new().prefix(purpose.prefix()).tempdir_in(within);
            let folder = folder.map_err(Error::io("create a directory in", within))?;
            // Git changes its directory, so a relative path would mean another place to it.
            let Ok(path) = fs::canonicalize(folder.path()) else { continue };
            match locked(&path) {
                Ok(lock) if is_at(&lock, &path) => {
                    return Ok(Self { path, _folder: folder, _lock: Some(lock) });
                }
                Err(TryLockError::Error(error)) if error.kind() != std::io::ErrorKind::NotFound => {
                    return Ok(Self { path, _folder: folder, _lock: None });
                }
                // Somebody sweeps it at this moment.
                Ok(_) | Err(_) => {}
            }
        }
        let busy = std::io::Error::other("others remove it as soon as it is made");
        Err(Error::io("create a directory in", within)(busy))
    }

    pub fn path(&self) -> &Path {
        &self.path
    }
}

/// Removes what was left in `within` and is used by nobody. What can't be removed stays.
fn sweep(within: &Path) {
    for entry in fs::read_dir(within).into_iter().flatten().flatten() {
        let name = entry.file_name();
        let begins = |purpose: &Purpose| name.to_string_lossy().starts_with(purpose.prefix());
        if !Purpose::ALL.iter().any(begins) {
            continue;
        }
        if let Ok(_lock) = locked(&entry.path()) {
            fs::remove_dir_all(entry.path()).ok();
        }
    }
}

/// The lock of a folder, which is no link to one.
fn locked(folder: &Path) -> Result<File, TryLockError> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let file = open(folder, flags, Mode::empty());
    let file = File::from(file.map_err(|errno| TryLockError::Error(errno.into()))?);
    file.try_lock()?;
    Ok(file)
}

/// Whether `folder` is still the one that was locked.
fn is_at(lock: &File, folder: &Path) -> bool {
    let (Ok(locked), Ok(there)) = (lock.metadata(), fs::symlink_metadata(folder)) else {
        return false;
    };
    (locked.dev(), locked.ino()) == (there.dev(), there.ino())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// CX-17: what is in use stays, what was left goes, and what isn't ours stays too.
    #[test]
    fn only_leftovers_are_swept() {
        let within = tempfile::tempdir().unwrap();
        let used = Scratch::create(within.path(), Purpose::Record).unwrap();
        let left = within.path().join("record-left");
        fs::create_dir_all(left.join("rules")).unwrap();
        let (other, link) = (within.path().join("others"), within.path().join("now-link"));
        fs::create_dir(&other).unwrap();
        std::os::unix::fs::symlink(&other, &link).unwrap();
        let second = Scratch::create(within.path(), Purpose::Now).unwrap();
        assert!(used.path().is_dir() && second.path().is_dir());
        assert!(!left.exists());
        assert!(other.is_dir() && link.is_symlink());
        let path = used.path().to_owned();
        drop(used);
        assert!(!path.exists());
    }

    /// CX-17: many at once take nothing from each other.
    #[test]
    fn nobody_sweeps_what_is_in_use() {
        let within = tempfile::tempdir().unwrap();
        std::thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| {
                    for _ in 0..50 {
                        let scratch = Scratch::create(within.path(), Purpose::Patch).unwrap();
                        fs::write(scratch.path().join("x"), "x").unwrap();
                        assert!(scratch.path().join("x").exists());
                    }
                });
            }
        });
        assert_eq!(fs::read_dir(within.path()).unwrap().count(), 0);
    }
}
