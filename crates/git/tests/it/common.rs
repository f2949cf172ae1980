//! A laboratory: a home, a repository and a scratch directory that vanish with the test.
//!
//! Git processes get the laboratory's home; the environment of the test itself is never set.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::fs::{self, File, Permissions};
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::{Duration, SystemTime};

use countersign_domain::ObjectId;
use countersign_git::{CheckedOut, Checkout, Repository, Tip};
use tempfile::TempDir;

const HOME_CONFIG: &str = "\
[user]
\tname = Someone
\temail = someone@example.com
[init]
\tdefaultBranch = main
[protocol \"file\"]
\tallow = always
";

pub(crate) struct Lab {
    dir: TempDir,
}

/// What lies at a path, so that two moments can be compared.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Seen {
    File { mode: u32, content: Vec<u8> },
    Link(PathBuf),
    Directory,
}

pub(crate) type Sight = BTreeMap<PathBuf, Seen>;

impl Lab {
    /// A laboratory without a repository.
    pub(crate) fn bare() -> Self {
        let lab = Self { dir: TempDir::new().unwrap() };
        fs::create_dir(lab.path("home")).unwrap();
        fs::write(lab.path("home/.gitconfig"), HOME_CONFIG).unwrap();
        lab
    }

    /// A laboratory with an empty repository.
    pub(crate) fn empty() -> Self {
        let lab = Self::bare();
        lab.git(&lab.path(""), &["init", "-q", "repo"]);
        lab
    }

    /// A laboratory with a repository of one commit: `a.txt`, `b.txt` and `dir/c.txt`.
    pub(crate) fn new() -> Self {
        let lab = Self::empty();
        lab.write("a.txt", "a\n");
        lab.write("b.txt", "b\n");
        lab.write("dir/c.txt", "c\n");
        lab.commit_all("first");
        lab
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.dir.path().canonicalize().unwrap().join(name)
    }

    pub(crate) fn root(&self) -> PathBuf {
        self.path("repo")
    }

    pub(crate) fn file(&self, name: impl AsRef<Path>) -> PathBuf {
        self.root().join(name)
    }

    pub(crate) fn write(&self, name: impl AsRef<Path>, content: impl AsRef<[u8]>) {
        put(&self.file(name), content);
    }

    pub(crate) fn commit_all(&self, message: &str) {
        self.git(&self.root(), &["add", "-A"]);
        self.git(&self.root(), &["commit", "-qm", message]);
    }

    pub(crate) fn env(&self) -> Vec<(OsString, OsString)> {
        let path = std::env::var_os("PATH").unwrap();
        vec![("PATH".into(), path), ("HOME".into(), self.path("home").into())]
    }

    pub(crate) fn open(&self) -> Repository {
        self.open_at(&self.root())
    }

    pub(crate) fn open_at(&self, start: &Path) -> Repository {
        Repository::open_with(start, self.env()).unwrap()
    }

    /// Runs the real git, as a person would, and gives what it prints.
    pub(crate) fn git(&self, at: &Path, args: &[&str]) -> String {
        let output = self.try_git(at, args);
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "git {args:?}: {said}");
        String::from_utf8_lossy(&output.stdout).trim_end().to_owned()
    }

    pub(crate) fn try_git(&self, at: &Path, args: &[&str]) -> Output {
        let mut command = Command::new("git");
        command.args(args).current_dir(at).env_clear().envs(self.env());
        command.stdin(Stdio::null()).output().unwrap()
    }

    pub(crate) fn id(&self, revision: &str) -> ObjectId {
        self.git(&self.root(), &["rev-parse", "--verify", revision]).parse().unwrap()
    }

    /// The tree of what the repository's working tree holds.
    pub(crate) fn snapshot(&self) -> ObjectId {
        self.snapshot_of(&self.root())
    }

    pub(crate) fn snapshot_of(&self, worktree: &Path) -> ObjectId {
        self.open().snapshot(worktree, &self.path("scratch")).unwrap().tree
    }

    pub(crate) fn check_out(&self, tree: &ObjectId, name: &str) -> CheckedOut {
        let into = self.path(name);
        let tip = Tip::Tree { tree, parent: None, message: "recorded", time_seconds: 1 };
        self.open().checkout(&Checkout { into: &into, tip, spares: None }).unwrap()
    }

    /// The content of `path` in `tree`, if it is there.
    pub(crate) fn content(&self, tree: &ObjectId, path: &str) -> Option<String> {
        let name = format!("{tree}:{path}");
        let output = self.try_git(&self.root(), &["cat-file", "blob", &name]);
        output.status.success().then(|| String::from_utf8(output.stdout).unwrap())
    }

    /// The mode of `path` in `tree`, as git writes it.
    pub(crate) fn mode(&self, tree: &ObjectId, path: &str) -> String {
        let line = self.git(&self.root(), &["ls-tree", tree.as_str(), path]);
        line.split(' ').next().unwrap().to_owned()
    }

    pub(crate) fn names(&self, tree: &ObjectId) -> Vec<String> {
        let listed = self.git(&self.root(), &["ls-tree", "-r", "--name-only", tree.as_str()]);
        listed.lines().map(str::to_owned).collect()
    }

    /// All that must stay as it is: files, index, `HEAD`, references, stash, configuration.
    pub(crate) fn everything(&self) -> Sight {
        let mut sight = look(&self.root(), &[OsStr::new("objects")]);
        sight.extend(look(&self.path("home"), &[]));
        sight
    }
}

