//! Settings files that we change, and how they were before: written whole or not at all, through
//! links, with their permissions, and restored to the byte.

use std::collections::BTreeMap;
use std::fs::{self, File, Permissions};
use std::io::{ErrorKind, Write};
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};

use countersign_domain::Digest;
use serde::{Deserialize, Serialize};

use crate::error::{Error, Kind, Result};
use crate::host::{Home, name_for};

/// What we know of a file that we wrote.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct Record {
    /// Whether it was there before; its bytes are beside this record then.
    existed: bool,
    /// The digest of what we wrote.
    written: String,
    /// How many folders above it we made.
    folders: usize,
    /// The hooks whose trust we wrote into it, and their digests.
    #[serde(default)]
    trusted: BTreeMap<String, String>,
}

/// What a file was before us.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Before {
    /// We didn't write it, or not in a way that we remember.
    Unknown,
    Absent,
    Bytes(Vec<u8>),
}

impl Before {
    pub(super) fn bytes(&self) -> Option<&[u8]> {
        match self {
            Self::Bytes(bytes) => Some(bytes),
            Self::Unknown | Self::Absent => None,
        }
    }
}

/// A settings file as it is now.
#[derive(Debug, Clone)]
pub(super) struct Found {
    /// With all links followed.
    pub path: PathBuf,
    pub current: Option<Vec<u8>>,
    pub before: Before,
    /// Whether it is what we wrote.
    pub is_untouched: bool,
    pub trusted: BTreeMap<String, String>,
    folders: usize,
}

/// The folder that keeps what was before. While this lives, no other process changes settings.
#[derive(Debug)]
pub(super) struct Shelf {
    folder: PathBuf,
    _lock: File,
}

impl Shelf {
    pub(super) fn open(home: &Home) -> Result<Self> {
        let folder = home.hooks();
        let failed = |error: std::io::Error| Error::io("use", &folder, &error);
        fs::create_dir_all(&folder).map_err(failed)?;
        // Settings may hold tokens of others.
        fs::set_permissions(&folder, Permissions::from_mode(0o700)).map_err(failed)?;
        let mut options = fs::OpenOptions::new();
        let options = options.create(true).truncate(false).write(true);
        let lock = crate::regular::open_with(&folder.join("lock"), options).map_err(failed)?;
        lock.lock().map_err(failed)?;
        Ok(Self { folder, _lock: lock })
    }

    /// Reads a file and what is known of it.
    pub(super) fn look(&self, path: &Path) -> Result<Found> {
        let path = followed(path)?;
        let current = read(&path)?;
        let record = self.record(&path)?;
        let digest = current.as_ref().map(|bytes| Digest::of(bytes).to_string());
        let is_untouched =
            record.as_ref().is_some_and(|record| Some(&record.written) == digest.as_ref());
        let before = match &record {
            Some(record) if record.existed => {
                let at = self.original(&path);
                let bytes = read(&at)?;
                let missing = || Error::io("read", &at, &ErrorKind::NotFound.into());
                Before::Bytes(bytes.ok_or_else(missing)?)
            }
            Some(_) => Before::Absent,
            None => Before::Unknown,
        };
        let (trusted, folders) = record.map(|it| (it.trusted, it.folders)).unwrap_or_default();
        Ok(Found { path, current, before, is_untouched, trusted, folders })
    }

    /// Writes `new`, having kept `before`. What the file was when it was found is what it must
    /// still be.
    pub(super) fn write(&self, found: &Found, new: &[u8], before: Option<&[u8]>) -> Result<()> {
        if read(&found.path)? != found.current {
            let message = format!("{} changed while we worked on it", found.path.display());
            return Err(Error::new(Kind::Refused, message).hint("run this again"));
        }
        let parent = found.path.parent().unwrap_or(Path::new("/"));
        let missing = parent.ancestors().take_while(|folder| !folder.exists()).count();
        let record = Record {
            existed: before.is_some(),
            written: Digest::of(new).to_string(),
            folders: found.folders.max(missing),
            trusted: found.trusted.clone(),
        };
        if let Some(before) = before {
            replace(&self.original(&found.path), before, Some(0o600))?;
        }
        let record_path = self.record_path(&found.path);
        replace(&record_path, &serde_json::to_vec_pretty(&record)?, Some(0o600))?;
        fs::create_dir_all(parent).map_err(|error| Error::io("make", parent, &error))?;
        replace(&found.path, new, None)
    }

