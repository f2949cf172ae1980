//! Advisory file locks of the operating system: released when their holder dies, never
//! removed from the disk (removing a lock file that someone holds would split the lock).

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use crate::error::Error;
use crate::plain;

/// Opens (or creates) the lock file at `path`.
pub(crate) fn open(path: &Path) -> Result<File, Error> {
    let mut options = OpenOptions::new();
    options.create(true).truncate(false).read(true).write(true);
    plain::open_with(path, &mut options).map_err(Error::io(path))
}

/// Locks `file`, waiting at most `patience`. Polls, since a blocking lock can't be given up,
/// and a stopped holder would block us for ever.
pub(crate) fn acquire(file: &File, patience: Duration) -> std::io::Result<()> {
    let start = Instant::now();
    let mut pause = Duration::from_micros(100);
    loop {
        match file.try_lock() {
            Ok(()) => return Ok(()),
            Err(TryLockError::Error(error)) => return Err(error),
            Err(TryLockError::WouldBlock) if start.elapsed() >= patience => {
                return Err(std::io::ErrorKind::TimedOut.into());
            }
            Err(TryLockError::WouldBlock) => {
                std::thread::sleep(pause);
                pause = (pause * 2).min(Duration::from_millis(4));
            }
        }
    }
}

/// Gives out ids that are unique among all processes of the machine: a lock around a file
/// that holds the newest one.
#[derive(Debug)]
pub struct StampLock {
    file: File,
    path: PathBuf,
}

impl StampLock {
    /// Waits for its turn at the file `path`.
    pub fn acquire(path: &Path, patience: Duration) -> Result<Self, Error> {
        if let Some(parent) = path.parent() {
            std::fs::create_dir_all(parent).map_err(Error::io(parent))?;
        }
        let file = open(path)?;
        acquire(&file, patience).map_err(Error::io(path))?;
        Ok(Self { file, path: path.to_owned() })
    }

    /// The text written last, if any.
    pub fn read(&mut self) -> Result<String, Error> {
        let mut text = String::new();
        let read = self.file.seek(SeekFrom::Start(0)).and_then(|_| {
            // A damaged file must not stop anyone: what isn't text is no id.
            let mut bytes = Vec::new();
            self.file.read_to_end(&mut bytes)?;
            text = String::from_utf8_lossy(&bytes).trim().to_owned();
            Ok(())
        });
        read.map_err(Error::io(&self.path)).map(|()| text)
    }

    /// Replaces the text; the lock ends when `self` is dropped.
    pub fn write(&mut self, text: &str) -> Result<(), Error> {
        let write = self
            .file
            .seek(SeekFrom::Start(0))
            .and_then(|_| self.file.write_all(text.as_bytes()))
            .and_then(|()| self.file.set_len(text.len() as u64));
        write.map_err(Error::io(&self.path))
    }
}
