//! A program that we speak with, line by line: started under the supervisor like any other, so
//! that nothing of it is left when we are done, however it behaves.
//!
//! Programs read their input from a named pipe, which the shell makes that starts them; what
//! they complain about goes to a file of its own, so that it can't break a line of an answer.

use std::ffi::OsString;
use std::fs::{File, OpenOptions};
use std::io::{ErrorKind, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::PathBuf;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use countersign_domain::memory::Cause;
use countersign_exec::{Cancel, Ended, Environment, Spec, Supervisor, find_program, run};
use rustix::event::{PollFd, PollFlags, Timespec, poll};

/// Makes the pipe, says so, and becomes the program.
const SCRIPT: &str = r#"mkfifo "$0/in" && echo "" && exec "$@" <"$0/in" 2>"$0/err""#;
/// More output than this is no conversation.
const MAX_OUTPUT: u64 = 32 * 1024 * 1024;
/// How long a program may take to end once its input has, and again when it is told to.
const LEAVE: Duration = Duration::from_secs(1);
/// How often a writer that can't go on looks whether anybody is left to read.
const LOOK: Duration = Duration::from_millis(50);
/// How much of its complaints is kept.
const COMPLAINT: usize = 500;

/// Why there is no answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Failure {
    pub(super) cause: Cause,
    pub(super) detail: String,
}

impl Failure {
    pub(super) fn new(cause: Cause, detail: impl Into<String>) -> Self {
        Self { cause, detail: detail.into() }
    }
}

/// The program to speak with.
#[derive(Debug)]
pub(super) struct Partner {
    pub(super) supervisor: Supervisor,
    pub(super) argv: Vec<String>,
    pub(super) cwd: PathBuf,
    pub(super) environment: Environment,
    /// After this it is ended, whatever happens to us.
    pub(super) life: Duration,
}

enum Heard {
    Line(Vec<u8>),
    Ended { how: String, is_missing: bool },
}

/// A conversation under way. Dropped, it ends the program.
pub(super) struct Conversation {
    input: Option<File>,
    heard: Receiver<Heard>,
    cancel: Cancel,
    thread: Option<JoinHandle<()>>,
    folder: tempfile::TempDir,
}

impl Conversation {
    pub(super) fn start(partner: Partner, deadline: Instant) -> Result<Self, Failure> {
        let not_started = |why: String| Failure::new(Cause::NotStarted, why);
        let path = partner.environment.value("PATH").unwrap_or_default().to_owned();
        let name = partner.argv.first().ok_or_else(|| not_started("no command is set".into()))?;
        if !name.contains('/') && find_program(name, &path).is_none() {
            return Err(not_started(format!("the program '{name}' was not found in PATH")));
        }
        let folder = tempfile::tempdir().map_err(|error| not_started(error.to_string()))?;
        let mut argv: Vec<OsString> = ["/bin/sh", "-c", SCRIPT].map(OsString::from).to_vec();
        argv.push(folder.path().into());
        argv.extend(partner.argv.iter().map(OsString::from));
        let spec = Spec {
            argv,
            cwd: partner.cwd,
            env: partner.environment,
            stdin: None,
            deadline: partner.life,
            grace: LEAVE,
            max_output: MAX_OUTPUT,
        };
        let (sender, heard) = channel();
        let cancel = Cancel::new();
        let thread = {
            let (cancel, supervisor) = (cancel.clone(), partner.supervisor);
            std::thread::spawn(move || listen(&supervisor, &spec, &cancel, sender))
        };
        let mut started = Self { input: None, heard, cancel, thread: Some(thread), folder };
        // The first line is the shell's: the pipe is there.
        started.hear(deadline)?;
        let open = OpenOptions::new()
            // For reading too: opening must not wait for the program to open its end.
            .read(true)
            .write(true)
            .custom_flags(nonblocking())
            .open(started.folder.path().join("in"));
        started.input = Some(open.map_err(|error| not_started(error.to_string()))?);
        Ok(started)
    }

