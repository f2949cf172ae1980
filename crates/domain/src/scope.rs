//! Scope: which files of the repository a task is about.

mod digest;
mod path;

pub use digest::{Found, Kind, digest};
pub use path::RepoPath;
