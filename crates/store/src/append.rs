//! Appending: one transaction, ordered by one lock, chained to what is there.

use std::fs::File;

use countersign_domain::ledger::{Draft, Event, Head, RETAINED, Seal, Span, Stream};
use rusqlite::{Connection, OptionalExtension, params};

use crate::error::{Error, Unavailable};
use crate::recover::Opened;
use crate::spool::Entry;
use crate::view::ViewChange;
use crate::witness::Witness;
use crate::{Store, read, recover};

/// Where a stream must end for an append to go through.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Expected {
    /// Exactly here; 0 is a stream that doesn't exist yet.
    Sequence(u64),
    /// Here, so that what was worked out from the stream still holds. If it has to be spooled,
    /// anywhere: it counts wherever it gets in.
    Preferred(u64),
    /// Anywhere: the order of these entries doesn't matter to who writes them.
    Any,
}

/// An acknowledged append.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Appended {
    Written(Vec<Event>),
    /// The database can't be written now: the entries are in the spool, as durable as there.
    Spooled(Unavailable),
}

/// Which bodies a retention removes.
#[derive(Debug, Clone)]
pub struct Retention {
    /// Only events whose time sorts before this RFC 3339 time.
    pub before: String,
    /// Only streams whose name begins with this; empty for all.
    pub prefix: String,
    /// Streams that keep their bodies.
    pub spared: Vec<Stream>,
}

impl Store {
    /// Appends `drafts` to `stream` if it ends where `expected` says, together with what
    /// follows from them in the views. When the database can't take them, they go to the spool.
    pub fn append(
        &mut self,
        stream: &Stream,
        expected: Expected,
        drafts: &[Draft],
        views: &[ViewChange],
    ) -> Result<Appended, Error> {
        let mut result = self.write(stream, expected, drafts, views);
        if result.as_ref().is_err_and(Error::is_damage) {
            // Once more: this time the damaged database is set aside first.
            result = self.write(stream, expected, drafts, views);
        }
        let why = match result {
            Ok(events) => {
                self.tell_of(&events);
                return Ok(Appended::Written(events));
            }
            Err(error) => error.unavailable().ok_or(error)?,
        };
        let mut next = match expected {
            Expected::Sequence(n) => Some(n),
            Expected::Preferred(_) | Expected::Any => None,
        };
        let entries: Vec<Entry> = drafts
            .iter()
            .map(|draft| {
                let entry = Entry { stream: stream.clone(), expected: next, draft: draft.clone() };
                next = next.map(|n| n + 1);
                entry
            })
            .collect();
        self.spool().write(&entries)?;
        Ok(Appended::Spooled(why))
    }

    fn write(
        &mut self,
        stream: &Stream,
        expected: Expected,
        drafts: &[Draft],
        views: &[ViewChange],
    ) -> Result<Vec<Event>, Error> {
        self.in_transaction(|Opened { connection, id: ledger, .. }| {
            let head = head_of(connection, stream)?;
            let found = head.map_or(0, |head| head.sequence);
            if let Expected::Sequence(expected) | Expected::Preferred(expected) = expected
                && expected != found
            {
                return Err(Error::Conflict { stream: stream.clone(), expected, found });
            }
            let mut events = Vec::with_capacity(drafts.len());
            let mut previous = head.map_or_else(|| ledger.root_of(stream), |head| head.hash);
            for (sequence, draft) in (found + 1..).zip(drafts) {
                let event = draft.clone().chain(stream, sequence, previous);
                previous = event.hash;
                insert(connection, &event)?;
                events.push(event);
            }
            for view in views {
                view.make(connection)?;
            }
            Ok(events)
        })
    }

    /// Runs `work` as one transaction, alone among all writers.
    pub(crate) fn in_transaction<T>(
        &mut self,
        work: impl FnOnce(&Opened) -> Result<T, Error>,
    ) -> Result<T, Error> {
        let writer = recover::lock_writers(&self.options)?;
        self.follow(&writer)?;
        self.transact(&writer, work)
    }

    /// As [`Store::in_transaction`], for who holds the writers' lock and has followed.
    pub(crate) fn transact<T>(
        &self,
        writer: &File,
        work: impl FnOnce(&Opened) -> Result<T, Error>,
    ) -> Result<T, Error> {
        let connection = &self.opened.connection;
        let result = connection.execute_batch("BEGIN IMMEDIATE").map_err(Error::from);
        let result = result.and_then(|()| {
            let value = work(&self.opened)?;
            let newest = Witness::newest(connection)?;
            connection.execute_batch("COMMIT")?;
            Witness::write(newest, writer);
            Ok(value)
        });
        if result.is_err() && !connection.is_autocommit() {
            // A failed rollback leaves the transaction to the end of the connection.
            let _ = connection.execute_batch("ROLLBACK");
        }
        self.noting(result)
    }

