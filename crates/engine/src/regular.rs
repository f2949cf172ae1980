//! Files that others put where we look: only plain ones are read, and only up to a size. A pipe
//! in the place of a file would hold us up for ever, and a device would never end. A link would have
//! us read, and show, what is the user's and not the repository's.

use std::fs::{File, OpenOptions};
use std::io::{self, Read as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Component, Path};

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

/// What is told of a file of the project that is not followed to where it leads.
pub(crate) const LEADS_OUT: &str =
    "it is a link that leads out of the repository, and is left alone";
/// What to do about it.
pub(crate) const LEADS_OUT_FIX: &str =
    "put the file itself in its place, or a link that stays inside";

/// Whether `path`, which lies below `root`, is a link to somewhere else, or lies behind one. Whoever
/// writes the repository would choose with it which of the user's files are read and shown.
pub(crate) fn leads_out(root: &Path, path: &Path) -> bool {
    // Who names a place outside means it.
    let Ok(within) = path.strip_prefix(root) else { return false };
    if !within.components().all(|part| matches!(part, Component::Normal(_) | Component::CurDir)) {
        return false;
    }
    is_outside(root, path)
}

/// Whether what is at `path`, however it is written, lies outside of `root`.
pub(crate) fn is_outside(root: &Path, path: &Path) -> bool {
    // What leads nowhere gives nothing to read.
    let (Ok(root), Ok(place)) = (root.canonicalize(), path.canonicalize()) else { return false };
    !place.starts_with(root)
}

/// As [`read`], of a file of the project at `root`, which is not left for it.
pub(crate) fn read_within(root: &Path, path: &Path, most: u64) -> Option<Vec<u8>> {
    if leads_out(root, path) { None } else { read(path, most) }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    /// Links stay links as long as they stay in the project.
    #[test]
    fn links_that_lead_out_are_not_followed() {
        let (inside, outside) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let (root, secret) = (inside.path(), outside.path().join("secret"));
        std::fs::write(&secret, "secret").unwrap();
        std::fs::write(root.join("file"), "file").unwrap();
        symlink(&secret, root.join("out")).unwrap();
        symlink("out", root.join("twice")).unwrap();
        symlink(outside.path(), root.join("folder")).unwrap();
        symlink("file", root.join("in")).unwrap();
        symlink(root.join("file"), root.join("whole")).unwrap();
        symlink("nowhere", root.join("dangling")).unwrap();
        for name in ["out", "twice", "folder/secret"] {
            assert!(leads_out(root, &root.join(name)), "{name}");
            assert_eq!(read_within(root, &root.join(name), 100), None, "{name}");
        }
        for name in ["file", "in", "whole"] {
            assert!(!leads_out(root, &root.join(name)), "{name}");
            let bytes = read_within(root, &root.join(name), 100);
            assert_eq!(bytes.as_deref(), Some(&b"file"[..]), "{name}");
        }
        assert!(!leads_out(root, &root.join("dangling")));
        assert!(!leads_out(root, &secret), "a place that somebody named");
        // A link to the project is another way to it.
        symlink(root, outside.path().join("project")).unwrap();
        let other = outside.path().join("project");
        assert!(!leads_out(&other, &other.join("in")));
        assert!(leads_out(&other, &other.join("out")));
    }

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
