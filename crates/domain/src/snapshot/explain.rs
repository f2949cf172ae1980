//! From what was recorded and what was found to what happened.

use super::drift::{Drift, FileDrift, Kind};
use super::found::{FileChange, Found};
use super::recorded::Recorded;

/// What became of `recorded`, as far as `found` tells.
pub fn explain(_recorded: &Recorded, found: &Found) -> Drift {
    Drift { files: found.changes.iter().map(file).collect(), ..Drift::default() }
}

fn file(change: &FileChange) -> FileDrift {
    let kind = match (&change.before, &change.after) {
        (None, _) => Kind::Added,
        (_, None) => Kind::Removed,
        _ => Kind::Edited,
    };
    FileDrift {
        path: change.path.clone(),
        kind,
        before: change.before.clone(),
        after: change.after.clone(),
        follows: false,
    }
}
