//! The time that we take for ourselves, on the record: what an append takes is noted with what is
//! written anyway, or alone where it took longer than it may.

use std::time::Duration;

use countersign_domain::worklog::budget::Work;
use countersign_domain::worklog::{Session, SessionEvent};

use crate::Engine;
use crate::error::Result;

/// `took` for `work`, as it goes on the record.
pub(super) fn spent(work: Work, took: Duration) -> SessionEvent {
    let ms = u64::try_from(took.as_millis()).unwrap_or(u64::MAX);
    SessionEvent::Spent { work, ms }
}

impl Engine {
    /// The time that appends took until now and that nobody noted.
    pub(super) fn append_time(&self) -> SessionEvent {
        spent(Work::Append, self.appending)
    }

    /// It is noted.
    pub(super) fn noted_append_time(&mut self) {
        self.appending = Duration::ZERO;
    }

    /// Notes the time of appends that were too slow.
    pub(super) fn note_slow_appends(&mut self, session: &mut Session) -> Result<()> {
        if self.appending <= Work::Append.limit() {
            return Ok(());
        }
        let event = self.append_time();
        self.noted_append_time();
        self.append_facts(session, "engine", vec![event])
    }
}
