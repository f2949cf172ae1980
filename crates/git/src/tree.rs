//! Working trees file by file: our own look at them, for recording and for comparing.

pub(crate) mod cache;
pub(crate) mod convert;
pub(crate) mod disk;
pub(crate) mod hash;
pub(crate) mod ignored;
pub(crate) mod name;
pub(crate) mod row;
pub(crate) mod sift;
pub(crate) mod stat;
pub(crate) mod table;
mod trust;
pub(crate) mod walk;
pub(crate) mod watched;
