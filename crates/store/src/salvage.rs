//! Reading what can still be read of a damaged database.
//!
//! Never writes to the files that were set aside: opening a database may change it, so a copy
//! is read, and repaired as far as that helps reading.

use std::fs::{self, File};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

use countersign_domain::ledger::{Draft, Event, LedgerId};
use rusqlite::{Connection, ErrorCode, OpenFlags};

use crate::error::{Error, Unavailable};
use crate::recover::FILES;
use crate::spool::Entry;
use crate::{append, drain, plain, read, schema};

/// No position is beyond this; where looking past unreadable pages ends.
const FAR: u64 = 1 << 40;

/// A copy of the files that were set aside; goes away with this.
#[derive(Debug)]
pub(crate) struct Copy {
    dir: PathBuf,
    connection: Option<Connection>,
}

impl Drop for Copy {
    fn drop(&mut self) {
        self.connection = None;
        let _ = fs::remove_dir_all(&self.dir);
    }
}

impl Copy {
    /// Copies `kept` to `dir`. Fails only if that can't be done (the disk may be full), never
    /// because of what the files hold.
    pub(crate) fn make(kept: &Path, dir: &Path) -> Result<Self, Error> {
        let _ = fs::remove_dir_all(dir);
        fs::create_dir(dir).map_err(Error::io(dir))?;
        let mut copy = Self { dir: dir.to_owned(), connection: None };
        for name in &FILES[..2] {
            let from = kept.join(name);
            if from.exists() && !plain::is_odd(&from) {
                fs::copy(&from, dir.join(name)).map_err(Error::io(&from))?;
            }
        }
        let path = dir.join(FILES[0]);
        let Ok(length) = fs::metadata(&path).map(|meta| meta.len()) else { return Ok(copy) };
        let file = File::options().write(true).open(&path).map_err(Error::io(&path))?;
        if length == 0 {
            // The log may hold what an emptied database has lost, but is ignored beside one.
            file.set_len(4096).map_err(Error::io(&path))?;
        }
        copy.connection = open(&path)?;
        if copy.connection.is_none() {
            let first = schema::first_page(&dir.join("model.db"), length / 4096)?;
            file.write_all_at(&first, 0).map_err(Error::io(&path))?;
            copy.connection = open(&path)?;
        }
        Ok(copy)
    }

    /// The ledger it was.
    pub(crate) fn ledger(&self) -> Option<LedgerId> {
        schema::identify(self.connection.as_ref()?).ok().flatten()
    }

    /// Carries over every event whose envelope can be read and matches its hash, and every
    /// seal. A damaged body comes along as it is: verification names it.
    pub(crate) fn carry_over(&self, fresh: &Connection) -> Result<u64, Error> {
        let Some(old) = &self.connection else { return Ok(0) };
        let mut carried = 0;
        let mut failed = None;
        let mut after = 0;
        let mut step = 1;
        loop {
            let start = after;
            let reading = read::scan(old, after, |placed| {
                after = placed.position;
                let event = &placed.event;
                if event.computed_hash() == event.hash {
                    match append::insert_at(fresh, Some(placed.position), event) {
                        Ok(()) => carried += 1,
                        Err(error) if is_taken(&error) => {}
                        Err(error) => {
                            failed = Some(error);
                            return Err(Error::Unreadable("stopped".into()));
                        }
                    }
                }
                Ok(())
            });
            if let Some(error) = failed {
                return Err(error);
            }
            match reading {
                Ok(()) => break,
                Err(_) if after > FAR => break,
                Err(error) if !is_in_the_files(&error) => return Err(error),
                Err(_) => {}
            }
            // Look for what can be read behind the unreadable place, further each time.
            step = if after > start { 1 } else { step * 2 };
            after += step;
        }
        carry_seals(old, fresh)?;
        Ok(carried)
    }
}

/// A connection that can read events, with SQLite's own checks relaxed as far as they go.
/// `None` if the files don't allow it.
fn open(path: &Path) -> Result<Option<Connection>, Error> {
    let connect = || {
        let connection = Connection::open_with_flags(path, OpenFlags::SQLITE_OPEN_READ_WRITE)?;
        // Lets a database be read that is shorter than it says.
        connection.pragma_update(None, "writable_schema", "ON")?;
        connection.prepare("SELECT hash FROM events WHERE position > 0")?.exists([])?;
        Ok(connection)
    };
    match connect() {
        Ok(connection) => Ok(Some(connection)),
        Err(error) if is_in_the_files(&error) => Ok(None),
        Err(error) => Err(error),
    }
}

/// Whether `error` comes from what the files hold, and not from the disk being full or such.
fn is_in_the_files(error: &Error) -> bool {
    matches!(error.unavailable(), None | Some(Unavailable::Corrupt | Unavailable::Disk))
}

fn carry_seals(old: &Connection, fresh: &Connection) -> Result<(), Error> {
    let Ok(mut all) = old.prepare("SELECT number, seal FROM seals ORDER BY number") else {
        return Ok(());
    };
    let Ok(mut rows) = all.query([]) else { return Ok(()) };
    while let Ok(Some(row)) = rows.next() {
        if let (Ok(number), Ok(seal)) = (row.get::<_, i64>(0), row.get::<_, String>(1)) {
            match fresh.execute("INSERT INTO seals VALUES (?1, ?2)", (number, seal)) {
                Err(error) if !is_constraint(&error) => return Err(error.into()),
                _ => {}
            }
        }
    }
    Ok(())
}

fn is_taken(error: &Error) -> bool {
    matches!(error, Error::Database(error) if is_constraint(error))
}

fn is_constraint(error: &rusqlite::Error) -> bool {
    error.sqlite_error_code() == Some(ErrorCode::ConstraintViolation)
}

/// Takes over the events of `live`, a connection whose files were removed or renamed under it,
/// that `connection` doesn't have: in their place where it is free, else as conflicts.
pub(crate) fn adopt(
    connection: &Connection,
    ledger: LedgerId,
    live: &Connection,
) -> Result<u64, Error> {
    let mut adopted = 0;
    let mut failed = None;
    // What the old connection can't read any more is lost to us.
    let _ = read::scan(live, 0, |placed| {
        match adopt_event(connection, ledger, &placed.event) {
            Ok(new) => adopted += u64::from(new),
            Err(error) => {
                failed = Some(error);
                return Err(Error::Unreadable("stopped".into()));
            }
        }
        Ok(())
    });
    failed.map_or(Ok(adopted), Err)
}

fn adopt_event(connection: &Connection, ledger: LedgerId, event: &Event) -> Result<bool, Error> {
    if drain::is_known(connection, event.id)? {
        return Ok(false);
    }
    let head = append::head_of(connection, &event.stream)?;
    let at = head.map_or(0, |head| head.sequence);
    let previous = head.map_or_else(|| ledger.root_of(&event.stream), |head| head.hash);
    if event.sequence == at + 1 && event.previous == previous {
        append::insert(connection, event)?;
        return Ok(true);
    }
    let Event { id, stream, sequence, time, actor, kind, format, body, .. } = event.clone();
    let (Some(body), Ok(time)) = (body, time.parse()) else { return Ok(false) };
    let draft = Draft { id, time, actor, kind, format, body };
    let entry = Entry { stream, expected: Some(sequence.saturating_sub(1)), draft };
    drain::place(connection, ledger, drain::conflict(entry))
}
