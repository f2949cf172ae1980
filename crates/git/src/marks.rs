//! Marks in git's index that keep git from looking at files. They hide nothing from us, but
//! whoever set them wanted something hidden.

use countersign_domain::id::Digest;
use countersign_domain::snapshot::{PathText, Said};

use crate::index_file::{Entry, IndexFile};

/// So many marks are named.
const MOST_NAMED: usize = 50;

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

/// Which files are marked and how, up to a bound; one without a name stands for all others.
pub(crate) fn said(index: &IndexFile) -> Vec<Said> {
    let mut said: Vec<Said> = Vec::new();
    index.walk(|entry| {
        let marks =
            [(entry.assume_unchanged, "assume-unchanged"), (entry.skip_worktree, "skip-worktree")];
        for (_, mark) in marks.into_iter().filter(|(is_set, _)| *is_set) {
            match said.len() {
                0..MOST_NAMED => said.push(Said {
                    at: Some(PathText::new(entry.path)),
                    text: Some(PathText::from(mark)),
                }),
                MOST_NAMED => said.push(Said { at: None, text: None }),
                _ => {}
            }
        }
    });
    said
}
