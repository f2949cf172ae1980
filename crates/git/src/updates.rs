//! A git process that moves references, one transaction after another, started before it is needed.
//!
//! A command that keeps what it recorded and then seals the ledger moves references twice, and has to
//! wait for both. Git takes longer to start than to move one, so it is started while we do other work.
//! Whatever goes wrong here, nothing is lost: the caller asks git once more, by a process of its own.

use std::io::{self, BufRead as _, BufReader, Write as _};
use std::process::{Child, ChildStdin, ChildStdout};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

use rustix::event::{PollFd, PollFlags, Timespec, poll};

use crate::commit::{Identity, signed};
use crate::repository::Repository;

/// To move a reference takes milliseconds; on a disk that others keep busy, seconds.
const PATIENCE: Timespec = Timespec { tv_sec: if cfg!(test) { 1 } else { 20 }, tv_nsec: 0 };

/// The process, if one is waiting.
#[derive(Debug, Clone, Default)]
pub(crate) struct Waiting(Arc<Mutex<Option<Updates>>>);

#[derive(Debug)]
struct Updates {
    child: Option<Child>,
    requests: Option<ChildStdin>,
    answers: BufReader<ChildStdout>,
}

impl Repository {
    /// Says that references are going to be moved, so that git is ready by then.
    pub fn expect_updates(&self) {
        let mut waiting = self.waiting.0.lock().unwrap_or_else(PoisonError::into_inner);
        if waiting.is_none() {
            *waiting = Updates::start(self);
        }
    }

    /// Says that none are going to be moved for a while: nothing that we started is left at work.
    pub fn expect_no_updates(&self) {
        *self.waiting.0.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }

    /// Moves references in one transaction, by the process that waits for it. `false` says nothing
    /// about them: nobody waited, git did not want to, or it is not known.
    pub(crate) fn update_expected(&self, lines: &str) -> bool {
        let mut waiting = self.waiting.0.lock().unwrap_or_else(PoisonError::into_inner);
        let is_done = waiting.as_mut().is_some_and(|updates| updates.transact(lines).is_ok());
        if !is_done {
            *waiting = None;
        }
        is_done
    }
}

impl Updates {
    fn start(repository: &Repository) -> Option<Self> {
        let git = signed(repository.git(), Identity::COUNTERSIGN, Identity::COUNTERSIGN);
        let mut child = git.args(["update-ref", "--no-deref", "--stdin"]).converse().ok()?;
        let (requests, answers) = (child.stdin.take(), child.stdout.take()?);
        Some(Self { child: Some(child), requests, answers: BufReader::new(answers) })
    }

    fn transact(&mut self, lines: &str) -> io::Result<()> {
        let Some(requests) = &mut self.requests else {
            return Err(io::Error::other("it has no input"));
        };
        // A few lines: they fit into a pipe, whether git reads them or not.
        requests.write_all(format!("start\n{lines}prepare\ncommit\n").as_bytes())?;
        for step in ["start", "prepare", "commit"] {
            self.wait()?;
            let mut said = String::new();
            self.answers.read_line(&mut said)?;
            if said.trim_end() != format!("{step}: ok") {
                return Err(io::Error::other(said));
            }
        }
        Ok(())
    }
}

impl Updates {
    /// Waits until git says something. One that was stopped says nothing, and nobody is kept waiting by it.
    fn wait(&mut self) -> io::Result<()> {
        if !self.answers.buffer().is_empty() {
            return Ok(());
        }
        let mut asked = [PollFd::new(self.answers.get_ref(), PollFlags::IN)];
        match poll(&mut asked, Some(&PATIENCE)) {
            Ok(0) => {
                if let Some(child) = &mut self.child {
                    child.kill()?;
                }
                Err(io::ErrorKind::TimedOut.into())
            }
            Ok(_) => Ok(()),
            Err(errno) => Err(errno.into()),
        }
    }
}

impl Drop for Updates {
    fn drop(&mut self) {
        // Without its input, the process ends by itself; nobody has to wait for that.
        drop(self.requests.take());
        if let Some(mut child) = self.child.take() {
            thread::spawn(move || child.wait());
        }
    }
}

#[cfg(test)]
mod tests {
    use std::process::{Command, Stdio};

    use super::*;

    /// LP-01: a git that says nothing, because somebody stopped it, keeps nobody waiting, and is ended.
    #[test]
    fn nobody_waits_for_one_that_was_stopped() {
        let piped = |command: &mut Command| {
            command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap()
        };
        let mut child = piped(Command::new("sleep").arg("1000"));
        let (requests, answers) = (child.stdin.take(), child.stdout.take().unwrap());
        let answers = BufReader::new(answers);
        let mut updates = Updates { child: Some(child), requests, answers };
        let failed = updates.transact("create refs/x 0\n").unwrap_err();
        assert_eq!(failed.kind(), io::ErrorKind::TimedOut);
        assert!(!updates.child.take().unwrap().wait().unwrap().success());
    }
}
