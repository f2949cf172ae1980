//! Views: rows that follow from events and can be remade from them at any time.

use rusqlite::{Connection, OptionalExtension, Row};

use crate::Store;
use crate::error::Error;

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
    /// Writes rows that follow from events already in the ledger.
    pub fn put_views(&mut self, rows: &[ViewRow]) -> Result<(), Error> {
        self.in_transaction(|opened| rows.iter().try_for_each(|row| row.put(&opened.connection)))
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

fn row(row: &Row<'_>) -> rusqlite::Result<ViewRow> {
    Ok(ViewRow { kind: row.get(0)?, key: row.get(1)?, body: row.get(2)? })
}
