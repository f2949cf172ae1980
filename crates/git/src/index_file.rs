//! Reads a copy of git's index and clears, in place, the marks that hide changes from git.
//!
//! Knows versions 2, 3 and 4 of the format. Never touches the user's own index: it works on
//! bytes that were read from it. Git does not check the sum at the end of an index that it
//! only reads, so a changed copy carries zeros there, which is how git writes "no sum".

use std::time::SystemTime;

use sha2::Digest as _;

use crate::tree::stat::{Moment, Stat};

/// Marks in the first sixteen flag bits of an entry.
const ASSUME_UNCHANGED: u16 = 0x8000;
const EXTENDED: u16 = 0x4000;
const STAGE: u16 = 0x3000;
/// Marks in the second sixteen, which only an extended entry has.
const SKIP_WORKTREE: u16 = 0x4000;
const INTENT_TO_ADD: u16 = 0x2000;

const MODE_GITLINK: u32 = 0o160_000;
const MODE_DIRECTORY: u32 = 0o040_000;

/// The times, inode, owner, mode and size that lead an entry.
const STAT_LEN: usize = 40;
const MODIFIED_AT: usize = 8;
const INODE_AT: usize = 20;
const MODE_AT: usize = 24;
const SIZE_AT: usize = 36;

/// The bytes of an index, its time, and the length of the object ids in it.
#[derive(Debug)]
pub(crate) struct IndexFile {
    bytes: Vec<u8>,
    modified: SystemTime,
    hash_len: usize,
}

/// One entry, borrowed from the index.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Entry<'i> {
    pub(crate) path: &'i [u8],
    pub(crate) object: &'i [u8],
    pub(crate) mode: u32,
    /// When the inode last changed, in seconds.
    pub(crate) changed: u32,
    pub(crate) changed_nanos: u32,
    /// When the content was last modified, in seconds.
    pub(crate) modified: u32,
    pub(crate) modified_nanos: u32,
    pub(crate) inode: u32,
    pub(crate) size: u32,
    pub(crate) assume_unchanged: bool,
    pub(crate) skip_worktree: bool,
    /// One side of a conflict, or a name without content yet.
    pub(crate) unfinished: bool,
    /// Where the entry begins; names it in [`IndexFile::show`] and [`IndexFile::distrust`].
    pub(crate) at: usize,
}

/// What an index is beyond its entries.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Kind {
    /// Most entries are in a second file beside this one.
    pub(crate) split: bool,
    /// Whole directories are single entries.
    pub(crate) sparse: bool,
}

impl Entry<'_> {
    /// What git noted of its file.
    pub(crate) fn stat(&self) -> Stat {
        let moment = |seconds: u32, nanos| Moment { seconds: i64::from(seconds), nanos };
        Stat {
            changed: moment(self.changed, self.changed_nanos),
            modified: moment(self.modified, self.modified_nanos),
            inode: u64::from(self.inode),
            size: u64::from(self.size),
            mode: self.mode,
        }
    }

    pub(crate) fn is_gitlink(&self) -> bool {
        self.mode == MODE_GITLINK
    }
}

impl IndexFile {
    pub(crate) fn new(bytes: Vec<u8>, modified: SystemTime, hash_len: usize) -> Self {
        Self { bytes, modified, hash_len }
    }

    /// The same, as if it had been written at another time.
    pub(crate) fn at(self, modified: SystemTime) -> Self {
        Self { modified, ..self }
    }

    pub(crate) fn modified(&self) -> SystemTime {
        self.modified
    }

    /// The second in which the index was written, as git keeps seconds: 32 bits of them.
    pub(crate) fn written(&self) -> u32 {
        let since = self.modified.duration_since(SystemTime::UNIX_EPOCH);
        let seconds = since.map_or(0, |since| since.as_secs());
        u32::try_from(seconds & u64::from(u32::MAX)).unwrap_or(u32::MAX)
    }

    pub(crate) fn version(&self) -> u32 {
        self.u32(4).unwrap_or(0)
    }

    /// How many entries there are said to be, within reason.
    pub(crate) fn count(&self) -> usize {
        let said = self.u32(8).map_or(0, |count| count as usize);
        said.min(self.bytes.len() / STAT_LEN)
    }

