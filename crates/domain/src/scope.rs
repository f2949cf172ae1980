//! Scope: which files of the repository a task is about.

mod digest;
mod path;
mod relative;

pub use digest::{Found, Kind, digest};
pub use path::RepoPath;
pub(crate) use relative::{FIX as RELATIVE, relative};
