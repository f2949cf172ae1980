//! The one place that starts the `git` program.
//!
//! Every process gets the same closed surroundings: no `GIT_*` variable of ours reaches it, no
//! hook, no file-system monitor and no background upkeep runs, it cannot ask anything on a
//! terminal, and it speaks untranslated English. The rest of the user's configuration stays in
//! force, because ignore rules, filters and line endings are the user's.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::io::{self, Write as _};
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::{FileTypeExt as _, PermissionsExt as _};
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::Instant;

use countersign_domain::id::ObjectId;
use rustix::process::{Pid, Signal, kill_process_group};

use crate::error::Error;

/// Settings that hold for every process, whatever the user's or the repository's files say.
const SETTINGS: &[&str] = &[
    "core.hooksPath=/dev/null",
    "core.fsmonitor=false",
    "core.trustctime=true",
    "core.checkStat=default",
    "core.ignoreStat=false",
    "core.quotePath=false",
    // A shared index would be written beside the user's own.
    "core.splitIndex=false",
    // We record and check out whole trees; which part of them the user keeps on disk is
    // marked in the index itself.
    "core.sparseCheckout=false",
    // A warning about line endings must not turn into a failure.
    "core.safecrlf=false",
    // Filling a checkout must not reach into the user's submodules.
    "submodule.recurse=false",
    // Whoever updates a reference at the same time is soon done.
    "core.filesRefLockTimeout=10000",
    "core.packedRefsTimeout=10000",
    // What is larger is stored and written in pieces, and never held in memory as a whole.
    "core.bigFileThreshold=16m",
    "gc.auto=0",
    "maintenance.auto=false",
    "advice.addEmbeddedRepo=false",
    "i18n.commitEncoding=UTF-8",
    "i18n.logOutputEncoding=UTF-8",
];

/// Variables that git processes get in place of the scrubbed ones.
const VARIABLES: &[(&str, &str)] = &[
    ("LC_ALL", "C"),
    ("GIT_TERMINAL_PROMPT", "0"),
    // Present but empty: no graphical question either.
    ("GIT_ASKPASS", ""),
    ("GIT_OPTIONAL_LOCKS", "0"),
    // A replacement planted under `refs/replace` must not change what we read.
    ("GIT_NO_REPLACE_OBJECTS", "1"),
];

/// The variables that git processes inherit.
#[derive(Debug, Clone)]
pub(crate) struct Environment {
    variables: Vec<(OsString, OsString)>,
    /// Where git is, or its bare name if it wasn't found.
    program: PathBuf,
    deadline: Option<Instant>,
}

impl Environment {
    /// Takes `variables` without those that steer git.
    pub(crate) fn new(variables: impl IntoIterator<Item = (OsString, OsString)>) -> Self {
        let steers = |name: &OsString| name.as_bytes().starts_with(b"GIT_");
        let variables = variables.into_iter().filter(|(name, _)| !steers(name));
        let variables: Vec<(OsString, OsString)> = variables.collect();
        let path = variables.iter().find(|(name, _)| name == "PATH");
        let program = path.and_then(|(_, path)| find_program(path));
        Self { variables, program: program.unwrap_or_else(|| "git".into()), deadline: None }
    }

    /// The same for processes that are ended at `deadline`.
    pub(crate) fn until(&self, deadline: Instant) -> Self {
        Self { deadline: Some(deadline), ..self.clone() }
    }

    /// The same with these filters switched off, whatever the settings say of them.
    pub(crate) fn without_filters(&self, names: &[String]) -> Self {
        let ends = [("clean", ""), ("smudge", ""), ("process", ""), ("required", "false")];
        let settings = names.iter().flat_map(|name| {
            ends.iter().map(move |(end, value)| (format!("filter.{name}.{end}"), *value))
        });
        let mut variables = self.variables.clone();
        let mut count = 0_usize;
        for (key, value) in settings {
            variables.push((format!("GIT_CONFIG_KEY_{count}").into(), key.into()));
            variables.push((format!("GIT_CONFIG_VALUE_{count}").into(), value.into()));
            count += 1;
        }
        variables.push(("GIT_CONFIG_COUNT".into(), count.to_string().into()));
        Self { variables, ..self.clone() }
    }

