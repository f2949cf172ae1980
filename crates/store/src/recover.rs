//! Opening, and what happens when the database is damaged: its files are set aside byte for
//! byte, every event that can still be read is carried over, and a fresh database goes on.
//!
//! A fresh database is made under another name and moved into place when it is whole. So
//! whoever opens `ledger.db` finds a whole one, or none and then waits for the writers' lock;
//! and a replacement that was cut off is taken up where it stood.

use std::fs::{self, File};
use std::io::ErrorKind;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use countersign_domain::ledger::LedgerId;
use rusqlite::Connection;

use crate::aside::{self, SetAside};
use crate::error::{Error, Unavailable};
use crate::witness::Witness;
use crate::{Options, durable, lock, plain, salvage, schema};

/// The files of a database, besides the shared memory that SQLite makes anew.
pub(crate) const FILES: [&str; 3] = ["ledger.db", "ledger.db-wal", "ledger.db-shm"];
/// A database that is being made.
const FRESH: &str = "ledger.fresh";

/// Which file something is, whatever its name has become.
pub(crate) type FileId = Option<(u64, u64)>;

pub(crate) fn file_id(path: &Path) -> FileId {
    fs::metadata(path).ok().map(|meta| (meta.dev(), meta.ino()))
}

/// An open database, and which files it was.
#[derive(Debug)]
pub(crate) struct Opened {
    pub(crate) connection: Connection,
    pub(crate) id: LedgerId,
    /// The database and its write-ahead log.
    pub(crate) files: [FileId; 2],
}

impl Opened {
    /// Whether the names in `dir` still mean the files that are open.
    pub(crate) fn is_current(&self, dir: &Path) -> bool {
        self.files == files(dir)
    }
}

fn files(dir: &Path) -> [FileId; 2] {
    [file_id(&dir.join(FILES[0])), file_id(&dir.join(FILES[1]))]
}

/// Says that a ledger was made here: no database beside it is a lost one.
pub(crate) fn marker(dir: &Path) -> PathBuf {
    dir.join("ledger.id")
}

fn lock_path(dir: &Path) -> PathBuf {
    dir.join("writer.lock")
}

fn damaged(dir: &Path, detail: impl Into<String>) -> Error {
    Error::Unavailable { dir: dir.to_owned(), why: Unavailable::Corrupt, detail: detail.into() }
}

/// Opens the database, making it on first use and replacing it when it is damaged.
pub(crate) fn open_or_replace(options: &Options) -> Result<(Opened, Option<SetAside>), Error> {
    if marker(&options.dir).exists() {
        match open(options) {
            Ok(opened) => return Ok((opened, None)),
            Err(error @ Error::Newer { .. }) => return Err(error),
            // It was waited for as long as may be: another look would wait as long again.
            Err(error) if error.unavailable() == Some(Unavailable::Busy) => return Err(error),
            // Whatever it is, look again under the lock: another process may be making or
            // replacing the database right now.
            Err(_) => {}
        }
    }
    durable::create_dir_all(&options.dir, options.durability).map_err(Error::io(&options.dir))?;
    let writer = lock_writers(options)?;
    open_locked(options, &writer, None)
}

/// As [`open_or_replace`], under the writers' lock. `live` still sees what its files held.
pub(crate) fn open_locked(
    options: &Options,
    writer: &File,
    live: Option<&Connection>,
) -> Result<(Opened, Option<SetAside>), Error> {
    match open_or_create(options) {
        Ok(opened) => Ok((opened, None)),
        Err(error) if error.is_damage() => {
            let (opened, aside) = replace(options, error.reason(), writer, live)?;
            Ok((opened, Some(aside)))
        }
        Err(error) => Err(error),
    }
}

