//! Paths in replies: as text, since JSON has nothing else, with a mark where one is no text.

use std::path::{Path, PathBuf};

use serde::{Serialize, Serializer};

pub(crate) fn one<S: Serializer>(path: &Path, to: S) -> Result<S::Ok, S::Error> {
    path.to_string_lossy().serialize(to)
}

pub(crate) fn many<S: Serializer>(paths: &[PathBuf], to: S) -> Result<S::Ok, S::Error> {
    to.collect_seq(paths.iter().map(|path| path.to_string_lossy()))
}
