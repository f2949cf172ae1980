//! One path that is known, and what is known of it.

use countersign_domain::id::Digest;

use super::stat::Stat;

const MODE_LINK: u32 = 0o120_000;
const MODE_GITLINK: u32 = 0o160_000;

/// What kind of thing a path is known to be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum What {
    File,
    Link,
    /// A repository of its own, of which git records the commit.
    Gitlink,
    /// Ignored: known by the digest of its bytes, and not stored.
    Watched,
    /// No longer there; such a row is in no folder.
    Gone,
}

impl What {
    /// What an entry of git's with this mode is.
    pub(crate) fn of(mode: u32) -> Self {
        match mode {
            MODE_GITLINK => Self::Gitlink,
            MODE_LINK => Self::Link,
            _ => Self::File,
        }
    }
}

/// What git does with the bytes of a file before it records them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum Conversion {
    #[default]
    None,
    /// Line endings are made the same.
    Text,
    /// A filter, an encoding, an identifier.
    Filter,
}

/// One known path.
#[derive(Debug, Clone)]
pub(crate) struct Row {
    /// Where the path begins, where its last part does, and where it ends.
    pub(crate) name: (usize, usize, usize),
    pub(crate) stat: Stat,
    /// The object's name, as long as the repository's names are; zeros for a watched file.
    pub(crate) object: [u8; 32],
    /// The digest of the bytes on disk, where the object does not tell: watched and converted.
    pub(crate) raw: Option<Box<Digest>>,
    pub(crate) what: What,
    pub(crate) conversion: Conversion,
    /// A file on disk that looks like `stat` has the content of `object`.
    pub(crate) is_trusted: bool,
    /// Git was told to keep it off the disk.
    pub(crate) is_hidden: bool,
    /// Where the entry begins in the index that the table was made from.
    pub(crate) entry_at: usize,
}

impl Row {
    /// Says what git has recorded.
    pub(crate) fn set(&mut self, what: What, object: &[u8]) {
        let len = object.len().min(self.object.len());
        self.object[..len].copy_from_slice(&object[..len]);
        self.what = what;
    }

    pub(crate) fn new(what: What, stat: Stat) -> Self {
        Self {
            name: (0, 0, 0),
            stat,
            object: [0; 32],
            raw: None,
            what,
            conversion: Conversion::None,
            is_trusted: true,
            is_hidden: false,
            entry_at: 0,
        }
    }
}
