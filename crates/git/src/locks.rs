//! Locks of git's own that stand in the way of our references.

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};

use crate::repository::Repository;

/// Nobody nests references deeper.
const MAX_DEPTH: usize = 12;

impl Repository {
    /// The locks on references of ours that are there now. One that stays was left by a process
    /// that was killed.
    pub fn locks(&self) -> Vec<PathBuf> {
        let common = &self.layout().common_dir;
        let mut found = Vec::new();
        for folder in [common.join("refs/countersign"), common.join("reftable")] {
            collect(&folder, MAX_DEPTH, &mut found);
        }
        let packed = common.join("packed-refs.lock");
        found.extend(Some(packed).filter(|path| path.exists()));
        found.sort();
        found
    }
}

fn collect(folder: &Path, depth: usize, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        let is_folder = entry.file_type().is_ok_and(|kind| kind.is_dir());
        if is_folder && depth > 0 {
            collect(&path, depth - 1, found);
        } else if !is_folder && path.extension() == Some(OsStr::new("lock")) {
            found.push(path);
        }
    }
}
