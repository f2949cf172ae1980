//! Views: rows that follow from events and can be remade from them at any time.

use rusqlite::{Connection, OptionalExtension};

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
        self.in_transaction(|connection| rows.iter().try_for_each(|row| row.put(connection)))
    }

    /// The row with exactly this key.
    pub fn view(&self, kind: &str, key: &str) -> Result<Option<ViewRow>, Error> {
        let row = self
            .connection
            .prepare_cached("SELECT kind, key, body FROM views WHERE kind = ?1 AND key = ?2")?
            .query_row((kind, key), |row| {
                Ok(ViewRow { kind: row.get(0)?, key: row.get(1)?, body: row.get(2)? })
            })
            .optional()?;
        Ok(row)
    }

    /// The rows whose key begins with `prefix`, newest (greatest) keys first.
    pub fn views(&self, kind: &str, prefix: &str, most: u32) -> Result<Vec<ViewRow>, Error> {
        let mut statement = self.connection.prepare_cached(
            "SELECT kind, key, body FROM views WHERE kind = ?1 AND key >= ?2 \
             AND substr(key, 1, length(?2)) = ?2 ORDER BY key DESC LIMIT ?3",
        )?;
        let rows = statement.query_map((kind, prefix, most), |row| {
            Ok(ViewRow { kind: row.get(0)?, key: row.get(1)?, body: row.get(2)? })
        })?;
        rows.map(|row| row.map_err(Error::from)).collect()
    }
}
