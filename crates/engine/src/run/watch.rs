//! Noticing that someone asked for the end of a run while a program runs for it.

use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::thread::JoinHandle;
use std::time::Duration;

use countersign_domain::ledger::Stream;
use countersign_exec::Cancel;
use countersign_store::{Options, Store};

/// How soon a cancellation is noticed.
const EVERY: Duration = Duration::from_millis(400);

/// Watches a run's stream from a thread of its own until dropped.
pub(super) struct Watch {
    stop: Option<Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Watch {
    /// Cancels `cancel` when `stream` grows past `sequence`: only the holder of the lease
    /// appends to it, save for a cancellation.
    pub(super) fn start(options: Options, stream: Stream, sequence: u64, cancel: Cancel) -> Self {
        let (stop, stopped) = mpsc::channel();
        let thread = std::thread::spawn(move || {
            while stopped.recv_timeout(EVERY) == Err(RecvTimeoutError::Timeout) {
                // A ledger that can't be read now may be readable the next time.
                let head =
                    Store::open_to_read(options.clone()).and_then(|store| store.head(&stream));
                if head.is_ok_and(|head| head.is_some_and(|head| head.sequence > sequence)) {
                    cancel.cancel();
                    return;
                }
            }
        });
        Self { stop: Some(stop), thread: Some(thread) }
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        drop(self.stop.take());
        if let Some(thread) = self.thread.take() {
            // The thread can't fail in a way that matters to the run.
            let _ = thread.join();
        }
    }
}
