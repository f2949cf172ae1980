//! Stopping a run from another thread.

use std::io::{self, Write};
use std::os::unix::net::UnixStream;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// A handle that ends every run it was given to, now and later. Clones are the same handle.
#[derive(Debug, Clone, Default)]
pub struct Cancel(Arc<Shared>);

#[derive(Debug, Default)]
struct Shared {
    cancelled: AtomicBool,
    next: AtomicU64,
    /// One end per run under way; a byte in it wakes the run from its wait.
    wakes: Mutex<Vec<(u64, UnixStream)>>,
}

impl Cancel {
    pub fn new() -> Self {
        Self::default()
    }

    pub fn cancel(&self) {
        self.0.cancelled.store(true, Ordering::SeqCst);
        for (_, wake) in self.wakes().iter_mut() {
            // A failure means that the run has ended or was woken already.
            let _ = wake.write(b"!");
        }
    }

    pub fn is_cancelled(&self) -> bool {
        self.0.cancelled.load(Ordering::SeqCst)
    }

    /// Whoever listens first and asks [`Self::is_cancelled`] afterwards misses nothing.
    pub(crate) fn listen(&self) -> io::Result<Listening> {
        let (ours, theirs) = UnixStream::pair()?;
        theirs.set_nonblocking(true)?;
        let id = self.0.next.fetch_add(1, Ordering::Relaxed);
        self.wakes().push((id, theirs));
        Ok(Listening { cancel: self.clone(), id, wake: ours })
    }

    fn wakes(&self) -> MutexGuard<'_, Vec<(u64, UnixStream)>> {
        self.0.wakes.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A run's ear: `wake` becomes readable when the handle is cancelled.
#[derive(Debug)]
pub(crate) struct Listening {
    cancel: Cancel,
    id: u64,
    pub(crate) wake: UnixStream,
}

impl Drop for Listening {
    fn drop(&mut self) {
        self.cancel.wakes().retain(|(id, _)| *id != self.id);
    }
}
