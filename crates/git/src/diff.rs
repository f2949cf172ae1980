//! Compares two recorded trees.
//!
//! The attributes of the working tree are left out of it, so that a changed `.gitattributes`
//! cannot keep a text from being shown.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

use countersign_domain::id::ObjectId;

use crate::between::prefix;
use crate::command::Git;
use crate::error::Error;
use crate::repository::Repository;

/// What became of one path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Change {
    pub path: PathBuf,
    pub status: Status,
    /// What was there before; `None` when added.
    pub old: Option<Side>,
    /// What is there now; `None` when deleted.
    pub new: Option<Side>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Status {
    Added,
    Deleted,
    Modified,
    /// The same content, but (not) executable now.
    ModeChanged,
    /// Another kind of thing: a symbolic link for a file, a submodule for a link.
    TypeChanged,
    /// Moved from another path, and perhaps modified on the way.
    Renamed {
        from: PathBuf,
    },
}

/// One side of a change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Side {
    /// Git's mode: `0o100644`, `0o100755`, `0o120000` (link), `0o160000` (submodule).
    pub mode: u32,
    pub object: ObjectId,
}

/// How much two trees differ.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct DiffStat {
    pub files: u64,
    /// Added lines; binary files have none.
    pub insertions: u64,
    /// Removed lines; binary files have none.
    pub deletions: u64,
}

/// A patch that `git apply` takes.
const PATCH: [&str; 5] = ["--patch", "--binary", "--full-index", "--no-color", "--submodule=short"];

impl Repository {
    /// The paths that differ between two trees (or commits), in git's order.
    pub fn diff(&self, from: &ObjectId, to: &ObjectId) -> Result<Vec<Change>, Error> {
        let said = self.diff_tree(from, to, &["--raw", "--no-abbrev", "-z"]).output()?;
        changes(&said).ok_or_else(|| not_understood(&said))
    }

    /// The same without looking for renames: each path that differs, once.
    pub(crate) fn diff_plain(&self, from: &ObjectId, to: &ObjectId) -> Result<Vec<Change>, Error> {
        let asked = ["--raw", "--no-abbrev", "-z", "--no-renames"];
        let said = self.diff_tree(from, to, &asked).output()?;
        changes(&said).ok_or_else(|| not_understood(&said))
    }

    /// The whole difference as a patch that `git apply` takes, binary files included.
    pub fn patch(&self, from: &ObjectId, to: &ObjectId) -> Result<Vec<u8>, Error> {
        self.patch_below(Path::new(""), from, to)
    }

    /// The difference at one path, as [`Repository::patch`] has it.
    pub fn patch_at(&self, from: &ObjectId, to: &ObjectId, path: &Path) -> Result<Vec<u8>, Error> {
        let git = self.diff_tree(from, to, &PATCH).env("GIT_LITERAL_PATHSPECS", "1");
        git.arg("--").arg(path).output()
    }

    /// The difference of two trees that lie in `folder`, as part of a larger patch.
    pub(crate) fn patch_below(
        &self,
        folder: &Path,
        from: &ObjectId,
        to: &ObjectId,
    ) -> Result<Vec<u8>, Error> {
        let git = self.diff_tree(from, to, &PATCH);
        git.arg(prefix("--src-prefix=a/", folder)).arg(prefix("--dst-prefix=b/", folder)).output()
    }

    /// How many files and lines differ.
    pub fn stat(&self, from: &ObjectId, to: &ObjectId) -> Result<DiffStat, Error> {
        let said = self.diff_tree(from, to, &["--numstat", "-z"]).output()?;
        sums(&said).ok_or_else(|| not_understood(&said))
    }

    /// All files of a tree as a patch: what it adds to nothing.
    pub fn whole(&self, tree: &ObjectId) -> Result<Vec<u8>, Error> {
        let unknown = |_| Error::UnknownRevision { revision: tree.to_string() };
        let nothing: ObjectId = empty_tree(tree).parse().map_err(unknown)?;
        self.patch(&nothing, tree)
    }

