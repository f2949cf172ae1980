//! A git repository in a temporary directory, with a home of its own, and the program in it.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::io::Write;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use tempfile::TempDir;

use crate::ran::{Ran, Running};
use crate::{Fingerprint, survivors, wait_until};

/// A project of somebody who uses the program.
///
/// # Panics
/// All methods panic when something that has nothing to do with the program fails.
#[derive(Debug)]
pub struct Project {
    folder: TempDir,
    program: PathBuf,
}

impl Project {
    /// A repository with one commit. `program` is the path of the program under test.
    pub fn new(program: &str) -> Self {
        let project = Self::without_commits(program);
        project.write("README.md", "A project.\n");
        project.commit("Start");
        project
    }

    /// A repository in which nothing was committed yet.
    pub fn without_commits(program: &str) -> Self {
        let project = Self::without_repository(program);
        project.git(["init", "--quiet", "--initial-branch=main"]);
        project
    }

    /// A folder that is no repository.
    pub fn without_repository(program: &str) -> Self {
        let folder = TempDir::with_prefix("countersign-test-").unwrap();
        for name in ["project", "home", "tmp"] {
            fs::create_dir(folder.path().join(name)).unwrap();
        }
        Self { folder, program: program.into() }
    }

    /// The folder around everything.
    pub fn outside(&self) -> PathBuf {
        self.folder.path().canonicalize().unwrap()
    }

    /// The root of the working tree.
    pub fn root(&self) -> PathBuf {
        self.outside().join("project")
    }

    /// The folder that `COUNTERSIGN_HOME` names.
    pub fn home(&self) -> PathBuf {
        self.outside().join("home/countersign")
    }

    /// The folder that holds the ledger.
    pub fn state(&self) -> PathBuf {
        self.root().join(".git/countersign")
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.root().join(name)
    }

    /// Writes a file of the project, with the folders above it.
    pub fn write(&self, name: &str, content: impl AsRef<[u8]>) {
        let path = self.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
    }

    /// Writes a program of the project.
    pub fn write_program(&self, name: &str, content: &str) {
        self.write(name, content);
        fs::set_permissions(self.path(name), fs::Permissions::from_mode(0o755)).unwrap();
    }

