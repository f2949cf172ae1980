//! Blobs: bytes named by their SHA-256, compressed, one file each.

use std::fs::{self, File, TryLockError};
use std::io::{self, Read, Write};
use std::path::PathBuf;

use countersign_domain::Digest;
use sha2::{Digest as _, Sha256};
use uuid::Uuid;

use crate::error::Error;
use crate::{Durability, Options, durable, plain};

/// Fast, and good enough for logs.
const LEVEL: i32 = 3;
const UNFINISHED: &str = "unfinished-";

/// The blobs of one ledger.
#[derive(Debug, Clone)]
pub struct Blobs {
    dir: PathBuf,
    durability: Durability,
}

impl Blobs {
    /// The blobs of the ledger that `options` describe; needs no database.
    pub fn new(options: &Options) -> Self {
        Self { dir: options.dir.join("blobs"), durability: options.durability }
    }

    fn path(&self, digest: &Digest) -> PathBuf {
        let name = digest.to_string();
        self.dir.join(&name[..2]).join(format!("{name}.zst"))
    }

    /// Starts a blob of unknown length. Nothing of it is kept unless it is finished.
    pub fn writer(&self) -> Result<BlobWriter, Error> {
        durable::create_dir_all(&self.dir, self.durability).map_err(Error::io(&self.dir))?;
        let (path, file) = loop {
            let path = self.dir.join(format!("{UNFINISHED}{}", Uuid::now_v7()));
            let file = File::create_new(&path).map_err(Error::io(&path))?;
            // The lock says that someone is at it; it ends with us, however we end. A sweep that
            // came before the lock takes the file for a left one: then once more.
            match file.try_lock() {
                Ok(()) if path.exists() => break (path, file),
                Ok(()) | Err(TryLockError::WouldBlock) => {}
                Err(TryLockError::Error(error)) => return Err(Error::io(&path)(error)),
            }
        };
        let unfinished = Unfinished(path);
        let encoder = zstd::Encoder::new(file, LEVEL).map_err(Error::io(&unfinished.0))?;
        Ok(BlobWriter { encoder, unfinished, hasher: Sha256::new(), bytes: 0, blobs: self.clone() })
    }

    /// Keeps `bytes` and returns their name.
    pub fn put(&self, bytes: &[u8]) -> Result<Digest, Error> {
        let mut writer = self.writer()?;
        // Who knows the length needs no tables for the longest.
        let len = u64::try_from(bytes.len()).ok();
        writer.encoder.set_pledged_src_size(len).map_err(Error::io(&self.dir))?;
        writer.write_all(bytes).map_err(Error::io(&self.dir))?;
        Ok(writer.finish()?.0)
    }

    /// Reads a blob from its beginning.
    pub fn open(&self, digest: &Digest) -> Result<impl Read + use<>, Error> {
        let path = self.path(digest);
        let file = match plain::open(&path) {
            Ok(file) => file,
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                return Err(Error::NoBlob(*digest));
            }
            Err(error) => return Err(Error::io(&path)(error)),
        };
        zstd::Decoder::new(file).map_err(Error::io(&path))
    }

    /// The whole of a blob.
    pub fn read(&self, digest: &Digest) -> Result<Vec<u8>, Error> {
        let mut bytes = Vec::new();
        self.open(digest)?.read_to_end(&mut bytes).map_err(Error::io(&self.path(digest)))?;
        Ok(bytes)
    }

    /// Whether the blob is there and its bytes are the ones its name promises.
    pub fn check(&self, digest: &Digest) -> Result<bool, Error> {
        let mut reader = self.open(digest)?;
        let mut hasher = Sha256::new();
        let mut buffer = vec![0; 64 * 1024];
        loop {
            match reader.read(&mut buffer) {
                Ok(0) => return Ok(hasher.finalize()[..] == digest.as_bytes()[..]),
                Ok(n) => hasher.update(&buffer[..n]),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                // What can't be decompressed is not what was written.
                Err(_) => return Ok(false),
            }
        }
    }

    /// Removes what writers left behind that were killed. Returns how many there were.
    pub fn sweep(&self) -> Result<u64, Error> {
        let Ok(files) = fs::read_dir(&self.dir) else { return Ok(0) };
        let mut swept = 0;
        for path in files.filter_map(|entry| Some(entry.ok()?.path())) {
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            let is_left = name.starts_with(UNFINISHED)
                && plain::open(&path).is_ok_and(|file| file.try_lock().is_ok());
            if is_left && fs::remove_file(&path).is_ok() {
                swept += 1;
            }
        }
        Ok(swept)
    }

    /// Removes a blob that nothing refers to any more.
    pub fn remove(&self, digest: &Digest) -> Result<(), Error> {
        let path = self.path(digest);
        match fs::remove_file(&path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(Error::io(&path)(error)),
            _ => Ok(()),
        }
    }
}

/// A file that goes away unless it is finished.
#[derive(Debug)]
struct Unfinished(PathBuf);

impl Drop for Unfinished {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.0);
    }
}

/// A blob being written.
pub struct BlobWriter {
    encoder: zstd::Encoder<'static, File>,
    unfinished: Unfinished,
    hasher: Sha256,
    bytes: u64,
    blobs: Blobs,
}

impl std::fmt::Debug for BlobWriter {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("BlobWriter").field("bytes", &self.bytes).finish_non_exhaustive()
    }
}

impl Write for BlobWriter {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.encoder.write(bytes)?;
        self.hasher.update(&bytes[..written]);
        self.bytes += written as u64;
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.encoder.flush()
    }
}

impl BlobWriter {
    /// Makes the blob durable under its name; returns the name and the length.
    pub fn finish(self) -> Result<(Digest, u64), Error> {
        let Self { encoder, unfinished, hasher, bytes, blobs } = self;
        let file = encoder.finish().map_err(Error::io(&unfinished.0))?;
        let digest = Digest::from_bytes(hasher.finalize().into());
        let path = blobs.path(&digest);
        let parent = path.parent().unwrap_or(&blobs.dir);
        durable::create_dir_all(parent, blobs.durability).map_err(Error::io(parent))?;
        if blobs.durability == Durability::PowerLoss {
            file.sync_all().map_err(Error::io(&unfinished.0))?;
        }
        // Also if it is there: what is there may be damaged or not on the disk yet.
        fs::rename(&unfinished.0, &path).map_err(Error::io(&path))?;
        durable::sync_dir(parent, blobs.durability).map_err(Error::io(parent))?;
        Ok((digest, bytes))
    }
}