    /// Removes bodies and keeps their hashes. `record` makes the signed account of it, which
    /// is appended in the same transaction: there is no removal without its record.
    pub fn retain(
        &mut self,
        retention: &Retention,
        record: impl FnOnce(&[Span]) -> Result<Draft, Error>,
    ) -> Result<Vec<Span>, Error> {
        let spans = self.in_transaction(|Opened { connection, id: ledger, .. }| {
            let spans = read::spans_with_body(connection, retention)?;
            if spans.is_empty() {
                return Ok(spans);
            }
            for span in &spans {
                connection.execute(
                    "UPDATE events SET body = NULL WHERE stream = ?1 AND sequence BETWEEN ?2 AND ?3",
                    params![span.stream.as_str(), signed(span.from), signed(span.to)],
                )?;
            }
            let draft = record(&spans)?;
            debug_assert_eq!(draft.kind, RETAINED);
            let stream = Stream::of_ledger();
            let head = head_of(connection, &stream)?;
            let previous = head.map_or_else(|| ledger.root_of(&stream), |head| head.hash);
            let sequence = head.map_or(0, |head| head.sequence) + 1;
            insert(connection, &draft.chain(&stream, sequence, previous))?;
            Ok(spans)
        })?;
        if !spans.is_empty() {
            self.shrink();
        }
        Ok(spans)
    }

    /// Gives back the room of what was removed, and overwrites it: the pages and the log still
    /// hold the bodies as they were. What readers or a full disk prevent now is no failure of
    /// the retention, which is committed.
    fn shrink(&self) {
        let Ok(writer) = recover::lock_writers(&self.options) else { return };
        let connection = &self.opened.connection;
        let _ = connection.execute_batch("VACUUM");
        let _ = connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()));
        drop(writer);
    }

    /// Records a seal.
    pub fn add_seal(&mut self, seal: &Seal) -> Result<(), Error> {
        let text = serde_json::to_string(seal).map_err(|e| Error::Unreadable(e.to_string()))?;
        let number = signed(seal.statement.number);
        self.in_transaction(|Opened { connection, .. }| {
            connection.execute("INSERT INTO seals VALUES (?1, ?2)", (number, text))?;
            Ok(())
        })
    }
}

/// Inserts a chained event and moves its stream's head.
pub(crate) fn insert(connection: &Connection, event: &Event) -> Result<(), Error> {
    insert_at(connection, None, event)
}

/// As [`insert`], at a given position (by default, after all others).
pub(crate) fn insert_at(
    connection: &Connection,
    position: Option<u64>,
    event: &Event,
) -> Result<(), Error> {
    connection
        .prepare_cached(
            "INSERT INTO events VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)",
        )?
        .execute(params![
            position.map(signed),
            event.id.as_bytes(),
            event.stream.as_str(),
            signed(event.sequence),
            event.time,
            event.actor,
            event.kind,
            event.format,
            event.body,
            event.body_hash.as_bytes(),
            event.previous.as_bytes(),
            event.hash.as_bytes(),
        ])?;
    let position = connection.last_insert_rowid();
    connection
        .prepare_cached(
            "INSERT INTO streams VALUES (?1, ?2, ?3, ?4) ON CONFLICT (stream) DO UPDATE \
             SET sequence = excluded.sequence, hash = excluded.hash, position = excluded.position",
        )?
        .execute(params![
            event.stream.as_str(),
            signed(event.sequence),
            event.hash.as_bytes(),
            position
        ])?;
    Ok(())
}

/// Where `stream` ends, by its events: the table of heads only follows from them.
pub(crate) fn head_of(connection: &Connection, stream: &Stream) -> Result<Option<Head>, Error> {
    let head = connection
        .prepare_cached(
            "SELECT sequence, hash FROM events WHERE stream = ?1 ORDER BY sequence DESC LIMIT 1",
        )?
        .query_row([stream.as_str()], |row| {
            Ok(Head { sequence: read::unsigned(row.get(0)?), hash: read::digest(row, 1)? })
        })
        .optional()?;
    Ok(head)
}

/// SQLite's integers are signed; ours count events and never reach that far.
pub(crate) fn signed(n: u64) -> i64 {
    i64::try_from(n).unwrap_or(i64::MAX)
}
