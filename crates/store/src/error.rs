//! What can go wrong with the store.

use std::path::{Path, PathBuf};

use countersign_domain::ledger::Stream;
use rusqlite::{ErrorCode, ffi};

/// Why the database can't take an entry right now.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Unavailable {
    #[error("other programs kept it busy for too long")]
    Busy,
    #[error("it can't be written (read-only or no permission)")]
    ReadOnly,
    #[error("the disk is full")]
    Full,
    #[error("it is damaged")]
    Corrupt,
    #[error("the disk reported an error")]
    Disk,
}

/// An error of the store.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// Someone else appended first: read again and decide again.
    #[error("stream {stream} is at {found}, not at {expected}")]
    Conflict { stream: Stream, expected: u64, found: u64 },
    #[error("the ledger in {} is not available: {why} ({detail})", dir.display())]
    Unavailable { dir: PathBuf, why: Unavailable, detail: String },
    #[error("the ledger was written by a newer version (format {found}; this one knows {known})")]
    Newer { found: i64, known: i64 },
    /// Another process performs this.
    #[error("{name} is being driven by another process ({holder})")]
    Leased { name: String, holder: String },
    #[error("no blob {0}")]
    NoBlob(countersign_domain::Digest),
    #[error("{}: {source}", path.display())]
    Io { path: PathBuf, source: std::io::Error },
    #[error("the ledger holds something that can't be read: {0}")]
    Unreadable(String),
    #[error("the database: {0}")]
    Database(rusqlite::Error),
}

impl Error {
    pub(crate) fn io(path: &Path) -> impl FnOnce(std::io::Error) -> Self {
        move |source| Self::Io { path: path.to_owned(), source }
    }

    /// Whether (and why) this says that the database can't take an entry.
    pub fn unavailable(&self) -> Option<Unavailable> {
        match self {
            Self::Unavailable { why, .. } => Some(*why),
            Self::Database(error) => classify(error),
            Self::Io { source, .. } => classify_io(source),
            _ => None,
        }
    }

    /// The same in our own words: nobody is told that the database is locked.
    pub(crate) fn in_words(self, dir: &Path) -> Self {
        match (&self, self.unavailable()) {
            (Self::Database(_), Some(why @ Unavailable::Busy)) => {
                let detail = "another program keeps the database to itself".to_owned();
                Self::Unavailable { dir: dir.to_owned(), why, detail }
            }
            _ => self,
        }
    }

    /// What is wrong, without where.
    pub(crate) fn reason(&self) -> String {
        match self {
            Self::Unavailable { detail, .. } => detail.clone(),
            error => error.to_string(),
        }
    }

    /// Whether the database is damaged.
    pub(crate) fn is_damage(&self) -> bool {
        self.unavailable() == Some(Unavailable::Corrupt)
    }
}

impl From<rusqlite::Error> for Error {
    fn from(error: rusqlite::Error) -> Self {
        Self::Database(error)
    }
}

fn classify(error: &rusqlite::Error) -> Option<Unavailable> {
    use rusqlite::Error as E;
    match error {
        // Our tables hold nothing that we can't read, and are never missing.
        E::FromSqlConversionFailure(..)
        | E::IntegralValueOutOfRange(..)
        | E::InvalidColumnType(..)
        | E::Utf8Error(..) => return Some(Unavailable::Corrupt),
        E::SqliteFailure(code, text) if is_missing(*code, text.as_deref()) => {
            return Some(Unavailable::Corrupt);
        }
        E::SqlInputError { error, msg, .. } if is_missing(*error, Some(msg)) => {
            return Some(Unavailable::Corrupt);
        }
        E::SqliteFailure(code, _) if code.extended_code == ffi::SQLITE_IOERR_SHORT_READ => {
            return Some(Unavailable::Corrupt);
        }
        _ => {}
    }
    Some(match error.sqlite_error_code()? {
        ErrorCode::DatabaseBusy
        | ErrorCode::DatabaseLocked
        | ErrorCode::FileLockingProtocolFailed => Unavailable::Busy,
        ErrorCode::ReadOnly | ErrorCode::PermissionDenied | ErrorCode::CannotOpen => {
            Unavailable::ReadOnly
        }
        ErrorCode::DiskFull => Unavailable::Full,
        ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase => Unavailable::Corrupt,
        ErrorCode::SystemIoFailure => Unavailable::Disk,
        _ => return None,
    })
}

fn is_missing(code: ffi::Error, text: Option<&str>) -> bool {
    code.extended_code == ffi::SQLITE_ERROR && text.is_some_and(|text| text.starts_with("no such "))
}

fn classify_io(error: &std::io::Error) -> Option<Unavailable> {
    use std::io::ErrorKind;
    Some(match error.kind() {
        ErrorKind::StorageFull | ErrorKind::QuotaExceeded => Unavailable::Full,
        ErrorKind::ReadOnlyFilesystem | ErrorKind::PermissionDenied => Unavailable::ReadOnly,
        ErrorKind::WouldBlock | ErrorKind::TimedOut => Unavailable::Busy,
        _ => return None,
    })
}
