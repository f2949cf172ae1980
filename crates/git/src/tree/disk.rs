//! Looks at single folders and files, relative to the top of a working tree. Links are not
//! followed.

use std::ffi::OsStr;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

use rustix::fs::{AtFlags, Dir, FileType, Mode, OFlags, fstat, openat, statat};
use rustix::io::Errno;

use super::stat::Stat;
use crate::error::Error;

/// One folder's content, without the `.git` in it.
#[derive(Debug, Default)]
pub(crate) struct Listing {
    pub(crate) names: Vec<(Vec<u8>, FileType)>,
    pub(crate) has_dot_git: bool,
}

/// Opens the top of a working tree.
pub(crate) fn open_top(path: &Path) -> Result<OwnedFd, Error> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
    rustix::fs::open(path, flags, Mode::empty())
        .map_err(|errno| Error::io("open", path)(errno.into()))
}

/// The device of `top`, if its file system is one on which the time of a folder tells whether
/// names came or went.
#[cfg(target_os = "linux")]
pub(crate) fn trustworthy(top: &OwnedFd) -> Option<u64> {
    const EXT: u64 = 0xEF53;
    const XFS: u64 = 0x5846_5342;
    const BTRFS: u64 = 0x9123_683E;
    const TMPFS: u64 = 0x0102_1994;
    const OVERLAY: u64 = 0x794C_7630;
    const F2FS: u64 = 0xF2F5_2010;
    const ZFS: u64 = 0x2FC1_2FC1;
    let kind = u64::try_from(rustix::fs::fstatfs(top).ok()?.f_type).ok()?;
    let is_known = [EXT, XFS, BTRFS, TMPFS, OVERLAY, F2FS, ZFS].contains(&kind);
    is_known.then(|| fstat(top).ok().map(|found| found.st_dev)).flatten()
}

#[cfg(not(target_os = "linux"))]
pub(crate) fn trustworthy(_: &OwnedFd) -> Option<u64> {
    None
}

/// Whether the file system of `top` is one on which a file can't get another content without another
/// time of its last change. In memory, and on what lies over it, a page that was mapped and read can be
/// written unnoticed; others let the blocks of two files be exchanged.
#[cfg(target_os = "linux")]
pub(crate) fn tells_changes(top: &OwnedFd) -> bool {
    const EXT: u64 = 0xEF53;
    const BTRFS: u64 = 0x9123_683E;
    let kind = rustix::fs::fstatfs(top).ok().and_then(|found| u64::try_from(found.f_type).ok());
    kind.is_some_and(|kind| [EXT, BTRFS].contains(&kind))
}

#[cfg(not(target_os = "linux"))]
pub(crate) fn tells_changes(_: &OwnedFd) -> bool {
    false
}

/// What is right in `folder`; `None` when there is no such folder.
pub(crate) fn list(top: &OwnedFd, folder: &[u8]) -> Result<Option<Listing>, Error> {
    let Some(mut dir) = open(top, folder)? else {
        return Ok(None);
    };
    let mut listing = read(&mut dir, folder)?;
    listing.names.sort_by(|a, b| a.0.cmp(&b.0));
    Ok(Some(listing))
}

/// What is right in a folder that is open, in no order.
pub(crate) fn read(dir: &mut Dir, folder: &[u8]) -> Result<Listing, Error> {
    let mut listing = Listing::default();
    while let Some(found) = dir.read() {
        let found = found.map_err(|errno| unreadable(folder, errno))?;
        let name = found.file_name().to_bytes();
        match name {
            b"." | b".." => {}
            b".git" => listing.has_dot_git = true,
            _ => {
                let mut kind = found.file_type();
                if kind == FileType::Unknown {
                    let fd = dir.fd().map_err(|errno| unreadable(folder, errno))?;
                    let seen = look_at(fd, name).map_err(|errno| unreadable(folder, errno))?;
                    kind = seen.map_or(kind, |seen| seen.kind());
                }
                listing.names.push((name.to_vec(), kind));
            }
        }
    }
    Ok(listing)
}

/// What the system says about a path below `top`; `None` when nothing is there.
pub(crate) fn stat(top: &OwnedFd, path: &[u8]) -> Result<Option<Stat>, Error> {
    look_at(top.as_fd(), path).map_err(|errno| unreadable(path, errno))
}

pub(crate) fn look_at(fd: impl AsFd, name: &[u8]) -> Result<Option<Stat>, Errno> {
    match statat(fd, OsStr::from_bytes(name), AtFlags::SYMLINK_NOFOLLOW) {
        Ok(found) => Ok(Some(Stat::of(&found))),
        Err(Errno::NOENT | Errno::NOTDIR) => Ok(None),
        Err(errno) => Err(errno),
    }
}

pub(crate) fn open(top: &OwnedFd, folder: &[u8]) -> Result<Option<Dir>, Error> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    match openat(top, name_or_dot(folder), flags, Mode::empty()).and_then(Dir::new) {
        Ok(dir) => Ok(Some(dir)),
        // Gone, or something else by now.
        Err(Errno::NOENT | Errno::NOTDIR | Errno::LOOP) => Ok(None),
        Err(errno) => Err(unreadable(folder, errno)),
    }
}

pub(crate) fn name_or_dot(folder: &[u8]) -> &OsStr {
    if folder.is_empty() { OsStr::new(".") } else { OsStr::from_bytes(folder) }
}

pub(crate) fn unreadable(path: &[u8], errno: Errno) -> Error {
    let path = PathBuf::from(OsStr::from_bytes(path));
    match errno {
        Errno::ACCESS | Errno::PERM | Errno::NAMETOOLONG => Error::Unreadable { path },
        _ => Error::io("look at", &path)(errno.into()),
    }
}
