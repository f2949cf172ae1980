//! The witness: the newest event's position and hash, written into the writers' lock file
//! after each commit.
//!
//! SQLite takes a write-ahead log that was cut, overwritten or removed for an older but sound
//! database. The witness is what tells us that there was more. It is never ahead of what was
//! acknowledged, and it is no proof against an attacker: seals are.

use std::fs::File;
use std::os::unix::fs::FileExt;
use std::path::Path;

use countersign_domain::Digest;
use rusqlite::{Connection, OptionalExtension};

use crate::error::Error;
use crate::{append, plain, read};

/// The newest event, as last told.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Witness {
    pub(crate) position: u64,
    hash: Digest,
}

impl Witness {
    /// What the lock file at `path` says. A text that can't be read says nothing: it may be in
    /// the middle of being written.
    pub(crate) fn read(path: &Path) -> Option<Self> {
        let text = plain::read_to_string(path).ok()?;
        let (position, hash) = text.trim_end().split_once(' ')?;
        Some(Self { position: position.parse().ok()?, hash: hash.parse().ok()? })
    }

    /// The newest event in the database.
    pub(crate) fn newest(connection: &Connection) -> Result<Option<Self>, Error> {
        let newest = connection
            .prepare_cached("SELECT position, hash FROM events ORDER BY position DESC LIMIT 1")?
            .query_row([], |row| {
                Ok(Self { position: read::unsigned(row.get(0)?), hash: read::digest(row, 1)? })
            })
            .optional()?;
        Ok(newest)
    }

    /// Tells `newest`. Failing to is no reason to refuse what was committed.
    pub(crate) fn write(newest: Option<Self>, lock: &File) {
        let text = newest.map_or_else(String::new, |w| format!("{:020} {}\n", w.position, w.hash));
        let length = text.len() as u64;
        let _ = lock.write_all_at(text.as_bytes(), 0);
        if lock.metadata().is_ok_and(|meta| meta.len() > length) {
            let _ = lock.set_len(length);
        }
    }

    /// Whether the database holds this event.
    pub(crate) fn is_in(self, connection: &Connection) -> Result<bool, Error> {
        let found = connection
            .prepare_cached("SELECT hash FROM events WHERE position = ?1")?
            .query_row([append::signed(self.position)], |row| read::digest(row, 0))
            .optional()?;
        Ok(found == Some(self.hash))
    }
}
