//! Scope: which files of the repository a task is about.
//!
//! An entry is a path, a folder, a glob, a macro, or words for people. Globs are matched against
//! whole paths: `*` and `?` stay inside of one folder, `**` doesn't, and the case counts.

mod digest;
mod entry;
mod expand;
mod globs;
mod path;
mod patterns;
mod relative;
mod tree;

pub use digest::{Found, Kind, digest};
pub use expand::Scope;
pub use globs::Globs;
pub use path::RepoPath;
pub(crate) use relative::{FIX as RELATIVE, relative};