    fn diff_tree(&self, from: &ObjectId, to: &ObjectId, shape: &[&str]) -> Git {
        let asked = ["-r", "--find-renames=50%", "-l1000", "--no-relative"];
        let plain = ["--no-ext-diff", "--no-textconv", "--ignore-submodules=none"];
        let prefixes = ["--src-prefix=a/", "--dst-prefix=b/"];
        self.git()
            .env("GIT_ATTR_SOURCE", empty_tree(from))
            .arg("diff-tree")
            .args(asked)
            .args(plain)
            .args(prefixes)
            .args(shape)
            .args([from.as_str(), to.as_str()])
    }
}

/// The name that git gives to a tree without entries, which it knows without storing it.
pub(crate) fn empty_tree(like: &ObjectId) -> &'static str {
    match like.as_str().len() {
        64 => "6ef19b41225c5369f1c104d45d8d85efa9b057b53b14b4b9b939dd74decc5321",
        _ => "4b825dc642cb6eb9a060e54bf8d69288fbee4904",
    }
}

/// Reads `:<mode> <mode> <id> <id> <status>`, then one path, or two for a rename.
fn changes(said: &[u8]) -> Option<Vec<Change>> {
    let mut parts = said.split(|byte| *byte == 0).filter(|part| !part.is_empty());
    let mut found = Vec::new();
    while let Some(head) = parts.next() {
        let head = str::from_utf8(head).ok()?.strip_prefix(':')?;
        let [old_mode, new_mode, old_id, new_id, letter] =
            head.split(' ').collect::<Vec<_>>().try_into().ok()?;
        let old = side(old_mode, old_id)?;
        let new = side(new_mode, new_id)?;
        let first = path(parts.next()?);
        let (status, path) = match letter.as_bytes().first()? {
            b'A' => (Status::Added, first),
            b'D' => (Status::Deleted, first),
            b'T' => (Status::TypeChanged, first),
            b'R' => (Status::Renamed { from: first }, path(parts.next()?)),
            b'M' if old_id == new_id => (Status::ModeChanged, first),
            b'M' => (Status::Modified, first),
            _ => return None,
        };
        found.push(Change { path, status, old, new });
    }
    Some(found)
}

/// A side of the change; the inner `None` is "nothing there".
#[allow(clippy::option_option)]
fn side(mode: &str, id: &str) -> Option<Option<Side>> {
    let mode = u32::from_str_radix(mode, 8).ok()?;
    if mode == 0 {
        return Some(None);
    }
    Some(Some(Side { mode, object: id.parse().ok()? }))
}

/// Reads `<added>\t<deleted>\t<path>`, or an empty path and then two for a rename.
fn sums(said: &[u8]) -> Option<DiffStat> {
    let mut parts = said.split(|byte| *byte == 0);
    let mut stat = DiffStat::default();
    while let Some(part) = parts.next().filter(|part| !part.is_empty()) {
        let mut columns = part.splitn(3, |byte| *byte == b'\t');
        stat.files += 1;
        stat.insertions += lines(columns.next()?)?;
        stat.deletions += lines(columns.next()?)?;
        if columns.next()?.is_empty() {
            parts.next()?;
            parts.next()?;
        }
    }
    Some(stat)
}

fn lines(column: &[u8]) -> Option<u64> {
    if column == b"-" { Some(0) } else { str::from_utf8(column).ok()?.parse().ok() }
}

fn path(bytes: &[u8]) -> PathBuf {
    PathBuf::from(OsStr::from_bytes(bytes))
}

fn not_understood(said: &[u8]) -> Error {
    let said = String::from_utf8_lossy(&said[..said.len().min(200)]);
    Error::Failed {
        command: "git diff-tree".to_owned(),
        code: Some(0),
        stderr: format!("its answer is not understood: {said}"),
    }
}
