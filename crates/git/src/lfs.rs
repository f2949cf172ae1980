//! Large files that Git LFS keeps: git's object is a pointer, the bytes lie in a store of its own.
//! They need not be kept a second time.

use std::fs::{self, File};
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};

use countersign_domain::id::Digest;
use sha2::{Digest as _, Sha256};

use crate::discover;
use crate::error::Error;
use crate::repository::Repository;

/// A pointer has fewer bytes than this.
pub(crate) const MOST_OF_POINTER: u64 = 1024;

const VERSION: &str = "version https://git-lfs.github.com/spec/v1\n";

impl Repository {
    /// Where LFS keeps its files, if it keeps any.
    pub(crate) fn lfs_store(&self, setting: Option<&[u8]>) -> Option<PathBuf> {
        let common = &self.layout().common_dir;
        let store =
            setting.map_or_else(|| common.join("lfs"), |set| common.join(discover::as_path(set)));
        Some(store.join("objects")).filter(|objects| objects.is_dir())
    }
}

/// The content that a pointer stands for.
pub(crate) fn pointed_at(text: &[u8]) -> Option<Digest> {
    let lines = str::from_utf8(text).ok()?.strip_prefix(VERSION)?;
    lines.lines().find_map(|line| line.strip_prefix("oid sha256:")?.parse().ok())
}

/// Where the content with this digest lies below `store`.
pub(crate) fn path_in(store: &Path, digest: &Digest) -> PathBuf {
    let name = digest.to_string();
    store.join(&name[..2]).join(&name[2..4]).join(name)
}

/// Writes the content that the pointer in the file at `path` stands for in its place; gives
/// `false`, and leaves the pointer, if `store` does not have it.
pub(crate) fn fill_in(store: &Path, path: &Path) -> Result<bool, Error> {
    let is_file = fs::symlink_metadata(path).is_ok_and(|found| found.is_file());
    let pointer = if is_file { discover::read(path)? } else { None };
    let Some(digest) = pointer.as_deref().and_then(pointed_at) else { return Ok(false) };
    let kept = path_in(store, &digest);
    // Read twice, so that what is not the right content is never written.
    let found = File::open(&kept).and_then(|file| copy(file, &mut io::sink()));
    if !found.is_ok_and(|found| found == digest) {
        return Ok(false);
    }
    let copied = File::open(&kept).and_then(|from| copy(from, &mut File::create(path)?));
    let copied = copied.map_err(Error::io("write", path))?;
    if copied != digest {
        let changed = io::Error::other("what LFS keeps changed while it was read");
        return Err(Error::io("restore", path)(changed));
    }
    Ok(true)
}

fn copy(mut from: File, to: &mut impl io::Write) -> io::Result<Digest> {
    let (mut sum, mut buffer) = (Sha256::new(), vec![0; 1 << 16]);
    loop {
        match from.read(&mut buffer) {
            Ok(0) => return Ok(Digest::from_bytes(sum.finalize().into())),
            Ok(len) => {
                sum.update(&buffer[..len]);
                to.write_all(&buffer[..len])?;
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// CX-09: pointers are told from other texts.
    #[test]
    fn pointers_are_known() {
        let digest = Digest::of(b"x");
        let pointer = format!("{VERSION}oid sha256:{digest}\nsize 1\n");
        assert_eq!(pointed_at(pointer.as_bytes()), Some(digest));
        let other =
            [format!("oid sha256:{digest}\n"), format!("{VERSION}oid md5:1\n"), VERSION.into()];
        for text in other {
            assert_eq!(pointed_at(text.as_bytes()), None, "{text}");
        }
    }
}
