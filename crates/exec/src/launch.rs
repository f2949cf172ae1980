//! One supervisor as its leader sees it: started, spoken to, and never left behind.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::io::{self, PipeReader, Write, pipe};
use std::net::Shutdown;
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::process::{Child, Command};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use crate::control::{Bytes, Order, send};
use crate::exit_watch::wait_within;
use crate::spec::{Error, Spec, Supervisor};
use crate::strays::{Origin, adopt_orphans, end_strays};

/// The variable that every process of a run carries, with a value that no other run has. Service
/// managers give their programs one of this name too: nobody knows by it that we are at work.
pub const LAUNCH_MARKER: &str = "INVOCATION_ID";

/// How long a supervisor may take to read its order.
const SEND_LIMIT: Duration = Duration::from_secs(10);

/// How long a supervisor may take to leave once it has reported the end, or was killed.
const LEAVE_LIMIT: Duration = Duration::from_secs(5);

/// The supervisors of this process, over all threads. Whoever looks for strays among our
/// children holds the lock, so that no supervisor is born unseen meanwhile.
static SUPERVISORS: Mutex<BTreeSet<i32>> = Mutex::new(BTreeSet::new());

pub(crate) fn supervisors() -> MutexGuard<'static, BTreeSet<i32>> {
    SUPERVISORS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A supervisor at work. Dropped before [`Self::finish`], it ends the whole tree.
#[derive(Debug)]
pub(crate) struct Launch {
    child: Child,
    pub(crate) control: UnixStream,
    pub(crate) output: PipeReader,
    pub(crate) origin: Origin,
    finished: bool,
}

impl Launch {
    pub(crate) fn start(supervisor: &Supervisor, spec: &Spec) -> Result<Self, Error> {
        adopt_orphans();
        let unique = uuid::Uuid::now_v7().simple().to_string();
        let marker = supervisor.kin.as_ref().map_or(unique.clone(), |kin| kin.mark(&unique));
        let launch = Self::spawn(supervisor, &marker).map_err(|source| Error::Supervisor {
            program: supervisor.program.display().to_string(),
            source,
        })?;
        let mut order = Order::new(spec);
        order.env.retain(|(name, _)| *name != name_of_marker());
        order.env.push((name_of_marker(), OsStr::new(&marker).into()));
        // A supervisor that is gone or deaf is noticed where its reports are read.
        let sent = launch.control.set_write_timeout(Some(SEND_LIMIT));
        let _ = sent.and_then(|()| send(&launch.control, &order));
        Ok(launch)
    }

    fn spawn(supervisor: &Supervisor, marker: &str) -> io::Result<Self> {
        let (control, theirs) = UnixStream::pair()?;
        let (output, writer) = pipe()?;
        let mut command = Command::new(&supervisor.program);
        // One pipe for both streams keeps what was written in the order it was written.
        command
            .args(&supervisor.arguments)
            .env_clear()
            .env(LAUNCH_MARKER, marker)
            .current_dir("/")
            .stdin(OwnedFd::from(theirs))
            .stdout(writer.try_clone()?)
            .stderr(writer);
        let mut supervisors = supervisors();
        let child = command.spawn()?;
        let number = i32::try_from(child.id()).unwrap_or_default();
        supervisors.insert(number);
        let variable = [LAUNCH_MARKER.as_bytes(), b"=", marker.as_bytes()].concat();
        let origin = Origin::of(number, variable);
        Ok(Self { child, control, output, origin, finished: false })
    }

    /// Asks the supervisor to end the tree. It reports when that is done.
    pub(crate) fn ask_for_the_end(&mut self) {
        // A supervisor that can't be asked is gone, which is noticed where reports are read.
        let _ = self.control.write_all(b"end\n");
    }

    /// The supervisor has reported the end, so it leaves by itself.
    pub(crate) fn finish(mut self) {
        if wait_within(&mut self.child, LEAVE_LIMIT) {
            self.forget();
        } else {
            self.destroy();
        }
    }

    /// Ends the supervisor and all that it leaves behind; how many processes remain.
    pub(crate) fn destroy(&mut self) -> u32 {
        let _ = self.child.kill();
        if wait_within(&mut self.child, LEAVE_LIMIT) {
            self.forget();
        }
        self.finished = true;
        end_strays(&self.origin)
    }

    fn forget(&mut self) {
        self.finished = true;
        supervisors().remove(&self.origin.supervisor);
    }
}

impl Drop for Launch {
    fn drop(&mut self) {
        if !self.finished {
            let _ = self.control.shutdown(Shutdown::Both);
            self.destroy();
        }
    }
}

fn name_of_marker() -> Bytes {
    OsStr::new(LAUNCH_MARKER).into()
}
