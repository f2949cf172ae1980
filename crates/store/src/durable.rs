//! Folders and names that survive a loss of power: a file is only found again if the folder
//! that names it was synced, and that folder only if its own parent was.

use std::fs::{self, File};
use std::io;
use std::path::Path;

use crate::Durability;

/// Makes `dir` and what is missing above it; what was made is synced if `durability` asks so.
pub(crate) fn create_dir_all(dir: &Path, durability: Durability) -> io::Result<()> {
    if dir.is_dir() {
        return Ok(());
    }
    if let Some(parent) = dir.parent().filter(|parent| !parent.as_os_str().is_empty()) {
        create_dir_all(parent, durability)?;
    }
    match fs::create_dir(dir) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists && dir.is_dir() => {}
        made => made?,
    }
    match dir.parent().filter(|parent| !parent.as_os_str().is_empty()) {
        Some(parent) => sync_dir(parent, durability),
        None => Ok(()),
    }
}

/// Syncs the names in `dir`, if `durability` asks so.
pub(crate) fn sync_dir(dir: &Path, durability: Durability) -> io::Result<()> {
    match durability {
        Durability::PowerLoss => File::open(dir)?.sync_all(),
        Durability::ProcessDeath => Ok(()),
    }
}

/// Replaces the file at `path` as a whole: a reader sees the old text or the new one.
pub(crate) fn write(path: &Path, text: &str, durability: Durability) -> io::Result<()> {
    let mut draft = path.as_os_str().to_owned();
    draft.push(".new");
    fs::write(&draft, text)?;
    if durability == Durability::PowerLoss {
        File::open(&draft)?.sync_all()?;
    }
    fs::rename(&draft, path)?;
    path.parent().map_or(Ok(()), |dir| sync_dir(dir, durability))
}
