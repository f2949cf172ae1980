//! Accepting: work that was countersigned is taken over into the user's own branch, never blindly.

mod merging;

pub use countersign_git::{Conflict, Merged};