    /// Says one line, however long, until `deadline`.
    pub(super) fn say(&mut self, line: &str, deadline: Instant) -> Result<(), Failure> {
        let bytes = [line.as_bytes(), b"\n"].concat();
        let mut rest = bytes.as_slice();
        while !rest.is_empty() {
            let Some(input) = &mut self.input else { return Err(self.gone("it has ended")) };
            match input.write(rest) {
                Ok(count) => rest = &rest[count..],
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) if error.kind() == ErrorKind::WouldBlock => {
                    let is_left = self.thread.as_ref().is_some_and(|thread| !thread.is_finished());
                    if !is_left || Instant::now() >= deadline {
                        return Err(self.failure(Cause::NoAnswer, "it does not read its input"));
                    }
                    wait_for_room(input);
                }
                Err(error) => return Err(self.gone(&error.to_string())),
            }
        }
        Ok(())
    }

    /// The next line, if one comes until `deadline`.
    pub(super) fn hear(&mut self, deadline: Instant) -> Result<Vec<u8>, Failure> {
        let remaining = deadline.saturating_duration_since(Instant::now());
        match self.heard.recv_timeout(remaining) {
            Ok(Heard::Line(line)) => Ok(line),
            Ok(Heard::Ended { how, is_missing: true }) => {
                Err(self.failure(Cause::NotStarted, &how))
            }
            Ok(Heard::Ended { how, .. }) => Err(self.gone(&how)),
            Err(RecvTimeoutError::Timeout) => Err(self.failure(Cause::NoAnswer, "no answer")),
            Err(RecvTimeoutError::Disconnected) => Err(self.gone("it has ended")),
        }
    }

    fn gone(&self, how: &str) -> Failure {
        self.failure(Cause::Ended, how)
    }

    /// With the last of what the program complained about.
    fn failure(&self, cause: Cause, what: &str) -> Failure {
        let complaint = std::fs::read(self.folder.path().join("err")).unwrap_or_default();
        let tail = &complaint[complaint.len().saturating_sub(COMPLAINT)..];
        let tail = String::from_utf8_lossy(tail).trim().to_owned();
        let detail = if tail.is_empty() { what.to_owned() } else { format!("{what}: {tail}") };
        Failure { cause, detail }
    }
}

impl Drop for Conversation {
    fn drop(&mut self) {
        // The end of its input is the polite way to say that we are done.
        let was_started = self.input.take().is_some();
        let deadline = Instant::now() + LEAVE;
        while was_started && self.hear(deadline).is_ok() {}
        self.cancel.cancel();
        if let Some(thread) = self.thread.take() {
            // It has nothing to tell that we would wait for.
            let _ = thread.join();
        }
    }
}

/// Runs the program to its end and hands on its lines.
fn listen(supervisor: &Supervisor, spec: &Spec, cancel: &Cancel, sender: Sender<Heard>) {
    let mut lines = Lines { rest: Vec::new(), sender };
    let (how, is_missing) = match run(supervisor, spec, cancel, &mut lines) {
        Ok(finished) => {
            // The shell's codes for what it can't run, or can't find.
            let is_missing = matches!(
                finished.ended,
                Ended::Exited { code: 126 | 127 } | Ended::NotStarted { .. }
            );
            (finished.ended.to_string(), is_missing)
        }
        Err(error) => (error.to_string(), false),
    };
    // Nobody may be listening any more.
    let _ = lines.sender.send(Heard::Ended { how, is_missing });
}

struct Lines {
    rest: Vec<u8>,
    sender: Sender<Heard>,
}

impl Write for Lines {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        for piece in bytes.split_inclusive(|byte| *byte == b'\n') {
            self.rest.extend_from_slice(piece);
            if self.rest.ends_with(b"\n") {
                // Nobody may be listening any more, but the program is still to be ended.
                let _ = self.sender.send(Heard::Line(std::mem::take(&mut self.rest)));
            }
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

fn wait_for_room(input: &File) {
    let limit = Timespec { tv_sec: 0, tv_nsec: i64::from(LOOK.subsec_nanos()) };
    // Whatever it says, the next write knows.
    let _ = poll(&mut [PollFd::new(input, PollFlags::OUT)], Some(&limit));
}

fn nonblocking() -> i32 {
    i32::try_from(rustix::fs::OFlags::NONBLOCK.bits()).unwrap_or_default()
}
