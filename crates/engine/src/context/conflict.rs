//! Conflicts that nobody has resolved: git's markers in files that are handed over.

use std::collections::HashSet;

use countersign_domain::ObjectId;
use countersign_domain::context::FileRecord;
use countersign_domain::snapshot::PathText;

/// The markers of one conflict, in their order; what stands behind them is the names of sides.
const MARKERS: [&[u8]; 3] = [b"+<<<<<<< ", b"+=======\n", b"+>>>>>>> "];

/// Which of `files` got the markers of a whole conflict by `patch`.
pub(super) fn conflicted(patch: &[u8], files: &[FileRecord]) -> Vec<PathText> {
    let objects = objects_with_markers(patch);
    let has_markers =
        |file: &&FileRecord| file.object.as_ref().is_some_and(|object| objects.contains(object));
    files.iter().filter(has_markers).map(|file| file.path.clone()).collect()
}

/// The contents that `patch` leads to and that have such markers. They are known by their object:
/// the names in a patch are quoted.
fn objects_with_markers(patch: &[u8]) -> HashSet<ObjectId> {
    let mut found = HashSet::new();
    let (mut object, mut seen): (Option<ObjectId>, usize) = (None, 0);
    for line in patch.split_inclusive(|byte| *byte == b'\n') {
        if line.starts_with(b"diff --git ") {
            (object, seen) = (None, 0);
        } else if object.is_none() && line.starts_with(b"index ") {
            object = object_of(line);
        } else if line.starts_with(MARKERS[0]) {
            seen = 1;
        } else if seen > 0 && line.starts_with(MARKERS[seen]) {
            seen += 1;
        }
        if seen == MARKERS.len() {
            found.extend(object.clone());
            seen = 0;
        }
    }
    found
}

/// Reads `index <old>..<new> <mode>`.
fn object_of(line: &[u8]) -> Option<ObjectId> {
    let line = str::from_utf8(line).ok()?;
    let (_, new) = line.strip_prefix("index ")?.trim_end().split_once("..")?;
    new.split(' ').next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(lines: &str, expected: bool) {
        let new = "b".repeat(40);
        let patch = format!(
            "diff --git a/x b/x\nindex {}..{new} 100644\n--- a/x\n+++ b/x\n@@ -1 +1,5 @@\n{lines}",
            "a".repeat(40)
        );
        let found = objects_with_markers(patch.as_bytes());
        assert_eq!(found.contains(&new.parse::<ObjectId>().unwrap()), expected, "{lines}");
    }

    /// CX-10: only the markers of a whole conflict that were added count.
    #[test]
    fn markers_are_known() {
        check("+<<<<<<< HEAD\n+a\n+=======\n+b\n+>>>>>>> other\n", true);
        check("+<<<<<<< ours\n a\n+||||||| base\n+=======\n b\n+>>>>>>> theirs\n", true);
        check("+<<<<<<< HEAD\n+a\n+b\n", false);
        check("+=======\n+>>>>>>> x\n+<<<<<<< x\n", false);
        check(" <<<<<<< HEAD\n a\n =======\n+b\n >>>>>>> other\n", false);
        check("-<<<<<<< HEAD\n-=======\n->>>>>>> other\n", false);
        check("+Title\n+=======\n+text\n", false);
    }
}
