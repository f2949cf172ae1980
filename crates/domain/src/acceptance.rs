//! Accepting: what became of countersigned work that somebody wanted in a branch of their own.
//!
//! The journal of a run or a relay is closed when it ends, and its work may be accepted later, elsewhere
//! and more than once: that is on a record of its own.

mod body;
mod event;

pub use body::{Leg, Told, pull_request};
pub use event::{AcceptanceEvent, Begun, Looked, Standing, Way};
