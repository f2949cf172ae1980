//! The top folder of a checkout, in which everything else is made.
//!
//! What is made in a folder takes over its access list, and the private repository is what all files of a
//! checkout are held against. So the top is set right before anything is made in it, whoever had it before.

use std::path::Path;

use rustix::fs::{Mode, OFlags, fchmod, flistxattr, fremovexattr, fstat, open};
use rustix::io::Errno;

use crate::error::Error;
use crate::loose::mask;
use crate::spare::look::SYSTEM_ATTRIBUTES;

/// The most that names of attributes are read of one folder.
const MOST_NAMES: usize = 1 << 16;

/// Gives the folder at `path` the permissions of a new one, and takes all attributes and access lists off.
pub(crate) fn set_right(path: &Path) -> Result<(), Error> {
    try_set_right(path).map_err(|errno| Error::io("set right", path)(errno.into()))
}

fn try_set_right(path: &Path) -> Result<(), Errno> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let folder = match open(path, flags, Mode::empty()) {
        // Who worked there has locked itself out.
        Err(Errno::ACCESS) => {
            rustix::fs::chmod(path, Mode::RWXU)?;
            open(path, flags, Mode::empty())?
        }
        opened => opened?,
    };
    let mut names = vec![0; MOST_NAMES];
    let len = match flistxattr(&folder, &mut names) {
        Err(Errno::NOTSUP) => 0,
        listed => listed?,
    };
    let found = names[..len].split(|byte| *byte == 0).filter(|name| !name.is_empty());
    for name in found.filter(|name| !SYSTEM_ATTRIBUTES.iter().any(|own| name.starts_with(own))) {
        fremovexattr(&folder, name)?;
    }
    let Some(mask) = mask() else { return Ok(()) };
    let wanted = Mode::from_raw_mode(0o777 & !mask);
    if Mode::from_raw_mode(fstat(&folder)?.st_mode & 0o7777) != wanted {
        fchmod(&folder, wanted)?;
    }
    Ok(())
}
