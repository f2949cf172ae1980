//! Records the content of a working tree as a tree object, without touching anything of the
//! user's: a private index, objects that nothing points at yet, and no more.

use std::ffi::OsStr;
use std::fs;
use std::io;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use countersign_domain::id::ObjectId;

use crate::command::{Git, Outcome};
use crate::error::{Error, between, find};
use crate::index_file::IndexFile;
use crate::repository::Repository;
use crate::scratch::{Purpose, Scratch};
use crate::start_index::{Start, make_old};

/// How often a snapshot starts over because files vanish while it looks at them.
const MOST_RETRIES: usize = 5;
/// How many paths that git can't hold are left out one by one.
const MOST_UNHELD: usize = 50;

/// The recorded content of a working tree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Snapshot {
    pub tree: ObjectId,
    /// Nested repositories without a commit: git has no way to record these.
    pub left_out: Vec<PathBuf>,
    /// Paths with names that git takes for its own, such as `.GIT`, and can't record either.
    pub unheld: Vec<PathBuf>,
}

/// What could not be recorded.
#[derive(Default)]
struct Left {
    out: Vec<PathBuf>,
    unheld: Vec<PathBuf>,
}

impl Repository {
    /// Records what `worktree` holds: tracked and untracked files, deletions, modes and
    /// symbolic links; not what the ignore rules of this repository leave out.
    ///
    /// `worktree` is this repository's own working tree, a linked one, a checkout made by
    /// [`Repository::checkout`], or any other directory. Temporary files go to `scratch`, which
    /// must lie outside of `worktree` or be ignored. The tree is kept by nothing: see
    /// [`Repository::keep`].
    pub fn snapshot(&self, worktree: &Path, scratch: &Path) -> Result<Snapshot, Error> {
        self.snapshot_without(worktree, scratch, &[])
    }

    /// As [`Repository::snapshot`], as if the untracked folders at these paths were ignored.
    pub fn snapshot_without(
        &self,
        worktree: &Path,
        scratch: &Path,
        ignored: &[PathBuf],
    ) -> Result<Snapshot, Error> {
        let worktree = fs::canonicalize(worktree).map_err(Error::io("open", worktree))?;
        let private = Scratch::create(scratch, Purpose::Snapshot)?;
        let start = self.start_index(&worktree, &private.path().join("index"))?;
        let Left { out, unheld } = self.add_all(&start, &worktree, ignored)?;
        // Of an index that is as young as its files, git reads all of them once more, for nothing: this
        // one is used by nobody afterwards.
        make_old(&start.index)?;
        let tree = self.git_on(&start, &worktree).arg("write-tree").object()?;
        Ok(Snapshot { tree, left_out: out, unheld })
    }

    /// Those of `paths`, from the root of this repository's working tree, that no rule ignores.
    pub fn not_ignored(&self, paths: Vec<PathBuf>) -> Result<Vec<PathBuf>, Error> {
        if paths.is_empty() {
            return Ok(paths);
        }
        let layout = self.layout();
        let git = self.git_at(&layout.git_dir).env("GIT_WORK_TREE", &layout.worktree);
        let asked = ["check-ignore", "--no-index", "-z", "--stdin"];
        let outcome = git.within(&layout.worktree).args(asked).input(listed(&paths)).outcome()?;
        match outcome.status.code() {
            // 1 says that none is.
            Some(0 | 1) => {
                let is_ignored = |path: &Path| {
                    let mut said = outcome.stdout.split(|byte| *byte == 0);
                    said.any(|ignored| ignored == path.as_os_str().as_bytes())
                };
                Ok(paths.into_iter().filter(|path| !is_ignored(path)).collect())
            }
            _ => Err(outcome.into_error()),
        }
    }

