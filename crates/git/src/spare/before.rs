//! Which folders of a checkout are as they were left: no name came or went, and none leads elsewhere.
//!
//! Whatever adds, removes or exchanges a name in a folder, or changes its permissions or attributes, changes
//! the time of the folder's last change, which programs can't set. Where that time is the one that was
//! remembered, the names in it are those that the tree had there, so they need not be listed.

use std::collections::HashMap;
use std::ops::Range;
use std::os::fd::OwnedFd;
use std::sync::Arc;

use rustix::fs::{AtFlags, FileType, statat};

use crate::memory::Left;
use crate::spare::due::Dues;
use crate::spare::look::{GITLINK, LINK};
use crate::tree::disk::{name_or_dot, tells_changes};
use crate::tree::stat::{Moment, Stat};

/// What the system said of folders when they were last looked at, by their paths from the top.
pub(crate) type Folders = HashMap<Vec<u8>, Stat>;

/// A checkout as it was handed over the last time.
#[derive(Debug)]
pub(crate) struct Before {
    pub(crate) dues: Dues,
    folders: Arc<Folders>,
    moment: Moment,
}

impl Before {
    /// `None` where times don't tell, or if the index is not understood.
    pub(crate) fn of(left: &Left, top: &OwnedFd) -> Option<Self> {
        let dues = Dues::of(&left.index).filter(|_| tells_changes(top))?;
        Some(Self { dues, folders: Arc::clone(&left.folders), moment: left.moment })
    }

    /// What the system says of a folder that has all of its times.
    pub(crate) fn is_timed(&self, top: &OwnedFd, folder: &[u8]) -> Option<Stat> {
        let known = self.folders.get(folder)?;
        stat_of(top, folder).filter(|found| found == known)
    }

    /// The same, but for what was changed so shortly before the handover that the clock may not have ticked
    /// since.
    pub(crate) fn is_left(&self, top: &OwnedFd, folder: &[u8]) -> Option<Stat> {
        self.is_timed(top, folder).filter(|found| !found.changed.ticks_with(self.moment))
    }

    /// The files below `folder`, if they have the same paths as those of `dues`.
    pub(crate) fn same_below(&self, folder: &[u8], dues: &Dues) -> Option<Range<usize>> {
        let (was, now) = (self.dues.below(folder), dues.below(folder));
        let is_same = |(one, other): (usize, usize)| {
            self.dues.path(self.dues.get(one)) == dues.path(dues.get(other))
        };
        let are_same = was.len() == now.len() && was.clone().zip(now).all(is_same);
        are_same.then_some(was)
    }

    /// What the file of this number was.
    pub(crate) fn kind(&self, number: usize) -> FileType {
        match self.dues.get(number).mode {
            LINK => FileType::Symlink,
            GITLINK => FileType::Directory,
            _ => FileType::RegularFile,
        }
    }
}

/// What is right in a folder below which the paths of `range` are: its files and its folders.
pub(crate) fn inside<'d>(
    (dues, range): (&'d Dues, Range<usize>),
    folder: &[u8],
) -> (Vec<usize>, Vec<&'d [u8]>) {
    let skipped = if folder.is_empty() { 0 } else { folder.len() + 1 };
    let (mut files, mut folders): (Vec<usize>, Vec<&[u8]>) = (Vec::new(), Vec::new());
    for number in range {
        let path = dues.path(dues.get(number));
        match path[skipped..].iter().position(|byte| *byte == b'/') {
            None => files.push(number),
            // They are sorted, so those of one folder stand together.
            Some(end) if folders.last() != Some(&&path[..skipped + end]) => {
                folders.push(&path[..skipped + end]);
            }
            Some(_) => {}
        }
    }
    (files, folders)
}

/// What the system says of a folder now.
pub(crate) fn stat_of(top: &OwnedFd, folder: &[u8]) -> Option<Stat> {
    statat(top, name_or_dot(folder), AtFlags::SYMLINK_NOFOLLOW).ok().map(|found| Stat::of(&found))
}
