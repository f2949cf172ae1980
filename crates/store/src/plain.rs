//! Files that are files. Others can write where the ledger lies: a pipe in the place of a file would
//! hold everybody up for ever, and a device would never end.

use std::fs::{File, OpenOptions};
use std::io::{self, Read as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::Path;

/// Opens the file at `path` with `options`, if it is a plain one. Never waits for the other end of
/// a pipe.
pub(crate) fn open_with(path: &Path, options: &mut OpenOptions) -> io::Result<File> {
    let flags = i32::try_from(rustix::fs::OFlags::NONBLOCK.bits()).unwrap_or(0);
    let file = options.custom_flags(flags).open(path)?;
    if file.metadata()?.is_file() { Ok(file) } else { Err(not_plain()) }
}

/// Opens the plain file at `path` to be read.
pub(crate) fn open(path: &Path) -> io::Result<File> {
    open_with(path, OpenOptions::new().read(true))
}

/// The bytes of the plain file at `path`.
pub(crate) fn read(path: &Path) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    open(path)?.read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// The text of the plain file at `path`.
pub(crate) fn read_to_string(path: &Path) -> io::Result<String> {
    String::from_utf8(read(path)?).map_err(|_| io::ErrorKind::InvalidData.into())
}

/// Whether something is at `path` that is no plain file.
pub(crate) fn is_odd(path: &Path) -> bool {
    std::fs::metadata(path).is_ok_and(|found| !found.is_file())
}

fn not_plain() -> io::Error {
    io::Error::other("in its place is something that is no file")
}
