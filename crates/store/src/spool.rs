//! The spool: a file that entries are appended to when the database is not wanted (the fast
//! path) or not to be had. One line an entry, each chained to the one before it:
//!
//! `{"stream":…,"expected":…,"draft":{…}} <SHA-256 of the previous line's hash and this JSON>`
//!
//! A line without its newline was never acknowledged. Whoever drains the spool moves the file
//! away first; a writer that waited for it notices and starts a new one.

use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::{FileExt, MetadataExt};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use countersign_domain::Digest;
use countersign_domain::ledger::{Draft, Stream};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::error::{Error, Unavailable};
use crate::{Durability, Options, drain, durable, lock, plain};

/// The name of the shared file.
pub(crate) const SHARED: &str = "entries.jsonl";
/// A writer that can't get the shared file in this time writes a file of its own.
const PATIENCE: Duration = Duration::from_millis(200);
/// How often a waiting writer looks whether the file was moved away.
const SLICE: Duration = Duration::from_millis(10);
/// Hexadecimal digits of the hash, and the newline.
const TAIL: u64 = 65;

/// An entry on its way to the ledger.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Entry {
    pub stream: Stream,
    /// Where the stream must end for the entry to count; `None` for anywhere.
    pub expected: Option<u64>,
    pub draft: Draft,
}

/// The spool of one ledger: a folder beside it, and a second one elsewhere for when the first
/// can't be written.
#[derive(Debug, Clone)]
pub struct Spool {
    pub(crate) dirs: [PathBuf; 2],
    durability: Durability,
}

impl Spool {
    pub fn new(options: &Options) -> Self {
        Self {
            dirs: [options.dir.join("spool"), options.fallback.join("spool")],
            durability: options.durability,
        }
    }

    /// Acknowledges `entries`: they survive as the durability promises, and the next opening
    /// of the ledger takes them in.
    pub fn write(&self, entries: &[Entry]) -> Result<(), Error> {
        let first = self.write_in(&self.dirs[0], entries);
        let Err(first) = first else { return Ok(()) };
        // Full, read-only or gone: the second place may be on another disk.
        let second = self.write_in(&self.dirs[1], entries);
        second.map_err(|second| Error::Unavailable {
            dir: self.dirs[0].clone(),
            why: first.unavailable().unwrap_or(Unavailable::Disk),
            detail: format!("no place for the spool: {first}; {second}"),
        })
    }

    /// Whether nothing waits to be taken in. What can't be looked at may hold something.
    pub fn is_empty(&self) -> bool {
        self.dirs.iter().all(|dir| drain::waiting(dir).is_ok_and(|files| files.is_empty()))
    }

    fn write_in(&self, dir: &Path, entries: &[Entry]) -> Result<(), Error> {
        let shared = dir.join(SHARED);
        let file = match open(&shared) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                durable::create_dir_all(dir, self.durability).map_err(Error::io(dir))?;
                open(&shared)
            }
            opened => opened,
        };
        let file = file.map_err(Error::io(&shared))?;
        match lock_current(&shared, file) {
            Ok(file) => self.append(dir, &file, entries).map_err(Error::io(&shared)),
            // Someone holds the lock for long (it may be stopped): nobody waits for it.
            Err(error) if error.kind() == io::ErrorKind::TimedOut => {
                let own = dir.join(format!("entries-{}.jsonl", Uuid::now_v7()));
                let file = open(&own).map_err(Error::io(&own))?;
                self.append(dir, &file, entries).map_err(Error::io(&own))
            }
            Err(error) => Err(Error::io(&shared)(error)),
        }
    }

    fn append(&self, dir: &Path, file: &File, entries: &[Entry]) -> io::Result<()> {
        let length = file.metadata()?.len();
        let mut lines = Vec::with_capacity(1024);
        let mut previous = match last_hash(file, length)? {
            Ok(hash) => hash,
            Err(Torn) => {
                // The line before was cut short: end it, and begin a new chain.
                lines.push(b'\n');
                String::new()
            }
        };
        for entry in entries {
            let json = serde_json::to_string(entry)?;
            previous = chain(&previous, &json);
            lines.extend_from_slice(json.as_bytes());
            lines.push(b' ');
            lines.extend_from_slice(previous.as_bytes());
            lines.push(b'\n');
        }
        if length == 0 {
            // The file must be found again after a loss of power. This comes first: whoever
            // finds the file with something in it relies on its name being safe.
            durable::sync_dir(dir, self.durability)?;
        }
        let mut writer = file;
        if let Err(error) = writer.write_all(&lines) {
            // Leave no half a line behind (a full disk), so that nothing looks damaged.
            let _ = file.set_len(length);
            return Err(error);
        }
        if self.durability == Durability::PowerLoss {
            file.sync_data()?;
        }
        Ok(())
    }
}

fn open(path: &Path) -> io::Result<File> {
    // What goes into a pipe or a device is not kept, whatever it says.
    plain::open_with(path, OpenOptions::new().create(true).append(true).read(true))
}

/// Locks the file that is at `path` now; `file` may have been moved away by who drains.
fn lock_current(path: &Path, mut file: File) -> io::Result<File> {
    let start = Instant::now();
    loop {
        let locked = lock::acquire(&file, SLICE);
        let held = file.metadata()?;
        let is_current = std::fs::metadata(path)
            .is_ok_and(|now| now.ino() == held.ino() && now.dev() == held.dev());
        match locked {
            Ok(()) if is_current => return Ok(file),
            Err(error) if error.kind() != io::ErrorKind::TimedOut => return Err(error),
            Err(error) if start.elapsed() >= PATIENCE => return Err(error),
            _ if is_current => {}
            _ => file = open(path)?,
        }
    }
}

/// A last line that has no end.
struct Torn;

/// The hash at the end of the file: empty for an empty file.
fn last_hash(file: &File, length: u64) -> io::Result<Result<String, Torn>> {
    if length == 0 {
        return Ok(Ok(String::new()));
    }
    let Some(start) = length.checked_sub(TAIL) else {
        return Ok(Err(Torn));
    };
    let mut tail = [0; 65];
    file.read_exact_at(&mut tail, start)?;
    let (hash, newline) = tail.split_at(64);
    match std::str::from_utf8(hash) {
        Ok(hash) if newline == b"\n" && hash.parse::<Digest>().is_ok() => Ok(Ok(hash.to_owned())),
        _ => Ok(Err(Torn)),
    }
}

/// The hash of a line after one with hash `previous`.
pub(crate) fn chain(previous: &str, json: &str) -> String {
    Digest::of(format!("{previous}{json}").as_bytes()).to_string()
}
