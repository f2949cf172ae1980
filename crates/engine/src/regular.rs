//! Files that others put where we look: only plain ones are read, and only up to a size. A pipe
//! in the place of a file would hold us up for ever, and a device would never end.

use std::fs::{File, OpenOptions};
use std::io::{self, Read as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::Path;

/// The most bytes of a small file.
const SANE: u64 = 64 << 20;

/// The file at `path` and its length, if it is a plain one. To open a pipe would be to wait for its
/// other end, so nobody waits.
pub(crate) fn open(path: &Path) -> Option<(File, u64)> {
    let file = open_with(path, OpenOptions::new().read(true)).ok()?;
    let length = file.metadata().ok()?.len();
    Some((file, length))
}

/// Opens the file at `path` with `options`, if it is a plain one.
pub(crate) fn open_with(path: &Path, options: &mut OpenOptions) -> io::Result<File> {
    let flags = i32::try_from(rustix::fs::OFlags::NONBLOCK.bits()).unwrap_or(0);
    let file = options.custom_flags(flags).open(path)?;
    if file.metadata()?.is_file() {
        return Ok(file);
    }
    Err(io::Error::other("in its place is something that is no file"))
}

/// The bytes of the file at `path`, if it is a plain one; of settings, keys and the like, which
/// nobody makes large.
pub(crate) fn read_all(path: &Path) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    open_with(path, OpenOptions::new().read(true))?.take(SANE).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// The bytes of the file at `path`, if it is a plain one of at most `most` bytes.
pub(crate) fn read(path: &Path, most: u64) -> Option<Vec<u8>> {
    let (file, length) = open(path)?;
    if length > most {
        return None;
    }
    let mut bytes = Vec::with_capacity(usize::try_from(length).ok()?);
    // It may grow while it is read.
    file.take(most).read_to_end(&mut bytes).ok()?;
    Some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_plain_files_of_a_size_are_read() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("file");
        std::fs::write(&file, "four").unwrap();
        assert_eq!(read(&file, 4).as_deref(), Some(&b"four"[..]));
        assert_eq!(read(&file, 3), None);
        for odd in [folder.path(), Path::new("/dev/zero"), Path::new("/nowhere/at/all")] {
            assert_eq!(read(odd, 1000), None, "{}", odd.display());
        }
    }
}