    /// Writes `bytes`, or removes the file and the folders that we made, and forgets it.
    pub(super) fn restore(&self, found: &Found, bytes: Option<&[u8]>) -> Result<()> {
        match bytes {
            Some(bytes) if found.current.as_deref() == Some(bytes) => {}
            Some(bytes) => replace(&found.path, bytes, None)?,
            None => {
                fs::remove_file(&found.path)
                    .map_err(|error| Error::io("remove", &found.path, &error))?;
                for folder in found.path.ancestors().skip(1).take(found.folders) {
                    // Somebody else's files keep their folder.
                    let _ = fs::remove_dir(folder);
                }
            }
        }
        self.forget(found);
        Ok(())
    }

    /// Forgets what was before; the file itself stays.
    pub(super) fn forget(&self, found: &Found) {
        // What stays behind is never taken for something that it isn't: it is known by digest.
        let _ = fs::remove_file(self.record_path(&found.path));
        let _ = fs::remove_file(self.original(&found.path));
    }

    fn record(&self, path: &Path) -> Result<Option<Record>> {
        let at = self.record_path(path);
        let Some(bytes) = read(&at)? else { return Ok(None) };
        serde_json::from_slice(&bytes).map(Some).map_err(|error| {
            let message = format!("{} can't be read: {error}", at.display());
            Error::new(Kind::Refused, message)
                .hint("remove it; then only entries of ours are taken out again")
        })
    }

    fn record_path(&self, path: &Path) -> PathBuf {
        self.folder.join(format!("{}.json", name_for(path)))
    }

    fn original(&self, path: &Path) -> PathBuf {
        self.folder.join(format!("{}.original", name_for(path)))
    }
}

/// Whether we have put hooks into `path` and not taken them out again. Changes nothing, and
/// waits for nobody.
pub(crate) fn has_ours(home: &Home, path: &Path) -> bool {
    let record = |path: PathBuf| home.hooks().join(format!("{}.json", name_for(&path)));
    followed(path).is_ok_and(|path| record(path).exists())
}

/// The file that `path` leads to, which need not be there yet.
fn followed(path: &Path) -> Result<PathBuf> {
    match path.canonicalize() {
        Ok(real) => Ok(real),
        Err(_) if path.symlink_metadata().is_ok_and(|meta| meta.is_symlink()) => {
            let message = format!("{} is a link to nothing", path.display());
            Err(Error::new(Kind::Refused, message).hint("make the file, or remove the link"))
        }
        // The deepest folder that is there may be reached through a link.
        Err(_) => {
            let there =
                path.ancestors().find_map(|above| Some((above, above.canonicalize().ok()?)));
            let Some((above, real)) = there else { return Ok(path.to_owned()) };
            Ok(path.strip_prefix(above).map_or_else(|_| path.to_owned(), |rest| real.join(rest)))
        }
    }
}

/// The bytes of a file, if it is there.
pub(super) fn read(path: &Path) -> Result<Option<Vec<u8>>> {
    match fs::metadata(path) {
        Ok(meta) if !meta.is_file() => {
            Err(Error::new(Kind::Refused, format!("{} is not a file", path.display())))
        }
        Ok(_) => fs::read(path).map(Some).map_err(|error| Error::io("read", path, &error)),
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {
            Ok(None)
        }
        Err(error) => Err(Error::io("read", path, &error)),
    }
}

/// Writes a file whole or not at all; with `mode`, or what it had, or what a new file gets.
fn replace(path: &Path, bytes: &[u8], mode: Option<u32>) -> Result<()> {
    let written = || -> std::io::Result<()> {
        let old = fs::metadata(path).ok();
        let mode = mode.or(old.as_ref().map(|old| old.mode() & 0o7777));
        let mut builder = tempfile::Builder::new();
        builder.prefix(".countersign-").permissions(Permissions::from_mode(mode.unwrap_or(0o666)));
        let mut file = builder.tempfile_in(path.parent().unwrap_or(Path::new("/")))?;
        file.write_all(bytes)?;
        if let Some(mode) = mode {
            file.as_file().set_permissions(Permissions::from_mode(mode))?;
        }
        if let Some(old) = old {
            let new = file.as_file().metadata()?;
            if (old.uid(), old.gid()) != (new.uid(), new.gid()) {
                std::os::unix::fs::fchown(file.as_file(), Some(old.uid()), Some(old.gid()))?;
            }
        }
        file.as_file().sync_all()?;
        file.persist(path)?;
        Ok(())
    };
    written().map_err(|error| {
        Error::io("write", path, &error).hint("nothing was changed in it; see its folder")
    })
}
