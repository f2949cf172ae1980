//! Views: rows that follow from events and can be remade from them at any time.

use countersign_domain::ledger::{Event, Stream};
use rusqlite::{Connection, OptionalExtension, Row};

use crate::error::Error;
use crate::recover::Opened;
use crate::{Store, read};

/// The events of a stream, read when they are asked for: most streams have no views.
pub type EventsOf = Result<Vec<Event>, Error>;
/// The view rows that follow from a stream, and those that no longer do.
pub type RowsOf = Result<Vec<ViewChange>, Error>;

/// What follows from one stream for the views.
pub type Rows = fn(&Stream, &dyn Fn() -> EventsOf) -> RowsOf;

/// [`Rows`] of a ledger without views.
pub fn no_rows(_: &Stream, _: &dyn Fn() -> EventsOf) -> RowsOf {
    Ok(Vec::new())
}

/// One row of a view.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ViewRow {
    /// Which view, such as `run`.
    pub kind: String,
    pub key: String,
    /// JSON.
    pub body: String,
}

/// What an event does to a view.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ViewChange {
    /// The row is this from now on.
    Put(ViewRow),
    /// The row is gone. A stream whose row is gone still says so when views are remade: a
    /// refreshed view is not emptied first.
    Remove { kind: String, key: String },
}

impl ViewChange {
    pub fn remove(kind: impl Into<String>, key: impl Into<String>) -> Self {
        Self::Remove { kind: kind.into(), key: key.into() }
    }

    pub(crate) fn make(&self, connection: &Connection) -> Result<(), Error> {
        match self {
            Self::Put(ViewRow { kind, key, body }) => connection
                .prepare_cached(
                    "INSERT INTO views VALUES (?1, ?2, ?3) \
                     ON CONFLICT (kind, key) DO UPDATE SET body = excluded.body",
                )?
                .execute((kind, key, body))?,
            Self::Remove { kind, key } => connection
                .prepare_cached("DELETE FROM views WHERE kind = ?1 AND key = ?2")?
                .execute((kind, key))?,
        };
        Ok(())
    }
}

impl From<ViewRow> for ViewChange {
    fn from(row: ViewRow) -> Self {
        Self::Put(row)
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
            put_remade(connection, heads.keys(), rows)?;
            let count = connection.query_row("SELECT count(*) FROM views", [], |row| row.get(0))?;
            Ok(read::unsigned(count))
        })
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

/// Writes the rows that follow from `streams` anew. Returns how many were written.
pub(crate) fn put_remade<'s>(
    connection: &Connection,
    streams: impl Iterator<Item = &'s Stream>,
    mut rows: impl FnMut(&Stream, &dyn Fn() -> EventsOf) -> RowsOf,
) -> Result<u64, Error> {
    let mut count = 0;
    for stream in streams {
        for change in rows(stream, &|| read::events_of(connection, stream, 0))? {
            change.make(connection)?;
            count += u64::from(matches!(change, ViewChange::Put(_)));
        }
    }
    Ok(count)
}

fn row(row: &Row<'_>) -> rusqlite::Result<ViewRow> {
    Ok(ViewRow { kind: row.get(0)?, key: row.get(1)?, body: row.get(2)? })
}
