//! What tests drive the program with: a project in a temporary directory that has nothing to
//! do with the machine it is on, a fingerprint of what belongs to its user, and a look at the
//! process table. For development only.
//!
//! The environment of the test process itself is never changed: whatever a program is to see
//! is given to that program alone.

#![expect(clippy::unwrap_used, reason = "a test that can't be set up is to fail at once")]

pub mod agents;
mod fingerprint;
mod journal;
pub mod model;
mod plan;
mod poll;
mod processes;
mod project;
mod ran;

pub use fingerprint::Fingerprint;
pub use journal::{kinds, normalised, without_interruptions};
pub use plan::NamesPlan;
pub use poll::wait_until;
pub use processes::survivors;
pub use project::{Call, Project};
pub use ran::{Ran, Running};
