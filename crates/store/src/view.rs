//! Views: rows that follow from events and can be remade from them at any time.

use countersign_domain::ledger::{Event, Stream};
use rusqlite::{Connection, OptionalExtension, Row};

use crate::error::Error;
use crate::recover::Opened;
use crate::{Store, read};

/// The events of a stream, read when they are asked for: most streams have no views.
pub type EventsOf = Result<Vec<Event>, Error>;
/// The view rows that follow from a stream.
pub type RowsOf = Result<Vec<ViewRow>, Error>;

/// One row of a view.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ViewRow {
    /// Which view, such as `run`.
    pub kind: String,
    pub key: String,
    /// JSON.
    pub body: String,
}

impl ViewRow {
    pub(crate) fn put(&self, connection: &Connection) -> Result<(), Error> {
        connection
            .prepare_cached(
                "INSERT INTO views VALUES (?1, ?2, ?3) \
                 ON CONFLICT (kind, key) DO UPDATE SET body = excluded.body",
            )?
            .execute((&self.kind, &self.key, &self.body))?;
        Ok(())
    }
}

impl Store {
    /// Remakes the heads of all streams, and all views, from the events; `rows` says what
    /// follows from one stream. Returns how many rows there are now.
    ///
    /// It is one transaction, as nobody may see the views half made, and a row that a writer
    /// made meanwhile must not be replaced by an older one.
    pub fn rebuild(
        &mut self,
        rows: impl FnMut(&Stream, &dyn Fn() -> EventsOf) -> RowsOf,
    ) -> Result<u64, Error> {
        self.in_transaction(|Opened { connection, .. }| {
            connection.execute_batch(
                "DELETE FROM views; DELETE FROM streams;
                 INSERT INTO streams
                 SELECT stream, sequence, hash, position FROM events AS e
                 WHERE sequence = (SELECT max(sequence) FROM events WHERE stream = e.stream);",
            )?;
            let heads = read::heads_after(connection, 0)?;
            put_remade(connection, heads.keys(), rows)
        })
    }

    /// Writes the rows that follow from `streams` anew, as [`Store::rebuild`] does.
    pub fn refresh_views<'s>(
        &mut self,
        streams: impl Iterator<Item = &'s Stream>,
        rows: impl FnMut(&Stream, &dyn Fn() -> EventsOf) -> RowsOf,
    ) -> Result<u64, Error> {
        self.in_transaction(|opened| put_remade(&opened.connection, streams, rows))
    }

    /// The row with exactly this key.
    pub fn view(&self, kind: &str, key: &str) -> Result<Option<ViewRow>, Error> {
        self.reading(|connection| {
            let row = connection
                .prepare_cached("SELECT kind, key, body FROM views WHERE kind = ?1 AND key = ?2")?
                .query_row((kind, key), row)
                .optional()?;
            Ok(row)
        })
    }

    /// The rows whose key begins with `prefix`, newest (greatest) keys first.
    pub fn views(&self, kind: &str, prefix: &str, most: u32) -> Result<Vec<ViewRow>, Error> {
        self.reading(|connection| {
            let mut statement = connection.prepare_cached(
                "SELECT kind, key, body FROM views WHERE kind = ?1 AND key >= ?2 \
                 AND substr(key, 1, length(?2)) = ?2 ORDER BY key DESC LIMIT ?3",
            )?;
            let rows = statement.query_map((kind, prefix, most), row)?;
            rows.map(|row| row.map_err(Error::from)).collect()
        })
    }
}

fn put_remade<'s>(
    connection: &Connection,
    streams: impl Iterator<Item = &'s Stream>,
    mut rows: impl FnMut(&Stream, &dyn Fn() -> EventsOf) -> RowsOf,
) -> Result<u64, Error> {
    let mut count = 0;
    for stream in streams {
        for row in rows(stream, &|| read::events_of(connection, stream, 0))? {
            row.put(connection)?;
            count += 1;
        }
    }
    Ok(count)
}

fn row(row: &Row<'_>) -> rusqlite::Result<ViewRow> {
    Ok(ViewRow { kind: row.get(0)?, key: row.get(1)?, body: row.get(2)? })
}
