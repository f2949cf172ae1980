//! What can go wrong with git, in the kinds a caller tells apart.

use std::ffi::OsStr;
use std::io;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

use countersign_domain::id::ObjectId;

#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error("no git repository at '{}' or above it; run 'git init' in the project first", start.display())]
    NotARepository { start: PathBuf },

    #[error("the repository at '{}' has no working tree; use one of its worktrees instead", path.display())]
    Bare { path: PathBuf },

    #[error(
        "core.bare in '{}' says that the repository has no working tree; use one of its worktrees instead, or take it back: git config --file '{}' core.bare false",
        file.display(), file.display()
    )]
    SaidBare { file: PathBuf },

    #[error(
        "core.worktree in '{}' says that the working tree is '{}', which can't be opened: {source}; put it there, or take it back: git config --file '{}' --unset-all core.worktree",
        file.display(), place.display(), file.display()
    )]
    SaidElsewhere { file: PathBuf, place: PathBuf, source: io::Error },

    #[error("the program 'git' was not found; install git and make sure that PATH reaches it")]
    GitMissing,

    #[error("git {found} is too old; install git {needed} or newer")]
    GitTooOld { found: String, needed: String },

    #[error(
        "the repository at '{}' belongs to another user, so git refuses it; if you trust it, run: git config --global --add safe.directory '{}'",
        path.display(), path.display()
    )]
    DubiousOwnership { path: PathBuf },

    #[error("cannot read '{}' in the working tree; make it readable, or have git ignore it", path.display())]
    Unreadable { path: PathBuf },

    #[error("'{}' is no file, and git would wait for it for ever; remove it", path.display())]
    Blocking { path: PathBuf },

    #[error("'{}' keeps changing while it is read; stop what writes it, or have git ignore it", path.display())]
    Restless { path: PathBuf },

    #[error("no space left on the device while running '{command}'; free some space and try again")]
    NoSpace { command: String },

    #[error("the branch '{name}' exists already and points at {found}; rename or remove it")]
    BranchExists { name: String, found: ObjectId },

    #[error(
        "{} is in the way of '{name}', since git keeps no name below another; {}",
        reference(found),
        removal(found)
    )]
    NameTaken { name: String, found: String },

    #[error("'{}' is in the way of the reference '{name}'; move or remove it and try again", path.display())]
    PlaceTaken { name: String, path: PathBuf },

    #[error(
        "git can't read the reference '{name}'; put back what stood in '{}', or remove that file, and try again",
        path.display()
    )]
    BrokenReference { name: String, path: PathBuf },

    #[error("'{name}' was moved by someone else (it is now {}); read it again and retry", shown(found.as_ref()))]
    Moved { name: String, found: Option<ObjectId> },

    #[error("'{}' is in the way: it has changes of yours, or git does not know it; commit, move or remove it", path.display())]
    InTheWay { path: PathBuf },

    #[error("'{}' is not a checkout made by Countersign, so it is left alone", path.display())]
    NotOurs { path: PathBuf },

    #[error("'{}' exists already and is not an empty directory; choose another place", path.display())]
    Occupied { path: PathBuf },

    #[error(
        "the revision '{revision}' does not name a commit here; check its spelling or fetch it"
    )]
    UnknownRevision { revision: String },

    #[error("'{name}' cannot be used as a name {place}; choose a plainer one")]
    BadName { name: String, place: &'static str },

    #[error("an object is no longer in the repository, so '{command}' failed: {stderr}")]
    LostObject { command: String, stderr: String },

    #[error(
        "git's lock '{}' is in the way: another git process is at work there, or one was killed; if none is running, remove that file and try again",
        path.display()
    )]
    Locked { path: PathBuf },

    #[error(
        "git can't read the settings of the repository: {said}; mend that file, or put back what it was"
    )]
    Misconfigured { said: String },

    #[error("'{command}' was ended: it took too long")]
    TooLong { command: String },

    #[error("'{command}' failed {}: {stderr}", ending(*code))]
    Failed { command: String, code: Option<i32>, stderr: String },

    #[error("cannot {action} '{}': {source}", path.display())]
    Io { action: &'static str, path: PathBuf, source: io::Error },
}

const BRANCHES: &str = "refs/heads/";

/// What git says when it can't make anything of a file with settings.
const UNREADABLE_SETTINGS: &[&str] = &[
    "fatal: bad config ",
    "fatal: bad boolean config value ",
    "fatal: bad numeric config value ",
    "fatal: unknown error occurred while reading the configuration files",
    "fatal: Expected git repo version ",
    "fatal: unknown repository extension",
];

impl Error {
    /// Whether it is the repository that git can't work with, rather than git or the disk.
    pub fn is_of_repository(&self) -> bool {
        !matches!(self, Self::GitMissing | Self::GitTooOld { .. } | Self::NoSpace { .. })
    }