    pub(crate) fn variable(&self, name: &str) -> Option<&OsStr> {
        let found = self.variables.iter().find(|(known, _)| known == name);
        found.map(|(_, value)| value.as_os_str())
    }

    /// A git process yet to be started.
    pub(crate) fn git(&self) -> Git {
        let mut command = Command::new(&self.program);
        command.env_clear().envs(self.variables.iter().map(|(name, value)| (name, value)));
        command.envs(VARIABLES.iter().copied());
        for setting in SETTINGS {
            command.arg("-c").arg(setting);
        }
        Git {
            command,
            place: None,
            words: Vec::new(),
            shown: String::from("git"),
            input: None,
            deadline: self.deadline,
        }
    }
}

/// The first git on `path`. A program that is named by its place, and that looks for its working
/// directory itself, is started without copying the tables of our memory: a third of the time.
fn find_program(path: &OsStr) -> Option<PathBuf> {
    let is_program = |file: &PathBuf| {
        let found = fs::metadata(file);
        found.is_ok_and(|found| found.is_file() && found.permissions().mode() & 0o111 != 0)
    };
    let folders = std::env::split_paths(path).filter(|folder| folder.is_absolute());
    folders.map(|folder| folder.join("git")).find(is_program)
}

/// One git process: arguments, place and input.
#[derive(Debug)]
pub(crate) struct Git {
    command: Command,
    place: Option<PathBuf>,
    words: Vec<OsString>,
    shown: String,
    input: Option<Vec<u8>>,
    deadline: Option<Instant>,
}

/// What a process that ended left behind.
#[derive(Debug)]
pub(crate) struct Outcome {
    pub(crate) status: ExitStatus,
    pub(crate) stdout: Vec<u8>,
    pub(crate) stderr: Vec<u8>,
    shown: String,
}

impl Git {
    pub(crate) fn arg(mut self, arg: impl AsRef<OsStr>) -> Self {
        self.shown.push(' ');
        self.shown.push_str(&arg.as_ref().to_string_lossy());
        self.words.push(arg.as_ref().to_owned());
        self
    }

    pub(crate) fn args<A: AsRef<OsStr>>(self, args: impl IntoIterator<Item = A>) -> Self {
        args.into_iter().fold(self, Self::arg)
    }

    /// One more setting for this process.
    pub(crate) fn setting(mut self, setting: &str) -> Self {
        self.command.arg("-c").arg(setting);
        self
    }

    pub(crate) fn env(mut self, name: &str, value: impl AsRef<OsStr>) -> Self {
        self.command.env(name, value);
        self
    }

    pub(crate) fn within(mut self, directory: &Path) -> Self {
        self.place = Some(directory.to_owned());
        self
    }

    pub(crate) fn input(mut self, bytes: impl Into<Vec<u8>>) -> Self {
        self.input = Some(bytes.into());
        self
    }

