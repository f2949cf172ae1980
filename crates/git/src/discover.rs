//! Finds the repository that a directory belongs to by reading files.
//!
//! Starts no process: this is on the path of every recorded operation.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::io;
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};
use std::path::{Path, PathBuf};

use crate::error::Error;

/// Where a repository keeps its parts. All paths are absolute, without symbolic links.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Layout {
    /// The directory with the user's files.
    pub worktree: PathBuf,
    /// `HEAD` and the index of this working tree.
    pub git_dir: PathBuf,
    /// Objects, branches and configuration; the same as `git_dir` but in a linked worktree.
    pub common_dir: PathBuf,
}

/// Finds the repository that `start` lies in, walking up like git does.
pub fn discover(start: &Path) -> Result<Layout, Error> {
    let start = fs::canonicalize(start).map_err(Error::io("open", start))?;
    for directory in start.ancestors() {
        if let Some(layout) = at(directory)? {
            return Ok(layout);
        }
        if is_git_dir(directory) {
            return Err(Error::Bare { path: directory.to_owned() });
        }
    }
    Err(Error::NotARepository { start })
}

/// The repository whose `.git` is right in `directory`, which has no symbolic links.
pub(crate) fn at(directory: &Path) -> Result<Option<Layout>, Error> {
    let dot_git = directory.join(".git");
    let git_dir = match fs::metadata(&dot_git) {
        Ok(found) if found.is_dir() => dot_git,
        Ok(found) if found.is_file() => match linked_to(&dot_git)? {
            Some(target) => directory.join(target),
            None => return Ok(None),
        },
        _ => return Ok(None),
    };
    if !is_git_dir(&git_dir) {
        return Ok(None);
    }
    let git_dir = fs::canonicalize(&git_dir).map_err(Error::io("open", &git_dir))?;
    let common_dir = common_dir(&git_dir);
    let common_dir = fs::canonicalize(&common_dir).map_err(Error::io("open", &common_dir))?;
    let worktree = worktree_of(directory, &git_dir, &common_dir)?;
    Ok(Some(Layout { worktree, git_dir, common_dir }))
}

/// A linked worktree is where its `.git` file lies; else the configuration has a say.
fn worktree_of(directory: &Path, git_dir: &Path, common_dir: &Path) -> Result<PathBuf, Error> {
    if git_dir != common_dir {
        return Ok(directory.to_owned());
    }
    let path = git_dir.join("config");
    let config = read(&path)?.unwrap_or_default();
    if let Some(elsewhere) = setting(&config, "core", "worktree") {
        let elsewhere = git_dir.join(OsString::from_vec(elsewhere));
        let unopened =
            |source| Error::SaidElsewhere { file: path, place: elsewhere.clone(), source };
        return fs::canonicalize(&elsewhere).map_err(unopened);
    }
    match setting(&config, "core", "bare") {
        // What has an index had a working tree: somebody set this later, and may not have meant it.
        Some(value) if is_true(&value) && git_dir.join("index").exists() => {
            Err(Error::SaidBare { file: path })
        }
        Some(value) if is_true(&value) => Err(Error::Bare { path: git_dir.to_owned() }),
        _ => Ok(directory.to_owned()),
    }
}

/// The target of a `.git` file, as linked worktrees and submodules have it.
fn linked_to(file: &Path) -> Result<Option<PathBuf>, Error> {
    let Some(text) = read(file)? else {
        return Ok(None);
    };
    Ok(text.strip_prefix(b"gitdir:").map(|target| as_path(target.trim_ascii())))
}

fn common_dir(git_dir: &Path) -> PathBuf {
    match read(&git_dir.join("commondir")) {
        Ok(Some(text)) => git_dir.join(as_path(text.trim_ascii_end())),
        _ => git_dir.to_owned(),
    }
}

fn is_git_dir(directory: &Path) -> bool {
    // In a linked worktree, HEAD is its own and the rest belongs to the main repository.
    if fs::symlink_metadata(directory.join("HEAD")).is_err() {
        return false;
    }
    let common = common_dir(directory);
    common.join("objects").is_dir() && common.join("refs").is_dir()
}

pub(crate) fn as_path(bytes: &[u8]) -> PathBuf {
    PathBuf::from(OsStr::from_bytes(bytes))
}

/// No file of a repository that we read into memory is larger than this.
const MOST: u64 = 1 << 30;

/// The bytes of a regular file, if it is there.
///
/// A worker owns the files of its checkout: a pipe in the place of one must not hold us up.
pub(crate) fn read(path: &Path) -> Result<Option<Vec<u8>>, Error> {
    let found = match fs::metadata(path) {
        Ok(found) => found,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(Error::io("read", path)(error)),
    };
    if !found.is_file() || found.len() > MOST {
        let source = io::Error::other("it is not a regular file of a sane size");
        return Err(Error::io("read", path)(source));
    }
    fs::read(path).map(Some).map_err(Error::io("read", path))
}

pub(crate) fn is_true(value: &[u8]) -> bool {
    value.is_empty() || [&b"true"[..], b"yes", b"on", b"1"].iter().any(|word| same(value, word))
}

fn same(left: &[u8], right: &[u8]) -> bool {
    left.eq_ignore_ascii_case(right)
}

/// The last value of `section.key` in a configuration file, without following includes.
///
/// Only for the few settings that git itself reads before it follows any include.
pub(crate) fn setting(config: &[u8], section: &str, key: &str) -> Option<Vec<u8>> {
    let mut inside = false;
    let mut found = None;
    for line in config.split(|byte| *byte == b'\n') {
        let mut line = line.trim_ascii();
        if let Some(header) = line.strip_prefix(b"[") {
            let end = header.iter().position(|byte| *byte == b']').unwrap_or(header.len());
            inside = same(header[..end].trim_ascii(), section.as_bytes());
            line = header.get(end + 1..).unwrap_or_default().trim_ascii();
        }
        let mut parts = line.splitn(2, |byte| *byte == b'=');
        let name = parts.next().unwrap_or_default().trim_ascii();
        if inside && same(name, key.as_bytes()) {
            found = Some(parts.next().map_or_else(Vec::new, unquote));
        }
    }
    found
}

/// A value as git reads it: quotes and escapes undone, a comment at the end cut off.
fn unquote(value: &[u8]) -> Vec<u8> {
    let mut plain = Vec::with_capacity(value.len());
    let mut quoted = false;
    let mut bytes = value.trim_ascii().iter();
    while let Some(byte) = bytes.next() {
        match byte {
            b'"' => quoted = !quoted,
            b'\\' => plain.extend(bytes.next()),
            b'#' | b';' if !quoted => break,
            _ => plain.push(*byte),
        }
    }
    if !quoted {
        plain.truncate(plain.trim_ascii_end().len());
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(config: &str, expected: Option<&str>) {
        let found = setting(config.as_bytes(), "core", "worktree");
        assert_eq!(found.as_deref(), expected.map(str::as_bytes), "{config}");
    }

    #[test]
    fn settings_are_read_like_git_reads_them() {
        check("", None);
        check("[core]\n\tworktree = ../x\n", Some("../x"));
        check("[CORE]\n  WorkTree=/a b # why\n", Some("/a b"));
        check("[core] worktree = one\n[core]\nworktree = two", Some("two"));
        check("[core]\nworktree = \"/a # b\\\\c\"\n", Some("/a # b\\c"));
        check("[core \"sub\"]\nworktree = x\n[remote]\nworktree = y\n", None);
        check("[core]\n# worktree = x\n", None);
    }
}
