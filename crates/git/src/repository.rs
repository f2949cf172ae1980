//! An opened repository and the questions about where it stands.

use std::ffi::OsString;
use std::fs;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use countersign_domain::id::ObjectId;

use crate::command::{Environment, Git};
use crate::discover::{self, Layout, discover};
use crate::error::Error;
use crate::memory::Memory;
use crate::updates::Waiting;

/// The oldest git that understands everything we ask of it.
const OLDEST: Version = Version { major: 2, minor: 31, patch: 0 };

/// A repository with a working tree. Cheap to clone; may be used from many threads at once.
#[derive(Debug, Clone)]
pub struct Repository {
    layout: Layout,
    environment: Environment,
    /// Of this place and these surroundings.
    pub(crate) waiting: Waiting,
    pub(crate) memory: Memory,
}

/// The version of a git program.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Version {
    pub major: u32,
    pub minor: u32,
    pub patch: u32,
}

/// A commit and the tree that it holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Commit {
    pub commit: ObjectId,
    pub tree: ObjectId,
}

/// Where a working tree stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Head {
    pub commit: ObjectId,
    pub tree: ObjectId,
    /// The name of the branch without `refs/heads/`, or `None` when detached.
    pub branch: Option<String>,
}

impl Repository {
    /// The same repository for who can't wait: what takes longer than `patience` from now is
    /// ended and fails with [`Error::TooLong`].
    #[must_use]
    pub fn within(&self, patience: Duration) -> Self {
        let environment = self.environment.until(Instant::now() + patience);
        let (layout, memory) = (self.layout.clone(), self.memory.clone());
        Self { layout, environment, waiting: Waiting::default(), memory }
    }

    /// The same repository, in which filters of these names run nothing and files are taken as they are.
    #[must_use]
    pub fn without_filters(&self, names: &[String]) -> Self {
        let environment = self.environment.without_filters(names);
        let (layout, memory) = (self.layout.clone(), Memory::default());
        Self { layout, environment, waiting: Waiting::default(), memory }
    }

    /// Opens the repository that `start` lies in; git gets the variables of this process.
    pub fn open(start: &Path) -> Result<Self, Error> {
        Self::open_with(start, std::env::vars_os())
    }

    /// Opens the repository that `start` lies in; git gets `variables` and no others, and of
    /// those none that begins with `GIT_`.
    pub fn open_with(
        start: &Path,
        variables: impl IntoIterator<Item = (OsString, OsString)>,
    ) -> Result<Self, Error> {
        let layout = discover(start)?;
        let environment = Environment::new(variables);
        let (waiting, memory) = (Waiting::default(), Memory::default());
        let repository = Self { layout, environment, waiting, memory };
        repository.check_owner()?;
        Ok(repository)
    }

    pub fn layout(&self) -> &Layout {
        &self.layout
    }

    /// The version of the installed git, if it can serve us.
    pub fn git_version(&self) -> Result<Version, Error> {
        let said = self.environment.git().arg("version").output()?;
        let said = String::from_utf8_lossy(&said).trim().to_owned();
        match Version::parse(&said) {
            Some(version) if version >= OLDEST => Ok(version),
            found => Err(Error::GitTooOld {
                found: found.map_or(said, |version| version.to_string()),
                needed: OLDEST.to_string(),
            }),
        }
    }

    /// The commit that `HEAD` stands on; `None` before the first commit.
    pub fn head(&self) -> Result<Option<Head>, Error> {
        let asked = ["rev-parse", "HEAD^{commit}", "HEAD^{tree}", "--symbolic-full-name", "HEAD"];
        let outcome = self.git().args(asked).outcome()?;
        if !outcome.status.success() {
            return if self.is_unborn()? { Ok(None) } else { Err(outcome.into_error()) };
        }
        let said = String::from_utf8_lossy(&outcome.stdout).into_owned();
        let mut lines = said.lines();
        let mut object = || lines.next().and_then(|line| line.parse().ok());
        let (Some(commit), Some(tree)) = (object(), object()) else {
            return Err(outcome.into_error());
        };
        let branch = lines.next().and_then(|name| name.strip_prefix("refs/heads/"));
        Ok(Some(Head { commit, tree, branch: branch.map(str::to_owned) }))
    }

    /// The commit that `revision` names: a branch, a tag, an abbreviated id, `HEAD~2`.
    pub fn resolve(&self, revision: &str) -> Result<Commit, Error> {
        let unknown = || Error::UnknownRevision { revision: revision.to_owned() };
        if revision.is_empty() || revision.starts_with('-') || revision.contains('\0') {
            return Err(unknown());
        }
        let commit = self.peel(&format!("{revision}^{{commit}}"))?.ok_or_else(unknown)?;
        let tree = self.peel(&format!("{commit}^{{tree}}"))?.ok_or_else(unknown)?;
        Ok(Commit { commit, tree })
    }