    pub(crate) fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// The mode of the entry at `at`.
    pub(crate) fn mode(&self, at: usize) -> Option<u32> {
        self.u32(at + MODE_AT)
    }

    /// All paths in it, each with a zero at its end.
    pub(crate) fn paths(&self) -> Vec<u8> {
        let mut paths = Vec::new();
        self.walk(|entry| {
            paths.extend_from_slice(entry.path);
            paths.push(0);
        });
        paths
    }

    /// The same, written at `modified`, with the sum at its end that other programs check.
    pub(crate) fn sealed(&self, modified: SystemTime) -> Self {
        let mut bytes = self.bytes.clone();
        let end = bytes.len().saturating_sub(self.hash_len);
        let sum = match self.hash_len {
            32 => sha2::Sha256::digest(&bytes[..end]).to_vec(),
            _ => sha1::Sha1::digest(&bytes[..end]).to_vec(),
        };
        bytes[end..].copy_from_slice(&sum);
        Self { bytes, modified, hash_len: self.hash_len }
    }

    /// Whether it has every file once, and all of them itself.
    pub(crate) fn is_plain(&self) -> bool {
        let mut is_finished = true;
        let kind = self.walk(|entry| is_finished &= !entry.unfinished);
        is_finished && kind == Some(Kind::default())
    }

    /// The same without what git remembers of the trees in it, and without anything else that it
    /// need not know.
    pub(crate) fn without_trees(mut self) -> Self {
        if let Some((_, end)) = self.walk_to_end(|_| {})
            && self.is_plain()
        {
            self.bytes.truncate(end);
            self.bytes.resize(end + self.hash_len, 0);
        }
        self
    }

    /// Shows every entry to `each`; `None` when the format is not one that we know.
    pub(crate) fn walk(&self, each: impl FnMut(Entry<'_>)) -> Option<Kind> {
        Some(self.walk_to_end(each)?.0)
    }

    /// The same, and where the entries end.
    fn walk_to_end(&self, mut each: impl FnMut(Entry<'_>)) -> Option<(Kind, usize)> {
        if self.bytes.get(..4)? != b"DIRC" {
            return None;
        }
        let version = self.version();
        if !(2..=4).contains(&version) {
            return None;
        }
        let mut path = Vec::new();
        let mut at = 12;
        let mut kind = Kind::default();
        for _ in 0..self.u32(8)? {
            let (flags, name_at) = self.flags(at)?;
            let end = if version == 4 {
                self.shared_name(name_at, &mut path)?
            } else {
                self.padded_name(at, name_at, &mut path)?
            };
            let mode = self.u32(at + MODE_AT)?;
            kind.sparse |= mode == MODE_DIRECTORY;
            each(Entry {
                path: &path,
                object: self.bytes.get(at + STAT_LEN..at + STAT_LEN + self.hash_len)?,
                mode,
                changed: self.u32(at)?,
                changed_nanos: self.u32(at + 4)?,
                modified: self.u32(at + MODIFIED_AT)?,
                modified_nanos: self.u32(at + MODIFIED_AT + 4)?,
                inode: self.u32(at + INODE_AT)?,
                size: self.u32(at + SIZE_AT)?,
                assume_unchanged: flags[0] & ASSUME_UNCHANGED != 0,
                skip_worktree: flags[1] & SKIP_WORKTREE != 0,
                unfinished: flags[0] & STAGE != 0 || flags[1] & INTENT_TO_ADD != 0,
                at,
            });
            at = end;
        }
        self.extensions(at, &mut kind)?;
        Some((kind, at))
    }

    /// Lets git look at the file behind the entry at `at` again.
    pub(crate) fn show(&mut self, at: usize) {
        let flags_at = at + STAT_LEN + self.hash_len;
        let Some((flags, _)) = self.flags(at) else {
            return;
        };
        self.put(flags_at, flags[0] & !ASSUME_UNCHANGED);
        if flags[0] & EXTENDED != 0 {
            self.put(flags_at + 2, flags[1] & !SKIP_WORKTREE);
        }
        self.forget_sum();
    }

    /// Forgets the times of the entry at `at`, so that git reads its file again.
    pub(crate) fn distrust(&mut self, at: usize) {
        if let Some(times) = self.bytes.get_mut(at..at + 16) {
            times.fill(0);
        }
        self.forget_sum();
    }

    /// Notes what the system says of the file behind the entry at `at`, as git does when it wrote it.
    #[allow(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        clippy::unnecessary_cast,
        reason = "git keeps 32 bits of everything"
    )]
    pub(crate) fn note(&mut self, at: usize, found: &rustix::fs::Stat) {
        let before_mode = [
            found.st_ctime as u32,
            found.st_ctime_nsec as u32,
            found.st_mtime as u32,
            found.st_mtime_nsec as u32,
            found.st_dev as u32,
            found.st_ino as u32,
        ];
        let after_mode = [found.st_uid as u32, found.st_gid as u32, found.st_size as u32];
        let places = (at..).step_by(4).zip(before_mode);
        for (at, value) in places.chain((at + MODE_AT + 4..).step_by(4).zip(after_mode)) {
            if let Some(place) = self.bytes.get_mut(at..at + 4) {
                place.copy_from_slice(&value.to_be_bytes());
            }
        }
        self.forget_sum();
    }