    /// For `map_err`: wraps an input or output error with what was tried, and on which path.
    pub(crate) fn io(action: &'static str, path: &Path) -> impl FnOnce(io::Error) -> Self {
        move |source| match source.kind() {
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => {
                Self::NoSpace { command: format!("{action} {}", path.display()) }
            }
            _ => Self::Io { action, path: path.to_owned(), source },
        }
    }

    /// The error behind a git process that ended badly, told from what it said.
    ///
    /// The words are git's untranslated ones: every process runs with `LC_ALL=C`.
    pub(crate) fn from_git(command: String, code: Option<i32>, stderr: &[u8]) -> Self {
        let text = String::from_utf8_lossy(stderr).trim().to_owned();
        if let Some(path) = between(stderr, b"dubious ownership in repository at '", b"'\n") {
            return Self::DubiousOwnership { path: PathBuf::from(OsStr::from_bytes(path)) };
        }
        if text.contains("No space left on device") || text.contains("Disk quota exceeded") {
            return Self::NoSpace { command };
        }
        if let Some(path) = between(stderr, b"Unable to create '", b"': File exists") {
            return Self::Locked { path: PathBuf::from(OsStr::from_bytes(path)) };
        }
        if UNREADABLE_SETTINGS.iter().any(|words| text.contains(words)) {
            let said = text.lines().next_back().unwrap_or_default();
            let said = said.strip_prefix("fatal: ").unwrap_or(said).to_owned();
            return Self::Misconfigured { said };
        }
        // Git can only mean one path before it has read anything else.
        if let Some(path) = between(stderr, b"fatal: Invalid path '", b"'") {
            let path = String::from_utf8_lossy(path);
            let said = format!("core.worktree leads to '{path}', which is not there");
            return Self::Misconfigured { said };
        }
        if text.contains("error: invalid object ") {
            return Self::LostObject { command, stderr: text };
        }
        let stderr = if text.is_empty() { "it gave no reason".to_owned() } else { text };
        Self::Failed { command, code, stderr }
    }
}

/// The bytes of `text` between the first `before` and the next `after`.
pub(crate) fn between<'t>(text: &'t [u8], before: &[u8], after: &[u8]) -> Option<&'t [u8]> {
    let start = find(text, before)? + before.len();
    let rest = &text[start..];
    Some(&rest[..find(rest, after)?])
}

pub(crate) fn find(text: &[u8], part: &[u8]) -> Option<usize> {
    text.windows(part.len()).position(|window| window == part)
}

/// A reference as people name it.
fn reference(name: &str) -> String {
    match name.strip_prefix(BRANCHES) {
        Some(branch) => format!("the branch '{branch}'"),
        None => format!("the reference '{name}'"),
    }
}

/// How to have it out of the way.
fn removal(name: &str) -> String {
    match name.strip_prefix(BRANCHES) {
        Some(branch) => {
            format!("rename it (git branch -m {branch} NAME) or remove it (git branch -D {branch})")
        }
        None => format!("remove it (git update-ref -d {name})"),
    }
}

fn ending(code: Option<i32>) -> String {
    code.map_or_else(|| "(ended by a signal)".to_owned(), |code| format!("with code {code}"))
}

fn shown(found: Option<&ObjectId>) -> String {
    found.map_or_else(|| "gone".to_owned(), |id| format!("at {id}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kind(stderr: &str) -> Error {
        Error::from_git("git add".to_owned(), Some(128), stderr.as_bytes())
    }

    #[test]
    fn a_full_disk_is_told_apart() {
        let said = "error: unable to write file .git/objects/ab: No space left on device\n";
        assert!(matches!(kind(said), Error::NoSpace { .. }));
    }

    #[test]
    fn a_lock_that_is_in_the_way_is_named() {
        let said = "fatal: update_ref failed for ref 'r': cannot lock ref 'r': Unable to create \
                    '/r/.git/refs/r.lock': File exists.\n\nAnother git process seems to be running";
        let error = kind(said);
        assert!(
            matches!(&error, Error::Locked { path } if path == Path::new("/r/.git/refs/r.lock"))
        );
        assert!(error.to_string().contains("remove that file"), "{error}");
    }

    #[test]
    fn a_stranger_s_repository_is_told_apart() {
        let said = "fatal: detected dubious ownership in repository at '/srv/it's'\nTo add\n";
        let Error::DubiousOwnership { path } = kind(said) else { panic!("another kind") };
        assert_eq!(path, Path::new("/srv/it's"));
    }

    #[test]
    fn anything_else_keeps_the_words_of_git() {
        let Error::Failed { stderr, .. } = kind("fatal: bad thing\n") else { panic!("kind") };
        assert_eq!(stderr, "fatal: bad thing");
    }
}
