//! Reads files: for a digest of ours, or for an object of git's.

use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::{self, Read as _};
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

use countersign_domain::id::{Digest, ObjectId};
use data_encoding::HEXLOWER;
use rustix::fs::{FileType, Mode, OFlags, fstat, openat, readlinkat};
use rustix::io::Errno;
use sha2::{Digest as _, Sha256};

use super::disk::unreadable;
use super::row::{Row, What};
use super::stat::Stat;
use crate::command::Git;
use crate::error::Error;
use crate::loose::Naming;

/// How often a file is read anew because it changed while it was read.
pub(crate) const MOST_READS: usize = 5;

/// The digest of what a file or link below `top` holds; `None` when nothing of the kind is there.
pub(crate) fn digest(top: &OwnedFd, path: &[u8]) -> Result<Option<Digest>, Error> {
    for _ in 0..MOST_READS {
        let mut file = match open(top, path) {
            Ok(file) => file,
            Err(Errno::NOENT | Errno::NOTDIR) => return Ok(None),
            // Not to be followed, but a link is content as well.
            Err(Errno::LOOP) => {
                return Ok(target(top, path)?.map(|target| Digest::of(&target)));
            }
            Err(errno) => return Err(unreadable(path, errno)),
        };
        let before = stat_of(&file, path)?;
        if before.kind() != FileType::RegularFile {
            return Ok(None);
        }
        let found = read_through(&mut file).map_err(Error::io("read", &as_path(path)))?;
        if stat_of(&file, path)? == before {
            return Ok(Some(found));
        }
    }
    Err(Error::Restless { path: as_path(path) })
}

/// Whether what lies at `path` below `top` looks as `row` says, and has the content of its object,
/// byte for byte. What can't be read is not known to.
pub(crate) fn is_object(top: &OwnedFd, path: &[u8], (row, hash_len): (&Row, usize)) -> bool {
    let digits = hash_len * 2;
    let name = if row.what == What::Link {
        let target = target(top, path).ok().flatten();
        target.map(|target| {
            let mut naming = Naming::of("blob", target.len() as u64, digits);
            naming.add(&target);
            naming.name()
        })
    } else {
        open(top, path).ok().and_then(|mut file| {
            let is_as_seen = |file: &File| stat_of(file, path).is_ok_and(|now| now == row.stat);
            let mut naming = Naming::of("blob", row.stat.size, digits);
            let read = is_as_seen(&file) && each_piece(&mut file, |p| naming.add(p)).is_ok();
            (read && is_as_seen(&file)).then(|| naming.name())
        })
    };
    name.is_some_and(|name| name == HEXLOWER.encode(&row.object[..hash_len]))
}

/// Where a link below `top` points; `None` when there is none.
pub(crate) fn target(top: &OwnedFd, path: &[u8]) -> Result<Option<Vec<u8>>, Error> {
    match readlinkat(top, OsStr::from_bytes(path), Vec::new()) {
        Ok(target) => Ok(Some(target.into_bytes())),
        Err(Errno::NOENT | Errno::NOTDIR | Errno::INVAL) => Ok(None),
        Err(errno) => Err(unreadable(path, errno)),
    }
}

/// Whether a file can be opened for reading.
pub(crate) fn is_readable(top: &OwnedFd, path: &[u8]) -> bool {
    !matches!(open(top, path), Err(Errno::ACCESS | Errno::PERM))
}

/// Opens without following a link, and without waiting for who writes into a pipe.
fn open(top: &OwnedFd, path: &[u8]) -> Result<File, Errno> {
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
    openat(top, OsStr::from_bytes(path), flags, Mode::empty()).map(File::from)
}

fn stat_of(file: &File, path: &[u8]) -> Result<Stat, Error> {
    let found = fstat(file).map_err(|errno| unreadable(path, errno))?;
    Ok(Stat::of(&found))
}

fn read_through(file: &mut File) -> io::Result<Digest> {
    let mut sum = Sha256::new();
    each_piece(file, |piece| sum.update(piece))?;
    Ok(Digest::from_bytes(sum.finalize().into()))
}

fn each_piece(file: &mut File, mut each: impl FnMut(&[u8])) -> io::Result<()> {
    let mut buffer = vec![0; 1 << 16];
    loop {
        match file.read(&mut buffer) {
            Ok(0) => return Ok(()),
            Ok(len) => each(&buffer[..len]),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
}

/// What git makes of the bytes of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Filters {
    Applied,
    /// The object has the bytes as they are.
    Left,
}

/// Stores files as objects, and gives their names in the same order. `git` works on the folder
/// that the paths are relative to. None of them may be a link or a pipe.
pub(crate) fn store_files<'p>(
    git: Git,
    paths: impl Iterator<Item = &'p [u8]>,
    filters: Filters,
) -> Result<Vec<ObjectId>, Error> {
    ask(git.args(["hash-object", "-w"]), paths, filters)
}

/// The names that the objects of files would have; nothing is stored.
pub(crate) fn name_files<'p>(
    git: Git,
    paths: impl Iterator<Item = &'p [u8]>,
    filters: Filters,
) -> Result<Vec<ObjectId>, Error> {
    ask(git.arg("hash-object"), paths, filters)
}

fn ask<'p>(
    git: Git,
    paths: impl Iterator<Item = &'p [u8]>,
    filters: Filters,
) -> Result<Vec<ObjectId>, Error> {
    let paths: Vec<&[u8]> = paths.collect();
    if paths.is_empty() {
        return Ok(Vec::new());
    }
    let asked: Vec<u8> = paths.iter().flat_map(|path| line(path)).collect();
    let mut git = git.arg("--stdin-paths");
    if filters == Filters::Left {
        git = git.arg("--no-filters");
    }
    let said = git.input(asked).output()?;
    let names: Option<Vec<ObjectId>> =
        String::from_utf8_lossy(&said).lines().map(|name| name.parse().ok()).collect();
    let answers = names.filter(|names| names.len() == paths.len());
    answers.ok_or_else(|| not_understood("git hash-object", &said))
}

/// Stores texts as objects, and gives their names in the same order.
pub(crate) fn store_texts(
    git: Git,
    texts: impl Iterator<Item = Vec<u8>>,
    scratch: &Path,
) -> Result<Vec<ObjectId>, Error> {
    let mut paths = Vec::new();
    for (number, text) in texts.enumerate() {
        let path = scratch.join(format!("text-{number}"));
        fs::write(&path, text).map_err(Error::io("write", &path))?;
        paths.push(path);
    }
    let named = paths.iter().map(|path| path.as_os_str().as_bytes());
    store_files(git, named, Filters::Left)
}

/// A path as a line of input: in quotes where git would misread it.
fn line(path: &[u8]) -> Vec<u8> {
    if !path.contains(&b'\n') && !path.starts_with(b"\"") {
        return [path, b"\n"].concat();
    }
    let mut line = vec![b'"'];
    for byte in path {
        match byte {
            b'\n' => line.extend(b"\\n"),
            b'"' | b'\\' => line.extend([b'\\', *byte]),
            _ => line.push(*byte),
        }
    }
    line.extend(b"\"\n");
    line
}

pub(crate) fn not_understood(command: &str, said: &[u8]) -> Error {
    let said = String::from_utf8_lossy(&said[..said.len().min(200)]);
    Error::Failed {
        command: command.to_owned(),
        code: Some(0),
        stderr: format!("its answer is not understood: {said}"),
    }
}

fn as_path(path: &[u8]) -> PathBuf {
    PathBuf::from(OsStr::from_bytes(path))
}
