//! The tables, and how a connection is set up.

use std::fs::{self, File};
use std::io::ErrorKind;
use std::path::Path;
use std::time::Duration;

use countersign_domain::ledger::LedgerId;
use rusqlite::config::DbConfig;
use rusqlite::{Connection, OpenFlags, OptionalExtension};

use crate::error::Error;
use crate::{Durability, Options};

/// The format this version reads and writes; kept in `PRAGMA user_version`.
pub(crate) const FORMAT: i64 = 1;

/// Events are append-only: the triggers stop mistakes, the hashes show intent.
const TABLES: &str = "
CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE events (
    position INTEGER PRIMARY KEY,
    id BLOB NOT NULL UNIQUE,
    stream TEXT NOT NULL,
    sequence INTEGER NOT NULL,
    time TEXT NOT NULL,
    actor TEXT NOT NULL,
    kind TEXT NOT NULL,
    format INTEGER NOT NULL,
    body TEXT,
    body_hash BLOB NOT NULL,
    previous BLOB NOT NULL,
    hash BLOB NOT NULL,
    UNIQUE (stream, sequence)
);
CREATE TABLE streams (
    stream TEXT PRIMARY KEY,
    sequence INTEGER NOT NULL,
    hash BLOB NOT NULL,
    position INTEGER NOT NULL
) WITHOUT ROWID;
CREATE INDEX streams_by_position ON streams (position);
CREATE TABLE seals (number INTEGER PRIMARY KEY, seal TEXT NOT NULL);
CREATE TABLE views (
    kind TEXT NOT NULL,
    key TEXT NOT NULL,
    body TEXT NOT NULL,
    PRIMARY KEY (kind, key)
) WITHOUT ROWID;
CREATE TRIGGER events_stay BEFORE DELETE ON events
BEGIN SELECT RAISE(ABORT, 'events are never removed'); END;
CREATE TRIGGER events_are_final BEFORE UPDATE ON events
WHEN NEW.body IS NOT NULL OR OLD.position IS NOT NEW.position OR OLD.id IS NOT NEW.id
  OR OLD.stream IS NOT NEW.stream OR OLD.sequence IS NOT NEW.sequence
  OR OLD.time IS NOT NEW.time OR OLD.actor IS NOT NEW.actor OR OLD.kind IS NOT NEW.kind
  OR OLD.format IS NOT NEW.format OR OLD.body_hash IS NOT NEW.body_hash
  OR OLD.previous IS NOT NEW.previous OR OLD.hash IS NOT NEW.hash
BEGIN SELECT RAISE(ABORT, 'events are never changed'); END;
";

/// After how many pages the log is taken into the database.
const LOG_PAGES: u32 = 250;

/// Opens the database file at `path`, without looking into it.
pub(crate) fn connect(path: &Path, options: &Options) -> Result<Connection, Error> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(path, flags)?;
    // Our own lock orders the writers; this covers other programs and checkpoints.
    connection.busy_timeout(options.busy.max(Duration::from_millis(1)))?;
    // Closing must not cost a checkpoint: commands are short and many.
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true)?;
    // Whoever opens the file alone reads the whole log, so it must not grow long.
    connection.pragma_update(None, "wal_autocheckpoint", LOG_PAGES)?;
    let synchronous = match options.durability {
        Durability::PowerLoss => "FULL",
        Durability::ProcessDeath => "NORMAL",
    };
    connection.pragma_update(None, "synchronous", synchronous)?;
    Ok(connection)
}

/// The ledger's id, or `None` in an empty database. Fails if the database is damaged or newer.
pub(crate) fn identify(connection: &Connection) -> Result<Option<LedgerId>, Error> {
    let found: i64 = connection.pragma_query_value(None, "user_version", |row| row.get(0))?;
    if found == 0 {
        return Ok(None);
    }
    if found > FORMAT {
        return Err(Error::Newer { found, known: FORMAT });
    }
    let id: Option<String> = connection
        .query_row("SELECT value FROM meta WHERE key = 'ledger'", [], |row| row.get(0))
        .optional()?;
    Ok(id.and_then(|id| id.parse().ok()))
}

/// Makes a new database at `path`, fills it, and leaves it whole, synced and closed. Nothing
/// of it counts before it is moved into place, so it needs no journal of its own.
pub(crate) fn build(
    path: &Path,
    id: LedgerId,
    fill: impl FnOnce(&Connection) -> Result<(), Error>,
) -> Result<(), Error> {
    for left in ["", "-journal", "-wal", "-shm"] {
        let mut name = path.as_os_str().to_owned();
        name.push(left);
        match fs::remove_file(&name) {
            Err(error) if error.kind() != ErrorKind::NotFound => {
                return Err(Error::io(Path::new(&name))(error));
            }
            _ => {}
        }
    }
    let connection = Connection::open(path)?;
    connection.execute_batch("PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; BEGIN")?;
    connection.execute_batch(TABLES)?;
    connection.execute("INSERT INTO meta VALUES ('ledger', ?1)", [id.to_string()])?;
    connection.pragma_update(None, "user_version", FORMAT)?;
    fill(&connection)?;
    connection.execute_batch("COMMIT; PRAGMA journal_mode = WAL")?;
    connection.close().map_err(|(_, error)| Error::from(error))?;
    File::open(path).and_then(|file| file.sync_all()).map_err(Error::io(path))
}

/// The first page of a database of `pages` pages: what the tables are and where they begin,
/// which is the same in every ledger. `scratch` is a path to make one at.
pub(crate) fn first_page(scratch: &Path, pages: u64) -> Result<Vec<u8>, Error> {
    build(scratch, LedgerId(uuid::Uuid::nil()), |_| Ok(()))?;
    let mut page = fs::read(scratch).map_err(Error::io(scratch))?;
    page.truncate(4096);
    // The size in pages.
    page[28..32].copy_from_slice(&u32::try_from(pages).unwrap_or(u32::MAX).to_be_bytes());
    Ok(page)
}
