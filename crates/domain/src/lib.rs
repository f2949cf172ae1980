//! The words and rules of Countersign.
//!
//! Everything here is pure: no clock, environment, file, process, network or randomness.
//! What happens in the world is done by other crates, which hand the facts in as arguments.

pub mod classify;
pub mod id;

pub use id::{Digest, ObjectId};
