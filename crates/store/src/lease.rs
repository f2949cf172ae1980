//! Leases: whoever performs effects for a run holds the lease on it.
//!
//! A lease is a lock of the operating system, not a time in a table: it can't expire under a
//! holder that was merely paused, no clock can end it early, and the death of its holder ends
//! it at once. What a paused holder does later is fenced by the expected sequence of appends.

use std::fs::{File, TryLockError};
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use crate::error::Error;
use crate::{lock, plain};

/// Where leases are, in the folder of the ledger.
const FOLDER: &str = "leases";
/// What a holder notes before its process id.
const NOTE: &str = "process ";

/// Held until dropped.
#[derive(Debug)]
pub struct Lease {
    file: File,
}

impl Lease {
    pub(crate) fn take(dir: &Path, name: &str) -> Result<Self, Error> {
        let path = path_of(dir, name);
        let dir = dir.join(FOLDER);
        std::fs::create_dir_all(&dir).map_err(Error::io(&dir))?;
        let mut file = lock::open(&path)?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::Error(source)) => return Err(Error::Io { path, source }),
            Err(TryLockError::WouldBlock) => {
                let mut holder = String::new();
                // Only told to a person: what can't be read is left out.
                let _ = file.read_to_string(&mut holder);
                return Err(Error::Leased { name: name.to_owned(), holder: holder.trim().into() });
            }
        }
        let note = format!("{NOTE}{}\n", std::process::id());
        // The note only helps a person find the holder: the lock is what counts.
        let _ = file
            .seek(SeekFrom::Start(0))
            .and_then(|_| file.write_all(note.as_bytes()))
            .and_then(|()| file.set_len(note.len() as u64));
        Ok(Self { file })
    }
}

impl Drop for Lease {
    fn drop(&mut self) {
        // Closing the file would do as well; this says so.
        let _ = self.file.unlock();
    }
}

fn path_of(dir: &Path, name: &str) -> PathBuf {
    dir.join(FOLDER).join(format!("{}.lock", file_name(name)))
}

/// The process that took the lease on `name` last, by its own note. Asking the lock itself would mean
/// to hold it for a moment, and who comes in that moment would be turned away.
pub(crate) fn last_holder(dir: &Path, name: &str) -> Option<i32> {
    let path = path_of(dir, name);
    if plain::is_odd(&path) {
        return None;
    }
    let mut note = String::new();
    File::open(path).ok()?.take(64).read_to_string(&mut note).ok()?;
    note.trim().strip_prefix(NOTE.trim_end())?.trim().parse().ok()
}

/// A file name for `name`, and for no other.
fn file_name(name: &str) -> String {
    name.bytes().fold(String::new(), |mut text, byte| {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'_' | b'-' | b'.' => text.push(byte.into()),
            _ => text.extend(['%', hex(byte >> 4), hex(byte & 15)]),
        }
        text
    })
}

fn hex(digit: u8) -> char {
    char::from_digit(u32::from(digit), 16).unwrap_or('0')
}
