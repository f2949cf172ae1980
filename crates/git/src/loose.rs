//! Objects of our own making, put into git's store without a process for each.
//!
//! What a seal is anchored by are three small objects. Starting git three times for them would
//! cost more than everything else that sealing does.

use std::fs;
use std::io::{self, Write as _};
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::thread;

use countersign_domain::id::ObjectId;
use data_encoding::HEXLOWER;
use flate2::Compression;
use flate2::write::ZlibEncoder;
use sha1::Sha1;
use sha2::{Digest as _, Sha256};

use crate::discover;
use crate::error::Error;
use crate::repository::Repository;

/// What an object is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Blob,
    Tree,
    Commit,
}

impl Kind {
    fn name(self) -> &'static str {
        match self {
            Self::Blob => "blob",
            Self::Tree => "tree",
            Self::Commit => "commit",
        }
    }
}

/// The name of an object whose content comes in pieces.
pub(crate) enum Naming {
    Sha1(Sha1),
    Sha256(Sha256),
}

impl Naming {
    /// For an object of `kind` with `size` bytes, whose name has `digits`.
    pub(crate) fn of(kind: &str, size: u64, digits: usize) -> Self {
        let mut naming = match digits {
            64 => Self::Sha256(Sha256::new()),
            _ => Self::Sha1(Sha1::new()),
        };
        naming.add(format!("{kind} {size}\0").as_bytes());
        naming
    }

    pub(crate) fn add(&mut self, piece: &[u8]) {
        match self {
            Self::Sha1(sum) => sum.update(piece),
            Self::Sha256(sum) => sum.update(piece),
        }
    }

    pub(crate) fn name(self) -> String {
        match self {
            Self::Sha1(sum) => HEXLOWER.encode(&sum.finalize()),
            Self::Sha256(sum) => HEXLOWER.encode(&sum.finalize()),
        }
    }
}

/// An object, with its name and as it is stored.
#[derive(Debug)]
pub(crate) struct Made {
    pub(crate) name: ObjectId,
    whole: Vec<u8>,
}

impl Made {
    /// The object of `kind` with this content, whose name has `digits`.
    pub(crate) fn new(kind: Kind, content: &[u8], digits: usize) -> Result<Self, Error> {
        let whole = [format!("{} {}\0", kind.name(), content.len()).as_bytes(), content].concat();
        let mut naming = Naming::of(kind.name(), content.len() as u64, digits);
        naming.add(content);
        let name = naming.name();
        let odd = |_| Error::io("name", Path::new(&name))(io::Error::other("no name of an object"));
        Ok(Self { name: name.parse().map_err(odd)?, whole })
    }
}

impl Made {
    /// The bytes of the file that it is stored in.
    pub(crate) fn stored(&self) -> io::Result<Vec<u8>> {
        let mut packed = ZlibEncoder::new(Vec::new(), Compression::fast());
        packed.write_all(&self.whole)?;
        packed.finish()
    }
}

impl Repository {
    /// Puts objects into the store. Each is whole or not there at all, and each waits for the disk
    /// and not for the others: they are few.
    pub(crate) fn put(&self, objects: &[Made]) -> Result<(), Error> {
        let put = |object: &Made| {
            let (folder, file) = object.name.as_str().split_at(2);
            let folder = self.layout().common_dir.join("objects").join(folder);
            let path = folder.join(file);
            if path.exists() {
                return Ok(());
            }
            place(&folder, &path, &object.whole).map_err(Error::io("write", &path))
        };
        thread::scope(|scope| {
            let waiting: Vec<_> =
                objects.iter().map(|object| (object, scope.spawn(move || put(object)))).collect();
            waiting
                .into_iter()
                .try_for_each(|(object, ended)| ended.join().unwrap_or_else(|_| put(object)))
        })
    }

    /// Whether git has to write objects itself: others are to write here too, and git knows by
    /// which rights. The setting may stand in any of git's files, but where it has worked, folders
    /// show it: others can write to them although ours can't be written to by others.
    pub(crate) fn is_shared(&self) -> Result<bool, Error> {
        let common = &self.layout().common_dir;
        let config = discover::read(&common.join("config"))?.unwrap_or_default();
        if discover::setting(&config, "core", "sharedrepository").is_some() {
            return Ok(true);
        }
        if !masks_group() {
            return Ok(false);
        }
        let objects = common.join("objects");
        let is_open = |path: &Path| {
            fs::metadata(path)
                .is_ok_and(|found| found.is_dir() && found.permissions().mode() & GROUP_WRITES != 0)
        };
        let mut inside = fs::read_dir(&objects).into_iter().flatten().flatten();
        Ok(is_open(&objects) || inside.any(|entry| is_open(&entry.path())))
    }
}

/// The bit that lets a group write.
const GROUP_WRITES: u32 = 0o020;

/// Whether folders that we make can't be written to by our group. Where the system doesn't tell,
/// that is the usual case.
fn masks_group() -> bool {
    mask().is_none_or(|mask| mask & GROUP_WRITES != 0)
}

/// Which permissions are taken from all that this process makes, where the system tells.
pub(crate) fn mask() -> Option<u32> {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("Umask:"));
    mask.and_then(|mask| u32::from_str_radix(mask.trim(), 8).ok())
}

fn place(folder: &Path, path: &Path, whole: &[u8]) -> io::Result<()> {
    fs::create_dir_all(folder)?;
    // As git leaves objects; the user's mask takes its part of it.
    let mode = fs::Permissions::from_mode(0o444);
    let draft =
        tempfile::Builder::new().prefix("tmp_obj_").permissions(mode).tempfile_in(folder)?;
    let mut packed = ZlibEncoder::new(draft, Compression::fast());
    packed.write_all(whole)?;
    let draft = packed.finish()?;
    // A name that outlives its object is worse than neither.
    draft.as_file().sync_data()?;
    draft.persist(path).map_err(|error| error.error)?;
    Ok(())
}
