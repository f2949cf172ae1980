//! Files that others put where we look: only plain ones are read, and only up to a size. A pipe
//! in the place of a file would hold us up for ever, and a device would never end.

use std::fs::File;
use std::io::Read as _;
use std::path::Path;

/// The file at `path` and its length, if it is a plain one.
pub(super) fn open(path: &Path) -> Option<(File, u64)> {
    // Asked before it is opened: to open a pipe is to wait for its other end.
    let length = std::fs::metadata(path).ok().filter(std::fs::Metadata::is_file)?.len();
    Some((File::open(path).ok()?, length))
}

/// The bytes of the file at `path`, if it is a plain one of at most `most` bytes.
pub(super) fn read(path: &Path, most: u64) -> Option<Vec<u8>> {
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