    /// Runs to the end, whatever that end is.
    pub(crate) fn outcome(mut self) -> Result<Outcome, Error> {
        let input = self.input.take();
        let stdin = if input.is_some() { Stdio::piped() } else { Stdio::null() };
        if self.deadline.is_some() {
            // So that its filters can be ended with it.
            self.command.process_group(0);
        }
        let mut child = self.spawn(stdin, Stdio::piped())?;
        let stdin = child.stdin.take();
        let (pid, deadline) = (child.id(), self.deadline);
        let is_late = AtomicBool::new(false);
        // Written from a thread of its own: git may answer before it has read everything.
        let ended = std::thread::scope(|scope| {
            if let (Some(mut stdin), Some(input)) = (stdin, input) {
                // A git that stops reading early says why itself, so this error tells nothing.
                scope.spawn(move || stdin.write_all(&input).ok());
            }
            // Gone as soon as the process is: whoever waits for the deadline notices.
            let (_over, is_over) = mpsc::channel::<()>();
            if let Some(deadline) = deadline {
                let is_late = &is_late;
                scope.spawn(move || {
                    let left = deadline.saturating_duration_since(Instant::now());
                    if is_over.recv_timeout(left) == Err(RecvTimeoutError::Timeout) {
                        is_late.store(true, Ordering::Relaxed);
                        terminate(pid);
                    }
                });
            }
            child.wait_with_output()
        });
        if is_late.load(Ordering::Relaxed) {
            return Err(Error::TooLong { command: self.shown });
        }
        let output = ended.map_err(Error::io("read the output of", Path::new("git")))?;
        let (status, stdout, stderr) = (output.status, output.stdout, output.stderr);
        Ok(Outcome { status, stdout, stderr, shown: self.shown })
    }

    /// Runs to a good end and gives the output.
    pub(crate) fn output(self) -> Result<Vec<u8>, Error> {
        let outcome = self.outcome()?;
        if outcome.status.success() { Ok(outcome.stdout) } else { Err(outcome.into_error()) }
    }

    /// Runs to a good end and reads its output as one object id.
    pub(crate) fn object(self) -> Result<ObjectId, Error> {
        let outcome = self.outcome()?;
        if !outcome.status.success() {
            return Err(outcome.into_error());
        }
        outcome.object()
    }

    /// Starts a process to talk with: its input and output are pipes.
    pub(crate) fn converse(mut self) -> Result<Child, Error> {
        // Nobody reads what it complains about, and a full pipe would stop it.
        self.spawn(Stdio::piped(), Stdio::null())
    }

    /// The same, for who reads its complaints.
    pub(crate) fn converse_heard(mut self) -> Result<Child, Error> {
        self.spawn(Stdio::piped(), Stdio::piped())
    }

    fn spawn(&mut self, stdin: Stdio, stderr: Stdio) -> Result<Child, Error> {
        if let Some(place) = &self.place {
            fs::metadata(place).map_err(Error::io("enter", place))?;
            // Git would wait for ever for a pipe that somebody put there.
            let config = place.join("config");
            if fs::metadata(&config).is_ok_and(|found| found.file_type().is_fifo()) {
                return Err(Error::Blocking { path: config });
            }
            self.command.arg("-C").arg(place);
        }
        self.command.args(&self.words).stdin(stdin).stdout(Stdio::piped()).stderr(stderr);
        self.command.spawn().map_err(|source| match source.kind() {
            io::ErrorKind::NotFound => Error::GitMissing,
            _ => Error::io("start", Path::new("git"))(source),
        })
    }
}

/// Asks a process and its filters to end: git removes its temporary files then.
fn terminate(group: u32) {
    let group = i32::try_from(group).ok().and_then(Pid::from_raw);
    // One that has just ended by itself is as well.
    let _ = group.map(|group| kill_process_group(group, Signal::TERM));
}

impl Outcome {
    /// After a good end, the output and what was said besides.
    pub(crate) fn heard(self) -> Result<(Vec<u8>, Vec<u8>), Error> {
        if self.status.success() { Ok((self.stdout, self.stderr)) } else { Err(self.into_error()) }
    }

    pub(crate) fn into_error(self) -> Error {
        Error::from_git(self.shown, self.status.code(), &self.stderr)
    }

    /// The output as one object id.
    pub(crate) fn object(self) -> Result<ObjectId, Error> {
        let id = str::from_utf8(&self.stdout).ok().and_then(|text| text.trim_end().parse().ok());
        id.ok_or_else(|| Error::Failed {
            stderr: format!("'{}' is not an object id", String::from_utf8_lossy(&self.stdout)),
            code: self.status.code(),
            command: self.shown,
        })
    }
}
