//! Ignored files that programs read: what they hold is known by digest, and not stored.

use std::ffi::OsStr;
use std::fs;
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;

use countersign_domain::id::Digest;
use countersign_domain::snapshot::{Beyond, PathText, Watch, Why};
use rustix::fs::FileType;

use super::disk;
use super::hash;
use super::stat::Stat;
use super::table::{join, name_of};
use crate::error::Error;

/// The digest of an ignored file. Of one that is too large or that we may not read it is that of
/// its size, and the reason is given.
pub(crate) fn digest(
    top: &OwnedFd,
    path: &[u8],
    stat: &Stat,
    watch: &Watch,
) -> Result<(Digest, Option<Beyond>), Error> {
    let by_size = |why| {
        let beyond = Beyond { path: PathText::new(path), why };
        (Digest::of(&stat.size.to_le_bytes()), Some(beyond))
    };
    if stat.kind() == FileType::RegularFile && stat.size > watch.max_file_bytes {
        return Ok(by_size(Why::TooLarge));
    }
    match hash::digest(top, path) {
        Ok(digest) => Ok((digest.unwrap_or_else(|| Digest::of(b"")), None)),
        Err(Error::Unreadable { .. }) => Ok(by_size(Why::Unreadable)),
        Err(error) => Err(error),
    }
}

/// What is watched in an output folder all the same, as paths from `top`.
pub(crate) fn planted(
    top: &OwnedFd,
    worktree: &Path,
    folder: &[u8],
    watch: &Watch,
) -> Result<Vec<(Vec<u8>, Stat)>, Error> {
    let mut found = Vec::new();
    let at = worktree.join(OsStr::from_bytes(folder));
    for pattern in watch.planted_in(name_of(folder)) {
        for inside in expand(&at, pattern) {
            let path = join(folder, &inside);
            if let Some(stat) = disk::stat(top, &path)?
                && matches!(stat.kind(), FileType::RegularFile | FileType::Symlink)
            {
                found.push((path, stat));
            }
        }
    }
    found.sort_by(|a, b| a.0.cmp(&b.0));
    found.dedup_by(|a, b| a.0 == b.0);
    Ok(found)
}

/// The paths below `folder` that fit a pattern, in order. Links are not followed on the way.
pub(crate) fn expand(folder: &Path, pattern: &str) -> Vec<Vec<u8>> {
    let mut found = vec![Vec::new()];
    for part in pattern.split('/') {
        let mut next = Vec::new();
        for path in found {
            let at = folder.join(OsStr::from_bytes(&path));
            if !path.is_empty() && !fs::symlink_metadata(&at).is_ok_and(|found| found.is_dir()) {
                continue;
            }
            if !part.contains('*') {
                let path = join(&path, part.as_bytes());
                if fs::symlink_metadata(folder.join(OsStr::from_bytes(&path))).is_ok() {
                    next.push(path);
                }
                continue;
            }
            let names = fs::read_dir(&at).into_iter().flatten().flatten();
            let names = names.map(|entry| entry.file_name());
            let fitting = names.filter(|name| Watch::fits(part, name.as_bytes()));
            next.extend(fitting.map(|name| join(&path, name.as_bytes())));
        }
        found = next;
    }
    found.sort();
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_find_files() {
        let folder = tempfile::tempdir().unwrap();
        for path in ["lib/python3.11/site-packages/a.pth", "lib/python3.12/site-packages/b.pth"] {
            let path = folder.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, "").unwrap();
        }
        std::os::unix::fs::symlink("python3.11", folder.path().join("lib/python3")).unwrap();
        let check = |pattern: &str, expected: &[&str]| {
            let found = expand(folder.path(), pattern);
            let found: Vec<_> = found.iter().map(|path| String::from_utf8_lossy(path)).collect();
            assert_eq!(found, expected, "{pattern}");
        };
        check(
            "lib/python*/site-packages/*.pth",
            &["lib/python3.11/site-packages/a.pth", "lib/python3.12/site-packages/b.pth"],
        );
        check("lib", &["lib"]);
        check("none/*", &[]);
        check("*", &["lib"]);
    }
}