    /// Both flag words of the entry at `at`, and where its name begins.
    fn flags(&self, at: usize) -> Option<([u16; 2], usize)> {
        let flags_at = at + STAT_LEN + self.hash_len;
        let first = self.u16(flags_at)?;
        if first & EXTENDED == 0 {
            return Some(([first, 0], flags_at + 2));
        }
        Some(([first, self.u16(flags_at + 2)?], flags_at + 4))
    }

    /// Versions 2 and 3: the whole name, then zeros up to a multiple of eight.
    fn padded_name(&self, at: usize, name_at: usize, path: &mut Vec<u8>) -> Option<usize> {
        let name = self.until_zero(name_at)?;
        path.clear();
        path.extend_from_slice(name);
        let len = name_at - at + name.len();
        Some(at + ((len + 8) & !7))
    }

    /// Version 4: how much of the previous name to drop, then what to add to the rest.
    fn shared_name(&self, name_at: usize, path: &mut Vec<u8>) -> Option<usize> {
        let (dropped, name_at) = self.number(name_at)?;
        path.truncate(path.len().checked_sub(dropped)?);
        let name = self.until_zero(name_at)?;
        path.extend_from_slice(name);
        Some(name_at + name.len() + 1)
    }

    /// A number in git's variable length, and where it ends.
    fn number(&self, mut at: usize) -> Option<(usize, usize)> {
        let mut byte = *self.bytes.get(at)?;
        let mut value = usize::from(byte & 127);
        while byte & 128 != 0 {
            at += 1;
            byte = *self.bytes.get(at)?;
            value = value.checked_add(1)?.checked_mul(128)? + usize::from(byte & 127);
        }
        Some((value, at + 1))
    }

    /// Notes the extensions that change what the entries mean.
    fn extensions(&self, mut at: usize, kind: &mut Kind) -> Option<()> {
        let end = self.bytes.len().checked_sub(self.hash_len)?;
        while at < end {
            let name = self.bytes.get(at..at + 4)?;
            match name {
                b"link" => kind.split = true,
                b"sdir" => kind.sparse = true,
                // A small first letter says: do not go on without knowing this one.
                [first, ..] if !first.is_ascii_uppercase() => return None,
                _ => {}
            }
            at = at.checked_add(8)?.checked_add(self.u32(at + 4)? as usize)?;
        }
        (at == end).then_some(())
    }

    fn until_zero(&self, at: usize) -> Option<&[u8]> {
        let rest = self.bytes.get(at..)?;
        rest.get(..rest.iter().position(|byte| *byte == 0)?)
    }

    fn u16(&self, at: usize) -> Option<u16> {
        self.bytes.get(at..)?.first_chunk().map(|bytes| u16::from_be_bytes(*bytes))
    }

    fn u32(&self, at: usize) -> Option<u32> {
        self.bytes.get(at..)?.first_chunk().map(|bytes| u32::from_be_bytes(*bytes))
    }

    fn put(&mut self, at: usize, value: u16) {
        if let Some(place) = self.bytes.get_mut(at..at + 2) {
            place.copy_from_slice(&value.to_be_bytes());
        }
    }

    fn forget_sum(&mut self) {
        let start = self.bytes.len().saturating_sub(self.hash_len);
        self.bytes[start..].fill(0);
    }
}

#[cfg(test)]
mod tests;
