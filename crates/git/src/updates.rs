//! A git process that moves references, one transaction after another, started before it is needed.
//!
//! A command that keeps what it recorded and then seals the ledger moves references twice, and has to
//! wait for both. Git takes longer to start than to move one, so it is started while we do other work.
//! Whatever goes wrong here, nothing is lost: the caller asks git once more, by a process of its own.

use std::io::{self, BufRead as _, BufReader, Write as _};
use std::process::{Child, ChildStdin, ChildStdout};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

use crate::commit::{Identity, signed};
use crate::repository::Repository;

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
            let mut said = String::new();
            self.answers.read_line(&mut said)?;
            if said.trim_end() != format!("{step}: ok") {
                return Err(io::Error::other(said));
            }
        }
        Ok(())
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
