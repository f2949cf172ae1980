//! The real agents, driven by a scripted model: found, started without anything of this machine,
//! and sent on tours.
//!
//! They are installed by `cargo xtask agents` into a folder of the user's cache, in the versions
//! that `agents/pinned.json` names.

mod normal;
mod real;
mod record;
mod stage;
pub mod tours;

pub use real::RealAgent;
pub use record::record;
pub use stage::{Stage, finish};
