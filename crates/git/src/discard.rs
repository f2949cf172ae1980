//! Removes checkouts, and only checkouts of ours. Never follows a symbolic link.

use std::fs::{self, Permissions};
use std::io;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

use crate::error::Error;
use crate::private::MARKER;

/// Removes a checkout made by [`crate::Repository::checkout`], read-only parts included.
///
/// A directory that is gone is fine, so that an interrupted removal can be done again. One
/// without our marker is refused with [`Error::NotOurs`].
pub fn discard(directory: &Path) -> Result<(), Error> {
    match fs::symlink_metadata(directory) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(Error::io("open", directory)(error)),
        Ok(_) => {}
    }
    let git_dir = directory.join(".git");
    let marker = git_dir.join(MARKER);
    let is_ours = is_directory(directory)
        && is_directory(&git_dir)
        && fs::symlink_metadata(&marker).is_ok_and(|found| found.is_file());
    if !is_ours && !is_remainder(directory, &git_dir) {
        return Err(Error::NotOurs { path: directory.to_owned() });
    }
    // The marker goes last: an interrupted removal must still be recognised as ours.
    empty(directory, Some(&git_dir))?;
    empty(&git_dir, Some(&marker))?;
    remove_if_there(&marker, |path| fs::remove_file(path))?;
    remove_if_there(&git_dir, |path| fs::remove_dir(path))?;
    remove_if_there(directory, |path| fs::remove_dir(path))
}

/// Removes a checkout made by [`crate::Repository::checkout_plain`], which bears no mark. Who calls
/// this knows by the place that it is ours.
pub fn discard_plain(directory: &Path) -> Result<(), Error> {
    let git_dir = directory.join(".git");
    if is_directory(directory) && is_directory(&git_dir) {
        unlock(&git_dir)?;
        let marker = git_dir.join(MARKER);
        // What ran there may have put a link in its place, which must not be written through.
        remove_if_there(&marker, |path| fs::remove_file(path))?;
        fs::File::create_new(&marker).map_err(Error::io("write", &marker))?;
    }
    discard(directory)
}

/// Removes whatever lies at `path` in a folder of ours; a link itself, not what it points at.
pub(crate) fn remove_any(path: &Path) -> Result<(), Error> {
    if is_directory(path) {
        remove_tree(path)
    } else {
        remove_if_there(path, |path| fs::remove_file(path))
    }
}

/// What is left when a removal stops at its very end: nothing, or an empty `.git`.
fn is_remainder(directory: &Path, git_dir: &Path) -> bool {
    let holds = |path: &Path| fs::read_dir(path).map_or(usize::MAX, Iterator::count);
    is_directory(directory)
        && match holds(directory) {
            0 => true,
            1 => is_directory(git_dir) && holds(git_dir) == 0,
            _ => false,
        }
}

/// Removes what is in `directory` but `spared`.
fn empty(directory: &Path, spared: Option<&Path>) -> Result<(), Error> {
    if !is_directory(directory) {
        return Ok(());
    }
    unlock(directory)?;
    let inside = fs::read_dir(directory).map_err(Error::io("open", directory))?;
    for found in inside {
        let found = found.map_err(Error::io("read", directory))?;
        let path = found.path();
        if Some(path.as_path()) == spared {
            continue;
        }
        // The type as listed is that of the link itself, not of what it points at.
        if found.file_type().map_err(Error::io("read", &path))?.is_dir() {
            remove_tree(&path)?;
        } else {
            remove_if_there(&path, |path| fs::remove_file(path))?;
        }
    }
    Ok(())
}

/// Depth is bounded by the memory for one path per level, not by the stack.
fn remove_tree(top: &Path) -> Result<(), Error> {
    // The quick way does it nearly always, and cannot be led astray by links either.
    if fs::remove_dir_all(top).is_ok() {
        return Ok(());
    }
    let mut waiting = vec![top.to_owned()];
    while let Some(directory) = waiting.pop() {
        unlock(&directory)?;
        let inside = fs::read_dir(&directory).map_err(Error::io("open", &directory))?;
        for found in inside {
            let found = found.map_err(Error::io("read", &directory))?;
            if found.file_type().map_err(Error::io("read", &directory))?.is_dir() {
                waiting.push(found.path());
            }
        }
    }
    remove_if_there(top, |path| fs::remove_dir_all(path))
}

/// Lets us list and change a directory that its owner made read-only.
fn unlock(directory: &Path) -> Result<(), Error> {
    let found = fs::symlink_metadata(directory).map_err(Error::io("open", directory))?;
    let mode = found.permissions().mode();
    if mode & 0o700 == 0o700 {
        return Ok(());
    }
    let open = Permissions::from_mode(mode | 0o700);
    fs::set_permissions(directory, open).map_err(Error::io("unlock", directory))
}

/// Whether a folder itself is there, and no link to one.
pub fn is_directory(path: &Path) -> bool {
    fs::symlink_metadata(path).is_ok_and(|found| found.is_dir())
}

fn remove_if_there(path: &Path, remove: impl FnOnce(&Path) -> io::Result<()>) -> Result<(), Error> {
    match remove(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => {
            Err(Error::io("remove", path)(error))
        }
        _ => Ok(()),
    }
}
