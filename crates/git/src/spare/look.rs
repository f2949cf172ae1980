//! Looks at single files and folders of a checkout: whether each is as a fresh one would have it.

use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::{self, Read as _};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use rustix::fs::{
    AtFlags, FileType, Mode, OFlags, Stat as System, Timespec, Timestamps, UTIME_NOW, flistxattr,
    fstat, futimens, openat, readlinkat, statat, utimensat,
};
use rustix::io::Errno;

use crate::error::Error;
use crate::loose::Naming;
use crate::spare::due::{Due, Dues};
use crate::tree::stat::{Moment, Stat};

/// What systems themselves put on files.
pub(crate) const SYSTEM_ATTRIBUTES: &[&[u8]] = &[b"security.", b"com.apple.", b"system.nfs4_acl"];

const NOW: Timestamps = Timestamps {
    last_access: Timespec { tv_sec: 0, tv_nsec: UTIME_NOW },
    last_modification: Timespec { tv_sec: 0, tv_nsec: UTIME_NOW },
};

pub(crate) const LINK: u32 = 0o120_000;
pub(crate) const FILE: u32 = 0o100_644;
pub(crate) const EXECUTABLE: u32 = 0o100_755;
pub(crate) const GITLINK: u32 = 0o160_000;

/// Which time something is given that is as it should be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Time {
    /// That of a fresh checkout.
    Now,
    /// Its own, if it is the one that was handed over last.
    Stays,
}

/// What the system says of what is as it should be, and whether it was read.
pub(crate) type Looked = (System, bool);

/// A name in a folder that is open.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Place<'p> {
    pub(crate) folder: BorrowedFd<'p>,
    pub(crate) name: &'p [u8],
}

impl Place<'_> {
    fn name(&self) -> &OsStr {
        OsStr::from_bytes(self.name)
    }

    fn stat(&self) -> Option<System> {
        statat(self.folder, self.name(), AtFlags::SYMLINK_NOFOLLOW).ok()
    }

    fn open(&self) -> io::Result<File> {
        let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
        Ok(File::from(openat(self.folder, self.name(), flags, Mode::empty())?))
    }
}

/// What it takes to tell.
#[derive(Debug)]
pub(crate) struct Look {
    usual: Usual,
    /// When it was last handed over.
    pub(crate) moment: Moment,
    /// Whether a file is read even where all of its times are as they were left.
    pub(crate) reads_all: bool,
    pub(crate) times: Time,
}

/// Who owns what is made here, and with which permissions.
#[derive(Debug, Clone, Copy)]
struct Usual {
    owner: (u32, u32),
    file: u32,
    folder: u32,
}

impl Look {
    /// At a checkout whose private repository, `git_dir`, was made just now: nobody has set anything there.
    pub(crate) fn new(git_dir: &Path) -> Result<Self, Error> {
        let head: PathBuf = git_dir.join("HEAD");
        let file = fs::symlink_metadata(&head).map_err(Error::io("open", &head))?;
        let folder = fs::symlink_metadata(git_dir).map_err(Error::io("open", git_dir))?;
        let usual = Usual {
            owner: (file.uid(), file.gid()),
            file: file.mode() & 0o7777,
            folder: folder.mode() & 0o7777,
        };
        Ok(Self { usual, moment: Moment::default(), reads_all: false, times: Time::Now })
    }

    /// What the system says of it, if it is as it should be.
    pub(crate) fn at(
        &self,
        place: Place<'_>,
        (dues, number, kind): (&Dues, usize, FileType),
        buffer: &mut [u8],
    ) -> Option<Looked> {
        self.with(was_left(place, dues.get(number)), place, (dues, number, kind), buffer)
    }

    /// The same for one of which is known whether it has all of its times.
    fn with(
        &self,
        was: Option<System>,
        place: Place<'_>,
        (dues, number, kind): (&Dues, usize, FileType),
        buffer: &mut [u8],
    ) -> Option<Looked> {
        let due = dues.get(number);
        // One that was written so shortly before the handover that the clock may not have ticked is looked at
        // as if nothing were known.
        let is_told = |now: &System| !Stat::of(now).narrow().changed.ticks_with(self.moment);
        if let Some(found) = was.filter(is_told) {
            if self.reads_all && !has_content(place, (dues, number), (&found, buffer)) {
                return None;
            }
            let found = if self.times == Time::Stays { Some(found) } else { touched(place) };
            return found.map(|found| (found, self.reads_all));
        }
        let time = if was.is_some() { self.times } else { Time::Now };
        let object = || dues.object(due);
        let found = match (due.mode, kind) {
            (LINK, FileType::Symlink) => self.link(place, &object(), time),
            (GITLINK | LINK, _) => None,
            (mode, FileType::RegularFile) => {
                self.file(place, (mode, &object(), time), buffer).ok().flatten()
            }
            _ => None,
        };
        found.map(|found| (found, true))
    }

    /// Whether it is the very file that was handed over. What was written so shortly before that the
    /// clock may not have ticked is read.
    pub(crate) fn is_left(
        &self,
        place: Place<'_>,
        (dues, number): (&Dues, usize),
        buffer: &mut [u8],
    ) -> bool {
        was_left(place, dues.get(number)).is_some_and(|found| {
            let kind = FileType::from_raw_mode(found.st_mode);
            self.with(Some(found), place, (dues, number, kind), buffer).is_some()
        })
    }

