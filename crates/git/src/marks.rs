//! Marks in git's index that keep git from looking at files. They hide nothing from us, but
//! whoever set them wanted something hidden.

use countersign_domain::id::Digest;

use crate::index_file::{Entry, IndexFile};

/// The digest of the paths at which git was told not to look; `None` when there are none.
pub(crate) fn marks(index: &IndexFile) -> Option<Digest> {
    let mut marked = Vec::new();
    index.walk(|entry| add_mark(&mut marked, &entry));
    digest(&marked)
}

/// Takes note of an entry, if it is marked.
pub(crate) fn add_mark(marked: &mut Vec<u8>, entry: &Entry<'_>) {
    if entry.assume_unchanged || entry.skip_worktree {
        marked.extend([u8::from(entry.assume_unchanged), u8::from(entry.skip_worktree)]);
        marked.extend_from_slice(entry.path);
        marked.push(0);
    }
}

pub(crate) fn digest(marked: &[u8]) -> Option<Digest> {
    (!marked.is_empty()).then(|| Digest::of(marked))
}