    /// The newest commit that both have among their ancestors; `None` if one of them is unknown,
    /// or they have nothing in common.
    pub fn fork(&self, one: &str, other: &str) -> Result<Option<Commit>, Error> {
        if [one, other].iter().any(|name| name.is_empty() || name.starts_with('-')) {
            return Ok(None);
        }
        let outcome = self.git().args(["merge-base", one, other]).outcome()?;
        if !outcome.status.success() {
            return Ok(None);
        }
        self.resolve(String::from_utf8_lossy(&outcome.stdout).trim()).map(Some)
    }

    /// Whether git sees any change: staged, unstaged or untracked.
    ///
    /// Quick, and as easily fooled as `git status`: entries marked in the index as unchanged
    /// are believed. A snapshot is not fooled.
    pub fn is_dirty(&self) -> Result<bool, Error> {
        let asked = ["status", "--porcelain=v1", "-z", "--untracked-files=normal"];
        // What a nested repository is configured to run must not run because of us.
        let calm = ["--no-renames", "--ignore-submodules=dirty"];
        let worktree = &self.layout.worktree;
        let git = self.git().env("GIT_WORK_TREE", worktree).within(worktree);
        Ok(!git.args(asked).args(calm).output()?.is_empty())
    }

    /// A path that a variable of the environment names.
    pub(crate) fn variable(&self, name: &str) -> Option<PathBuf> {
        self.environment.variable(name).map(PathBuf::from)
    }

    /// A git process that works on this repository.
    pub(crate) fn git(&self) -> Git {
        self.git_at(&self.layout.git_dir)
    }

    /// A git process that works on the repository at `git_dir`.
    pub(crate) fn git_at(&self, git_dir: &Path) -> Git {
        self.environment.git().env("GIT_DIR", git_dir).within(git_dir)
    }

    /// The object that `name` stands for, if any.
    pub(crate) fn peel(&self, name: &str) -> Result<Option<ObjectId>, Error> {
        self.peel_at(&self.layout.git_dir, name)
    }

    /// The same for the repository at `git_dir`.
    pub(crate) fn peel_at(&self, git_dir: &Path, name: &str) -> Result<Option<ObjectId>, Error> {
        let asked = ["rev-parse", "--verify", "--quiet"];
        let outcome = self.git_at(git_dir).args(asked).arg(name).outcome()?;
        match outcome.status.code() {
            Some(0) => outcome.object().map(Some),
            // With --quiet, 1 is the plain no; 128 comes with words, such as "ambiguous".
            Some(1) => Ok(None),
            _ => Err(outcome.into_error()),
        }
    }

    /// The length in bytes of an object id in this repository.
    pub(crate) fn hash_len(&self) -> Result<usize, Error> {
        let config = discover::read(&self.layout.common_dir.join("config"))?.unwrap_or_default();
        let format = discover::setting(&config, "extensions", "objectformat");
        Ok(if format.is_some_and(|name| name.eq_ignore_ascii_case(b"sha256")) { 32 } else { 20 })
    }

    fn is_unborn(&self) -> Result<bool, Error> {
        let outcome = self.git().args(["symbolic-ref", "--quiet", "HEAD"]).outcome()?;
        if !outcome.status.success() {
            return Ok(false);
        }
        let branch = String::from_utf8_lossy(&outcome.stdout).trim_end().to_owned();
        Ok(self.peel(&branch)?.is_none())
    }

    /// Git checks the owner only where it looks for the repository itself; as we always name
    /// it, a stranger's configuration would be obeyed unless we ask.
    fn check_owner(&self) -> Result<(), Error> {
        let me = rustix::process::geteuid().as_raw();
        let dot_git = self.layout.worktree.join(".git");
        for path in [&self.layout.worktree, &self.layout.git_dir, &dot_git] {
            let found = fs::symlink_metadata(path);
            if found.is_ok_and(|found| found.uid() != me) {
                let asked = ["rev-parse", "--git-dir"];
                self.environment.git().within(&self.layout.worktree).args(asked).output()?;
                break;
            }
        }
        Ok(())
    }
}

impl Version {
    fn parse(said: &str) -> Option<Self> {
        let mut numbers = said.strip_prefix("git version ")?.split([' ', '.']);
        let mut number = || numbers.next()?.parse().ok();
        Some(Self { major: number()?, minor: number()?, patch: number().unwrap_or(0) })
    }
}

impl std::fmt::Display for Version {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}.{}.{}", self.major, self.minor, self.patch)
    }
}

#[cfg(test)]
mod tests {
    use super::Version;

    #[test]
    fn versions_are_read_from_every_vendor() {
        let check = |said: &str, expected: &str| {
            let version = Version::parse(said).map(|version| version.to_string());
            assert_eq!(version.as_deref(), Some(expected), "{said}");
        };
        check("git version 2.47.3", "2.47.3");
        check("git version 2.39.3 (Apple Git-146)", "2.39.3");
        check("git version 2.45.1.windows.1", "2.45.1");
        check("git version 2.48.rc1", "2.48.0");
        assert_eq!(Version::parse("gut version 2.1.0"), None);
    }
}