/// The lock that orders all writers of the ledger.
pub(crate) fn lock_writers(options: &Options) -> Result<File, Error> {
    let path = lock_path(&options.dir);
    let file = lock::open(&path)?;
    lock::acquire(&file, options.busy).map_err(|error| {
        if error.kind() == ErrorKind::TimedOut {
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

/// Opens the database as it is.
pub(crate) fn open(options: &Options) -> Result<Opened, Error> {
    let dir = &options.dir;
    let path = dir.join(FILES[0]);
    let before = file_id(&path);
    // SQLite would wait for the other end of a pipe, for ever.
    if let Some(odd) = FILES.iter().find(|name| plain::is_odd(&dir.join(name))) {
        return Err(damaged(dir, format!("in the place of {odd} is something that is no file")));
    }
    match fs::metadata(&path) {
        // SQLite would remove the write-ahead log of an empty database.
        Ok(meta) if meta.len() == 0 => return Err(damaged(dir, "the database is empty")),
        Ok(_) => {}
        Err(error) if error.kind() == ErrorKind::NotFound => {
            return Err(damaged(dir, "there is no database"));
        }
        Err(error) => return Err(Error::io(&path)(error)),
    }
    // Read first: what is acknowledged in the meantime only makes the database longer.
    let witness = Witness::read(&lock_path(dir));
    let connection = schema::connect(&path, options)?;
    let Some(id) = schema::identify(&connection)? else {
        return Err(damaged(dir, "the database holds no ledger"));
    };
    if let Some(witness) = witness
        && !witness.is_in(&connection)?
    {
        let newest = Witness::newest(&connection)?.map_or(0, |newest| newest.position);
        let detail = format!(
            "its newest events are gone: {} were acknowledged, it ends at {newest}",
            witness.position
        );
        return Err(damaged(dir, detail));
    }
    let files = files(dir);
    if files[0] != before {
        return Err(damaged(dir, "it was replaced while it was being opened"));
    }
    Ok(Opened { connection, id, files })
}

/// Only under the writers' lock.
fn open_or_create(options: &Options) -> Result<Opened, Error> {
    let dir = &options.dir;
    let marked = marker(dir).exists();
    let is_new = !marked
        && Witness::read(&lock_path(dir)).is_none()
        && FILES.iter().all(|name| !dir.join(name).exists())
        && aside::unfinished(dir).is_none();
    if is_new {
        let fresh = dir.join(FRESH);
        schema::build(&fresh, options.new_id, |_| Ok(()))?;
        move_into_place(options, &fresh)?;
    }
    let opened = open(options)?;
    if !marked {
        write_marker(options, opened.id)?;
    }
    Ok(opened)
}

fn move_into_place(options: &Options, fresh: &Path) -> Result<(), Error> {
    let path = options.dir.join(FILES[0]);
    fs::rename(fresh, &path)
        .and_then(|()| durable::sync_dir(&options.dir, options.durability))
        .map_err(Error::io(&path))
}

fn write_marker(options: &Options, id: LedgerId) -> Result<(), Error> {
    let path = marker(&options.dir);
    durable::write(&path, &format!("{id}\n"), options.durability).map_err(Error::io(&path))
}

/// Sets the damaged files aside and starts a fresh database with what could be saved. Only
/// under the writers' lock. When this fails half-way, there is no database until the next
/// opening takes it up again, and entries go to the spool.
pub(crate) fn replace(
    options: &Options,
    why: String,
    writer: &File,
    live: Option<&Connection>,
) -> Result<(Opened, SetAside), Error> {
    let dir = &options.dir;
    let resumed = aside::unfinished(dir).filter(|_| !dir.join(FILES[0]).exists());
    let mut note = match resumed {
        Some(note) => note,
        None => aside::begin(options, why)?,
    };
    let kept = dir.join(&note.kept_in);
    aside::take_files(options, &kept)?;
    let noted = plain::read_to_string(&marker(dir)).ok().and_then(|text| text.trim().parse().ok());
    let copy = salvage::Copy::make(&kept, &dir.join("salvage"))?;
    note.previous = noted.or_else(|| copy.ledger());
    let id = note.previous.unwrap_or(options.new_id);
    let fresh = dir.join(FRESH);
    let mut salvaged = 0;
    schema::build(&fresh, id, |connection| {
        salvaged = copy.carry_over(connection)?;
        if let Some(live) = live {
            salvaged += salvage::adopt(connection, id, live)?;
        }
        Ok(())
    })?;
    drop(copy);
    let known = Witness::read(&lock_path(dir)).map_or(0, |witness| witness.position);
    note.salvaged = salvaged;
    note.lost = known.saturating_sub(salvaged);
    move_into_place(options, &fresh)?;
    Witness::write(None, writer);
    write_marker(options, id)?;
    aside::finish(options, &note)?;
    let opened = open(options)?;
    Witness::write(Witness::newest(&opened.connection)?, writer);
    Ok((opened, note))
}