    /// What the system says of a file that is as it should be.
    fn file(
        &self,
        place: Place<'_>,
        (mode, object, time): (u32, &str, Time),
        buffer: &mut [u8],
    ) -> io::Result<Option<System>> {
        let mut file = place.open()?;
        let found = fstat(&file)?;
        let mode = if mode == EXECUTABLE { self.usual.folder & 0o777 } else { self.usual.file };
        let is_usual = found.st_nlink == 1 && self.is_mine(&found) && permissions(&found) == mode;
        if !is_usual || has_attributes(&file) {
            return Ok(None);
        }
        if !holds(&mut file, (&found, object), buffer)? {
            return Ok(None);
        }
        if time == Time::Now {
            futimens(&file, &NOW)?;
        }
        Ok(Some(fstat(&file)?))
    }

    fn link(&self, place: Place<'_>, object: &str, time: Time) -> Option<System> {
        if !leads(place, object) {
            return None;
        }
        let found = if time == Time::Now { touched(place)? } else { place.stat()? };
        (found.st_nlink == 1 && self.is_mine(&found)).then_some(found)
    }

    /// Whether a folder is as a fresh one would be; it gets the time of one, or keeps its own.
    pub(crate) fn is_usual(&self, folder: impl AsFd, time: Time) -> bool {
        let is_usual = fstat(&folder)
            .is_ok_and(|found| self.is_mine(&found) && permissions(&found) == self.usual.folder);
        is_usual
            && !has_attributes(&folder)
            && (time == Time::Stays || futimens(&folder, &NOW).is_ok())
    }

    fn is_mine(&self, found: &System) -> bool {
        (found.st_uid, found.st_gid) == self.usual.owner
    }
}

/// Whether something has all of its times as they were left, and the content that the name of its object
/// says.
pub(crate) fn is_proven(
    place: Place<'_>,
    (dues, number): (&Dues, usize),
    buffer: &mut [u8],
) -> bool {
    was_left(place, dues.get(number))
        .is_some_and(|found| has_content(place, (dues, number), (&found, buffer)))
}

/// Whether something has the content that the name of its object says. No permission, owner or attribute
/// changes without a time.
fn has_content(
    place: Place<'_>,
    (dues, number): (&Dues, usize),
    (found, buffer): (&System, &mut [u8]),
) -> bool {
    let object = dues.object(dues.get(number));
    match FileType::from_raw_mode(found.st_mode) {
        FileType::Symlink => leads(place, &object),
        FileType::RegularFile => {
            let open = place.open();
            open.is_ok_and(|mut file| holds(&mut file, (found, &object), buffer).unwrap_or(false))
        }
        _ => false,
    }
}

/// Whether a file has the content of `object`.
fn holds(file: &mut File, (found, object): (&System, &str), buffer: &mut [u8]) -> io::Result<bool> {
    let mut left = u64::try_from(found.st_size).unwrap_or(u64::MAX);
    let mut naming = Naming::of("blob", left, object.len());
    while left > 0 {
        match file.read(buffer) {
            // Shorter than a moment ago.
            Ok(0) => return Ok(false),
            Ok(len) => {
                naming.add(&buffer[..len]);
                left = left.saturating_sub(len as u64);
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(naming.name() == object)
}

/// Whether a link leads where `object` says.
fn leads(place: Place<'_>, object: &str) -> bool {
    let Ok(target) = readlinkat(place.folder, place.name(), Vec::new()) else { return false };
    let target = target.into_bytes();
    let mut naming = Naming::of("blob", target.len() as u64, object.len());
    naming.add(&target);
    naming.name() == object
}

/// Gives a folder that is as it should be the time of a fresh one, and says how it is then.
pub(crate) fn renewed(top: &OwnedFd, folder: &[u8]) -> Option<Stat> {
    touched(Place { folder: top.as_fd(), name: folder }).map(|found| Stat::of(&found))
}

/// What the system says of something after it got the time of a fresh checkout.
fn touched(place: Place<'_>) -> Option<System> {
    utimensat(place.folder, place.name(), &NOW, AtFlags::SYMLINK_NOFOLLOW).ok()?;
    place.stat()
}

/// What the system says of something that has all of its times as they were left.
fn was_left(place: Place<'_>, due: &Due) -> Option<System> {
    let stat = due.was.filter(|_| due.mode != GITLINK)?;
    let found = place.stat()?;
    (Stat::of(&found).narrow() == stat).then_some(found)
}

#[allow(clippy::unnecessary_cast, reason = "the type differs between systems")]
fn permissions(found: &System) -> u32 {
    found.st_mode as u32 & 0o7777
}

/// Whether somebody put attributes or access lists on it. What can't be told counts as yes.
fn has_attributes(file: impl AsFd) -> bool {
    let mut names = [0; 1024];
    match flistxattr(file, &mut names) {
        Ok(len) => names[..len]
            .split(|byte| *byte == 0)
            .filter(|name| !name.is_empty())
            .any(|name| !SYSTEM_ATTRIBUTES.iter().any(|known| name.starts_with(known))),
        Err(errno) => errno != Errno::NOTSUP,
    }
}
