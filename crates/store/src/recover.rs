//! Opening, and what happens when the database is damaged: its files are set aside byte for
//! byte, every event that can still be read is carried over, and a fresh database goes on.

use std::fs;
use std::path::{Path, PathBuf};

use countersign_domain::ledger::LedgerId;
use rusqlite::{Connection, OpenFlags};

use crate::error::{Error, Unavailable};
use crate::{Options, append, lock, read, schema};

/// A damaged database that was replaced.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SetAside {
    /// The ledger it was, where that could still be read.
    pub previous: Option<LedgerId>,
    pub reason: String,
    /// The folder, inside the ledger's, that keeps the damaged files.
    pub kept_in: String,
    /// Events that could be carried over.
    pub salvaged: u64,
}

pub(crate) fn database(dir: &Path) -> PathBuf {
    dir.join("ledger.db")
}

/// Says that a ledger was made here; an empty database beside it is a damaged one.
fn marker(dir: &Path) -> PathBuf {
    dir.join("ledger.id")
}

/// Opens the database, making it on first use and replacing it when it is damaged.
pub(crate) fn open_or_replace(
    options: &Options,
) -> Result<(Connection, LedgerId, Option<SetAside>), Error> {
    fs::create_dir_all(&options.dir).map_err(Error::io(&options.dir))?;
    match open(options) {
        Ok((connection, id)) => Ok((connection, id, None)),
        Err(error) => {
            // Whatever it is, look again under the lock: another process may be making or
            // replacing the database right now.
            let writer = lock_writers(options)?;
            let opened = open_or_create(options);
            let result = match opened {
                Ok((connection, id)) => Ok((connection, id, None)),
                Err(error) if is_damage(&error) => {
                    replace(options, &error).map(|(c, id, aside)| (c, id, Some(aside)))
                }
                Err(_) => Err(error),
            };
            drop(writer);
            result
        }
    }
}

/// The lock that orders all writers of the ledger.
pub(crate) fn lock_writers(options: &Options) -> Result<fs::File, Error> {
    let path = options.dir.join("writer.lock");
    let file = lock::open(&path)?;
    lock::acquire(&file, options.busy).map_err(|error| {
        if error.kind() == std::io::ErrorKind::TimedOut {
            Error::Unavailable {
                dir: options.dir.clone(),
                why: Unavailable::Busy,
                detail: format!("{} was held for {:?}", path.display(), options.busy),
            }
        } else {
            Error::io(&path)(error)
        }
    })?;
    Ok(file)
}

fn is_damage(error: &Error) -> bool {
    matches!(error, Error::Unreadable(_)) || error.unavailable() == Some(Unavailable::Corrupt)
}

fn open(options: &Options) -> Result<(Connection, LedgerId), Error> {
    let path = database(&options.dir);
    if !path.exists() {
        return Err(Error::Unreadable("there is no database".into()));
    }
    let connection = schema::connect(&path, options)?;
    match schema::identify(&connection)? {
        Some(id) => Ok((connection, id)),
        None => Err(Error::Unreadable("the database is empty".into())),
    }
}

/// Only under the writers' lock.
fn open_or_create(options: &Options) -> Result<(Connection, LedgerId), Error> {
    let is_new = !database(&options.dir).exists();
    if is_new && !marker(&options.dir).exists() {
        let connection = schema::connect(&database(&options.dir), options)?;
        schema::create(&connection, options.new_id)?;
        write_marker(options, options.new_id)?;
        return Ok((connection, options.new_id));
    }
    if !is_new && !marker(&options.dir).exists() {
        // We were stopped between making the tables and writing the marker.
        let connection = schema::connect(&database(&options.dir), options)?;
        let id = match schema::identify(&connection)? {
            Some(id) => id,
            None => schema::create(&connection, options.new_id).map(|()| options.new_id)?,
        };
        write_marker(options, id)?;
        return Ok((connection, id));
    }
    open(options)
}

fn write_marker(options: &Options, id: LedgerId) -> Result<(), Error> {
    let path = marker(&options.dir);
    fs::write(&path, format!("{id}\n")).map_err(Error::io(&path))?;
    fs::File::open(&path).and_then(|file| file.sync_all()).map_err(Error::io(&path))
}

/// Sets the damaged files aside and starts a fresh database with what could be saved. Only
/// under the writers' lock.
pub(crate) fn replace(
    options: &Options,
    why: &Error,
) -> Result<(Connection, LedgerId, SetAside), Error> {
    let dir = &options.dir;
    let kept_in = free_name(dir);
    let aside = dir.join(&kept_in);
    fs::create_dir(&aside).map_err(Error::io(&aside))?;
    for name in ["ledger.db", "ledger.db-wal", "ledger.db-shm"] {
        let from = dir.join(name);
        match fs::rename(&from, aside.join(name)) {
            Ok(()) => {}
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {}
            Err(error) => return Err(Error::io(&from)(error)),
        }
    }
    let noted = fs::read_to_string(marker(dir)).ok().and_then(|text| text.trim().parse().ok());
    let id = noted.unwrap_or(options.new_id);
    let connection = schema::connect(&database(dir), options)?;
    schema::create(&connection, id)?;
    let salvaged = salvage(&aside, &connection);
    write_marker(options, id)?;
    let reason = why.to_string();
    let aside = SetAside { previous: noted, reason, kept_in, salvaged };
    Ok((connection, id, aside))
}

/// A folder name that is not taken yet.
fn free_name(dir: &Path) -> String {
    let mut n = 1;
    while dir.join(format!("damaged-{n}")).exists() {
        n += 1;
    }
    format!("damaged-{n}")
}

/// Carries over every event that can be read and still matches its hash. Reads a copy of the
/// set-aside files, since opening a database may change them.
fn salvage(aside: &Path, fresh: &Connection) -> u64 {
    let copy = aside.join("salvage");
    let copied = fs::create_dir(&copy).and_then(|()| {
        for name in ["ledger.db", "ledger.db-wal"] {
            if aside.join(name).exists() {
                fs::copy(aside.join(name), copy.join(name))?;
            }
        }
        Ok(())
    });
    let count = copied.map_or(0, |()| carry_over(&copy.join("ledger.db"), fresh).unwrap_or(0));
    let _ = fs::remove_dir_all(&copy);
    count
}

fn carry_over(from: &Path, fresh: &Connection) -> Result<u64, Error> {
    let old = Connection::open_with_flags(from, OpenFlags::SQLITE_OPEN_READ_WRITE)?;
    let mut carried = 0;
    fresh.execute_batch("BEGIN IMMEDIATE")?;
    let reading = read::scan(&old, 0, |placed| {
        let whole = placed.event.computed_hash() == placed.event.hash;
        if whole && placed.event.body_is_intact() {
            let at = Some(placed.position);
            carried += u64::from(append::insert_at(fresh, at, &placed.event).is_ok());
        }
        Ok(())
    });
    // Where reading stopped, the rest is lost to us; what was read stays.
    drop(reading);
    let seals: Vec<(i64, String)> = old
        .prepare("SELECT number, seal FROM seals ORDER BY number")
        .and_then(|mut all| all.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?.collect())
        .unwrap_or_default();
    for (number, seal) in seals {
        fresh.execute("INSERT INTO seals VALUES (?1, ?2)", (number, seal))?;
    }
    fresh.execute_batch("COMMIT")?;
    Ok(carried)
}