/// Writes a file and the directories above it.
pub(crate) fn put(path: &Path, content: impl AsRef<[u8]>) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, content).unwrap();
}

/// Gives a file the time of long ago, so that git has no reason to look at it twice.
pub(crate) fn age(path: &Path) {
    let long_ago = SystemTime::UNIX_EPOCH + Duration::from_secs(1_000_000_000);
    File::options().write(true).open(path).unwrap().set_modified(long_ago).unwrap();
}

/// Writes a program for the shell.
pub(crate) fn put_script(path: &Path, body: &str) {
    put(path, format!("#!/bin/sh\n{body}\n"));
    fs::set_permissions(path, Permissions::from_mode(0o755)).unwrap();
}

/// Everything under `top`, without what is called one of `passed_over`.
pub(crate) fn look(top: &Path, passed_over: &[&OsStr]) -> Sight {
    let mut sight = Sight::new();
    let mut waiting = vec![top.to_owned()];
    while let Some(directory) = waiting.pop() {
        for found in fs::read_dir(&directory).unwrap().map(Result::unwrap) {
            if passed_over.contains(&found.file_name().as_os_str()) {
                continue;
            }
            let path = found.path();
            let kind = found.file_type().unwrap();
            let seen = if kind.is_dir() {
                waiting.push(path.clone());
                Seen::Directory
            } else if kind.is_symlink() {
                Seen::Link(fs::read_link(&path).unwrap())
            } else if kind.is_file() {
                let mode = found.metadata().unwrap().permissions().mode();
                Seen::File { mode: mode & 0o777, content: fs::read(&path).unwrap() }
            } else {
                continue;
            };
            sight.insert(path.strip_prefix(top).unwrap().to_owned(), seen);
        }
    }
    sight
}

/// The files and links that a person sees in a working tree.
pub(crate) fn files(top: &Path) -> Sight {
    let mut sight = look(top, &[OsStr::new(".git")]);
    sight.retain(|_, seen| *seen != Seen::Directory);
    sight
}

pub(crate) fn os(bytes: &[u8]) -> &OsStr {
    OsStr::from_bytes(bytes)
}

pub(crate) fn make_executable(path: &Path) {
    fs::set_permissions(path, Permissions::from_mode(0o755)).unwrap();
}

pub(crate) fn make_pipe(path: &Path) {
    assert!(Command::new("mkfifo").arg(path).status().unwrap().success());
}

/// This test program once more, to run one test in a process of its own.
pub(crate) fn again(program: &Path, test: &str) -> Command {
    let mut command = Command::new(program);
    command.args(["--exact", test, "--nocapture"]).stdout(Stdio::null());
    command
}

/// Runs `check` without the powers of the superuser, whom no permission stops: in a second
/// process, as nobody, where the test called `name` comes here again.
pub(crate) fn unprivileged(name: &str, check: fn()) {
    let public = TempDir::new().unwrap();
    if public.path().metadata().unwrap().uid() != 0 {
        return check();
    }
    fs::set_permissions(public.path(), Permissions::from_mode(0o777)).unwrap();
    let program = public.path().join("test");
    // Copied by another process: a file that this one has open for writing cannot be run.
    let mut copy = Command::new("cp");
    copy.arg(std::env::current_exe().unwrap()).arg(&program);
    assert!(copy.status().unwrap().success());
    let mut command = again(&program, name);
    command.uid(65_534).gid(65_534).current_dir(public.path());
    assert!(command.env("TMPDIR", public.path()).status().unwrap().success());
}