    /// A git process that works on `worktree` through the private index.
    pub(crate) fn git_on(&self, start: &Start, worktree: &Path) -> Git {
        self.git_at(&start.git_dir)
            .env("GIT_WORK_TREE", worktree)
            .env("GIT_INDEX_FILE", &start.index)
            .within(worktree)
            // The sum of an index that is soon thrown away serves nobody.
            .setting("index.skipHash=true")
    }

    /// Brings the private index up to what is on disk; gives what had to be left out.
    fn add_all(&self, start: &Start, worktree: &Path, ignored: &[PathBuf]) -> Result<Left, Error> {
        let mut left = Left::default();
        let mut retries = 0;
        loop {
            let passed_over =
                start.nested.iter().chain(ignored).chain(&left.out).chain(&left.unheld);
            let outcome = self.add(start, worktree, passed_over)?;
            match Obstacle::of(&outcome, worktree) {
                Obstacle::None => break,
                Obstacle::NoCommit(path) if !left.out.contains(&path) => left.out.push(path),
                Obstacle::Unheld(path) => {
                    // Where there are many of them in a folder, it is left out as one.
                    let is_one = left.unheld.len() < MOST_UNHELD;
                    let above = path.parent().filter(|above| !above.as_os_str().is_empty());
                    let path = above.filter(|_| !is_one).map_or(path.clone(), Path::to_owned);
                    if left.unheld.contains(&path) {
                        return Err(outcome.into_error());
                    }
                    left.unheld.push(path);
                }
                Obstacle::Unreadable(path) => return Err(Error::Unreadable { path }),
                Obstacle::Special if retries < MOST_RETRIES => {
                    retries += 1;
                    self.drop_special_files(start, worktree)?;
                }
                Obstacle::Vanished if retries < MOST_RETRIES => retries += 1,
                _ => return Err(outcome.into_error()),
            }
        }
        self.update_nested(start, worktree)?;
        Ok(left)
    }

    fn add<'p>(
        &self,
        start: &Start,
        worktree: &Path,
        passed_over: impl Iterator<Item = &'p PathBuf>,
    ) -> Result<Outcome, Error> {
        let asked = ["add", "--all", "--no-ignore-errors", "--no-warn-embedded-repo"];
        let git = self.git_on(start, worktree).args(asked);
        let excluded: Vec<u8> = passed_over
            .flat_map(|path| [b":(exclude,literal)", path.as_os_str().as_bytes(), b"\0"].concat())
            .collect();
        if excluded.is_empty() {
            return git.outcome();
        }
        git.args(["--pathspec-from-file=-", "--pathspec-file-nul"])
            .input([b".\0", &excluded[..]].concat())
            .outcome()
    }

    /// Records where the submodules stand.
    ///
    /// Left to itself, `git add` runs `git status` inside each of them, and so whatever their
    /// configuration names: in a worker's checkout, that is what the worker likes.
    fn update_nested(&self, start: &Start, worktree: &Path) -> Result<(), Error> {
        if start.nested.is_empty() {
            return Ok(());
        }
        let git = self.git_on(start, worktree).args(["update-index", "-z", "--stdin"]);
        git.input(listed(&start.nested)).output()?;
        Ok(())
    }

    /// Takes recorded files out of the index that are now pipes, sockets or devices.
    fn drop_special_files(&self, start: &Start, worktree: &Path) -> Result<(), Error> {
        let bytes = fs::read(&start.index).map_err(Error::io("read", &start.index))?;
        let mut special = Vec::new();
        IndexFile::new(bytes, SystemTime::UNIX_EPOCH, self.hash_len()?).walk(|entry| {
            let path = PathBuf::from(OsStr::from_bytes(entry.path));
            let kind = fs::symlink_metadata(worktree.join(&path)).map(|found| found.file_type());
            if kind.is_ok_and(|kind| !kind.is_file() && !kind.is_symlink() && !kind.is_dir()) {
                special.push(path);
            }
        });
        let asked = ["update-index", "--force-remove", "-z", "--stdin"];
        self.git_on(start, worktree).args(asked).input(listed(&special)).output()?;
        Ok(())
    }
}

