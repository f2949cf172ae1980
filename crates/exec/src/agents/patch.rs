//! Reads patches: those that Codex writes itself, and unified diffs.

use countersign_domain::worklog::{FileChange, FileFate};

/// The files that a patch in Codex' own format touches, with the lines of each. A file that
/// moves is a deleted one and a created one.
pub(crate) fn files(patch: &str) -> Vec<FileChange> {
    let mut files: Vec<FileChange> = Vec::new();
    for line in patch.lines() {
        let line = line.trim_end_matches('\r');
        if let Some(path) = line.strip_prefix("*** Add File: ") {
            files.push(file(path, FileFate::Created));
        } else if let Some(path) = line.strip_prefix("*** Update File: ") {
            files.push(file(path, FileFate::Changed));
        } else if let Some(path) = line.strip_prefix("*** Delete File: ") {
            files.push(file(path, FileFate::Deleted));
        } else if let Some(path) = line.strip_prefix("*** Move to: ") {
            if let Some(from) = files.last_mut() {
                from.fate = FileFate::Deleted;
            }
            files.push(file(path, FileFate::Created));
        } else if let Some(last) = files.last_mut() {
            count(line, last);
        }
    }
    files
}

/// Counts the lines of a unified diff.
pub(crate) fn diff_lines(diff: &str) -> (u32, u32) {
    let mut total = file("", FileFate::Changed);
    let mut inside = false;
    for line in diff.lines() {
        inside |= line.starts_with("@@");
        if inside {
            count(line, &mut total);
        }
    }
    (total.added, total.removed)
}

fn file(path: &str, fate: FileFate) -> FileChange {
    FileChange { path: path.trim().to_owned(), fate, added: 0, removed: 0 }
}

fn count(line: &str, file: &mut FileChange) {
    match line.as_bytes().first() {
        Some(b'+') => file.added = file.added.saturating_add(1),
        Some(b'-') => file.removed = file.removed.saturating_add(1),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_patch_of_every_sort() {
        let patch = "*** Begin Patch\n*** Add File: a.py\n+one\n+two\n*** Update File: b.py\n@@ def\n-x\n+y\n+z\n \
                     same\n*** Update File: old.py\n*** Move to: new.py\n@@\n-1\n+2\n*** Delete File: c.py\n*** End Patch";
        let told: Vec<_> = files(patch)
            .into_iter()
            .map(|file| (file.path, file.fate, file.added, file.removed))
            .collect();
        assert_eq!(
            told,
            [
                ("a.py".to_owned(), FileFate::Created, 2, 0),
                ("b.py".to_owned(), FileFate::Changed, 2, 1),
                ("old.py".to_owned(), FileFate::Deleted, 0, 0),
                ("new.py".to_owned(), FileFate::Created, 1, 1),
                ("c.py".to_owned(), FileFate::Deleted, 0, 0),
            ]
        );
        assert!(files("no patch\n+x").is_empty());
    }

    #[test]
    fn a_diff_is_counted_after_its_head() {
        assert_eq!(diff_lines("--- a\n+++ b\n@@ -1 +1,2 @@\n-x\n+y\n+z\n"), (2, 1));
        assert_eq!(diff_lines(""), (0, 0));
    }
}