    pub fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap()
    }

    /// Commits everything there is.
    pub fn commit(&self, message: &str) {
        self.git(["add", "--all"]);
        self.git(["commit", "--quiet", "--message", message]);
    }

    /// Runs git in the project, expects it to succeed, and returns what it printed.
    #[track_caller]
    pub fn git<S: AsRef<OsStr>>(&self, args: impl IntoIterator<Item = S>) -> String {
        self.git_in(&self.root(), args)
    }

    /// Runs git in `folder`.
    #[track_caller]
    pub fn git_in<S: AsRef<OsStr>>(
        &self,
        folder: &Path,
        args: impl IntoIterator<Item = S>,
    ) -> String {
        let mut command = Command::new("git");
        self.prepare(&mut command, folder);
        let ran = Ran::from(command.args(args).output().unwrap()).expect(0);
        ran.out()
    }

    /// Runs a shell script in the project, as its user would.
    pub fn sh(&self, script: &str) -> Ran {
        let mut command = Command::new("sh");
        self.prepare(&mut command, &self.root());
        command.args(["-c", script]).stdin(Stdio::null()).output().unwrap().into()
    }

    /// Runs the program with `args` in the project and waits for it.
    pub fn run<S: AsRef<OsStr>>(&self, args: impl IntoIterator<Item = S>) -> Ran {
        self.call(args).run()
    }

    /// A call of the program that can be changed before it is made.
    pub fn call<S: AsRef<OsStr>>(&self, args: impl IntoIterator<Item = S>) -> Call {
        self.call_of(&self.program).args(args)
    }

    /// A call of another program in the project.
    pub fn call_of(&self, program: impl AsRef<OsStr>) -> Call {
        let mut command = Command::new(program);
        self.prepare(&mut command, &self.root());
        Call { command, stdin: None }
    }

    /// A goal with one check, carried out by a shell command.
    pub fn goal(&self, worker: &str, check: &str) -> Call {
        let worker = format!("command:{worker}");
        self.call(["run", "Do it", "--check", check, "--worker", &worker])
    }

    /// Everything that the project's user owns, as it is now.
    pub fn fingerprint(&self) -> Fingerprint {
        Fingerprint::of(&self.root(), &|args| self.git(args))
    }

    /// The journal of the newest run.
    #[track_caller]
    pub fn journal(&self) -> serde_json::Value {
        self.run(["log", "--format", "json"]).expect(0).data()
    }

    /// Expects every process that was started for this project to be gone, soon.
    #[track_caller]
    pub fn expect_no_survivors(&self) {
        let root = self.outside();
        // The last of a killed tree may still be on their way out.
        wait_until("the end of all processes of the project", || {
            survivors(&root).is_empty().then_some(())
        });
    }

    fn prepare(&self, command: &mut Command, folder: &Path) {
        let path = std::env::var_os("PATH").unwrap_or_else(|| "/usr/bin:/bin".into());
        command.env_clear().env("PATH", path).current_dir(folder);
        for (name, value) in self.environment() {
            command.env(name, value);
        }
    }

    /// What programs see of the world, besides the search path.
    pub fn environment(&self) -> Vec<(&'static str, OsString)> {
        let outside = self.outside();
        let set = |name, value: &str| (name, OsString::from(value));
        vec![
            ("HOME", outside.join("home").into()),
            ("COUNTERSIGN_HOME", self.home().into()),
            ("TMPDIR", outside.join("tmp").into()),
            set("LC_ALL", "C"),
            set("GIT_CONFIG_NOSYSTEM", "1"),
            set("GIT_AUTHOR_NAME", "Alice"),
            set("GIT_AUTHOR_EMAIL", "alice@example.com"),
            set("GIT_COMMITTER_NAME", "Alice"),
            set("GIT_COMMITTER_EMAIL", "alice@example.com"),
        ]
    }
}

/// A call of the program that was not made yet.
#[derive(Debug)]
pub struct Call {
    command: Command,
    stdin: Option<Vec<u8>>,
}

impl Call {
    pub fn arg(mut self, arg: impl AsRef<OsStr>) -> Self {
        self.command.arg(arg);
        self
    }

    pub fn args<S: AsRef<OsStr>>(mut self, args: impl IntoIterator<Item = S>) -> Self {
        self.command.args(args);
        self
    }

    pub fn env(mut self, name: &str, value: impl AsRef<OsStr>) -> Self {
        self.command.env(name, value);
        self
    }

    pub fn without_env(mut self, name: &str) -> Self {
        self.command.env_remove(name);
        self
    }

    pub fn at(mut self, folder: impl AsRef<Path>) -> Self {
        self.command.current_dir(folder);
        self
    }

    pub fn stdin(mut self, bytes: impl Into<Vec<u8>>) -> Self {
        self.stdin = Some(bytes.into());
        self
    }

    /// Makes the call and waits for its end.
    pub fn run(self) -> Ran {
        self.start().wait()
    }

    /// Makes the call.
    pub fn start(mut self) -> Running {
        self.command.stdout(Stdio::piped()).stderr(Stdio::piped());
        let stdin = if self.stdin.is_some() { Stdio::piped() } else { Stdio::null() };
        let mut child = self.command.stdin(stdin).spawn().unwrap();
        if let (Some(mut pipe), Some(bytes)) = (child.stdin.take(), self.stdin) {
            // On a thread, since the program may answer before it has read everything; one that
            // reads no further than it must is no failure.
            std::thread::spawn(move || {
                let _ = pipe.write_all(&bytes);
            });
        }
        Running::new(child)
    }
}