/// What kept git from recording everything, told from its words.
#[derive(Debug, PartialEq, Eq)]
enum Obstacle {
    None,
    NoCommit(PathBuf),
    Unheld(PathBuf),
    Unreadable(PathBuf),
    Special,
    Vanished,
    Other,
}

impl Obstacle {
    fn of(outcome: &Outcome, worktree: &Path) -> Self {
        let said = &outcome.stderr;
        // Git only warns about a directory that it cannot open, and goes on without it.
        if let Some(path) = denied(said, worktree) {
            return Self::Unreadable(path);
        }
        if outcome.status.success() {
            return Self::None;
        }
        if let Some(path) = between(said, b"error: '", b"/' does not have a commit checked out") {
            return Self::NoCommit(PathBuf::from(OsStr::from_bytes(path)));
        }
        if let Some(path) = between(said, b"error: invalid path '", b"'\nerror: unable to add '") {
            return Self::Unheld(unheld_part(path));
        }
        if find(said, b"can only add regular files").is_some() {
            return Self::Special;
        }
        let vanished = [&b"No such file or directory"[..], b"short read while indexing"];
        if vanished.iter().any(|words| find(said, words).is_some()) {
            return Self::Vanished;
        }
        Self::Other
    }
}

/// The part of a path that git can't hold up to the name that it takes for its own, so that a folder is
/// left out at once; the whole path where no such name is seen.
fn unheld_part(path: &[u8]) -> PathBuf {
    let path = path.strip_suffix(b"/").unwrap_or(path);
    let mut end = 0;
    for name in path.split(|byte| *byte == b'/') {
        end += name.len();
        // Other systems read over some letters, the case, and dots and spaces at the end.
        let mut parts = name.split(|byte| matches!(byte, b'\\' | b':'));
        let is_taken = parts.any(|part| {
            let seen: Vec<u8> =
                part.to_ascii_lowercase().into_iter().filter(u8::is_ascii).collect();
            let dots = |byte: &&u8| matches!(byte, b'.' | b' ');
            let seen = &seen[..seen.len() - seen.iter().rev().take_while(dots).count()];
            seen == b".git" || seen == b"git~1"
        });
        if is_taken {
            return PathBuf::from(OsStr::from_bytes(&path[..end]));
        }
        end += 1;
    }
    PathBuf::from(OsStr::from_bytes(path))
}

/// The path that git was not allowed to read.
pub(crate) fn denied(said: &[u8], worktree: &Path) -> Option<PathBuf> {
    let patterns: [(&[u8], &[u8]); 5] = [
        (b"open(\"", b"\"): Permission denied"),
        (b"readlink(\"", b"\"): Permission denied"),
        (b"could not open directory '", b"': Permission denied"),
        (b"unable to access '", b"': Permission denied"),
        (b"could not open '", b"' for reading: Permission denied"),
    ];
    let quoted = patterns.iter().find_map(|(before, after)| between(said, before, after));
    if let Some(path) = quoted {
        let path = path.strip_suffix(b"/").unwrap_or(path);
        return Some(PathBuf::from(OsStr::from_bytes(path)));
    }
    // Git may also say just "<path>: Permission denied"; so may a filter, about anything.
    let lines = said.split(|byte| *byte == b'\n');
    let mut named = lines.filter_map(|line| line.strip_suffix(b": Permission denied"));
    let path = named.find(|path| {
        let found = fs::symlink_metadata(worktree.join(OsStr::from_bytes(path)));
        found.is_err_and(|error| error.kind() == io::ErrorKind::PermissionDenied)
    })?;
    Some(PathBuf::from(OsStr::from_bytes(path)))
}

fn listed(paths: &[PathBuf]) -> Vec<u8> {
    paths.iter().flat_map(|path| [path.as_os_str().as_bytes(), b"\0"].concat()).collect()
}
